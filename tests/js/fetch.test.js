import assert from 'node:assert/strict';
import test from 'node:test';
import { createFetch, historyOf } from 'dacapo';
import { fakeClock } from './lib/clock.js';
import { deadPort, serve } from './lib/server.js';
import { failed, stubFetch, unusual, URL_ } from './lib/stub.js';

/** A retrying fetch over a stub, on a clock that never really waits. */
function over(fetch, options = {}) {
  const clock = fakeClock();
  return Object.assign(createFetch({ fetch, clock, random: () => 0, ...options }), { clock });
}

test('a success is handed over by identity, at the first attempt and without a history', async () => {
  const successes = [200, 201, 204, 206, 226].map((status) => failed(status));
  successes.push(unusual({ status: 299, ok: true }));
  for (const response of successes) {
    const stub = stubFetch(response);
    assert.equal(await over(stub)(URL_, { method: 'POST', body: 'x' }), response, `${response.status}`);
    assert.equal(stub.calls.length, 1);
    assert.equal(response.bodyUsed, false);
    assert.equal(historyOf(response), undefined);
  }
});

test('101, 304 and opaque answers are no failures', async () => {
  const opaque = unusual({ type: 'opaque', status: 0, ok: false });
  for (const response of [unusual({ status: 101, ok: false }), failed(304), opaque]) {
    const stub = stubFetch(response);
    assert.equal(await over(stub)(URL_), response);
    assert.equal(stub.calls.length, 1);
  }
});

test('a successful call hands input and init to fetch as they are', async () => {
  const stub = stubFetch(200);
  const url = new URL(URL_);
  const init = Object.freeze({ headers: { a: 'b' } });
  const fetch = over(stub);
  await fetch(url, init);
  await fetch(URL_);
  assert.equal(stub.calls[0].input, url);
  assert.equal(stub.calls[0].init, init);
  assert.equal(stub.calls[1].init, undefined);
});

test('a signal of null is no signal', async () => {
  const stub = stubFetch(503, 200);
  assert.equal((await over(stub)(URL_, { signal: null })).status, 200);
});

test('throttling and server failures are retried until an answer succeeds', async () => {
  for (const status of [408, 409, 425, 429, 500, 502, 503, 504, 507, 520, 522, 524, 529]) {
    const stub = stubFetch(status, status, 200);
    const fetch = over(stub);
    assert.equal((await fetch(URL_, { method: 'POST', body: 'x' })).status, 200, `${status}`);
    assert.equal(stub.calls.length, 3);
    assert.deepEqual(fetch.clock.waits, [250, 500]);
  }
});

test('a status that will not change is handed over at the first attempt, unread and by identity', async () => {
  for (const status of [400, 401, 402, 403, 404, 405, 406, 407, 410, 412, 413, 415, 418, 422, 451, 499, 501, 505, 506, 510, 511, 525, 526]) {
    const response = failed(status);
    const stub = stubFetch(response);
    assert.equal(await over(stub)(URL_), response, `${status}`);
    assert.equal(stub.calls.length, 1);
    assert.equal(response.bodyUsed, false);
    assert.equal(await response.text(), `status ${status}`);
  }
});

test('after the last attempt the last Response comes back by identity, its body unread', async () => {
  const responses = [failed(500, {}, 'one'), failed(502, {}, 'two'), failed(503, {}, 'three')];
  const stub = stubFetch(...responses);
  const response = await over(stub)(URL_);
  assert.equal(response, responses[2]);
  assert.equal(response.bodyUsed, false);
  assert.equal(response.body.locked, false);
  assert.equal(await response.text(), 'three');
  assert.equal(stub.calls.length, 3);
});

test('the last Response of a real server keeps its url, status text and body', async (t) => {
  const { url, requests } = await serve(t, 500, (_, response) => response.writeHead(503, 'Out to lunch', { 'x-of': 'mine' }).end('busy'));
  const response = await createFetch({ maxAttempts: 2, clock: fakeClock() })(`${url}chat?x=1`, { method: 'POST', body: '{}' });
  assert.equal(response.url, `${url}chat?x=1`);
  assert.equal(response.type, 'basic');
  assert.equal(response.statusText, 'Out to lunch');
  assert.equal(response.headers.get('x-of'), 'mine');
  assert.equal(await response.text(), 'busy');
  assert.equal(requests.length, 2);
});

test('maxAttempts counts the first send and maxRetries does not', async () => {
  for (const [options, sends] of [
    [{ maxRetries: 0 }, 1], [{ maxRetries: 1 }, 2], [{ maxRetries: 3 }, 4], [{ maxAttempts: 1 }, 1], [{ maxAttempts: 2 }, 2], [{}, 3],
  ]) {
    const stub = stubFetch(429);
    const fetch = over(stub, options);
    assert.equal((await fetch(URL_)).status, 429);
    assert.equal(stub.calls.length, sends, JSON.stringify(options));
    assert.equal(fetch.clock.waits.length, sends - 1, 'no wait after the last attempt');
  }
});

test('a transport failure is retried, and the last one rejects by identity', async () => {
  const errors = [1, 2, 3].map((n) => new TypeError('fetch failed', { cause: Object.assign(new Error(`reset ${n}`), { code: 'ECONNRESET' }) }));
  const stub = stubFetch(...errors);
  await assert.rejects(over(stub)(URL_), (error) => error === errors[2]);
  assert.equal(stub.calls.length, 3);
  const healed = stubFetch(errors[0], 200);
  assert.equal((await over(healed)(URL_)).status, 200);
});

test('a refused connection on a real port is retried and rejects with the platform\'s own TypeError', async () => {
  const port = await deadPort();
  const clock = fakeClock();
  await assert.rejects(createFetch({ clock })(`http://127.0.0.1:${port}/`), (error) => {
    assert.equal(error.constructor, TypeError);
    assert.equal(error.cause.code, 'ECONNREFUSED');
    assert.equal(historyOf(error).retry.totalAttempts, 3);
    return true;
  });
  assert.equal(clock.waits.length, 2);
});

test('a mistake in the request is not retried and rejects by identity', async () => {
  const clock = fakeClock();
  for (const [url, init] of [
    ['http://127.0.0.1:1/', {}], ['nonsense://host/', {}], ['/relative', {}], ['http://127.0.0.1/', { headers: { 'a b': 'c' } }],
    ['http://127.0.0.1/', { method: 'GET', body: 'x' }],
  ]) {
    let sends = 0;
    let thrown;
    const fetch = async (...args) => {
      sends += 1;
      try {
        return await globalThis.fetch(...args);
      } catch (error) {
        thrown = error;
        throw error;
      }
    };
    await assert.rejects(createFetch({ clock, fetch })(url, init), (error) => error === thrown, url);
    assert.equal(sends, 1, url);
  }
  const slip = new TypeError("Cannot read properties of undefined (reading 'a')");
  const stub = stubFetch(slip);
  await assert.rejects(over(stub)(URL_), (error) => error === slip);
  assert.equal(stub.calls.length, 1);
});

test('an AbortError that is not the caller\'s is retried, and never leaves as an AbortError', async () => {
  const aborted = new DOMException('This operation was aborted', 'AbortError');
  const stub = stubFetch(aborted);
  await assert.rejects(over(stub)(URL_), (error) => {
    assert.equal(error.constructor, TypeError);
    assert.equal(error.cause, aborted);
    assert.equal(historyOf(error).retry.totalAttempts, 3);
    return true;
  });
  assert.equal(stub.calls.length, 3);
});

test('what is no Response rejects with a TypeError and is not sent again', async () => {
  for (const nonsense of [undefined, null, 'text', {}, { status: '200' }]) {
    let sends = 0;
    const fetch = async () => {
      sends += 1;
      return nonsense;
    };
    await assert.rejects(createFetch({ fetch, clock: fakeClock() })(URL_), TypeError);
    assert.equal(sends, 1);
  }
});

test('x-should-retry: false stops at any status, and true retries a status that is not', async () => {
  for (const value of ['false', 'FALSE', ' false ']) {
    const vetoed = stubFetch(failed(500, { 'x-should-retry': value }));
    assert.equal((await over(vetoed)(URL_)).status, 500);
    assert.equal(vetoed.calls.length, 1, value);
  }
  const allowed = stubFetch(failed(400, { 'x-should-retry': 'true' }), 200);
  assert.equal((await over(allowed)(URL_)).status, 200);
  const neither = stubFetch(failed(400, { 'x-should-retry': 'perhaps' }));
  await over(neither)(URL_);
  assert.equal(neither.calls.length, 1);
  const deaf = stubFetch(failed(500, { 'x-should-retry': 'false' }), 200);
  assert.equal((await over(deaf, { shouldRetryHeader: false })(URL_)).status, 200);
});

test('only the methods given are retried, in any letter case', async () => {
  for (const [method, sends] of [['GET', 3], ['get', 3], ['PUT', 3], ['POST', 1]]) {
    const stub = stubFetch(503);
    const response = await over(stub, { methods: ['GET', 'put'] })(URL_, { method });
    assert.equal(stub.calls.length, sends, method);
    assert.equal(historyOf(response).mark, sends === 1 ? 'method_not_retried' : 'attempts_exhausted');
  }
});

test('retryStatus and nonRetryableStatus replace the table', async () => {
  const only = stubFetch(503);
  await over(only, { retryStatus: [418] })(URL_);
  assert.equal(only.calls.length, 1);
  const teapot = stubFetch(418, 200);
  assert.equal((await over(teapot, { retryStatus: [418] })(URL_)).status, 200);
  const allBut = stubFetch(503);
  await over(allBut, { nonRetryableStatus: [503] })(URL_);
  assert.equal(allBut.calls.length, 1);
  const found = stubFetch(404, 200);
  assert.equal((await over(found, { nonRetryableStatus: [503] })(URL_)).status, 200);
});
