// A fetch and an operation whose sends end when a test says so.

import assert from 'node:assert/strict';
import { afterEach, beforeEach } from 'node:test';
import { createFetch } from 'dacapo';
import { deferred, fakeClock, settled } from './clock.js';
import { URL_ } from './stub.js';

/** Short enough for a test, and long enough for what happens at once. */
export const HEDGE_MS = 20;

export const OPTIONS = { hedgeAfterMs: HEDGE_MS, jitter: 'none' };

/**
 * Each send waits for `answer` or `fail`. Its signal ends it, unless the fetch is `deaf`.
 */
export function heldSends({ deaf = false } = {}) {
  const sends = [];
  const watchers = [];

  function begin(signal, more) {
    const { promise, resolve, reject } = deferred();
    const send = { ...more, signal, answer: resolve, fail: reject, reason: undefined };
    signal?.addEventListener('abort', () => {
      send.reason = signal.reason;
      if (!deaf) reject(signal.reason);
    });
    sends.push(send);
    for (const watcher of watchers.splice(0)) watcher();
    return promise;
  }

  return {
    sends,
    fetch: (input, init) => begin(init?.signal, { input, init }),
    operation: (context) => begin(context.signal, context),
    /** The `n`th send, once it has been made. */
    async sent(n) {
      while (sends.length < n) await new Promise((resolve) => watchers.push(resolve));
      return sends[n - 1];
    },
  };
}

/** Longer than any hedge would have taken to be sent. */
export async function afterHedge() {
  await new Promise((resolve) => setTimeout(resolve, 2 * HEDGE_MS));
  await settled();
}

/** A hedged call over sends that wait, with a clock that needs no waits. */
export function hedging({ deaf = false, ...options } = {}, init = undefined) {
  const held = heldSends({ deaf });
  const clock = fakeClock();
  const fetch = createFetch({ ...OPTIONS, clock, fetch: held.fetch, ...options });
  const call = fetch(URL_, init);
  call.catch(() => {});
  return { ...held, clock, fetch, call };
}

/** What a record says in short. */
export const brief = ({ index, attempt, reason, error: { kind, code, status } }) => [index, attempt, reason, kind, code ?? status];

/** Has every test of a file checked for what it leaves behind. */
export function checkWhatIsLeft() {
  const unhandled = [];
  const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;
  let before;
  process.on('unhandledRejection', (reason) => unhandled.push(reason));
  beforeEach(() => {
    unhandled.length = 0;
    before = timers();
  });
  afterEach(async () => {
    await settled();
    assert.deepEqual(unhandled, [], 'every rejection that came too late was handled');
    assert.ok(timers() <= before, 'no timer is left');
  });
}
