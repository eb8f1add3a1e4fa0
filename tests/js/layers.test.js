// What one policy gave up on is not played again by another one around it, whatever it came back with.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createFetch, historyOf, retry, RetryError, retryStream, withFallback } from 'dacapo';
import { failed, stubFetch, URL_ } from './lib/stub.js';

const QUICK = { initialDelayMs: 0, jitter: 'none', maxAttempts: 3 };
const lost = () => { throw new TypeError('fetch failed'); };
const inner = (answer, options) => {
  const sends = stubFetch(answer);
  return { sends, fetch: createFetch({ ...QUICK, ...options, fetch: sends }) };
};
/** As an SDK does. */
const raising = async (fetch) => {
  const response = await fetch(URL_);
  if (!response.ok) throw Object.assign(new Error(`status ${response.status}`), { status: response.status, headers: response.headers });
  return response;
};

describe('a createFetch that gave up', () => {
  test('on a lost connection is not played again by retry, and its history is what is told', async () => {
    const { sends, fetch } = inner(lost);
    const error = await retry(() => fetch(URL_), QUICK).catch((thrown) => thrown);
    assert.deepEqual([sends.calls.length, error.kind, error.mark, error.retry.totalAttempts], [3, 'transport', 'not_retryable', 1]);
  });

  test('on a status is not played again by retry around an SDK', async () => {
    for (const status of [503, 429]) {
      const { sends, fetch } = inner(status);
      const error = await retry(() => raising(fetch), QUICK).catch((thrown) => thrown);
      assert.deepEqual([sends.calls.length, error.kind, error.status], [3, status === 503 ? 'overloaded' : 'rate_limited', status]);
    }
  });

  test('is not played again by a createFetch around it, which hands the same Response on', async () => {
    for (const answer of [503, lost]) {
      const { sends, fetch } = inner(answer);
      const outcome = await createFetch({ ...QUICK, fetch })(URL_).catch((error) => error);
      assert.equal(sends.calls.length, 3);
      assert.ok(answer === 503 ? outcome.status === 503 : outcome instanceof TypeError);
      assert.deepEqual([historyOf(outcome).mark, historyOf(outcome).retry.totalAttempts], ['not_retryable', 1]);
    }
  });

  test('at its deadline, or for a hint beyond its limit, is not played again either', async () => {
    const hinted = () => failed(429, { 'retry-after': '3600' });
    for (const [answer, options] of [[hinted, {}], [503, { deadlineMs: 1000, initialDelayMs: 5000 }]]) {
      const { sends, fetch } = inner(answer, options);
      await retry(() => raising(fetch), QUICK).catch(() => undefined);
      assert.equal(sends.calls.length, 1);
    }
  });

  test('is not played again inside a stream, and a fallback goes on to the next', async () => {
    const { sends, fetch } = inner(lost);
    const stream = retryStream(async () => (await fetch(URL_)).body, QUICK);
    await assert.rejects(stream.next(), (error) => error instanceof RetryError && error.kind === 'transport');
    assert.equal(sends.calls.length, 3);
    const call = withFallback([{ call: () => fetch(URL_) }, { call: () => 'the second' }], QUICK);
    assert.equal(await call(), 'the second');
    assert.equal(sends.calls.length, 6);
  });

  test('may be played again where shouldRetry says so', async () => {
    const { sends, fetch } = inner(lost);
    await retry(() => fetch(URL_), { ...QUICK, maxAttempts: 2, shouldRetry: () => true }).catch(() => undefined);
    assert.equal(sends.calls.length, 6);
  });
});

describe('what is no call inside', () => {
  test('an error object that an earlier call rejected with is judged afresh', async () => {
    const shared = new TypeError('fetch failed');
    const sends = stubFetch(() => { throw shared; });
    const fetch = createFetch({ ...QUICK, fetch: sends });
    for (let call = 1; call <= 2; call++) {
      await fetch(URL_).catch(() => undefined);
      assert.equal(sends.calls.length, 3 * call);
      await retry(() => { throw shared; }, QUICK).catch((error) => assert.equal(error.retry.totalAttempts, 3));
    }
  });

  test('a timeout of the outer attempt, which ends the inner call, is played again', async () => {
    let asked = 0;
    const hanging = (_, { signal }) => new Promise((resolve, reject) => {
      asked += 1;
      if (asked > 1) resolve(new Response('late'));
      signal.addEventListener('abort', () => reject(signal.reason));
    });
    const fetch = createFetch({ ...QUICK, fetch: hanging });
    const response = await retry(({ signal }) => fetch(URL_, { signal }), { ...QUICK, timeoutMs: 30 });
    assert.deepEqual([await response.text(), asked], ['late', 2]);
  });

  test('an answer of a call inside that took retries and succeeded is a success', async () => {
    const flaky = createFetch({ ...QUICK, fetch: stubFetch(503, 200) });
    const response = await createFetch({ ...QUICK, fetch: flaky })(URL_);
    assert.deepEqual([response.status, historyOf(response).retry.totalAttempts], [200, 2]);
  });
});
