import assert from 'node:assert/strict';
import test from 'node:test';
import { createFetch, historyOf, retry, retryStream } from 'dacapo';
import { fakeClock, settled } from './lib/clock.js';
import { failed, stubFetch, URL_ } from './lib/stub.js';

const boom = new Error('the hook is broken');

/** A retrying fetch with its stub and clock at hand; waits are 500, 1000, … ms. */
function over(stub, options = {}) {
  const clock = options.clock ?? fakeClock();
  return Object.assign(createFetch({ fetch: stub, clock, jitter: 'none', ...options }), { stub, clock });
}

test('onEvent is told of every failure and wait, and of the end exactly once', async () => {
  for (const [answers, types, outcome] of [
    [[503, 503, 200], ['failed', 'waiting', 'failed', 'waiting', 'settled'], 'delivered'],
    [[503], ['failed', 'waiting', 'failed', 'waiting', 'failed', 'settled'], 'failed'],
    [[404], ['failed', 'settled'], 'failed'],
    [[new TypeError('fetch failed'), 200], ['failed', 'waiting', 'settled'], 'delivered'],
  ]) {
    const events = [];
    const result = await over(stubFetch(...answers), { onEvent: (event) => events.push(event) })(URL_);
    assert.deepEqual(events.map(({ type }) => type), types);
    assert.equal(events.at(-1).outcome, outcome);
    assert.equal(events.at(-1).history, historyOf(result));
  }
});

test('a failure is told with its record and verdict, a wait with its length and origin', async () => {
  const events = [];
  await over(stubFetch(failed(429, { 'retry-after': '2' }), 503, 200), { hintJitter: 0, onEvent: (event) => events.push(event) })(URL_);
  const [first, hinted, , backed] = events;
  assert.deepEqual(first.verdict, { kind: 'rate_limited', retryable: true, code: null, retryAfterMs: 2000, rule: 'status' });
  assert.equal(first.attempt.attempt, 1);
  assert.deepEqual([hinted.delayMs, hinted.from, hinted.attempt.delayMs], [2000, 'hint', 2000]);
  assert.deepEqual([backed.delayMs, backed.from, backed.attempt.attempt], [1000, 'backoff', 2]);
});

test('an onEvent that throws or rejects fails no call', async () => {
  for (const onEvent of [() => { throw boom; }, () => Promise.reject(boom), () => ({ get then() { throw boom; } })]) {
    assert.equal((await over(stubFetch(503, 200), { onEvent })(URL_)).status, 200);
  }
  await settled();
});

test('an onEvent is not waited for', async () => {
  assert.equal((await over(stubFetch(503, 200), { onEvent: () => new Promise(() => {}) })(URL_)).status, 200);
});

test('onRetry is called before each wait with the wait that is about to begin, and not after the last attempt', async () => {
  const told = [];
  const fetch = over(stubFetch(503), { onRetry: (record) => told.push([record.attempt, record.delayMs, fetch.clock.waits.length]) });
  await fetch(URL_);
  assert.deepEqual(told, [[1, 500, 0], [2, 1000, 1]]);
});

test('onRetry is given the caller\'s signal', async () => {
  const { signal } = new AbortController();
  const seen = [];
  const fetch = over(stubFetch(503, 200), { onRetry: (_, context) => seen.push(context.signal) });
  await fetch(URL_, { signal });
  await fetch.with({ fetch: stubFetch(503, 200) })(URL_);
  assert.deepEqual(seen, [signal, undefined]);
});

test('onRetry is waited for', async () => {
  const order = [];
  const clock = fakeClock();
  const { sleep } = clock;
  clock.sleep = function (ms) {
    order.push('sleep');
    return sleep.call(this, ms);
  };
  const onRetry = async () => {
    await settled(1);
    order.push('hook');
  };
  await over(stubFetch(503, 200), { clock, onRetry })(URL_);
  assert.deepEqual(order, ['hook', 'sleep']);
});

for (const hook of ['onRetry', 'shouldRetry']) {
  test(`a ${hook} that throws ends the call with its error by identity`, async () => {
    for (const [thrown, act] of [
      [boom, () => { throw boom; }], [boom, async () => { throw boom; }], ['text', () => { throw 'text'; }],
      [undefined, () => Promise.reject()],
    ]) {
      const fetch = over(stubFetch(503, 200), { [hook]: act });
      await assert.rejects(fetch(URL_), (error) => error === thrown);
      assert.equal(fetch.stub.calls.length, 1);
      assert.deepEqual(fetch.clock.waits, []);
    }
    const { mark, last, attempts } = historyOf(boom);
    assert.deepEqual([mark, last.error.status, last.delayMs, attempts], ['hook_error', 503, 0, undefined]);
  });

  test(`with hookErrors: swallow a ${hook} that throws changes nothing`, async () => {
    const fetch = over(stubFetch(503, 200), { [hook]: () => { throw boom; }, hookErrors: 'swallow' });
    assert.equal((await fetch(URL_)).status, 200);
    assert.deepEqual(fetch.clock.waits, [500]);
    const permanent = over(stubFetch(404), { [hook]: () => Promise.reject(boom), hookErrors: 'swallow' });
    assert.equal((await permanent(URL_)).status, 404);
    assert.equal(permanent.stub.calls.length, 1);
  });

  test(`an operation's ${hook} that throws rejects with its error by identity`, async () => {
    let sends = 0;
    const operation = () => {
      sends += 1;
      throw new TypeError('fetch failed');
    };
    await assert.rejects(retry(operation, { clock: fakeClock(), [hook]: () => { throw boom; } }), (error) => error === boom);
    assert.equal(sends, 1);
  });
}

test('a hook error settles the call exactly once', async () => {
  const events = [];
  const fetch = over(stubFetch(503), { onRetry: () => { throw boom; }, onEvent: ({ type, outcome }) => events.push([type, outcome]) });
  await assert.rejects(fetch(URL_));
  assert.deepEqual(events, [['failed', undefined], ['settled', 'failed']]);
});

test('shouldRetry may forbid what the rules allow: the Response comes back at once', async () => {
  for (const shouldRetry of [() => false, async () => false]) {
    const response = failed(503);
    const fetch = over(stubFetch(response), { shouldRetry });
    assert.equal(await fetch(URL_), response);
    assert.equal(historyOf(response).mark, 'hook_veto');
  }
  const error = new TypeError('fetch failed');
  await assert.rejects(over(stubFetch(error), { shouldRetry: () => false })(URL_), (thrown) => thrown === error);
});

test('shouldRetry may allow what the rules forbid, but no more attempts than there are', async () => {
  const fetch = over(stubFetch(404), { shouldRetry: () => true });
  const response = await fetch(URL_);
  assert.equal(response.status, 404);
  assert.equal(fetch.stub.calls.length, 3);
  assert.equal(historyOf(response).mark, 'attempts_exhausted');
});

test('a kind that shouldRetry allowed no failure of is still not retryable after the last attempt', async () => {
  for (const [answers, options] of [[[404], { maxAttempts: 1 }], [[404, 404, 401]], [[503, 503, 401]]]) {
    const fetch = over(stubFetch(...answers), { shouldRetry: () => true, ...options });
    const response = await fetch(URL_);
    assert.deepEqual([historyOf(response).mark, fetch.stub.calls.length], ['not_retryable', answers.length]);
  }
});

test('a stream of a kind that shouldRetry allowed is stopped by its output', async () => {
  const denied = () => Object.assign(new Error('denied'), { status: 403 });
  let sends = 0;
  const stream = retryStream(async function* () {
    sends += 1;
    if (sends === 2) yield 'output';
    throw denied();
  }, { clock: fakeClock(), shouldRetry: () => true });
  const chunks = [];
  const read = async () => {
    for await (const chunk of stream) chunks.push(chunk);
  };
  await assert.rejects(read(), ({ kind, mark }) => kind === 'permission' && mark === 'output_begun');
  assert.deepEqual([sends, chunks], [2, ['output']]);
});

test('a shouldRetry that says nothing boolean lets the verdict stand', async () => {
  for (const said of [undefined, null, 0, 1, '', 'no', {}]) {
    const retried = over(stubFetch(503, 200), { shouldRetry: () => said });
    assert.equal((await retried(URL_)).status, 200, String(said));
    const kept = over(stubFetch(404), { shouldRetry: async () => said });
    await kept(URL_);
    assert.equal(kept.stub.calls.length, 1, String(said));
  }
});

test('shouldRetry sees the record and the verdict, frozen', async () => {
  const seen = [];
  await over(stubFetch(failed(503, { 'retry-after': '1' }), 200), { shouldRetry: (...args) => { seen.push(args); } })(URL_);
  const [[record, verdict]] = seen;
  assert.deepEqual([record.attempt, record.error.status, record.error.kind], [1, 503, 'overloaded']);
  assert.deepEqual(verdict, { kind: 'overloaded', retryable: true, code: null, retryAfterMs: 1000, rule: 'status' });
  for (const object of [record, record.error, record.request, record.request.headers, verdict]) assert.ok(Object.isFrozen(object));
});

test('the hint that the server gave still counts when shouldRetry allows a retry', async () => {
  const fetch = over(stubFetch(failed(404, { 'retry-after': '7' }), 200), { shouldRetry: () => true, hintJitter: 0 });
  await fetch(URL_);
  assert.deepEqual(fetch.clock.waits, [7000]);
});

test('hooks cannot change a call by changing their arguments', async () => {
  const vandal = (record) => {
    assert.throws(() => { record.delayMs = 0; }, TypeError);
    assert.throws(() => { record.error.retryable = true; }, TypeError);
  };
  const fetch = over(stubFetch(503), { onRetry: vandal, shouldRetry: vandal });
  await fetch(URL_);
  assert.deepEqual(fetch.clock.waits, [500, 1000]);
});

test('hooks are called without a receiver', async () => {
  const receivers = [];
  const hook = function () {
    receivers.push(this);
  };
  await over(stubFetch(503, 200), { onRetry: hook, onEvent: hook, shouldRetry: hook })(URL_);
  assert.ok(receivers.length >= 4);
  assert.deepEqual([...new Set(receivers)], [undefined]);
});

test('a call that breaks off has settled once as well', async () => {
  const events = [];
  const broken = new Error('no luck');
  const call = createFetch({ fetch: stubFetch(503), random: () => { throw broken; }, onEvent: ({ type, outcome }) => events.push([type, outcome]) })(URL_);
  await assert.rejects(call, (error) => error === broken);
  assert.deepEqual(events.filter(([type]) => type === 'settled'), [['settled', 'failed']]);
  assert.equal(historyOf(broken).retry.totalAttempts, 1);
});
