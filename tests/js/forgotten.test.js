// sabotage: exempt, what is held of a call does not depend on what the engine decides
//
// Calls as they run in a Worker, where nothing but what they wait for holds them. What becomes of them when that is
// gone: workerd/leaving.test.js.

import assert from 'node:assert/strict';
import test from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { settled } from './lib/clock.js';
import { stubFetch, URL_ } from './lib/stub.js';

globalThis.WebSocketPair = class {};
const { createFetch, isRetryError, retry } = await import('dacapo');
const { running } = await import('../../js/engine.js');
const { seated } = await import('../../js/seats.js');
setFlagsFromString('--expose-gc');
const gc = runInNewContext('gc');

const WAIT = { initialDelayMs: 3 * 3_600_000, maxDelayMs: 3 * 3_600_000, jitter: 'none' };
const inSeats = () => running.size + seated().length;
const controller = new AbortController();
const { signal } = controller;

/** Collects what can be, over several turns. */
async function collected() {
  for (let turns = 0; turns < 5; turns++) {
    await settled();
    gc();
  }
}

/** A fetch that fails once, and answers when it is told to. */
function slowFetch() {
  let answer;
  const fetch = () => {
    if (answer === undefined) {
      answer = null;
      return Promise.resolve(new Response(null, { status: 503 }));
    }
    return new Promise((resolve) => {
      const timer = setInterval(() => answer !== null && (clearInterval(timer), resolve(answer)), 20).unref();
    });
  };
  return Object.assign(fetch, { answers: () => (answer = new Response('at last')) });
}

test('a call in a wait of hours, in a long attempt and in a hook is not collected, and goes on', async () => {
  const waiting = createFetch({ fetch: stubFetch(503, 200), ...WAIT })(URL_, { signal });
  waiting.catch(() => {});
  const [free, limited] = [slowFetch(), slowFetch()];
  const attempts = [createFetch({ fetch: free, initialDelayMs: 1 })(URL_), createFetch({ fetch: limited, initialDelayMs: 1, timeoutMs: 3_600_000 })(URL_)];
  const hooked = createFetch({ fetch: stubFetch(503, 200), initialDelayMs: 1, onRetry: () => new Promise((resolve) => setTimeout(resolve, 300)) })(URL_);
  await collected();
  assert.equal(inSeats(), 4);
  free.answers();
  limited.answers();
  for (const response of await Promise.all(attempts)) assert.equal(await response.text(), 'at last');
  assert.equal((await hooked).status, 200);
  await collected();
  assert.equal(inSeats(), 1);
  controller.abort(new Error('enough'));
  await assert.rejects(waiting, /enough/);
  assert.equal(inSeats(), 0);
});

test('a hook’s promise that ends amid collections wakes its call', async () => {
  for (let i = 0; i < 20; i++) {
    const response = await createFetch({
      fetch: stubFetch(503, 200), initialDelayMs: 1,
      shouldRetry: async () => (gc(), true),
      onRetry: () => Promise.resolve().then(gc),
    })(URL_);
    assert.equal(response.status, 200);
  }
});

test('a call that nothing will ever go on with is collected, and its seat is not', async () => {
  createFetch({ fetch: stubFetch(503), onRetry: () => new Promise(() => {}) })(URL_);
  await settled();
  assert.equal(inSeats(), 1);
  await collected();
  assert.equal(inSeats(), 0);
});

/** Breaks the engine down. */
const breakdown = () => assert.rejects(
  createFetch({ fetch: stubFetch(503), random: () => { throw new WebAssembly.RuntimeError('unreachable'); } })(URL_),
  (error) => isRetryError(error) && /engine/.test(error.message),
);

test('a breakdown of the engine ends its calls at once, in a long wait and in a long attempt', async () => {
  const calls = [
    createFetch({ fetch: stubFetch(503), ...WAIT, unref: true })(URL_, { signal: new AbortController().signal }),
    createFetch({ fetch: slowFetch(), initialDelayMs: 1 })(URL_),
    retry(() => Promise.reject(Object.assign(new Error('busy'), { status: 503 })), { ...WAIT, unref: true }),
  ];
  const ends = Promise.allSettled(calls);
  await collected();
  assert.equal(inSeats(), 3);
  await breakdown();
  for (const { status, reason } of await ends) {
    assert.equal(status, 'rejected');
    assert.ok(isRetryError(reason), String(reason));
    assert.match(reason.message, /engine/);
  }
  assert.equal(inSeats(), 0);
  assert.equal((await createFetch({ fetch: stubFetch(503, 200), initialDelayMs: 1 })(URL_)).status, 200);
});

test('without WeakRef a breakdown ends a call when its turn comes', async () => {
  const { WeakRef } = globalThis;
  delete globalThis.WeakRef;
  try {
    const call = createFetch({ fetch: stubFetch(503, 200), initialDelayMs: 200, jitter: 'none' })(URL_);
    call.catch(() => {});
    await settled();
    await breakdown();
    await assert.rejects(call, (error) => isRetryError(error) && /engine/.test(error.message));
    assert.equal((await createFetch({ fetch: stubFetch(503, 200), initialDelayMs: 1 })(URL_)).status, 200);
  } finally {
    globalThis.WeakRef = WeakRef;
  }
});

test('more calls at once than there were seats all end', async () => {
  const statuses = await Promise.all(Array.from({ length: 300 }, async () => (await createFetch({ fetch: stubFetch(503, 503, 200), initialDelayMs: 5 })(URL_)).status));
  assert.deepEqual(new Set(statuses), new Set([200]));
  assert.equal(inSeats(), 0);
});
