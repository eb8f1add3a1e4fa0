// withFallback over streams: another target only before the first output, and never two answers in one.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { historyOf, withFallback } from 'dacapo';
import { fakeClock, settled, stoppedClock } from './lib/clock.js';
import { chat, overloaded, readAll, source } from './lib/iterables.js';
import { brief } from './lib/targets.js';

const ANSWER = [chat.start, chat.text('42'), chat.stop];

/** A stream over targets that each give these sources, in turn; `made` has each target's calls. */
function over(targets, options = {}) {
  const made = targets.map(() => []);
  const list = targets.map(({ sources, ...own }, i) => ({
    ...own,
    call(input, context) {
      const given = sources[Math.min(made[i].push({ input, context }), sources.length) - 1];
      if (given instanceof Error) throw given;
      return given;
    },
  }));
  const stream = withFallback(list, { mode: 'iterable', clock: fakeClock(), random: () => 0, maxAttempts: 2, ...options })('hi');
  return Object.assign(stream, { made });
}

const counts = ({ made }) => made.map((calls) => calls.length);

describe('before the first output', () => {
  test('the first target that has any is heard from its start', async () => {
    const stream = over([{ sources: [ANSWER], provider: 'a' }, { sources: [ANSWER] }]);
    const { chunks } = await readAll(stream);
    assert.deepEqual([chunks, counts(stream), historyOf(stream)], [ANSWER, [1, 0], undefined]);
  });

  test('a target that is overloaded falls over, and its opening is dropped', async () => {
    for (const [opening, kind] of [
      [[chat.start, overloaded()], 'overloaded'],
      [[chat.start, chat.error], 'overloaded'],
      [[chat.start], 'transport'],
      [[Object.assign(new Error('no'), { status: 401 })], 'auth'],
    ]) {
      const stream = over([{ sources: [source(opening)], provider: 'a' }, { sources: [source(ANSWER)], provider: 'b' }]);
      const { chunks, failed } = await readAll(stream);
      assert.deepEqual([chunks, failed], [ANSWER, false]);
      const attempts = kind === 'auth' ? 1 : 2;
      assert.deepEqual(counts(stream), [attempts, 1]);
      const { fallback, retry, last, mark } = historyOf(stream);
      assert.deepEqual([brief(fallback), retry.totalAttempts, last, mark], [[[-1, 'a', kind, attempts - 1]], attempts + 1, undefined, undefined]);
    }
  });

  test('a target that throws at once, rejects, or gives no stream', async () => {
    for (const given of [overloaded(), Promise.reject(overloaded())]) {
      assert.deepEqual((await readAll(over([{ sources: [given], maxAttempts: 1 }, { sources: [ANSWER] }]))).chunks, ANSWER);
    }
    const { error } = await readAll(over([{ sources: [7] }, { sources: [ANSWER] }]));
    assert.equal(error.kind, 'bad_request', 'a mistake in the program is nobody else’s');
  });

  test('each target is given the input, and told who it is', async () => {
    const stream = over([{ sources: [overloaded()], provider: 'a', model: 'm', maxAttempts: 1 }, { sources: [ANSWER] }]);
    await readAll(stream);
    const [[{ input, context }]] = stream.made;
    assert.deepEqual([input, context.attempt, context.provider, context.model, context.signal instanceof AbortSignal], ['hi', 1, 'a', 'm', true]);
  });

  test('when every target failed the error tells of each', async () => {
    const stream = over([{ sources: [overloaded()], provider: 'a' }, { sources: [[chat.start, chat.error]], provider: 'b' }]);
    const { error, chunks } = await readAll(stream);
    assert.deepEqual([error.kind, chunks], ['fallback_exhausted', []]);
    assert.deepEqual(brief(error.attempts), [[-1, 'a', 'overloaded', 1], [0, 'b', 'overloaded', 1]]);
    assert.deepEqual(historyOf(stream), historyOf(error));
    assert.deepEqual(await stream.next(), { value: undefined, done: true });
  });

  test('a failure that goes no further is the target’s own, and one target alone has its own', async () => {
    const bad = Object.assign(new Error('no'), { status: 400 });
    const stream = over([{ sources: [overloaded()] }, { sources: [bad] }, { sources: [ANSWER] }]);
    const { error } = await readAll(stream);
    assert.deepEqual([error.kind, counts(stream), historyOf(stream).fallback.length], ['bad_request', [2, 1, 0], 1]);
    const alone = await readAll(over([{ sources: [overloaded()] }]));
    assert.deepEqual([alone.error.kind, alone.error.mark], ['overloaded', 'attempts_exhausted']);
  });

  test('one deadline is over all, until the first output', async () => {
    const clock = fakeClock();
    const slow = () => {
      clock.advance(600);
      return overloaded();
    };
    const list = [0, 1, 2].map(() => ({ maxAttempts: 1, call: () => { throw slow(); } }));
    const { error } = await readAll(withFallback(list, { mode: 'iterable', clock, deadlineMs: 1000 })());
    assert.deepEqual([error.kind, historyOf(error).fallback.length], ['overloaded', 1]);
  });

  test('a breaker that is open is passed over', async () => {
    let asked = 0;
    const call = withFallback([
      { provider: 'a', call: () => { asked += 1; throw overloaded(); } },
      { call: () => ANSWER },
    ], { mode: 'iterable', maxAttempts: 1, breaker: { failures: 2 } });
    for (let n = 0; n < 4; n++) assert.deepEqual((await readAll(call())).chunks, ANSWER);
    assert.equal(asked, 2);
  });
});

describe('after the first output', () => {
  test('a failure surfaces with what the consumer had, and no other target is asked', async () => {
    for (const end of [overloaded(), chat.error]) {
      const begun = [chat.start, chat.text('The answer '), chat.text('is '), end];
      const stream = over([{ sources: [source(begun)], provider: 'a' }, { sources: [ANSWER], provider: 'b' }], { partial: true, fallbackOn: () => true });
      const { chunks, error } = await readAll(stream);
      assert.deepEqual(chunks, begun.slice(0, 3));
      assert.deepEqual([error.kind, error.mark, error.partial.text, counts(stream)], ['overloaded', 'output_begun', 'The answer is ', [1, 0]]);
      assert.deepEqual([historyOf(stream).fallback, historyOf(stream).last.streamed], [undefined, true]);
    }
  });

  test('a second target that fails after output ends with its own error and partial, and with the first in its history', async () => {
    const second = source([chat.start, chat.text('4'), overloaded()]);
    const stream = over([{ sources: [overloaded()], provider: 'a' }, { sources: [second], provider: 'b', partial: true }, { sources: [ANSWER] }]);
    const { chunks, error } = await readAll(stream);
    assert.deepEqual([chunks, error.partial.text, counts(stream)], [[chat.start, chat.text('4')], '4', [2, 1, 0]]);
    assert.deepEqual([brief(historyOf(stream).fallback), historyOf(stream).mark], [[[-1, 'a', 'overloaded', 1]], 'output_begun']);
  });

  test('tokens are kept apart', async () => {
    const first = [chat.start, chat.usage(9, 1), overloaded()];
    const second = [chat.start, chat.text('42'), chat.stop, chat.usage(5, 2)];
    const stream = over([{ sources: [source(first)], maxAttempts: 1 }, { sources: [source(second)] }], { usage: true });
    await readAll(stream);
    const { usage, fallback, retry } = historyOf(stream);
    assert.deepEqual([usage.total, fallback[0].tokens.total, retry.wastedTotalTokens, usage.billedTotalTokens], [7, 10, 10, 17]);
  });
});

describe('as a generator', () => {
  test('no target is asked before the first chunk is', async () => {
    const stream = over([{ sources: [ANSWER] }]);
    await settled();
    assert.deepEqual(counts(stream), [0]);
    await stream.return();
    assert.deepEqual([await stream.next(), counts(stream)], [{ value: undefined, done: true }, [0]]);
  });

  test('reads that are asked for at once come in order, over the change of targets', async () => {
    const stream = over([{ sources: [source([chat.start, chat.error])] }, { sources: [source(ANSWER)] }]);
    const results = await Promise.all([stream.next(), stream.next(), stream.next(), stream.next()]);
    assert.deepEqual(results.map(({ value }) => value), [...ANSWER, undefined]);
  });

  test('what it returns is what the target’s returned', async () => {
    async function* call() {
      yield 'a';
      return 'the end';
    }
    const stream = withFallback([{ call: () => { throw overloaded(); }, maxAttempts: 1 }, { call }], { mode: 'iterable' })();
    assert.deepEqual(await stream.next(), { value: 'a', done: false });
    assert.deepEqual(await stream.next(), { value: 'the end', done: true });
  });

  test('leaving ends everything: in a wait, in onFallback, in the second target', async () => {
    const clock = stoppedClock();
    const waiting = over([{ sources: [overloaded()] }, { sources: [ANSWER] }], { clock });
    const read = waiting.next();
    await clock.asleep;
    await waiting.return();
    assert.deepEqual([await read, counts(waiting)], [{ value: undefined, done: true }, [1, 0]]);

    let called;
    const there = new Promise((resolve) => { called = resolve; });
    const signals = [];
    const onFallback = (_, { signal }) => (signals.push(signal), called(), new Promise(() => {}));
    const between = over([{ sources: [overloaded()], maxAttempts: 1 }, { sources: [ANSWER] }], { onFallback });
    const other = between.next();
    await there;
    await between.return();
    assert.deepEqual([await other, counts(between), signals[0].aborted], [{ value: undefined, done: true }, [1, 0], true]);

    const second = source([chat.text('h')], { stuck: true });
    const heard = over([{ sources: [overloaded()], maxAttempts: 1 }, { sources: [second] }]);
    await heard.next();
    await heard.return();
    assert.deepEqual([second.seen.returned, await heard.next()], [1, { value: undefined, done: true }]);
    assert.equal(historyOf(heard).fallback.length, 1);
  });

  test('isOutput and partial are options of all targets or of one, and of streams alone', () => {
    const call = () => ANSWER;
    assert.doesNotThrow(() => withFallback([{ call, isOutput: () => true, partial: 9 }], { mode: 'iterable', partial: true }));
    for (const [targets, options, option] of [
      [[{ call, isOutput: 1 }], { mode: 'iterable' }, 'targets.0.isOutput'],
      [[{ call }], { mode: 'iterable', partial: 0 }, 'partial'],
      [[{ call, isOutput: () => true }], {}, 'targets.0.isOutput'],
    ]) {
      assert.throws(() => withFallback(targets, options), ({ faults }) => faults.length === 1 && faults[0].option === option);
    }
  });

  test('what isOutput calls output decides for which target it is asked', async () => {
    const sources = [source(['ping', overloaded()])];
    const isOutput = (chunk) => chunk !== 'ping';
    const all = await readAll(over([{ sources }, { sources: [['ping', 'x']] }], { isOutput }));
    assert.deepEqual(all.chunks, ['ping', 'x']);
    const one = await readAll(over([{ sources: [source(['ping', overloaded()])] }, { sources: [['x']], isOutput }]));
    assert.deepEqual([one.chunks, one.error.mark], [['ping'], 'output_begun']);
  });
});
