/**
 * A loopback HTTP server with scripted troubles, for clients of any runtime.
 *
 *   import { startServer } from './lib/scripted-server.js';
 *   import { play, seen, seenUntil } from './lib/play.js';      // these run in any runtime
 *
 *   const server = await startServer();                         // 127.0.0.1, a free port
 *   const url = play(server.origin, [
 *     { status: 503, headers: { 'retry-after': '1' } },         // first request
 *     { fault: 'reset' },                                       // second request
 *     { json: { ok: true } },                                   // third and all later ones
 *   ]);
 *   await seen(url)       // [{ method, url, headers, body, atMs, left }], one a request
 *   server.open()         // sockets that are open now
 *   await server.close()
 *
 * A step is an object; all members are optional:
 *
 *   status           default 200
 *   headers          an object; a list as a value sends the field once for each member
 *   json             the body as a value, sent as application/json
 *   body             the body as text
 *   echo             true: the body quotes the request's URL, headers and body, as some error pages do
 *   chunks           the body as a list of texts, each flushed by itself
 *   encoding         what the texts of the body are, 'utf8' (default) or 'base64'
 *   packetBytes      the body is sent in pieces of this size, wherever that cuts it, each in a packet of its own
 *   chunkDelayMs     the time before each chunk
 *   delayMs          the time before the headers
 *   retryAfterDate   { inMs, form } sends Retry-After as an HTTP-date that lies inMs (a multiple of 1000) after
 *                    the answer's own Date; form is 'imf' (default), 'rfc850' or 'asctime'
 *   fault            'reset'          the connection is reset before any byte of the answer
 *                    'no-headers'     the answer never comes
 *                    'reset-in-body'  the connection is reset after the body given, short of its Content-Length
 *                    'cut-in-body'    the connection is closed after the body given, short of the last chunk
 *                                     (which undici takes for the end of the body)
 *                    'stall'          the body never ends after what was given
 *   hidden           headers that no page of another origin can read
 *   cors             false: no page of another origin can read the answer at all
 *
 * A redirect is a step as well: { status: 307, headers: { location } }.
 *
 * Pages of any origin may read the answers and send any header. A preflight plays no step.
 * `left` is true once the client has left before the answer was complete, `atMs` the time
 * since the process started. Connections are closed after each answer, since a browser
 * sends a request again by itself when a connection that it used before is reset;
 * { keepAlive: true } keeps them.
 */

import { createServer } from 'node:http';
import { once } from 'node:events';
import { setImmediate as nextTurn, setTimeout as sleep } from 'node:timers/promises';

/**
 * @typedef {object} Step
 * @property {number} [status]
 * @property {Record<string, string | string[]>} [headers]
 * @property {unknown} [json]
 * @property {string} [body]
 * @property {boolean} [echo]
 * @property {string[]} [chunks]
 * @property {'utf8' | 'base64'} [encoding]
 * @property {number} [packetBytes]
 * @property {number} [chunkDelayMs]
 * @property {number} [delayMs]
 * @property {{ inMs: number, form?: 'imf' | 'rfc850' | 'asctime' }} [retryAfterDate]
 * @property {'reset' | 'no-headers' | 'reset-in-body' | 'cut-in-body' | 'stall'} [fault]
 * @property {string[]} [hidden]
 * @property {boolean} [cors]
 *
 * @typedef {object} Seen
 * @property {string} method
 * @property {string} url
 * @property {Record<string, string | string[] | undefined>} headers
 * @property {string} body
 * @property {number} atMs
 * @property {boolean} left
 *
 * @typedef {import('node:http').IncomingMessage} Request
 * @typedef {import('node:http').ServerResponse} Answer
 */

/** Long enough for what was written to arrive before the connection ends. */
const ARRIVAL_MS = 30;

/** Statuses whose answers have no body. */
const NO_BODY = new Set([204, 205, 304]);

export async function startServer({ keepAlive = false } = {}) {
  const runs = new Map();
  let open = 0;

  const server = createServer((request, answer) => {
    answer.on('error', () => undefined);
    handle(request, answer).catch((error) => {
      if (answer.headersSent) answer.destroy();
      else answer.writeHead(500).end(String(error));
    });
  });
  server.on('connection', (socket) => {
    open += 1;
    socket.on('close', () => (open -= 1));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  /**
   * @param {Request} request
   * @param {Answer} answer
   */
  async function handle(request, answer) {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const [, verb, run = ''] = pathname.split('/');
    if (!keepAlive) answer.setHeader('connection', 'close');
    answer.setHeader('access-control-allow-origin', '*');
    if (request.method === 'OPTIONS') return permit(request, answer);
    const requests = runs.get(run) ?? [];
    if (verb === 'seen') return void answer.setHeader('content-type', 'application/json').end(JSON.stringify(requests));
    if (verb !== 'play') return void answer.writeHead(404).end();
    runs.set(run, requests);

    const steps = JSON.parse(searchParams.get('steps') ?? '[]');
    const step = steps[Math.min(requests.length, steps.length - 1)] ?? {};
    const { method = '', url = '', headers } = request;
    const record = { method, url, headers, body: '', atMs: performance.now(), left: false };
    requests.push(record);
    answer.on('close', () => (record.left = !answer.writableFinished));
    for await (const chunk of request.setEncoding('utf8')) record.body += chunk;
    await perform(step.echo ? { ...step, body: `${method} ${url} ${JSON.stringify(headers)} ${record.body}` } : step, answer);
  }

  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    open: () => open,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/**
 * Answers a preflight. `*` would not cover Authorization, so the names are echoed.
 *
 * @param {Request} request
 * @param {Answer} answer
 */
function permit(request, answer) {
  answer.writeHead(204, {
    'access-control-allow-methods': request.headers['access-control-request-method'] ?? '*',
    'access-control-allow-headers': request.headers['access-control-request-headers'] ?? '*',
  });
  answer.end();
}

/**
 * @param {Step} step
 * @param {Answer} answer
 */
async function perform(step, answer) {
  if (step.fault === 'no-headers') return;
  if (step.delayMs) await sleep(step.delayMs);
  if (step.fault === 'reset') return void answer.socket?.resetAndDestroy();

  const chunks = bodyOf(step);
  const length = chunks.reduce((sum, chunk) => sum + chunk.length, 0);
  answer.statusCode = step.status ?? 200;
  if (step.json !== undefined) answer.setHeader('content-type', 'application/json');
  for (const [name, value] of Object.entries(step.headers ?? {})) answer.setHeader(name, value);
  if (step.retryAfterDate) setRetryAfterDate(answer, step.retryAfterDate);
  if (step.fault === 'reset-in-body') answer.setHeader('content-length', length + 1);
  else if (step.fault === undefined && step.chunks === undefined && step.packetBytes === undefined && !NO_BODY.has(answer.statusCode)) answer.setHeader('content-length', length);
  expose(answer, step);

  answer.flushHeaders();
  for (const chunk of chunks) {
    if (step.chunkDelayMs) await sleep(step.chunkDelayMs);
    answer.write(chunk);
    // What is written in one turn of the event loop goes out together.
    if (step.packetBytes) await nextTurn();
  }
  if (step.fault === undefined) return void answer.end();
  if (step.fault === 'stall') return;
  await sleep(ARRIVAL_MS);
  if (step.fault === 'reset-in-body') answer.socket?.resetAndDestroy();
  else answer.destroy();
}

/** @param {Step} step */
function bodyOf({ chunks, json, body = '', encoding = 'utf8', packetBytes }) {
  const texts = chunks ?? (json === undefined ? [body] : [JSON.stringify(json)]);
  const parts = texts.map((text) => Buffer.from(text, encoding));
  if (packetBytes === undefined) return parts;
  const whole = Buffer.concat(parts);
  return Array.from({ length: Math.ceil(whole.length / packetBytes) }, (_, i) => whole.subarray(i * packetBytes, (i + 1) * packetBytes));
}

/**
 * @param {Answer} answer
 * @param {Step} step
 */
function expose(answer, { cors, hidden = [] }) {
  if (cors === false) return answer.removeHeader('access-control-allow-origin');
  const names = answer.getHeaderNames().filter((name) => !hidden.includes(name));
  answer.setHeader('access-control-expose-headers', [...names, 'date'].join(', '));
}

const DAYS = ['Sunday', 'Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'];

/**
 * @param {Answer} answer
 * @param {NonNullable<Step['retryAfterDate']>} date
 */
function setRetryAfterDate(answer, { inMs, form = 'imf' }) {
  const now = new Date();
  const until = new Date(now.getTime() + inMs);
  const [day, date = '', month = '', year = '', time] = until.toUTCString().replace(',', '').split(' ');
  const text = {
    imf: until.toUTCString(),
    rfc850: `${DAYS[until.getUTCDay()]}, ${date}-${month}-${year.slice(2)} ${time} GMT`,
    asctime: `${day} ${month} ${date.replace(/^0/, ' ')} ${time} ${year}`,
  }[form];
  answer.setHeader('date', now.toUTCString());
  answer.setHeader('retry-after', text);
}
