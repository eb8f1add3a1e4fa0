// sabotage: exempt, the wrong engine does nothing wrong to the state that calls share
//
// Breaker and budget as options: which one an option stands for, which calls share it, and what a call asks of it.

import assert from 'node:assert/strict';
import { describe, mock, test } from 'node:test';
import { CircuitBreaker, createFetch, explain, historyOf, retry, RetryBudget, RetryPolicy, retryStream, withRetry } from 'dacapo';
import { GuardHandle } from '../../pkg/dacapo.js';
import { fakeClock, settled } from './lib/clock.js';
import { guarded, ORIGIN } from './lib/guarded.js';
import { failed, stubFetch, URL_ } from './lib/stub.js';

const down = Object.assign(new Error('down'), { status: 503 });
const fails = () => { throw down; };
const faultsOf = async (make) => {
  try {
    await make();
  } catch (error) {
    assert.equal(error.kind, 'invalid_config');
    return error.faults.map(({ option }) => option);
  }
  return [];
};

/** How an operation ended under a breaker that opens at the first failure: two that share it end as `circuit_open`. */
const ended = (options) => retry(fails, { maxAttempts: 1, ...options }).catch(({ kind }) => kind);

describe('which breaker an option is', () => {
  test('the same object of options is the same one, wherever it is given', async () => {
    const breaker = { failures: 1 };
    assert.deepEqual([await ended({ breaker }), await ended({ breaker })], ['overloaded', 'circuit_open']);
    assert.equal(await ended({ policy: new RetryPolicy({ breaker, maxAttempts: 1 }) }), 'circuit_open');
    assert.equal(await ended({ breaker: { failures: 1 } }), 'overloaded', 'an equal one is another');
  });

  test('and the same class instance', async () => {
    const breaker = new CircuitBreaker({ failures: 1 });
    assert.equal(await ended({ breaker }), 'overloaded');
    assert.deepEqual([await ended({ breaker }), breaker.state().state], ['circuit_open', 'open']);
  });

  test('a policy has one of its own for true, which it takes along when it is changed', async () => {
    const policy = new RetryPolicy({ breaker: true, maxAttempts: 1 });
    for (let call = 0; call < 4; call++) await ended({ policy });
    assert.equal(await ended({ policy: policy.with({ maxAttempts: 2 }) }), 'overloaded', 'the fifth failure opens it');
    assert.equal(await ended({ policy }), 'circuit_open');
    assert.equal(await ended({ policy, initialDelayMs: 1 }), 'circuit_open');
    assert.equal(await ended({ policy: policy.with({ breaker: false }) }), 'overloaded');
    assert.equal(await ended({ policy: policy.with({ breaker: true }) }), 'overloaded', 'asked for anew');
    assert.equal(await ended({ policy: new RetryPolicy({ policy }) }), 'circuit_open');
    assert.equal(await ended({ policy: new RetryPolicy({ breaker: true }) }), 'overloaded');
  });

  test('fetch.with and the options of one call go on with it', async () => {
    const fetch = createFetch({ breaker: { failures: 2 }, maxAttempts: 1, fetch: stubFetch(503) });
    await fetch.with({ markFinal: true })(URL_);
    await fetch(URL_, {}, { expect: 'json' });
    await assert.rejects(fetch(URL_), { kind: 'circuit_open' });
    await assert.rejects(fetch(URL_, {}, { maxAttempts: 2 }), { kind: 'circuit_open' });
    assert.equal((await fetch(URL_, {}, { breaker: false })).status, 503);
  });

  test('what would be forgotten after one call is a fault', async () => {
    const fetch = createFetch({ fetch: stubFetch(200) });
    for (const [options, names] of [[{ breaker: true }, ['breaker']], [{ breaker: true, budget: true }, ['breaker', 'budget']], [{ preset: 'aws', breaker: true }, ['breaker']]]) {
      assert.deepEqual(await faultsOf(() => retry(() => 1, options)), names);
      assert.deepEqual(await faultsOf(() => retryStream(() => [], options)), names);
      assert.deepEqual(await faultsOf(() => fetch(URL_, {}, options)), names);
      assert.deepEqual(await faultsOf(() => createFetch(options)), []);
      assert.deepEqual(await faultsOf(() => withRetry({ go() {} }, { methods: { go: 'promise' }, ...options })), []);
      assert.deepEqual(await faultsOf(() => retry(() => 1, { policy: new RetryPolicy(options) })), []);
    }
    await assert.rejects(retry(() => 1, { breaker: true }), { message: /breaker is on for this call alone, which would forget it.*CircuitBreaker/ });
  });

  test('the budget of a preset that is given to single calls is one for all of them', async () => {
    const options = () => ({ preset: 'aws', clock: fakeClock(), maxAttempts: 6, random: () => 0 });
    const marks = async (call, count) => {
      const seen = new Set();
      for (let i = 0; i < count; i++) seen.add(historyOf(await call().catch((error) => error)).mark);
      return [...seen];
    };
    const both = ['attempts_exhausted', 'retry_budget_exhausted'];
    assert.deepEqual(await marks(() => retry(fails, options()), 9), both);
    assert.deepEqual(await marks(() => retryStream(fails, options()).next(), 1), both.slice(1), 'which is that of retryStream');
    const fetch = createFetch({ fetch: stubFetch(503) });
    assert.deepEqual(await marks(() => fetch('https://one.example/', {}, options()), 9), both);
    const targets = createFetch({ fetch: stubFetch(503), targets: [{ provider: 'one' }] });
    assert.deepEqual(await marks(() => targets('https://two.example/', {}, options()), 9), both);
    assert.deepEqual(await marks(() => retry(fails, { ...options(), budget: false }), 1), both.slice(0, 1));
    assert.deepEqual(await marks(() => retry(fails, { ...options(), budget: new RetryBudget() }), 1), both.slice(0, 1));
  });

  test('the budget of a preset goes with the policy, and goes away with the preset', async () => {
    const clock = fakeClock();
    const policy = new RetryPolicy({ preset: 'aws', clock, maxAttempts: 20, random: () => 0 });
    const sends = async (options) => (await retry(fails, { policy, ...options }).catch((error) => error)).retry.totalAttempts;
    assert.deepEqual([await sends(), await sends({ maxDelayMs: 9000 }), await sends()], [20, 1 + 500 / 14 - 19 | 0, 1]);
    assert.equal(await sends({ policy: policy.with({ preset: 'elelem' }), maxAttempts: 20 }), 20);
    assert.equal(await sends({ policy: policy.with({ budget: false }) }), 20);
  });

  test('options are shown as they are in force, those of an instance too', () => {
    const { options } = new RetryPolicy({ breaker: new CircuitBreaker({ failures: 9 }), budget: new RetryBudget({ capacity: 10 }) });
    assert.deepEqual([options.breaker.failures, options.budget.capacity, options.budget.initial], [9, 10, 10]);
    assert.equal(explain({ breaker: true }).options.breaker.failures, 5);
  });

  test('what was given may be changed afterwards without effect', async () => {
    const options = { failures: 1 };
    const policy = new RetryPolicy({ breaker: options, maxAttempts: 1 });
    options.failures = 100;
    assert.deepEqual([await ended({ policy }), await ended({ policy })], ['overloaded', 'circuit_open']);
  });

  test('anything else is a fault, told with all others', async () => {
    const wrong = { breaker: new RetryBudget(), budget: new Map(), maxAttempts: 0 };
    assert.deepEqual(await faultsOf(() => new RetryPolicy(wrong)), ['breaker', 'budget', 'maxAttempts']);
    const mixed = { breaker: new RetryBudget(), budget: new CircuitBreaker() };
    assert.throws(() => new RetryPolicy(mixed), { message: /breaker is a RetryBudget, must be .* or a CircuitBreaker; budget is a CircuitBreaker, must be .* or a RetryBudget$/ });
    assert.throws(() => new RetryPolicy({ breaker: 5, budget: 'on' }), { message: /breaker is 5, must be .* or a CircuitBreaker; budget is "on", must be .* or a RetryBudget$/ });
    assert.throws(() => new RetryPolicy({ breaker: { openMs: 400_000 } }), { message: /breaker.openMs is 400000, must be at most breaker.maxOpenMs, which is 300000$/ });
    for (const breaker of [null, 5, 'on', [], () => true]) assert.deepEqual(await faultsOf(() => new RetryPolicy({ breaker })), ['breaker']);
    assert.deepEqual(await faultsOf(() => new RetryPolicy({ breaker: { failures: 0, key: 5, onStateChange: 1, store: 1 }, budget: { store: { read() {} }, initial: -1 } })), [
      'budget.store', 'breaker.failures', 'breaker.key', 'breaker.onStateChange', 'breaker.store', 'budget.initial',
    ]);
  });
});

describe('which calls share a state', () => {
  test('those to one origin, however their URLs are written', async () => {
    const { fetch, breaker } = guarded({ failures: 100 });
    const inputs = [
      `${ORIGIN}/v1/chat`, `${ORIGIN}/v1/other`, ORIGIN, `${ORIGIN}?q=/a`, `${ORIGIN}#/a`, 'HTTPS://API.EXAMPLE/v1', `${ORIGIN}:443/v1`,
      'https://user:pass@api.example/v1', ' https://api.example/v1', 'https:\\\\api.example\\v1', 'https:///api.example/v1', `${ORIGIN}/?u=http://b.example/`,
      new URL(`${ORIGIN}/v1`), new Request(`${ORIGIN}/v1`),
    ];
    for (const input of inputs) await fetch(input);
    assert.deepEqual(breaker.keys(), [ORIGIN]);
  });

  test('and no others', async () => {
    const { fetch, breaker } = guarded();
    const origins = ['https://a.example', 'http://a.example', 'https://a.example:8443', 'https://a.exampl', 'https://b.a.example'];
    await fetch('of no page');
    for (const origin of origins) await fetch(`${origin}/v1`);
    for (const origin of origins) await fetch(origin);
    assert.deepEqual(breaker.keys(), ['', ...origins]);
    await retry(() => 1, { policy: fetch.policy });
    await fetch('https://c.example');
    assert.equal(breaker.keys().at(-1), 'https://c.example');
  });

  test('a failing origin leaves the others alone', async () => {
    const { call, state } = guarded();
    const other = 'https://other.example/v1';
    for (const url of [URL_, other, URL_]) await call(url === other ? 200 : 503, undefined, url);
    assert.deepEqual([await call(200), await call(200, undefined, other), state(new URL(other).origin)], ['circuit_open', 200, 'closed']);
  });

  test('a relative URL has the origin of the page', async () => {
    const { call, breaker } = guarded();
    globalThis.location = { origin: 'https://page.example' };
    try {
      await call(200, undefined, '/api');
    } finally {
      delete globalThis.location;
    }
    await call(200, undefined, '/of-no-page');
    assert.deepEqual(breaker.keys(), ['https://page.example', '']);
  });

  test('those of one key, where a function gives it', async () => {
    const { fetch, breaker } = guarded({ key: (url) => new URL(url).pathname.split('/')[1] });
    for (const path of ['a/1', 'a/2', 'b/1']) await fetch(`${ORIGIN}/${path}`);
    assert.deepEqual(breaker.keys(), ['a', 'b']);
  });

  test('a function for the key is shown no credentials of the URL, so none becomes a key', async () => {
    const breaker = new CircuitBreaker({ key: (url) => url });
    const fetch = createFetch({ breaker, budget: { key: (url) => url }, maxAttempts: 1, redact: { query: ['tenant'] }, fetch: stubFetch(200) });
    await fetch('https://user:S3cretPass@one.example/v1?key=S3cretKey&alt=sse&tenant=acme');
    assert.deepEqual(breaker.keys(), ['https://one.example/v1?alt=sse']);
  });

  test('a function that throws or gives no text ends the call, and nothing is sent', async () => {
    const mine = new Error('mine');
    const { call, sends } = guarded({ key: () => { throw mine; } });
    assert.equal(await call(), 'Error');
    const other = guarded({ key: () => 5 });
    assert.deepEqual([await other.call(), await other.call(200, { signal: new AbortController().signal })], ['invalid_config', 'invalid_config']);
    assert.deepEqual([sends, other.sends], [[], []]);
  });

  test('a breaker and a budget may tell calls apart by different keys', async () => {
    const budget = new RetryBudget({ key: 'all' });
    const { fetch, breaker } = guarded({}, { budget, maxAttempts: 2 });
    await fetch('https://a.example/');
    await fetch('https://b.example/');
    assert.deepEqual([breaker.keys(), budget.keys()], [['https://a.example', 'https://b.example'], ['all']]);
  });

  test('of more keys than are kept those go first of which nothing is known but success', async () => {
    const { fetch, breaker, ...world } = guarded({ failures: 1 });
    const url = (n) => `https://${n}.example/`;
    breaker.isolate('by hand');
    for (let n = 0; n < 3000; n++) {
      Object.assign(world, { answer: 200 });
      await fetch(url(n));
      if (n === 5) await fetch.with({ fetch: async () => failed(503) })(url(n));
    }
    const keys = breaker.keys();
    assert.ok(keys.length <= 1024, String(keys.length));
    assert.deepEqual([keys.includes('https://2999.example'), keys.includes('https://6.example')], [true, false]);
    assert.deepEqual([breaker.state('by hand').state, breaker.state('https://5.example').state], ['isolated', 'open']);
    await assert.rejects(fetch(url(5)), { kind: 'circuit_open' });
    assert.equal((await fetch(url(6))).status, 200);
  });

  test('a key that was isolated by hand is kept, however many others there are', async () => {
    const { fetch, breaker } = guarded({ failures: 1 }, { fetch: async () => failed(503) });
    const keys = Array.from({ length: 1500 }, (_, n) => `by hand ${n}`);
    for (const key of keys) breaker.isolate(key);
    for (let n = 0; n < 1500; n++) await fetch(`https://${n}.example/`);
    assert.deepEqual(keys.filter((key) => breaker.state(key).state !== 'isolated'), []);
    assert.ok(breaker.keys().length <= keys.length + 256, String(breaker.keys().length));
  });

  test('where all are isolated a key is kept that was closed, and the others need not be', async () => {
    const { breaker, call } = guarded();
    breaker.isolate();
    breaker.close(ORIGIN);
    for (let n = 0; n < 3000; n++) assert.equal(await call(200, undefined, `https://${n}.example/`), 'circuit_open');
    assert.ok(breaker.keys().length <= 1024, String(breaker.keys().length));
    assert.deepEqual([await call(200), breaker.state('https://0.example').state], [200, 'isolated']);
  });
});

describe('what a call asks', () => {
  /** What the engine was asked while this ran. */
  async function asked(run) {
    const spies = ['admit', 'report', 'withdraw'].map((name) => mock.method(GuardHandle.prototype, name));
    try {
      await run();
    } finally {
      spies.forEach((spy) => spy.mock.restore());
    }
    return Object.fromEntries(spies.map(({ mock: { calls } }, at) => [['admit', 'report', 'withdraw'][at], calls.map((call) => call.arguments.slice(0, -1))]));
  }

  test('one that succeeds is one admit and one report', async () => {
    const { fetch } = guarded({}, { budget: true });
    for (const input of [URL_, new Request(URL_)]) {
      const { admit, report, withdraw } = await asked(() => fetch(input));
      assert.deepEqual([admit.length, report.map(([, outcome]) => outcome), withdraw.length], [1, [0], 0]);
    }
    const policy = new RetryPolicy({ breaker: true });
    const { admit, report } = await asked(() => retry(() => 1, { policy }));
    assert.deepEqual([admit.length, report.length], [1, 1]);
  });

  test('one that fails is one admit, and the engine reports', async () => {
    const { fetch, breaker, ...world } = guarded({}, { maxAttempts: 2 });
    const { admit, report } = await asked(() => fetch.with({ fetch: async () => failed(503) })(URL_));
    assert.deepEqual([admit.length, report.length, breaker.state(ORIGIN).failures, world.sends.length], [1, 0, 1, 0]);
  });

  test('without breaker and budget it is nothing', async () => {
    const { admit, report } = await asked(async () => {
      await createFetch({ fetch: stubFetch(503, 200), clock: fakeClock() })(URL_);
      await retry(() => 1);
    });
    assert.deepEqual([admit, report], [[], []]);
  });

  test('making a policy, a breaker or a fetch asks nothing, reads no clock and draws no number', async () => {
    const touched = [];
    const spies = [[Math, 'random'], [Date, 'now'], [performance, 'now'], [crypto, 'getRandomValues']].map(([object, name]) => mock.method(object, name, () => {
      touched.push(name);
      return 0;
    }));
    try {
      createFetch({ breaker: new CircuitBreaker({ mode: 'rolling' }), budget: { mode: 'ratio' } });
      new RetryPolicy({ breaker: true, budget: true }).with({ maxAttempts: 2 });
    } finally {
      spies.forEach((spy) => spy.mock.restore());
    }
    assert.deepEqual(touched, []);
  });

  test('an answer that is looked at is reported when it has been', async () => {
    const { fetch, breaker, cooledDown, ...world } = guarded();
    await cooledDown();
    const json = () => new Response('{"ok":true}', { headers: { 'content-type': 'application/json' } });
    const response = await fetch.with({ fetch: async () => json() })(URL_, { method: 'POST', body: '{}' });
    assert.deepEqual([await response.json(), breaker.state(ORIGIN).state, world.sends.length], [{ ok: true }, 'closed', 0]);
  });

  test('a clock that throws ends the call with its error and leaves no probe behind', async () => {
    const broken = new Error('no time');
    const { fetch, cooledDown, breaker, clock } = guarded();
    await cooledDown();
    const bad = { ...clock, now: () => { throw broken; }, mono: () => clock.monoMs };
    await assert.rejects(fetch.with({ clock: bad, fetch: async () => failed(503) })(URL_), (error) => error === broken);
    await fetch.with({ clock })('https://other.example/');
    assert.deepEqual([breaker.state(ORIGIN).state, breaker.state(ORIGIN).retryAfterMs], ['half_open', 0]);
  });

  test('a mock that gives no Response ends the call and leaves no probe behind', async () => {
    const { fetch, cooledDown, breaker } = guarded();
    for (const answer of [undefined, { ok: true, status: 200, headers: {} }, { ok: true, status: 200, headers: { get() { throw new Error('mine'); } } }]) {
      await cooledDown();
      await fetch.with({ fetch: async () => answer })(URL_, { method: 'POST' }).catch(() => {});
      const { state, retryAfterMs } = breaker.state(ORIGIN);
      assert.deepEqual([state, retryAfterMs], ['half_open', 0], JSON.stringify(answer));
      breaker.close(ORIGIN);
    }
  });

  test('the history of what a breaker ended is kept as any other', async () => {
    const { fetch, breaker } = guarded();
    breaker.isolate(ORIGIN);
    const error = await fetch(URL_).catch((reason) => reason);
    await settled();
    assert.equal(historyOf(new Error('SDK', { cause: error })).mark, 'circuit_open');
  });
});
