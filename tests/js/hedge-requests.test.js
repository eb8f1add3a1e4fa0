// What hedges send, and how long they may take.

import assert from 'node:assert/strict';
import test from 'node:test';
import { createFetch, historyOf } from 'dacapo';
import { settled } from './lib/clock.js';
import { afterHedge, brief, checkWhatIsLeft, HEDGE_MS, hedging, heldSends, OPTIONS } from './lib/legs.js';
import { failed, textStream, URL_, watchedBody } from './lib/stub.js';

const POST = { method: 'POST', body: '{"a":1}' };
const ok = (text) => new Response(text);

checkWhatIsLeft();

test('all sends of a call carry one idempotency key, and each its number of retries', async () => {
  const { sent, call, sends } = hedging({ maxAttempts: 4, retryCountHeader: 'x-retries', idempotencyKey: true });
  await sent(2);
  for (const send of [...sends]) send.answer(failed(503));
  (await sent(4)).answer(ok('fourth'));
  await call;
  const headers = sends.map(({ init }) => Object.fromEntries(init.headers));
  assert.deepEqual(headers.map((fields) => fields['x-retries']), ['0', '1', '2', '3']);
  assert.equal(new Set(headers.map((fields) => fields['Idempotency-Key'])).size, 1);
});

test('a request that cannot be sent again is not hedged', async () => {
  const stream = () => ({ method: 'POST', body: textStream('once'), duplex: 'half' });
  for (const [options, init] of [[{}, stream()], [{ methods: ['GET'] }, POST], [{ maxReplayBytes: 2 }, undefined]]) {
    const held = heldSends();
    const request = init ?? new Request(URL_, { method: 'POST', body: 'too large' });
    const fetch = createFetch({ ...OPTIONS, fetch: held.fetch, ...options });
    const call = init ? fetch(URL_, init) : fetch(request);
    await afterHedge();
    assert.equal(held.sends.length, 1);
    held.sends[0].answer(ok('once'));
    assert.equal(historyOf(await call), undefined);
  }
});

test('a hedge sends a body of its own', async () => {
  const bodies = [];
  const bodyFactory = () => {
    bodies.push(textStream(`body ${bodies.length + 2}`));
    return bodies.at(-1);
  };
  const first = textStream('body 1');
  const { sent, call, sends } = hedging({ bodyFactory }, { method: 'POST', body: first, duplex: 'half' });
  await sent(2);
  assert.deepEqual([sends[0].init.body, sends[1].init.body], [first, bodies[0]]);
  assert.equal(await new Response(first).text(), 'body 1', 'it was not let go of while it was being sent');
  sends[1].answer(ok('second'));
  await call;

  const held = heldSends();
  const request = new Request(URL_, { method: 'POST', body: 'kept' });
  const replayed = createFetch({ ...OPTIONS, fetch: held.fetch })(request);
  const again = await held.sent(2);
  assert.equal(held.sends[0].input, request);
  assert.equal(await again.input.text(), 'kept');
  again.answer(ok('second'));
  await replayed;
});

test('a hedge whose body factory throws is a send that failed, as any other', async () => {
  const bodyFactory = () => { throw new Error('no more'); };
  const { sent, call, sends } = hedging({ bodyFactory }, POST);
  await sent(1);
  await afterHedge();
  sends[0].answer(ok('first'));
  const response = await call;
  assert.deepEqual([await response.text(), sends.length], ['first', 1]);
  assert.deepEqual(historyOf(response).attempts.map(({ error }) => error.message), ['no more']);
});

test('a hedge that was not sent counts for nothing, and the failure beside it decides', async () => {
  const given = [new Promise(() => {}), 'again'];
  const bodyFactory = () => given.shift();
  const { sent, call, sends } = hedging({ bodyFactory, timeoutMs: 4 * HEDGE_MS }, POST);
  await sent(1);
  await afterHedge();
  sends[0].answer(failed(503));
  (await sent(2)).answer(ok('second'));
  const response = await call;
  assert.equal(await response.text(), 'second');
  assert.deepEqual(historyOf(response).attempts.map(brief), [[0, 1, 'server_error', 'overloaded', 503]]);
  assert.equal(historyOf(response).retry.totalAttempts, 2);
});

test('no hedge is made before its attempt is sent', async () => {
  let give;
  const bodyFactory = () => new Promise((resolve) => { give = resolve; });
  const { sent, call, sends } = hedging({ bodyFactory }, POST);
  (await sent(1)).answer(failed(503));
  await afterHedge();
  assert.equal(sends.length, 1);
  give('late');
  (await sent(2)).answer(ok('second'));
  assert.equal(historyOf(await call).retry.totalAttempts, 2);
});

test('each send has a timeout of its own', async () => {
  const { sent, call, sends } = hedging({ timeoutMs: 3 * HEDGE_MS });
  await sent(2);
  const before = performance.now();
  while (!sends[0].signal.aborted) await settled(1);
  assert.equal(sends[1].signal.aborted, false);
  await settled();
  sends[1].answer(ok('second'));
  const response = await call;
  assert.ok(performance.now() - before < 3 * HEDGE_MS);
  assert.deepEqual(historyOf(response).attempts.map(brief), [[0, 1, 'timeout', 'timeout', undefined]]);
});

test('when both time out the call goes on as after any timeout', async () => {
  const { sent, call, sends } = hedging({ timeoutMs: 2 * HEDGE_MS, maxAttempts: 2 });
  await sent(2);
  await assert.rejects(call, { name: 'TimeoutError', message: /timeoutMs/ });
  const { mark, retry: ledger, attempts } = historyOf(await call.catch((error) => error));
  assert.deepEqual([mark, ledger.totalAttempts, attempts.map(brief)], ['attempts_exhausted', 2, [[0, 1, 'timeout', 'timeout', undefined]]]);
  assert.ok(sends.every(({ signal }) => signal.aborted));
});

test('what is left of the winner\'s timeout is for reading its answer', async () => {
  const { sent, call } = hedging({ timeoutMs: 4 * HEDGE_MS, timeoutCovers: 'response' });
  (await sent(2)).answer(new Response(watchedBody({ stuck: true }).stream));
  const response = await call;
  const before = performance.now();
  const reader = response.body.getReader();
  await reader.read();
  assert.equal((await sent(2)).signal.aborted, false);
  while (!(await sent(2)).signal.aborted) await settled(1);
  assert.equal((await sent(2)).signal.reason.name, 'TimeoutError');
  assert.ok(performance.now() - before < 10 * HEDGE_MS);
});

test('the deadline is one over both sends, and none is made after it', async () => {
  const { sent, call, sends } = hedging({ deadlineMs: 3 * HEDGE_MS, clock: undefined });
  await sent(2);
  await assert.rejects(call, { name: 'TimeoutError', message: /deadlineMs/ });
  assert.ok(sends.every(({ signal }) => signal.aborted));
  assert.equal(historyOf(await call.catch((error) => error)).mark, 'deadline_exceeded');

  const late = hedging({ deadlineMs: 60_000 });
  await late.sent(1);
  late.clock.advance(60_000);
  await afterHedge();
  assert.equal(late.sends.length, 1);
  late.sends[0].answer(ok('late'));
  await late.call;
});

test('a deferred call is hedged when it is resumed, with its key and its numbers', async () => {
  const options = { hedgeAfterMs: HEDGE_MS, idempotencyKey: true, retryAfterBeyond: 'defer', maxAttempts: 3 };
  const key = ({ init }) => new Headers(init.headers).get('idempotency-key');
  const held = heldSends();
  const fetch = createFetch({ ...options, fetch: held.fetch });
  const deferred = fetch(URL_, POST);
  (await held.sent(1)).answer(failed(429, { 'retry-after': '3600' }));
  const { resume } = historyOf(await deferred);
  const call = fetch(URL_, POST, { resume });
  (await held.sent(3)).answer(ok('third'));
  const { attempts, retry: ledger } = historyOf(await call);
  assert.deepEqual(attempts.map(brief), [[0, 1, 'rate_limited', 'rate_limited', 429], [1, 2, 'cancelled', 'cancelled', 'hedge_lost']]);
  assert.deepEqual([ledger.totalAttempts, ledger.failedAttempts], [3, 2]);
  assert.deepEqual(new Set(held.sends.map(key)).size, 1);
});
