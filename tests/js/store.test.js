// sabotage: exempt, the wrong engine does nothing wrong to the state that calls share
//
// Isolates that share the state of a breaker or a budget by way of a store.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createFetch, retry, RetryPolicy } from 'dacapo';
import { ask } from '../../js/ask.js';
import { handleOf } from '../../js/policy.js';
import { isStore, SharedBreaker, SharedBudget } from '../../js/store.js';
import { fakeClock } from './lib/clock.js';
import { memoryStore } from './lib/stores.js';
import { stubFetch, URL_ } from './lib/stub.js';

const [CLOSED, OPEN, HALF_OPEN, ISOLATED] = [0, 1, 2, 3];
const [SUCCESS, NEUTRAL, FAILURE] = [0, 1, 2];
const OPEN_MS = 30_000;

/** The time of all isolates. Their monotonic clocks began at different times. */
function world(options, store = memoryStore()) {
  const policy = new RetryPolicy({ breaker: { failures: 3, openMs: OPEN_MS, openJitter: 0, ...options }, budget: true });
  const time = { ms: 0 };
  let isolates = 0;
  return {
    store,
    advance: (ms) => (time.ms += ms),
    breaker() {
      isolates += 1;
      const bornMs = isolates * 1e6;
      const seed = isolates / 8;
      return isolate({ policy, store, seed, mono: () => bornMs + time.ms, wall: () => 1.7e12 + time.ms });
    },
    budget() {
      isolates += 1;
      const bornMs = isolates * 1e6;
      return budgetOf({ policy, store, mono: () => bornMs + time.ms, wall: () => 1.7e12 + time.ms });
    },
  };
}

function isolate({ policy, store, seed, mono, wall }) {
  const make = () => ask(({ BreakerHandle }) => new BreakerHandle(handleOf(policy), seed));
  const handle = make();
  handle.follow();
  const guard = ask(({ GuardHandle }) => new GuardHandle(handle.share(), undefined));
  const adopted = [];
  const shared = new SharedBreaker(store, 'breaker:k', { handle: () => handle, make, mono, wall, adopted: () => adopted.push(handle.state()) });
  const begin = async () => {
    let token = guard.admit(mono());
    if (token < 0) shared.refused();
    else if (handle.state() === HALF_OPEN) token = await shared.claim(token);
    return {
      waitMs: token < 0 ? -1 - token : undefined,
      end(outcome) {
        guard.report(token, outcome, mono());
        shared.after();
      },
    };
  };
  return {
    handle,
    shared,
    adopted,
    begin,
    /** One call from its beginning to its end; what it was told if it was refused. */
    async call(outcome) {
      const { waitMs, end } = await begin();
      if (waitMs === undefined) end(outcome);
      await idle();
      return waitMs;
    },
    state: () => handle.state(),
  };
}

function budgetOf({ policy, store, mono, wall }) {
  const make = () => ask(({ BudgetHandle }) => new BudgetHandle(handleOf(policy)));
  const handle = make();
  const guard = ask(({ GuardHandle }) => new GuardHandle(undefined, handle.share()));
  const shared = new SharedBudget(store, 'budget:k', { handle: () => handle, make, mono, wall, adopted() {} });
  return {
    left: () => handle.tokens(mono()),
    /** The end of a call that was to be retried so often. */
    async retries(count) {
      const paid = Array.from({ length: count }, () => guard.withdraw(false, mono()));
      shared.after();
      await idle();
      return paid;
    },
    async succeeds() {
      guard.report(0, SUCCESS, mono());
    },
  };
}

/** Until nothing more happens. */
const idle = () => new Promise((resolve) => setImmediate(() => setImmediate(resolve)));

const fail = async (one, times) => {
  for (let n = 0; n < times; n++) await one.call(FAILURE);
};

describe('isolates that share a breaker', () => {
  test('add up their failures, and one that fails learns that it is open', async () => {
    const { breaker } = world();
    const [a, b] = [breaker(), breaker()];
    await fail(a, 2);
    await fail(b, 1);
    assert.deepEqual([a.state(), b.state()], [CLOSED, OPEN]);
    await fail(a, 1);
    assert.equal(a.state(), OPEN);
    assert.deepEqual([await a.call(SUCCESS), await b.call(SUCCESS)], [OPEN_MS, OPEN_MS]);
  });

  test('never touch the store while a breaker that knows of no failure sees successes', async () => {
    const { breaker, store } = world();
    const a = breaker();
    for (let n = 0; n < 50; n++) assert.equal(await a.call(n % 2 ? NEUTRAL : SUCCESS), undefined);
    assert.deepEqual(store.touched, []);
  });

  test('a success of one that knows of failures makes them forgotten', async () => {
    const { breaker } = world();
    const [a, b] = [breaker(), breaker()];
    await fail(a, 2);
    await a.call(SUCCESS);
    await fail(b, 2);
    assert.deepEqual([b.state(), b.handle.failures(0)], [CLOSED, 2]);
  });

  test('failures of which a minute brought no news are forgotten', async () => {
    for (const [ms, state] of [[59_999, OPEN], [60_000, CLOSED]]) {
      const { breaker, advance } = world();
      const [a, b] = [breaker(), breaker()];
      await fail(a, 2);
      advance(ms);
      await fail(b, 1);
      assert.equal(b.state(), state);
    }
  });

  test('let one probe through when the cool-down is over, and all follow when it has closed the breaker', async () => {
    const { breaker, advance } = world();
    const all = [breaker(), breaker(), breaker()];
    const [a, b, c] = all;
    await fail(a, 3);
    await fail(b, 1);
    await fail(c, 1);
    advance(OPEN_MS);
    const calls = await Promise.all(all.map((one) => one.begin()));
    const [probe, ...others] = calls.filter(({ waitMs }) => waitMs === undefined);
    assert.deepEqual([others.length, calls.filter(({ waitMs }) => waitMs > 0).length], [0, 2]);
    probe.end(SUCCESS);
    await idle();
    advance(OPEN_MS);
    for (const one of all) assert.equal(await one.call(SUCCESS), undefined);
    assert.deepEqual(all.map((one) => one.state()), [CLOSED, CLOSED, CLOSED]);
  });

  test('a probe that fails opens the breaker of all for twice as long', async () => {
    const { breaker, advance } = world();
    const [a, b] = [breaker(), breaker()];
    await fail(a, 3);
    await fail(b, 1);
    advance(OPEN_MS);
    await a.call(FAILURE);
    assert.equal(await b.call(SUCCESS), 2 * OPEN_MS);
  });

  test('a probe whose isolate is gone frees its place with its lease', async () => {
    const { breaker, advance } = world();
    const [a, b] = [breaker(), breaker()];
    await fail(a, 3);
    await fail(b, 1);
    advance(OPEN_MS);
    await a.begin();
    assert.ok(await b.call(SUCCESS) > 0);
    advance(OPEN_MS);
    assert.equal(await b.call(SUCCESS), undefined);
    assert.equal(b.state(), CLOSED);
  });

  test('who sets the state sets it for all, and those who refuse calls look again', async () => {
    const { breaker, advance } = world();
    const [a, b] = [breaker(), breaker()];
    a.handle.isolate();
    a.shared.after();
    await idle();
    await b.call(FAILURE);
    assert.equal(b.state(), ISOLATED);
    a.handle.close();
    a.shared.after();
    await idle();
    await b.call(SUCCESS);
    assert.equal(b.state(), ISOLATED, 'it has just looked');
    advance(5000);
    assert.equal(await b.call(SUCCESS), Number.POSITIVE_INFINITY);
    assert.equal(await b.call(SUCCESS), undefined);
  });

  test('are told each time a state was taken over', async () => {
    const { breaker } = world();
    const [a, b] = [breaker(), breaker()];
    await fail(a, 3);
    await fail(b, 1);
    assert.deepEqual([a.adopted, b.adopted], [[CLOSED, CLOSED, OPEN], [OPEN]]);
  });

  test('what is under way when they exchange is not lost', async () => {
    const { breaker, store } = world();
    const a = breaker();
    await a.begin().then(({ end }) => end(FAILURE));
    // The store has not answered yet.
    await a.begin().then(({ end }) => end(FAILURE));
    await a.begin().then(({ end }) => end(FAILURE));
    await idle();
    assert.deepEqual([a.state(), store.states.get('breaker:k').state.state], [OPEN, 'open']);
  });
});

describe('a store that many change at once', () => {
  test('that is open is only read by those that fail: all learn of it, and nobody writes', async () => {
    const { breaker, store } = world({}, memoryStore({ delayed: true }));
    const [first, ...others] = Array.from({ length: 20 }, breaker);
    const agreed = () => new Promise((resolve) => setTimeout(resolve, 50));
    await fail(first, 3);
    await agreed();
    store.touched.length = 0;
    await Promise.all(others.map((one) => one.call(FAILURE)));
    await agreed();
    assert.deepEqual(new Set(others.map((one) => one.state())), new Set([OPEN]));
    assert.deepEqual(store.touched, Array(19).fill('read'));
  });

  test('that others change each time is taken over all the same, and what was not told is told later', async () => {
    const { breaker, store } = world();
    const [a, b] = [breaker(), breaker()];
    await fail(a, 2);
    const { compareAndSet } = store;
    store.compareAndSet = async () => false;
    await fail(b, 1);
    assert.deepEqual([b.state(), b.handle.failures(0), b.handle.deeds()], [OPEN, 3, 1]);
    store.compareAndSet = compareAndSet;
    b.shared.after();
    await idle();
    assert.equal(store.states.get('breaker:k').state.state, 'open');
  });

  test('loses no failure', async () => {
    const { breaker, store } = world({ failures: 100 }, memoryStore({ delayed: true }));
    const all = Array.from({ length: 3 }, breaker);
    await Promise.all(all.map((one) => fail(one, 5)));
    for (let rounds = 0; rounds < 20; rounds++) {
      await new Promise((resolve) => setTimeout(resolve, 5));
      for (const one of all) one.shared.after();
    }
    assert.equal(store.states.get('breaker:k').state.failures, 15);
    assert.ok(store.conflicts > 0, 'they met');
  });

  test('is asked three times, and again when there is more to tell', async () => {
    const { breaker, store } = world({}, memoryStore({ refuses: true }));
    const a = breaker();
    await fail(a, 1);
    assert.deepEqual(store.touched, Array(3).fill(['read', 'compareAndSet']).flat());
    await fail(a, 1);
    assert.equal(store.touched.length, 12);
    assert.equal(a.handle.failures(0), 2);
  });

  test('that never agrees leaves a probe its local leave', async () => {
    const { breaker, advance } = world({}, memoryStore({ refuses: true }));
    const a = breaker();
    await fail(a, 3);
    advance(OPEN_MS);
    assert.equal(await a.call(SUCCESS), undefined);
    assert.equal(a.state(), CLOSED);
  });
});

describe('a store that does not do its part', () => {
  const broken = () => { throw new Error('the store is down'); };
  const rejecting = async () => broken();
  const never = () => new Promise(() => {});
  const stores = {
    'throws': { read: broken, compareAndSet: broken },
    'rejects': { read: rejecting, compareAndSet: rejecting },
    'rejects what is written': { read: async () => undefined, compareAndSet: rejecting },
    'hangs': { read: never, compareAndSet: never },
    'hangs when it is written to': { read: async () => undefined, compareAndSet: never },
    'cannot keep the work alive': { read: async () => undefined, compareAndSet: async () => true, waitUntil: broken },
    'rejects to keep the work alive': { read: async () => undefined, compareAndSet: async () => true, waitUntil: rejecting },
    'gives what is no JSON': { read: async () => ({ version: 1, state: { at: 1n, state: 'open' } }), compareAndSet: async () => true },
    'gives what goes round in circles': { read: async () => { const state = { at: 1 }; return { version: 1, state: Object.assign(state, { state }) }; }, compareAndSet: async () => true },
  };
  for (const [what, store] of Object.entries(stores)) {
    test(`${what}: the breaker goes by what it knows itself`, async (t) => {
      const rejections = [];
      const note = (reason) => rejections.push(reason);
      process.on('unhandledRejection', note);
      t.after(() => process.off('unhandledRejection', note));
      const { breaker, advance } = world({}, store);
      const a = breaker();
      await fail(a, 3);
      assert.equal(await a.call(SUCCESS), OPEN_MS);
      advance(OPEN_MS);
      const before = performance.now();
      assert.equal(await a.call(SUCCESS), undefined);
      assert.ok(performance.now() - before < 1500, 'a probe waits a second at most');
      assert.equal(a.state(), CLOSED);
      await idle();
      assert.deepEqual(rejections, []);
    });
  }

  test('a store that is too slow for a claim still hears of the probe: its success closes the breaker of all', async () => {
    const store = memoryStore();
    const { breaker, advance } = world({}, store);
    const [a, b] = [breaker(), breaker()];
    await fail(a, 3);
    await fail(b, 1);
    advance(OPEN_MS);
    const { read } = store;
    store.read = never;
    const probe = await a.begin();
    assert.equal(probe.waitMs, undefined);
    store.read = read;
    probe.end(SUCCESS);
    await idle();
    assert.deepEqual([a.state(), store.states.get('breaker:k').state.state], [CLOSED, 'closed']);
    assert.equal(await b.call(SUCCESS), undefined);
  });

  test('a state from a clock that is ahead grows older here all the same', async () => {
    const { breaker, store, advance } = world();
    const a = breaker();
    await fail(a, 3);
    store.states.get('breaker:k').state.at += 300_000;
    const b = breaker();
    await fail(b, 1);
    for (let s = 0; s < 6; s++) {
      assert.ok(await b.call(SUCCESS) > 0);
      advance(5000);
    }
    assert.equal(await b.call(SUCCESS), undefined);
  });

  test('one exchange is followed by a few others, and not by all there ever are', async () => {
    const store = memoryStore();
    const { breaker } = world({ failures: 100 }, store);
    const a = breaker();
    const { read } = store;
    let asked = 0;
    store.read = async (key) => {
      asked += 1;
      // Something happens during each of them.
      if (asked < 50) (await a.begin()).end(FAILURE);
      return read(key);
    };
    await fail(a, 1);
    for (let n = 0; n < 20; n++) await idle();
    assert.equal(asked, 4);
    await fail(a, 1);
    assert.ok(asked > 4, 'the next call goes on');
  });

  test('a store that hung is tried again ten seconds later', async () => {
    const store = memoryStore();
    const { read } = store;
    let asked = 0;
    store.read = (key) => {
      asked += 1;
      return asked === 1 ? never() : read(key);
    };
    const { breaker, advance } = world({}, store);
    const a = breaker();
    await fail(a, 1);
    advance(9999);
    await fail(a, 1);
    assert.equal(asked, 1);
    advance(1);
    a.shared.after();
    await idle();
    assert.equal(store.states.get('breaker:k').state.failures, 2);
  });

  test('the claim of a probe that waited too long for its answer is still its own', async () => {
    const store = memoryStore();
    const { compareAndSet } = store;
    const { breaker, advance } = world({}, store);
    const [a, b] = [breaker(), breaker()];
    await fail(a, 3);
    await fail(b, 1);
    advance(OPEN_MS);
    let answer;
    store.compareAndSet = async (...args) => {
      const written = await compareAndSet(...args);
      await new Promise((resolve) => (answer = resolve));
      return written;
    };
    const probe = await a.begin();
    assert.equal(probe.waitMs, undefined);
    store.compareAndSet = compareAndSet;
    answer();
    assert.ok(await b.call(SUCCESS) > 0);
    probe.end(SUCCESS);
    await idle();
    assert.equal(store.states.get('breaker:k').state.state, 'closed');
  });

  /** What every state of a breaker has. */
  const counts = { failures: 0, trips: 0, coolDownMs: 1000 };
  const lies = [
    'text', 7, [], {}, { version: 1 }, { version: 1, state: null }, { version: 1, state: 'open' }, { version: 1, state: { at: 'now', state: 'open' } },
    { version: 1, state: { at: 1.7e12 } }, { version: 1, state: { at: 1.7e12, state: 'broken' } }, { version: 1, state: { at: Number.NaN, state: 'open' } },
    { version: 1, state: { at: 1.7e12, state: 'open', ...counts, leftMs: -1 } }, { version: 1, state: { at: 1.7e12, state: 'open', ...counts } },
    { version: 1, state: { at: 1.7e12, state: 'closed', ...counts, window: Array(9999).fill(1) } },
    { version: 1, state: { at: 1.7e12, state: 'open', ...counts, leftMs: 1000, more: 'x'.repeat(16 * 1024) } },
    { version: 1, state: { at: 1.7e12, get state() { return broken(); } } }, { version: 1, get state() { return broken(); } },
  ];
  for (const lie of lies) {
    test(`a store that tells ${lieText(lie)} changes nothing, and is written over where it can be`, async () => {
      const { breaker } = world({}, { read: async () => lie, compareAndSet: async () => true });
      const a = breaker();
      await fail(a, 2);
      assert.deepEqual([a.state(), a.handle.failures(0)], [CLOSED, 2]);
      await fail(a, 1);
      assert.equal(a.state(), OPEN);
    });
  }

  test('a state from the future, or for ever, keeps no breaker open for longer than its own rules', async () => {
    for (const state of [{ at: 9e15, leftMs: 1000 }, { at: 1.7e12, leftMs: Number.MAX_SAFE_INTEGER }]) {
      const { breaker } = world({ maxOpenMs: 60_000 }, { read: async () => ({ version: 1, state: { state: 'open', ...counts, ...state } }), compareAndSet: async () => true });
      const a = breaker();
      await a.call(FAILURE);
      assert.ok(await a.call(SUCCESS) <= 60_000);
    }
  });
});

describe('isolates that share a budget', () => {
  test('spend from one bucket', async () => {
    const { budget } = world();
    const [a, b] = [budget(), budget()];
    await a.retries(2);
    await b.retries(1);
    assert.deepEqual([a.left(), b.left()], [500 - 28, 500 - 42]);
    await a.retries(1);
    assert.equal(a.left(), 500 - 56);
  });

  test('pay in together', async () => {
    const { budget } = world();
    const [a, b] = [budget(), budget()];
    await a.retries(10);
    await b.retries(10);
    for (let n = 0; n < 30; n++) a.succeeds();
    await a.retries(1);
    await b.retries(1);
    assert.equal(b.left(), 500 - 22 * 14 + 30);
  });

  test('stop retrying together when it is spent', async () => {
    const { budget } = world();
    const [a, b] = [budget(), budget()];
    assert.deepEqual((await a.retries(36)).slice(-2), [true, false]);
    assert.deepEqual(await b.retries(1), [true], 'it could not know');
    assert.deepEqual(await b.retries(1), [false]);
  });

  test('never touch the store for calls that are not retried', async () => {
    const { budget, store } = world();
    const a = budget();
    for (let n = 0; n < 10; n++) a.succeeds();
    await a.retries(0);
    assert.deepEqual(store.touched, []);
  });

  test('keep what each spent while the store does not answer', async () => {
    for (const store of [memoryStore({ refuses: true }), { read: async () => { throw new Error('down'); }, compareAndSet: async () => true }]) {
      const { budget } = world({}, store);
      const a = budget();
      await a.retries(3);
      assert.equal(a.left(), 500 - 42);
    }
  });
});

describe('calls whose breaker and budget have a store', () => {
  const options = (store, more) => ({ maxAttempts: 2, clock: fakeClock(), breaker: { failures: 2, store, ...more }, budget: { store } });
  const key = new URL(URL_).origin;

  test('meet in it under the key of their origin', async () => {
    const store = memoryStore();
    const events = [];
    const [one, two] = [0, 1].map((n) => createFetch({ ...options(store, { onStateChange: ({ from, to }) => events.push([n, from, to]) }), fetch: stubFetch(503) }));
    for (const fetch of [one, two]) {
      assert.equal((await fetch(URL_)).status, 503);
      await idle();
    }
    assert.deepEqual([...store.states.keys()], [`breaker:${key}`, `budget:${key}`]);
    assert.deepEqual([store.states.get(`breaker:${key}`).state.state, store.states.get(`budget:${key}`).state.tokens], ['open', 500 - 28]);
    await assert.rejects(two(URL_), { kind: 'circuit_open' });
    // The first one has not looked yet, and learns of it by its next failure.
    assert.equal((await one(URL_)).status, 503);
    await idle();
    await assert.rejects(one(URL_), { kind: 'circuit_open' });
    assert.deepEqual(events, [[1, 'closed', 'open'], [0, 'closed', 'open']]);
  });

  test('never touch it while they succeed', async () => {
    const store = memoryStore();
    const fetch = createFetch({ ...options(store), fetch: stubFetch(200) });
    const policy = new RetryPolicy(options(store));
    for (let n = 0; n < 20; n++) {
      await fetch(URL_);
      await retry(() => n, { policy });
    }
    await idle();
    assert.deepEqual(store.touched, []);
  });

  test('end as they would without it when it hangs, and none waits but a probe', async () => {
    const store = { read: () => new Promise(() => {}), compareAndSet: () => new Promise(() => {}) };
    const clock = fakeClock();
    const fetch = createFetch({ ...options(store, { openJitter: 0 }), clock, fetch: stubFetch(503, 503, 503, 503, 200) });
    const before = performance.now();
    for (let n = 0; n < 2; n++) assert.equal((await fetch(URL_)).status, 503);
    await assert.rejects(fetch(URL_), { kind: 'circuit_open', retryAfterMs: OPEN_MS });
    assert.ok(performance.now() - before < 500);
    clock.advance(OPEN_MS);
    assert.equal((await fetch(URL_)).status, 200);
    assert.equal((await fetch(URL_)).status, 200);
  });
});

test('a store is what has both functions', () => {
  assert.equal(isStore(memoryStore()), true);
  for (const none of [undefined, null, 7, {}, { read() {} }, { read: 1, compareAndSet: 2 }]) assert.equal(isStore(none), false);
});

function lieText(lie) {
  try {
    return JSON.stringify(lie).slice(0, 80);
  } catch {
    return 'what cannot be read';
  }
}
