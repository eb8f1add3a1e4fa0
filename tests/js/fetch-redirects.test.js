import assert from 'node:assert/strict';
import test from 'node:test';
import { createFetch, historyOf, isRetryError } from 'dacapo';
import { fakeClock } from './lib/clock.js';
import { serve } from './lib/server.js';
import { stubFetch, unusual, URL_ } from './lib/stub.js';

const moved = (status, location) => (_, response) => response.writeHead(status, { location }).end('elsewhere');

/** A server that redirects once and then answers 200. */
function redirecting(t, status = 307) {
  return serve(t, moved(status, '/elsewhere'), 200);
}

const fetchWith = (options) => createFetch({ clock: fakeClock(), ...options });

test('a redirected POST is refused with a RetryError, and nothing goes to the other address', async (t) => {
  for (const status of [301, 302, 303, 307, 308]) {
    const { url, requests } = await redirecting(t, status);
    await assert.rejects(fetchWith()(url, { method: 'POST', body: 'x', headers: { authorization: 'Bearer top-secret-token' } }), (error) => {
      assert.ok(isRetryError(error));
      assert.deepEqual([error.kind, error.status, error.retryable], ['redirected', status, false]);
      assert.match(error.message, /redirects/);
      assert.match(error.message, /POST/);
      assert.equal(historyOf(error).retry.totalAttempts, 1);
      return true;
    });
    assert.equal(requests.length, 1);
  }
});

test('every method but GET and HEAD is refused by default', async (t) => {
  for (const [method, refused] of [['PUT', true], ['DELETE', true], ['PATCH', true], ['post', true], ['GET', false], ['get', false], ['HEAD', false]]) {
    const { url, requests } = await redirecting(t);
    const call = fetchWith()(url, { method });
    if (refused) await assert.rejects(call, { kind: 'redirected' }, method);
    else assert.equal((await call).status, 200, method);
    assert.equal(requests.length, refused ? 1 : 2);
  }
});

test('redirects: refuse refuses a GET as well', async (t) => {
  const { url } = await redirecting(t);
  await assert.rejects(fetchWith({ redirects: 'refuse' })(url), { kind: 'redirected' });
});

test('redirects: platform follows as fetch does', async (t) => {
  const { url, requests } = await redirecting(t, 307);
  const response = await fetchWith({ redirects: 'platform' })(url, { method: 'POST', body: 'x' });
  assert.equal(response.url, `${url}elsewhere`);
  assert.deepEqual(requests.map(({ method, body }) => method + body), ['POSTx', 'POSTx']);
});

test('init.redirect always stands', async (t) => {
  const followed = await redirecting(t);
  assert.equal((await fetchWith({ redirects: 'refuse' })(followed.url, { method: 'POST', body: 'x', redirect: 'follow' })).status, 200);
  const manual = await redirecting(t);
  const response = await fetchWith({ redirects: 'refuse' })(manual.url, { method: 'POST', body: 'x', redirect: 'manual' });
  assert.equal(response.status, 307);
  assert.equal(await response.text(), 'elsewhere');
  assert.equal(manual.requests.length, 1, 'a redirect is not retried');
  const platforms = await serve(t, moved(307, '/elsewhere'));
  await assert.rejects(fetchWith()(platforms.url, { method: 'POST', redirect: 'error' }), TypeError);
});

test('the redirect mode of a Request stands as well', async (t) => {
  const { url } = await redirecting(t);
  const response = await fetchWith({ redirects: 'refuse' })(new Request(url, { method: 'POST', body: 'x', redirect: 'manual' }));
  assert.equal(response.status, 307);
  const plain = await redirecting(t);
  await assert.rejects(fetchWith()(new Request(plain.url, { method: 'POST', body: 'x' })), { kind: 'redirected' });
});

test('a browser\'s opaque redirect is refused although it has no status', async () => {
  const opaque = unusual({ type: 'opaqueredirect', status: 0, ok: false });
  const stub = stubFetch(opaque);
  await assert.rejects(fetchWith({ fetch: stub })(URL_, { method: 'POST' }), (error) => {
    assert.equal(error.kind, 'redirected');
    assert.equal(error.status, undefined);
    return true;
  });
  assert.equal(stub.calls.length, 1);
  assert.equal(stub.calls[0].init.redirect, 'manual');
});

test('a redirect after a retried failure is refused, with the failure in its history', async (t) => {
  const { url } = await serve(t, 429, moved(302, '/x'));
  await assert.rejects(fetchWith()(url, { method: 'POST', body: 'x' }), (error) => {
    assert.equal(error.kind, 'redirected');
    assert.deepEqual(error.attempts.map((attempt) => attempt.error.status), [429]);
    assert.equal(error.retry.totalAttempts, 2);
    return true;
  });
});

test('a 3xx without Location is no redirect and is handed over', async (t) => {
  const { url } = await serve(t, (_, response) => response.writeHead(300).end('choose'));
  const response = await fetchWith()(url, { method: 'POST', body: 'x' });
  assert.equal(response.status, 300);
  assert.equal(await response.text(), 'choose');
});

test('a refused redirect leaves the caller\'s init as it was', async (t) => {
  const { url } = await redirecting(t);
  const init = Object.freeze({ method: 'POST', body: 'x' });
  await assert.rejects(fetchWith()(url, init), { kind: 'redirected' });
  assert.deepEqual(Object.keys(init), ['method', 'body']);
});
