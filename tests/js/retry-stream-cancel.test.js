// Leaving a retryStream: by the caller's signal, and by the consumer's own return, wherever the call happens to be.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { historyOf, retryStream } from 'dacapo';
import { deferred, fakeClock, settled, stoppedClock } from './lib/clock.js';
import { calls, chat, gate, over, overloaded, readAll, source } from './lib/iterables.js';
import { countedController, macrotaskFlags, REASONS } from './lib/signals.js';

const never = () => new Promise(() => {});

/** Where a call may be when it is left: a call, and a promise that resolves when it is there. */
const PLACES = {
  'in the function': () => {
    const { fn, called } = gate();
    return { fn, there: called };
  },
  'in the first next': () => {
    const first = source([], { stuck: true });
    return { fn: () => first, there: settled(1), source: first };
  },
  'behind a held opening': () => {
    const first = source([chat.start], { stuck: true });
    return { fn: () => first, there: settled(1), source: first };
  },
  'in the wait': () => {
    const clock = stoppedClock();
    return { fn: () => { throw overloaded(); }, options: { clock }, there: clock.asleep };
  },
  'in onRetry': () => {
    const { fn, called } = gate();
    return { fn: () => { throw overloaded(); }, options: { onRetry: fn }, there: called };
  },
  'in shouldRetry': () => {
    const { fn, called } = gate();
    return { fn: () => { throw overloaded(); }, options: { shouldRetry: fn }, there: called };
  },
  'in the second attempt': () => {
    const { fn, called } = gate();
    let made = 0;
    return { fn: () => { if (made++ === 0) throw overloaded(); return fn(); }, there: called };
  },
  'after output': () => {
    const first = source([chat.text('h')], { stuck: true });
    return { fn: () => first, there: settled(1), source: first, chunks: 1 };
  },
  'after the output of a second attempt': () => {
    const second = source([chat.text('h')], { stuck: true });
    return { fn: ({ attempt }) => { if (attempt === 1) throw overloaded(); return second; }, there: settled(1), source: second, chunks: 1 };
  },
};

const rejections = [];
const note = (error) => rejections.push(error);
before(() => process.on('unhandledRejection', note));
after(() => process.off('unhandledRejection', note));

for (const [place, make] of Object.entries(PLACES)) {
  describe(place, () => {
    for (const [name, reason] of Object.entries(REASONS)) {
      test(`an abort with ${name} rejects at once with that reason`, async () => {
        const { controller, signal, count } = countedController();
        const { fn, options, there, source: opened, chunks = 0 } = make();
        const signals = [];
        const stream = retryStream((context) => (signals.push(context.signal), fn(context)), { clock: fakeClock(), signal, ...options });
        for (let read = 0; read < chunks; read++) await stream.next();
        let outcome;
        const pending = stream.next().then((result) => { outcome = { result }; }, (error) => { outcome = { error }; });
        await there;
        assert.equal(outcome, undefined);
        const flags = macrotaskFlags();
        const given = reason();
        controller.abort(given);
        await pending;
        assert.equal(flags.raised(), undefined, 'no macrotask ran');
        flags.clear();
        assert.ok('error' in outcome);
        assert.equal(outcome.error, signal.reason);
        if (given !== undefined) assert.equal(outcome.error, given);
        assert.deepEqual([count.now, count.most], [0, 1]);
        assert.deepEqual(await stream.next(), { value: undefined, done: true });
        if (opened !== undefined) assert.deepEqual([opened.seen.returned, signals.at(-1).aborted, signals.at(-1).reason], [1, true, signal.reason]);
        if (typeof given === 'object' && given !== null) assert.equal(historyOf(given).mark, 'cancelled');
        await settled();
        assert.deepEqual(rejections, []);
      });
    }

    test('a return ends everything that is under way, and the next that waits', async () => {
      const { signal, count } = countedController();
      const { fn, options, there, source: opened, chunks = 0 } = make();
      const signals = [];
      const events = [];
      const stream = retryStream((context) => (signals.push(context.signal), fn(context)), { clock: fakeClock(), signal, onEvent: (event) => events.push(event), ...options });
      for (let read = 0; read < chunks; read++) await stream.next();
      const pending = stream.next();
      await there;
      assert.deepEqual(await stream.return('left'), { value: 'left', done: true });
      assert.deepEqual(await pending, { value: undefined, done: true });
      assert.equal(count.now, 0);
      if (opened !== undefined) assert.equal(opened.seen.returned, 1);
      if (!place.includes('wait') && !/Retry/.test(place)) assert.equal(signals.at(-1).aborted, true, 'a next that hangs is aborted');
      await settled();
      const sent = signals.length;
      await settled();
      assert.equal(signals.length, sent);
      assert.ok(events.filter(({ type }) => type === 'settled').length <= 1);
      if (events.length > 0) assert.equal(events.at(-1).type, 'settled');
      assert.deepEqual(rejections, []);
    });
  });
}

describe('an abort', () => {
  test('before the first chunk is asked for: no call, no listener', async () => {
    const { controller, signal, count } = countedController();
    const reason = { stop: 1 };
    controller.abort(reason);
    const fn = calls(['a']);
    assert.equal((await readAll(retryStream(fn, { signal }))).error, reason);
    assert.deepEqual([fn.made.length, count.added, historyOf(reason).retry.totalAttempts], [0, 0, 0]);
  });

  test('while the consumer does something else ends the source at once', async () => {
    const { controller, signal } = countedController();
    const opened = source(['a', 'b'], { stuck: true });
    const stream = retryStream(() => opened, { signal });
    await stream.next();
    controller.abort('now');
    assert.equal(opened.seen.returned, 1);
    await assert.rejects(stream.next(), (error) => error === 'now');
  });

  test('after the end changes nothing', async () => {
    const { controller, signal, count } = countedController();
    const { chunks } = await readAll(retryStream(() => ['a'], { signal }));
    assert.equal(count.now, 0);
    controller.abort();
    assert.deepEqual(chunks, ['a']);
  });

  test('inside the function is seen when that throws for it', async () => {
    const { controller, signal } = countedController();
    const stream = retryStream(() => { controller.abort(0); throw new Error('because of it'); }, { signal });
    assert.equal((await readAll(stream)).error, 0);
  });

  test('what comes too late is let go of', async () => {
    const { controller, signal } = countedController();
    const late = source(['a']);
    const { fn, called, resolve } = gate();
    const stream = retryStream(fn, { signal });
    const pending = readAll(stream);
    await called;
    controller.abort(null);
    assert.equal((await pending).error, null);
    resolve(late);
    await settled();
    assert.equal(late.seen.returned, 1);
    let cancelled = false;
    const second = gate();
    const other = retryStream(second.fn);
    const asked = other.next();
    await second.called;
    await other.return();
    second.resolve(new ReadableStream({ cancel() { cancelled = true; } }));
    await settled();
    assert.deepEqual([await asked, cancelled], [{ value: undefined, done: true }, true]);
  });
});

describe('leaving early', () => {
  test('break returns the source and waits for it', async () => {
    const letGo = deferred();
    const opened = source(['a', 'b'], { letGo: () => letGo.promise });
    let left = false;
    const reading = (async () => {
      for await (const chunk of over([opened])) {
        assert.equal(chunk, 'a');
        break;
      }
      left = true;
    })();
    await settled();
    assert.deepEqual([opened.seen.returned, left], [1, false]);
    letGo.resolve();
    await reading;
    assert.equal(opened.seen.asked, 1);
  });

  test('a source that does not let go is waited for no longer than a second, and its signal aborts', async () => {
    const signals = [];
    const opened = source(['a'], { letGo: never });
    const stream = retryStream(({ signal }) => (signals.push(signal), opened));
    await stream.next();
    const began = performance.now();
    await stream.return();
    assert.ok(performance.now() - began < 5000);
    assert.equal(signals[0].aborted, true);
  });

  test('a source that lets go has no use for an abort', async () => {
    const signals = [];
    const stream = retryStream(({ signal }) => (signals.push(signal), source(['a', 'b'])));
    await stream.next();
    await stream.return();
    assert.equal(signals[0].aborted, false);
  });

  test('what the source rejects with then is what break gets', async () => {
    const error = new Error('in return');
    const stream = over([source(['a', 'b'], { letGo: () => Promise.reject(error) })]);
    await stream.next();
    await assert.rejects(stream.return(), (thrown) => thrown === error);
    const generator = over([(async function* () { try { yield 'a'; } finally { await settled(1); } })()]);
    await generator.next();
    assert.deepEqual(await generator.return('x'), { value: 'x', done: true });
  });

  test('before it began: the function is never called', async () => {
    const fn = calls(['a']);
    for (const leave of [(stream) => stream.return(1), (stream) => stream.throw(new Error('x')).catch(() => {}), (stream) => stream[Symbol.asyncDispose]?.()]) {
      const stream = retryStream(fn);
      await leave(stream);
      if (leave(stream) === undefined) continue;
      assert.deepEqual(await stream.next(), { value: undefined, done: true });
    }
    assert.equal(fn.made.length, 0);
  });

  test('throw closes the source and rejects with the error', async () => {
    const opened = source(['a', 'b']);
    const stream = over([opened]);
    await stream.next();
    const error = new Error('mine');
    await assert.rejects(stream.throw(error), (thrown) => thrown === error);
    assert.equal(opened.seen.returned, 1);
  });

  test('a ReadableStream is cancelled', async () => {
    let cancelled = 0;
    const make = () => new ReadableStream({ pull: (c) => c.enqueue('a'), cancel: () => { cancelled += 1; } });
    for (const given of [make(), { getReader: ((stream) => () => stream.getReader())(make()) }]) {
      const stream = over([given]);
      await stream.next();
      await stream.return();
    }
    assert.equal(cancelled, 2);
  });

  test('with `await using` it is closed', { skip: Symbol.asyncDispose === undefined }, async () => {
    const opened = source(['a', 'b']);
    const stream = over([opened]);
    await stream.next();
    await stream[Symbol.asyncDispose]();
    assert.equal(opened.seen.returned, 1);
  });
});
