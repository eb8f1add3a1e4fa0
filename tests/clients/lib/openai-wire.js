// What OpenAI's API answers.

import { chat } from '../../js/lib/stream-frames.js';
import { bytes, json, sse } from './provider.js';

const USAGE = { prompt_tokens: 11, completion_tokens: 6, total_tokens: 17 };

/** What the API says of a failure. */
export const error = (message, type = 'server_error', code = null) => ({ error: { message, type, param: null, code } });

/** @param {object} message */
const completionOf = (message, finish_reason) => ({
  id: 'chatcmpl-1', object: 'chat.completion', created: 1, model: 'm', usage: USAGE,
  choices: [{ index: 0, message: { role: 'assistant', refusal: null, ...message }, logprobs: null, finish_reason }],
});

export const completion = (content = 'Da capo') => json(completionOf({ content }, 'stop'), { headers: { 'x-request-id': 'req_1' } });

/** The model calls a function. */
export const toolCall = (name, input) => json(completionOf(
  { content: null, tool_calls: [{ id: 'call_1', type: 'function', function: { name, arguments: JSON.stringify(input) } }] }, 'tool_calls',
));

const outputOf = (text) => [{ id: 'msg_1', type: 'message', status: 'completed', role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] }];

const responseWith = (members) => (
  { id: 'resp_1', object: 'response', created_at: 1, status: 'in_progress', error: null, incomplete_details: null, model: 'm', output: [], ...members }
);
const completed = (output) => responseWith({
  status: 'completed', output,
  usage: { input_tokens: 11, input_tokens_details: { cached_tokens: 0 }, output_tokens: 6, output_tokens_details: { reasoning_tokens: 0 }, total_tokens: 17 },
});
const failed = responseWith({ status: 'failed', error: { code: 'server_error', message: 'The model failed' } });

export const response = (text = 'Da capo') => json(completed(outputOf(text)));

/** A failure that is told inside a 200. */
export const failedResponse = json(failed);

/** The model calls a function, by the Responses API. */
export const functionCall = (name, input) => json(completed([
  { type: 'function_call', id: 'fc_1', call_id: 'call_1', name, arguments: JSON.stringify(input), status: 'completed' },
]));

/** 0.5, -1 and 2 as little-endian floats. */
export const embeddings = json({
  object: 'list', model: 'm', usage: { prompt_tokens: 3, total_tokens: 3 },
  data: [{ object: 'embedding', index: 0, embedding: Buffer.from(Float32Array.of(0.5, -1, 2).buffer).toString('base64') }],
});

export const file = json({ id: 'file_1', object: 'file', bytes: 9, created_at: 1, filename: 'notes.txt', purpose: 'user_data', status: 'processed' });

/** Bytes that are no text. */
export const CONTENT = Uint8Array.from({ length: 1000 }, (_, i) => i % 256);
export const content = bytes([CONTENT.subarray(0, 300), CONTENT.subarray(300)]);

/** What the stream of the Responses API has in it. */
export const events = (() => {
  let sent = 0;
  const event = (type, members) => `event: ${type}\ndata: ${JSON.stringify({ type, sequence_number: sent++, ...members })}\n\n`;
  const at = { output_index: 0, item_id: 'msg_1', content_index: 0 };
  const part = (text) => ({ type: 'output_text', text, annotations: [] });
  return {
    start: event('response.created', { response: responseWith() }) + event('response.in_progress', { response: responseWith() })
      + event('response.output_item.added', { output_index: 0, item: { ...outputOf('')[0], status: 'in_progress', content: [] } })
      + event('response.content_part.added', { ...at, part: part('') }),
    text: (delta) => event('response.output_text.delta', { ...at, delta, logprobs: [] }),
    end: (text) => event('response.output_text.done', { ...at, text, logprobs: [] }) + event('response.content_part.done', { ...at, part: part(text) })
      + event('response.output_item.done', { output_index: 0, item: outputOf(text)[0] }) + event('response.completed', { response: completed(outputOf(text)) }),
    failed: event('response.failed', { response: failed }),
    error: event('error', { code: 'server_error', message: 'The model failed', param: null }),
  };
})();

/** What the streams of both APIs are, and how they fail before their first output. */
export const chatStreamOf = (...texts) => ({
  whole: sse([chat.start, ...texts.map(chat.text), chat.stop, chat.usage, chat.done]),
  early: [sse([chat.start, chat.overloaded]), sse([chat.start], { end: 'reset' }), sse([chat.start], { end: 'cut' }), sse([], { end: 'reset' })],
  begun: sse([chat.start, chat.text(texts[0])], { end: 'stall' }),
});
export const chatStream = chatStreamOf('Da ', 'capo');
export const responseStream = {
  whole: sse([events.start, events.text('Da '), events.text('capo'), events.end('Da capo')]),
  early: [sse([events.start, events.failed]), sse([events.start, events.error]), sse([events.start], { end: 'reset' }), sse([events.start], { end: 'cut' })],
  begun: sse([events.start, events.text('Da ')], { end: 'stall' }),
};
