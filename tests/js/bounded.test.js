// A body or chunk of any size and make: as much of it is read as decides, and what cannot be read is absent.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { runInNewContext } from 'node:vm';
import { classify, historyOf, retry } from 'dacapo';
import { fakeClock } from './lib/clock.js';
import { chat, over, readAll, source } from './lib/iterables.js';
import { thrownBy } from './lib/thrown.js';

const SPENT = { error: { message: 'm', code: 'insufficient_quota' } };
const bytes = new TextEncoder().encode(JSON.stringify(SPENT));
const kindOf = (body) => classify({ status: 429, body }).kind;

/** The same bytes at an offset of a buffer, whose rest is no part of them. */
function within(buffer, offset = 3) {
  new Uint8Array(buffer).set(bytes, offset);
  return buffer;
}

function detached() {
  const view = bytes.slice();
  structuredClone(view, { transfer: [view.buffer] });
  return view;
}

function outOfBounds() {
  const view = new Uint8Array(new ArrayBuffer(8, { maxByteLength: 8 }), 4, 4);
  view.buffer.resize(2);
  return view;
}

describe('bytes', () => {
  const size = bytes.length;
  const padded = size + 8;
  const readable = {
    'a view of a part of a buffer': new Uint8Array(within(new ArrayBuffer(padded)), 3, size),
    'Node\'s Buffer': Buffer.from(bytes),
    'a view that is no Uint8Array': new DataView(within(new ArrayBuffer(padded)), 3, size),
    'a buffer': bytes.slice().buffer,
    'a resizable buffer': within(new ArrayBuffer(size, { maxByteLength: padded }), 0),
    'a view that follows its buffer': new Uint8Array(within(new ArrayBuffer(size, { maxByteLength: padded }), 0)),
    'a shared buffer': within(new SharedArrayBuffer(size), 0),
    'a view of a shared buffer': new Uint8Array(within(new SharedArrayBuffer(padded)), 3, size),
    'a growable shared buffer': within(new SharedArrayBuffer(size, { maxByteLength: padded }), 0),
    'a buffer of another realm': runInNewContext('Uint8Array.from(bytes).buffer', { bytes: [...bytes] }),
  };
  const unreadable = {
    'a view of a detached buffer': detached(),
    'a detached buffer': detached().buffer,
    'a view out of bounds': outOfBounds(),
    'a proxy of a view': new Proxy(bytes, {}),
    'an object with the prototype of a view': Object.create(Uint8Array.prototype),
    'a view that lies about its length': Object.defineProperty(new Uint8Array(4), 'byteLength', { value: 1e9 }),
    'a stream': new Blob([bytes]).stream(),
  };

  test('of any buffer that can be read count', async () => {
    for (const [name, body] of Object.entries(readable)) {
      assert.equal(kindOf(body), 'quota_exhausted', name);
      assert.equal(classify({ error: { status: 429, body } }).kind, 'quota_exhausted', name);
    }
    assert.equal((await thrownBy({ status: 429, body: readable['a shared buffer'] })).sends, 1);
  });

  test('that cannot be read are absent, and the status decides', async () => {
    for (const [name, body] of Object.entries(unreadable)) {
      for (const error of [{ status: 429, body }, { status: 429, response: { data: body } }]) {
        assert.equal(classify({ error }).kind, 'rate_limited', name);
        const { error: { kind }, sends } = await thrownBy(error);
        assert.deepEqual([kind, sends], ['rate_limited', 3], name);
      }
      assert.equal(kindOf(body), 'rate_limited', name);
    }
  });

  test('are what they were when the error was thrown, whoever gives the buffer away afterwards', async () => {
    const body = bytes.slice();
    const error = { status: 429, body, get cause() { structuredClone(body, { transfer: [body.buffer] }); return undefined; } };
    await assert.rejects(retry(() => { throw error; }, { clock: fakeClock() }), { kind: 'rate_limited' }, 'given away before it was read');
    const later = bytes.slice();
    const shouldRetry = () => void structuredClone(later, { transfer: [later.buffer] });
    await assert.rejects(retry(() => { throw { status: 429, body: later }; }, { clock: fakeClock(), retryQuota: true, maxAttempts: 2, shouldRetry }), (thrown) => (
      historyOf(thrown).attempts[0].error.kind === 'quota_exhausted' && historyOf(thrown).last.error.kind === 'rate_limited'
    ));
  });

  test('and text are read as far as the policy reads an answer', () => {
    const late = `${' '.repeat(2000)}${JSON.stringify(SPENT)}`;
    for (const body of [late, new TextEncoder().encode(late)]) {
      const kind = (options) => classify({ status: 429, body }, options).kind;
      assert.deepEqual([kind(), kind({ errorBytes: 1000, inspectBytes: 1000 }), kind({ errorBytes: 3000, inspectBytes: 0 })], ['quota_exhausted', 'rate_limited', 'quota_exhausted']);
    }
  });
});

/** A value that counts how often it, and what is in it, is read and listed. */
function counted(target) {
  const counts = { reads: 0, lists: 0 };
  const seen = (value) => (typeof value !== 'object' || value === null ? value : new Proxy(value, {
    get: (object, name) => {
      counts.reads += 1;
      return seen(object[name]);
    },
    ownKeys: (object) => {
      counts.lists += 1;
      return Reflect.ownKeys(object);
    },
  }));
  return { value: seen(target), counts };
}

const many = (n) => Object.fromEntries(Array.from({ length: n }, (_, i) => [`k${i}`, i]));

describe('of parsed JSON', () => {
  const nested = (depth) => {
    let value = {};
    for (let level = 0; level < depth; level++) value = { a: value };
    return value;
  };
  const ring = { list: [] };
  for (let i = 0; i < 100; i++) ring.list.push(ring);

  test('no more is visited than is shown, whatever its size and shape', async () => {
    for (const [name, large] of Object.entries({
      'a list': new Array(1e7), 'an object': many(20_000), 'objects in objects': { a: many(2000), b: { c: many(2000) } },
      'lists of objects': Array.from({ length: 200 }, () => Array.from({ length: 200 }, () => ({ a: 1 }))), 'deep nesting': nested(50_000), 'a ring': ring,
    })) {
      for (const judged of [(value) => kindOf(value), (value) => classify({ error: { status: 429, body: value } })]) {
        const { value, counts } = counted(large);
        judged(value);
        assert.ok(counts.reads < 6000 && counts.lists < 1100, `${name}: ${JSON.stringify(counts)}`);
      }
      const { value, counts } = counted(large);
      await readAll(over([source([value, chat.text('h'), value, chat.stop])]));
      assert.ok(counts.reads < 60_000 && counts.lists < 11_000, `a chunk, ${name}: ${JSON.stringify(counts)}`);
    }
  });

  test('an object that occurs again and again is listed once', () => {
    const listed = counted(many(5000));
    kindOf({ list: new Array(100).fill(listed.value) });
    assert.equal(listed.counts.lists, 1);
  });

  test('bytes take no time, and neither does a list of any length', async () => {
    const large = { list: new Array(1e7), floats: new Float64Array(3e6), bytes: Buffer.alloc(1e7), shared: new SharedArrayBuffer(1e7) };
    const start = performance.now();
    for (const body of [large, ...Object.values(large), { error: large }]) classify({ status: 429, body });
    await readAll(over([source([...Object.values(large), { ...chat.start, large }, chat.text('h'), ...Object.values(large), chat.stop])]));
    assert.ok(performance.now() - start < 1000);
  });

  test('what is nearer to the top is seen first, however much there is beside it', () => {
    const choices = Array.from({ length: 100 }, () => ({ logprobs: Array.from({ length: 100 }, () => ({ token: 't', logprob: 0 })) }));
    assert.equal(kindOf({ choices, error: SPENT.error }), 'quota_exhausted');
  });

  test('a long message leaves room for the code behind it', () => {
    assert.equal(kindOf({ error: { message: 'x'.repeat(1e6), [`k${'x'.repeat(1e6)}`]: 1, code: 'insufficient_quota' } }), 'quota_exhausted');
  });

  test('a member that would set a prototype sets none', () => {
    assert.equal(kindOf(JSON.parse('{"__proto__":{"error":{"code":"insufficient_quota"}},"a":1}')), 'rate_limited');
  });

  test('a code is found beside what has no JSON', () => {
    const fail = () => { throw new Error('hostile'); };
    const odd = [1n, Symbol('s'), fail, new Proxy({}, { get: fail, ownKeys: fail, getPrototypeOf: fail, has: fail }), ring, { toJSON: fail }, { toJSON: () => ring }, detached(), Number.NaN, new Date(Number.NaN), new Error('e')];
    for (const value of odd) {
      assert.equal(kindOf({ value, list: [value], ...SPENT }), 'quota_exhausted', typeof value);
      assert.equal(classify({ error: { status: 429, body: { value, ...SPENT } } }).kind, 'quota_exhausted', typeof value);
    }
  });
});

test('of headers without an end the first are read', () => {
  const endless = function* () {
    yield ['retry-after', '3'];
    for (;;) yield ['x', 'y'];
  };
  assert.equal(classify({ status: 429, headers: endless() }).retryAfterMs, 3000);
  for (const headers of [new Array(1e7), many(20_000), { x: new Array(1e7).fill('y') }, new Map(Array.from({ length: 20_000 }, (_, i) => [`k${i}`, 'v']))]) {
    const { value, counts } = counted(headers);
    classify({ error: { status: 429, headers: headers instanceof Map ? headers : value } });
    assert.ok(counts.reads < 10_000, JSON.stringify(counts));
  }
});

test('a chunk with a cycle, a getter that throws or a BigInt is judged by its shape', async () => {
  const cyclic = { ...chat.start };
  cyclic.self = cyclic;
  const getter = Object.defineProperty({ ...chat.start }, 'own', { enumerable: true, get() { throw new Error('hostile'); } });
  const failing = (opening) => over([source([opening, chat.error]), source(['a'])]);
  for (const opening of [cyclic, getter, { ...chat.start, n: 1n }]) {
    assert.deepEqual((await readAll(failing(opening))).chunks, ['a']);
  }
});
