import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { Timeline } from '../../demo/timeline.js';

const START = fileURLToPath(new URL('../../demo/start.js', import.meta.url));

/** What the demo sends and must not print. */
const SECRETS = ['sk-demo-7f3kQz9XwLm2RtVb8NcYp4Hs', 'demo-query-key-5519', 'sk-demo-4c8sTbYq1Wn6Kd5'];

/**
 * Runs the demo to its end.
 *
 * @param {string[]} args
 * @param {Record<string, string>} [env]
 */
async function demo(args, env = {}) {
  const began = performance.now();
  const child = spawn(process.execPath, [START, ...args], { env: { ...process.env, ...env }, stdio: ['ignore', 'pipe', 'pipe'] });
  let [out, err] = ['', ''];
  child.stdout.setEncoding('utf8').on('data', (/** @type {string} */ chunk) => (out += chunk));
  child.stderr.setEncoding('utf8').on('data', (/** @type {string} */ chunk) => (err += chunk));
  const code = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  return { code, out, err, lines: out.trimEnd().split('\n'), ms: performance.now() - began };
}

/**
 * A server for one test, which answers as it is told.
 *
 * @param {import('node:test').TestContext} t
 * @param {import('node:http').RequestListener} listener
 */
async function serving(t, listener) {
  const server = createServer(listener);
  await new Promise((resolve) => server.listen(0, '127.0.0.1', () => resolve(undefined)));
  t.after(() => {
    server.close();
    server.closeAllConnections();
  });
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  return `http://127.0.0.1:${port}`;
}

const played = demo([]);

test('the demo plays its script to the end in time and prints no secret', async () => {
  const { code, out, err, lines, ms } = await played;
  assert.equal(err, '');
  assert.equal(lines.at(-1), '16 calls: 10 recovered, 5 failed as they should, 1 cancelled');
  assert.equal(code, 0);
  assert.ok(ms < 15_000, `it took ${ms} ms`);
  for (const secret of SECRETS) assert.ok(!out.includes(secret), `it prints ${secret}`);
  assert.ok(!out.includes('\u001b'), 'no colours where nobody has a terminal');
});

test('each trouble is shown with its kind, the rule and what follows', async () => {
  const { out } = await played;
  for (const row of [
    /#1 +429 +rate_limited +\w+ +wait 1\.\d\d s: the server asks for 1\.00 s/,
    /#1 +429 +rate_limited +\w+ +wait 0\.\d\d s: the server asks for 0\.25 s/,
    /#2 +503 +overloaded +\w+ +wait 0\.\d\d s: backoff/,
    /#1 +ECONNRESET +transport +transport +wait/,
    /#1 +truncated +transport +transport +wait/,
    /#1 +timeout +timeout +\w+ +wait/,
    /#1 +401 +auth +\w+ +not retried/,
    /#1 +429 +quota_exhausted +\w+ +not retried/,
    /#1 +307 +redirected +\w+ +not retried/,
    /cancelled: the wait ended \d+\.\d ms after the abort/,
    /#3 +200 +delivered/,
  ]) assert.match(out, row);
});

test('a stream that fails before its first word is heard whole, and one that fails after it is not begun again', async () => {
  const { out } = await played;
  const before = out.slice(out.indexOf('fails before its first word'), out.indexOf('fails after its first words'));
  assert.match(before, /#1 +200 +overloaded +\w+ +wait[^]+#2 +200 +delivered[^]+the user heard "From the beginning, then\."/);
  const after = out.slice(out.indexOf('fails after its first words'), out.indexOf('401'));
  assert.match(after, /#1 +200 +delivered[^]+the user heard "From the "[^]+told once[^]+#1 +200 +overloaded +\w+ +not retried/);
  assert.doesNotMatch(after, /#2/);
  assert.match(out, /mark: 'output_begun',[^]+streamed: true,[^]+totalAttempts: 1,\n +failedAttempts: 1/);
});

test('where a provider is down another one answers, and is asked at once while the breaker of the first is open', async () => {
  const { out } = await played;
  const down = out.slice(out.indexOf('another one answers'), out.indexOf('its circuit breaker knows'));
  assert.match(down, /#1 +503 +overloaded[^]+#2 +503 +overloaded +\w+ +no attempts left\n[^\n]+first is given up[^]+#3 +200 +delivered/);
  const open = out.slice(out.indexOf('its circuit breaker knows'), out.indexOf('the caller cancels'));
  assert.match(open, /first is passed over: its breaker is open for another \d\d\.\d\d s\n[^\n]+#1 +200 +delivered/);
});

test('a terminal is painted, unless NO_COLOR asks for none', (t) => {
  const { NO_COLOR, TERM } = process.env;
  t.after(() => {
    delete process.env.NO_COLOR;
    delete process.env.TERM;
    Object.assign(process.env, NO_COLOR !== undefined && { NO_COLOR }, TERM !== undefined && { TERM });
  });
  const painted = (/** @type {boolean} */ isTTY) => new Timeline(/** @type {any} */ ({ isTTY })).paint('red', 'text') !== 'text';
  process.env.TERM = 'xterm';
  delete process.env.NO_COLOR;
  assert.deepEqual([painted(true), painted(false)], [true, false]);
  process.env.NO_COLOR = '1';
  assert.equal(painted(true), false);
  delete process.env.NO_COLOR;
  process.env.TERM = 'dumb';
  assert.equal(painted(true), false);
});

test('a provider that leaves the script makes the demo fail and say which call', async () => {
  const { code, out, lines } = await demo([], { DEMO_BREAK: '1' });
  assert.equal(code, 1);
  assert.match(out, /call 3 was to be recovered \[rate_limited\] and was failed \[rate_limited,rate_limited,rate_limited\]/);
  assert.match(out, /the user of call 9 was to hear "From the ", and heard "From the beginning, then\." with 1 starts/);
  assert.equal(lines.at(-1), '16 calls: 9 recovered, 4 failed as they should, 1 cancelled, 2 not as scripted');
});

test('a URL that recovers ends with 0, its status, its history and its ledger', async (t) => {
  let requests = 0;
  const origin = await serving(t, (_request, response) => {
    requests += 1;
    response.writeHead(requests === 1 ? 503 : 200, { 'retry-after': '0' }).end('well');
  });
  const { code, out } = await demo([`${origin}/health?api_key=${SECRETS[1]}`]);
  assert.equal(code, 0);
  assert.equal(requests, 2);
  assert.match(out, /#1 +503 +overloaded/);
  assert.match(out, /^status 200 OK$/m);
  assert.match(out, /^history$/m);
  assert.match(out, /totalAttempts: 2/);
  assert.ok(!out.includes(/** @type {string} */ (SECRETS[1])), 'it prints the key of the query');
});

test('a URL that succeeds at once ends with 0 and a clean ledger', async (t) => {
  const origin = await serving(t, (_request, response) => response.end('well'));
  const { code, out } = await demo([origin]);
  assert.equal(code, 0);
  assert.match(out, /history: no attempt failed/);
  assert.match(out, /totalAttempts: 1,\n +failedAttempts: 0/);
});

test('a URL that is answered with a failure, or not at all, ends with 1', async (t) => {
  const origin = await serving(t, (_request, response) => response.writeHead(404).end());
  const notFound = await demo([origin]);
  assert.equal(notFound.code, 1);
  assert.match(notFound.out, /^status 404 Not Found$/m);
  const gone = await serving(t, (request) => request.socket.destroy());
  const broken = await demo([gone]);
  assert.equal(broken.code, 1);
  assert.match(broken.out, /fetch failed/);
  assert.match(broken.out, /totalAttempts: 3/);
});

test('what is no http URL ends with 2 and a sentence that says why', async () => {
  const cases = /** @type {const} */ ([
    [['health'], /not an absolute URL/],
    [['file:///etc/hosts'], /file: URLs cannot be called/],
    [['--fast'], /no option --fast/],
    [['http://a.example/', 'http://b.example/'], /one URL at a time/],
  ]);
  for (const [args, why] of cases) {
    const { code, out, err } = await demo([...args]);
    assert.equal(code, 2, args.join(' '));
    assert.match(err, why);
    assert.match(err, /^usage: npm start/m);
    assert.equal(out, '');
  }
});
