/** What providers put on the wire when they stream, for any runtime: no `node:` import. */

/** @param {unknown} value */
const data = (value) => `data: ${JSON.stringify(value)}\n\n`;

/** @param {{ type: string }} value */
const named = (value) => `event: ${value.type}\n${data(value)}`;

/** @param {object} delta */
const chunkOf = (delta, finish_reason = /** @type {string | null} */ (null)) =>
  data({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }] });

/** OpenAI's chat completions. */
export const chat = {
  start: chunkOf({ role: 'assistant', content: '' }),
  /** @param {string} content */
  text: (content) => chunkOf({ content }),
  stop: chunkOf({}, 'stop'),
  usage: data({ id: 'chatcmpl-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [], usage: { prompt_tokens: 11, completion_tokens: 6, total_tokens: 17 } }),
  done: 'data: [DONE]\n\n',
  overloaded: data({ error: { message: 'The server is overloaded', type: 'overloaded_error', param: null, code: 'overloaded_error' } }),
};

/** OpenAI's responses. */
export const responses = {
  start: named({ type: 'response.created', sequence_number: 0, response: { id: 'resp_1', object: 'response', status: 'in_progress', output: [] } })
    + named({ type: 'response.in_progress', sequence_number: 1, response: { id: 'resp_1', object: 'response', status: 'in_progress', output: [] } })
    + named({ type: 'response.output_item.added', sequence_number: 2, output_index: 0, item: { id: 'msg_1', type: 'message', status: 'in_progress', role: 'assistant', content: [] } })
    + named({ type: 'response.content_part.added', sequence_number: 3, item_id: 'msg_1', output_index: 0, content_index: 0, part: { type: 'output_text', text: '', annotations: [] } }),
  /** @param {string} delta */
  text: (delta) => named({ type: 'response.output_text.delta', sequence_number: 4, item_id: 'msg_1', output_index: 0, content_index: 0, delta }),
  /** @param {string} text */
  done: (text) => named({
    type: 'response.completed', sequence_number: 5,
    response: {
      id: 'resp_1', object: 'response', status: 'completed', usage: { input_tokens: 11, output_tokens: 6, total_tokens: 17 },
      output: [{ id: 'msg_1', type: 'message', status: 'completed', role: 'assistant', content: [{ type: 'output_text', text, annotations: [] }] }],
    },
  }),
  failed: named({
    type: 'response.failed', sequence_number: 5,
    response: { id: 'resp_1', object: 'response', status: 'failed', error: { code: 'server_error', message: 'The model failed' }, output: [] },
  }),
};

/** Anthropic's messages. */
export const messages = {
  start: named({
    type: 'message_start',
    message: { id: 'msg_1', type: 'message', role: 'assistant', model: 'm', content: [], stop_reason: null, stop_sequence: null, usage: { input_tokens: 11, output_tokens: 1 } },
  }) + named({ type: 'content_block_start', index: 0, content_block: { type: 'text', text: '' } }) + named({ type: 'ping' }),
  /** @param {string} text */
  text: (text) => named({ type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } }),
  stop: named({ type: 'content_block_stop', index: 0 })
    + named({ type: 'message_delta', delta: { stop_reason: 'end_turn', stop_sequence: null }, usage: { output_tokens: 6 } }),
  done: named({ type: 'message_stop' }),
  overloaded: named({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }),
};

/** Ollama's lines. */
export const lines = {
  /** @param {string} content */
  text: (content) => `${JSON.stringify({ model: 'm', message: { role: 'assistant', content }, done: false })}\n`,
  done: `${JSON.stringify({ model: 'm', message: { role: 'assistant', content: '' }, done: true, done_reason: 'stop' })}\n`,
  failed: `${JSON.stringify({ error: 'an error was encountered while running the model' })}\n`,
};

/** Messages of Bedrock's event stream in base64, as @smithy/eventstream-codec encodes them. */
export const bedrock = {
  start: 'AAAAdgAAAFKW1freCzpldmVudC10eXBlBwAMbWVzc2FnZVN0YXJ0DTpjb250ZW50LXR5cGUHABBhcHBsaWNhdGlvbi9qc29uDTptZXNzYWdlLXR5cGUHAAVldmVudHsicm9sZSI6ImFzc2lzdGFudCJ9b6jFmQ==',
  text: 'AAAAlwAAAFfzC+A+CzpldmVudC10eXBlBwARY29udGVudEJsb2NrRGVsdGENOmNvbnRlbnQtdHlwZQcAEGFwcGxpY2F0aW9uL2pzb24NOm1lc3NhZ2UtdHlwZQcABWV2ZW50eyJjb250ZW50QmxvY2tJbmRleCI6MCwiZGVsdGEiOnsidGV4dCI6IkhlbGxvIn19Z2I4MQ==',
  done: 'AAAAegAAAFHKLEZlCzpldmVudC10eXBlBwALbWVzc2FnZVN0b3ANOmNvbnRlbnQtdHlwZQcAEGFwcGxpY2F0aW9uL2pzb24NOm1lc3NhZ2UtdHlwZQcABWV2ZW50eyJzdG9wUmVhc29uIjoiZW5kX3R1cm4ifV+/Cfw=',
  throttled: 'AAAAkAAAAGGOkam3DzpleGNlcHRpb24tdHlwZQcAE3Rocm90dGxpbmdFeGNlcHRpb24NOmNvbnRlbnQtdHlwZQcAEGFwcGxpY2F0aW9uL2pzb24NOm1lc3NhZ2UtdHlwZQcACWV4Y2VwdGlvbnsibWVzc2FnZSI6IlRvbyBtYW55IHJlcXVlc3RzIn3mf4AF',
};

/** By the API whose stream has it. */
export const TYPES = {
  sse: { 'content-type': 'text/event-stream; charset=utf-8' },
  ndjson: { 'content-type': 'application/x-ndjson' },
  bedrock: { 'content-type': 'application/vnd.amazon.eventstream' },
};
