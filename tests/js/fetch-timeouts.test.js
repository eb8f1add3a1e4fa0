import assert from 'node:assert/strict';
import test from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createFetch, historyOf } from 'dacapo';
import { deferred, fakeClock, settled } from './lib/clock.js';
import { serve } from './lib/server.js';
import { json, stubFetch, URL_, watchedBody } from './lib/stub.js';

const POST = { method: 'POST', body: '{}' };
const never = () => new Promise(() => {});

function over(fetch, options = {}) {
  return createFetch({ fetch, clock: fakeClock(), random: () => 0, ...options });
}

function collectGarbage() {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

/** Answers a part at once and the rest after `ms`. */
const slowly = (ms, type = 'text/plain', parts = ['{"a":', '1}']) => (_, response) => {
  response.writeHead(200, { 'content-type': type });
  response.write(parts[0]);
  setTimeout(() => response.end(parts[1]), ms).unref();
};

test('an attempt that hangs is ended by its own timeout, and the next one has a fresh signal', async () => {
  const stub = stubFetch(never, 200);
  const response = await over(stub, { timeoutMs: 10 })(URL_);
  assert.equal(response.status, 200);
  const [first, second] = stub.calls.map(({ init }) => init.signal);
  assert.notEqual(first, second);
  assert.deepEqual([first.aborted, second.aborted], [true, false]);
  assert.equal(first.reason.name, 'TimeoutError');
  const { error } = historyOf(response).attempts[0];
  assert.deepEqual([error.kind, error.type, error.rule], ['timeout', 'timeout', 'timeout']);
});

test('when every attempt times out the call rejects with a TimeoutError that names option and time', async () => {
  const stub = stubFetch(never);
  await assert.rejects(over(stub, { timeoutMs: 10 })(URL_), (error) => {
    assert.ok(error instanceof DOMException);
    assert.equal(error.name, 'TimeoutError');
    assert.match(error.message, /timeoutMs/);
    assert.match(error.message, /\b10 ms/);
    assert.deepEqual([historyOf(error).mark, historyOf(error).retry.failedAttempts], ['attempts_exhausted', 3]);
    return true;
  });
  assert.equal(stub.calls.length, 3);
});

test('a timeout ends a real request', async (t) => {
  const { url, requests, heldOpen } = await serve(t, () => {}, 200);
  const response = await createFetch({ clock: fakeClock(), timeoutMs: 200 })(url, POST);
  assert.equal(response.status, 200);
  assert.equal(requests.length, 2);
  assert.equal(await heldOpen(), 0);
});

test('the answer of an attempt that timed out is cancelled when it comes after all', async () => {
  const { promise, resolve } = deferred();
  const { stream, seen } = watchedBody({ stuck: true });
  await over(stubFetch(() => promise, 200), { timeoutMs: 10 })(URL_);
  resolve(new Response(stream, { status: 200 }));
  await settled();
  assert.equal(seen.cancelled, 1);
});

test('a timeout that was not needed leaves no timer', async () => {
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  const before = timers();
  await over(stubFetch(200), { timeoutMs: 60_000, deadlineMs: 90_000 })(URL_);
  await over(stubFetch(503), { timeoutMs: 60_000 })(URL_);
  await assert.rejects(over(stubFetch(new TypeError('fetch failed')), { timeoutMs: 60_000 })(URL_));
  assert.equal(timers(), before);
});

test('a timeout of 0 is off, also where the preset has one', async () => {
  const stub = stubFetch(200);
  await over(stub, { preset: 'vernllm', timeoutMs: 0 })(URL_);
  assert.equal(stub.calls[0].init, undefined);
});

test('a timeout covers the headers only: a body may take longer, inspected or not', async (t) => {
  const { url, requests } = await serve(t, slowly(300));
  const fetch = createFetch({ clock: fakeClock(), timeoutMs: 200 });
  assert.equal(await (await fetch(url, POST)).text(), '{"a":1}');
  const inspected = await serve(t, slowly(300, 'application/json'));
  assert.equal(await (await fetch(inspected.url, POST)).text(), '{"a":1}');
  assert.deepEqual([requests.length, inspected.requests.length], [1, 1]);
});

test('a timeout that covers the response ends an attempt whose inspected body stalls', async () => {
  const { stream } = watchedBody({ chunks: ['{"a":'], stuck: true });
  const stalled = new Response(stream, { headers: { 'content-type': 'application/json' } });
  const stub = stubFetch(stalled, json({ a: 1 }));
  const response = await over(stub, { timeoutMs: 20, timeoutCovers: 'response' })(URL_, POST);
  assert.deepEqual(await response.json(), { a: 1 });
  assert.equal(historyOf(response).attempts[0].error.kind, 'timeout');
});

test('a timeout that covers the response also ends the reading of a delivered body', async (t) => {
  const { url } = await serve(t, slowly(10_000));
  const response = await createFetch({ clock: fakeClock(), timeoutMs: 250, timeoutCovers: 'response' })(url, POST);
  assert.equal(response.status, 200);
  await assert.rejects(response.text(), (error) => {
    assert.equal(error.name, 'TimeoutError');
    assert.match(error.message, /timeoutMs/);
    return true;
  });
});

test('a timeout that covers the response also covers what is left of an answer too large to inspect', async (t) => {
  const { url } = await serve(t, slowly(10_000, 'application/json', [`{"a":"${'x'.repeat(500)}`, '"}']));
  const fetch = createFetch({ clock: fakeClock(), timeoutMs: 300, timeoutCovers: 'response', inspectBytes: 100 });
  const response = await fetch(url, POST);
  assert.equal(response.status, 200);
  const reading = response.text().then(() => 'read', (error) => error);
  const outcome = await Promise.race([reading, new Promise((resolve) => setTimeout(resolve, 2000, 'still reading'))]);
  assert.equal(outcome.name, 'TimeoutError', String(outcome));
});

test('without a limit the caller\'s own signal goes to fetch as it is', async () => {
  const { signal } = new AbortController();
  const stub = stubFetch(503, 200);
  await over(stub)(URL_, { signal });
  assert.deepEqual(stub.calls.map(({ init }) => init.signal === signal), [true, true]);
  const request = new Request(URL_, { signal });
  const seen = stubFetch(200);
  await over(seen)(request);
  assert.equal(seen.calls[0].input.signal, request.signal);
});

test('a delivered body can be aborted under a timeout, even after a garbage collection', async (t) => {
  const { url } = await serve(t, slowly(10_000));
  const controller = new AbortController();
  const fetch = createFetch({ clock: fakeClock(), timeoutMs: 5000 });
  const response = await fetch(url, { ...POST, signal: controller.signal });
  const reader = response.body.getReader();
  await reader.read();
  await settled();
  collectGarbage();
  const reason = new Error('enough');
  const reading = reader.read();
  controller.abort(reason);
  await assert.rejects(reading, (error) => error === reason);
});

test('timeouts of the caller\'s own signal are the caller\'s, not ours', async () => {
  const signal = AbortSignal.timeout(10);
  const stub = stubFetch(never);
  await assert.rejects(over(stub, { timeoutMs: 1000 })(URL_, { signal }), (error) => error === signal.reason);
  assert.equal(historyOf(signal.reason).mark, 'cancelled');
  assert.equal(stub.calls.length, 1);
});

test('a failed answer that comes in time is judged although its body is slow', async (t) => {
  const { url, requests } = await serve(t, (_, response) => {
    response.writeHead(429);
    response.write('part');
    setTimeout(() => response.end('rest'), 300);
  }, 200);
  const response = await createFetch({ clock: fakeClock(), timeoutMs: 200 })(url, POST);
  assert.equal(response.status, 200);
  assert.equal(requests.length, 2);
  assert.equal(historyOf(response).attempts[0].error.status, 429);
});

test('each attempt of a call has the whole timeout again', async () => {
  const inTime = (ms, status) => async () => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    return status;
  };
  const stub = stubFetch(inTime(120, 503), inTime(120, 503), inTime(120, 200));
  assert.equal((await over(stub, { timeoutMs: 300 })(URL_)).status, 200);
  assert.equal(stub.calls.length, 3);
});
