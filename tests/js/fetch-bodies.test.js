import assert from 'node:assert/strict';
import test from 'node:test';
import { createFetch, historyOf } from 'dacapo';
import { deferred, fakeClock } from './lib/clock.js';
import { serve } from './lib/server.js';
import { stubFetch, textStream, URL_, watchedBody } from './lib/stub.js';

const BYTES = new TextEncoder().encode('{"a":"é"}');

/** Sends a body three times to a real server, and gives what arrived. */
async function arrived(t, input, init, options = {}) {
  const { url, requests } = await serve(t, 503, 500, 200);
  const fetch = createFetch({ clock: fakeClock(), ...options });
  const response = await fetch(typeof input === 'function' ? input(url) : url, init);
  return { response, requests };
}

for (const [shape, body, type] of [
  ['a string', '{"a":"é"}', 'text/plain;charset=UTF-8'],
  ['URLSearchParams', new URLSearchParams({ a: 'é' }), 'application/x-www-form-urlencoded;charset=UTF-8'],
  ['a Blob', new Blob([BYTES], { type: 'application/json' }), 'application/json'],
  ['an ArrayBuffer', BYTES.buffer.slice(0), undefined],
  ['a typed array', BYTES, undefined],
  ['a DataView of a part of a buffer', new DataView(new Uint8Array([0, ...BYTES, 0]).buffer, 1, BYTES.length), undefined],
  ['a Node Buffer', Buffer.from(BYTES), undefined],
]) {
  test(`${shape} arrives whole at every attempt`, async (t) => {
    const { response, requests } = await arrived(t, undefined, { method: 'POST', body });
    assert.equal(response.status, 200);
    const expected = body instanceof URLSearchParams ? 'a=%C3%A9' : '{"a":"é"}';
    assert.deepEqual(requests.map((request) => request.body), [expected, expected, expected]);
    assert.deepEqual(requests.map(({ headers }) => headers['content-type']), [type, type, type]);
  });
}

test('FormData arrives whole at every attempt', async (t) => {
  const form = new FormData();
  form.set('text', 'é');
  form.set('file', new Blob(['content']), 'name.txt');
  const { requests } = await arrived(t, undefined, { method: 'POST', body: form });
  assert.equal(requests.length, 3);
  for (const { body, headers } of requests) {
    assert.match(headers['content-type'], /^multipart\/form-data; boundary=/);
    assert.match(body, /name="text"\r\n\r\né\r\n/);
    assert.match(body, /filename="name.txt"[^]*content/);
  }
});

test('the body of a Request arrives whole at every attempt, with its method and headers', async (t) => {
  const { response, requests } = await arrived(t, (url) => new Request(url, { method: 'PUT', body: BYTES, headers: { 'content-type': 'a/b' } }));
  assert.equal(response.status, 200);
  assert.deepEqual(requests.map(({ method, body }) => `${method} ${body}`), Array(3).fill('PUT {"a":"é"}'));
  assert.deepEqual(requests.map(({ headers }) => headers['content-type']), Array(3).fill('a/b'));
});

test('the streamed body of a Request is kept for the next attempt', async (t) => {
  const { response, requests } = await arrived(t, (url) => new Request(url, { method: 'POST', body: textStream('streamed'), duplex: 'half' }));
  assert.equal(response.status, 200);
  assert.deepEqual(requests.map(({ body }) => body), Array(3).fill('streamed'));
});

test('a Request without a body is sent again as it is', async (t) => {
  const { response, requests } = await arrived(t, (url) => new Request(url, { headers: { 'x-a': '1' } }));
  assert.equal(response.status, 200);
  assert.deepEqual(requests.map(({ method, headers }) => method + headers['x-a']), ['GET1', 'GET1', 'GET1']);
});

for (const [name, options, init] of [
  ['refused redirects', {}],
  ['a limit', { redirects: 'platform', timeoutMs: 60_000 }],
  ['a header', { redirects: 'platform', retryCountHeader: 'x-retry' }],
  ['nothing', { redirects: 'platform' }],
  ['an init without members', {}, { signal: undefined }],
]) {
  test(`a Request keeps its referrer and its referrer policy at every attempt, with ${name} added`, async () => {
    /** @type {unknown[]} */
    const seen = [];
    const fetch = async (input, given) => {
      const { referrer, referrerPolicy } = new Request(input, given);
      seen.push([referrer, referrerPolicy]);
      return new Response('', { status: 503 });
    };
    const request = new Request(URL_, { method: 'POST', body: 'a', referrer: '', referrerPolicy: 'no-referrer' });
    await createFetch({ fetch, clock: fakeClock(), ...options })(request, init);
    assert.deepEqual(seen, Array(3).fill(['', 'no-referrer']));
  });
}

test('an init of the caller\'s own makes a Request forget its referrer, as it does without us', async () => {
  const request = new Request(URL_, { method: 'POST', referrerPolicy: 'no-referrer' });
  let policy;
  const fetch = async (input, given) => {
    policy = new Request(input, given).referrerPolicy;
    return new Response();
  };
  await createFetch({ fetch })(request, { headers: { 'x-a': 'b' } });
  assert.equal(policy, new Request(request, { headers: { 'x-a': 'b' } }).referrerPolicy);
});

test('a body in init outweighs the Request\'s and is replayed', async (t) => {
  const { requests } = await arrived(t, (url) => new Request(url, { method: 'POST', body: 'old' }), { body: 'new' });
  assert.deepEqual(requests.map(({ body }) => body), ['new', 'new', 'new']);
});

test('a Request whose body was used rejects with a TypeError before any request is made', async () => {
  const request = new Request(URL_, { method: 'POST', body: 'x' });
  await request.text();
  const stub = stubFetch(200);
  await assert.rejects(createFetch({ fetch: stub, clock: fakeClock() })(request), TypeError);
  assert.equal(stub.calls.length, 0);
});

test('a Request is not cloned when only one attempt is possible', async (t) => {
  for (const [options, clones] of [[{ maxAttempts: 1 }, 0], [{ maxAttempts: 2 }, 1]]) {
    const request = new Request(URL_, { method: 'POST', body: 'x' });
    const clone = t.mock.method(request, 'clone');
    await createFetch({ fetch: stubFetch(200), ...options })(request);
    assert.equal(clone.mock.callCount(), clones);
  }
});

test('a Request of a class of its own, whose constructor takes other arguments, is sent again as it is', async (t) => {
  const { url, requests } = await serve(t, 503, 500, 200);
  class Question extends Request {
    constructor(path, asked) {
      super(url + path.slice(1), { method: 'PUT', headers: { 'x-a': 'b' }, body: JSON.stringify({ asked }) });
    }
  }
  const response = await createFetch({ clock: fakeClock() })(new Question('/path', 'é'));
  assert.equal(response.status, 200);
  for (const request of requests) {
    assert.deepEqual([request.method, request.url, request.headers['x-a'], request.body], ['PUT', '/path', 'b', '{"asked":"é"}']);
  }
  assert.equal(requests.length, 3);
});

test('a Request larger than maxReplayBytes counts as one that can be read only once', async (t) => {
  const { url, requests } = await serve(t, 503, 200);
  const fetch = createFetch({ clock: fakeClock(), maxReplayBytes: 10 });
  const response = await fetch(new Request(url, { method: 'POST', body: 'eleven bytes' }));
  assert.equal(response.status, 503);
  assert.equal(await response.text(), 'status 503');
  assert.equal(historyOf(response).mark, 'one_shot_body');
  assert.equal(historyOf(response).retry.totalAttempts, 1);
  assert.equal(requests.length, 1);
  const fits = await fetch(new Request(url, { method: 'POST', body: 'ten bytes.' }));
  assert.equal(fits.status, 200);
});

test('a stream is sent once: the first failure comes back and the history says why', async (t) => {
  const { response, requests } = await arrived(t, undefined, { method: 'POST', body: textStream('once'), duplex: 'half' });
  assert.equal(response.status, 503);
  assert.equal(await response.text(), 'status 503');
  assert.deepEqual(requests.map(({ body }) => body), ['once']);
  assert.equal(historyOf(response).mark, 'one_shot_body');
  assert.equal(historyOf(response).attempts, undefined);
});

test('the error of a reset upload is the one that comes back, not one about the spent stream', async () => {
  const reset = new TypeError('fetch failed', { cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }) });
  const stub = stubFetch(reset);
  const fetch = createFetch({ fetch: stub, clock: fakeClock() });
  await assert.rejects(fetch(URL_, { method: 'POST', body: textStream('once'), duplex: 'half' }), (error) => error === reset);
  assert.equal(historyOf(reset).mark, 'one_shot_body');
  assert.equal(stub.calls.length, 1);
});

test('every kind of one-shot body is recognised', async () => {
  async function* chunks() {
    yield 'x';
  }
  const { Readable } = await import('node:stream');
  for (const body of [textStream('x'), chunks(), Readable.from(['x'])]) {
    const stub = stubFetch(503);
    const response = await createFetch({ fetch: stub, clock: fakeClock() })(URL_, { method: 'POST', body, duplex: 'half' });
    assert.equal(historyOf(response).mark, 'one_shot_body');
    assert.equal(stub.calls.length, 1);
  }
});

test('a stream whose failure is permanent anyway is marked as not retryable', async () => {
  const response = await createFetch({ fetch: stubFetch(400), clock: fakeClock() })(URL_, { method: 'POST', body: textStream('x'), duplex: 'half' });
  assert.equal(historyOf(response).mark, 'not_retryable');
});

test('bodyFactory gives a fresh body to each attempt after the first', async (t) => {
  let made = 1;
  const bodyFactory = async () => textStream(`body ${made += 1}`);
  const { response, requests } = await arrived(t, undefined, { method: 'POST', body: textStream('body 1'), duplex: 'half' }, { bodyFactory });
  assert.equal(response.status, 200);
  assert.deepEqual(requests.map(({ body }) => body), ['body 1', 'body 2', 'body 3']);
});

test('bodyFactory needs no duplex of the caller, and is not called when the first attempt succeeds', async (t) => {
  const { url, requests } = await serve(t, 503, 200);
  let made = 0;
  const fetch = createFetch({ clock: fakeClock(), bodyFactory: () => textStream(`made ${made += 1}`) });
  await fetch(url, { method: 'POST', body: 'given' });
  assert.deepEqual(requests.map(({ body }) => body), ['given', 'made 1']);
  await fetch(url, { method: 'POST', body: 'given' });
  assert.equal(made, 1);
});

test('a body of an attempt that failed without being read is cancelled, the factory\'s ones too', async () => {
  const bodies = [1, 2, 3].map(() => watchedBody({ stuck: true }));
  let made = 0;
  const stub = stubFetch(503, 503, 200);
  const fetch = createFetch({ fetch: stub, clock: fakeClock(), bodyFactory: () => bodies[made += 1].stream });
  const response = await fetch(URL_, { method: 'POST', body: bodies[0].stream, duplex: 'half' });
  assert.equal(response.status, 200);
  assert.deepEqual(stub.calls.map(({ init }) => init.body), bodies.map(({ stream }) => stream));
  assert.deepEqual(bodies.map(({ seen }) => seen.cancelled), [1, 1, 0]);
});

test('headers that can be read only once are sent with every attempt', async (t) => {
  function* fields() {
    yield ['x-a', '1'];
    yield ['x-b', '2'];
  }
  for (const make of [fields, () => new Map([['x-a', '1'], ['x-b', '2']]).entries()]) {
    const { response, requests } = await arrived(t, undefined, { method: 'POST', body: 'x', headers: make() });
    assert.equal(response.status, 200);
    assert.deepEqual(requests.map(({ headers }) => headers['x-a'] + headers['x-b']), ['12', '12', '12']);
    assert.equal(historyOf(response).attempts[1].request.headers['x-a'], '1');
  }
});

test('an init that is an instance with getters keeps its members when something is added', async () => {
  class Init {
    get method() {
      return 'PATCH';
    }
    get body() {
      return 'x';
    }
    get headers() {
      return { 'x-a': '1' };
    }
  }
  const stub = stubFetch(503, 200);
  await createFetch({ fetch: stub, clock: fakeClock(), retryCountHeader: 'x-n' })(URL_, new Init());
  for (const { init } of stub.calls) {
    assert.deepEqual([init.method, init.body, new Headers(init.headers).get('x-a')], ['PATCH', 'x', '1']);
  }
});

test('a Request body that is still being uploaded when the answer comes does not hold up the next attempt for ever', async () => {
  const { promise, resolve } = deferred();
  const upload = new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode('a'));
      promise.then(() => controller.close());
    },
  });
  const request = new Request(URL_, { method: 'POST', body: upload, duplex: 'half' });
  const stub = stubFetch(503, 200);
  const call = createFetch({ fetch: stub, clock: fakeClock() })(request);
  setTimeout(resolve, 5);
  const response = await call;
  assert.equal(response.status, 200);
  const { input, init } = stub.calls[1];
  assert.equal(await new Request(input, init).text(), 'a');
});

test('an answer that ends the call comes back although the upload is still running', { timeout: 5000 }, async () => {
  for (const [status, options] of [[401, {}], [413, {}], [503, { maxAttempts: 1 }], [503, { methods: ['GET'] }]]) {
    const endless = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)) });
    const request = new Request(URL_, { method: 'POST', body: endless, duplex: 'half' });
    assert.equal((await createFetch({ fetch: stubFetch(status), clock: fakeClock(), ...options })(request)).status, status);
  }
});

test('a limit also ends the wait for the rest of an upload', { timeout: 5000 }, async () => {
  const endless = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)) });
  const request = new Request(URL_, { method: 'POST', body: endless, duplex: 'half' });
  const outcome = await createFetch({ fetch: stubFetch(503), initialDelayMs: 1, deadlineMs: 60 })(request).catch((error) => error);
  assert.ok(outcome.status === 503 || outcome.name === 'TimeoutError', String(outcome));
  assert.equal(historyOf(outcome).mark, 'deadline_exceeded');
});

test('a failed answer of another realm or library is handed over although it cannot be cloned', async () => {
  const foreign = { status: 503, ok: false, type: 'basic', headers: new Map([['retry-after', '3']]), body: null, clone() { throw new Error('no'); } };
  const clock = fakeClock();
  let sends = 0;
  const fetch = async () => (sends += 1) && foreign;
  assert.equal(await createFetch({ fetch, clock, random: () => 0 })(URL_), foreign);
  assert.equal(sends, 3);
  assert.deepEqual(clock.waits, [3000, 3000]);
});

test('a retry sends what the call was given, whatever the caller has made of it since', async () => {
  for (const options of [{}, { timeoutMs: 60_000 }]) {
    const sent = [];
    const fetch = async (input, init) => {
      sent.push([String(input), init.method, init.body]);
      return new Response(null, { status: sent.length === 1 ? 503 : 200 });
    };
    const url = new URL('https://api.example/one');
    const init = { method: 'POST', body: 'ONE' };
    const call = createFetch({ fetch, clock: fakeClock(), ...options })(url, init);
    url.pathname = '/two';
    Object.assign(init, { method: 'PUT', body: 'TWO' });
    await call;
    assert.deepEqual(sent, [['https://api.example/one', 'POST', 'ONE'], ['https://api.example/one', 'POST', 'ONE']]);
  }
});
