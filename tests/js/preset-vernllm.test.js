// VernLLM's page on retries, rule by rule.

import assert from 'node:assert/strict';
import test from 'node:test';
import { backoffDelay, createFetch, historyOf, retry, RetryError, RetryPolicy } from 'dacapo';
import { fakeClock, stoppedClock } from './lib/clock.js';
import { play as playUnder, REFUSED, retriedStatuses, TIMED_OUT } from './lib/preset.js';
import { failed, json, stubFetch, URL_ } from './lib/stub.js';

const POLICY = { preset: 'vernllm' };
const play = (answers, options, init) => playUnder('vernllm', answers, options, init);

test('maxRetries counts the retries after the first attempt: 3 of them are 4 attempts', async () => {
  assert.equal((await play([500], { maxRetries: 3 })).sends, 4);
});

test('one retry is made without any option', async () => {
  assert.equal((await play([500])).sends, 2);
});

test('each wait doubles, starting with twice the base delay, between half and all of it', () => {
  const bounds = (n) => [backoffDelay(POLICY, n, 0), backoffDelay(POLICY, n, 0.999999)];
  assert.deepEqual([1, 2, 3, 4].map(bounds), [[500, 1000], [1000, 2000], [2000, 4000], [4000, 8000]]);
});

test('the wait is half of the exponential and a random share of the other half', () => {
  for (const unit of [0, 0.25, 0.5, 0.75]) assert.equal(backoffDelay(POLICY, 2, unit), 1000 + unit * 1000);
});

test('no wait is longer than 10 seconds, however many retries there are', () => {
  for (const n of [5, 10, 1000, 2 ** 32 - 1]) assert.equal(backoffDelay(POLICY, n, 0.999999), 10_000);
});

test('the base delay can be set', async () => {
  assert.deepEqual((await play([500], { initialDelayMs: 100, maxRetries: 2 })).waits, [100, 200]);
});

test('Retry-After takes the place of the computed wait, shorter or longer', async () => {
  for (const [value, wait] of [['7', 7000], ['0.2', 200], ['1', 1000]]) {
    assert.deepEqual((await play([() => failed(429, { 'retry-after': value })])).waits, [wait]);
  }
});

test('a Retry-After of 0 retries at once', async () => {
  const { waits, sends } = await play([() => failed(429, { 'retry-after': '0' })]);
  assert.equal(sends, 2);
  assert.deepEqual(waits, []);
});

test('an error that carries retryAfterMs or the header is waited for as it says', async () => {
  for (const members of [
    { retryAfterMs: 1234 }, { headers: { 'retry-after': '1.234' } },
    { response: { headers: new Headers({ 'retry-after': '1.234' }), status: 429 } },
  ]) {
    const clock = fakeClock();
    const operation = () => {
      throw Object.assign(new Error('rate limited'), { status: 429 }, members);
    };
    await retry(operation, { ...POLICY, clock, random: () => 0 }).catch(() => undefined);
    assert.deepEqual(clock.waits, [1234], JSON.stringify(members));
  }
});

test('nothing is retried once the signal has aborted', async () => {
  const controller = new AbortController();
  const abort = () => {
    controller.abort();
    return 500;
  };
  const { result, sends } = await play([abort], {}, { signal: controller.signal });
  assert.deepEqual([result, sends], [controller.signal.reason, 1]);
});

test('errors of the types parse and validation are not retried', async () => {
  const errors = [
    Object.assign(new Error('not JSON'), { type: 'parse' }),
    Object.assign(new Error('wrong shape'), { type: 'validation' }),
    Object.assign(new Error('not JSON'), { type: 'parse', status: 200 }),
    Object.assign(new Error('wrong shape'), { type: 'validation', status: 200 }),
    new RetryError({ kind: 'response_truncated' }),
    new RetryError({ kind: 'schema_mismatch', issues: ['a is missing'] }),
  ];
  for (const thrown of errors) {
    let sends = 0;
    const operation = () => {
      sends += 1;
      throw thrown;
    };
    await retry(operation, { ...POLICY, clock: fakeClock() }).catch(() => undefined);
    assert.equal(sends, 1, thrown.message);
  }
});

test('400, 401, 403, 404 and 422 are not retried and every other failed status is', async () => {
  const retried = await retriedStatuses('vernllm');
  const expected = Array.from({ length: 200 }, (_, i) => 400 + i).filter((status) => ![400, 401, 403, 404, 422].includes(status));
  assert.deepEqual(retried, expected);
});

test('a list of statuses that is given replaces the default one', async () => {
  const retried = await retriedStatuses('vernllm', { nonRetryableStatus: [418, 500] });
  assert.deepEqual([400, 404, 418, 500, 503].map((status) => retried.includes(status)), [true, true, false, false, true]);
});

test('timeouts, network failures and unknown errors are retried', async () => {
  for (const error of [TIMED_OUT, REFUSED]) assert.equal((await play([error, 200])).sends, 2);
  for (const thrown of [new Error('who knows'), 'a string', undefined, null, 42]) {
    let sends = 0;
    const operation = () => {
      sends += 1;
      throw thrown;
    };
    await retry(operation, { ...POLICY, clock: fakeClock() }).catch(() => undefined);
    assert.equal(sends, 2, String(thrown));
  }
});

test('a quota in the body changes nothing: only the status decides', async () => {
  assert.equal((await play([() => json({ error: { code: 'insufficient_quota' } }, { status: 429 })])).sends, 2);
  assert.equal((await play([() => failed(500, { 'x-should-retry': 'false' })])).sends, 2);
});

test('a signal that fires in the wait ends it at once', async () => {
  const controller = new AbortController();
  const clock = stoppedClock();
  const stub = stubFetch(503);
  const call = createFetch({ ...POLICY, clock, fetch: stub })(URL_, { signal: controller.signal });
  await clock.asleep;
  const reason = new Error('deliberate');
  controller.abort(reason);
  await assert.rejects(call, (error) => error === reason);
  assert.equal(stub.calls.length, 1);
});

test('each past attempt has its index and a snapshot of its error', async () => {
  const body = { error: { message: 'busy', code: 'overloaded' } };
  const { result } = await play([() => json(body, { status: 503, headers: { 'retry-after': '1' } })], { maxRetries: 2 });
  const { attempts } = historyOf(result);
  assert.deepEqual(attempts.map(({ index }) => index), [0, 1]);
  const { message, type, code, status, retryAfterMs, retryable } = attempts[0].error;
  assert.deepEqual([message, type, code, status, retryAfterMs, retryable], ['busy', 'api', 'overloaded', 503, 1000, true]);
});

test('a snapshot is no live error, and has no cause', async () => {
  const error = await retry(() => { throw new Error('outer', { cause: new Error('inner') }); }, { ...POLICY, clock: fakeClock() }).catch((thrown) => thrown);
  const [{ error: snapshot }] = error.attempts;
  assert.ok(!(snapshot instanceof Error));
  assert.ok(!('cause' in snapshot));
  assert.equal(error.cause.cause.message, 'inner');
});

test('a snapshot has the issues of a validation', async () => {
  const issues = [{ path: ['a'], message: 'missing' }];
  const error = await retry(() => { throw new RetryError({ kind: 'schema_mismatch', issues, retryable: true }); }, { ...POLICY, clock: fakeClock() }).catch((thrown) => thrown);
  assert.deepEqual(error.attempts[0].error.issues, issues);
  assert.equal(error.attempts[0].error.type, 'validation');
  assert.deepEqual(error.issues, issues);
});

test('an attempt that was itself the end of a retried call has that call\'s attempts in it', async () => {
  const inner = () => retry(() => { throw new TypeError('fetch failed'); }, { ...POLICY, clock: fakeClock() });
  const outer = await retry(inner, { ...POLICY, clock: fakeClock(), shouldRetry: () => true }).catch((thrown) => thrown);
  assert.equal(outer.attempts.length, 1);
  assert.equal(outer.attempts[0].error.attempts.length, 1);
  assert.equal(outer.attempts[0].error.attempts[0].error.type, 'network');
});

test('each attempt has the request that was sent, without its auth headers', async () => {
  const init = { method: 'POST', body: '{"model":"m"}', headers: { authorization: 'Bearer sk-secret-0123456789', 'x-trace': 'abc' } };
  const { result } = await play([503], {}, init);
  const { request } = historyOf(result).attempts[0];
  assert.deepEqual([request.method, request.url, request.body], ['POST', URL_, '{"model":"m"}']);
  assert.deepEqual(request.headers, { 'x-trace': 'abc' });
});

test('attempts is absent when the only try failed', async () => {
  const { result } = await play([404]);
  assert.ok(!('attempts' in historyOf(result)));
  const error = await retry(() => { throw Object.assign(new Error('x'), { status: 404 }); }, { ...POLICY, clock: fakeClock() }).catch((thrown) => thrown);
  assert.ok(!('attempts' in error));
});

test('an error has the page\'s name for what it is', async () => {
  for (const [answer, type] of [[TIMED_OUT, 'timeout'], [500, 'api'], [REFUSED, 'network'], [429, 'rate_limited'], [402, 'quota_exceeded']]) {
    const { result } = await play([answer]);
    assert.equal(historyOf(result).last.error.type, type);
  }
});

test('each attempt has 25 seconds, its body included, and hooks that fail are ignored', async () => {
  const { timeoutMs, timeoutCovers, hookErrors } = new RetryPolicy(POLICY).options;
  assert.deepEqual([timeoutMs, timeoutCovers, hookErrors], [25_000, 'response', 'swallow']);
  assert.equal((await play([500, 200], { onRetry: () => { throw new Error('ignored'); } })).sends, 2);
});
