// withFallback over promises: which target is asked when, and what is told of those that failed.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { CircuitBreaker, historyOf, isRetryError, retry, RetryBudget, RetryError, RetryPolicy, withFallback } from 'dacapo';
import { assertNoSecret, canaries } from './lib/canaries.js';
import { fakeClock } from './lib/clock.js';
import { brief, outcome, over, status, target } from './lib/targets.js';

/** A target that is down: three attempts by default. */
const down = (options) => target([status(503)], options);
const well = (options) => target([{ text: 'well' }], options);

describe('which target answers', () => {
  test('the first that does, and no other is asked', async () => {
    const [a, b] = [well({ provider: 'a' }), well({ provider: 'b' })];
    const value = await over([a, b])('hi');
    assert.deepEqual([value, a.calls.length, b.calls.length, historyOf(value)], [{ text: 'well' }, 1, 0, undefined]);
  });

  test('the next one, once the first is out of attempts', async () => {
    const [a, b] = [down({ provider: 'a' }), well({ provider: 'b' })];
    const value = await over([a, b])('hi');
    assert.deepEqual([value, a.calls.length, b.calls.length], [{ text: 'well' }, 3, 1]);
  });

  test('each is called as a method of its target, with the input and with what tells them apart', async () => {
    const [a, b] = [down({ provider: 'a', model: 'large', maxAttempts: 2 }), well({ model: 'small' })];
    const input = { prompt: 'hi' };
    await over([a, b])(input);
    const shown = ({ context: { attempt, provider, model } }) => [attempt, provider, model];
    assert.deepEqual(a.calls.map(shown), [[1, 'a', 'large'], [2, 'a', 'large']]);
    assert.deepEqual(b.calls.map(shown), [[1, undefined, 'small']]);
    assert.ok([...a.calls, ...b.calls].every((call) => call.input === input));
    assert.deepEqual([a.calls[0].self, b.calls[0].self], [a, b]);
    assert.ok(b.calls[0].context.signal instanceof AbortSignal);
  });

  test('a target’s options win over its policy’s, and these over those of all', async () => {
    const policy = new RetryPolicy({ maxAttempts: 4, initialDelayMs: 7 });
    const [a, b, c] = [down({ policy, maxAttempts: 2 }), down({ policy }), down()];
    const clock = fakeClock();
    await outcome(over([a, b, c], { clock, maxAttempts: 3, initialDelayMs: 100 })());
    assert.deepEqual([a.calls.length, b.calls.length, c.calls.length], [2, 4, 3]);
    assert.deepEqual(clock.waits, [7, 7, 14, 28, 100, 200]);
  });
});

describe('what goes on to another target', () => {
  const geminis400 = new Error('got status: 400 Bad Request. {"error":{"code":400,"status":"INVALID_ARGUMENT","message":"no such field"}}');
  for (const [name, error, kind, goesOn] of [
    ['a malformed request that only the message tells of', geminis400, 'bad_request', false],
    ['one that only our own reader could make out', new Error('Invalid request: {"code":400,"status":"INVALID_ARGUMENT"}'), 'unknown', false],
    ['a 400', status(400), 'bad_request', false],
    ['a model that is not there', status(404, { code: 'model_not_found' }), 'model_not_found', true],
    ['a wrong key', status(401), 'auth', true],
    ['a spent quota', status(429, { code: 'insufficient_quota' }), 'quota_exhausted', true],
    ['a context that is too long', status(400, { code: 'context_length_exceeded' }), 'context_exceeded', true],
    ['a refused breaker', new RetryError({ kind: 'circuit_open' }), 'circuit_open', true],
    ['a connection that broke', Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' }), 'transport', true],
    ['what did not validate', new RetryError({ kind: 'schema_mismatch' }), 'schema_mismatch', false],
    ['what nobody knows', new Error('odd'), 'unknown', false],
  ]) {
    test(`${name}: ${goesOn ? 'yes' : 'no'}`, async () => {
      const [a, b] = [target([error], { provider: 'a', maxAttempts: 1 }), well()];
      const result = await outcome(over([a, b])());
      assert.deepEqual([a.calls.length, b.calls.length], [1, goesOn ? 1 : 0]);
      if (goesOn) return assert.deepEqual(brief(historyOf(result.value).fallback), [[-1, 'a', kind, 0]]);
      assert.deepEqual([result.error.kind, result.error.cause, historyOf(result.error).fallback], [kind, error, undefined]);
    });
  }

  test('a list of kinds says it otherwise, for all targets or for one', async () => {
    const list = { fallbackOn: ['bad_request'] };
    const one = await outcome(over([target([status(400)]), well()], list)());
    assert.deepEqual(one.value, { text: 'well' });
    const other = await outcome(over([down(), well()], list)());
    assert.equal(other.error.kind, 'overloaded');
    const own = await outcome(over([down({ fallbackOn: ['overloaded'] }), target([status(503)]), well()], list)());
    assert.deepEqual([own.error.kind, historyOf(own.error).fallback.length], ['overloaded', 1]);
  });

  test('a function is shown the kind and the failure, may take its time, and may leave it to the default', async () => {
    const seen = [];
    const fallbackOn = async (kind, failure) => {
      seen.push([kind, failure.status, failure.attempts?.length, Object.isFrozen(failure)]);
      return { bad_request: true, overloaded: undefined, auth: false }[kind];
    };
    const { error } = await outcome(over([target([status(400)]), down(), target([status(401)]), well()], { fallbackOn })());
    assert.deepEqual(seen, [['bad_request', 400, undefined, true], ['overloaded', 503, undefined, true], ['auth', 401, undefined, true]]);
    assert.deepEqual([error.kind, historyOf(error).fallback.length], ['auth', 2]);
  });

  test('a shouldRetry that vetoes a retry leaves the next target to its kind', async () => {
    const a = down({ shouldRetry: () => false });
    assert.deepEqual([await over([a, well()])(), a.calls.length], [{ text: 'well' }, 1]);
  });
});

describe('what the call ends with', () => {
  test('one target alone: its own error', async () => {
    const { error } = await outcome(over([down({ provider: 'a' })])());
    assert.deepEqual([error.kind, error.mark, error.attempts.length, error.cause.status], ['overloaded', 'attempts_exhausted', 2, 503]);
    assert.equal(historyOf(error).fallback, undefined);
  });

  test('every target failed: an error with one entry for each, and the attempts of each in it', async () => {
    const last = status(401);
    const clock = fakeClock();
    const targets = [down({ provider: 'a', model: 'large' }), target([status(429, { headers: { 'retry-after': '90' } })], { model: 'small' }), target([last])];
    const { error } = await outcome(over(targets, { clock, initialDelayMs: 100, jitter: 'none' })());
    assert.ok(isRetryError(error));
    assert.deepEqual([error.kind, error.type, error.retryable], ['fallback_exhausted', 'fallback_exhausted', false]);
    assert.match(error.message, /a\/large \(overloaded\), small \(rate_limited\), target 3 \(auth\)/);
    assert.deepEqual(brief(error.attempts), [[-1, 'a', 'overloaded', 2], [0, 'small', 'rate_limited', 0], [1, undefined, 'auth', 0]]);
    assert.deepEqual([error.cause.kind, error.cause.cause], ['auth', last]);
    const [a, b] = error.attempts;
    assert.deepEqual(
      [a.attempt, a.provider, a.model, a.reason, a.durationMs, a.delayMs, a.streamed, b.startedAt - a.startedAt],
      [1, 'a', 'large', 'server_error', 300, 0, false, 300],
    );
    assert.deepEqual([b.retryAfterMs, b.error.retryAfterMs], [90_000, 90_000]);
    assert.deepEqual(a.error.attempts.map(({ attempt, delayMs }) => [attempt, delayMs]), [[1, 100], [2, 200]]);
    assert.ok([error.attempts, a, a.error, a.error.attempts].every(Object.isFrozen));
    const history = historyOf(error);
    assert.deepEqual([history.fallback, history.last, history.attempts], [error.attempts, error.attempts[2], error.attempts.slice(0, 2)]);
    assert.equal(JSON.parse(JSON.stringify(error)).attempts[0].error.attempts.length, 2);
  });

  test('it says when it is soonest worth coming back, and has no token to be resumed with', async () => {
    const limited = (seconds) => target([status(429, { headers: { 'retry-after': String(seconds) } })]);
    const call = over([limited(3600), limited(900), target([status(401)])], { retryAfterBeyond: 'defer' });
    const { error } = await outcome(call());
    assert.deepEqual([error.kind, error.retryAfterMs, error.mark], ['fallback_exhausted', 900_000, 'not_retryable']);
    const deferred = (await outcome(over([limited(900), limited(3600)], { retryAfterBeyond: 'defer' })())).error;
    assert.deepEqual([deferred.retryAfterMs, deferred.mark, historyOf(deferred).mark, deferred.resume], [900_000, 'retry_after_beyond', 'retry_after_beyond', undefined]);
    const { error: other } = await outcome(over([down(), down()])());
    assert.equal('retryAfterMs' in other, false);
  });

  test('a target began no later than its first attempt', async () => {
    let now = 1000;
    // A clock of fractions, as some are.
    const clock = { now: () => (now += 0.4), mono: () => now, sleep: async () => {} };
    const { error } = await outcome(over([down(), down()], { clock })());
    for (const entry of error.attempts) assert.ok(entry.startedAt <= entry.error.attempts[0].startedAt);
    assert.ok(error.attempts[1].startedAt > error.attempts[0].startedAt);
  });

  test('a later target whose failure goes no further: its own error, which tells of those before', async () => {
    const { error } = await outcome(over([down({ provider: 'a' }), target([status(503), status(400)], { provider: 'b' }), well()])());
    const { fallback, attempts, last, mark } = historyOf(error);
    assert.deepEqual([error.kind, error.status, error.attempts.length], ['bad_request', 400, 1]);
    assert.deepEqual(brief(fallback), [[-1, 'a', 'overloaded', 2]]);
    assert.deepEqual([attempts.length, last.error.status, mark], [1, 400, 'not_retryable']);
  });

  test('the ledger is over all targets, and what each cost is kept apart', async () => {
    const costs = (total) => ({ usage: { prompt_tokens: total - 1, completion_tokens: 1, total_tokens: total } });
    const a = target([status(503, costs(10)), status(503, costs(20))], { provider: 'a', maxAttempts: 2 });
    const value = await over([a, target([status(503, costs(5)), costs(7)], { provider: 'b' })])();
    const { retry: ledger, usage, fallback, attempts } = historyOf(value);
    assert.deepEqual([ledger.totalAttempts, ledger.failedAttempts, ledger.wastedTotalTokens], [4, 3, 35]);
    assert.deepEqual([usage.total, usage.billedTotalTokens], [7, 42]);
    assert.deepEqual([fallback[0].tokens.total, attempts.map(({ tokens }) => tokens.total)], [30, [5]]);

    const again = await over([target([status(401, costs(10))]), target([costs(7)])])();
    assert.deepEqual([historyOf(again).usage.billedTotalTokens, historyOf(again).retry.totalAttempts, historyOf(again).attempts], [17, 2, undefined]);

    const { error } = await outcome(over([target([status(401, costs(10))]), target([status(401)])])());
    assert.deepEqual([error.retry.totalAttempts, error.retry.wastedTotalTokens], [2, 10]);
    const all = historyOf(error);
    assert.deepEqual([all.usage.total, all.usage.billedTotalTokens, all.retry], [0, 10, error.retry]);
  });

  test('the same value twice: the history is of the last call', async () => {
    const value = {};
    await over([down(), target([value])])();
    assert.equal(historyOf(value).fallback.length, 1);
    await over([target([status(401)]), down(), target([value])])();
    assert.equal(historyOf(value).fallback.length, 2);
  });

  test('a retry around it does not play it again', async () => {
    let made = 0;
    const call = over([down({ maxAttempts: 2 }), down({ maxAttempts: 2 })]);
    const { error } = await outcome(retry(() => (made += 1, call()), { clock: fakeClock(), maxAttempts: 5 }));
    assert.deepEqual([made, error.kind, error.mark], [1, 'fallback_exhausted', 'not_retryable']);
    assert.deepEqual([historyOf(error).last.error.attempts.length, error.retry.totalAttempts], [2, 1]);
  });

  test('sends are targets times attempts at most, and retries of a client inside are one attempt to us', async () => {
    let sends = 0;
    const client = async () => {
      for (let inner = 0; inner < 2; inner++) sends += 1;
      throw status(429);
    };
    const { error } = await outcome(over([{ call: client }, { call: client }], { maxAttempts: 3 })());
    assert.deepEqual([error.retry.totalAttempts, sends], [6, 12]);
    sends = 0;
    await outcome(over([{ call: client }, { call: client }], { maxAttempts: 3, deadlineMs: 700 })());
    assert.equal(sends, 6, 'two attempts and one: the next would come after the deadline');
  });
});

describe('one deadline over all', () => {
  test('each target has what is left of it', async () => {
    const clock = fakeClock();
    const slow = (ms, answer) => target([() => {
      clock.advance(ms);
      return answer;
    }], { maxAttempts: 1 });
    const third = slow(100, {});
    const value = await over([slow(400, status(503)), slow(400, status(503)), third], { clock, deadlineMs: 1000 })();
    assert.equal(historyOf(value).fallback.length, 2);

    const late = await outcome(over([slow(400, status(503)), slow(700, status(503)), third], { clock, deadlineMs: 1000 })());
    assert.deepEqual([late.error.kind, historyOf(late.error).fallback.length, third.calls.length], ['overloaded', 1, 1]);
  });

  test('an onFallback that takes the rest of it ends the call with the failure before', async () => {
    for (const spent of [99.5, 100, 150]) {
      const clock = fakeClock();
      const [a, b] = [target([status(503)], { maxAttempts: 1 }), well()];
      const { error } = await outcome(over([a, b], { clock, deadlineMs: 100, onFallback: () => clock.advance(spent) })());
      assert.deepEqual([error?.kind, b.calls.length], ['overloaded', 0], String(spent));
    }
  });

  test('a wait that it does not allow ends a target at once, and the next one has the time', async () => {
    const clock = fakeClock();
    const a = target([status(429, { headers: { 'retry-after': '5' } })]);
    const value = await over([a, well()], { clock, deadlineMs: 2000 })();
    assert.deepEqual([value, a.calls.length, clock.waits], [{ text: 'well' }, 1, []]);
  });

  test('a target that hangs is ended by it, and by its own where that is earlier', async () => {
    const hanging = (options) => target([() => new Promise(() => {})], options);
    const [a, b] = [hanging(), well()];
    const began = performance.now();
    const { error } = await outcome(withFallback([a, b], { deadlineMs: 30 })());
    assert.deepEqual([error.kind, error.mark, b.calls.length], ['deadline_exceeded', 'deadline_exceeded', 0]);
    assert.ok(performance.now() - began < 1000);
    const c = hanging({ deadlineMs: 20 });
    assert.deepEqual(await withFallback([c, well()], { deadlineMs: 60_000 })(), { text: 'well' });
    const d = hanging({ deadlineMs: 60_000 });
    assert.equal((await outcome(withFallback([d, well()], { deadlineMs: 20 })())).error.mark, 'deadline_exceeded');
    const e = hanging();
    assert.equal((await outcome(withFallback([target([status(401)]), e, well()], { deadlineMs: 30 })())).error.mark, 'deadline_exceeded');
  });
});

describe('breakers and budgets', () => {
  const FAST = { maxAttempts: 1, breaker: { failures: 2, openJitter: 0 } };

  test('each target has a breaker of its own; one that is open is passed over without a call', async () => {
    for (const breaker of [{ failures: 2 }, new RetryPolicy({ breaker: { failures: 2 } })]) {
      const shared = breaker instanceof RetryPolicy ? { policy: breaker } : { breaker };
      const [a, b] = [down({ provider: 'a' }), well({ provider: 'b' })];
      const call = over([a, b], { maxAttempts: 1, ...shared });
      for (let n = 0; n < 5; n++) assert.deepEqual(await call(), { text: 'well' });
      assert.deepEqual([a.calls.length, b.calls.length], [2, 5]);
    }
  });

  test('a target that was passed over has its entry, with the wait that its breaker asks for', async () => {
    const call = over([down({ provider: 'a' }), target([status(503), {}], { provider: 'b', maxAttempts: 2 })], FAST);
    for (let n = 0; n < 2; n++) await call();
    const value = await call();
    const { fallback: [entry], retry: ledger } = historyOf(value);
    assert.deepEqual([entry.index, entry.error.kind, entry.error.retryAfterMs, entry.retryAfterMs], [-1, 'circuit_open', 30_000, 30_000]);
    assert.match(entry.error.message, /breaker of a /);
    assert.deepEqual([ledger.totalAttempts, ledger.failedAttempts, entry.request], [1, 0, undefined]);
  });

  test('when all are open nobody is asked, and the error says so of each', async () => {
    const [a, b] = [down({ provider: 'a' }), down({ model: 'small' })];
    const call = over([a, b], FAST);
    for (let n = 0; n < 2; n++) await outcome(call());
    const { error } = await outcome(call());
    assert.deepEqual([error.kind, error.retry.totalAttempts, a.calls.length], ['fallback_exhausted', 0, 2]);
    assert.deepEqual(brief(error.attempts), [[-1, 'a', 'circuit_open', 0], [0, 'small', 'circuit_open', 0]]);
    assert.deepEqual([historyOf(error).mark, error.retryAfterMs], ['circuit_open', 30_000]);
  });

  test('one that is open is passed over whatever a list says, and a function is asked', async () => {
    for (const [fallbackOn, expected] of [[['overloaded'], 'well'], [[], 'overloaded'], [(kind) => kind !== 'circuit_open', 'circuit_open']]) {
      const a = down({ ...FAST, breaker: { failures: 1 }, fallbackOn });
      const call = over([a, well()]);
      const [first, second] = [await outcome(call()), await outcome(call())];
      assert.equal(first.value?.text ?? first.error.kind, expected === 'circuit_open' ? 'well' : expected);
      assert.equal(second.value?.text ?? second.error.kind, expected === 'overloaded' ? 'well' : expected);
      assert.equal(a.calls.length, 1);
    }
  });

  test('a breaker of one target can be held, and one of all targets is a fault', async () => {
    const breaker = new CircuitBreaker({ failures: 1 });
    const call = over([down({ breaker }), well()]);
    await call();
    assert.equal(breaker.state().state, 'open');
    assert.throws(() => over([down(), well()], { breaker }), /breaker.*one for each target/);
    assert.doesNotThrow(() => over([down({ breaker: true }), well({ breaker: false })], { breaker }));
  });

  test('a spent budget ends the retries of a target, not the call', async () => {
    const budget = new RetryBudget({ initial: 0 });
    const [a, b] = [down({ provider: 'a' }), target([status(503), {}], { provider: 'b', budget: false })];
    const value = await over([a, b], { budget })();
    assert.deepEqual([a.calls.length, b.calls.length, brief(historyOf(value).fallback)], [1, 2, [[-1, 'a', 'overloaded', 0]]]);
  });
});

describe('onFallback', () => {
  test('is told of each failed target before the next is asked', async () => {
    const told = [];
    const [a, b, c] = [down({ provider: 'a' }), target([status(401)], { provider: 'b' }), well()];
    const onFallback = async (entry, { signal }) => {
      await null;
      told.push([entry.index, entry.provider, entry.error.kind, signal, Object.isFrozen(entry), b.calls.length, c.calls.length]);
    };
    await over([a, b, c], { onFallback })();
    assert.deepEqual(told, [[-1, 'a', 'overloaded', undefined, true, 0, 0], [0, 'b', 'auth', undefined, true, 1, 0]]);
    told.length = 0;
    await outcome(over([target([status(400)]), well()], { onFallback })());
    await outcome(over([down()], { onFallback })());
    assert.deepEqual(told, [], 'nothing was to be asked');
    await outcome(over([target([status(401)]), target([status(401)])], { onFallback })());
    assert.equal(told.length, 1, 'after the last target nobody is');
  });

  for (const [name, option] of [['onFallback', 'onFallback'], ['fallbackOn', 'fallbackOn']]) {
    test(`${name} that throws ends the call with that, or is let be under hookErrors: 'swallow'`, async () => {
      const thrown = new Error('mine');
      const b = well();
      const throwing = { [option]: () => { throw thrown; } };
      const { error } = await outcome(over([down({ provider: 'a' }), b], throwing)());
      assert.deepEqual([error, b.calls.length], [thrown, 0]);
      assert.deepEqual([historyOf(error).mark, historyOf(error).retry.totalAttempts, brief(historyOf(error).fallback)], ['hook_error', 3, [[-1, 'a', 'overloaded', 2]]]);
      assert.deepEqual(await over([down(), b], { ...throwing, hookErrors: 'swallow' })(), { text: 'well' });
    });
  }

  test('a hook of a target that throws ends the whole call', async () => {
    const thrown = new Error('mine');
    const b = well();
    const { error } = await outcome(over([down({ onRetry: () => { throw thrown; } }), b])());
    assert.deepEqual([error, b.calls.length], [thrown, 0]);
  });

  test('each target’s call tells its own events', async () => {
    const events = [];
    const onEvent = ({ type, attempt, outcome: how }) => events.push(how ?? `${type} ${attempt.error.provider}`);
    await over([down({ provider: 'a', maxAttempts: 2 }), target([status(503), {}], { provider: 'b' })], { onEvent })();
    assert.deepEqual(events, ['failed a', 'waiting a', 'failed a', 'failed', 'failed b', 'waiting b', 'delivered']);
  });
});

describe('secrets', () => {
  test('redact.values of any target are hidden in the records of every other', async () => {
    const secrets = canaries();
    const [one, two] = [secrets.next(), secrets.next()];
    const entries = [];
    const echo = (...all) => status(401, { message: `no: ${all.join(' ')}`, code: one });
    const targets = [
      target([() => echo(one, two)], { provider: 'a', redact: { values: [one] } }),
      target([() => echo(two, one)], { provider: 'b', redact: { values: [two] } }),
    ];
    const { error } = await outcome(over(targets, { onFallback: (entry) => entries.push(entry) })());
    assert.match(error.attempts[0].error.message, /REDACTED/);
    for (const shown of [error.message, error.attempts, error.toJSON(), historyOf(error), entries]) assertNoSecret(shown, secrets.all);
    const { inspect } = await import('node:util');
    for (const secret of secrets.all) assert.ok(!inspect(error, { depth: 9 }).includes(secret));
  });
});

describe('what is wrong with the options', () => {
  const faultsOf = (make) => {
    try {
      make();
    } catch (error) {
      assert.equal(error.kind, 'invalid_config');
      return error.faults.map(({ option, code }) => [option, code]);
    }
    return [];
  };

  test('is told all at once, of all targets', () => {
    const targets = [
      { call: 1, provider: 2, maxAttempts: 0 },
      { call: () => 1, initialDelayMs: 9, maxDelayMs: 1, modle: 'x' },
      7,
    ];
    const faults = faultsOf(() => withFallback(targets, { mode: 'stream', deadlineMs: -1, fallbackOn: ['nope'], onFallback: 1 }));
    assert.deepEqual(faults.sort(), [
      ['deadlineMs', 'range'], ['fallbackOn', 'choice'], ['mode', 'choice'], ['onFallback', 'type'],
      ['targets.0.call', 'type'], ['targets.0.maxAttempts', 'retry_max_attempts'], ['targets.0.provider', 'type'],
      ['targets.1.initialDelayMs', 'retry_delay_order'], ['targets.1.modle', 'unknown_option'], ['targets.2', 'type'],
    ].sort());
  });

  test('a fault of fallbackOn says which entry, what was meant, and that a function will do', () => {
    const make = () => withFallback([well()], { fallbackOn: ['auth', 'rate_limit'] });
    assert.throws(make, /a list of kinds, or a function; entry 2 is no kind; did you mean rate_limited\?/);
  });

  test('an empty list, no list, and options that are none', () => {
    for (const list of [[], undefined, null, 'a', {}]) assert.deepEqual(faultsOf(() => withFallback(list)), [['targets', 'type']]);
    assert.throws(() => withFallback([well()], null), { kind: 'invalid_config' });
    assert.throws(() => withFallback([well({ policy: {} })]), /must be a RetryPolicy/);
  });

  test('a signal that is none rejects the call', async () => {
    const { error } = await outcome(over([well()])('hi', { signal: {} }));
    assert.match(error.message, /withFallback: signal/);
    assert.deepEqual(await over([well()])('hi', { signal: null }), { text: 'well' });
  });

  test('the targets are read when it is made, not later', async () => {
    const a = down();
    const list = [a, well()];
    const call = over(list);
    list.pop();
    a.call = undefined;
    assert.deepEqual(await call(), { text: 'well' });
  });
});
