// An LLM provider on loopback that has every trouble there is: a real HTTP server, real sockets.

import { createServer } from 'node:http';

/** Not a secret of anybody's. */
export const STANDBY_KEY = 'sk-demo-4c8sTbYq1Wn6Kd5';

/**
 * What it does with one request.
 *
 * @callback Answer
 * @param {import('node:http').ServerResponse} response
 * @param {import('node:http').IncomingMessage} request
 * @returns {void}
 */

const ANSWER = JSON.stringify({
  id: 'chatcmpl-demo',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'From the beginning, then.' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 11, completion_tokens: 6, total_tokens: 17 },
});

/** @type {Answer} */
const ok = (response) => {
  response.writeHead(200, { 'content-type': 'application/json' }).end(ANSWER);
};

/**
 * @param {number} status
 * @param {{ message: string, type: string, code?: string }} error
 * @param {() => Record<string, string>} [headers]
 * @returns {Answer}
 */
const failing = (status, error, headers = () => ({})) => (response) => {
  response.writeHead(status, { 'content-type': 'application/json', ...headers() }).end(JSON.stringify({ error }));
};

/** @param {() => Record<string, string>} hint */
const limited = (hint) => failing(429, { message: 'Rate limit reached for requests', type: 'requests', code: 'rate_limit_exceeded' }, hint);

const overloaded = failing(503, { message: 'The engine is currently overloaded', type: 'overloaded_error' });

const overloadedForLong = failing(503, { message: 'Down for maintenance', type: 'overloaded_error' }, () => ({ 'retry-after': '30' }));

const invalid = failing(400, { message: "'temperature' must not be above 2", type: 'invalid_request_error', code: 'invalid_value' });

/** As some providers do, it shows the key that it refuses. @type {Answer} */
const unauthorized = (response, request) => {
  const key = request.headers.authorization?.replace('Bearer ', '');
  failing(401, { message: `Incorrect API key provided: ${key}`, type: 'invalid_request_error', code: 'invalid_api_key' })(response, request);
};

const quota = failing(429, { message: 'You exceeded your current quota', type: 'insufficient_quota', code: 'insufficient_quota' });

/** @type {Answer} */
const moved = (response) => {
  response.writeHead(307, { location: 'https://elsewhere.example/v1/chat/completions' }).end();
};

/** The connection breaks before any header. @type {Answer} */
const reset = (_response, request) => {
  request.socket.resetAndDestroy();
};

/** Half a JSON body, and then the connection breaks. @type {Answer} */
const cut = (response, request) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': String(ANSWER.length) });
  response.write(ANSWER.slice(0, ANSWER.length / 2), () => request.socket.resetAndDestroy());
};

/** The request is taken and never answered. @type {Answer} */
const silent = () => {};

/** The second of two providers, which wants a key of its own and no other. @type {Answer} */
const standby = (response, request) => {
  const credentials = `${request.headers.authorization} ${request.url}`;
  if (credentials !== `Bearer ${STANDBY_KEY} /v1/standby`) return unauthorized(response, request);
  ok(response, request);
};

/** One event of a streamed chat completion. */
const event = (/** @type {unknown} */ data) => `data: ${typeof data === 'string' ? data : JSON.stringify(data)}\n\n`;

/**
 * @param {object} delta
 * @param {string | null} [reason]
 */
const delta = (delta, reason = null) =>
  event({ id: 'chatcmpl-demo', object: 'chat.completion.chunk', choices: [{ index: 0, delta, finish_reason: reason }] });

const START = delta({ role: 'assistant', content: '' });
const WORDS = ['From ', 'the ', 'beginning, ', 'then.'].map((content) => delta({ content }));
const END = [delta({}, 'stop'), event('[DONE]')];
const BROKEN = event({ error: { message: 'The engine is currently overloaded', type: 'overloaded_error', code: 'overloaded_error' } });

/** The time between two events of a stream. */
const EVENT_MS = 40;

/**
 * @param {string[]} events
 * @returns {Answer}
 */
const streaming = (...events) => (response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' });
  const left = [...events];
  const next = () => {
    const text = left.shift();
    if (text === undefined) return void response.end();
    response.write(text);
    setTimeout(next, EVENT_MS);
  };
  next();
};

/** The answers of each path, in turn; the last one stays. @type {Readonly<Record<string, readonly Answer[]>>} */
const PATHS = {
  'retry-after-seconds': [limited(() => ({ 'retry-after': '1' })), ok],
  'retry-after-date': [limited(() => ({ 'retry-after': new Date(Date.now() + 1_000).toUTCString() })), ok],
  'retry-after-ms': [limited(() => ({ 'retry-after-ms': '250' })), ok],
  overloaded: [overloaded, overloaded, ok],
  reset: [reset, ok],
  cut: [cut, ok],
  silent: [silent, ok],
  'stream-before': [streaming(START, BROKEN), streaming(START, ...WORDS, ...END)],
  'stream-after': [streaming(START, ...WORDS.slice(0, 2), BROKEN), streaming(START, ...WORDS, ...END)],
  unauthorized: [unauthorized],
  invalid: [invalid],
  quota: [quota],
  moved: [moved],
  maintenance: [overloadedForLong],
  down: [overloaded],
  standby: [standby],
};

/** Which answer each of these paths gives again and again when the provider does not keep to its script. */
const OFF_SCRIPT = new Map([['retry-after-ms', 0], ['stream-after', 1]]);

/**
 * Starts the provider.
 *
 * @param {{ broken?: boolean }} [options] `broken`: it does not keep to its script, so that a test can see the demo notice.
 * @returns {Promise<{ url: (path: string) => string, close: () => void }>}
 */
export async function startProvider({ broken = false } = {}) {
  /** @type {Record<string, number>} */
  const served = {};
  const server = createServer((request, response) => {
    const path = new URL(request.url ?? '/', 'http://provider').pathname.split('/').at(-1) ?? '';
    const answers = PATHS[path] ?? [];
    const turn = (broken ? OFF_SCRIPT.get(path) : undefined) ?? served[path] ?? 0;
    served[path] = turn + 1;
    request.resume();
    request.once('end', () => {
      const answer = answers[Math.min(turn, answers.length - 1)];
      if (answer === undefined) response.writeHead(404).end();
      else answer(response, request);
    });
  });
  await new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(undefined));
  });
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return {
    url: (path) => `http://127.0.0.1:${port}/v1/${path}`,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
