/**
 * What a user hears of a streamed answer.
 *
 * @typedef {object} Heard
 * @property {number} starts How often the answer began.
 * @property {string} text
 * @property {string} [failure] What the provider told of a failure.
 */

/**
 * Listens to a streamed chat completion to its end, as a client would: nothing of dacapo is in here.
 *
 * @param {Response} response
 * @returns {Promise<Heard>}
 */
export async function listen({ body }) {
  /** @type {Heard} */
  const heard = { starts: 0, text: '' };
  if (body === null) return heard;
  let held = '';
  for await (const text of body.pipeThrough(new TextDecoderStream())) {
    const events = (held + text).split('\n\n');
    held = events.pop() ?? '';
    for (const event of events) hear(event.replace(/^data: /, ''), heard);
  }
  return heard;
}

/**
 * @param {string} data
 * @param {Heard} heard
 */
function hear(data, heard) {
  if (data === '[DONE]') return;
  const { choices, error } = JSON.parse(data);
  if (error !== undefined) heard.failure = error.message;
  const delta = choices?.[0]?.delta;
  if (delta?.role !== undefined) heard.starts += 1;
  heard.text += delta?.content ?? '';
}
