// sabotage: exempt, the wrong engine does nothing wrong to the state that calls share
//
// Breaker and budget around operations, streams and drivers, over real sockets, and with a store.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CircuitBreaker, createFetch, historyOf, retry, RetryBudget, RetryPolicy, retryStream, withRetry } from 'dacapo';
import { deferred, fakeClock, settled } from './lib/clock.js';
import { guarded, OPEN_MS, ORIGIN } from './lib/guarded.js';
import { chat, overloaded, readAll, source } from './lib/iterables.js';
import { serve } from './lib/server.js';
import { countedController } from './lib/signals.js';
import { memoryStore } from './lib/stores.js';
import { chat as frames } from './lib/stream-frames.js';
import { failed, URL_ } from './lib/stub.js';

const answer = () => source([chat.start, chat.text('hi'), chat.stop]);

/** A breaker that opens at the first failure, and a policy of one attempt under it. */
function world(options, more) {
  const clock = fakeClock();
  const breaker = new CircuitBreaker({ failures: 1, openMs: OPEN_MS, openJitter: 0, ...options });
  const policy = new RetryPolicy({ breaker, clock, random: () => 0, maxAttempts: 1, ...more });
  return {
    clock,
    breaker,
    policy,
    async halfOpen() {
      await retry(() => { throw overloaded(); }, { policy, maxAttempts: 1 }).catch(() => {});
      clock.advance(OPEN_MS);
    },
    /** `open` while the probe holds its place, `free` when the next call may be one. */
    place: () => (breaker.state().state === 'half_open' && breaker.state().retryAfterMs === 0 ? 'free' : breaker.state().state),
  };
}

describe('retry', () => {
  test('is refused without calling the operation', async () => {
    const { policy, halfOpen, clock } = world();
    await halfOpen();
    clock.advance(-1);
    let calls = 0;
    const error = await retry(() => (calls += 1), { policy }).catch((reason) => reason);
    assert.deepEqual([calls, error.kind, error.retryAfterMs, error.retry.totalAttempts, historyOf(error).mark], [0, 'circuit_open', 1, 0, 'circuit_open']);
    assert.doesNotMatch(error.message, / of /, 'there is no key to name');
  });

  test('counts by what is thrown: a kind of the caller is neutral, as its own abort is', async () => {
    const { policy, breaker } = world();
    const controller = new AbortController();
    await retry(() => { throw Object.assign(new Error('no'), { status: 400 }); }, { policy }).catch(() => {});
    await retry(() => { throw new TypeError('my bug'); }, { policy }).catch(() => {});
    await retry(() => {
      controller.abort(new Error('enough'));
      throw overloaded();
    }, { policy, signal: controller.signal }).catch(() => {});
    assert.equal(breaker.state().failures, 0);
    await retry(() => { throw overloaded(); }, { policy }).catch(() => {});
    assert.equal(breaker.state().state, 'open');
  });

  test('whose operation never settles and is aborted frees the place of its probe', async () => {
    const { policy, halfOpen, place } = world();
    await halfOpen();
    const { controller, count } = countedController();
    const call = retry(() => new Promise(() => {}), { policy, signal: controller.signal });
    await settled();
    assert.equal(place(), 'half_open');
    controller.abort(new Error('enough'));
    await assert.rejects(call, { message: 'enough' });
    assert.deepEqual([place(), count.now], ['free', 0]);
  });
});

test('a resumed call that is refused keeps what it went through before', async () => {
  const { call, fetch, breaker } = guarded({}, { retryAfterBeyond: 'defer', maxAttempts: 3 });
  const deferred = await fetch.with({ fetch: async () => failed(503, { 'retry-after': '3600' }) })(URL_);
  const { resume } = historyOf(deferred);
  breaker.isolate(ORIGIN);
  const error = await fetch(URL_, {}, { resume }).catch((reason) => reason);
  assert.deepEqual([error.kind, error.retry.totalAttempts, error.attempts.length, historyOf(error).mark], ['circuit_open', 1, 1, 'circuit_open']);
  breaker.close(ORIGIN);
  assert.equal(await call(200), 200);
});

describe('retryStream', () => {
  const opened = (stream) => stream[Symbol.asyncIterator]().next();

  test('is refused at its first chunk, and the function is not called', async () => {
    const { policy, halfOpen, clock } = world();
    await halfOpen();
    clock.advance(-1);
    let calls = 0;
    const stream = retryStream(() => { calls += 1; return answer(); }, { policy });
    const { chunks, error } = await readAll(stream);
    assert.deepEqual([calls, chunks, error.kind, historyOf(error).retry.totalAttempts], [0, [], 'circuit_open', 0]);
    assert.equal((await stream.next()).done, true);
  });

  test('asks when it is read, not when it is made', async () => {
    const { policy, breaker } = world();
    const stream = retryStream(answer, { policy });
    breaker.isolate();
    await assert.rejects(stream.next(), { kind: 'circuit_open' });
  });

  test('succeeds with its last chunk', async () => {
    const { policy, halfOpen, place } = world();
    await halfOpen();
    const stream = retryStream(answer, { policy });
    assert.equal((await opened(stream)).done, false);
    assert.equal(place(), 'half_open');
    await readAll(stream);
    assert.equal(place(), 'closed');
  });

  for (const [name, failing] of Object.entries({
    'before its first output': () => source([chat.start, overloaded()]),
    'after it': () => source([chat.start, chat.text('hi'), overloaded()]),
  })) {
    test(`that fails ${name} is a failure`, async () => {
      const { policy, breaker } = world();
      const { failed: hasFailed } = await readAll(retryStream(failing, { policy }));
      assert.deepEqual([hasFailed, breaker.state().state], [true, 'open']);
    });
  }

  for (const [name, attempts, firsts] of [['in its first attempt', 1, []], ['in a later one', 2, [() => { throw overloaded(); }]]]) {
    test(`that is left mid-stream ${name} frees the place of its probe without closing`, async () => {
      const { policy, halfOpen, place } = world({}, { maxAttempts: attempts });
      await halfOpen();
      const left = [...firsts];
      const stream = retryStream(() => (left.shift() ?? answer)(), { policy });
      for await (const chunk of stream) if (chunk.choices[0].delta.content === 'hi') break;
      await settled();
      assert.equal(place(), 'free');
      assert.equal(historyOf(stream)?.retry.totalAttempts ?? 1, attempts);
    });
  }

  test('that is left before its first output frees it too', async () => {
    const { policy, halfOpen, place } = world();
    await halfOpen();
    const stream = retryStream(() => source([chat.start], { stuck: true }), { policy });
    const first = stream.next();
    await settled();
    assert.equal(place(), 'half_open');
    await stream.return();
    assert.equal((await first).done, true);
    assert.equal(place(), 'free');
  });

  test('that nobody reads on or leaves loses its place with the lease', async () => {
    const { policy, halfOpen, place, clock } = world();
    await halfOpen();
    await opened(retryStream(answer, { policy }));
    clock.advance(OPEN_MS);
    assert.equal(place(), 'free');
  });

  test('that is aborted frees its place, and rejects with the reason', async () => {
    const { policy, halfOpen, place } = world();
    await halfOpen();
    const controller = new AbortController();
    const stream = retryStream(() => source([chat.start, chat.text('hi')], { stuck: true }), { policy, signal: controller.signal });
    await opened(stream);
    controller.abort(new Error('enough'));
    assert.equal((await readAll(stream)).error.message, 'enough');
    assert.equal(place(), 'free');
  });

  test('pays its retries from a budget', async () => {
    const budget = new RetryBudget({ capacity: 20 });
    const { policy } = world({}, { breaker: false, budget, maxAttempts: 9 });
    const { error } = await readAll(retryStream(() => { throw overloaded(); }, { policy }));
    assert.deepEqual([error.mark, error.retry.totalAttempts, budget.tokens()], ['retry_budget_exhausted', 2, 6]);
    await readAll(retryStream(answer, { policy }));
    assert.equal(budget.tokens(), 7);
  });
});

describe('withRetry', () => {
  const driver = () => ({
    isUp: false,
    calls: 0,
    async complete() {
      this.calls += 1;
      if (!this.isUp) throw overloaded();
      return 'done';
    },
    async *stream() {
      this.calls += 1;
      if (!this.isUp) throw overloaded();
      yield chat.text('hi');
    },
  });
  const methods = { complete: 'promise', stream: 'iterable' };

  test('has one breaker and one budget for all methods of a driver', async () => {
    const clock = fakeClock();
    const plain = driver();
    const breaker = new CircuitBreaker({ failures: 2, openJitter: 0 });
    const budget = new RetryBudget();
    const retried = withRetry(plain, { methods, breaker, budget, clock, maxAttempts: 2 });
    await retried.complete().catch(() => {});
    await readAll(retried.stream());
    assert.deepEqual([plain.calls, breaker.state().state, budget.tokens()], [4, 'open', 500 - 28]);
    await assert.rejects(retried.complete(), { kind: 'circuit_open' });
    assert.equal((await readAll(retried.stream())).error.kind, 'circuit_open');
    assert.equal(plain.calls, 4);
    plain.isUp = true;
    clock.advance(30_000);
    assert.equal(await retried.complete(), 'done');
    assert.equal(breaker.state().state, 'closed');
  });

  test('true is one of its own for each driver', async () => {
    const [a, b] = [driver(), driver()].map((one) => withRetry(one, { methods, breaker: true, maxAttempts: 1 }));
    for (let call = 0; call < 5; call++) await a.complete().catch(() => {});
    await assert.rejects(a.complete(), { kind: 'circuit_open' });
    await assert.rejects(b.complete(), { kind: 'overloaded' });
  });
});

describe('over real sockets', () => {
  test('a probe that is aborted in flight is let go of by the server, and the next call is the probe', async (t) => {
    let mode = 'down';
    const { url, requests, heldOpen } = await serve(t, (_, response) => {
      if (mode === 'hang') return;
      response.writeHead(mode === 'down' ? 503 : 200).end(mode);
    });
    const breaker = new CircuitBreaker({ failures: 1, openMs: 20, leaseMs: 10_000 });
    const fetch = createFetch({ breaker, maxAttempts: 1 });
    const key = new URL(url).origin;
    await (await fetch(url)).text();
    await new Promise((resolve) => setTimeout(resolve, 40));
    mode = 'hang';
    const controller = new AbortController();
    const probe = fetch(url, { signal: controller.signal });
    while (requests.length < 2) await settled();
    breaker.state(key);
    await assert.rejects(fetch(url), { kind: 'circuit_open' });
    controller.abort(new Error('enough'));
    await assert.rejects(probe, { message: 'enough' });
    assert.equal(await heldOpen(), 0);
    mode = 'up';
    assert.equal(await (await fetch(url)).text(), 'up');
    assert.deepEqual([requests.length, breaker.state(key).state], [3, 'closed']);
  });

  test('a streamed answer succeeds when it is delivered, not when it ends', async (t) => {
    const rest = deferred();
    const { url } = await serve(t, async (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(frames.start + frames.text('hi'));
      await rest.promise;
      response.end(frames.stop + frames.done);
    });
    const breaker = new CircuitBreaker({ failures: 1, openMs: 1, leaseMs: 10_000 });
    const key = new URL(url).origin;
    const policy = new RetryPolicy({ breaker, maxAttempts: 2, initialDelayMs: 1 });
    await createFetch({ policy, fetch: async () => failed(503) })(url);
    await new Promise((resolve) => setTimeout(resolve, 10));
    const response = await createFetch({ policy })(url, { method: 'POST', body: '{}' });
    assert.equal(breaker.state(key).state, 'closed');
    rest.resolve();
    assert.match(await response.text(), /\[DONE\]/);
  });
});

describe('with a store', () => {
  const shared = (store, more) => guarded({ store, ...more });

  test('a call that succeeds never touches it', async () => {
    const store = memoryStore();
    const { call } = guarded({ store }, { budget: { store } });
    for (let n = 0; n < 20; n++) assert.equal(await call(n % 2 ? 400 : 200), n % 2 ? 400 : 200);
    await settled();
    assert.deepEqual(store.touched.filter((what) => what === 'compareAndSet'), []);
  });

  test('two breakers trip together and close together', async () => {
    const store = memoryStore();
    const [one, two] = [shared(store), shared(store)];
    await one.call(503);
    await settled();
    await two.call(503);
    await settled();
    assert.deepEqual([one.state(), two.state()], ['closed', 'open']);
    await one.call(503);
    await settled();
    assert.deepEqual([one.state(), await one.call(200)], ['open', 'circuit_open']);
    for (const { clock } of [one, two]) clock.advance(2 * OPEN_MS);
    const ends = await Promise.all([one.call(200), two.call(200)]);
    assert.deepEqual(ends.sort(), [200, 'circuit_open']);
    await settled();
    for (const { clock } of [one, two]) clock.advance(OPEN_MS);
    await Promise.all([one.call(200), two.call(200)]);
    await settled();
    assert.deepEqual([one.state(), two.state()], ['closed', 'closed']);
  });

  test('a success of one that knows of failures tells the others', async () => {
    const store = memoryStore();
    const [one, two] = [shared(store), shared(store)];
    await one.call(503);
    await settled();
    await one.call(200);
    await settled();
    await two.call(503);
    await settled();
    assert.equal(two.state(), 'closed');
  });

  test('a call that asks for leave to be the probe and is aborted meanwhile ends at once, and leaves no place taken', async () => {
    const store = memoryStore();
    const world = shared(store);
    await world.cooledDown();
    await settled();
    const reading = deferred();
    const { read } = store;
    store.read = async (key) => {
      await reading.promise;
      return read.call(store, key);
    };
    const { controller, count } = countedController();
    const call = world.fetch(URL_, { signal: controller.signal });
    await settled();
    assert.equal(world.sends.length, 0);
    controller.abort(new Error('enough'));
    await assert.rejects(call, { message: 'enough' });
    assert.equal(count.now, 0);
    reading.resolve();
    await settled();
    assert.deepEqual([world.sends.length, world.state(), world.breaker.state(ORIGIN).retryAfterMs], [0, 'half_open', 0]);
    assert.equal(await world.call(200), 200);
  });

  test('one that hangs delays a probe by a second at most, and nothing else', { timeout: 10_000 }, async () => {
    const hanging = { read: () => new Promise(() => {}), compareAndSet: () => new Promise(() => {}) };
    const world = shared(hanging);
    await world.cooledDown();
    const began = performance.now();
    assert.equal(await world.call(200), 200);
    const took = performance.now() - began;
    assert.ok(took > 900 && took < 3000, String(took));
    assert.equal(world.state(), 'closed');
  });

  const ofOperations = { name: 'RetryError', kind: 'deadline_exceeded', message: /deadlineMs/ };
  for (const [name, call, expected] of [
    ['fetch', (policy, send) => createFetch({ policy, fetch: async () => send(new Response('')) })(URL_), { name: 'TimeoutError', message: /deadlineMs/ }],
    ['retry', (policy, send) => retry(() => send('sent'), { policy }), ofOperations],
    ['retryStream', (policy, send) => retryStream(() => send(answer()), { policy }).next(), ofOperations],
  ]) {
    test(`a probe of ${name} waits for its leave no longer than its deadline, sends nothing then, and frees its place`, { timeout: 10_000 }, async () => {
      const store = memoryStore();
      const { policy, halfOpen, place } = world({ store, key: 'all' }, { deadlineMs: 20 });
      await halfOpen();
      await settled();
      const reading = deferred();
      const { read } = store;
      store.read = async (key) => {
        await reading.promise;
        return read.call(store, key);
      };
      let sends = 0;
      const began = performance.now();
      const error = await call(policy, (what) => { sends += 1; return what; }).catch((reason) => reason);
      assert.ok(performance.now() - began < 900, 'it did not wait as long as one without a deadline');
      assert.throws(() => { throw error; }, expected);
      assert.deepEqual([historyOf(error).mark, historyOf(error).retry.totalAttempts, sends, place()], ['deadline_exceeded', 0, 0, 'half_open']);
      reading.resolve();
      await settled();
      assert.deepEqual([sends, place()], [0, 'free']);
    });

    test(`a probe of ${name} has what its wait for leave has left of the deadline`, { timeout: 10_000 }, async () => {
      const store = memoryStore();
      const { policy, halfOpen, clock } = world({ store, key: 'all' }, { deadlineMs: 60_000 });
      await halfOpen();
      await settled();
      const { read } = store;
      store.read = (key) => {
        clock.advance(59_980);
        return read.call(store, key);
      };
      const error = await call(policy, () => new Promise(() => {})).catch((reason) => reason);
      assert.throws(() => { throw error; }, expected);
      assert.deepEqual([historyOf(error).mark, historyOf(error).retry.totalAttempts], ['deadline_exceeded', 1]);
    });
  }

  test('an answer of a store that comes with nothing left of the deadline is not acted on', async () => {
    const store = memoryStore();
    const { policy, halfOpen, clock, place } = world({ store }, { deadlineMs: 60_000 });
    await halfOpen();
    await settled();
    const { read } = store;
    store.read = (key) => {
      clock.advance(60_000);
      return read.call(store, key);
    };
    let calls = 0;
    await assert.rejects(retry(() => { calls += 1; }, { policy }), ofOperations);
    assert.deepEqual([calls, place()], [0, 'free']);
  });

  test('retries that one has made are paid for by all', async () => {
    const store = memoryStore();
    const budgets = [new RetryBudget({ store }), new RetryBudget({ store })];
    const [one, two] = budgets.map((budget) => guarded({}, { budget, maxAttempts: 2 }));
    await one.call(503);
    await settled();
    await two.call(503);
    await settled();
    assert.equal(budgets[1].tokens(ORIGIN), 500 - 28);
  });
});
