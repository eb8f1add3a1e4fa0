// sabotage: exempt, whether a second send is made and which of the two wins is nothing the wrong engine changes
import assert from 'node:assert/strict';
import test from 'node:test';
import { createFetch, historyOf, retry } from 'dacapo';
import { fakeClock, settled, stoppedClock } from './lib/clock.js';
import { afterHedge, checkWhatIsLeft, heldSends, OPTIONS } from './lib/legs.js';
import { serve } from './lib/server.js';
import { countedController } from './lib/signals.js';
import { POST } from './lib/sources.js';
import { failed, URL_, watchedBody } from './lib/stub.js';

const ok = (text) => new Response(text);

checkWhatIsLeft();

/** What a promise came to within microtasks. */
async function atOnce(promise) {
  let outcome;
  promise.then((value) => { outcome = { value }; }, (reason) => { outcome = { reason }; });
  for (let turn = 0; turn < 100; turn++) await undefined;
  return outcome;
}

for (const deaf of [false, true]) {
  for (const [name, point] of Object.entries({
    'before the hedge': ({ sent }) => sent(1),
    'while both are under way': ({ sent }) => sent(2),
    'after the first has failed': async ({ sent, sends }) => {
      await sent(2);
      sends[0].answer(failed(503));
      await settled();
    },
    'after the hedge has failed': async ({ sent, sends }) => {
      await sent(2);
      sends[1].answer(failed(503));
      await settled();
    },
    'while the first is read': async ({ sent, sends }) => {
      await sent(2);
      sends[0].answer(new Response(watchedBody({ chunks: ['{'], stuck: true }).stream, { headers: { 'content-type': 'application/json' } }));
      await settled();
    },
  })) {
    test(`an abort ${name} ends the call at once and both sends${deaf ? ', of which neither listens' : ''}`, async () => {
      const { controller, signal, count } = countedController();
      const held = heldSends({ deaf });
      const call = createFetch({ ...OPTIONS, clock: fakeClock(), fetch: held.fetch })(URL_, { ...POST, signal });
      await point(held);
      const reason = { enough: true };
      controller.abort(reason);
      assert.deepEqual(await atOnce(call), { reason });
      assert.ok(held.sends.every((send) => send.reason === reason));
      const made = held.sends.length;
      const { mark, retry: ledger } = historyOf(reason);
      assert.deepEqual([mark, ledger.totalAttempts, ledger.failedAttempts], ['cancelled', made, made]);
      await afterHedge();
      assert.equal(held.sends.length, made);
      assert.equal(count.now, 0);
    });
  }
}

test('an abort ends an operation and its hedge at once, with the reason', async () => {
  const controller = new AbortController();
  const held = heldSends({ deaf: true });
  const call = retry(held.operation, { ...OPTIONS, signal: controller.signal });
  await held.sent(2);
  controller.abort('enough');
  assert.deepEqual(await atOnce(call), { reason: 'enough' });
  assert.ok(held.sends.every((send) => send.reason === 'enough'));
});

test('an abort in the wait after two failures sends nothing more', async () => {
  const controller = new AbortController();
  const held = heldSends();
  const clock = stoppedClock();
  const call = createFetch({ ...OPTIONS, clock, fetch: held.fetch })(URL_, { signal: controller.signal });
  await held.sent(2);
  for (const send of held.sends) send.answer(failed(503));
  await clock.asleep;
  controller.abort('enough');
  assert.deepEqual(await atOnce(call), { reason: 'enough' });
  assert.equal(held.sends.length, 2);
});

test('an answer that comes after the call is over is cancelled', async () => {
  for (const end of ['win', 'abort']) {
    const controller = new AbortController();
    const held = heldSends({ deaf: true });
    const call = createFetch({ ...OPTIONS, fetch: held.fetch })(URL_, { signal: controller.signal });
    await held.sent(2);
    if (end === 'win') held.sends[1].answer(ok('second'));
    else controller.abort('enough');
    await call.catch(() => {});
    const { stream, seen } = watchedBody();
    held.sends[0].answer(new Response(stream));
    await settled();
    assert.equal(seen.cancelled, 1);
  }
});

test('a late failure of the loser changes nothing', async () => {
  const held = heldSends({ deaf: true });
  const call = createFetch({ ...OPTIONS, fetch: held.fetch })(URL_);
  await held.sent(2);
  held.sends[0].answer(ok('first'));
  const response = await call;
  const before = JSON.stringify(historyOf(response));
  held.sends[1].fail(new Error('too late'));
  await settled();
  assert.equal(JSON.stringify(historyOf(response)), before);
});

test('the body of a failed send is let go of when the other answers, and when the call goes on', async () => {
  for (const other of [ok('second'), failed(503)]) {
    const held = heldSends();
    const { stream, seen } = watchedBody({ stuck: true });
    const call = createFetch({ ...OPTIONS, clock: fakeClock(), errorBytes: 1, fetch: held.fetch })(URL_);
    await held.sent(2);
    held.sends[0].answer(new Response(stream, { status: 500 }));
    await settled();
    held.sends[1].answer(other);
    if (!other.ok) (await held.sent(3)).answer(ok('third'));
    await call;
    await settled();
    assert.equal(seen.cancelled, 1);
  }
});

test('the answer of an attempt that failed is let go of once the next is sent, or fails before that', async () => {
  for (const bodyFactory of [() => 'again', () => { throw new Error('no more'); }]) {
    const held = heldSends();
    const { stream, seen } = watchedBody({ stuck: true });
    const call = createFetch({ ...OPTIONS, clock: fakeClock(), errorBytes: 1, bodyFactory, fetch: held.fetch })(URL_, POST);
    call.catch(() => {});
    (await held.sent(1)).answer(new Response(stream, { status: 503 }));
    await settled();
    assert.equal(seen.cancelled, 1);
    held.sends[1]?.answer(ok('second'));
    await call.catch(() => {});
  }
});

test('an abort while the delivered body is read works, whichever send brought it', async () => {
  for (const winner of [0, 1]) {
    const { controller, signal, count } = countedController();
    const held = heldSends();
    const call = createFetch({ ...OPTIONS, fetch: held.fetch })(URL_, { signal });
    await held.sent(2);
    held.sends[winner].answer(ok('good'));
    await call;
    assert.equal(count.now, 0);
    controller.abort('no more of it');
    assert.equal(held.sends[winner].reason, 'no more of it');
  }
});

test('calls under one signal leave no listener on it, however their sends end', async () => {
  const { signal, count } = countedController();
  for (const answers of [[ok('first')], [undefined, ok('second')], [failed(503), ok('second')], [failed(503), failed(503)]]) {
    const held = heldSends();
    const call = createFetch({ ...OPTIONS, maxAttempts: 2, clock: fakeClock(), fetch: held.fetch })(URL_, { signal });
    await held.sent(answers.length);
    for (const [i, answered] of answers.entries()) if (answered !== undefined) held.sends[i].answer(answered);
    await call;
    assert.equal(count.now, 0);
  }
});

test('a signal of another library is followed by both sends and has no listener left', async () => {
  const listeners = new Set();
  const foreign = {
    aborted: false,
    reason: undefined,
    addEventListener: (_, listener, { signal } = {}) => {
      listeners.add(listener);
      signal?.addEventListener('abort', () => listeners.delete(listener));
    },
    removeEventListener: (_, listener) => listeners.delete(listener),
  };
  const held = heldSends();
  const call = createFetch({ ...OPTIONS, maxAttempts: 2, fetch: held.fetch })(URL_, { signal: foreign });
  await held.sent(2);
  for (const send of held.sends) send.fail(new TypeError('fetch failed'));
  await assert.rejects(call, TypeError);
  assert.equal(listeners.size, 0);

  const answering = heldSends();
  const answered = createFetch({ ...OPTIONS, clock: fakeClock(), fetch: answering.fetch })(URL_, { signal: foreign });
  await answering.sent(2);
  for (const send of answering.sends) send.answer(failed(503));
  (await answering.sent(3)).answer(ok('third'));
  await answered;
  assert.equal(listeners.size, 1, 'that of the answer that is read');
  listeners.clear();

  const cancelled = heldSends();
  const other = createFetch({ ...OPTIONS, fetch: cancelled.fetch })(URL_, { signal: foreign });
  await cancelled.sent(2);
  Object.assign(foreign, { aborted: true, reason: 'foreign' });
  for (const listener of [...listeners]) listener();
  assert.deepEqual(await atOnce(other), { reason: 'foreign' });
  assert.ok(cancelled.sends.every((send) => send.reason === 'foreign'));
});

test('the loser\'s connection is closed', async (t) => {
  let answered = 0;
  const { url, requests, heldOpen } = await serve(t, () => {}, (_, response) => {
    answered += 1;
    response.end('second');
  });
  const response = await createFetch({ ...OPTIONS })(url, POST);
  assert.equal(await response.text(), 'second');
  assert.deepEqual([requests.length, answered], [2, 1]);
  assert.deepEqual(requests.map(({ body }) => body), ['{}', '{}']);
  assert.equal(await heldOpen(), 0);
});

test('an engine that breaks down while two sends are under way ends both', async () => {
  const held = heldSends();
  const call = createFetch({ ...OPTIONS, clock: fakeClock(), fetch: held.fetch })(URL_);
  (await held.sent(1)).answer(failed(503));
  await held.sent(3);
  await assert.rejects(retry(() => { throw new Error('x'); }, { shouldRetry: () => true, random: () => { throw new WebAssembly.RuntimeError('unreachable'); } }));
  await assert.rejects(call, { kind: 'unknown' });
  assert.ok(held.sends.slice(1).every(({ signal }) => signal.aborted));
  await afterHedge();
  assert.equal(held.sends.length, 3);
  assert.equal(await retry(() => 'well again', OPTIONS), 'well again');
});

test('a clock that throws when a hedge is due ends the call and its send', async () => {
  const clock = fakeClock();
  const held = heldSends();
  const call = createFetch({ ...OPTIONS, clock, fetch: held.fetch })(URL_);
  call.catch(() => {});
  await held.sent(1);
  const error = new Error('stopped');
  clock.mono = () => { throw error; };
  await assert.rejects(call, (thrown) => thrown === error);
  assert.equal(held.sends[0].signal.aborted, true);
  assert.equal(held.sends.length, 1);

  const later = fakeClock();
  const both = heldSends();
  const broken = createFetch({ ...OPTIONS, clock: later, fetch: both.fetch })(URL_);
  broken.catch(() => {});
  await both.sent(2);
  later.mono = clock.mono;
  for (const send of both.sends) send.answer(failed(503));
  await assert.rejects(broken, (thrown) => thrown === error);
  assert.equal(historyOf(error).retry.totalAttempts, 2);
});
