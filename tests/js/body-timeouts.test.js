import assert from 'node:assert/strict';
import test from 'node:test';
import { createFetch, historyOf } from 'dacapo';
import { serve } from './lib/server.js';
import { answer, over, POST, readAll, source, streamed } from './lib/sources.js';
import { chat, messages, TYPES } from './lib/stream-frames.js';
import { failed, json, stubFetch, URL_ } from './lib/stub.js';

const READING = { timeoutMs: 150, timeoutCovers: 'response' };
const later = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

/** What a promise comes to, or that it has not in a while. */
function outcome(promise) {
  return new Promise((resolve) => {
    const timer = setTimeout(resolve, 3000, 'still waiting');
    promise.then(resolve, resolve).finally(() => clearTimeout(timer));
  });
}

/** A stream that goes on for ever after these chunks, and does not know of any signal. */
function deaf(...chunks) {
  const from = source();
  from.push(...chunks);
  return from;
}

/** Counts the timers of this length that are under way, those included that let Node exit. */
function countTimers(t, lengthMs) {
  const running = new Set();
  const { setTimeout, clearTimeout } = globalThis;
  t.mock.method(globalThis, 'setTimeout', (act, ms, ...rest) => {
    const timer = setTimeout(() => {
      running.delete(timer);
      act(...rest);
    }, ms);
    if (ms > lengthMs / 2 && ms <= lengthMs) running.add(timer);
    return timer;
  });
  t.mock.method(globalThis, 'clearTimeout', (timer) => {
    running.delete(timer);
    clearTimeout(timer);
  });
  return running;
}

test('a stream whose body ignores the signal breaks when the timeout is over, and is let go of', async () => {
  for (const chunks of [[chat.start, chat.text('Da ')], ['data: hello\n\n']]) {
    const from = deaf(...chunks);
    const response = await over(stubFetch(429, streamed(from.stream)), READING)(URL_, POST);
    const { text, error } = await outcome(readAll(response));
    assert.equal(text, chunks.join(''));
    assert.ok(error instanceof DOMException);
    assert.deepEqual([error.name, from.seen.cancelled], ['TimeoutError', [error]]);
    assert.match(error.message, /timeoutMs.*\b150 ms/);
    const { attempts: [retried], last, mark } = historyOf(response);
    assert.deepEqual([retried.error.kind, last.error.kind, last.streamed, mark], ['rate_limited', 'timeout', true, 'output_begun']);
    assert.equal(historyOf(error), historyOf(response));
  }
});

test('a failure that is handed over and does not end breaks too, and stays the failure of its history', async () => {
  const from = deaf(messages.start, messages.overloaded);
  const response = await over(stubFetch(429, streamed(from.stream)), { ...READING, maxAttempts: 2 })(URL_, POST);
  const { text, error } = await outcome(readAll(response));
  assert.deepEqual([text, error.name], [messages.start + messages.overloaded, 'TimeoutError']);
  assert.deepEqual(from.seen.cancelled, [error]);
  for (const told of [response, error]) assert.deepEqual([historyOf(told).last.error.kind, historyOf(told).retry.failedAttempts], ['overloaded', 2]);
});

test('a server that tells of a failure and leaves the connection open does not hang the reader', async (t) => {
  for (const [status, headers, part] of [
    [200, TYPES.sse, chat.overloaded],
    [400, { 'content-type': 'application/json' }, `{"error":{"message":"${'x'.repeat(200)}`],
    [404, { 'content-type': 'text/plain' }, 'not here'.repeat(30)],
  ]) {
    const { url, heldOpen } = await serve(t, (_, response) => {
      response.writeHead(status, headers);
      response.write(part);
    });
    // What is beyond errorBytes is not waited for before the delivery.
    const response = await createFetch({ ...READING, maxAttempts: 1 + Number(status === 200), initialDelayMs: 1, errorBytes: 100 })(url, POST);
    assert.equal(response.status, status);
    const error = await outcome(response.text());
    assert.deepEqual([error.name, /timeoutMs/.test(error.message)], ['TimeoutError', true], `${status}: ${error}`);
    assert.equal(await heldOpen(), 0);
  }
});

test('an answer that is delivered by identity has its signal aborted when the timeout is over', async () => {
  for (const [response, init] of [
    [failed(404, {}, deaf('not here'.repeat(30)).stream), POST],
    [failed(200, {}, deaf('text').stream), POST],
    [failed(200, TYPES.sse, deaf(chat.text('Da ')).stream), { method: 'GET' }],
  ]) {
    const stub = stubFetch(response);
    assert.equal(await over(stub, { ...READING, errorBytes: 100 })(URL_, init), response);
    const { signal } = stub.calls[0].init;
    assert.equal(signal.aborted, false);
    await later(200);
    assert.deepEqual([signal.aborted, signal.reason.name], [true, 'TimeoutError']);
  }
});

test('the timeout stands still between the failure of an attempt and its delivery', async () => {
  const from = deaf(messages.overloaded);
  const patient = { ...READING, clock: undefined, shouldRetry: () => later(300).then(() => false) };
  const response = await over(stubFetch(streamed(from.stream)), patient)(URL_, POST);
  await later(20);
  const { text, error } = await outcome(readAll(response));
  assert.deepEqual([text, error.name], [messages.overloaded, 'TimeoutError']);
});

test('a deadline that is nearer than the timeout does not end the reading, and the timeout still does', async () => {
  const options = { clock: undefined, timeoutMs: 250, timeoutCovers: 'response', deadlineMs: 100 };
  const start = performance.now();
  const { error } = await outcome(readAll(await over(stubFetch(streamed(deaf(chat.text('Da ')).stream)), options)(URL_, POST)));
  assert.match(error.message, /^timeoutMs/);
  assert.ok(performance.now() - start >= 240);
  const { text, error: none } = await outcome((async () => {
    const from = deaf(chat.text('Da '));
    const response = await over(stubFetch(streamed(from.stream)), { ...options, timeoutMs: 0 })(URL_, POST);
    setTimeout(() => { from.push(chat.done); from.close(); }, 200);
    return readAll(response);
  })());
  assert.deepEqual([text, none], [chat.text('Da ') + chat.done, undefined]);
});

test('no timer is left when a body has ended, was cancelled or broke, or when there is none', async (t) => {
  const running = countTimers(t, 10_000);
  const options = { timeoutMs: 10_000, timeoutCovers: 'response', maxAttempts: 2 };
  const call = (...answers) => over(stubFetch(...answers), options)(URL_, POST);
  const open = deaf(chat.text('Da '));
  const read = await call(streamed(open.stream));
  assert.equal(running.size, 1, 'while it is read there is one');
  open.push(chat.done);
  open.close();
  await read.text();
  assert.equal(running.size, 0, 'ended');

  await (await call(429, streamed(deaf(chat.text('Da ')).stream))).body.cancel();
  assert.equal(running.size, 0, 'cancelled');

  const broken = deaf(chat.text('Da '));
  const breaking = await call(streamed(broken.stream));
  broken.error(new TypeError('terminated'));
  assert.equal((await readAll(breaking)).error.message, 'terminated');
  assert.equal(running.size, 0, 'broke');

  for (const chunks of [[chat.start, chat.overloaded], [chat.start, chat.done]]) await (await call(() => answer(chunks))).text();
  assert.equal(running.size, 0, 'a failure or an end was read');

  for (const whole of [() => answer([chat.start]), () => json({ a: 1 }), () => json({ error: { code: 401 } }), () => failed(400), () => failed(503), 204]) await call(whole);
  assert.equal(running.size, 0, 'nothing was left to come, read or not');

  const unread = await call(streamed(deaf(chat.text('Da ')).stream));
  assert.deepEqual([...running].map((timer) => timer.hasRef()), [false], 'that of a stream which nobody reads lets Node exit');
  await unread.body.cancel();
});

test('no listener is left on a signal that has to be followed by hand, once the stream has ended', async () => {
  const listeners = new Set();
  const foreign = {
    aborted: false,
    reason: undefined,
    addEventListener: (_, listener) => listeners.add(listener),
    removeEventListener: (_, listener) => listeners.delete(listener),
  };
  const stub = stubFetch(503, 429, () => answer([chat.text('Da '), chat.done]));
  const response = await over(stub, { timeoutMs: 10_000 })(URL_, { ...POST, signal: foreign });
  assert.ok(listeners.size > 0);
  await response.text();
  assert.equal(listeners.size, 0);
});
