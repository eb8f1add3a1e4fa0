// A wait that is too long for the call ends it with a token, and another call goes on from there.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createFetch, historyOf, retry, RetryError, RetryPolicy, retryStream } from 'dacapo';
import { fakeClock, NOON } from './lib/clock.js';
import { failed, json, stubFetch, URL_ } from './lib/stub.js';

const HOUR_MS = 3_600_000;
const options = (clock, more) => ({ retryAfterBeyond: 'defer', initialDelayMs: 100, jitter: 'none', clock, ...more });
const busy = () => failed(429, { 'retry-after': '3600' });
const chat = { method: 'POST', body: '{"ask":1}', headers: { authorization: 'Bearer sk-canary-of-the-call', 'x-mine': 'kept' } };

/** The token of a call that was answered 503 and then told to come back in an hour, after a queue has had it. */
async function deferred(more) {
  const clock = fakeClock();
  const fetch = createFetch(options(clock, { fetch: stubFetch(503, busy()), ...more }));
  const response = await fetch(URL_, chat);
  return JSON.parse(JSON.stringify(historyOf(response).resume));
}

describe('a call that is deferred', () => {
  test('ends at once with the last Response, and its history has the mark and a token', async () => {
    const clock = fakeClock();
    const response = await createFetch(options(clock, { fetch: stubFetch(503, busy()) }))(URL_, chat);
    const history = historyOf(response);
    assert.deepEqual([response.status, await response.text(), clock.waits], [429, 'status 429', [100]]);
    assert.deepEqual([history.mark, history.last.retryAfterMs, history.last.delayMs], ['deferred', HOUR_MS, 0]);
    assert.equal(history.resume.version, 1);
    assert.deepEqual(history.resume.retry, history.retry);
    assert.deepEqual(history.resume.attempts, [...history.attempts, history.last]);
  });

  test('names the time at which the server wants to be asked again, counted from its answer', async () => {
    const clock = fakeClock();
    const slow = async () => {
      clock.advance(250);
      return busy();
    };
    const response = await createFetch(options(clock, { fetch: stubFetch(slow) }))(URL_);
    assert.equal(historyOf(response).resume.notBefore, NOON + 250 + HOUR_MS);
  });

  test('names a time that a Date can hold, however long the server asks for', async () => {
    const response = await createFetch(options(fakeClock(), { fetch: stubFetch(failed(429, { 'retry-after': '9'.repeat(40) })) }))(URL_);
    assert.ok(new Date(historyOf(response).resume.notBefore).getTime() > NOON);
  });

  test('of an operation rejects with a RetryError that has the token, in its JSON as well', async () => {
    const error = await retry(() => { throw new RetryError({ kind: 'rate_limited', retryAfterMs: HOUR_MS }); }, options(fakeClock())).catch((thrown) => thrown);
    assert.deepEqual([error.kind, error.mark, error.resume.notBefore], ['rate_limited', 'deferred', NOON + HOUR_MS]);
    assert.deepEqual(JSON.parse(JSON.stringify(error)).resume, JSON.parse(JSON.stringify(error.resume)));
    assert.deepEqual(historyOf(error).resume, error.resume);
  });

  test('leaves no token when it ends for another reason', async () => {
    const histories = [];
    for (const [answers, more] of [
      [[busy()], { retryAfterBeyond: 'stop' }], [[503, 503, busy()], {}], [[400], {}], [[busy()], { maxAttempts: 1 }],
    ]) histories.push(historyOf(await createFetch(options(fakeClock(), { fetch: stubFetch(...answers), ...more }))(URL_)));
    assert.deepEqual(histories.map(({ mark }) => mark), ['retry_after_beyond', 'attempts_exhausted', 'not_retryable', 'attempts_exhausted']);
    assert.ok(histories.every((history) => !('resume' in history)));
  });

  test('has a token that is plain JSON, whatever a validator found', async () => {
    const issues = [{ path: 'a' }];
    const cyclic = { size: 7n };
    cyclic.self = cyclic;
    for (const [found, kept] of [[issues, issues], [[cyclic], undefined]]) {
      let sends = 0;
      const error = await retry(() => {
        sends += 1;
        throw sends === 1 ? new RetryError({ kind: 'schema_mismatch', retryable: true, issues: found }) : new RetryError({ kind: 'overloaded', retryAfterMs: HOUR_MS });
      }, options(fakeClock())).catch((thrown) => thrown);
      assert.equal(error.attempts[0].error.issues, found);
      assert.deepEqual(error.resume.attempts[0].error.issues, kept);
      assert.deepEqual(JSON.parse(JSON.stringify(error.resume)), error.resume);
    }
  });

  test('keeps credentials and bodies out of the token', async () => {
    const token = await deferred({ snapshotBody: true });
    const text = JSON.stringify(token);
    assert.doesNotMatch(text, /canary|authorization/i);
    assert.doesNotMatch(text, /"ask|\\"ask/);
    assert.deepEqual(token.attempts.map(({ request }) => [request.method, request.url, request.headers['x-mine']]), Array(2).fill(['POST', URL_, 'kept']));
  });
});

describe('a call that is resumed', () => {
  test('is sent at once and succeeds with the earlier attempts in its history', async () => {
    const resume = await deferred();
    const clock = fakeClock();
    const stub = stubFetch(json({ usage: { prompt_tokens: 5, completion_tokens: 2, total_tokens: 7 } }));
    const response = await createFetch(options(clock, { fetch: stub }))(URL_, chat, { resume });
    const { attempts, retry: ledger, usage, ...rest } = historyOf(response);
    assert.deepEqual([stub.calls.length, clock.waits, rest], [1, [], {}]);
    assert.deepEqual(attempts, resume.attempts);
    assert.deepEqual([ledger.totalAttempts, ledger.failedAttempts, usage.total], [3, 2, 7]);
    assert.ok(Object.isFrozen(attempts[0].error));
  });

  test('counts attempts over all, and its own follow the earlier ones', async () => {
    const resume = await deferred();
    const clock = fakeClock();
    const seen = [];
    const fetch = createFetch(options(clock, { maxAttempts: 4, fetch: stubFetch(503), retryCountHeader: 'x-retries', onRetry: ({ attempt, index }) => seen.push([attempt, index]) }));
    const response = await fetch(URL_, chat, { resume });
    const history = historyOf(response);
    assert.deepEqual([response.status, history.mark, seen], [503, 'attempts_exhausted', [[3, 2]]]);
    assert.deepEqual(history.attempts.map(({ attempt }) => attempt), [1, 2, 3]);
    assert.deepEqual([history.last.attempt, history.retry.totalAttempts, history.retry.failedAttempts], [4, 4, 4]);
    assert.deepEqual(history.last.request.headers['x-retries'], '3');
  });

  test('goes on with the backoff where it stood', async () => {
    const clock = fakeClock();
    await createFetch(options(clock, { maxAttempts: 4, fetch: stubFetch(503) }))(URL_, chat, { resume: await deferred() });
    assert.deepEqual(clock.waits, [400]);
  });

  test('may be deferred again, with one token for the whole', async () => {
    const stub = stubFetch(failed(429, { 'retry-after': '7200' }));
    const response = await createFetch(options(fakeClock(), { maxAttempts: 5, fetch: stub }))(URL_, chat, { resume: await deferred() });
    const { resume } = historyOf(response);
    assert.deepEqual(resume.attempts.map(({ attempt, error }) => [attempt, error.status]), [[1, 503], [2, 429], [3, 429]]);
    assert.deepEqual([resume.retry.totalAttempts, resume.notBefore], [3, NOON + 2 * HOUR_MS]);
  });

  test('sums what the attempts wasted', async () => {
    const cost = { usage: { prompt_tokens: 3, completion_tokens: 4 } };
    const wasteful = () => { throw Object.assign(new RetryError({ kind: 'overloaded', retryAfterMs: HOUR_MS }), cost); };
    const usage = (thrown) => thrown?.usage;
    const first = await retry(wasteful, options(fakeClock(), { usage })).catch((error) => error);
    const second = await retry(wasteful, options(fakeClock(), { usage, resume: first.resume })).catch((error) => error);
    assert.deepEqual([first.retry.wastedTotalTokens, second.retry.wastedTotalTokens, second.retry.totalAttempts], [7, 14, 2]);
  });

  test('of an operation knows which attempt it is, and its result has the history', async () => {
    const first = await retry(() => { throw new RetryError({ kind: 'overloaded', retryAfterMs: HOUR_MS }); }, options(fakeClock())).catch((error) => error);
    const result = await retry(({ attempt }) => ({ attempt }), options(fakeClock(), { resume: first.resume }));
    assert.equal(result.attempt, 2);
    const { attempts, retry: ledger } = historyOf(result);
    assert.deepEqual([attempts.length, attempts[0].error.kind, ledger.totalAttempts, ledger.failedAttempts], [1, 'overloaded', 2, 1]);
  });

  test('of a stream goes on before the first output, with its history', async () => {
    const first = retryStream(() => { throw new RetryError({ kind: 'overloaded', retryAfterMs: HOUR_MS }); }, options(fakeClock()));
    const error = await first.next().catch((thrown) => thrown);
    const seen = [];
    const stream = retryStream(async function* ({ attempt }) {
      seen.push(attempt);
      yield 'once';
    }, options(fakeClock(), { resume: error.resume }));
    const chunks = [];
    for await (const chunk of stream) chunks.push(chunk);
    assert.deepEqual([chunks, seen, historyOf(stream).attempts.length, historyOf(stream).retry.totalAttempts], [['once'], [2], 1, 2]);
  });

  test('sends the random Idempotency-Key of the call that was deferred', async () => {
    const stubs = [stubFetch(503, busy()), stubFetch(503, json({}))];
    const resume = historyOf(await createFetch(options(fakeClock(), { idempotencyKey: true, fetch: stubs[0] }))(URL_, chat)).resume;
    await createFetch(options(fakeClock(), { maxAttempts: 4, idempotencyKey: true, fetch: stubs[1] }))(URL_, chat, { resume: JSON.parse(JSON.stringify(resume)) });
    const keys = stubs.flatMap(({ calls }) => calls.map(({ init }) => new Headers(init.headers).get('idempotency-key')));
    assert.equal(keys.length, 4);
    assert.match(keys[0], /^[\da-f-]{36}$/);
    assert.equal(new Set(keys).size, 1);
  });

  test('that is cancelled before it sends keeps the history', async () => {
    const reason = new Error('gone');
    const rejected = await createFetch(options(fakeClock()))(URL_, { signal: AbortSignal.abort(reason) }, { resume: await deferred() }).catch((error) => error);
    assert.equal(rejected, reason);
    const { attempts, retry: ledger, mark } = historyOf(reason);
    assert.deepEqual([attempts.length, ledger.totalAttempts, mark], [2, 2, 'cancelled']);
  });

  test('takes no token as a call from its beginning', async () => {
    for (const resume of [undefined, null]) {
      const response = await createFetch(options(fakeClock(), { fetch: stubFetch(200) }))(URL_, undefined, { resume });
      assert.equal(historyOf(response), undefined);
      assert.equal(await retry(({ attempt }) => attempt, { resume }), 1);
    }
  });
});

describe('a token', () => {
  const faultsOf = async (resume, more) => {
    const stub = stubFetch(200);
    const error = await createFetch(options(fakeClock(), { fetch: stub, ...more }))(URL_, chat, { resume }).then(assert.fail, (thrown) => thrown);
    assert.deepEqual([error.kind, stub.calls.length], ['invalid_config', 0]);
    return error.faults.map(({ option }) => option);
  };

  test('that is none is refused with a fault that says what one is', async () => {
    const cyclic = { version: 1 };
    cyclic.self = cyclic;
    for (const none of ['text', 7, true, [], {}, () => 1, { version: 2 }, { version: '1' }, cyclic, new Error('x')]) {
      assert.deepEqual(await faultsOf(none), ['resume'], String(none));
    }
    await assert.rejects(retry(() => 1, { resume: 'text' }), { kind: 'invalid_config', message: /resume is "text", must be the resume token of a history/ });
    assert.throws(() => retryStream(() => [], { resume: {} }), { kind: 'invalid_config' });
  });

  test('that was changed is refused with every member that is wrong', async () => {
    const token = await deferred();
    const ledger = (changes) => ({ ...token, retry: { ...token.retry, ...changes } });
    for (const [changed, ...wrong] of [
      [{ version: 1 }, 'resume.notBefore', 'resume.retry', 'resume.attempts'],
      [{ ...token, notBefore: -1 }, 'resume.notBefore'], [{ ...token, notBefore: 1e300 }, 'resume.notBefore'], [{ ...token, notBefore: '7' }, 'resume.notBefore'],
      [ledger({ totalAttempts: 0 }), 'resume.retry'], [ledger({ totalAttempts: 2 ** 32 }), 'resume.retry'], [ledger({ failedAttempts: 3 }), 'resume.retry'],
      [ledger({ wastedTotalTokens: 1.5 }), 'resume.retry'], [ledger({ wastedPromptTokens: -1 }), 'resume.retry'], [ledger({ wasteIsLowerBound: 1 }), 'resume.retry'],
      [{ ...token, attempts: {} }, 'resume.attempts'], [{ ...token, attempts: [null] }, 'resume.attempts'],
      [{ ...token, attempts: [{ ...token.attempts[0], error: {} }] }, 'resume.attempts'],
    ]) assert.deepEqual(await faultsOf(changed), wrong, JSON.stringify(changed));
  });

  test('of a call that has no attempt left under the policy is refused', async () => {
    assert.deepEqual(await faultsOf(await deferred(), { maxAttempts: 2 }), ['maxAttempts']);
  });

  test('is an option of a call and not of a policy', async () => {
    const resume = await deferred();
    for (const make of [() => new RetryPolicy({ resume }), () => createFetch({ resume })]) {
      assert.throws(make, ({ faults: [fault] }) => fault.option === 'resume' && /given to the call/.test(fault.allowed));
    }
  });

  test('that is changed afterwards changes no history', async () => {
    const resume = await deferred();
    const response = await createFetch(options(fakeClock(), { fetch: stubFetch(200) }))(URL_, chat, { resume });
    resume.attempts[0].error.message = 'changed';
    assert.notEqual(historyOf(response).attempts[0].error.message, 'changed');
  });
});
