// The retry budget: what retries cost, what surfaces when it is spent, and how many requests a storm sends.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createFetch, historyOf, retry, RetryBudget } from 'dacapo';
import { RAMP_MS, SCENARIOS } from './lib/aws.js';
import { fakeClock } from './lib/clock.js';
import { deadPort, serve } from './lib/server.js';
import { failed, stubFetch, URL_ } from './lib/stub.js';

const ORIGIN = new URL(URL_).origin;
const LONGEST = () => 1 - Number.EPSILON;
const refused = (status) => Object.assign(new Error(`HTTP ${status}`), { status });

/** Makes the calls of a scenario one after the other, and checks each. */
async function play({ initial, maxAttempts = 3, calls }, call, key) {
  const budget = new RetryBudget(initial === undefined ? {} : { initial });
  const clock = fakeClock();
  const options = { preset: 'aws', maxAttempts, budget, clock, random: LONGEST };
  for (const { answers, waits, tokens, mark } of calls) {
    const seen = [];
    clock.waits.length = 0;
    const ended = await call({ ...options, onRetry: () => seen.push(budget.tokens(key)) }, answers);
    seen.push(budget.tokens(key));
    assert.deepEqual(clock.waits, waits);
    assert.deepEqual(seen, tokens);
    assert.equal(historyOf(ended)?.mark, mark);
  }
}

describe("AWS's scenarios", () => {
  for (const scenario of SCENARIOS) {
    test(`through createFetch: ${scenario.name}`, () => play(scenario, async (options, answers) => {
      const stub = stubFetch(...answers);
      const response = await createFetch({ ...options, fetch: stub })(URL_);
      assert.deepEqual([response.status, stub.calls.length], [answers.at(-1), answers.length]);
      return response;
    }, ORIGIN));

    test(`through retry: ${scenario.name}`, () => play(scenario, async (options, answers) => {
      let sends = 0;
      const ended = await retry(() => {
        const status = answers[sends++];
        if (status !== 200) throw refused(status);
        return { status };
      }, options).catch((error) => error);
      assert.deepEqual([ended.status, sends], [answers.at(-1), answers.length]);
      return ended;
    }, ''));
  }

  test('eleven waits double up to twenty seconds, at random from none to all of each', async () => {
    for (const [unit, share] of [[LONGEST, 1], [() => 0.5, 0.5], [() => 0, 0]]) {
      const clock = fakeClock();
      await createFetch({ preset: 'aws', maxAttempts: 12, fetch: stubFetch(500), clock, random: unit })(URL_);
      assert.deepEqual(clock.waits, RAMP_MS.map((ms) => ms * share).filter((ms) => ms > 0));
    }
  });

  test("a server's hint makes a wait longer by up to five seconds, and never shorter", async () => {
    for (const [hint, wait] of [[0, 50], [30, 50], [700, 700], [5050, 5050], [60_000, 5050]]) {
      const clock = fakeClock();
      const headers = { 'x-amz-retry-after': String(hint), 'retry-after': '99' };
      await createFetch({ preset: 'aws', fetch: stubFetch(failed(503, headers), 200), clock, random: LONGEST })(URL_);
      assert.deepEqual(clock.waits, [wait], `${hint}`);
    }
  });

  test('408 and the other 5xx are not retried', async () => {
    for (const status of [408, 501, 505, 529]) {
      const stub = stubFetch(status);
      await createFetch({ preset: 'aws', fetch: stub, clock: fakeClock() })(URL_);
      assert.equal(stub.calls.length, 1, status);
    }
  });
});

describe('a budget that is spent', () => {
  test('ends the call with its own Response, the original object', async () => {
    const answer = failed(503);
    const response = await createFetch({ budget: { initial: 0 }, fetch: stubFetch(answer), clock: fakeClock() })(URL_);
    assert.equal(response, answer);
    assert.equal(await response.text(), 'status 503');
    const { mark, last, retry: ledger } = historyOf(response);
    assert.deepEqual([mark, last.delayMs, ledger.totalAttempts], ['retry_budget_exhausted', 0, 1]);
  });

  test("ends it with the platform's own error", async () => {
    const lost = Object.assign(new TypeError('fetch failed'), { cause: Object.assign(new Error('x'), { code: 'ECONNRESET' }) });
    const error = await createFetch({ budget: { initial: 0 }, fetch: stubFetch(lost), clock: fakeClock() })(URL_).catch((reason) => reason);
    assert.equal(error, lost);
    assert.equal(historyOf(error).mark, 'retry_budget_exhausted');
  });

  test('under retry ends it with a RetryError of the kind that failed, whose cause is the error', async () => {
    const down = refused(503);
    const error = await retry(() => { throw down; }, { budget: new RetryBudget({ initial: 0 }), clock: fakeClock() }).catch((reason) => reason);
    assert.deepEqual([error.kind, error.mark, error.cause, error.status], ['overloaded', 'retry_budget_exhausted', down, 503]);
  });

  test('lets first attempts pass', async () => {
    const fetch = createFetch({ budget: { initial: 0, cleanCredit: 0 }, fetch: stubFetch(503, 200, 503), clock: fakeClock() });
    assert.deepEqual([(await fetch(URL_)).status, (await fetch(URL_)).status], [503, 200]);
  });

  test('is not asked for what would not be retried anyway', async () => {
    const budget = new RetryBudget();
    const options = { budget, clock: fakeClock(), random: LONGEST };
    await createFetch({ ...options, fetch: stubFetch(400) })(URL_);
    await createFetch({ ...options, maxAttempts: 1, fetch: stubFetch(503) })(URL_);
    await createFetch({ ...options, fetch: stubFetch(503), shouldRetry: () => false })(URL_);
    await createFetch({ ...options, fetch: stubFetch(503), deadlineMs: 100 })(URL_);
    await createFetch({ ...options, fetch: stubFetch(failed(503, { 'retry-after': '3600' })) })(URL_);
    assert.equal(budget.tokens(ORIGIN), 500);
  });

  test('is told apart by origin, by a key, or not at all', async () => {
    const urls = ['https://a.example/x', 'https://b.example/x'];
    for (const [options, keys] of [
      [{}, ['https://a.example', 'https://b.example']],
      [{ key: 'all' }, ['all']],
      [{ key: (url) => url.at(8) }, ['a', 'b']],
    ]) {
      const budget = new RetryBudget(options);
      const fetch = createFetch({ budget, fetch: stubFetch(503), clock: fakeClock(), maxAttempts: 2 });
      for (const url of urls) await fetch(url);
      assert.deepEqual(budget.keys(), keys);
      assert.deepEqual(keys.map((key) => budget.tokens(key)), keys.length === 1 ? [500 - 28] : [486, 486]);
    }
  });
});

describe('as a ratio', () => {
  const options = { mode: 'ratio', ratio: 0.2, windowMs: 10_000, reservePerSecond: 0 };

  test('retries are a share of the calls in the window', async () => {
    const budget = new RetryBudget(options);
    const clock = fakeClock();
    const well = createFetch({ budget, clock, fetch: stubFetch(200) });
    for (let call = 0; call < 10; call++) await well(URL_);
    assert.equal(budget.tokens(ORIGIN), 2);
    const down = stubFetch(503);
    await createFetch({ budget, clock, random: () => 0, fetch: down, maxAttempts: 9, jitter: 'full' })(URL_);
    assert.deepEqual([down.calls.length, budget.tokens(ORIGIN)], [3, 0]);
    clock.advance(20_000);
    assert.equal(budget.tokens(ORIGIN), 0, 'no calls, no retries');
  });

  test('a reserve is there for the times in which calls are few', () => {
    assert.equal(new RetryBudget({ ...options, reservePerSecond: 3 }).tokens(), 30);
  });
});

test('its state goes on in another process', async () => {
  const budget = new RetryBudget();
  await createFetch({ budget, fetch: stubFetch(503), clock: fakeClock() })(URL_);
  const other = new RetryBudget();
  other.import(JSON.parse(JSON.stringify(budget.export())));
  assert.deepEqual([other.keys(), other.tokens(ORIGIN)], [[ORIGIN], 472]);
  for (const state of [5, {}, new Map(), { tokens: 'many' }, { tokens: [5] }, { tokens: 5, window: 5 }, { tokens: 5n }]) {
    assert.throws(() => other.import({ version: 1, at: 0, keys: { a: state } }), { kind: 'invalid_config', message: /RetryBudget: import/ });
  }
  assert.deepEqual(other.keys(), [ORIGIN]);
});

test('it is asked by a URL, and without a key where there is only one', async () => {
  const budget = new RetryBudget();
  assert.equal(budget.tokens(), 500);
  const fetch = createFetch({ budget, fetch: stubFetch(503), clock: fakeClock() });
  await fetch(URL_);
  assert.deepEqual([budget.tokens(), budget.tokens(URL_), budget.tokens(`${ORIGIN}/`)], [472, 472, 472]);
  await fetch('https://other.example/');
  assert.throws(() => budget.tokens(), { kind: 'invalid_config', message: `no key was given where 2 are kept, must be one of "${ORIGIN}", "https://other.example"` });
});

describe('a thousand callers of a server that is down', () => {
  const CALLERS = 1000;
  const storm = { maxAttempts: 3, initialDelayMs: 1, maxDelayMs: 2 };
  const one = async (fetch, url) => {
    try {
      const response = await fetch(url, { method: 'POST', body: '{}' });
      await response.body?.cancel();
      return response;
    } catch (error) {
      return error;
    }
  };
  const all = (fetch, url, callers = CALLERS) => Promise.all(Array.from({ length: callers }, () => one(fetch, url)));

  test('send no more requests than the ratio and its reserve allow', { timeout: 120_000 }, async (t) => {
    const { url, requests } = await serve(t, 503);
    const ends = await all(createFetch({ ...storm, budget: { mode: 'ratio', ratio: 0.2, windowMs: 100_000, reservePerSecond: 1 } }), url);
    assert.ok(requests.length > CALLERS * 1.1 && requests.length <= CALLERS * 1.2 + 100, String(requests.length));
    assert.ok(ends.every(({ status }) => status === 503));
    assert.ok(ends.some((end) => historyOf(end).mark === 'retry_budget_exhausted'));
  });

  test('send no more than the bucket pays for, also where nothing listens', { timeout: 120_000 }, async () => {
    const url = `http://127.0.0.1:${await deadPort()}/`;
    let sends = 0;
    const counted = (...args) => {
      sends += 1;
      return fetch(...args);
    };
    const ends = await all(createFetch({ ...storm, budget: true, fetch: counted }), url);
    assert.equal(sends, CALLERS + Math.floor(500 / 14));
    assert.ok(ends.every((end) => end instanceof TypeError && historyOf(end).last.error.kind === 'transport'));
  });

  test('leave it alone after the first failures when there is a breaker', { timeout: 120_000 }, async (t) => {
    const { url, requests } = await serve(t, 503);
    const fetch = createFetch({ ...storm, budget: true, breaker: { failures: 5 } });
    const ends = [];
    while (ends.length < CALLERS) ends.push(...await all(fetch, url, 10));
    assert.ok(requests.length >= 10 && requests.length <= 3 * 10, String(requests.length));
    assert.ok(ends.slice(10).every(({ kind }) => kind === 'circuit_open'));
  });
});
