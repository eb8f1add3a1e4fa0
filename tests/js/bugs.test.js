// Faults that retry code is known for, where no other suite is about them.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import test from 'node:test';
import { backoffDelay, classify, createFetch, historyOf, isRetryError, retry, RetryPolicy, sanitizeUrl } from 'dacapo';
import { fakeClock, settled, stoppedClock } from './lib/clock.js';
import { failed, json, stubFetch, URL_ } from './lib/stub.js';

const POST = { method: 'POST', body: '{}' };

function over(fetch, options = {}) {
  return createFetch({ fetch, clock: fakeClock(), random: () => 0, ...options });
}

/** Runs a script with this package and gives what it prints. */
function output(script, args = []) {
  const { stdout, stderr, status } = spawnSync(process.execPath, [...args, '--input-type=module', '-e', script], { cwd: import.meta.dirname, encoding: 'utf8' });
  assert.equal(status, 0, stderr);
  return stdout;
}

test('importing the package and making fetches and policies touches no clock, no random number, no timer and no network', () => {
  const script = `
    const { log } = console;
    const touched = [];
    const watch = (object, name) => {
      const original = object[name];
      object[name] = function (...args) {
        touched.push(name);
        return Reflect.apply(original, this, args);
      };
    };
    for (const name of ['setTimeout', 'setInterval', 'setImmediate', 'fetch', 'queueMicrotask']) watch(globalThis, name);
    watch(Math, 'random');
    watch(Date, 'now');
    watch(performance, 'now');
    for (const name of ['getRandomValues', 'randomUUID']) watch(Crypto.prototype, name);
    const { createFetch, RetryPolicy } = await import('dacapo');
    createFetch();
    createFetch({ idempotencyKey: true, timeoutMs: 5, deadlineMs: 9, preset: 'vernllm' });
    new RetryPolicy({ jitter: 'decorrelated' }).with({ maxAttempts: 9 });
    log(touched.join() || 'nothing');
  `;
  assert.equal(output(script), 'nothing\n');
});

test('importing the package compiles no WebAssembly, and the functions that need none never do', () => {
  const script = `
    let compiled = 0;
    WebAssembly.Module = class extends WebAssembly.Module {
      constructor(bytes) {
        super(bytes);
        compiled += 1;
      }
    };
    const { findRetryError, historyOf, isRetryError, matchesKind, parseRetryAfter } = await import('dacapo');
    isRetryError(new Error()), findRetryError(new Error()), matchesKind(new Error(), 'auth'), historyOf({});
    const before = compiled;
    parseRetryAfter('5');
    parseRetryAfter('6');
    console.log(before, compiled);
  `;
  assert.equal(output(script), '0 1\n');
});

test('the whole way of a retry runs in WebAssembly without a clock or a random source of its own', async () => {
  const response = await createFetch({ fetch: stubFetch(503, 200), initialDelayMs: 1 })(URL_);
  assert.equal(response.status, 200);
  assert.ok(historyOf(response).attempts[0].delayMs <= 1);
});

const unhandled = [];
process.on('unhandledRejection', (reason) => unhandled.push(reason));

/** What the engine throws when it breaks down, thrown from a function that it calls. */
const trap = () => {
  throw new WebAssembly.RuntimeError('unreachable');
};

test('a breakdown of the engine ends its calls with a clear error, and the next call has a fresh engine', async () => {
  const policy = new RetryPolicy({ maxAttempts: 2, retryStatus: [503] });
  const waiting = createFetch({ policy, fetch: stubFetch(503), clock: stoppedClock() })(URL_);
  const outcome = waiting.catch((error) => error);
  await settled();
  await assert.rejects(over(stubFetch(503), { random: trap })(URL_), (error) => {
    assert.ok(isRetryError(error));
    assert.match(error.message, /engine/);
    assert.ok(error.cause instanceof WebAssembly.RuntimeError);
    return true;
  });
  assert.ok(isRetryError(await outcome), 'a call that was waiting in the same engine ends as well');
  for (let call = 0; call < 3; call++) {
    const stub = stubFetch(503);
    assert.equal((await createFetch({ policy, fetch: stub, clock: fakeClock() })(URL_)).status, 503);
    assert.equal(stub.calls.length, 2, 'a policy made before the breakdown still holds');
  }
  assert.equal(classify({ status: 503 }, policy).retryable, true);
});

test('a breakdown in the middle of a call that others follow spares those to come', async () => {
  const results = await Promise.allSettled(Array.from({ length: 10 }, (_, i) => over(stubFetch(503, 200), i === 4 ? { random: trap } : {})(URL_)));
  const later = await over(stubFetch(503, 200))(URL_);
  assert.equal(later.status, 200);
  assert.equal(results[4].status, 'rejected');
  for (const { status, value, reason } of results) assert.ok(status === 'fulfilled' ? value.status === 200 : isRetryError(reason), String(reason));
  await settled();
  assert.deepEqual(unhandled, [], 'what the calls were waiting for still comes, and does no harm');
});

test('a random function or a clock that throws ends the call with its error, however often', async () => {
  const broken = new Error('no luck');
  const fail = () => { throw broken; };
  for (let call = 0; call < 1000; call++) {
    await assert.rejects(over(stubFetch(503), { random: fail })(URL_), (error) => error === broken);
  }
  for (const member of ['now', 'mono', 'sleep']) {
    const clock = { ...fakeClock(), [member]: fail };
    await assert.rejects(createFetch({ fetch: stubFetch(503), clock })(URL_), (error) => error === broken, member);
  }
  assert.equal((await over(stubFetch(503, 200))(URL_)).status, 200);
});

test('whatever the engine calls may use the package itself', async () => {
  let nested = 0;
  const use = () => {
    classify({ status: 429, body: { error: { code: 'insufficient_quota' } } });
    backoffDelay({}, 3, 0.5);
    new RetryPolicy({ preset: 'onellm' }).with({ maxAttempts: 2 });
    sanitizeUrl('https://u:p@host.example/?key=x');
    nested += 1;
  };
  const inner = async () => {
    use();
    await over(stubFetch(503, 200))(URL_);
  };
  const clock = fakeClock();
  const { now, mono, sleep } = clock;
  const using = (f) => function (...args) {
    use();
    return f.apply(clock, args);
  };
  const response = await createFetch({
    fetch: stubFetch(() => inner().then(() => 503)), clock: { now: using(now), mono: using(mono), sleep: using(sleep) }, random: using(() => 0),
    onRetry: inner, shouldRetry: inner, onEvent: () => void inner(),
  })(URL_);
  assert.deepEqual([response.status, clock.waits], [503, [250, 500]]);
  assert.ok(nested > 10);
});

test('odd texts and sizes never break the engine down', async () => {
  const long = 'x'.repeat(1 << 15);
  const odd = ['\uD800', '\uDC00x', '\0', '\u2028', '😀'.repeat(3000), long, '%'.repeat(5000), '%ff%00%', 'a\nb\r\nc'];
  let deep = new Error('bottom');
  for (let depth = 0; depth < 5000; depth++) deep = new Error(`level ${depth}`, { cause: deep });
  const wide = new AggregateError(Array.from({ length: 5000 }, (_, i) => new Error(`member ${i}`)));
  const answers = [
    ...odd.map((text) => new Error(text)), ...odd.map((text) => () => failed(503, {}, text)), ...odd.map((text) => () => json({ error: { message: text, code: text, type: text } }, { status: 503 })),
    deep, wide, () => failed(503, {}, '['.repeat(60_000)), () => failed(503, {}, '{"error":'.repeat(7000)), () => failed(503, {}, `{"error":{"code":${'9'.repeat(5000)}}}`),
    () => failed(503, Object.fromEntries(Array.from({ length: 2000 }, (_, i) => [`x-header-${i}`, 'v']))), () => failed(503, { 'retry-after': long }), () => failed(503, { 'x-should-retry': long }),
  ];
  for (const answer of answers) {
    for (const url of [URL_, `https://u:\uD800@host.example/?key=${'%'.repeat(100)}&${long}`]) {
      const result = await over(stubFetch(answer), { maxAttempts: 2, snapshotBody: true })(url, { ...POST, body: long, headers: { 'x-a': long } }).catch((error) => error);
      assert.ok(!isRetryError(result), String(result?.message).slice(0, 200));
      assert.ok(historyOf(result).retry.totalAttempts >= 1);
    }
  }
});

test('a fetch that rejects with something other than an error does not trip the call', async () => {
  for (const reason of ['client closed', 0, null, undefined, false, 7n, Symbol('s'), { custom: 1 }, []]) {
    const stub = stubFetch(() => Promise.reject(reason));
    const outcome = await over(stub)(URL_).then(() => 'resolved', (error) => [error]);
    assert.ok(Object.is(outcome[0], reason), typeof reason);
    assert.equal(stub.calls.length, 3);
  }
});

test('a fetch may give any thenable, and may throw instead of rejecting', async () => {
  const response = failed(200);
  assert.equal(await over(() => ({ then: (resolve) => resolve(response) }))(URL_), response);
  assert.equal(await over(() => response)(URL_, { signal: new AbortController().signal }), response);
  let sends = 0;
  const throwing = () => {
    sends += 1;
    throw new TypeError('fetch failed');
  };
  await assert.rejects(over(throwing)(URL_), TypeError);
  assert.equal(sends, 3);
});

test('a fetch never throws, it rejects', async () => {
  const fetch = over(stubFetch(200));
  for (const args of [
    [Symbol('url')], [URL_, Object.defineProperty({}, 'method', { get() { throw new Error('hostile'); } })],
    [URL_, {}, { maxAttempts: 'x' }], [{ toString() { throw new Error('hostile'); } }],
  ]) {
    let promise;
    assert.doesNotThrow(() => {
      promise = fetch(...args);
    });
    assert.ok(promise instanceof Promise);
    await promise.catch(() => undefined);
  }
});

test('the error of a dual-stack connect has a text, although its own message is empty', async () => {
  const aggregate = Object.assign(new AggregateError([Object.assign(new Error('connect ETIMEDOUT ::1'), { code: 'ETIMEDOUT' })], ''), { code: 'ETIMEDOUT' });
  const { attempts } = await retry(() => Promise.reject(aggregate), { clock: fakeClock() }).catch((error) => error);
  assert.deepEqual([attempts[0].error.kind, attempts[0].error.code], ['timeout', 'ETIMEDOUT']);
  assert.notEqual(attempts[0].error.message, '');
});

test('a shared Response is judged anew at every call', async () => {
  const response = failed(503, {}, 'shared');
  const fetch = over(async () => response, { maxAttempts: 1 });
  assert.equal(await fetch(URL_), response);
  assert.equal(await fetch(URL_), response);
  assert.equal(await response.text(), 'shared');
});

test('calls share nothing: each has its own attempts and its own random numbers', async () => {
  const fetch = createFetch({ fetch: (url) => Promise.resolve(failed(url.includes('bad') ? 503 : 200)), clock: fakeClock() });
  const [bad, good, worse] = await Promise.all([fetch('https://bad.example/1'), fetch('https://good.example/'), fetch('https://bad.example/2')]);
  assert.deepEqual([bad, good, worse].map((response) => historyOf(response)?.retry.totalAttempts), [3, undefined, 3]);
  assert.notEqual(historyOf(bad), historyOf(worse));
});
