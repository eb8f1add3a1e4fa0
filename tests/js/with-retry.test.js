// withRetry: the named methods are retried, and nothing else of the driver is another.

import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import { describe, test } from 'node:test';
import { historyOf, isRetryError, withRetry } from 'dacapo';
import { fakeClock } from './lib/clock.js';
import { overloaded, readAll, source } from './lib/iterables.js';

class Base {
  static made = 0;
  static describe() {
    return `made ${this.made}`;
  }

  inherited() {
    return this.name;
  }
}

class Driver extends Base {
  #sends = [];
  #left;
  name = 'driver';

  constructor(failures = 1) {
    super();
    this.#left = failures;
  }

  get sends() {
    return this.#sends;
  }

  get model() {
    return this.#left;
  }

  set model(value) {
    this.#left = value;
  }

  #send(args, self) {
    this.#sends.push({ args, self });
    if (this.#left-- > 0) throw overloaded();
  }

  async complete(...args) {
    this.#send(args, this);
    return { text: 'hello' };
  }

  stream(...args) {
    this.#send(args, this);
    return source(['hel', 'lo']);
  }

  async laterStream(...args) {
    return this.stream(...args);
  }

  async twice(request) {
    return [await this.complete(request), await this.complete(request)];
  }

  async listModels() {
    this.#send([], this);
    return ['m'];
  }

  static #secret = 'inside';
  static peek() {
    return this.#secret;
  }
}

const methods = { complete: 'promise', stream: 'iterable', laterStream: 'iterable', twice: 'promise' };
const wrap = (driver, options = {}) => withRetry(driver, { methods, clock: fakeClock(), ...options });

describe('a named method', () => {
  test('that gives a promise is retried as by retry', async () => {
    const driver = new Driver(2);
    const answer = await wrap(driver).complete('a', { b: 1 });
    assert.deepEqual([answer, driver.sends.length, historyOf(answer).retry.failedAttempts], [{ text: 'hello' }, 3, 2]);
    assert.deepEqual(driver.sends.map(({ args }) => args), Array(3).fill(['a', { b: 1 }]));
    const { retry } = await wrap(new Driver(9)).complete().catch((error) => error);
    assert.equal(retry.failedAttempts, 3);
  });

  test('that gives a stream, at once or as a promise, is retried as by retryStream', async () => {
    for (const name of ['stream', 'laterStream']) {
      const driver = new Driver(1);
      const stream = await wrap(driver)[name]('a');
      assert.equal(driver.sends.length, 0, 'it is called when a chunk is asked for');
      assert.deepEqual(await readAll(stream), { chunks: ['hel', 'lo'], failed: false });
      assert.deepEqual([driver.sends.length, historyOf(stream).retry.totalAttempts], [2, 2]);
    }
  });

  test('has the driver itself as its `this`, so what it calls is not retried once more', async () => {
    const driver = new Driver(9);
    await assert.rejects(wrap(driver, { maxAttempts: 2 }).twice(), isRetryError);
    assert.equal(driver.sends.length, 2);
    assert.ok(driver.sends.every(({ self }) => self === driver));
    const { complete } = wrap(new Driver(1));
    assert.deepEqual(await complete(), { text: 'hello' }, 'also when it is called by itself');
  });

  test('keeps its identity, name and length, and has its own where two share one function', () => {
    const driver = new Driver();
    const wrapped = wrap(driver);
    assert.equal(wrapped.complete, wrapped.complete);
    assert.notEqual(wrapped.complete, driver.complete);
    assert.deepEqual([wrapped.complete.name, wrapped.complete.length], ['complete', 0]);
    const send = async () => { throw overloaded(); };
    const shared = withRetry({ one: send, other: send }, { methods: { one: 'promise' } });
    assert.notEqual(shared.one, shared.other);
  });

  test('follows an assignment, and takes back what was read', async () => {
    const driver = new Driver(0);
    const wrapped = wrap(driver);
    const before = wrapped.complete;
    let sends = 0;
    wrapped.complete = async () => { if (++sends < 2) throw overloaded(); return 'new'; };
    assert.deepEqual([await wrapped.complete(), sends], ['new', 2]);
    wrapped.complete = before;
    assert.equal(driver.complete, Driver.prototype.complete, 'it is not wrapped twice');
  });

  test('that is set to no function is what it was set to', () => {
    const wrapped = wrap(new Driver());
    wrapped.complete = 3;
    assert.equal(wrapped.complete, 3);
  });
});

describe('the caller\'s signal', () => {
  test('is found in the last argument that has one, and stays as it is without a limit', async () => {
    const driver = new Driver(1);
    const { signal } = new AbortController();
    const last = { signal, b: 1 };
    await wrap(driver).complete({ signal: new AbortController().signal }, last, 'x');
    assert.ok(driver.sends.every(({ args }) => args[1] === last));
    await readAll(wrap(driver).stream(last));
    assert.equal(driver.sends.at(-1).args[0], last);
  });

  test('ends the wait', async () => {
    const controller = new AbortController();
    const reason = { stop: 1 };
    for (const name of ['complete', 'stream']) {
      const driver = new Driver(9);
      const wrapped = withRetry(driver, { methods, initialDelayMs: 8000, onRetry: () => queueMicrotask(() => controller.abort(reason)) });
      const ended = wrapped[name]('a', { signal: controller.signal });
      await assert.rejects(name === 'stream' ? ended.next() : ended, (error) => error === reason);
      assert.ok(driver.sends.length <= 1);
    }
  });

  test('gives way to the attempt\'s own under a limit, in a copy of a plain object', async () => {
    const controller = new AbortController();
    const given = Object.freeze({ signal: controller.signal, b: 1 });
    class Options {
      signal = controller.signal;
    }
    for (const limit of [{ timeoutMs: 60_000 }, { deadlineMs: 60_000 }]) {
      const driver = new Driver(0);
      const wrapped = wrap(driver, limit);
      await wrapped.complete(given);
      await readAll(wrapped.stream(given));
      const [first, second] = driver.sends.map(({ args }) => args[0]);
      for (const sent of [first, second]) {
        assert.equal(sent.b, 1);
        assert.notEqual(sent.signal, controller.signal);
      }
      const own = new Options();
      await wrapped.complete(own);
      assert.equal(driver.sends.at(-1).args[0], own);
    }
    const timed = withRetry({ complete: ({ signal }) => new Promise((_, reject) => { signal.onabort = () => reject(signal.reason); }) }, { methods: { complete: 'promise' }, timeoutMs: 10, maxAttempts: 1 });
    assert.equal((await timed.complete(given).catch((error) => error)).kind, 'timeout');
  });

  test('may be missing, null or something else', async () => {
    for (const args of [[], [null], [{ signal: null }], [{ signal: 'now' }], [{ get signal() { throw new Error('hostile'); } }]]) {
      assert.deepEqual(await wrap(new Driver(1), { timeoutMs: 60_000 }).complete(...args), { text: 'hello' });
    }
  });
});

describe('everything else', () => {
  test('works on private members: methods, getters and setters', async () => {
    const driver = new Driver(0);
    const wrapped = wrap(driver);
    assert.deepEqual([await wrapped.listModels(), wrapped.model, wrapped.inherited()], [['m'], -1, 'driver']);
    wrapped.model = 7;
    assert.equal(driver.model, 7);
    assert.equal(driver.sends[0].self, driver);
  });

  test('is not retried', async () => {
    const driver = new Driver(1);
    await assert.rejects(wrap(driver).listModels(), (error) => !isRetryError(error));
    assert.equal(driver.sends.length, 1);
  });

  test('class, prototype, statics, keys and symbols show through', () => {
    const tag = Symbol('tag');
    const driver = Object.assign(new Driver(), { [tag]: 1, plain: { deep: true } });
    const wrapped = wrap(driver);
    assert.ok(wrapped instanceof Driver && wrapped instanceof Base);
    assert.equal(Object.getPrototypeOf(wrapped), Driver.prototype);
    assert.equal(wrapped.constructor, Driver);
    assert.deepEqual([wrapped.constructor.describe(), wrapped.constructor.peek()], ['made 0', 'inside']);
    assert.deepEqual(Reflect.ownKeys(wrapped), Reflect.ownKeys(driver));
    assert.deepEqual({ ...wrapped }, { ...driver });
    assert.equal(wrapped.plain, driver.plain);
    assert.deepEqual(['name' in wrapped, 'complete' in wrapped, 'nothing' in wrapped], [true, true, false]);
    assert.equal(JSON.stringify(wrapped), JSON.stringify(driver));
    assert.equal(inspect(wrapped), inspect(driver));
  });

  test('properties are set, defined and deleted on the driver', () => {
    const driver = new Driver();
    const wrapped = wrap(driver);
    wrapped.extra = 1;
    Object.defineProperty(wrapped, 'fixed', { value: 2 });
    assert.deepEqual([driver.extra, driver.fixed, wrapped.fixed], [1, 2, 2]);
    assert.deepEqual(Object.getOwnPropertyDescriptor(wrapped, 'fixed'), Object.getOwnPropertyDescriptor(driver, 'fixed'));
    assert.ok(delete wrapped.extra);
    assert.equal('extra' in driver, false);
    assert.throws(() => { wrapped.fixed = 3; }, TypeError);
    assert.throws(() => { delete wrapped.fixed; }, TypeError);
    Object.setPrototypeOf(wrapped, Base.prototype);
    assert.equal(Object.getPrototypeOf(driver), Base.prototype);
    const heir = Object.create(wrapped);
    heir.own = 1;
    assert.equal('own' in driver, false);
  });

  test('a native object keeps its slots', async () => {
    const driver = Object.assign(new Map([['a', 1]]), { complete: async () => 'c' });
    const wrapped = withRetry(driver, { methods: { complete: 'promise' } });
    assert.deepEqual([wrapped.get('a'), wrapped.size, [...wrapped], await wrapped.complete()], [1, 1, [['a', 1]], 'c']);
  });

  test('a function is a driver as well: it can be called, and constructed when it is a class', async () => {
    const client = Object.assign((name) => `model ${name}`, { complete: async () => 'c' });
    const wrapped = withRetry(client, { methods: { complete: 'promise' } });
    assert.deepEqual([wrapped('m'), typeof wrapped, await wrapped.complete(), Object.keys(wrapped)], ['model m', 'function', 'c', ['complete']]);
    assert.deepEqual(Reflect.ownKeys(wrapped), Reflect.ownKeys(client));
    const Wrapped = withRetry(class Made { static async complete() { return 'c'; } }, { methods: { complete: 'promise' } });
    assert.ok(new Wrapped() instanceof Wrapped);
    assert.equal(await Wrapped.complete(), 'c');
    assert.deepEqual(Reflect.ownKeys(Wrapped).sort(), ['complete', 'length', 'name', 'prototype']);
  });
});

describe('a frozen driver', () => {
  const failing = () => {
    let left = 1;
    return async () => { if (left-- > 0) throw overloaded(); return 'c'; };
  };

  test('is retried, and is seen to be frozen', async () => {
    for (const protect of [Object.freeze, Object.seal, Object.preventExtensions]) {
      const driver = protect({ complete: failing(), n: 1, list: () => 'l', get got() { return this.n; } });
      const wrapped = wrap(driver, { methods: { complete: 'promise' } });
      assert.equal(await wrapped.complete(), 'c');
      assert.deepEqual([Object.isFrozen(wrapped), Object.isSealed(wrapped), Object.isExtensible(wrapped)], [Object.isFrozen(driver), Object.isSealed(driver), false]);
      assert.deepEqual(Object.keys(wrapped), Object.keys(driver));
      assert.deepEqual([wrapped.got, wrapped.list(), Object.getOwnPropertyDescriptor(wrapped, 'complete').value === wrapped.complete], [1, 'l', true]);
      assert.equal(Object.getPrototypeOf(wrapped), Object.prototype);
      assert.throws(() => { wrapped.more = 1; }, TypeError);
      if (protect === Object.freeze) assert.throws(() => { wrapped.n = 2; }, TypeError);
    }
  });

  test('may be one of a class, and may be frozen later, through the view as well', async () => {
    const driver = Object.freeze(new Driver(1));
    assert.deepEqual(await wrap(driver).complete(), { text: 'hello' });
    const plain = { complete: failing(), n: 1 };
    const wrapped = wrap(plain, { methods: { complete: 'promise' } });
    Object.keys(wrapped);
    assert.equal(Object.freeze(wrapped), wrapped);
    assert.ok(Object.isFrozen(plain) && Object.isFrozen(wrapped));
    assert.equal(await wrapped.complete(), 'c');
    const later = { complete: failing(), n: 1 };
    const view = wrap(later, { methods: { complete: 'promise' } });
    Object.getOwnPropertyDescriptors(view);
    Object.freeze(later);
    assert.ok(Object.isFrozen(view));
    assert.deepEqual([await view.complete(), view.n, Reflect.ownKeys(view)], ['c', 1, ['complete', 'n']]);
    const open = { complete: failing(), n: 1 };
    const shown = wrap(open, { methods: { complete: 'promise' } });
    Object.preventExtensions(shown);
    assert.ok(delete shown.n);
    assert.deepEqual([Reflect.ownKeys(shown), 'n' in open], [['complete'], false]);
  });
});

describe('faults', () => {
  const faultsOf = (driver, options) => {
    try {
      withRetry(driver, options);
    } catch (error) {
      assert.equal(error.kind, 'invalid_config');
      return (error.faults ?? []).map(({ option, code }) => `${option} ${code}`);
    }
    return assert.fail('it is no fault');
  };

  test('are told all at once', () => {
    const driver = { complete: async () => 1, name: 'd', get bad() { throw new Error('hostile'); } };
    const options = { methods: { complete: 'stream', name: 'promise', none: 'iterable', bad: 'promise' }, maxAttempts: 0, colour: 1, isOutput: 1 };
    assert.deepEqual(faultsOf(driver, options).sort(), [
      'colour unknown_option', 'isOutput type', 'maxAttempts retry_max_attempts', 'methods.bad type', 'methods.complete choice', 'methods.name type', 'methods.none type',
    ]);
    assert.throws(() => withRetry(driver, options), /methods.complete is "stream", must be 'promise' or 'iterable'.*maxAttempts is 0/);
  });

  test('are none where a method is named and no mode given for it', async () => {
    const driver = new Driver(1);
    const wrapped = wrap(driver, { methods: { complete: undefined, nothing: undefined, stream: 'iterable' } });
    await assert.rejects(wrapped.complete(), (error) => !isRetryError(error));
    assert.equal(wrapped.nothing, undefined);
  });

  test('are a missing driver, missing methods, and a signal for all calls', () => {
    for (const driver of [undefined, null, 3, 'd']) assert.deepEqual(faultsOf(driver, { methods: {} }), []);
    assert.deepEqual(faultsOf({}, undefined), []);
    for (const given of [undefined, null, [], 'complete']) assert.deepEqual(faultsOf({}, { methods: given }), ['methods type']);
    assert.deepEqual(faultsOf({}, { methods: {}, signal: new AbortController().signal }), ['signal type']);
  });
});

test('a wrapped method is called again where the rules for its failure say so, and not where they do not', async () => {
  for (const [status, expected] of [[429, 2], [401, 1]]) {
    let calls = 0;
    const driver = { async complete() { if ((calls += 1) === 1) throw Object.assign(new Error('no'), { status }); return 'yes'; } };
    await withRetry(driver, { methods: { complete: 'promise' }, initialDelayMs: 0, maxDelayMs: 0 }).complete().catch(() => undefined);
    assert.equal(calls, expected, String(status));
  }
});
