import assert from 'node:assert/strict';
import test from 'node:test';
import { createFetch, historyOf, RetryError, RetryPolicy } from 'dacapo';
import { fakeClock, settled } from './lib/clock.js';
import { afterHedge, brief, checkWhatIsLeft, hedging, heldSends, OPTIONS } from './lib/legs.js';
import { randomFrom } from './lib/random.js';
import { countedController } from './lib/signals.js';
import { failed, json, stubFetch, URL_ } from './lib/stub.js';

const POST = { method: 'POST', body: '{"a":1}' };
const ok = (text) => new Response(text);
const costly = (total, init) => json({ choices: [{ message: {} }], usage: { prompt_tokens: total - 1, completion_tokens: 1, total_tokens: total } }, init);

checkWhatIsLeft();

test('without the option a slow attempt stays alone, and is sent with what the caller gave', async () => {
  const held = heldSends();
  const call = createFetch({ fetch: held.fetch })(URL_);
  await afterHedge();
  assert.deepEqual([held.sends.length, held.sends[0].init], [1, undefined]);
  held.sends[0].answer(ok('only'));
  assert.equal(await (await call).text(), 'only');
});

test('an attempt that is decided in time stays alone', async () => {
  for (const [answers, sends] of [[[200], 1], [[503, 200], 2]]) {
    const stub = stubFetch(...answers);
    const response = await createFetch({ ...OPTIONS, clock: fakeClock(), fetch: stub })(URL_);
    await afterHedge();
    assert.deepEqual([response.status, stub.calls.length], [200, sends]);
    assert.equal(historyOf(response)?.retry.totalAttempts ?? 1, sends);
  }
});

test('a slow attempt gets a second one beside it, and the one that answers first is delivered', async () => {
  for (const [winner, loser] of [[1, 2], [2, 1]]) {
    const { sent, call, sends } = hedging();
    await sent(2);
    const given = ok(`send ${winner}`);
    sends[winner - 1].answer(given);
    const response = await call;
    assert.equal(response, given);
    assert.equal(await response.text(), `send ${winner}`);
    const { attempts, retry: ledger, last, mark } = historyOf(response);
    assert.deepEqual(attempts.map(brief), [[loser - 1, loser, 'cancelled', 'cancelled', 'hedge_lost']]);
    assert.deepEqual([ledger.totalAttempts, ledger.failedAttempts, ledger.wasteIsLowerBound], [2, 1, true]);
    assert.deepEqual([last, mark, sends.length], [undefined, undefined, 2]);
    assert.deepEqual([sends[winner - 1].signal.aborted, sends[loser - 1].signal.aborted], [false, true]);
    assert.match(attempts[0].error.message, /faster/);
  }
});

test('each of two sends has its own times in its record', async () => {
  const { sent, call, clock } = hedging();
  await sent(1);
  clock.advance(70);
  const second = await sent(2);
  clock.advance(5);
  second.answer(ok('second'));
  const [first] = historyOf(await call).attempts;
  assert.deepEqual([first.startedAt - first.request.startedAt, first.durationMs], [0, 75]);

  const other = hedging();
  await other.sent(1);
  other.clock.advance(70);
  await other.sent(2);
  other.clock.advance(5);
  other.sends[0].answer(ok('first'));
  const [beaten] = historyOf(await other.call).attempts;
  assert.deepEqual([beaten.startedAt - first.startedAt, beaten.durationMs], [70, 5]);
});

test('a send that fails waits for the other, and is recorded as it failed', async () => {
  for (const [bad, good] of [[1, 2], [2, 1]]) {
    const { sent, call, sends } = hedging();
    await sent(2);
    sends[bad - 1].answer(failed(429));
    await afterHedge();
    assert.equal(sends.length, 2);
    sends[good - 1].answer(ok('good'));
    const response = await call;
    assert.equal(await response.text(), 'good');
    assert.deepEqual(historyOf(response).attempts.map(brief), [[bad - 1, bad, 'rate_limited', 'rate_limited', 429]]);
  }
});

test('when both fail the last failure decides, and both count as sends', async () => {
  const { sent, call, sends, clock } = hedging();
  await sent(2);
  sends[1].answer(failed(401, { 'retry-after': '30' }));
  await settled();
  sends[0].answer(failed(503));
  (await sent(3)).answer(ok('third'));
  const response = await call;
  assert.equal(await response.text(), 'third');
  assert.deepEqual(clock.waits, [500], 'it is the first wait');
  const { attempts, retry: ledger } = historyOf(response);
  assert.deepEqual(attempts.map(brief), [[1, 2, 'auth', 'auth', 401], [0, 1, 'server_error', 'overloaded', 503]]);
  assert.deepEqual(attempts.map(({ delayMs }) => delayMs), [0, 500]);
  assert.deepEqual([ledger.totalAttempts, ledger.failedAttempts], [3, 2]);
  await afterHedge();
  assert.equal(sends.length, 3);

  const stops = hedging();
  await stops.sent(2);
  stops.sends[0].answer(failed(503));
  await settled();
  stops.sends[1].answer(failed(401, {}, 'not you'));
  const last = await stops.call;
  assert.deepEqual([last.status, await last.text()], [401, 'not you']);
  const { mark, last: record, attempts: earlier } = historyOf(last);
  assert.deepEqual([mark, brief(record), earlier.map(brief)], ['not_retryable', [1, 2, 'auth', 'auth', 401], [[0, 1, 'server_error', 'overloaded', 503]]]);
});

test('a hedge is made only while there are attempts left', async () => {
  const { sent, call, sends } = hedging({ maxAttempts: 2 });
  await sent(2);
  sends[0].answer(failed(503));
  sends[1].answer(failed(500, {}, 'both are down'));
  const response = await call;
  assert.deepEqual([await response.text(), historyOf(response).mark], ['both are down', 'attempts_exhausted']);
  assert.equal(sends.length, 2);

  const last = hedging({ maxAttempts: 2 });
  (await last.sent(1)).answer(failed(503));
  await last.sent(2);
  await afterHedge();
  assert.equal(last.sends.length, 2);
  last.sends[1].answer(ok('second'));
  await last.call;

  const once = hedging({ maxAttempts: 1 });
  await afterHedge();
  assert.deepEqual([once.sends.length, once.sends[0].init], [1, undefined]);
  once.sends[0].answer(ok('only'));
  assert.equal(historyOf(await once.call), undefined);
});

test('later attempts are hedged as the first is, with numbers that go on', async () => {
  const { sent, call, sends } = hedging({ maxAttempts: 4 });
  (await sent(1)).answer(failed(503));
  await sent(3);
  sends[2].answer(ok('third'));
  assert.deepEqual(historyOf(await call).attempts.map(brief), [[0, 1, 'server_error', 'overloaded', 503], [1, 2, 'cancelled', 'cancelled', 'hedge_lost']]);
});

test('what the loser is known to have cost is in the ledger', async () => {
  const { sent, call, sends } = hedging({}, POST);
  await sent(2);
  sends[0].answer(costly(30, { status: 503 }));
  await settled();
  sends[1].answer(costly(20));
  const { retry: ledger, usage } = historyOf(await call);
  assert.deepEqual([ledger.wastedTotalTokens, ledger.wasteIsLowerBound], [30, false]);
  assert.deepEqual([usage.total, usage.billedTotalTokens], [20, 50]);
});

test('of two good answers at once one is delivered, and the other is let go of and counted', async () => {
  const { sent, call, sends } = hedging({}, POST);
  await sent(2);
  const [one, other] = [costly(20), costly(30)];
  sends[0].answer(one);
  sends[1].answer(other);
  const response = await call;
  assert.equal(response, one);
  const { retry: ledger, usage, attempts } = historyOf(response);
  assert.deepEqual(attempts.map(brief), [[1, 2, 'cancelled', 'cancelled', 'hedge_lost']]);
  assert.deepEqual([usage.total, ledger.wastedTotalTokens, ledger.wasteIsLowerBound], [20, 30, false]);
  assert.equal((await one.json()).usage.total_tokens, 20);
  await assert.rejects(other.text(), 'its body was cancelled');
});

test('hooks hear of both sends, and decide on one failure', async () => {
  const [events, retries, asked] = [[], [], []];
  const { sent, call, sends } = hedging({
    onEvent: ({ type, attempt, outcome }) => events.push([type, attempt?.attempt ?? outcome]),
    onRetry: ({ attempt }) => { retries.push(attempt); },
    shouldRetry: ({ attempt }) => { asked.push(attempt); },
  });
  await sent(2);
  sends[0].answer(failed(503));
  await settled();
  sends[1].answer(failed(500));
  (await sent(3)).answer(ok('third'));
  await call;
  assert.deepEqual([retries, asked], [[2], [2]]);
  assert.deepEqual(events, [['failed', 1], ['failed', 2], ['waiting', 2], ['settled', 'delivered']]);

  const lost = [];
  const won = hedging({ onEvent: (event) => lost.push(event) });
  (await won.sent(2)).answer(ok('second'));
  await won.call;
  assert.deepEqual(lost.map(({ type }) => type), ['failed', 'settled']);
  assert.deepEqual([lost[0].verdict.kind, lost[0].verdict.retryable, lost[0].verdict.code], ['cancelled', false, 'hedge_lost']);
  assert.equal(lost[1].history.retry.totalAttempts, 2);
});

test('no record of either send holds a secret', async () => {
  const secret = 'sk-canary-0123456789abcdefghij';
  const held = heldSends();
  const call = createFetch({ ...OPTIONS, clock: fakeClock(), fetch: held.fetch })(`${URL_}?key=${secret}`, { headers: { authorization: `Bearer ${secret}` } });
  (await held.sent(1)).fail(new TypeError(`fetch failed: ${secret}`));
  (await held.sent(3)).answer(ok('third'));
  assert.equal(JSON.stringify(historyOf(await call)).includes(secret), false);
});

test('what was raised for each send of a fetch is in its record', async () => {
  const { sent, call, sends } = hedging({ maxAttempts: 2 });
  await sent(2);
  for (const [i, send] of sends.entries()) send.fail(new RetryError({ kind: 'schema_mismatch', message: 'no', issues: [i] }));
  const { attempts, last } = historyOf(await call.catch((error) => error));
  assert.deepEqual([...attempts, last].map(({ index, error: { issues } }) => [index, issues]), [[0, [0]], [1, [1]]]);
});

test('the option is checked, shown and off by default', () => {
  assert.equal(new RetryPolicy().options.hedgeAfterMs, 0);
  assert.equal(new RetryPolicy({ hedgeAfterMs: 5 }).options.hedgeAfterMs, 5);
  for (const hedgeAfterMs of [-1, 1.5, '5', true, NaN, 2 ** 31]) {
    assert.throws(() => new RetryPolicy({ hedgeAfterMs }), { kind: 'invalid_config', message: /hedgeAfterMs/ });
  }
});

test('whatever the sends do and whenever the caller leaves, they are no more than the attempts, and all are accounted for', async () => {
  const random = randomFrom(20_260_115);
  const runs = Array.from({ length: 150 }, async () => {
    const maxAttempts = 1 + random.below(5);
    const { controller, signal, count } = countedController();
    const open = new Set();
    let sends = 0;
    async function fetch(_, init) {
      const own = sends += 1;
      open.add(own);
      const [ms, end] = [random.below(12), random.pick(['ok', 'ok', 'bad', 'no', 'break', 'hang'])];
      try {
        return await new Promise((resolve, reject) => {
          init.signal.addEventListener('abort', () => reject(init.signal.reason), { once: true });
          if (end !== 'hang') setTimeout(() => (end === 'break' ? reject(new TypeError('fetch failed')) : resolve({ ok: ok('good'), bad: failed(503), no: failed(400) }[end])), ms);
        });
      } finally {
        open.delete(own);
      }
    }
    const call = createFetch({ hedgeAfterMs: 4, maxAttempts, timeoutMs: 15, initialDelayMs: 1, maxDelayMs: 2, fetch })(URL_, { signal });
    if (random.below(4) === 0) setTimeout(() => controller.abort({ left: true }), random.below(30));
    const [{ value, reason }] = await Promise.allSettled([call]);
    const history = historyOf(value ?? reason);
    assert.ok(sends <= maxAttempts, `${sends} of ${maxAttempts}`);
    if (history === undefined) assert.deepEqual([sends, value?.status], [1, 200]);
    else {
      const { retry: ledger, attempts = [], last } = history;
      assert.equal(ledger.totalAttempts, sends);
      assert.equal(ledger.failedAttempts, attempts.length + (last === undefined ? 0 : 1));
      assert.equal(ledger.failedAttempts, sends - (value?.ok ? 1 : 0));
      const numbers = [...attempts, ...(last ? [last] : [])].map(({ attempt }) => attempt);
      assert.equal(new Set(numbers).size, numbers.length);
      assert.ok(numbers.every((number) => number >= 1 && number <= sends));
    }
    await settled();
    assert.deepEqual([open.size, count.now], [0, 0]);
  });
  await Promise.all(runs);
});
