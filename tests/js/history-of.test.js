import assert from 'node:assert/strict';
import test from 'node:test';
import { createFetch, historyOf, retry, RetryError } from 'dacapo';
import { fakeClock } from './lib/clock.js';
import { failed, stubFetch, URL_ } from './lib/stub.js';

function over(fetch, options = {}) {
  return createFetch({ fetch, clock: fakeClock(), random: () => 0, ...options });
}

/** A failed Response that has a history of three attempts. */
const exhausted = () => over(stubFetch(429))(URL_);

test('a Response that succeeded at once has no history, and one that took retries has', async () => {
  assert.equal(historyOf(await over(stubFetch(200))(URL_)), undefined);
  assert.equal(historyOf(await over(stubFetch(503, 200))(URL_)).retry.totalAttempts, 2);
});

test('the rejected error of a call has its history, whatever it is', async () => {
  for (const error of [new TypeError('fetch failed'), new DOMException('x', 'NetworkError'), Object.freeze(new Error('frozen')), { custom: true }]) {
    const thrown = await over(stubFetch(() => { throw error; }))(URL_).catch((caught) => caught);
    assert.ok(historyOf(thrown).retry.totalAttempts >= 1, String(error));
  }
});

test('an error that keeps only the cause of the one a call rejected with leads to its history', async () => {
  const socket = Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' });
  await over(stubFetch(new TypeError('fetch failed', { cause: socket })))(URL_).catch(() => undefined);
  assert.equal(historyOf(new Error('Cannot connect to API', { cause: socket })).retry.totalAttempts, 3);
});

test('an object that several calls rejected with has the history of the latest', async () => {
  const shared = new TypeError('fetch failed');
  await over(stubFetch(shared), { maxAttempts: 2 })(URL_).catch(() => undefined);
  assert.equal(historyOf(shared).retry.totalAttempts, 2);
  await over(stubFetch(shared), { maxAttempts: 4 })(URL_).catch(() => undefined);
  assert.equal(historyOf(shared).retry.totalAttempts, 4);
});

test('a RetryError carries its history, and historyOf gives the same', async () => {
  const error = await retry(() => Promise.reject(new TypeError('fetch failed')), { clock: fakeClock() }).catch((thrown) => thrown);
  const history = historyOf(error);
  assert.equal(error.attempts.length, 2);
  assert.deepEqual(history.attempts, error.attempts);
  assert.deepEqual(history.retry, error.retry);
  assert.equal(history.mark, error.mark);
  assert.equal(history.last.attempt, 3);
});

test('an error that keeps the Response\'s headers, as OpenAI\'s and Anthropic\'s do, leads to the history', async () => {
  const response = await exhausted();
  class APIError extends Error {
    constructor(status, headers) {
      super(`${status} status code`);
      Object.assign(this, { status, headers });
    }
  }
  assert.equal(historyOf(new APIError(503, response.headers)).retry.totalAttempts, 3);
});

test('an error that keeps the response leads to the history', async () => {
  const response = await exhausted();
  assert.equal(historyOf(Object.assign(new Error('HTTPError'), { response })).retry.totalAttempts, 3);
  assert.equal(historyOf(Object.assign(new Error('HTTPError'), { response: { status: 503, headers: response.headers } })).retry.totalAttempts, 3);
});

test('the history is found through a cause chain and in an AggregateError', async () => {
  const response = await exhausted();
  const inner = Object.assign(new Error('inner'), { headers: response.headers });
  assert.equal(historyOf(new Error('outer', { cause: new Error('middle', { cause: inner }) })).retry.totalAttempts, 3);
  assert.equal(historyOf(new AggregateError([new Error('a'), inner], 'all')).retry.totalAttempts, 3);
  const transport = new TypeError('fetch failed');
  await over(stubFetch(transport))(URL_).catch(() => undefined);
  assert.equal(historyOf(new Error('Connection error.', { cause: transport })).retry.totalAttempts, 3);
});

test('headers alone lead to the history', async () => {
  assert.equal(historyOf((await exhausted()).headers).retry.totalAttempts, 3);
});

test('a Response that markFinal rebuilt has the history', async () => {
  const response = await over(stubFetch(503), { markFinal: true })(URL_);
  assert.equal(historyOf(response).retry.totalAttempts, 3);
});

test('the reason that a call was cancelled with has the history', async () => {
  const controller = new AbortController();
  controller.abort();
  await over(stubFetch(503))(URL_, { signal: controller.signal }).catch(() => undefined);
  const history = historyOf(controller.signal.reason);
  assert.deepEqual([history.mark, history.retry.totalAttempts, 'attempts' in history], ['cancelled', 0, false]);
});

test('what an operation resolved to after a retry has the history, when it is an object', async () => {
  let n = 0;
  const answer = {};
  const value = await retry(() => {
    if ((n += 1) === 1) throw new TypeError('fetch failed');
    return answer;
  }, { clock: fakeClock() });
  assert.equal(value, answer);
  assert.equal(historyOf(value).retry.totalAttempts, 2);
});

test('primitives, unknown objects and cycles have no history', () => {
  const cycle = new Error('cycle');
  cycle.cause = cycle;
  const ring = new Error('a', { cause: new Error('b') });
  ring.cause.cause = ring;
  for (const stranger of [
    undefined, null, 0, 1, '', 'text', true, 1n, Symbol('s'), {}, [], () => 1, new Error('x'), failed(503), cycle, ring,
    Object.create(null), new RetryError({ kind: 'timeout' }),
  ]) {
    assert.equal(historyOf(stranger), undefined);
  }
});

test('hostile objects have no history and throw nothing', () => {
  const fail = () => { throw new Error('hostile'); };
  const traps = Object.fromEntries(Object.getOwnPropertyNames(Reflect).map((name) => [name, fail]));
  const getters = Object.defineProperties({}, Object.fromEntries([
    'cause', 'errors', 'headers', 'response', 'retry', 'attempts', 'kind', 'name',
  ].map((name) => [name, { get: fail, enumerable: true }])));
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  for (const hostile of [
    new Proxy({}, traps), new Proxy(() => 1, traps), getters, proxy, { errors: new Proxy([], traps) },
    { cause: proxy, headers: proxy, response: getters },
  ]) {
    assert.equal(historyOf(hostile), undefined);
  }
});

test('the search is bounded: a chain that never ends comes to an end', () => {
  const endless = { get cause() { return { __proto__: Object.getPrototypeOf(this), get cause() { return endless.next(); } }; }, next: () => ({ get cause() { return endless.next(); } }) };
  assert.equal(historyOf(endless), undefined);
  assert.equal(historyOf({ errors: Array.from({ length: 100_000 }, () => ({})) }), undefined);
});
