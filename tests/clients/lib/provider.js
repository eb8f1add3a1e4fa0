/**
 * A loopback provider: what it answers is scripted, what it was sent is recorded.
 *
 *   const provider = await startProvider(t, json({ error }, { status: 503 }), json(completion));
 *   provider.url                       // without a slash at its end
 *   provider.requests                  // all so far, oldest first
 *   await provider.asked(1)            // the first request, once it has come
 *   await provider.requests[0].left    // ends when the client has left before its answer was whole
 *
 * Answers are played in order, the last one again and again. A function is given the request and returns its answer.
 */

import { once } from 'node:events';
import { createServer } from 'node:http';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/**
 * @typedef {object} Asked
 * @property {string} method
 * @property {string} path With the query.
 * @property {import('node:http').IncomingHttpHeaders} headers
 * @property {Buffer} bytes
 * @property {any} json The body as a value; undefined when it is no JSON.
 * @property {Promise<void>} left
 *
 * @typedef {object} Answer
 * @property {number} [status]
 * @property {Record<string, string>} [headers]
 * @property {(string | Uint8Array)[]} [chunks] Each is flushed by itself.
 * @property {'whole' | 'reset' | 'cut' | 'stall' | 'unanswered' | 'lost'} [end] How the answer ends; see below.
 */

/** Long enough for what was written to arrive before the connection is reset. */
const ARRIVAL_MS = 30;

/** @returns {Answer} */
export const json = (value, { status = 200, headers = {}, end = 'whole' } = {}) => {
  const text = JSON.stringify(value);
  // Told of its length, a client knows a body that breaks off.
  const length = Buffer.byteLength(text) + (end === 'whole' ? 0 : 1);
  return { status, headers: { 'content-type': 'application/json', 'content-length': String(length), ...headers }, chunks: [text], end };
};

/** @returns {Answer} Server-sent events. `cut`: the stream ends before its end marker, `stall`: it goes quiet. */
export const sse = (frames, { headers = {}, end = 'whole' } = {}) => (
  { headers: { 'content-type': 'text/event-stream; charset=utf-8', ...headers }, chunks: frames, end }
);

/** @returns {Answer} */
export const bytes = (chunks, { status = 200, headers = {}, end = 'whole' } = {}) => (
  { status, headers: { 'content-type': 'application/octet-stream', ...headers }, chunks, end }
);

/** The connection is reset before a byte of the answer. */
export const lost = Object.freeze({ end: 'lost' });

/** The answer never comes. */
export const unanswered = Object.freeze({ end: 'unanswered' });

/**
 * @param {import('node:test').TestContext} t
 * @param {...(Answer | ((request: Asked) => Answer | Promise<Answer>))} answers
 */
export async function startProvider(t, ...answers) {
  /** @type {Asked[]} */
  const requests = [];
  /** @type {Set<() => void>} */
  const waiting = new Set();

  const server = createServer(async (request, response) => {
    const gone = Promise.withResolvers();
    response.on('error', () => undefined);
    response.on('close', () => {
      if (!response.writableFinished) gone.resolve();
    });
    try {
      const body = Buffer.concat(await Array.fromAsync(request));
      const asked = {
        method: request.method ?? '', path: request.url ?? '', headers: request.headers, bytes: body, json: parsed(body), left: gone.promise,
      };
      requests.push(asked);
      for (const look of waiting) look();
      const answer = answers[Math.min(requests.length, answers.length) - 1];
      await play(typeof answer === 'function' ? await answer(asked) : answer, response);
    } catch (error) {
      response.destroy(error);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });

  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests,
    /** @param {number} count */
    async asked(count) {
      const { promise, resolve } = Promise.withResolvers();
      const look = () => requests.length >= count && resolve();
      waiting.add(look);
      look();
      await promise;
      waiting.delete(look);
      return requests[count - 1];
    },
  };
}

/**
 * @param {Answer} answer
 * @param {import('node:http').ServerResponse} response
 */
async function play({ status = 200, headers = {}, chunks = [], end = 'whole' }, response) {
  if (end === 'unanswered') return;
  if (end === 'lost') return void response.socket?.resetAndDestroy();
  response.writeHead(status, headers);
  response.flushHeaders();
  for (const chunk of chunks) {
    response.write(chunk);
    await nextTurn();
  }
  if (end === 'stall') return;
  if (end === 'whole' || end === 'cut') return void response.end();
  await sleep(ARRIVAL_MS);
  response.socket?.resetAndDestroy();
}

/** @param {Buffer} body */
function parsed(body) {
  try {
    return JSON.parse(body.toString());
  } catch {
    return undefined;
  }
}
