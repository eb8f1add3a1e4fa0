// sabotage: exempt, whether a second send is made and which of the two wins is nothing the wrong engine changes
// What hedges cost, and what a breaker lets them do.

import assert from 'node:assert/strict';
import test from 'node:test';
import { CircuitBreaker, createFetch, historyOf, retry, RetryBudget } from 'dacapo';
import { fakeClock, settled } from './lib/clock.js';
import { afterHedge, checkWhatIsLeft, heldSends, OPTIONS } from './lib/legs.js';
import { failed, URL_ } from './lib/stub.js';

const ORIGIN = new URL(URL_).origin;
const ok = (text) => new Response(text);

checkWhatIsLeft();

function guarded(options) {
  const held = heldSends();
  const clock = fakeClock();
  const fetch = createFetch({ ...OPTIONS, clock, fetch: held.fetch, ...options });
  return { ...held, clock, fetch };
}

test('a hedge costs the budget what the retry of a transient failure does, and a success gives that not back', async () => {
  const budget = new RetryBudget({ capacity: 30 });
  const { fetch, sent } = guarded({ budget });
  const call = fetch(URL_);
  (await sent(2)).answer(ok('second'));
  await call;
  assert.equal(budget.tokens(ORIGIN), 16);
  const next = fetch(URL_);
  (await sent(3)).answer(ok('at once'));
  await next;
  assert.equal(budget.tokens(ORIGIN), 17);
});

test('the retry after a hedge costs as ever, and only its cost comes back', async () => {
  const budget = new RetryBudget({ capacity: 100 });
  const { fetch, sent, sends } = guarded({ budget });
  const call = fetch(URL_);
  await sent(2);
  for (const send of [...sends]) send.answer(failed(503));
  (await sent(3)).answer(ok('third'));
  await call;
  assert.equal(budget.tokens(ORIGIN), 86);
});

test('a budget that cannot pay lets an attempt stay alone, however slow', async () => {
  const budget = new RetryBudget({ capacity: 13 });
  const { fetch, sends } = guarded({ budget });
  const call = fetch(URL_);
  await afterHedge();
  assert.equal(sends.length, 1);
  sends[0].answer(ok('slow'));
  assert.equal(historyOf(await call), undefined);
  assert.equal(budget.tokens(ORIGIN), 13);
});

test('many slow calls at once make no more hedges than the budget pays', async () => {
  const { fetch, sends } = guarded({ budget: { mode: 'ratio', ratio: 0.2, reservePerSecond: 0 } });
  const calls = Array.from({ length: 50 }, () => fetch(URL_));
  await afterHedge();
  assert.equal(sends.length, 60);
  for (const send of sends) send.answer(ok('slow'));
  await Promise.all(calls);
});

test('a breaker hears of a call once, however many sends it took', async () => {
  const breaker = new CircuitBreaker({ failures: 2 });
  const { fetch, sent, sends } = guarded({ breaker, maxAttempts: 2 });
  const call = fetch(URL_);
  await sent(2);
  for (const send of [...sends]) send.answer(failed(503));
  await call;
  assert.deepEqual([breaker.state(ORIGIN).state, breaker.state(ORIGIN).failures], ['closed', 1]);
  const well = fetch(URL_);
  await sent(4);
  sends[2].answer(failed(503));
  sends[3].answer(ok('fourth'));
  await well;
  assert.equal(breaker.state(ORIGIN).failures, 0);
});

test('a probe is not hedged, and nothing is once the breaker has opened', async () => {
  const breaker = new CircuitBreaker({ failures: 1, openMs: 1000, openJitter: 0 });
  const { fetch, clock, sent, sends } = guarded({ breaker, maxAttempts: 2 });
  const slow = fetch(URL_);
  await sent(1);
  await fetch.with({ maxAttempts: 1, fetch: async () => failed(503) })(URL_);
  assert.equal(breaker.state(ORIGIN).state, 'open');
  await afterHedge();
  assert.equal(sends.length, 1);
  sends[0].answer(ok('slow'));
  await slow;

  clock.advance(1000);
  const probe = fetch(URL_);
  await sent(2);
  assert.equal(breaker.state(ORIGIN).state, 'half_open');
  await afterHedge();
  assert.equal(sends.length, 2);
  sends[1].answer(ok('probe'));
  await probe;
  assert.equal(breaker.state(ORIGIN).state, 'closed');
});

test('an abort while both are under way is reported once, as neither good nor bad', async () => {
  const breaker = new CircuitBreaker({ failures: 2 });
  const { fetch, sent } = guarded({ breaker });
  const controller = new AbortController();
  const call = fetch(URL_, { signal: controller.signal });
  await sent(2);
  controller.abort('enough');
  await assert.rejects(call, (reason) => reason === 'enough');
  assert.equal(breaker.state(ORIGIN).failures, 0);
});

test('an operation pays for its hedge as a fetch does', async () => {
  const budget = new RetryBudget({ capacity: 20 });
  const { operation, sent } = heldSends();
  const call = retry(operation, { ...OPTIONS, budget });
  (await sent(2)).answer('second');
  assert.equal(await call, 'second');
  await settled();
  assert.equal(budget.tokens(), 6);
});
