// OneLLM's page on errors and retries, rule by rule.

import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import test from 'node:test';
import { backoffDelay, createFetch, historyOf, retry, RetryError, RetryPolicy } from 'dacapo';
import { fakeClock, stoppedClock } from './lib/clock.js';
import { CUT_OFF, play as playUnder, REFUSED, retriedStatuses, TIMED_OUT } from './lib/preset.js';
import { failed, json, stubFetch, URL_ } from './lib/stub.js';

const POLICY = { preset: 'onellm' };
const play = (answers, options, init) => playUnder('onellm', answers, options, init);
const coded = (status, error) => () => json({ error }, { status });

/** The kind of the failure that a call ended with, and how often it was sent. */
async function ended(answer, options) {
  const { result, sends } = await play([answer], options);
  return [historyOf(result).last.error.kind, sends];
}

test('401 and 403 say that the key is missing, wrong or not allowed', async () => {
  assert.deepEqual(await ended(401), ['auth', 1]);
  assert.deepEqual(await ended(403), ['permission', 1]);
});

test('429 is a rate limit, 503 and 529 are overload, and each carries its Retry-After', async () => {
  for (const [status, kind] of [[429, 'rate_limited'], [503, 'overloaded'], [529, 'overloaded']]) {
    const { result } = await play([() => failed(status, { 'retry-after': '2' })]);
    const { error } = historyOf(result).last;
    assert.deepEqual([error.kind, error.retryAfterMs, error.status], [kind, 2000, status]);
  }
});

test('a request larger than the context window is recognised behind a plain 400', async () => {
  assert.deepEqual(await ended(coded(400, { code: 'context_length_exceeded', message: 'too long' })), ['context_exceeded', 1]);
});

test('a request that the safety filter blocked is recognised', async () => {
  assert.deepEqual(await ended(coded(400, { code: 'content_filter', message: 'blocked' })), ['content_filtered', 1]);
});

test('a 400 whose message begins with the spending limit\'s words is that limit, and is never retried', async () => {
  const error = { type: 'invalid_request_error', message: 'You have reached your specified API usage limits. You will regain access on 2026-09-01.' };
  assert.deepEqual(await ended(coded(400, error)), ['spend_limit_reached', 1]);
  assert.deepEqual(await ended(coded(429, error)), ['spend_limit_reached', 1]);
});

test('400, 404, 409, 413 and 422 say that the request is wrong and are never retried', async () => {
  for (const status of [400, 404, 409, 413, 422]) assert.equal((await play([status])).sends, 1, `${status}`);
});

test('a connection that failed or timed out is retried', async () => {
  for (const [error, kind] of [[REFUSED, 'transport'], [CUT_OFF, 'transport'], [TIMED_OUT, 'timeout']]) {
    assert.deepEqual(await ended(error), [kind, 3]);
  }
});

test('an answer that is not what the API documents is malformed', async () => {
  const { result } = await play([() => json('<html>')], { expect: 'json' });
  assert.equal(historyOf(result).last.error.kind, 'malformed_response');
});

test('what a caller raises keeps its members: the budget\'s kind, the capability, the place in a file', async () => {
  for (const init of [
    { kind: 'budget_exceeded', budgetKind: 'tokens' },
    { kind: 'capability_missing', capability: 'vision' },
    { kind: 'bad_definition', file: 'agent.yaml', line: 3, column: 9 },
    { kind: 'refused', provider: 'acme' },
    { kind: 'model_not_found', status: 404 },
  ]) {
    let sends = 0;
    const error = await retry(() => {
      sends += 1;
      throw new RetryError({ message: 'raised', ...init });
    }, { ...POLICY, clock: fakeClock() }).catch((thrown) => thrown);
    assert.equal(sends, 1, init.kind);
    for (const [name, value] of Object.entries(init)) assert.equal(error[name], value, init.kind);
  }
});

test('a model that nobody has is recognised', async () => {
  assert.deepEqual(await ended(coded(404, { code: 'model_not_found', message: 'no such model' })), ['model_not_found', 1]);
});

test('every failure of a provider carries its name and the status', async () => {
  const { result } = await play([500], { provider: 'acme' });
  const { provider, status } = historyOf(result).last.error;
  assert.deepEqual([provider, status], ['acme', 500]);
});

test('a key that is held as a secret is removed from every message', async () => {
  const key = 'mk_plain_looking_value';
  const { result } = await play([coded(500, { message: `key ${key} is over its limit` })], { redact: { values: [key] } });
  const text = inspect(historyOf(result), { depth: Infinity });
  assert.ok(!text.includes(key), text);
  assert.match(historyOf(result).last.error.message, /is over its limit/);
});

test('without options there are 2 retries from 500 ms, up to 30 s and 25 % more, and 60 s of Retry-After', () => {
  const { maxAttempts, initialDelayMs, maxDelayMs, jitter, maxRetryAfterMs, retryAfterBeyond } = new RetryPolicy(POLICY).options;
  assert.deepEqual([maxAttempts, initialDelayMs, maxDelayMs, jitter, maxRetryAfterMs, retryAfterBeyond], [3, 500, 30_000, { additive: 0.25 }, 60_000, 'stop']);
});

test('408, 429, 500, 502, 503, 504 and 529 are retried, and no other status', async () => {
  assert.deepEqual(await retriedStatuses('onellm'), [408, 429, 500, 502, 503, 504, 529]);
});

test('a 429 that reports a spent quota and not a rate is never retried', async () => {
  assert.deepEqual(await ended(coded(429, { code: 'insufficient_quota' })), ['quota_exhausted', 1]);
});

test('a code in the body that sounds transient does not make a wrong request right', async () => {
  assert.equal((await play([coded(400, { type: 'rate_limit_error' })])).sends, 1);
});

test('the wait doubles up to 30 s, and up to a quarter comes on top, of the cap as well', () => {
  const bounds = (n) => [backoffDelay(POLICY, n, 0), backoffDelay(POLICY, n, 1 - Number.EPSILON)];
  assert.deepEqual([1, 2, 3, 6, 7, 8].map(bounds), [[500, 625], [1000, 1250], [2000, 2500], [16_000, 20_000], [30_000, 37_500], [30_000, 37_500]]);
});

test('Retry-After counts when it is longer, in seconds, as a date or in milliseconds', async () => {
  for (const [headers, wait] of [
    [{ 'retry-after': '3' }, 3000],
    [{ 'retry-after': 'Thu, 15 Jan 2026 12:00:04 GMT' }, 4000],
    [{ 'retry-after-ms': '2500' }, 2500],
    [{ 'retry-after': '0.1' }, 500],
    [{ 'retry-after-ms': '20' }, 500],
    [{ 'retry-after': '0' }, 500],
    [{ 'x-ms-retry-after-ms': '2500' }, 500],
  ]) {
    const { waits } = await play([() => failed(429, headers)], { maxAttempts: 2 });
    assert.deepEqual(waits, [wait], JSON.stringify(headers));
  }
});

test('a Retry-After beyond the accepted maximum is not waited out: the answer comes back at once', async () => {
  const limited = failed(429, { 'retry-after': '61' });
  const { result, sends, waits } = await play([limited]);
  assert.deepEqual([result, sends, waits], [limited, 1, []]);
  assert.deepEqual([historyOf(result).mark, historyOf(result).last.retryAfterMs], ['retry_after_beyond', 61_000]);
  assert.deepEqual((await play([() => failed(429, { 'retry-after': '60' })], { maxAttempts: 2 })).waits, [60_000]);
});

test('a timeout is for one attempt, up to the headers', async () => {
  const hangs = () => new Promise(() => {});
  const { result, sends } = await play([hangs, 200], { timeoutMs: 10 });
  assert.deepEqual([result.status, sends], [200, 2]);
  const slowBody = new ReadableStream({ start: (body) => setTimeout(() => body.close(), 60) });
  const { result: slow } = await play([() => new Response(slowBody)], { timeoutMs: 20 });
  assert.equal(await slow.text(), '');
});

test('waits use the clock that is given', async () => {
  const { waits } = await play([500], { maxAttempts: 20 });
  assert.equal(waits.length, 19);
  assert.equal(waits.at(-1), 30_000);
});

test('a cancellation ends a request or a wait at once', async () => {
  for (const [clock, fetch] of [[stoppedClock(), stubFetch(503)], [fakeClock(), () => new Promise(() => {})]]) {
    const controller = new AbortController();
    const call = createFetch({ ...POLICY, clock, fetch })(URL_, { signal: controller.signal });
    setTimeout(() => controller.abort('operation cancelled'), 5);
    await assert.rejects(call, (reason) => reason === 'operation cancelled');
  }
});

test('a redirect is an error, whatever the method: it could carry credentials to another host', async () => {
  for (const method of ['GET', 'POST']) {
    const { result, sends } = await play([() => failed(302, { location: 'https://other.example/' })], {}, { method });
    assert.deepEqual([result.kind, result.status, sends], ['redirected', 302, 1]);
  }
});
