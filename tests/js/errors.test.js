import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import test from 'node:test';
import { createFetch, findRetryError, isRetryError, matchesKind, RetryError } from 'dacapo';
import { fakeClock } from './lib/clock.js';
import { KINDS } from './lib/kinds.js';
import { stubFetch, URL_ } from './lib/stub.js';
import { thrownBy } from './lib/thrown.js';

const TYPES = [
  'timeout', 'api', 'network', 'parse', 'validation', 'invalid_params', 'rate_limited', 'quota_exceeded', 'circuit_open',
  'fallback_exhausted', 'aborted', 'unknown',
];

test('every kind can be raised, with its type and whether it is retried', () => {
  assert.equal(KINDS.length, 37);
  for (const [kind, type, retryable] of KINDS) {
    const error = new RetryError({ kind });
    assert.deepEqual([error.kind, error.retryable], [kind, retryable], kind);
    assert.ok(TYPES.includes(error.type), kind);
    if (type !== null) assert.equal(error.type, type, kind);
    assert.notEqual(error.message, '');
  }
});

test('a RetryError is an Error with a name and a stack', () => {
  const error = new RetryError({ kind: 'timeout', message: 'too slow' });
  assert.ok(error instanceof Error);
  assert.equal(error.name, 'RetryError');
  assert.equal(String(error), 'RetryError: too slow');
  assert.match(error.stack, /RetryError: too slow\n\s+at .*errors\.test\.js/);
  assert.deepEqual(Object.keys(error).sort(), ['kind', 'retryable', 'type']);
});

test('what is given is kept, and what is not given is absent', () => {
  const cause = new Error('cause');
  const init = {
    kind: 'schema_mismatch', message: 'm', cause, code: 'C', status: 422, provider: 'acme', retryAfterMs: 0, retryable: true, issues: [1],
    budgetKind: 'tokens', capability: 'vision', file: 'f', line: 1, column: 2,
  };
  const error = new RetryError(init);
  for (const [name, value] of Object.entries(init)) assert.equal(error[name], value, name);
  const bare = new RetryError({ kind: 'timeout' });
  for (const name of Object.keys(init)) if (!['kind', 'message', 'retryable'].includes(name)) assert.ok(!(name in bare), name);
  assert.ok(Object.hasOwn(new RetryError({ kind: 'timeout', cause: undefined }), 'cause'), 'a cause of undefined is a cause');
});

test('an unknown kind is a TypeError that suggests the nearest', () => {
  assert.throws(() => new RetryError({ kind: 'rate_limit' }), (error) => error instanceof TypeError && /did you mean 'rate_limited'/.test(error.message));
  for (const kind of [undefined, null, 3, {}, '', 'TIMEOUT', Symbol('x')]) assert.throws(() => new RetryError({ kind }), TypeError);
  for (const init of [undefined, null]) assert.throws(() => new RetryError(init), TypeError);
});

test('a key of a known shape is taken out of the message', () => {
  const key = 'sk-ant-api03-AbCdEfGhIjKlMnOpQrStUvWxYz012345';
  const error = new RetryError({ kind: 'auth', message: `the key ${key} is not valid` });
  for (const text of [error.message, error.stack, String(error), JSON.stringify(error), inspect(error)]) {
    assert.ok(!text.includes(key), text);
    assert.match(text, /is not valid/);
  }
});

test('toJSON has every member but the cause', () => {
  const error = new RetryError({ kind: 'auth', message: 'm', cause: new Error('secret cause'), code: 'C', status: 401, issues: [{ a: 1 }] });
  assert.deepEqual(JSON.parse(JSON.stringify(error)), {
    name: 'RetryError', message: 'm', kind: 'auth', type: 'api', retryable: false, code: 'C', status: 401, issues: [{ a: 1 }],
  });
});

test('toJSON of the error of a call has its attempts and ledger', async () => {
  const { error } = await thrownBy(new TypeError('fetch failed'));
  const json = JSON.parse(JSON.stringify(error));
  assert.equal(json.attempts.length, 2);
  assert.deepEqual(json.retry, error.retry);
  assert.equal(json.mark, 'attempts_exhausted');
  assert.ok(!JSON.stringify(json).includes('cause'));
});

test('inspect shows the stack, the members and the cause', async () => {
  const { error } = await thrownBy(Object.assign(new Error('reset', { cause: new Error('deeper') }), { code: 'ECONNRESET' }), { maxAttempts: 1 });
  const text = inspect(error);
  for (const part of [
    'RetryError: reset', '    at ', "kind: 'transport'", '[cause]', 'ECONNRESET', 'deeper',
  ]) assert.ok(text.includes(part), `${part} in ${text}`);
  assert.match(inspect({ deep: { deeper: { deepest: error } } }, { depth: 1 }), /deeper/);
  assert.equal(typeof inspect(error, { depth: 0 }), 'string');
  assert.equal(inspect(error, { depth: -1 }).includes('attempts'), false);
});

test('inspect copes with a hostile cause', () => {
  const fail = () => { throw new Error('hostile'); };
  const cycle = new Error('c');
  cycle.cause = cycle;
  for (const cause of [
    new Proxy({}, { get: fail, ownKeys: fail }), Object.defineProperty({}, 'message', { get: fail }), cycle, null, 'text', 3, Symbol('s'),
    Object.create(null), () => 1,
  ]) {
    assert.match(inspect(new RetryError({ kind: 'timeout', cause })), /\[cause\]/);
  }
});

test('isRetryError knows x itself, and nothing that only looks like it', () => {
  assert.equal(isRetryError(new RetryError({ kind: 'timeout' })), true);
  class Sub extends RetryError {}
  assert.equal(isRetryError(new Sub({ kind: 'timeout' })), true);
  const { proxy, revoke } = Proxy.revocable({}, {});
  revoke();
  for (const x of [
    undefined, null, 0, '', 'RetryError', Symbol('s'), {}, [], () => 1, new Error('x'), { kind: 'timeout', name: 'RetryError' },
    RetryError, RetryError.prototype, proxy, new Error('x', { cause: new RetryError({ kind: 'timeout' }) }),
  ]) {
    assert.equal(isRetryError(x), false, typeof x);
  }
});

test('a RetryError of another copy of the package is one', async () => {
  const other = await import(`${import.meta.resolve('dacapo').replace('load/inline.js', 'errors.js')}?another-copy`);
  assert.notEqual(other.RetryError, RetryError);
  const internals = { type: 'timeout' };
  const foreign = new other.RetryError({ kind: 'timeout' }, internals);
  assert.ok(!(foreign instanceof RetryError));
  assert.equal(isRetryError(foreign), true);
  assert.equal(other.isRetryError(new RetryError({ kind: 'auth' })), true);
  assert.equal(matchesKind(new Error('wrapped', { cause: foreign }), 'timeout'), true);
  const { error, sends } = await thrownBy(foreign);
  assert.deepEqual([error.kind, sends], ['timeout', 1], 'and what it says of itself counts: such a one is not retryable');
});

test('findRetryError finds the first in a cause chain or among the members of an AggregateError', () => {
  const inner = new RetryError({ kind: 'auth' });
  const outer = new RetryError({ kind: 'timeout', cause: inner });
  assert.equal(findRetryError(outer), outer);
  assert.equal(findRetryError(new Error('a', { cause: new Error('b', { cause: outer }) })), outer);
  assert.equal(findRetryError(new AggregateError([new Error('x'), new Error('y', { cause: inner })])), inner);
  assert.equal(findRetryError({ cause: { errors: [{ cause: inner }] } }), inner);
  for (const x of [undefined, null, 'x', 3, new Error('x'), {}]) assert.equal(findRetryError(x), undefined);
});

test('findRetryError is bounded and comes to an end in cycles', () => {
  const ring = new Error('a', { cause: new Error('b') });
  ring.cause.cause = ring;
  ring.errors = [ring, ring.cause];
  assert.equal(findRetryError(ring), undefined);
  let deep = new RetryError({ kind: 'auth' });
  for (let depth = 0; depth < 10; depth++) deep = new Error('wrapped', { cause: deep });
  assert.equal(findRetryError(deep).kind, 'auth');
  for (let depth = 0; depth < 10_000; depth++) deep = { cause: deep };
  assert.equal(findRetryError(deep), undefined);
});

test('findRetryError gets over getters that throw and proxies', () => {
  const inner = new RetryError({ kind: 'auth' });
  const fail = () => { throw new Error('hostile'); };
  const half = Object.defineProperty({ errors: [inner] }, 'cause', { get: fail });
  assert.equal(findRetryError(half), inner);
  assert.equal(findRetryError({ cause: inner, get errors() { return fail(); } }), inner);
  const traps = { get: fail, has: fail, ownKeys: fail, getPrototypeOf: fail };
  for (const hostile of [new Proxy({}, traps), new Proxy(() => 1, traps), { errors: new Proxy([], traps) }, { cause: new Proxy({}, traps) }]) {
    assert.equal(findRetryError(hostile), undefined);
    assert.equal(matchesKind(hostile, 'auth'), false);
    assert.equal(isRetryError(hostile), false);
  }
});

test('matchesKind is true through any wrapping, and for that kind alone', () => {
  const error = new Error('SDK error', { cause: new AggregateError([new RetryError({ kind: 'quota_exhausted' })]) });
  assert.equal(matchesKind(error, 'quota_exhausted'), true);
  assert.equal(matchesKind(error, 'rate_limited'), false);
  assert.equal(matchesKind(undefined, 'rate_limited'), false);
});

test('matchesKind knows what a call failed with from whatever came of it, where no RetryError did', async () => {
  const fetch = createFetch({ clock: fakeClock(), fetch: stubFetch(429) });
  const response = await fetch(URL_);
  const sdkError = Object.assign(new Error('SDK error'), { status: 429, headers: response.headers });
  for (const x of [response, sdkError, new Error('wrapped', { cause: sdkError })]) {
    assert.equal(matchesKind(x, 'rate_limited'), true);
    assert.equal(matchesKind(x, 'quota_exhausted'), false);
  }
  assert.equal(matchesKind(new RetryError({ kind: 'refused', cause: sdkError }), 'rate_limited'), false, 'a RetryError says it itself');
  const lost = await fetch.with({ fetch: stubFetch(new TypeError('fetch failed')) })(URL_).catch((error) => error);
  assert.equal(matchesKind(new Error('Connection error.', { cause: lost }), 'transport'), true);
  const healed = await fetch.with({ fetch: stubFetch(429, 200) })(URL_);
  assert.equal(matchesKind(healed, 'rate_limited'), false, 'it did not fail');
});

test('a call that was cancelled is cancelled for matchesKind, before, in and between its attempts', async () => {
  for (const abortIn of ['before', 'fetch', 'wait']) {
    const controller = new AbortController();
    const abort = () => controller.abort();
    if (abortIn === 'before') abort();
    const answering = () => {
      if (abortIn === 'fetch') queueMicrotask(abort);
      return abortIn === 'fetch' ? new Promise(() => {}) : Promise.resolve(new Response(null, { status: 503 }));
    };
    const clock = { now: () => 0, sleep: () => { abort(); return new Promise(() => {}); } };
    const reason = await createFetch({ clock, fetch: answering })(URL_, { signal: controller.signal }).catch((error) => error);
    assert.equal(reason, controller.signal.reason);
    assert.deepEqual([matchesKind(reason, 'cancelled'), matchesKind(reason, 'overloaded')], [true, false], abortIn);
  }
});
