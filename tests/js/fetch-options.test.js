import assert from 'node:assert/strict';
import test from 'node:test';
import { createFetch, RetryPolicy } from 'dacapo';
import { fakeClock } from './lib/clock.js';
import { serve } from './lib/server.js';
import { failed, stubFetch, unusual, URL_ } from './lib/stub.js';

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function over(fetch, options = {}) {
  return createFetch({ fetch, clock: fakeClock(), random: () => 0, ...options });
}

const sentHeader = (stub, name) => stub.calls.map(({ init }) => new Headers(init?.headers).get(name));

test('fetch is looked up when it is called, not when the retrying fetch is made', async (t) => {
  const original = globalThis.fetch;
  t.after(() => {
    globalThis.fetch = original;
  });
  const fetch = createFetch({ clock: fakeClock() });
  const first = stubFetch(503, 200);
  globalThis.fetch = first;
  assert.equal((await fetch(URL_)).status, 200);
  globalThis.fetch = stubFetch(204);
  assert.equal((await fetch(URL_)).status, 204);
  assert.equal(first.calls.length, 2);
});

test('a fetch that is exchanged between two attempts makes the second one', async (t) => {
  const original = globalThis.fetch;
  t.after(() => {
    globalThis.fetch = original;
  });
  globalThis.fetch = async () => {
    globalThis.fetch = async () => failed(204);
    return failed(503);
  };
  assert.equal((await createFetch({ clock: fakeClock() })(URL_)).status, 204);
});

test('fetch is called without a receiver on every attempt and on every way', async () => {
  for (const init of [undefined, { signal: new AbortController().signal }]) {
    const receivers = [];
    const fetch = function () {
      receivers.push(this);
      return Promise.resolve(failed(503));
    };
    const retrying = over(fetch);
    await retrying(URL_, init);
    await { retrying }.retrying(URL_, init);
    assert.deepEqual(receivers, Array(6).fill(undefined));
  }
});

test('a platform without fetch rejects with invalid_config and asks for the option', async (t) => {
  const original = globalThis.fetch;
  t.after(() => {
    globalThis.fetch = original;
  });
  globalThis.fetch = undefined;
  await assert.rejects(createFetch()(URL_), { kind: 'invalid_config', message: /fetch/ });
});

test('with() changes some options and leaves the fetch it was called on as it was', async () => {
  const stub = stubFetch(429);
  const fetch = over(stub, { maxAttempts: 2 });
  const more = fetch.with({ maxAttempts: 4 });
  await more(URL_);
  assert.equal(stub.calls.length, 4);
  await fetch(URL_);
  assert.equal(stub.calls.length, 6);
  assert.ok(fetch.policy instanceof RetryPolicy);
  assert.deepEqual([fetch.policy.options.maxAttempts, more.policy.options.maxAttempts], [2, 4]);
});

test('options given to one call hold for that call alone', async () => {
  const stub = stubFetch(503);
  const fetch = over(stub, { maxAttempts: 2 });
  await fetch(URL_, undefined, { maxRetries: 0 });
  assert.equal(stub.calls.length, 1);
  await fetch(URL_);
  assert.equal(stub.calls.length, 3);
  await assert.rejects(fetch(URL_, {}, { maxAttempts: 0 }), { kind: 'invalid_config' });
  assert.equal(stub.calls.length, 3);
});

test('a policy may be shared, and options beside it override it one by one', async () => {
  const policy = new RetryPolicy({ maxAttempts: 2, retryStatus: [418] });
  const stub = stubFetch(418);
  await over(stub, { policy })(URL_);
  assert.equal(stub.calls.length, 2);
  await over(stub, { policy, maxAttempts: 5 })(URL_);
  assert.equal(stub.calls.length, 7);
  assert.equal(policy.options.maxAttempts, 2);
});

test('an idempotency key is one random UUID for all attempts of a call', async () => {
  const stub = stubFetch(503);
  const fetch = over(stub, { idempotencyKey: true });
  await fetch(URL_, { method: 'POST', headers: { 'content-type': 'text/plain' } });
  await fetch(URL_, { method: 'POST' });
  const keys = sentHeader(stub, 'idempotency-key');
  assert.match(keys[0], UUID);
  assert.deepEqual(keys.slice(0, 3), Array(3).fill(keys[0]));
  assert.deepEqual(keys.slice(3), Array(3).fill(keys[3]));
  assert.notEqual(keys[0], keys[3]);
  assert.deepEqual(sentHeader(stub, 'content-type').slice(0, 3), Array(3).fill('text/plain'));
});

test('an idempotency key of the caller\'s own is asked for once a call, and one in the headers stands', async () => {
  let made = 0;
  const stub = stubFetch(503);
  const fetch = over(stub, { idempotencyKey: () => `key-${made += 1}` });
  await fetch(URL_, { method: 'POST' });
  assert.deepEqual(sentHeader(stub, 'idempotency-key'), ['key-1', 'key-1', 'key-1']);
  const given = stubFetch(200);
  await over(given, { idempotencyKey: true })(URL_, { headers: [['IDEMPOTENCY-KEY', 'mine']] });
  assert.deepEqual(sentHeader(given, 'idempotency-key'), ['mine']);
});

test('the headers that are added keep every header of a Request, a Headers, a list and an object', async (t) => {
  const { url, requests } = await serve(t, 503, 200);
  const fetch = createFetch({ clock: fakeClock(), idempotencyKey: true, retryCountHeader: 'x-retry-count' });
  const shapes = [{ 'X-A': '1' }, [['x-a', '1']], new Headers({ 'x-a': '1' })];
  for (const headers of shapes) {
    requests.length = 0;
    await fetch(url, { method: 'POST', headers, body: 'x' });
    assert.deepEqual(requests.map(({ headers: sent }) => [sent['x-a'], sent['x-retry-count']]), [['1', '0'], ['1', '1']]);
  }
  requests.length = 0;
  await fetch(new Request(url, { method: 'POST', headers: { 'x-a': '1', 'content-type': 'application/x' }, body: 'x' }));
  assert.deepEqual(requests.map(({ headers: sent }) => sent['x-a']), ['1', '1']);
  assert.deepEqual(requests.map(({ headers: sent }) => sent['content-type']), ['application/x', 'application/x']);
  assert.equal(requests[0].headers['idempotency-key'], requests[1].headers['idempotency-key']);
});

test('the retry count header counts from 0', async () => {
  const stub = stubFetch(429);
  await over(stub, { retryCountHeader: 'x-stainless-retry-count' })(URL_);
  assert.deepEqual(sentHeader(stub, 'x-stainless-retry-count'), ['0', '1', '2']);
});

test('no header is added unless it was asked for', async (t) => {
  const { url, requests } = await serve(t, 503, 503, 200);
  await createFetch({ clock: fakeClock() })(url, { headers: { 'x-a': '1' } });
  const names = requests.map(({ headers }) => Object.keys(headers).sort().join());
  assert.equal(new Set(names).size, 1);
  assert.ok(!/idempotency|retry/.test(names[0]), names[0]);
});

test('markFinal rebuilds the last failed Response with a veto for the SDK around it', async () => {
  const last = failed(503, { 'x-of': 'mine', 'x-should-retry': 'true' }, 'busy');
  const response = await over(stubFetch(503, 503, last), { markFinal: true })(URL_);
  assert.notEqual(response, last);
  assert.equal(response.headers.get('x-should-retry'), 'false');
  assert.equal(response.headers.get('x-of'), 'mine');
  assert.equal(response.status, 503);
  assert.equal(response.url, '');
  assert.equal(await response.text(), 'busy');
});

test('markFinal leaves a success alone, also after a retry', async () => {
  const answer = failed(200);
  assert.equal(await over(stubFetch(answer), { markFinal: true })(URL_), answer);
  const later = failed(200);
  assert.equal(await over(stubFetch(503, later), { markFinal: true })(URL_), later);
});

test('markFinal hands over as it is what no constructor can rebuild', async () => {
  const opaque = unusual({ type: 'opaqueredirect', status: 0, ok: false });
  const call = over(stubFetch(opaque), { markFinal: true })(URL_, { redirect: 'manual' });
  const response = await Promise.race([call, new Promise((resolve) => setTimeout(resolve, 200, 'hung'))]);
  assert.equal(response, opaque);
});

test('markFinal hands over as it is a status or a body that cannot be put into a new Response', async (t) => {
  const { url } = await serve(t, (_, response) => response.writeHead(999, 'Denied').end('odd'));
  const odd = await createFetch({ clock: fakeClock(), markFinal: true })(url);
  assert.deepEqual([odd.status, await odd.text()], [999, 'odd']);
  const used = failed(404);
  await used.text();
  assert.equal((await over(stubFetch(used), { markFinal: true })(URL_)).status, 404);
});

test('markFinal leaves what only looks like a Response as it is, its headers as well', async () => {
  const fields = new Map([['a', '1']]);
  const like = { status: 404, ok: false, headers: { get: (name) => fields.get(name) ?? null, set: (name, value) => fields.set(name, value) }, body: null };
  assert.equal(await over(async () => like, { markFinal: true })(URL_), like);
  assert.deepEqual([...fields], [['a', '1']]);
});

test('options are validated before any request', async () => {
  const stub = stubFetch(200);
  assert.throws(() => createFetch({ fetch: stub, maxAttempts: Number.NaN }), { kind: 'invalid_config' });
  assert.equal(stub.calls.length, 0);
});

test('a wait of no time schedules no timer', async (t) => {
  const waited = t.mock.method(globalThis, 'setTimeout');
  const response = await createFetch({ fetch: stubFetch(503, 503, 200), initialDelayMs: 0, maxDelayMs: 0 })(URL_);
  assert.equal(response.status, 200);
  const long = waited.mock.calls.filter(({ arguments: [, ms] }) => !(ms > 0));
  assert.deepEqual(long.map(({ arguments: [, ms] }) => ms), []);
});

test('a header of ours leaves the others as they are, for the platform to judge', async () => {
  const stub = stubFetch(200);
  const secret = { toString: () => 'Bearer abc' };
  await createFetch({ fetch: stub, retryCountHeader: 'x-n' })(URL_, { headers: { 'x-flag': true, authorization: secret } });
  assert.deepEqual(stub.calls[0].init.headers, [['x-flag', true], ['authorization', secret], ['x-n', '0']]);
  await assert.rejects(createFetch({ retryCountHeader: 'x-n', maxAttempts: 1 })('http://127.0.0.1:1/', { headers: [['a', 'b', 'c']] }), TypeError);
});

test('a key that is no text is refused before anything is sent', async () => {
  for (const idempotencyKey of [async () => 'k', () => undefined, () => 7]) {
    const stub = stubFetch(200);
    await assert.rejects(createFetch({ fetch: stub, idempotencyKey })(URL_, { method: 'POST' }), { kind: 'invalid_config', message: /idempotencyKey/ });
    assert.equal(stub.calls.length, 0);
  }
});
