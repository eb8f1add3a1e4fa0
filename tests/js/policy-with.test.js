import assert from 'node:assert/strict';
import test from 'node:test';
import { createFetch, explain, RetryPolicy } from 'dacapo';
import { fakeClock } from './lib/clock.js';
import { stubFetch, URL_ } from './lib/stub.js';

test('with() makes another policy and leaves the first as it was', () => {
  const first = new RetryPolicy({ maxAttempts: 5, factor: 3 });
  const second = first.with({ factor: 4 });
  assert.notEqual(first, second);
  assert.ok(second instanceof RetryPolicy);
  assert.deepEqual([first.options.maxAttempts, first.options.factor], [5, 3]);
  assert.deepEqual([second.options.maxAttempts, second.options.factor], [5, 4]);
});

test('an option of undefined changes nothing in with()', () => {
  const policy = new RetryPolicy({ maxAttempts: 5 });
  assert.deepEqual(policy.with({ maxAttempts: undefined }).options, policy.options);
  assert.deepEqual(policy.with({}).options, policy.options);
});

test('of a pair of which one replaces the other, the later one counts', () => {
  const attempts = new RetryPolicy({ maxAttempts: 5 });
  assert.equal(attempts.with({ maxRetries: 1 }).options.maxAttempts, 2);
  assert.equal(attempts.with({ maxRetries: 1 }).with({ maxAttempts: 7 }).options.maxAttempts, 7);
  const statuses = new RetryPolicy({ retryStatus: [418] }).with({ nonRetryableStatus: [500] });
  assert.deepEqual([statuses.options.retryStatus, statuses.options.nonRetryableStatus], [undefined, [500]]);
});

test('both of a pair given at once are a conflict in with() as well', () => {
  const policy = new RetryPolicy();
  for (const base of [policy, new RetryPolicy({ maxAttempts: 5 }), new RetryPolicy({ maxRetries: 5 })]) {
    assert.throws(() => base.with({ maxAttempts: 2, maxRetries: 1 }), { kind: 'invalid_config' });
  }
  assert.throws(() => policy.with({ retryStatus: [503], nonRetryableStatus: [400] }), { kind: 'invalid_config' });
});

test('with() is validated like a new policy', () => {
  const policy = new RetryPolicy({ initialDelayMs: 1000 });
  assert.throws(() => policy.with({ maxDelayMs: 900 }), ({ faults }) => faults[0].code === 'retry_delay_order');
  assert.throws(() => policy.with({ colour: 1 }), { kind: 'invalid_config' });
  for (const nonsense of [null, 3, 'x']) assert.throws(() => policy.with(nonsense), { kind: 'invalid_config' });
});

test('the options of a policy and of what with() changes can be another policy\'s', () => {
  const base = new RetryPolicy({ maxAttempts: 5, factor: 3 });
  assert.equal(new RetryPolicy({ policy: base, factor: 4 }).options.maxAttempts, 5);
  const other = new RetryPolicy({ jitter: 'full' }).with({ policy: base });
  assert.deepEqual([other.options.jitter, other.options.maxAttempts], ['full', 5]);
  assert.throws(() => createFetch({ policy: { maxAttempts: 2 } }), { kind: 'invalid_config', message: /RetryPolicy/ });
});

test('a policy that is changed later from outside stays as it was', async () => {
  const retryStatus = [418];
  const options = { maxAttempts: 2, retryStatus };
  const policy = new RetryPolicy(options);
  options.maxAttempts = 9;
  retryStatus.push(503);
  assert.equal(policy.options.maxAttempts, 2);
  const stub = stubFetch(503);
  await createFetch({ policy, fetch: stub, clock: fakeClock() })(URL_);
  assert.equal(stub.calls.length, 1);
  assert.throws(() => { policy.options.maxAttempts = 3; }, TypeError);
});

test('the options in force are frozen and make the same policy again', () => {
  for (const options of [
    {}, { preset: 'elelem' }, { preset: 'vernllm' }, { preset: 'onellm' },
    { jitter: { additive: 0.5 }, methods: ['GET'], hintSources: [] }, { nonRetryableStatus: [400] },
  ]) {
    const inForce = new RetryPolicy(options).options;
    assert.ok(Object.isFrozen(inForce));
    for (const value of Object.values(inForce)) assert.ok(typeof value !== 'object' || Object.isFrozen(value));
    assert.deepEqual(new RetryPolicy(inForce).options, inForce, JSON.stringify(options));
  }
});

test('what is secret is not among the options in force', () => {
  const key = 'plain-looking-secret';
  assert.ok(!JSON.stringify(new RetryPolicy({ redact: { values: [key] } }).options).includes(key));
});

test('the defaults are those of the documentation', () => {
  assert.deepEqual(new RetryPolicy().options, {
    maxAttempts: 3, initialDelayMs: 500, maxDelayMs: 8000, factor: 2, firstExponent: 0, jitter: 'equal',
    respectRetryAfter: true, hintSources: 'all', retryAfterCombine: 'max', maxRetryAfterMs: 60_000, retryAfterBeyond: 'stop',
    hintJitter: 0.1, zeroHint: 'floor', retryUnknown: false, permanentTransport: true, retryQuota: false, bodyCodes: 'first',
    retryStatus: 'default', shouldRetryHeader: true, timeoutMs: 0, timeoutCovers: 'headers', deadlineMs: 0, hookErrors: 'throw', redirects: 'auto',
    inspectOk: true, snapshotBody: false, methods: 'all', maxReplayBytes: 16 << 20, inspectBytes: 1 << 20, errorBytes: 64 << 10,
    openingBytes: 256 << 10, holdOpeningMs: 120_000, idleTimeoutMs: 0, firstOutputTimeoutMs: 0,
    throttledDelayMs: 0, hintSlackMs: 5000, hedgeAfterMs: 0, breaker: false, budget: false,
  });
});

const PRESETS = {
  elelem: {
    maxAttempts: 3, initialDelayMs: 500, maxDelayMs: 8000, firstExponent: 0, hintSources: ['retry_after'], retryAfterCombine: 'replace',
    maxRetryAfterMs: 8000, retryAfterBeyond: 'clamp', hintJitter: 0, zeroHint: 'backoff',
    retryUnknown: false, permanentTransport: false, retryQuota: false, bodyCodes: 'first', shouldRetryHeader: false, timeoutMs: 0,
    hookErrors: 'throw', redirects: 'platform', snapshotBody: false,
  },
  vernllm: {
    maxAttempts: 2, initialDelayMs: 500, maxDelayMs: 10_000, firstExponent: 1, jitter: 'equal', hintSources: ['retry_after'],
    retryAfterCombine: 'replace', maxRetryAfterMs: 10_000, retryAfterBeyond: 'clamp', hintJitter: 0, zeroHint: 'now',
    nonRetryableStatus: [400, 401, 403, 404, 422], retryUnknown: true, permanentTransport: false, retryQuota: true, bodyCodes: 'ignore',
    shouldRetryHeader: false, timeoutMs: 25_000, timeoutCovers: 'response', hookErrors: 'swallow', redirects: 'platform',
    snapshotBody: true,
  },
  onellm: {
    maxAttempts: 3, initialDelayMs: 500, maxDelayMs: 30_000, firstExponent: 0, jitter: { additive: 0.25 },
    hintSources: ['retry_after_ms', 'retry_after'], retryAfterCombine: 'max', maxRetryAfterMs: 60_000, retryAfterBeyond: 'stop',
    hintJitter: 0, zeroHint: 'floor',
    retryStatus: [408, 429, 500, 502, 503, 504, 529], retryUnknown: false, permanentTransport: false, retryQuota: false,
    bodyCodes: 'override', shouldRetryHeader: false, timeoutMs: 0, timeoutCovers: 'headers', hookErrors: 'throw', redirects: 'refuse',
    snapshotBody: false,
  },
  aws: {
    maxAttempts: 3, initialDelayMs: 50, throttledDelayMs: 1000, maxDelayMs: 20_000, factor: 2, firstExponent: 0, jitter: 'full',
    hintSources: ['x_amz_retry_after'], retryAfterCombine: 'near', hintSlackMs: 5000, hintJitter: 0,
    retryStatus: [429, 500, 502, 503, 504], breaker: false,
    budget: {
      mode: 'tokens', capacity: 500, initial: 500, transientCost: 14, throttlingCost: 5, cleanCredit: 1,
      ratio: 0.2, windowMs: 10_000, reservePerSecond: 10,
    },
  },
};

for (const [preset, expected] of Object.entries(PRESETS)) {
  test(`the preset ${preset} is the column of its name, and each option overrides it`, () => {
    const { options } = new RetryPolicy({ preset });
    for (const [name, value] of Object.entries(expected)) assert.deepEqual(options[name], value, name);
    for (const [name, value] of Object.entries({
      maxAttempts: 9, factor: 3, hintJitter: 0.5, zeroHint: 'floor', bodyCodes: 'first', timeoutMs: 7, redirects: 'auto',
      hookErrors: 'throw', snapshotBody: true, jitter: 'none', retryUnknown: true,
    })) {
      assert.deepEqual(new RetryPolicy({ preset, [name]: value }).options[name], value, name);
      assert.deepEqual(new RetryPolicy({ preset }).with({ [name]: value }).options[name], value, name);
    }
  });
}

test('elelem\'s longest hint follows its maximum delay unless it is given', () => {
  assert.equal(new RetryPolicy({ preset: 'elelem', maxDelayMs: 700 }).options.maxRetryAfterMs, 700);
  assert.equal(new RetryPolicy({ preset: 'elelem', maxDelayMs: 700, maxRetryAfterMs: 900 }).options.maxRetryAfterMs, 900);
});

test('a list of statuses of either kind replaces the preset\'s rule', () => {
  const only = new RetryPolicy({ preset: 'vernllm', retryStatus: [503] }).options;
  assert.deepEqual([only.retryStatus, only.nonRetryableStatus], [[503], undefined]);
  const allBut = new RetryPolicy({ preset: 'onellm', nonRetryableStatus: [400] }).options;
  assert.deepEqual([allBut.retryStatus, allBut.nonRetryableStatus], [undefined, [400]]);
  assert.deepEqual(new RetryPolicy({ preset: 'onellm', retryStatus: 'default' }).options.retryStatus, new RetryPolicy().options.retryStatus);
});

test('explain lists each wait\'s bounds, the sum of all, and the worst case when something bounds it', () => {
  const plan = explain({ maxAttempts: 4 });
  assert.deepEqual(plan.schedule, [{ n: 1, minMs: 250, maxMs: 500 }, { n: 2, minMs: 500, maxMs: 1000 }, { n: 3, minMs: 1000, maxMs: 2000 }]);
  assert.deepEqual([plan.worstBackoffMs, plan.worstCaseMs, plan.maxAttempts], [3500, null, 4]);
  assert.equal(plan.options.maxAttempts, 4);
  assert.ok(Object.isFrozen(plan) && Object.isFrozen(plan.schedule[0]));
});

test('explain counts every attempt at its timeout and every wait at its longest hint, but no more than the deadline', () => {
  assert.equal(explain({ maxAttempts: 2, timeoutMs: 1000 }).worstCaseMs, 2000 + 66_000);
  assert.equal(explain({ maxAttempts: 2, timeoutMs: 1000, respectRetryAfter: false }).worstCaseMs, 2500);
  assert.equal(explain({ maxAttempts: 2, timeoutMs: 1000, deadlineMs: 5000 }).worstCaseMs, 5000);
  assert.equal(explain({ deadlineMs: 5000 }).worstCaseMs, 5000);
});

test('explain copes with one attempt and with billions', () => {
  assert.deepEqual(explain({ maxAttempts: 1 }).schedule, []);
  const { schedule, worstBackoffMs } = explain({ maxAttempts: 2 ** 32 - 1 });
  assert.equal(schedule.length, 100);
  assert.ok(Number.isSafeInteger(worstBackoffMs));
});

test('explain takes a policy', () => {
  const policy = new RetryPolicy({ preset: 'vernllm' });
  assert.deepEqual(explain(policy), explain({ preset: 'vernllm' }));
});
