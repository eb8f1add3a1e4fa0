// What Anthropic's API answers.

import { messages } from '../../js/lib/stream-frames.js';
import { bytes, json, sse } from './provider.js';

const USAGE = { input_tokens: 11, output_tokens: 6 };

/** What the API says of a failure. */
export const error = (message, type = 'api_error') => ({ type: 'error', error: { type, message }, request_id: 'req_9' });

/** @param {object[]} content */
const messageOf = (content, stop_reason) => ({ id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content, stop_reason, stop_sequence: null, usage: USAGE });

export const message = (text = 'Da capo') => json(messageOf([{ type: 'text', text }], 'end_turn'), { headers: { 'request-id': 'req_1' } });

/** The model uses a tool. */
export const toolUse = (name, input) => json(messageOf([{ type: 'tool_use', id: 'toolu_1', name, input }], 'tool_use'));

export const count = json({ input_tokens: 11 });

export const file = json({ id: 'file_1', type: 'file', filename: 'notes.txt', mime_type: 'text/plain', size_bytes: 9, created_at: '2026-01-01T00:00:00Z', downloadable: true });

/** Bytes that are no text. */
export const CONTENT = Uint8Array.from({ length: 1000 }, (_, i) => i % 256);
export const content = bytes([CONTENT.subarray(0, 300), CONTENT.subarray(300)]);

const named = (type, members) => `event: ${type}\ndata: ${JSON.stringify({ type, ...members })}\n\n`;
const [head] = messages.start.split(/(?=event: content_block_start)/);

/** The model uses a tool, as a stream. */
export const toolUseStream = (name, input) => sse([
  head,
  named('content_block_start', { index: 0, content_block: { type: 'tool_use', id: 'toolu_1', name, input: {} } }),
  named('content_block_delta', { index: 0, delta: { type: 'input_json_delta', partial_json: JSON.stringify(input) } }),
  named('content_block_stop', { index: 0 }),
  named('message_delta', { delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 6 } }),
  messages.done,
]);

export const messageStream = {
  whole: sse([messages.start, messages.text('Da '), messages.text('capo'), messages.stop, messages.done]),
  early: [sse([messages.start, messages.overloaded]), sse([messages.start], { end: 'reset' }), sse([messages.start], { end: 'cut' }), sse([], { end: 'reset' })],
  begun: sse([messages.start, messages.text('Da ')], { end: 'stall' }),
};
