// retryStream: what is retried, what the consumer sees, and what is left of a failed attempt.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { historyOf, isRetryError, retryStream, RetryError, RetryPolicy } from 'dacapo';
import { fakeClock } from './lib/clock.js';
import { calls, chat, over, overloaded, readAll, source } from './lib/iterables.js';

describe('before the first output', () => {
  for (const [name, first] of Object.entries({
    'the function throws': () => overloaded(),
    'the promise rejects': () => Promise.reject(overloaded()),
    'the first next rejects': () => source([overloaded()]),
    'a next after the opening rejects': () => source([chat.start, overloaded()]),
    'a chunk tells of a failure': () => source([chat.start, chat.error]),
    'the stream ends without the end of its shape': () => source([chat.start]),
    'the reason for the end names a failure': () => source([chat.start, { choices: [{ delta: {}, finish_reason: 'error' }] }]),
  })) {
    test(`${name}: it is called again, and the consumer sees one start`, async () => {
      const stream = over([first(), source([chat.start, chat.text('hi'), chat.stop])]);
      const { chunks, failed } = await readAll(stream);
      assert.equal(failed, false);
      assert.deepEqual(chunks, [chat.start, chat.text('hi'), chat.stop]);
      assert.deepEqual(stream.made.map(({ attempt }) => attempt), [1, 2]);
      const { attempts, retry } = historyOf(stream);
      assert.deepEqual([attempts.length, attempts[0].streamed, retry.totalAttempts, retry.failedAttempts], [1, false, 2, 1]);
    });
  }

  test('the failed iterator is returned, and one that hangs or rejects there does no harm', async () => {
    const fates = [() => undefined, () => new Promise(() => {}), () => Promise.reject(new Error('in return')), () => { throw new Error('at once'); }];
    for (const letGo of fates) {
      const failed = source([chat.start, chat.error], { letGo });
      const { chunks } = await readAll(over([failed, source(['hi'])]));
      assert.deepEqual([chunks, failed.seen.returned], [['hi'], 1]);
    }
    const throwing = { ...source([chat.error]), return() { throw new Error('sync'); } };
    assert.deepEqual((await readAll(over([throwing, ['hi']]))).chunks, ['hi']);
  });

  test('when nothing helps the last error is the cause of a RetryError', async () => {
    const error = overloaded();
    const result = await readAll(over([source([chat.start, error])]));
    assert.deepEqual(result.chunks, []);
    assert.ok(isRetryError(result.error));
    assert.equal(result.error.cause, error);
    assert.deepEqual([result.error.kind, result.error.mark, result.error.attempts.length], ['overloaded', 'attempts_exhausted', 2]);
  });

  test('a failure that does not heal is not retried', async () => {
    const stream = over([source([chat.start, { error: { code: 'insufficient_quota', message: 'spent' } }])]);
    const { error } = await readAll(stream);
    assert.deepEqual([error.kind, error.mark, stream.made.length, 'attempts' in error], ['quota_exhausted', 'not_retryable', 1, false]);
  });

  test('a RetryError that was raised keeps its kind, also in an error part', async () => {
    const raised = new RetryError({ kind: 'schema_mismatch', issues: ['x'] });
    for (const first of [source([raised]), source([{ type: 'error', error: raised }])]) {
      const { error } = await readAll(over([first]));
      assert.deepEqual([error.kind, error.issues, error.cause], ['schema_mismatch', ['x'], raised]);
    }
  });

  test('an error part is judged by the error in it, or by what it says', async () => {
    for (const [part, kind] of [
      [{ type: 'error', error: Object.assign(new Error('no'), { statusCode: 401 }) }, 'auth'],
      [{ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } }, 'overloaded'],
      [{ type: 'error', error: new Error('stopped') }, 'server_error'],
      [{ type: 'error', errorText: 'stopped' }, 'server_error'],
      [{ type: 'finish', finishReason: 'content-filter' }, 'content_filtered'],
    ]) {
      const { error, chunks } = await readAll(over([source([{ type: 'start' }, part])], { maxAttempts: 1 }));
      assert.deepEqual([error.kind, chunks], [kind, []], JSON.stringify(part));
    }
  });
});

describe('after the first output', () => {
  for (const [name, end] of Object.entries({
    'next rejects': () => overloaded(),
    'a chunk tells of a failure': () => chat.error,
    'an error part comes': () => ({ type: 'error', error: overloaded() }),
    'the reason for the end names a failure': () => ({ choices: [{ index: 0, delta: { content: '' }, finish_reason: 'insufficient_system_resource' }] }),
  })) {
    test(`${name}: nothing is retried, and a RetryError says so`, async () => {
      const events = [];
      const first = source([chat.start, chat.text('h'), end()]);
      const stream = over([first], { onEvent: (event) => events.push(event), shouldRetry: () => assert.fail('it is not asked') });
      const { chunks, error } = await readAll(stream);
      assert.deepEqual(chunks, [chat.start, chat.text('h')]);
      assert.ok(isRetryError(error));
      assert.deepEqual([error.kind, error.mark, error.retry.failedAttempts, stream.made.length, first.seen.returned], ['overloaded', 'output_begun', 1, 1, 1]);
      const { last } = historyOf(error);
      assert.deepEqual([last.streamed, historyOf(stream).last], [true, last]);
      assert.deepEqual(events.map(({ type, outcome }) => outcome ?? type), ['failed', 'failed']);
    });
  }

  test('a stream of a known shape without its end is cut short', async () => {
    const { error, chunks } = await readAll(over([source([chat.start, chat.text('h')])]));
    assert.deepEqual([error.kind, error.code, error.mark, chunks.length], ['transport', 'truncated', 'output_begun', 2]);
  });

  test('what follows on the end does not hide it', async () => {
    const chunks = [chat.start, chat.text('h'), chat.stop, chat.usage(3, 1), { choices: [] }];
    assert.deepEqual(await readAll(over([source(chunks)])), { chunks, failed: false });
  });

  test('a chunk whose reason for the end names a failure is the cause, and nothing behind it is read', async () => {
    const failed = { choices: [{ index: 0, delta: {}, finish_reason: 'error' }] };
    const first = source([chat.start, chat.text('h'), failed, chat.usage(3, 1)]);
    const { error } = await readAll(over([first], { partial: true }));
    assert.equal(error.cause, failed);
    assert.deepEqual([error.kind, error.partial.text, first.seen.asked, first.seen.returned], ['server_error', 'h', 3, 1]);
  });

  test('a filter, a refusal and a limit are the end of an answer that has begun', async () => {
    for (const reason of ['length', 'content_filter', 'refusal', 'sensitive', 'model_context_window_exceeded']) {
      const chunks = [chat.start, chat.text('h'), { choices: [{ index: 0, delta: {}, finish_reason: reason }] }, chat.usage(3, 1)];
      const stream = over([source(chunks)]);
      assert.deepEqual([await readAll(stream), historyOf(stream)], [{ chunks, failed: false }, undefined], reason);
    }
  });

  test('what isOutput takes for output is none of our failures, whatever its reason', async () => {
    const chunks = [chat.text('h'), { choices: [{ index: 0, delta: {}, finish_reason: 'error' }] }];
    assert.deepEqual(await readAll(over([source(chunks)], { isOutput: () => true })), { chunks, failed: false });
    assert.equal((await readAll(over([source(chunks)], { isOutput: (chunk) => chunk === chunks[0] }))).error.mark, 'output_begun');
  });

  test('the failure of a tool is the application\'s', async () => {
    const parts = [
      { type: 'start' }, { type: 'tool-call', toolCallId: 'c', toolName: 'f', input: {} },
      { type: 'tool-error', toolCallId: 'c', error: new Error('no such city') }, { type: 'tool-result', output: { error: 'none' } }, { type: 'finish', finishReason: 'stop' },
    ];
    assert.deepEqual(await readAll(over([parts])), { chunks: parts, failed: false });
  });

  test('chunks pass through by identity', async () => {
    const chunks = [chat.start, Object.freeze({ any: 1 }), new Uint8Array(3), null, undefined, 0, () => {}, Symbol('s'), 1n];
    const read = (await readAll(over([source(chunks)]))).chunks;
    assert.ok(read.every((chunk, at) => chunk === chunks[at]));
    assert.equal(read.length, chunks.length);
  });
});

describe('without output', () => {
  for (const [name, chunks] of Object.entries({
    'an empty stream': [],
    'empty texts': ['', ''],
    'an opening and an end': [chat.start, chat.stop],
    'one choice that was filtered and one that goes on': [
      { choices: [{ index: 0, delta: {}, finish_reason: 'content_filter' }] }, { choices: [{ index: 1, delta: { content: 'h' } }] }, chat.stop,
    ],
  })) {
    test(`${name} is delivered as it is`, async () => {
      const stream = over([source(chunks)]);
      assert.deepEqual(await readAll(stream), { chunks, failed: false });
      assert.deepEqual([stream.made.length, historyOf(stream)], [1, undefined]);
    });
  }
});

describe('what the function may give', () => {
  const streams = {
    'an async generator': () => (async function* () { yield* ['a', 'b']; })(),
    'a promise of one': async () => (async function* () { yield* ['a', 'b']; })(),
    'a list': () => ['a', 'b'],
    'a list of promises': () => [Promise.resolve('a'), Promise.resolve('b')],
    'a generator': () => (function* () { yield* ['a', 'b']; })(),
    'a ReadableStream': () => new ReadableStream({ start(c) { c.enqueue('a'); c.enqueue('b'); c.close(); } }),
    'a ReadableStream that is no iterable': () => {
      const stream = new ReadableStream({ start(c) { c.enqueue('a'); c.enqueue('b'); c.close(); } });
      return { getReader: () => stream.getReader() };
    },
  };
  for (const [name, make] of Object.entries(streams)) {
    test(`${name}`, async () => assert.deepEqual(await readAll(retryStream(make)), { chunks: ['a', 'b'], failed: false }));
  }

  test('anything else is a slip in the program', async () => {
    for (const given of [undefined, null, 3, 'text', {}, { [Symbol.asyncIterator]: () => null }]) {
      const stream = over([() => given].map((give) => give()));
      const { error } = await readAll(stream);
      assert.deepEqual([error.kind, error.mark, stream.made.length, error.cause instanceof TypeError], ['bad_request', 'not_retryable', 1, true]);
    }
  });

  test('a result that is no object is a slip too', async () => {
    const { error } = await readAll(over([{ [Symbol.asyncIterator]: () => ({ next: () => 3 }) }]));
    assert.ok(error.cause instanceof TypeError);
  });

  test('a promise of a list that rejects is a failure like any other', async () => {
    assert.deepEqual((await readAll(over([[Promise.reject(overloaded())], ['a']]))).chunks, ['a']);
  });
});

describe('the iterator', () => {
  test('the function is called when the first chunk is asked for, and once', async () => {
    const fn = calls(source(['a']));
    const stream = retryStream(fn);
    assert.equal(fn.made.length, 0);
    assert.equal(stream[Symbol.asyncIterator](), stream);
    const asked = [stream.next(), stream.next(), stream.next()];
    assert.equal(fn.made.length, 1);
    assert.deepEqual(await Promise.all(asked), [{ value: 'a', done: false }, { value: undefined, done: true }, { value: undefined, done: true }]);
  });

  test('what the source returned is what ends it', async () => {
    const stream = over([(async function* () { yield 'a'; return 'all'; })()]);
    await stream.next();
    assert.deepEqual([await stream.next(), await stream.next()], [{ value: 'all', done: true }, { value: undefined, done: true }]);
  });

  test('after an error it is over', async () => {
    const stream = over([source([overloaded()])], { maxAttempts: 1 });
    await assert.rejects(stream.next(), isRetryError);
    assert.deepEqual(await stream.next(), { value: undefined, done: true });
  });

  test('isOutput decides what output is, and its throw fails the attempt', async () => {
    const isOutput = (chunk) => chunk.n > 1;
    const stream = over([source([{ n: 1 }, overloaded()]), source([{ n: 1 }, { n: 2 }, { n: 3 }])], { isOutput });
    assert.deepEqual((await readAll(stream)).chunks, [{ n: 1 }, { n: 2 }, { n: 3 }]);
    const thrown = new Error('in isOutput');
    const { error } = await readAll(over([source([{ n: 1 }])], { isOutput: () => { throw thrown; } }));
    assert.equal(error.cause, thrown);
    const spoken = await readAll(over([source([{ error: 'none' }, { error: 'none' }])], { isOutput: () => true }));
    assert.deepEqual(spoken.chunks.length, 2);
  });

  test('hooks and the schedule are those of retry', async () => {
    const clock = fakeClock();
    const told = [];
    const stream = retryStream(calls(source([overloaded()])), {
      clock, random: () => 0, onRetry: (record, { signal }) => told.push([record.attempt, signal.aborted]), policy: new RetryPolicy({ maxAttempts: 3 }),
    });
    await readAll(stream);
    assert.deepEqual([clock.waits, told], [[250, 500], [[1, false], [2, false]]]);
    const vetoed = over([source([overloaded()])], { shouldRetry: () => false });
    assert.deepEqual([(await readAll(vetoed)).error.mark, vetoed.made.length], ['hook_veto', 1]);
    const thrown = new Error('in the hook');
    assert.equal((await readAll(over([source([overloaded()])], { onRetry: () => { throw thrown; } }))).error, thrown);
  });

  test('a call that was retried has one settled event, however it ends', async () => {
    for (const [second, outcome] of [[['a'], 'delivered'], [source([overloaded()]), 'failed'], [source([chat.text('a')]), 'failed']]) {
      const events = [];
      await readAll(over([source([overloaded()]), second], { maxAttempts: 2, onEvent: (event) => events.push(event) }));
      assert.deepEqual(events.filter(({ type }) => type === 'settled').map((event) => event.outcome), [outcome]);
    }
    const events = [];
    await readAll(over([['a']], { onEvent: (event) => events.push(event) }));
    assert.deepEqual(events, []);
  });

  test('faults are told at once, all of them', () => {
    const fn = () => [];
    const codes = (options) => {
      try {
        retryStream(fn, options);
      } catch (error) {
        assert.equal(error.kind, 'invalid_config');
        return error.faults?.map(({ option, code }) => `${option} ${code}`) ?? error.message;
      }
      return assert.fail('it is no fault');
    };
    assert.deepEqual(codes({ isOutput: 'yes', partial: 0, maxAttempts: 0, colour: 1 }).sort(), ['colour unknown_option', 'isOutput type', 'maxAttempts retry_max_attempts', 'partial range']);
    assert.deepEqual(codes({ partial: 'all' }), ['partial type']);
    assert.match(codes({ signal: {} }), /retryStream: signal/);
    assert.throws(() => retryStream('fn'), { kind: 'invalid_config' });
    assert.throws(() => retryStream(fn, 'options'), { kind: 'invalid_config' });
  });
});
