// The circuit breaker under createFetch: what opens it, what it refuses, and how it closes.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CircuitBreaker, classify, createFetch, historyOf, isRetryError, matchesKind, retry } from 'dacapo';
import { deferred, settled } from './lib/clock.js';
import { guarded, OPEN_MS, ORIGIN } from './lib/guarded.js';
import { failed, json, URL_ } from './lib/stub.js';

const times = (count, one) => Array.from({ length: count }, one);

/** Calls one after the other, and how they ended. */
async function inTurn(call, ...answers) {
  const ends = [];
  for (const answer of answers) ends.push(await call(answer));
  return ends;
}

describe('what opens it', () => {
  test('so many failed calls in a row, and a success in between starts over', async () => {
    const { call, state, changes } = guarded();
    assert.deepEqual(await inTurn(call, 503, 200, 503), [503, 200, 503]);
    assert.equal(state(), 'closed');
    assert.deepEqual(await inTurn(call, 503, 200), [503, 'circuit_open']);
    assert.deepEqual([state(), changes], ['open', ['closed > open']]);
  });

  test('a call counts once, however often it was sent, and not at all when a retry went well', async () => {
    const { call, breaker, sends } = guarded({}, { maxAttempts: 3 });
    await call(503);
    assert.deepEqual([sends.length, breaker.state(ORIGIN).failures], [3, 1]);
    assert.equal(await call((_, __, n) => (n < 6 ? 503 : 200)), 200);
    assert.deepEqual([sends.length, breaker.state(ORIGIN).failures], [6, 0]);
  });

  const reset = () => Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error('read ECONNRESET'), { code: 'ECONNRESET' }) });
  for (const [name, answer] of Object.entries({ 408: 408, 500: 500, 503: 503, 529: 529, 'a lost connection': () => reset() })) {
    test(`${name} is a failure of the target`, async () => {
      const { call, state } = guarded();
      await inTurn(call, answer, answer);
      assert.equal(state(), 'open');
    });
  }

  test('so is an attempt that times out', async () => {
    const { call, state } = guarded({}, { timeoutMs: 5 });
    const never = () => new Promise(() => {});
    assert.deepEqual(await inTurn(call, never, never), ['TimeoutError', 'TimeoutError']);
    assert.equal(state(), 'open');
  });

  test('and an error told inside a 200', async () => {
    const { call, state } = guarded();
    const overloaded = () => json({ error: { type: 'overloaded_error', message: 'Overloaded' } });
    const post = { method: 'POST', body: '{}' };
    await call(overloaded, post);
    await call(overloaded, post);
    assert.equal(state(), 'open');
  });

  const spent = () => json({ error: { code: 'insufficient_quota', message: 'You exceeded your current quota' } }, { status: 429 });
  const neutral = { 400: 400, 401: 401, 402: 402, 403: 403, 404: 404, 409: 409, 413: 413, 422: 422, 429: 429, 'a spent quota': spent };
  for (const [name, answer] of Object.entries(neutral)) {
    test(`${name} says nothing of the target: it neither counts nor makes failures forgotten`, async () => {
      const { call, breaker, state } = guarded();
      await inTurn(call, 503, answer, answer, answer);
      assert.deepEqual([state(), breaker.state(ORIGIN).failures], ['closed', 1]);
      await call(503);
      assert.equal(state(), 'open');
    });
  }

  test('with countThrottling a 429 counts, a spent quota still does not', async () => {
    const { call, state, sends } = guarded({ countThrottling: true }, { maxAttempts: 2 });
    await inTurn(call, spent, spent, 429);
    assert.equal(state(), 'closed');
    await call(429);
    assert.deepEqual([state(), sends.length], ['open', 1 + 1 + 2 + 2]);
  });

  test('in rolling mode a share of the calls of a window, once there were enough of them', async () => {
    const { call, state, clock } = guarded({ mode: 'rolling', minCalls: 4, failureRatio: 0.5, windowMs: 10_000 });
    await inTurn(call, 503, 503, 503);
    assert.equal(state(), 'closed', 'three calls are too few');
    clock.advance(20_000);
    await inTurn(call, 200, 200, 200, 503, 503);
    assert.equal(state(), 'closed', 'two of five, the older ones are forgotten');
    await call(503);
    assert.equal(state(), 'open', 'three of six');
  });

  test('in rolling mode a success counts at the time when the call ended', async () => {
    const { call, breaker, clock, state } = guarded({ mode: 'rolling', minCalls: 2, failureRatio: 0.6, windowMs: 10_000 });
    const slow = deferred();
    const call1 = call(() => slow.promise);
    clock.advance(60_000);
    slow.resolve(200);
    assert.equal(await call1, 200);
    await call(503);
    assert.deepEqual([state(), breaker.state(ORIGIN).failures], ['closed', 1], 'one of two');
    await call(503);
    assert.equal(state(), 'open', 'two of three');
  });
});

describe('a call that is refused', () => {
  test('sends nothing and says when to come back', async () => {
    const { fetch, cooledDown, clock, sends } = guarded();
    await cooledDown();
    clock.advance(-12_345);
    const error = await fetch(URL_).catch((reason) => reason);
    assert.ok(isRetryError(error) && matchesKind(new Error('wrapped', { cause: error }), 'circuit_open'));
    assert.deepEqual([error.kind, error.type, error.retryable, error.retryAfterMs, error.mark], ['circuit_open', 'circuit_open', false, 12_345, 'circuit_open']);
    assert.match(error.message, /https:\/\/api\.example .*12345 ms/);
    assert.deepEqual([error.retry.totalAttempts, error.attempts, sends.length], [0, undefined, 0]);
    assert.deepEqual(historyOf(error), { retry: error.retry, mark: 'circuit_open' });
  });

  test('is not retried by a retry around it, nor by an SDK that asks classify', async () => {
    const { fetch, cooledDown, clock } = guarded();
    await cooledDown();
    clock.advance(-1);
    let tries = 0;
    const error = await retry(() => {
      tries += 1;
      return fetch(URL_);
    }, { clock, retryUnknown: true }).catch((reason) => reason);
    assert.deepEqual([tries, error.kind, error.retry.totalAttempts], [1, 'circuit_open', 1]);
    assert.equal(error.retryAfterMs, 1);
    assert.equal(classify({ error: await fetch(URL_).catch((reason) => reason) }).retryable, false);
  });

  test('leaves a signal that is aborted already its own end', async () => {
    const { fetch, cooledDown, clock } = guarded();
    await cooledDown();
    clock.advance(-1);
    const reason = new Error('enough');
    await assert.rejects(fetch(URL_, { signal: AbortSignal.abort(reason) }), (error) => error === reason);
    await assert.rejects(fetch(URL_, { signal: new AbortController().signal }), { kind: 'circuit_open' });
  });

  test('shows no secret of the request, also where its key has one', async () => {
    const { fetch, breaker } = guarded({ key: (url) => url });
    const url = 'https://user:pa55word@api.example/v1/canary-abcdefghij?api_key=canary-0123456789';
    breaker.isolate('https://api.example/v1/canary-abcdefghij');
    const error = await fetch(url, { headers: { authorization: 'Bearer canary-abcdefghij' } }).catch((reason) => reason);
    assert.equal(error.kind, 'circuit_open');
    assert.doesNotMatch(`${error.stack}${JSON.stringify(error)}`, /canary|pa55word/);
  });
});

describe('when the cool-down is over', () => {
  test('of a hundred callers one is let through, and 99 are told how long to wait', async () => {
    const world = guarded();
    await world.cooledDown();
    const answer = deferred();
    world.answer = () => answer.promise;
    const calls = times(100, () => world.fetch(URL_).catch((error) => error));
    const refused = await Promise.all(calls.slice(1));
    assert.deepEqual([world.sends.length, world.state()], [1, 'half_open']);
    for (const { kind, retryAfterMs } of refused) assert.deepEqual([kind, retryAfterMs], ['circuit_open', OPEN_MS]);
    answer.resolve(200);
    assert.equal((await calls[0]).status, 200);
  });

  test('the success of the probe closes it for all', async () => {
    const { cooledDown, call, state, changes, breaker } = guarded();
    await cooledDown();
    assert.deepEqual([state(), breaker.state(ORIGIN).retryAfterMs], ['open', 0]);
    assert.deepEqual(await inTurn(call, 200, 200), [200, 200]);
    assert.deepEqual([state(), changes], ['closed', ['open > half_open', 'half_open > closed']]);
    assert.equal(breaker.state(ORIGIN).trips, 0);
  });

  test('each failed probe doubles the cool-down, up to maxOpenMs', async () => {
    const { cooledDown, call, breaker, clock } = guarded({ openMs: 1000, maxOpenMs: 5000 });
    await cooledDown();
    const waits = [];
    for (let probe = 0; probe < 4; probe++) {
      assert.equal(await call(503), 503);
      const { retryAfterMs, trips } = breaker.state(ORIGIN);
      waits.push([retryAfterMs, trips]);
      clock.advance(retryAfterMs);
    }
    assert.deepEqual(waits, [[2000, 2], [4000, 3], [5000, 4], [5000, 5]]);
  });

  test('so many probes at once as the option says, and so many have to succeed', async () => {
    const world = guarded({ probes: 3 });
    await world.cooledDown();
    const answers = times(3, () => deferred());
    world.answer = (_, __, n) => answers[n - 1].promise;
    const calls = times(3, () => world.fetch(URL_));
    await assert.rejects(world.fetch(URL_), { kind: 'circuit_open' });
    const states = [];
    for (const [at, { resolve }] of answers.entries()) {
      resolve(200);
      await calls[at];
      states.push(world.state());
    }
    assert.deepEqual([states, world.sends.length], [['half_open', 'half_open', 'closed'], 3]);
  });

  test('a cool-down is longer by up to openJitter, at random', async () => {
    const waits = await Promise.all(times(20, async () => {
      const { call, breaker } = guarded({ openJitter: 0.5, openMs: 1000 });
      await inTurn(call, 503, 503);
      return breaker.state(ORIGIN).retryAfterMs;
    }));
    assert.ok(waits.every((ms) => ms >= 1000 && ms <= 1500), String(waits));
    assert.ok(new Set(waits).size > 5, String(waits));
  });
});

describe('a probe', () => {
  /** A breaker whose probe runs until `answer` is settled; `more` is for the probe alone. */
  async function probing(options, more = {}) {
    const world = guarded(options);
    await world.cooledDown();
    const answer = deferred();
    const controller = new AbortController();
    world.answer = () => answer.promise;
    const end = world.fetch.with(more)(URL_, { signal: controller.signal }).then(({ status }) => status, (error) => error);
    await settled();
    assert.deepEqual([world.sends.length, await world.call()], [1, 'circuit_open'], 'the probe runs, and no other call');
    return { ...world, world, answer, controller, end };
  }

  /** That a place is free again, and the breaker is not closed. */
  async function isFreed({ world, state, breaker }) {
    assert.deepEqual([state(), breaker.state(ORIGIN).retryAfterMs], ['half_open', 0]);
    world.answer = 200;
    assert.equal(await world.call(200), 200);
    assert.equal(state(), 'closed');
  }

  test('that its caller aborts frees its place without closing', async () => {
    const probe = await probing();
    probe.controller.abort(new Error('changed my mind'));
    assert.equal((await probe.end).message, 'changed my mind');
    await isFreed(probe);
  });

  for (const status of [400, 429]) {
    test(`that is answered ${status} frees its place without closing`, async () => {
      const probe = await probing();
      probe.answer.resolve(status);
      assert.equal(await probe.end, status);
      await isFreed(probe);
    });
  }

  for (const hook of ['shouldRetry', 'onRetry']) {
    test(`whose ${hook} throws frees its place without closing`, async () => {
      const thrown = new Error('a bug of mine');
      const probe = await probing({}, { maxAttempts: 2, [hook]: () => { throw thrown; } });
      probe.answer.resolve(503);
      assert.equal(await probe.end, thrown);
      await isFreed(probe);
    });
  }

  test('that is aborted while it waits for its retry frees its place without closing', async () => {
    const probe = await probing({}, { maxAttempts: 2, onRetry: () => probe.controller.abort(new Error('enough')) });
    probe.answer.resolve(503);
    assert.equal((await probe.end).message, 'enough');
    await isFreed(probe);
  });

  test('that never settles loses its place after a cool-down', async () => {
    const { clock, call } = await probing();
    clock.advance(OPEN_MS - 1);
    assert.equal(await call(200), 'circuit_open');
    clock.advance(1);
    assert.equal(await call(200), 200);
  });

  test('with leaseMs loses it so much sooner', async () => {
    const { clock, call } = await probing({ leaseMs: 500 });
    clock.advance(500);
    assert.equal(await call(200), 200);
  });

  for (const [late, state] of /** @type {const} */ ([[200, 'closed'], [503, 'open']])) {
    test(`that lost its place and is answered ${late} late counts all the same: ${state}`, async () => {
      const first = await probing();
      first.clock.advance(OPEN_MS);
      const second = deferred();
      first.world.answer = () => second.promise;
      const end = first.fetch(URL_);
      await settled();
      first.answer.resolve(late);
      assert.equal(await first.end, late);
      assert.equal(first.state(), state);
      second.resolve(failed(200));
      await end;
      assert.equal(first.state(), state, 'the second one belongs to a period that is over');
    });
  }

  test('slower than its lease closes the breaker of a healthy target', async () => {
    const { clock, answer, end, state } = await probing({ leaseMs: 500 });
    clock.advance(5000);
    answer.resolve(200);
    assert.equal(await end, 200);
    assert.equal(state(), 'closed');
  });

  test('that is retried takes no second place, and fails as one call', async () => {
    const { answer, end, sends, breaker, clock } = await probing({}, { maxAttempts: 3 });
    answer.resolve(503);
    assert.equal(await end, 503);
    assert.deepEqual([sends.length, breaker.state(ORIGIN).trips], [3, 2]);
    assert.equal(clock.waits.length, 2);
  });
});

describe('a call that waits while the breaker opens', () => {
  test('is not sent again, and comes back with its own Response, marked so', async () => {
    const world = guarded({}, { maxAttempts: 3 });
    const { breaker, fetch, sends } = world;
    world.answer = 503;
    const opening = fetch.with({ onRetry: () => breaker.isolate(ORIGIN) });
    const response = await opening(URL_);
    const { mark, last, retry: ledger } = historyOf(response);
    assert.deepEqual([response.status, sends.length, mark, ledger.totalAttempts, last.error.status], [503, 1, 'circuit_open', 1, 503]);
  });

  test('with an error of the platform comes back with that', async () => {
    const world = guarded({}, { maxAttempts: 3 });
    const lost = new TypeError('fetch failed');
    world.answer = () => lost;
    const error = await world.fetch.with({ onRetry: () => world.breaker.isolate(ORIGIN) })(URL_).catch((reason) => reason);
    assert.equal(error, lost);
    assert.equal(historyOf(error).mark, 'circuit_open');
  });
});

describe('onStateChange', () => {
  test('is told of each change with its key, in order', async () => {
    const events = [];
    const { call, clock, breaker } = guarded({ onStateChange: (event) => events.push(event) });
    await inTurn(call, 503, 503);
    clock.advance(OPEN_MS);
    await call(503);
    breaker.isolate(ORIGIN);
    breaker.close(ORIGIN);
    assert.deepEqual(events.map(({ from, to }) => [from, to]), [
      ['closed', 'open'], ['open', 'half_open'], ['half_open', 'open'], ['open', 'isolated'], ['isolated', 'closed'],
    ]);
    assert.deepEqual(events.map(({ retryAfterMs }) => retryAfterMs), [OPEN_MS, OPEN_MS, 2 * OPEN_MS, Infinity, 0]);
    assert.ok(events.every((event) => event.key === ORIGIN && Object.isFrozen(event)));
  });

  test('that throws or rejects fails no call', async () => {
    for (const onStateChange of [() => { throw new Error('mine'); }, async () => { throw new Error('mine'); }]) {
      const { call, state } = guarded({ onStateChange });
      assert.deepEqual(await inTurn(call, 503, 503, 200), [503, 503, 'circuit_open']);
      assert.equal(state(), 'open');
    }
  });

  test('may set the state itself', async () => {
    const seen = [];
    const { call, breaker, state } = guarded({
      onStateChange({ to }) {
        seen.push(to);
        if (to === 'open') breaker.isolate(ORIGIN);
      },
    });
    await inTurn(call, 503, 503);
    assert.deepEqual([state(), seen], ['isolated', ['open', 'isolated']]);
  });
});

describe('by hand', () => {
  test('isolate refuses every call of a key until close, however long', async () => {
    const { breaker, call, clock, fetch } = guarded();
    breaker.isolate(ORIGIN);
    clock.advance(1e9);
    const error = await fetch(URL_).catch((reason) => reason);
    assert.deepEqual([error.kind, error.retryAfterMs], ['circuit_open', undefined]);
    assert.match(error.message, /until it is closed/);
    assert.deepEqual(breaker.state(ORIGIN), { state: 'isolated', retryAfterMs: Infinity, failures: 0, trips: 0 });
    breaker.close(ORIGIN);
    assert.equal(await call(200), 200);
  });

  test('close forgets what was counted', async () => {
    const { breaker, call, state } = guarded();
    await call(503);
    breaker.close(ORIGIN);
    await call(503);
    assert.equal(state(), 'closed');
  });

  test('a key that nobody has called is closed, and asking does not make it known', () => {
    const { breaker } = guarded();
    assert.deepEqual(breaker.state('https://other.example'), { state: 'closed', retryAfterMs: 0, failures: 0, trips: 0 });
    assert.deepEqual(breaker.keys(), []);
  });

  test('without a key it is the one of the option, or that of calls without a URL', async () => {
    const named = new CircuitBreaker({ key: 'openai', failures: 1 });
    await retry(() => { throw Object.assign(new Error('down'), { status: 503 }); }, { breaker: named, maxAttempts: 1 }).catch(() => {});
    assert.deepEqual([named.state().state, named.state('openai').state, named.keys()], ['open', 'open', ['openai']]);
    const nameless = new CircuitBreaker();
    nameless.isolate();
    await assert.rejects(retry(() => 1, { breaker: nameless }), { kind: 'circuit_open' });
  });

  test('a URL stands for its origin, unless keys are of the caller\'s own', async () => {
    const { breaker, call } = guarded({ failures: 1 });
    await call(503);
    for (const url of [URL_, `${ORIGIN}/`, ORIGIN.toUpperCase(), ORIGIN.replace('://', '://user:pass@')]) assert.equal(breaker.state(url).state, 'open', url);
    breaker.close(URL_);
    assert.deepEqual([breaker.state(ORIGIN).state, breaker.keys()], ['closed', [ORIGIN]]);
    breaker.isolate('https://other.example/path');
    assert.deepEqual(breaker.keys(), [ORIGIN, 'https://other.example']);
    const own = guarded({ failures: 1, key: (url) => url });
    await own.call(503);
    assert.deepEqual([own.breaker.state(URL_).state, own.breaker.state(ORIGIN).state], ['open', 'closed']);
  });

  test('without a key the state is that of the only one, and a fault lists several', async () => {
    const { breaker, call } = guarded({ failures: 1 });
    assert.equal(breaker.state().state, 'closed');
    await call(503);
    assert.equal(breaker.state().state, 'open');
    for (let i = 1; i <= 6; i++) await call(200, undefined, `https://${i}.example/`);
    assert.throws(() => breaker.state(), (error) => {
      assert.equal(error.kind, 'invalid_config');
      assert.equal(error.message, `no key was given where 7 are kept, must be one of "${ORIGIN}", "https://1.example", "https://2.example", "https://3.example", "https://4.example", …`);
      return true;
    });
  });

  test('isolated without a key are all, those that come later too, until all are closed', async () => {
    const { breaker, call, changes } = guarded();
    await call(200);
    breaker.isolate();
    assert.deepEqual([await call(), await call(200, undefined, 'https://later.example/')], ['circuit_open', 'circuit_open']);
    assert.equal(breaker.state('https://never.example').state, 'isolated');
    breaker.close('https://later.example');
    assert.deepEqual([await call(), await call(200, undefined, 'https://later.example/')], ['circuit_open', 200]);
    breaker.close();
    assert.deepEqual([await call(), await call(200, undefined, 'https://never.example/')], [200, 200]);
    assert.deepEqual(changes, ['closed > isolated', 'closed > isolated', 'isolated > closed', 'isolated > closed']);
  });

  test('isolated before its first call, and of one key, it refuses that', async () => {
    const { breaker, call, changes } = guarded({ key: 'all' });
    breaker.isolate();
    assert.deepEqual([breaker.keys(), changes], [['all'], ['closed > isolated']]);
    assert.deepEqual([await call(), breaker.state().state], ['circuit_open', 'isolated']);
    breaker.close();
    assert.equal(await call(), 200);
    const nameless = guarded();
    nameless.breaker.isolate();
    assert.deepEqual([nameless.breaker.state().state, await nameless.call()], ['isolated', 'circuit_open']);
  });

  test('what is no key and no option is a fault', () => {
    assert.throws(() => new CircuitBreaker().state(5), { kind: 'invalid_config' });
    assert.throws(() => new CircuitBreaker(5), { kind: 'invalid_config', message: /CircuitBreaker.*5/ });
    assert.throws(() => new CircuitBreaker({ failure: 3, probes: 0, store: {} }), (error) => {
      assert.deepEqual(error.faults.map(({ option, code }) => `${option} ${code}`).sort(), ['breaker.failure unknown_option', 'breaker.probes range', 'breaker.store type']);
      return true;
    });
  });
});

describe('the state as JSON', () => {
  const [A, B] = ['https://a.example/v1', 'https://b.example/v1'];

  test('goes on in another process, less the time that has passed', async () => {
    const first = guarded();
    await first.call(503, undefined, A);
    await first.call(503, undefined, A);
    await first.call(503, undefined, B);
    const saved = JSON.parse(JSON.stringify(first.breaker.export()));
    const second = guarded();
    second.clock.monoMs = 77;
    second.clock.wallMs = first.clock.wallMs + 10_000;
    second.breaker.import(saved);
    assert.deepEqual(second.breaker.keys(), ['https://a.example', 'https://b.example']);
    assert.deepEqual(second.breaker.state('https://a.example'), { state: 'open', retryAfterMs: OPEN_MS - 10_000, failures: 2, trips: 1 });
    assert.equal(second.breaker.state('https://b.example').failures, 1);
    assert.equal(await second.call(503, undefined, A), 'circuit_open');
  });

  test('means the same to a wall clock that was set back', async () => {
    const first = guarded();
    await inTurn(first.call, 503, 503);
    const saved = first.breaker.export();
    first.clock.wallMs -= 86_400_000;
    assert.equal(first.breaker.state(ORIGIN).retryAfterMs, OPEN_MS, 'its own waits go by the monotonic clock');
    const second = guarded();
    second.clock.wallMs = first.clock.wallMs;
    second.breaker.import(saved);
    assert.equal(second.breaker.state(ORIGIN).retryAfterMs, OPEN_MS);
  });

  test('tells onStateChange what it changed, and leaves other keys alone', async () => {
    const first = guarded();
    await inTurn(first.call, 503, 503);
    const second = guarded();
    second.breaker.isolate('https://other.example');
    second.changes.length = 0;
    second.breaker.import(first.breaker.export());
    assert.deepEqual(second.changes, ['closed > open']);
    assert.equal(second.state('https://other.example'), 'isolated');
  });

  test('is taken over whole or not at all', () => {
    const { breaker } = guarded();
    breaker.isolate('a');
    const { keys } = breaker.export();
    const fresh = guarded().breaker;
    for (const bad of [
      undefined, null, 'x', {}, { version: 2, keys }, { version: 1 }, { version: 1, at: 0, keys: { ...keys, b: 5 } },
      { version: 1, at: 0, keys: { ...keys, b: { state: 'ajar' } } },
    ]) {
      assert.throws(() => fresh.import(bad), { kind: 'invalid_config', message: /CircuitBreaker: import/ }, JSON.stringify(bad));
    }
    assert.deepEqual(fresh.keys(), []);
  });

  test('is refused as no export whatever else it is, with an error that says so', () => {
    const { breaker } = guarded();
    breaker.isolate('a');
    const { at, keys } = breaker.export();
    const cyclic = {};
    cyclic.self = cyclic;
    const throws = () => { throw new Error('mine'); };
    const state = { state: 'open', failures: 1, trips: 1, coolDownMs: 1000, leftMs: 1000 };
    const bad = [
      { version: 1, at, keys: [] }, { version: 1, at, keys: new Map([['a', state]]) }, { version: 1, at, keys: 'a' },
      ...[null, undefined, 'now', Number.NaN, Infinity, 1n].map((no) => ({ version: 1, at: no, keys })),
      { version: 1, keys, get at() { return throws(); } }, { version: 1, at, get keys() { return throws(); } },
      { version: 1, at, keys: { get a() { return throws(); } } }, new Proxy({}, { get: throws }),
      { version: 1, at, keys: new Proxy({}, { ownKeys: throws, getPrototypeOf: throws }) },
      ...[
        cyclic, { ...state, leftMs: 5n }, { ...state, toJSON: throws }, { ...state, get failures() { return throws(); } }, new Map(), undefined,
        { ...state, leftMs: 'soon' }, { ...state, failures: {} }, { ...state, trips: [1] }, { ...state, window: 'wide' }, { state: 'open' },
      ].map((no) => ({ version: 1, at, keys: { ...keys, b: no } })),
    ];
    for (const [index, saved] of bad.entries()) {
      assert.throws(() => breaker.import(saved), { name: 'RetryError', kind: 'invalid_config', message: /CircuitBreaker: import/ }, String(index));
    }
    assert.deepEqual(breaker.keys(), ['a']);
    breaker.import({ version: 1, at, keys: { b: state } });
    assert.equal(breaker.state('b').state, 'open');
  });

  test('holds keys of any text', () => {
    const { breaker } = guarded();
    for (const key of ['__proto__', 'constructor', '', 'a\nb"']) breaker.isolate(key);
    const other = guarded().breaker;
    other.import(JSON.parse(JSON.stringify(breaker.export())));
    for (const key of ['__proto__', 'constructor', '', 'a\nb"']) assert.equal(other.state(key).state, 'isolated', key);
  });
});

describe('an engine that breaks down', () => {
  const trap = () => { throw new WebAssembly.RuntimeError('unreachable'); };

  test('leaves a breaker that is closed and works', async () => {
    const { call, state, breaker, clock } = guarded();
    await inTurn(call, 503, 503);
    assert.equal(state(), 'open');
    await assert.rejects(createFetch({ fetch: async () => failed(503), clock, random: trap })(URL_), /engine/);
    assert.equal(state(), 'closed');
    assert.equal(await call(200), 200);
    await inTurn(call, 503, 503);
    assert.deepEqual([state(), await call(200)], ['open', 'circuit_open']);
    assert.equal(breaker.keys().length, 1);
  });

  test('leaves one isolated that was isolated as a whole', async () => {
    const { call, breaker, clock } = guarded();
    await call(200);
    breaker.isolate();
    await assert.rejects(createFetch({ fetch: async () => failed(503), clock, random: trap })(URL_), /engine/);
    assert.deepEqual([breaker.state().state, await call(200)], ['isolated', 'circuit_open']);
  });

  test('leaves one isolated that was isolated by its key, and tells nobody of it again', async () => {
    const { call, breaker, state, changes, clock } = guarded();
    breaker.isolate(ORIGIN);
    const breakDown = () => assert.rejects(createFetch({ fetch: async () => failed(503), clock, random: trap })('https://other.example/'), /engine/);
    await breakDown();
    await breakDown();
    assert.deepEqual([await call(200), state(), changes], ['circuit_open', 'isolated', ['closed > isolated']]);
    breaker.close(ORIGIN);
    await breakDown();
    assert.deepEqual([await call(200), changes], [200, ['closed > isolated', 'isolated > closed']]);
  });

  test('leaves a key closed that was closed while all were isolated', async () => {
    const { call, breaker, clock } = guarded();
    await call(200);
    breaker.isolate();
    breaker.close(ORIGIN);
    await assert.rejects(createFetch({ fetch: async () => failed(503), clock, random: trap })('https://other.example/'), /engine/);
    assert.deepEqual([await call(200), breaker.state('https://other.example').state], [200, 'isolated']);
  });

  test('in the middle of its own calls leaves one as well', async () => {
    const world = guarded({}, { maxAttempts: 2 });
    const { fetch, state, call } = world;
    world.answer = 503;
    const results = await Promise.allSettled([fetch(URL_), fetch.with({ random: trap })(URL_), fetch(URL_)]);
    assert.equal(results[1].status, 'rejected');
    assert.equal(state(), 'closed');
    await inTurn(call, 503, 503);
    assert.equal(state(), 'open');
  });
});
