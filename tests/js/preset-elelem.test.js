// elelem's page on retries and errors, rule by rule.

import assert from 'node:assert/strict';
import test from 'node:test';
import { backoffDelay, createFetch, historyOf, matchesKind, parseRetryAfter, providerKind, retry, RetryError, RetryPolicy, sanitizeBaseUrl } from 'dacapo';
import { fakeClock, stoppedClock } from './lib/clock.js';
import { CUT_OFF, play as playUnder, REFUSED, retriedStatuses, TIMED_OUT } from './lib/preset.js';
import { failed, json, stubFetch, URL_ } from './lib/stub.js';

const POLICY = { preset: 'elelem' };
const play = (answers, options, init) => playUnder('elelem', answers, options, init);
const coded = (status, error) => () => json({ error }, { status });

test('an option that is left out takes its default: 3 attempts, 500 ms, 8 s', async () => {
  const { maxAttempts, initialDelayMs, maxDelayMs, factor } = new RetryPolicy(POLICY).options;
  assert.deepEqual([maxAttempts, initialDelayMs, maxDelayMs, factor], [3, 500, 8000, 2]);
  const { sends, waits } = await play([500]);
  assert.deepEqual([sends, waits], [3, [250, 500]]);
});

test('jitter takes up to half of a wait, and none of one whose doubling has reached the maximum', () => {
  const bounds = (n) => [backoffDelay(POLICY, n, 0), backoffDelay(POLICY, n, 0.999999)];
  assert.deepEqual([1, 2, 3, 4, 5, 6, 99].map(bounds), [[250, 500], [500, 1000], [1000, 2000], [2000, 4000], [8000, 8000], [8000, 8000], [8000, 8000]]);
  const atOnce = { ...POLICY, initialDelayMs: 8000 };
  assert.deepEqual([backoffDelay(atOnce, 1, 0), backoffDelay(atOnce, 2, 0)], [4000, 8000]);
});

test('a cancellation is never retried', async () => {
  const controller = new AbortController();
  const abort = () => {
    controller.abort(new Error('cancelled'));
    throw new TypeError('fetch failed');
  };
  const { result, sends } = await play([abort], {}, { signal: controller.signal });
  assert.equal(result, controller.signal.reason);
  assert.equal(sends, 1);
});

test('a 4xx about the configuration or the prompt is not sent again', async () => {
  for (const status of [400, 401, 403, 404, 413, 422]) assert.equal((await play([status])).sends, 1, `${status}`);
});

test('a timeout of the network is retried, and its reason is timeout', async () => {
  const { result, sends } = await play([TIMED_OUT, 200]);
  assert.equal(sends, 2);
  assert.equal(historyOf(result).attempts[0].reason, 'timeout');
});

test('any other network error and an answer that ends too early are retried, and their reason is transport', async () => {
  for (const error of [REFUSED, CUT_OFF]) {
    const { result, sends } = await play([error, 200]);
    assert.equal(sends, 2);
    assert.equal(historyOf(result).attempts[0].reason, 'transport');
  }
});

test('every transport failure is retried, those that only look like one included', async () => {
  const certificate = new TypeError('fetch failed', { cause: Object.assign(new Error('expired'), { code: 'CERT_HAS_EXPIRED' }) });
  assert.equal((await play([certificate, 200])).sends, 2);
});

test('the provider\'s own code is asked before the status: a permanent one stops behind a status that is retried', async () => {
  for (const status of [429, 500, 503]) {
    for (const [code, kind] of [['context_length_exceeded', 'context_exceeded'], ['insufficient_quota', 'quota_exhausted']]) {
      const { result, sends } = await play([coded(status, { code })]);
      assert.deepEqual([sends, result.status, historyOf(result).last.error.kind], [1, status, kind]);
    }
  }
});

test('a code that nobody knows leaves the decision to the status', async () => {
  assert.equal((await play([coded(500, { code: 'invented_tomorrow' })])).sends, 3);
  assert.equal((await play([coded(400, { code: 'invented_tomorrow' })])).sends, 1);
});

test('a failure reported inside a 200 is judged by its code, since the status describes the transport', async () => {
  assert.equal((await play([() => json({ error: { type: 'overloaded_error' } }), 200])).sends, 2);
  assert.equal((await play([() => json({ error: { code: 'context_length_exceeded' } })])).sends, 1);
});

test('429 and every 5xx are retried, and no other status', async () => {
  assert.deepEqual(await retriedStatuses('elelem'), [429, ...Array.from({ length: 100 }, (_, i) => 500 + i)]);
});

test('Retry-After is honoured up to the maximum delay and never verbatim: a day against 50 ms waits 50 ms', async () => {
  const { waits } = await play([() => failed(503, { 'retry-after': '86400' })], { initialDelayMs: 10, maxDelayMs: 50 });
  assert.deepEqual(waits, [50, 50]);
});

test('Retry-After takes the place of the computed wait, a shorter one too', async () => {
  const { waits } = await play([() => failed(429, { 'retry-after': '2' }), () => failed(429, { 'retry-after': '0.1' })], { random: () => 0.999 });
  assert.deepEqual(waits, [2000, 100]);
});

test('only Retry-After itself is guidance, and one of 0 leaves the backoff', async () => {
  const { waits } = await play([() => failed(429, { 'retry-after-ms': '3000' }), () => failed(429, { 'retry-after': '0' })]);
  assert.deepEqual(waits, [250, 500]);
});

test('Retry-After can be ignored', async () => {
  assert.deepEqual((await play([() => failed(429, { 'retry-after': '2' })], { respectRetryAfter: false })).waits, [250, 500]);
});

test('both forms of Retry-After are read, and never as a negative or unbounded wait', () => {
  const context = { nowMs: Date.UTC(2026, 0, 15, 12) };
  assert.equal(parseRetryAfter('120', context), 120_000);
  assert.equal(parseRetryAfter('Thu, 15 Jan 2026 12:00:30 GMT', context), 30_000);
  assert.equal(parseRetryAfter('Thu, 15 Jan 2026 11:00:00 GMT', context), 0);
  assert.equal(parseRetryAfter('9'.repeat(400), context), Number.MAX_SAFE_INTEGER);
  assert.equal(parseRetryAfter('-5', context), null);
});

test('a cancellation interrupts the backoff', async () => {
  const controller = new AbortController();
  const clock = stoppedClock();
  const call = createFetch({ ...POLICY, clock, fetch: stubFetch(503) })(URL_, { signal: controller.signal });
  await clock.asleep;
  controller.abort('no longer wanted');
  await assert.rejects(call, (reason) => reason === 'no longer wanted');
});

test('onRetry sees each attempt that is about to be replayed', async () => {
  const seen = [];
  await play([500], { onRetry: ({ attempt, reason }) => seen.push([attempt, reason]) });
  assert.deepEqual(seen, [[1, 'server_error'], [2, 'server_error']]);
});

test('an error out of onRetry ends the run that the retry would have saved', async () => {
  const refusal = new Error('do not go on');
  const { result, sends } = await play([500, 200], { onRetry: () => Promise.reject(refusal) });
  assert.deepEqual([result, sends], [refusal, 1]);
});

test('the ledger has all attempts, the failed ones and the tokens wasted', async () => {
  const { result } = await play([429, 500, 200]);
  const { attempts, retry: ledger } = historyOf(result);
  assert.deepEqual([ledger.totalAttempts, ledger.failedAttempts], [3, 2]);
  assert.deepEqual(attempts.map(({ reason }) => reason), ['rate_limited', 'server_error']);
  for (const name of ['wastedPromptTokens', 'wastedCompletionTokens', 'wastedTotalTokens']) assert.equal(ledger[name], 0);
});

test('each sentinel of the caller is a kind that is recognised through any wrapping and is never retried', async () => {
  const sentinels = [
    'invalid_transcript', 'invalid_request', 'max_rounds_exceeded', 'tool_calls_already_executed', 'response_truncated', 'schema_mismatch',
    'context_exceeded', 'quota_exhausted', 'max_output_exceeds_context',
  ];
  for (const kind of sentinels) {
    let sends = 0;
    const error = await retry(() => {
      sends += 1;
      throw new Error('wrapped', { cause: new AggregateError([new RetryError({ kind })]) });
    }, { ...POLICY, clock: fakeClock() }).catch((thrown) => thrown);
    assert.equal(sends, 1, kind);
    assert.ok(matchesKind(new Error('again', { cause: error }), kind), kind);
  }
});

test('a spent quota comes as a 429 and is never also a rate limit', async () => {
  const { result, sends } = await play([coded(429, { type: 'insufficient_quota', code: 'insufficient_quota' })]);
  assert.equal(sends, 1);
  assert.equal(historyOf(result).last.error.kind, 'quota_exhausted');
  assert.equal(historyOf(result).last.reason, 'quota_exhausted');
});

test('invalid options are told apart: attempts, delays, and their order', () => {
  for (const [options, code] of [
    [{ maxAttempts: 0 }, 'retry_max_attempts'],
    [{ initialDelayMs: -1 }, 'retry_delays'],
    [{ maxDelayMs: -1 }, 'retry_delays'],
    [{ initialDelayMs: 9000 }, 'retry_delay_order'],
  ]) {
    assert.throws(() => new RetryPolicy({ ...POLICY, ...options }), ({ kind, faults }) => kind === 'invalid_config' && faults.some((fault) => fault.code === code));
  }
});

test('when every attempt fails the provider\'s answer comes back, and no error about the loop', async () => {
  const { result } = await play([500, 502, () => failed(503, {}, 'the provider says no')]);
  assert.equal(await result.text(), 'the provider says no');
  const error = await retry(() => { throw new TypeError('fetch failed'); }, { ...POLICY, clock: fakeClock() }).catch((thrown) => thrown);
  assert.equal(error.kind, 'transport');
});

test('a provider\'s failure has a kind that does not depend on the provider', () => {
  for (const [status, code, kind] of [
    [429, undefined, 'rate_limited'], [401, null, 'auth'], [403, undefined, 'permission'], [404, undefined, 'not_found'],
    [429, 'insufficient_quota', 'quota_exhausted'], [400, 'context_length_exceeded', 'context_exceeded'], [429, 'unheard_of', 'rate_limited'],
    [500, undefined, null], [400, undefined, null], [null, undefined, null],
  ]) {
    assert.equal(providerKind(status, code), kind, `${status} ${code}`);
  }
});

test('credentials in an endpoint are stripped before anybody sees them', () => {
  assert.deepEqual(sanitizeBaseUrl('https://user:pass@llm.example/v1?x=1'), { url: 'https://llm.example/v1?x=1', removed: true });
  assert.deepEqual(sanitizeBaseUrl('https://llm.example/v1'), { url: 'https://llm.example/v1', removed: false });
});
