import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import test from 'node:test';
import { runInNewContext } from 'node:vm';
import { historyOf, isRetryError, retry, RetryError } from 'dacapo';
import { fakeClock } from './lib/clock.js';
import { KINDS } from './lib/kinds.js';
import { watchedBody } from './lib/stub.js';
import { thrownBy } from './lib/thrown.js';

test('an operation that raises a kind is retried as the kind\'s row says', async () => {
  for (const [kind, , retryable] of KINDS) {
    const { error, sends } = await thrownBy(new RetryError({ kind, message: 'raised' }));
    assert.equal(sends, retryable ? 3 : 1, kind);
    assert.deepEqual([error.kind, error.retryable, error.message], [kind, retryable, 'raised'], kind);
  }
});

test('an operation that raises a kind may say otherwise', async () => {
  assert.equal((await thrownBy(new RetryError({ kind: 'schema_mismatch', retryable: true }))).sends, 3);
  assert.equal((await thrownBy(new RetryError({ kind: 'timeout', retryable: false }))).sends, 1);
});

test('what an operation raised is found in the error of the call, with all its members', async () => {
  const init = {
    kind: 'overloaded', message: 'busy', code: 'C', status: 503, provider: 'acme', retryAfterMs: 700, issues: ['i'], budgetKind: 'b',
    capability: 'c', file: 'f', line: 3, column: 4,
  };
  const raised = new RetryError(init);
  const { error } = await thrownBy(raised);
  assert.notEqual(error, raised);
  assert.equal(error.cause, raised);
  for (const [name, value] of Object.entries(init)) assert.deepEqual(error[name], value, name);
  assert.deepEqual([
    error.attempts[0].error.code, error.attempts[0].error.status, error.attempts[0].error.provider, error.attempts[0].error.retryAfterMs,
  ], ['C', 503, 'acme', 700]);
});

test('the code of what an operation raised is in the record and in the verdict that a hook sees', async () => {
  const cause = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
  class OwnError extends RetryError {
    name = 'OwnError';
  }
  for (const [raised, code] of [[new RetryError({ kind: 'transport', cause }), 'ECONNRESET'], [new RetryError({ kind: 'transport', code: 'own', cause }), 'own'], [new OwnError({ kind: 'transport', code: 'own', cause }), 'own']]) {
    const seen = [];
    const { error } = await thrownBy(raised, { maxAttempts: 2, shouldRetry: (failure, verdict) => void seen.push(failure.error.code, verdict.code) });
    assert.deepEqual([error.code, ...seen], [code, code, code]);
  }
});

test('a retryAfterMs that an operation raised is waited for', async () => {
  const clock = fakeClock();
  await thrownBy(new RetryError({ kind: 'rate_limited', retryAfterMs: 1234 }), { clock, random: () => 0 });
  assert.deepEqual(clock.waits, [1234, 1234]);
});

test('a RetryError wrapped by the operation is recognised', async () => {
  const wrapped = new Error('wrapped', { cause: new RetryError({ kind: 'invalid_transcript' }) });
  const { error, sends } = await thrownBy(wrapped);
  assert.deepEqual([error.kind, sends, error.cause], ['invalid_transcript', 1, wrapped]);
});

test('what one of our own policies has given up on is not retried by another around it', async () => {
  let sends = 0;
  const inner = () => retry(() => {
    sends += 1;
    throw new TypeError('fetch failed');
  }, { clock: fakeClock() });
  const error = await retry(inner, { clock: fakeClock() }).catch((thrown) => thrown);
  assert.equal(sends, 3);
  assert.deepEqual([error.kind, error.retry.totalAttempts], ['transport', 1]);
  assert.equal(historyOf(error).last.error.attempts.length, 2);
});

test('whatever an operation throws, retry rejects with a RetryError whose cause it is', async () => {
  const fail = () => { throw new Error('hostile'); };
  for (const thrown of [
    undefined, null, 0, 'text', 7n, Symbol('s'), {}, [], () => 1, new Error(''), Object.create(null),
    new Proxy({}, { get: fail, ownKeys: fail, getPrototypeOf: fail }), Object.defineProperty({}, 'message', { get: fail }),
    runInNewContext('new TypeError("fetch failed")'),
  ]) {
    const { error } = await thrownBy(thrown);
    assert.ok(isRetryError(error), typeof thrown);
    assert.equal(error.cause, thrown);
    assert.equal(typeof error.message, 'string');
    assert.equal(typeof inspect(error), 'string');
    assert.equal(typeof JSON.stringify(error), 'string');
  }
});

test('an operation may answer with anything, at once or later', async () => {
  for (const value of [undefined, null, 0, '', false, {}, new Error('an answer')]) {
    assert.equal(await retry(() => value), value);
    assert.equal(await retry(async () => value), value);
  }
  assert.equal(await retry(() => ({ then: (resolve) => resolve(5) })), 5);
});

test('an operation is told the number of its attempt', async () => {
  const numbers = [];
  await retry(({ attempt }) => {
    numbers.push(attempt);
    throw new TypeError('fetch failed');
  }, { clock: fakeClock() }).catch(() => undefined);
  assert.deepEqual(numbers, [1, 2, 3]);
});

test('the error of a call has its ledger, its mark and the failures retried past', async () => {
  const failure = Object.assign(new Error('busy'), { status: 503, headers: { 'retry-after': '2' } });
  const { error, sends } = await thrownBy(failure);
  assert.equal(sends, 3);
  assert.deepEqual([
    error.kind, error.type, error.status, error.retryAfterMs, error.retryable, error.mark,
  ], ['overloaded', 'api', 503, 2000, true, 'attempts_exhausted']);
  assert.deepEqual(error.attempts.map(({ attempt, error: { status } }) => [attempt, status]), [[1, 503], [2, 503]]);
  assert.deepEqual([error.retry.totalAttempts, error.retry.failedAttempts], [3, 3]);
  const once = await thrownBy(Object.assign(new Error('no'), { status: 404 }));
  assert.deepEqual([once.sends, 'attempts' in once.error, once.error.mark], [1, false, 'not_retryable']);
});

test('an attempt that hangs times out, its signal with it, and the next one has a fresh one', async () => {
  const signals = [];
  const operation = ({ signal, attempt }) => {
    signals.push(signal);
    return attempt === 1 ? new Promise(() => {}) : 'answer';
  };
  assert.equal(await retry(operation, { clock: fakeClock(), timeoutMs: 10 }), 'answer');
  assert.deepEqual(signals.map(({ aborted }) => aborted), [true, false]);
  assert.equal(signals[0].reason.name, 'TimeoutError');
});

test('a call that times out or passes its deadline rejects with a RetryError that says so', async () => {
  const hangs = () => new Promise(() => {});
  for (const [options, kind, mark] of [[{ timeoutMs: 5 }, 'timeout', 'attempts_exhausted'], [{ deadlineMs: 5 }, 'deadline_exceeded', 'deadline_exceeded']]) {
    const error = await retry(hangs, { clock: fakeClock(), ...options }).catch((thrown) => thrown);
    assert.ok(isRetryError(error));
    assert.deepEqual([error.kind, error.type, error.mark, error.cause.name], [kind, 'timeout', mark, 'TimeoutError']);
    assert.match(error.cause.message, new RegExp(Object.keys(options)[0]));
  }
});

test('issues that cannot be frozen, or throw when they are read, do not trip the call', async () => {
  const fail = () => { throw new Error('hostile'); };
  const cycle = [];
  cycle.push(cycle);
  for (const issues of [
    [{ input: new Uint8Array(3) }], [Object.defineProperty({}, 'path', { get: fail, enumerable: true })], cycle,
    [new Proxy({}, { get: fail, ownKeys: fail, isExtensible: fail, preventExtensions: fail })],
  ]) {
    const told = [];
    const { error, sends } = await thrownBy(new RetryError({ kind: 'schema_mismatch', issues, retryable: true }), { onRetry: (record) => told.push(record) });
    assert.deepEqual([error.kind, sends, told.length], ['schema_mismatch', 3, 2]);
    assert.equal(error.issues, issues);
  }
});

test('the caller\'s own issues are not frozen by being recorded', async () => {
  const issues = [{ path: ['a'], details: { seen: 1 } }];
  await thrownBy(new RetryError({ kind: 'schema_mismatch', issues }));
  issues[0].details.seen = 2;
  issues.push('another');
  assert.deepEqual([issues.length, issues[0].details.seen], [2, 2]);
});

test('a veto in the headers of an operation\'s error is obeyed', async () => {
  for (const members of [
    { status: 503, headers: new Headers({ 'x-should-retry': 'false' }) },
    { response: new Response('', { status: 503, headers: { 'x-should-retry': 'false' } }) },
  ]) {
    assert.equal((await thrownBy(Object.assign(new Error('x'), members))).sends, 1);
  }
});

test('an attempt that nothing limits has a signal as well, its own, which never aborts', async () => {
  const seen = [];
  const failing = (context) => {
    const { signal } = context;
    seen.push(signal);
    assert.equal(context.signal, signal);
    throw new TypeError('fetch failed');
  };
  await assert.rejects(retry(failing, { clock: fakeClock() }));
  assert.ok(seen.every((signal) => signal instanceof AbortSignal && !signal.aborted));
  assert.equal(new Set(seen).size, 3);
  const { signal } = new AbortController();
  assert.equal(await retry((context) => context.signal, { signal }), signal);
  assert.notEqual(await retry((context) => context.signal, { signal, timeoutMs: 1000 }), signal);
});

test('a Response that an operation throws is judged by its status and headers', async () => {
  for (const [status, sends, kind] of [[503, 3, 'overloaded'], [401, 1, 'auth']]) {
    const thrown = [];
    const error = await retry(async () => {
      thrown.push(new Response('no', { status, headers: { 'retry-after': '7' } }));
      throw thrown.at(-1);
    }, { clock: fakeClock() }).catch((error) => error);
    assert.deepEqual([error.kind, error.status, thrown.length, error.cause === thrown.at(-1)], [kind, status, sends, true]);
    assert.equal(error.retryAfterMs, 7000);
    assert.equal(await error.cause.text(), 'no');
  }
});

for (const [name, options, kept] of [
  ['that is retried past', {}, 1],
  ['that a hook ends the call after', { onRetry: () => { throw new Error('hook'); } }, 0],
  ['that is the last one', { maxAttempts: 1 }, 1],
]) {
  test(`a Response that an operation throws holds no connection, but for the cause: one ${name}`, async () => {
    const bodies = [];
    const error = await retry(async () => {
      const { stream, seen } = watchedBody();
      bodies.push(seen);
      throw new Response(stream, { status: 503 });
    }, { clock: fakeClock(), ...options }).catch((error) => error);
    assert.equal(bodies.filter(({ cancelled }) => cancelled === 0).length, kept);
    if (kept === 1) assert.equal(await error.cause.text(), 'some bytes');
  });
}
