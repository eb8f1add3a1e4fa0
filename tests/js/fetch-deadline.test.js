import assert from 'node:assert/strict';
import test from 'node:test';
import { createFetch, historyOf } from 'dacapo';
import { fakeClock } from './lib/clock.js';
import { serve } from './lib/server.js';
import { failed, json, stubFetch, URL_, watchedBody } from './lib/stub.js';

const POST = { method: 'POST', body: '{}' };
const HOUR = 3_600_000;
const never = () => new Promise(() => {});

/** A retrying fetch whose waits are 500, 1000, 2000, … ms of its clock. */
function over(fetch, options = {}) {
  const clock = fakeClock();
  return Object.assign(createFetch({ fetch, clock, jitter: 'none', ...options }), { clock });
}

test('a wait that would end at or after the deadline is not begun: the last Response comes back at once', async () => {
  for (const [deadlineMs, sends] of [[499, 1], [500, 1], [501, 2], [1500, 2], [1501, 3]]) {
    const stub = stubFetch(503);
    const fetch = over(stub, { deadlineMs });
    const response = await fetch(URL_);
    assert.equal(response.status, 503);
    assert.equal(await response.text(), 'status 503');
    assert.equal(stub.calls.length, sends, `${deadlineMs}`);
    assert.equal(historyOf(response).mark, sends === 3 ? 'attempts_exhausted' : 'deadline_exceeded');
    assert.equal(fetch.clock.waits.length, sends - 1);
  }
});

test('a deadline before a wait surfaces the last real error by identity', async () => {
  const error = new TypeError('fetch failed');
  await assert.rejects(over(stubFetch(error), { deadlineMs: 400 })(URL_), (thrown) => thrown === error);
  assert.equal(historyOf(error).mark, 'deadline_exceeded');
});

test('a hinted wait beyond the deadline is not begun either', async () => {
  const stub = stubFetch(failed(429, { 'retry-after': '30' }));
  const fetch = over(stub, { deadlineMs: 20_000 });
  const response = await fetch(URL_);
  assert.deepEqual([response.status, historyOf(response).mark, historyOf(response).last.retryAfterMs], [429, 'deadline_exceeded', 30_000]);
  assert.deepEqual(fetch.clock.waits, []);
});

test('the time that attempts took counts', async () => {
  const stub = stubFetch(() => {
    fetch.clock.advance(600);
    return 503;
  });
  const fetch = over(stub, { deadlineMs: 2000 });
  const response = await fetch(URL_);
  // 600 + 500 + 600, and another 1000 would end at 2700.
  assert.equal(stub.calls.length, 2);
  assert.equal(historyOf(response).mark, 'deadline_exceeded');
});

test('a deadline in flight rejects with a TimeoutError that names it', async () => {
  const stub = stubFetch(never);
  await assert.rejects(over(stub, { deadlineMs: 15 })(URL_), (error) => {
    assert.ok(error instanceof DOMException);
    assert.equal(error.name, 'TimeoutError');
    assert.match(error.message, /deadlineMs/);
    assert.match(error.message, /\b15 ms/);
    const { mark, last } = historyOf(error);
    assert.deepEqual([mark, last.error.kind, last.error.retryable], ['deadline_exceeded', 'deadline_exceeded', false]);
    return true;
  });
  assert.equal(stub.calls.length, 1);
  assert.equal(stub.calls[0].init.signal.aborted, true);
});

test('an attempt has no longer than what is left of the deadline', async () => {
  const stub = stubFetch(() => {
    fetch.clock.advance(59_000);
    return 503;
  }, never);
  const fetch = over(stub, { deadlineMs: 59_520, timeoutMs: 59_500 });
  await assert.rejects(fetch(URL_), { name: 'TimeoutError', message: /deadlineMs/ });
  assert.equal(stub.calls.length, 2);
});

test('the shorter of timeout and deadline is the one that is named', async () => {
  const stub = stubFetch(never);
  await assert.rejects(over(stub, { deadlineMs: 60_000, timeoutMs: 10, maxAttempts: 1 })(URL_), { message: /timeoutMs/ });
  await assert.rejects(over(stub, { deadlineMs: 10, timeoutMs: 60_000 })(URL_), { message: /deadlineMs/ });
});

test('a deadline ends the inspection of an answer that stalls', async () => {
  const { stream } = watchedBody({ chunks: ['{"a":'], stuck: true });
  const stalled = new Response(stream, { headers: { 'content-type': 'application/json' } });
  await assert.rejects(over(stubFetch(stalled), { deadlineMs: 20 })(URL_, POST), { name: 'TimeoutError', message: /deadlineMs/ });
});

test('a deadline does not cover the reading of the delivered body', async (t) => {
  const { url } = await serve(t, (_, response) => {
    response.writeHead(200);
    response.write('a');
    setTimeout(() => response.end('b'), 350);
  });
  const response = await createFetch({ deadlineMs: 250 })(url, POST);
  assert.equal(await response.text(), 'ab');
});

test('a laptop that slept through a wait is past its deadline, and sends nothing more', async () => {
  const stub = stubFetch(503);
  const fetch = over(stub, { deadlineMs: 30_000 });
  const { sleep } = fetch.clock;
  // The monotonic clock stood still while the machine slept; the wall clock knows better.
  fetch.clock.sleep = function (ms) {
    this.wallMs += HOUR;
    return sleep.call(this, ms);
  };
  const response = await fetch(URL_);
  assert.equal(response.status, 503);
  assert.equal(await response.text(), 'status 503');
  assert.equal(stub.calls.length, 1);
  assert.equal(historyOf(response).mark, 'deadline_exceeded');
});

test('a wall clock that is set back changes no wait, no deadline and no duration', async () => {
  const stub = stubFetch(() => {
    fetch.clock.advance(100);
    fetch.clock.wallMs -= HOUR;
    return 503;
  });
  const fetch = over(stub, { deadlineMs: 2000, maxAttempts: 9 });
  const response = await fetch(URL_);
  // 100 + 500 + 100 + 1000 + 100, and another 2000 is too much.
  assert.deepEqual(fetch.clock.waits, [500, 1000]);
  const { attempts, last, mark } = historyOf(response);
  assert.equal(mark, 'deadline_exceeded');
  assert.deepEqual([...attempts, last].map(({ durationMs }) => durationMs), [100, 100, 100]);
});

test('a wall clock that is set back while waiting changes nothing', async () => {
  const stub = stubFetch(503);
  const fetch = over(stub, { deadlineMs: 1501 });
  const { sleep } = fetch.clock;
  fetch.clock.sleep = function (ms) {
    this.wallMs -= HOUR;
    return sleep.call(this, ms);
  };
  await fetch(URL_);
  assert.deepEqual(fetch.clock.waits, [500, 1000]);
  assert.equal(stub.calls.length, 3);
});

test('a clock without mono serves with now alone', async () => {
  const { now, sleep, advance } = fakeClock();
  const clock = { wallMs: 1000, monoMs: 0, waits: [], now, sleep, advance };
  const stub = stubFetch(() => {
    clock.advance(50);
    return 503;
  });
  const response = await createFetch({ fetch: stub, clock, jitter: 'none', deadlineMs: 1700 })(URL_);
  assert.equal(historyOf(response).last.durationMs, 50);
  assert.equal(stub.calls.length, 3);
});

test('a success before the deadline is delivered, also when it was inspected', async () => {
  const answer = json({ a: 1 });
  assert.equal(await over(stubFetch(503, answer), { deadlineMs: 10_000 })(URL_, POST), answer);
});

test('a clock that gives nonsense neither hangs nor breaks a call', async () => {
  for (const value of [Number.NaN, Infinity, -Infinity, -1, undefined, 'now', 1e300]) {
    const clock = { now: () => value, mono: () => value, sleep: async () => undefined };
    const stub = stubFetch(503);
    const response = await createFetch({ fetch: stub, clock })(URL_);
    assert.equal(response.status, 503, String(value));
    assert.equal(stub.calls.length, 3);
  }
});

test('a sleep that rejects ends the call with that error', async () => {
  const broken = new Error('no timers here');
  const clock = { ...fakeClock(), sleep: () => Promise.reject(broken) };
  const stub = stubFetch(503);
  await assert.rejects(createFetch({ fetch: stub, clock })(URL_), (error) => error === broken);
  assert.equal(stub.calls.length, 1);
});

test('a random function that gives nonsense never makes a wait longer than the maximum or negative', async () => {
  for (const unit of [Number.NaN, -1, 1, 2, Infinity, undefined, 'x', null]) {
    const clock = fakeClock();
    await createFetch({ fetch: stubFetch(503), clock, random: () => unit, maxAttempts: 8 })(URL_);
    assert.equal(clock.waits.length, 7);
    assert.ok(clock.waits.every((ms) => Number.isInteger(ms) && ms >= 0 && ms <= 8000), `${unit}: ${clock.waits}`);
  }
});
