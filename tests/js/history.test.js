import assert from 'node:assert/strict';
import test from 'node:test';
import { createFetch, historyOf, retry } from 'dacapo';
import { fakeClock, NOON } from './lib/clock.js';
import { failed, json, stubFetch, textStream, unusual, URL_ } from './lib/stub.js';

const POST = { method: 'POST', body: '{}' };
const CLEAN = { wastedPromptTokens: 0, wastedCompletionTokens: 0, wastedTotalTokens: 0 };

/** Makes a call and gives its history. */
async function historyAfter(answers, { options = {}, init, url = URL_, clock = fakeClock() } = {}) {
  const fetch = createFetch({ fetch: stubFetch(...answers), clock, jitter: 'none', ...options });
  return historyOf(await fetch(url, init).catch((error) => error));
}

/** Every object in a value, frozen or not. */
function* objectsIn(value) {
  if (typeof value !== 'object' || value === null) return;
  yield value;
  for (const inner of Object.values(value)) yield* objectsIn(inner);
}

test('a record says which attempt failed, when, how long it took, why, and how long was waited after it', async () => {
  const clock = fakeClock();
  const slow = (ms, status, headers) => () => {
    clock.advance(ms);
    return failed(status, headers);
  };
  const { attempts, last } = await historyAfter([slow(40, 503), slow(7, 429, { 'retry-after': '2' }), slow(1, 500)], { clock, options: { hintJitter: 0 } });
  const told = [...attempts, last].map(({ index, attempt, startedAt, durationMs, reason, delayMs, delayFrom, retryAfterMs, streamed }) => (
    { index, attempt, startedAt, durationMs, reason, delayMs, delayFrom, retryAfterMs, streamed }));
  assert.deepEqual(told, [
    {
      index: 0, attempt: 1, startedAt: NOON, durationMs: 40, reason: 'server_error', delayMs: 500, delayFrom: 'backoff',
      retryAfterMs: undefined, streamed: false,
    },
    {
      index: 1, attempt: 2, startedAt: NOON + 540, durationMs: 7, reason: 'rate_limited', delayMs: 2000, delayFrom: 'hint',
      retryAfterMs: 2000, streamed: false,
    },
    {
      index: 2, attempt: 3, startedAt: NOON + 2547, durationMs: 1, reason: 'server_error', delayMs: 0, delayFrom: undefined,
      retryAfterMs: undefined, streamed: false,
    },
  ]);
});

test('the error of a record is a snapshot: message, kind, type, code, status and verdict, and no cause', async () => {
  const body = { error: { message: 'Rate limit reached', type: 'tokens', code: 'rate_limit_exceeded' } };
  const { last } = await historyAfter([() => json(body, { status: 429, headers: { 'retry-after': '3' } })], { options: { maxAttempts: 1, provider: 'acme' } });
  assert.deepEqual(last.error, {
    message: 'Rate limit reached', kind: 'rate_limited', type: 'rate_limited', code: 'rate_limit_exceeded', status: 429,
    provider: 'acme', retryAfterMs: 3000, retryable: true, rule: 'provider',
  });
});

test('a transport failure has the runtime\'s code and no status', async () => {
  const error = new TypeError('fetch failed', { cause: Object.assign(new Error('reset'), { code: 'ECONNRESET' }) });
  const { last } = await historyAfter([error], { options: { maxAttempts: 1 } });
  assert.deepEqual(last.error, { message: 'fetch failed', kind: 'transport', type: 'network', code: 'ECONNRESET', retryable: true, rule: 'transport' });
});

test('the reason of an attempt is one of four words or the kind', async () => {
  const timeout = Object.assign(new Error('x'), { code: 'ETIMEDOUT' });
  for (const [answer, reason] of [
    [429, 'rate_limited'], [500, 'server_error'], [503, 'server_error'], [529, 'server_error'], [504, 'timeout'], [timeout, 'timeout'],
    [new TypeError('fetch failed'), 'transport'], [401, 'auth'], [404, 'not_found'], [413, 'request_too_large'],
  ]) {
    const { last } = await historyAfter([answer], { options: { maxAttempts: 1 } });
    assert.equal(last.reason, reason, String(answer));
  }
});

test('a failure without a text of its own is told by its status', async () => {
  const { last } = await historyAfter([() => failed(404, {}, '<html>no such page</html>')]);
  assert.equal(last.error.message, 'HTTP 404');
});

test('a long message is cut to 1000 characters', async () => {
  for (const letter of ['x', 'é', '😀']) {
    const { last } = await historyAfter([() => json({ error: { message: letter.repeat(5000) } }, { status: 400 })]);
    const characters = [...last.error.message];
    assert.ok(characters.length <= 1000, letter);
    assert.ok(characters.length >= 900, letter);
    assert.equal(characters[10], letter);
  }
});

test('attempts has the failures retried past, and is absent when there are none', async () => {
  const once = await historyAfter([404]);
  assert.ok(!('attempts' in once));
  assert.equal(once.last.error.status, 404);
  const exhausted = await historyAfter([500, 502, 503]);
  assert.deepEqual(exhausted.attempts.map(({ error }) => error.status), [500, 502]);
  assert.equal(exhausted.last.error.status, 503);
  const healed = await historyAfter([500, 502, 200]);
  assert.deepEqual(healed.attempts.map(({ error }) => error.status), [500, 502]);
  assert.ok(!('last' in healed) && !('mark' in healed));
});

test('the ledger counts every send and every failure', async () => {
  for (const [answers, totalAttempts, failedAttempts] of [[[503, 200], 2, 1], [[503, 503, 200], 3, 2], [[503], 3, 3], [[404], 1, 1]]) {
    const { retry: ledger } = await historyAfter(answers);
    assert.deepEqual(ledger, { totalAttempts, failedAttempts, ...CLEAN, wasteIsLowerBound: false });
  }
});

test('a failure that may have cost tokens nobody reported makes the waste a lower bound', async () => {
  const broken = new TypeError('terminated');
  assert.equal((await historyAfter([broken, 200])).retry.wasteIsLowerBound, true);
  assert.equal((await historyAfter([() => json({ error: { code: 500 } }), 200], { init: POST })).retry.wasteIsLowerBound, true);
  assert.equal((await historyAfter([429, 200])).retry.wasteIsLowerBound, false);
});

test('the mark says why the call ended', async () => {
  const stream = { method: 'POST', body: textStream('x'), duplex: 'half' };
  for (const [mark, answers, rest] of [
    ['not_retryable', [404]],
    ['attempts_exhausted', [503]],
    ['deadline_exceeded', [503], { options: { deadlineMs: 100 } }],
    ['retry_after_beyond', [() => failed(429, { 'retry-after': '61' })]],
    ['one_shot_body', [503], { init: stream }],
    ['method_not_retried', [503], { options: { methods: ['GET'] }, init: POST }],
    ['hook_veto', [503], { options: { shouldRetry: () => false } }],
  ]) {
    assert.equal((await historyAfter(answers, rest)).mark, mark);
  }
});

test('a request is recorded as it was sent, without a body unless that was asked for', async () => {
  const init = { method: 'post', headers: [['X-Trace', 'abc'], ['Accept', 'a/b']], body: 'secret prompt' };
  const { last } = await historyAfter([404], { init, url: new URL('https://api.example/v1?x=1#frag'), options: { retryCountHeader: 'x-n' } });
  assert.equal(last.request.method, 'POST');
  assert.equal(last.request.startedAt, NOON);
  assert.deepEqual(last.request.headers, { 'x-trace': 'abc', accept: 'a/b', 'x-n': '0' });
  assert.match(last.request.url, /^https:\/\/api\.example\/v1\?x=1/);
  assert.ok(!('body' in last.request));
});

test('a header that was given twice is recorded with both values', async () => {
  const { last } = await historyAfter([404], { init: { headers: [['x-a', '1'], ['X-A', '2']] } });
  assert.deepEqual(last.request.headers, { 'x-a': '1, 2' });
});

test('a Request is recorded by its own method, url and headers', async () => {
  const request = new Request(URL_, { method: 'PUT', headers: { 'x-trace': 'abc' }, body: 'x' });
  const { last } = await historyAfter([404], { url: request });
  assert.deepEqual([last.request.method, last.request.url, last.request.headers['x-trace']], ['PUT', URL_, 'abc']);
});

test('snapshotBody keeps texts, and a label for everything else', async () => {
  const form = new FormData();
  form.set('a', 'b');
  for (const [body, expected] of [
    ['{"prompt":"hi"}', '{"prompt":"hi"}'],
    [new URLSearchParams({ a: 'b' }), 'a=b'],
    [form, '[FormData]'],
    [new Blob(['x'.repeat(123)]), '[Blob 123 bytes]'],
    [new Uint8Array(7), '[Uint8Array 7 bytes]'],
    [new ArrayBuffer(9), '[ArrayBuffer 9 bytes]'],
  ]) {
    const { last } = await historyAfter([404], { init: { method: 'POST', body }, options: { snapshotBody: true } });
    assert.equal(last.request.body, expected);
  }
  const { last } = await historyAfter([404], { init: { method: 'POST', body: textStream('x'), duplex: 'half' }, options: { snapshotBody: true } });
  assert.equal(last.request.body, '[ReadableStream]');
  const without = await historyAfter([404], { options: { snapshotBody: true } });
  assert.ok(!('body' in without.last.request));
});

test('a snapshot of a body is cut to 16 KiB', async () => {
  const { last } = await historyAfter([404], { init: { method: 'POST', body: 'é'.repeat(100_000) }, options: { snapshotBody: true } });
  assert.ok(last.request.body.length <= 16 * 1024 && last.request.body.length > 16_000);
});

test('an opaque redirect that was asked for is recorded without a status', async () => {
  const { last, mark } = await historyAfter([unusual({ type: 'opaqueredirect', status: 0, ok: false })], { init: { redirect: 'manual' } });
  assert.deepEqual([last.error.kind, 'status' in last.error, mark], ['redirected', false, 'not_retryable']);
});

test('everything in a history is frozen and survives JSON', async () => {
  const history = await historyAfter([
    () => failed(503, { 'retry-after': '0' }), new TypeError('fetch failed'), 500,
  ], { init: { ...POST, headers: { a: 'b' } } });
  for (const object of objectsIn(history)) assert.ok(Object.isFrozen(object), JSON.stringify(object));
  assert.deepEqual(JSON.parse(JSON.stringify(history)), history);
  assert.equal(history.attempts[0].retryAfterMs, 0);
});

test('a cancel in the wait keeps the failure before it, with the time really waited', async () => {
  const controller = new AbortController();
  const clock = fakeClock();
  clock.sleep = () => {
    clock.advance(120);
    controller.abort(new Error('enough'));
    return new Promise(() => {});
  };
  const history = await historyAfter([503], { clock, init: { signal: controller.signal } });
  assert.equal(history.mark, 'cancelled');
  assert.ok(!('last' in history));
  assert.deepEqual(history.attempts.map(({ delayMs, error }) => [delayMs, error.status]), [[120, 503]]);
  assert.deepEqual([history.retry.totalAttempts, history.retry.failedAttempts], [1, 1]);
});

test('a cancel in flight is the last failure, after those retried past', async () => {
  const controller = new AbortController();
  const abort = () => {
    controller.abort(new Error('enough'));
    return new Promise(() => {});
  };
  const { attempts, last, mark, retry: ledger } = await historyAfter([503, abort], { init: { signal: controller.signal } });
  assert.deepEqual(attempts.map(({ error }) => error.status), [503]);
  assert.deepEqual([last.error.kind, last.error.type, last.error.retryable, last.error.rule], ['cancelled', 'aborted', false, 'cancelled']);
  assert.deepEqual([mark, ledger.totalAttempts, ledger.failedAttempts], ['cancelled', 2, 2]);
});

test('an operation\'s records have no request, since it is not ours to see', async () => {
  const clock = fakeClock();
  const error = await retry(() => { throw Object.assign(new Error('reset'), { code: 'ECONNRESET' }); }, { clock }).catch((thrown) => thrown);
  assert.equal(error.attempts.length, 2);
  assert.ok(error.attempts.every((record) => !('request' in record)));
});
