// A call over targets that is cancelled, wherever it happens to be: over promises, streams and endpoints.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { createFetch, historyOf, withFallback } from 'dacapo';
import { deferred, fakeClock, settled, stoppedClock } from './lib/clock.js';
import { countedController, listen, macrotaskFlags, REASONS } from './lib/signals.js';
import { failed, watchedBody } from './lib/stub.js';
import { status } from './lib/targets.js';

const never = () => new Promise(() => {});

/**
 * Where a call may be: what each target does, the options of all, and how many sends there are by then. `here` is called
 * when it is there.
 */
const PLACES = {
  'in the first target': (here) => ({ answers: [() => (here(), never())], sends: 1, failed: 0 }),
  'in the wait of the first target': (here) => {
    const clock = stoppedClock();
    clock.asleep.then(here);
    return { answers: ['down'], options: { clock, maxAttempts: 2, jitter: 'none' }, sends: 1, failed: 0, waits: () => clock.waits };
  },
  'in fallbackOn': (here) => ({ answers: ['down'], options: { fallbackOn: () => (here(), never()) }, sends: 1, failed: 1 }),
  'in a fallbackOn that then throws': (here) => ({
    answers: ['down'],
    options: {
      fallbackOn: () => {
        here('now');
        throw new Error('too late');
      },
    },
    sends: 1,
    failed: 1,
  }),
  'in onFallback': (here) => ({ answers: ['down'], options: { onFallback: () => (here(), never()) }, sends: 1, failed: 1 }),
  'in an onFallback that has its say at once': (here) => ({ answers: ['down'], options: { onFallback: () => here('now') }, sends: 1, failed: 1 }),
  'in the second target': (here) => ({ answers: ['down', () => (here(), never())], sends: 2, failed: 1 }),
  'in the wait of the second target': (here) => {
    let waits = 0;
    const clock = { ...fakeClock(), sleep: async () => (waits++ === 0 ? undefined : (here(), never())) };
    return { answers: ['down', 'down'], options: { clock, maxAttempts: 2 }, sends: 3, failed: 1 };
  },
};

/** What stands for a target and a call over two of them, each way. */
const WAYS = {
  promises: (act, options, signal) => withFallback([0, 1].map((i) => ({ call: () => act(i, () => status(503)) })), options)('hi', { signal }),
  streams: (act, options, signal) => {
    const call = async function* () {
      yield await act(arguments[0].i, () => status(503));
    };
    const targets = [0, 1].map((i) => ({ call: () => call({ i }) }));
    return withFallback(targets, { mode: 'iterable', ...options })('hi', { signal }).next();
  },
  endpoints: (act, options, signal) => {
    const targets = [{ url: 'https://one.example' }, { url: 'https://two.example' }];
    const fetch = (input) => act(String(input).includes('one') ? 0 : 1, () => failed(503));
    return createFetch({ targets, fetch, ...options })('https://one.example/v1', { signal });
  },
};

const rejections = [];
const note = (error) => rejections.push(error);
before(() => process.on('unhandledRejection', note));
after(() => {
  process.off('unhandledRejection', note);
  assert.deepEqual(rejections, []);
});

for (const [way, begin] of Object.entries(WAYS)) {
  describe(way, () => {
    for (const [place, make] of Object.entries(PLACES)) {
      for (const [name, reason] of Object.entries(REASONS)) {
        test(`${place}, with ${name}: the very reason, by microtasks alone, and nothing more is sent`, async () => {
          const { controller, signal, count } = countedController();
          const given = reason();
          let flags;
          let sends = 0;
          const abort = () => {
            flags = macrotaskFlags();
            controller.abort(given);
          };
          const here = (when) => (when === 'now' ? abort() : void setTimeout(abort, 3));
          const { answers, options, sends: expected, failed: entries, waits } = make(here);
          const act = async (i, down) => {
            sends += 1;
            const answer = answers[i];
            if (answer !== 'down') return answer();
            const failure = down();
            if (failure instanceof Error) throw failure;
            return failure;
          };
          let thrown = 'nothing';
          let macrotask;
          try {
            await begin(act, { maxAttempts: 1, clock: fakeClock(), random: () => 0, ...options }, signal);
          } catch (error) {
            macrotask = flags?.raised();
            thrown = error;
          }
          flags?.clear();
          assert.ok(Object.is(thrown, signal.reason), `rejected with ${thrown}`);
          assert.deepEqual([macrotask, count.now, count.most <= 1], [undefined, 0, true]);
          await settled();
          assert.equal(sends, expected);
          if (waits !== undefined) assert.deepEqual(waits(), [500]);
          if (typeof thrown !== 'object' || thrown === null) return;
          const { mark, fallback, retry } = historyOf(thrown);
          assert.deepEqual([mark, fallback?.length ?? 0, retry.totalAttempts], ['cancelled', entries, expected]);
        });
      }
    }

    test('before it: nothing is sent, and nobody listens', async () => {
      const { controller, signal, count } = countedController();
      controller.abort(new Error('stop'));
      let sends = 0;
      await assert.rejects(async () => begin(() => (sends += 1), {}, signal), (error) => error === signal.reason);
      assert.deepEqual([sends, count.added, historyOf(signal.reason).mark], [0, 0, 'cancelled']);
    });
  });
}

test('a failed Response whose caller leaves meanwhile is let go of', async () => {
  for (const option of ['fallbackOn', 'onFallback']) {
    const controller = new AbortController();
    const { stream, seen } = watchedBody({ stuck: true });
    const hook = () => controller.abort();
    const fetch = createFetch({
      targets: [{}, { url: 'https://two.example' }], maxAttempts: 1, [option]: hook, fetch: async () => new Response(stream, { status: 401 }),
      errorBytes: 1,
    });
    await assert.rejects(fetch('https://one.example', { signal: controller.signal }), { name: 'AbortError' });
    await settled();
    assert.equal(seen.cancelled, 1, option);
  }
});

test('a signal reaches the target whose turn it is, and an answer that comes too late is let go of', async () => {
  const controller = new AbortController();
  const late = deferred();
  const { stream, seen } = watchedBody({ stuck: true });
  let heard = 0;
  const fetch = createFetch({
    targets: [{}, { url: 'https://two.example' }], maxAttempts: 1,
    fetch: async (input, init) => {
      if (String(input).includes('one')) return failed(401);
      listen(init.signal, () => (heard += 1));
      return late.promise;
    },
  });
  const call = fetch('https://one.example', { signal: controller.signal });
  await settled();
  controller.abort();
  await assert.rejects(call, { name: 'AbortError' });
  late.resolve(new Response(stream));
  await settled();
  assert.deepEqual([heard, seen.cancelled], [1, 1]);
});
