// The limits of a retryStream: its timeouts, and how much of an opening is held back.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { historyOf, retryStream } from 'dacapo';
import { chat, over, overloaded, readAll, source } from './lib/iterables.js';

const after = (ms, value) => new Promise((resolve) => { setTimeout(resolve, ms, value); });
const hangs = () => source([], { stuck: true });

describe('timeouts', () => {
  for (const [option, opening] of [['timeoutMs', [chat.start]], ['firstOutputTimeoutMs', [chat.start]], ['idleTimeoutMs', []]]) {
    test(`${option} ends an attempt without output, which is retried`, async () => {
      const slow = source(opening, { stuck: true });
      const stream = over([slow, ['a']], { [option]: 20 });
      assert.deepEqual((await readAll(stream)).chunks, ['a']);
      const [record] = historyOf(stream).attempts;
      assert.deepEqual([record.error.kind, record.streamed, slow.seen.returned], ['timeout', false, 1]);
      assert.match(record.error.message, new RegExp(option));
      assert.deepEqual([stream.made[0].signal.aborted, stream.made[0].signal.reason.name], [true, 'TimeoutError']);
    });
  }

  test('a function that hangs is covered as well', async () => {
    for (const option of ['timeoutMs', 'firstOutputTimeoutMs']) {
      const stream = over([new Promise(() => {}), ['a']], { [option]: 20 });
      assert.deepEqual((await readAll(stream)).chunks, ['a']);
    }
  });

  test('pings reset the idle timeout and not that for the first output', async () => {
    const pings = () => (async function* () { for (;;) { await after(8); yield { type: 'ping' }; } })();
    const { error } = await readAll(over([pings()], { idleTimeoutMs: 200, firstOutputTimeoutMs: 60, maxAttempts: 1 }));
    assert.match(error.cause.message, /firstOutputTimeoutMs/);
  });

  test('timeoutMs ends at the first output, unless it covers the response', async () => {
    const slow = () => source(['a', after(60, 'b')]);
    assert.deepEqual((await readAll(over([slow()], { timeoutMs: 30 }))).chunks, ['a', 'b']);
    const { error, chunks } = await readAll(over([source(['a'], { stuck: true })], { timeoutMs: 30, timeoutCovers: 'response' }));
    assert.deepEqual([error.kind, error.mark, chunks], ['timeout', 'output_begun', ['a']]);
    assert.match(error.cause.message, /timeoutMs: the attempt did not end/);
  });

  test('idleTimeoutMs counts after output, and only while a chunk is waited for', async () => {
    const { error } = await readAll(over([source(['a'], { stuck: true })], { idleTimeoutMs: 20 }));
    assert.deepEqual([error.kind, error.mark], ['timeout', 'output_begun']);
    const stream = over([source(['a', 'b'])], { idleTimeoutMs: 20 });
    await stream.next();
    await after(50);
    assert.deepEqual(await stream.next(), { value: 'b', done: false });
    await stream.return();
  });

  test('deadlineMs is for the call until its first output', async () => {
    const { error } = await readAll(over([hangs()], { deadlineMs: 20 }));
    assert.deepEqual([error.kind, error.mark], ['deadline_exceeded', 'deadline_exceeded']);
    assert.match(error.cause.message, /deadlineMs/);
    assert.deepEqual((await readAll(over([source(['a', after(60, 'b')])], { deadlineMs: 30 }))).chunks, ['a', 'b']);
  });

  test('no timer is left when a stream ends, fails or is left', async () => {
    const set = new Set();
    const { setTimeout: real, clearTimeout: clear } = globalThis;
    globalThis.setTimeout = (...args) => { const timer = real(...args); set.add(timer); return timer; };
    globalThis.clearTimeout = (timer) => { set.delete(timer); clear(timer); };
    try {
      const options = { timeoutMs: 60_000, firstOutputTimeoutMs: 60_000, idleTimeoutMs: 60_000, timeoutCovers: 'response', maxAttempts: 2 };
      await readAll(over([source(['a', 'b'])], options));
      await readAll(over([source([overloaded()])], options));
      const stream = over([source(['a', 'b'])], options);
      await stream.next();
      await stream.return();
      assert.equal(set.size, 0);
    } finally {
      Object.assign(globalThis, { setTimeout: real, clearTimeout: clear });
    }
  });
});

describe('an opening', () => {
  const ping = { type: 'ping' };

  test('is held for holdOpeningMs, then handed over and not retried', async () => {
    const stream = over([source([ping, ping, after(40, chat.error)])], { holdOpeningMs: 15 });
    const { chunks, error } = await readAll(stream);
    assert.deepEqual([chunks.length, error.mark, stream.made.length], [2, 'output_begun', 1]);
  });

  test('that is handed over while a chunk is awaited loses none', async () => {
    const chunks = [ping, after(40, chat.text('a')), chat.text('b'), chat.stop];
    assert.deepEqual((await readAll(over([source(chunks)], { holdOpeningMs: 15 }))).chunks, [ping, chat.text('a'), chat.text('b'), chat.stop]);
  });

  test('is held up to openingBytes of JSON', async () => {
    for (const [openingBytes, mark] of [[1000, 'attempts_exhausted'], [100, 'output_begun'], [0, 'output_begun']]) {
      const { error } = await readAll(over([source([...Array(20).fill(ping), chat.error])], { openingBytes }));
      assert.equal(error.mark, mark, String(openingBytes));
    }
    const { error } = await readAll(over([source([ping, chat.error])], { holdOpeningMs: 0 }));
    assert.equal(error.mark, 'output_begun');
  });

  test('of very many chunks is not held whole, whatever their size', async () => {
    let asked = 0;
    const endless = { async* [Symbol.asyncIterator]() { for (;;) { asked += 1; yield ''; } } };
    const stream = retryStream(() => endless);
    assert.deepEqual(await stream.next(), { value: '', done: false });
    assert.ok(asked <= 1000, String(asked));
    await stream.return();
  });

  test('with a chunk that is huge, deep, cyclic or hostile costs little and fails nothing', async () => {
    const cyclic = {};
    cyclic.self = cyclic;
    const fail = () => { throw new Error('hostile'); };
    const hostile = new Proxy({}, { get: fail, ownKeys: fail, getOwnPropertyDescriptor: fail, has: fail, getPrototypeOf: fail });
    const huge = { type: 'response.created', response: { instructions: 'x'.repeat(30e6), list: Array(100_000).fill({ a: 1 }) } };
    for (const chunk of [cyclic, hostile, new Uint8Array(5e6), { n: 1n }, { toJSON: fail }]) {
      const results = [{ value: chunk, done: false }, { value: chunk, done: false }, { value: undefined, done: true }];
      const stream = over([{ [Symbol.asyncIterator]: () => ({ next: async () => results.shift() }) }], { partial: true, usage: true });
      for (let read = 0; read < 2; read++) assert.equal((await stream.next()).value, chunk);
      assert.equal((await stream.next()).done, true);
    }
    const cpuMs = () => process.cpuUsage().user / 1000;
    const began = cpuMs();
    const done = { type: 'response.completed', response: {} };
    assert.equal((await readAll(over([source([huge, chat.error]), source([huge, { type: 'response.output_text.delta', delta: 'h' }, done])]))).chunks.length, 3);
    assert.ok(cpuMs() - began < 500, String(cpuMs() - began));
  });
});

test('memory stays flat over a long stream', async () => {
  setFlagsFromString('--expose-gc');
  const gc = runInNewContext('gc');
  const heldBytes = () => (gc(), process.memoryUsage().heapUsed);
  const piece = 'x'.repeat(2000);
  async function* long() {
    yield chat.start;
    for (let n = 0; ; n++) yield chat.text(`${piece}${n}`.split('').join(''));
  }
  const stream = retryStream(long, { partial: 1000, usage: true });
  await stream.next();
  const before = heldBytes();
  for (let read = 0; read < 5000; read++) await stream.next();
  const kept = heldBytes() - before;
  assert.ok(kept < 2e6, `${kept} of ${5000 * piece.length} bytes`);
  await stream.return();
});

test('the wait after an attempt that took too long is the policy\'s', async () => {
  const stream = over([hangs(), ['a']], { timeoutMs: 20, initialDelayMs: 4, maxDelayMs: 4, jitter: 'none' });
  assert.deepEqual((await readAll(stream)).chunks, ['a']);
  assert.deepEqual(historyOf(stream).attempts.map(({ delayMs }) => delayMs), [4]);
});
