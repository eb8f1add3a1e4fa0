import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import test from 'node:test';
import { createFetch, explain, isRetryError, retry, RetryPolicy, retryStream } from 'dacapo';
import { fakeClock } from './lib/clock.js';
import { stubFetch, URL_ } from './lib/stub.js';

/** The error that these options make, and its faults as `option code`. */
function faultsOf(options) {
  let error;
  try {
    new RetryPolicy(options);
  } catch (thrown) {
    error = thrown;
  }
  assert.ok(isRetryError(error), `accepted: ${inspect(options)}`);
  assert.deepEqual([error.kind, error.type, error.retryable], ['invalid_config', 'invalid_params', false]);
  return { error, faults: error.faults.map(({ option, code }) => `${option} ${code}`) };
}

const COUNTS = ['maxAttempts', 'maxRetries', 'firstExponent', 'maxReplayBytes', 'inspectBytes', 'errorBytes', 'openingBytes'];
const DELAYS = ['initialDelayMs', 'maxDelayMs', 'maxRetryAfterMs', 'timeoutMs', 'deadlineMs', 'holdOpeningMs', 'idleTimeoutMs', 'firstOutputTimeoutMs'];
const FLAGS = ['respectRetryAfter', 'retryUnknown', 'permanentTransport', 'retryQuota', 'shouldRetryHeader', 'inspectOk', 'snapshotBody', 'unref', 'markFinal'];
const CHOICES = ['preset', 'jitter', 'retryAfterCombine', 'retryAfterBeyond', 'zeroHint', 'bodyCodes', 'timeoutCovers', 'hookErrors', 'redirects', 'expect'];
const FUNCTIONS = ['shouldRetry', 'onRetry', 'onEvent', 'random', 'fetch', 'bodyFactory'];
const NOT_NUMBERS = ['3', '', true, false, null, {}, [], 3n, Symbol('3'), () => 3, new Number(3)];

test('a count or a delay is a whole number, and anything else is a fault and never a count of zero', () => {
  for (const option of [...COUNTS, ...DELAYS]) {
    for (const value of [Number.NaN, Infinity, -Infinity, -1, 0.5, 1.5, 2 ** 53, ...NOT_NUMBERS]) {
      const { faults } = faultsOf({ [option]: value });
      assert.equal(faults.length, 1, `${option} ${String(value)}`);
      assert.match(faults[0], new RegExp(`^${option} (type|range|retry_max_attempts|retry_delays)$`));
    }
  }
});

test('a count beyond 32 bits does not wrap', () => {
  for (const option of COUNTS) {
    for (const value of [2 ** 32, 2 ** 32 + 1, 2 ** 53 - 1, 9007199254740993]) faultsOf({ [option]: value });
  }
  assert.equal(new RetryPolicy({ maxAttempts: 2 ** 32 - 1 }).options.maxAttempts, 2 ** 32 - 1);
});

test('a delay beyond 32 bits is a delay, and a timeout beyond a timer\'s range a fault', () => {
  const { options } = new RetryPolicy({ maxDelayMs: 2 ** 32, maxRetryAfterMs: 2 ** 53 - 1, deadlineMs: 2 ** 40 });
  assert.deepEqual([options.maxDelayMs, options.maxRetryAfterMs, options.deadlineMs], [2 ** 32, 2 ** 53 - 1, 2 ** 40]);
  for (const option of ['timeoutMs', 'holdOpeningMs', 'idleTimeoutMs', 'firstOutputTimeoutMs']) {
    assert.deepEqual(faultsOf({ [option]: 2 ** 31 }).faults, [`${option} range`]);
    assert.equal(new RetryPolicy({ [option]: 2 ** 31 - 1 }).options[option], 2 ** 31 - 1);
  }
});

test('no attempts at all is a fault, no retries is one attempt', () => {
  assert.deepEqual(faultsOf({ maxAttempts: 0 }).faults, ['maxAttempts retry_max_attempts']);
  assert.equal(new RetryPolicy({ maxRetries: 0 }).options.maxAttempts, 1);
  assert.equal(new RetryPolicy({ maxRetries: 2 ** 32 - 2 }).options.maxAttempts, 2 ** 32 - 1);
  assert.deepEqual(faultsOf({ maxRetries: 2 ** 32 - 1 }).faults, ['maxRetries retry_max_attempts']);
});

test('undefined takes the default, whatever the option', () => {
  const options = Object.fromEntries([
    ...COUNTS, ...DELAYS, ...FLAGS, ...CHOICES, ...FUNCTIONS, 'clock', 'redact', 'methods', 'hintSources', 'retryStatus',
    'nonRetryableStatus', 'factor', 'hintJitter', 'idempotencyKey', 'retryCountHeader', 'provider',
  ].map((name) => [name, undefined]));
  assert.deepEqual(new RetryPolicy(options).options, new RetryPolicy().options);
});

test('factor, hintJitter and additive jitter have their ranges', () => {
  for (const value of [0, 0.5, -2, Number.NaN, Infinity, '2', null]) faultsOf({ factor: value });
  for (const value of [-0.1, 1.1, Number.NaN, Infinity, '0.1', true]) {
    faultsOf({ hintJitter: value });
    faultsOf({ jitter: { additive: value } });
  }
  const { options } = new RetryPolicy({ factor: 1, hintJitter: 1, jitter: { additive: 0 } });
  assert.deepEqual([options.factor, options.hintJitter, options.jitter], [1, 1, { additive: 0 }]);
});

test('a flag is a boolean, a hook a function and a choice one of its words', () => {
  for (const option of FLAGS) for (const value of [0, 1, 'true', null, {}]) assert.deepEqual(faultsOf({ [option]: value }).faults, [`${option} type`]);
  for (const option of FUNCTIONS) for (const value of [true, 'f', null, {}]) assert.deepEqual(faultsOf({ [option]: value }).faults, [`${option} type`]);
  for (const option of CHOICES) for (const value of ['perhaps', '', 'MAX', null, 1, true]) {
    assert.match(faultsOf({ [option]: value }).faults[0], new RegExp(`^${option} (choice|type)$`), `${option} ${value}`);
  }
});

test('lists hold what they should and nothing else', () => {
  for (const option of ['retryStatus', 'nonRetryableStatus']) {
    for (const value of [503, '503', [99], [600], [503.5], ['503'], [null], [Number.NaN], {}]) faultsOf({ [option]: value });
  }
  for (const value of [['sundial'], 'retry-after', [1], null]) faultsOf({ hintSources: value });
  for (const value of ['GET', [1], {}]) faultsOf({ methods: value });
});

test('the options of a clock, a redaction, a key and a header name are looked into', () => {
  const ok = { now: () => 0, sleep: async () => undefined };
  for (const clock of [{}, { now: ok.now }, { sleep: ok.sleep }, { ...ok, mono: 3 }, null, 'clock', () => 1]) faultsOf({ clock });
  for (const redact of [null, 'x', { headers: 'x' }, { values: [1] }, { query: {} }, { header: [] }]) faultsOf({ redact });
  for (const idempotencyKey of ['key', 1, null, {}]) faultsOf({ idempotencyKey });
  for (const retryCountHeader of ['', 'a b', 'ü', 'a:b', 'a\n', 7, null, true]) faultsOf({ retryCountHeader });
  new RetryPolicy({ clock: { ...ok, mono: undefined }, redact: { headers: ['a'], query: undefined }, idempotencyKey: false, retryCountHeader: 'X-Retry!' });
});

test('a clock may be an instance of a class', () => {
  class TestClock {
    now() { return 1; }
    mono() { return 2; }
    async sleep() {}
  }
  assert.ok(new RetryPolicy({ clock: new TestClock() }));
  assert.ok(new RetryPolicy({ clock: fakeClock() }));
});

test('every fault is in one error, with its option, code, value and what is allowed', () => {
  const { error, faults } = faultsOf({ maxAttempts: 0, jitter: 'maybe', factor: 0, timeoutMs: '5', colour: 'red' });
  for (const fault of [
    'maxAttempts retry_max_attempts', 'jitter choice', 'timeoutMs type', 'colour unknown_option',
  ]) assert.ok(faults.includes(fault), `${fault} in ${faults}`);
  for (const { option, value, allowed, code } of error.faults) {
    assert.ok(error.message.includes(option) && error.message.includes(allowed), option);
    assert.ok(typeof value === 'string' && code !== '');
  }
  const timeout = error.faults.find(({ option }) => option === 'timeoutMs');
  assert.equal(timeout.value, '"5"');
  assert.match(timeout.allowed, /whole number/);
});

test('faults between options are listed beside faults of single ones', () => {
  assert.ok(faultsOf({ factor: 0, initialDelayMs: 9000, hintJitter: 2 }).faults.length === 3);
  const { faults } = faultsOf({ maxAttempts: 0, factor: 0 });
  assert.deepEqual(faults.sort(), ['factor range', 'maxAttempts retry_max_attempts']);
});

test('an unknown option suggests the nearest name there is', () => {
  for (const [wrong, right] of [
    ['maxRetry', 'maxRetries'], ['maxattempts', 'maxAttempts'], ['timeout', 'timeoutMs'], ['onretry', 'onRetry'],
    ['retryafterCombine', 'retryAfterCombine'], ['initialDelay', 'initialDelayMs'], ['jiter', 'jitter'],
  ]) {
    const { error, faults } = faultsOf({ [wrong]: 1 });
    assert.deepEqual(faults, [`${wrong} unknown_option`]);
    assert.match(error.message, new RegExp(`did you mean ${right}\\?`), wrong);
  }
  assert.doesNotMatch(faultsOf({ qqqqqqqqqqqq: 1 }).error.message, /did you mean/);
  assert.deepEqual(faultsOf({ colour: undefined }).faults, ['colour unknown_option']);
});

test('options that contradict each other are a conflict', () => {
  assert.deepEqual(faultsOf({ maxAttempts: 2, maxRetries: 1 }).faults, ['maxRetries conflict']);
  assert.deepEqual(faultsOf({ retryStatus: [503], nonRetryableStatus: [400] }).faults, ['nonRetryableStatus conflict']);
  assert.deepEqual(faultsOf({ initialDelayMs: 9000 }).faults, ['initialDelayMs retry_delay_order']);
  assert.deepEqual(faultsOf({ maxDelayMs: 100 }).faults, ['maxDelayMs retry_delay_order']);
});

test('what is no object is no set of options', () => {
  for (const options of [null, 3, 'x', true, [], () => 1, Symbol('s')]) {
    assert.throws(() => new RetryPolicy(options), { kind: 'invalid_config' }, String(options));
  }
});

test('hostile options give an error and not a trap, and the next call works', async () => {
  const fail = () => { throw new Error('hostile'); };
  const hostile = [
    Object.defineProperty({}, 'maxAttempts', { get: fail, enumerable: true }),
    new Proxy({}, { ownKeys: fail }),
    { redact: { values: new Proxy([], { get: fail }) } },
    { retryStatus: new Array(2 ** 20).fill(503) },
    { methods: ['\uD800'] },
    { provider: '\uD800\uDC00\uD800' },
    { jitter: Object.create(null) },
    { [Symbol('maxAttempts')]: 0 },
    { ['x'.repeat(1 << 16)]: 1 },
  ];
  for (const options of hostile) {
    try {
      new RetryPolicy(options);
    } catch (error) {
      assert.ok(!(error instanceof WebAssembly.RuntimeError), String(error));
    }
  }
  assert.equal((await createFetch({ fetch: stubFetch(503, 200), clock: fakeClock() })(URL_)).status, 200);
});

test('no secret is shown by a fault', () => {
  const key = 'sk-ant-api03-abcdefghijklmnopqrstuvwxyz';
  const shown = [
    faultsOf({ redact: { values: key } }),
    faultsOf({ redact: { values: [key, 1] } }),
    faultsOf({ redact: key }),
    faultsOf({ provider: 1, redact: { tokens: [key] } }),
    faultsOf({ idempotencyKey: `Bearer ${key}` }),
    faultsOf({ fetch: `https://user:${key}@host.example/?api_key=${key}` }),
  ];
  for (const { error } of shown) {
    for (const text of [error.message, error.stack, String(error), JSON.stringify(error), inspect(error, { depth: Infinity })]) {
      assert.ok(!text.includes(key), text);
    }
  }
});

test('a long value is cut in the message', () => {
  const { error } = faultsOf({ preset: 'x'.repeat(10_000), methods: Array(10_000).fill(7) });
  assert.ok(error.message.length < 1000);
});

test('a faulty set of options makes no request', async () => {
  const stub = stubFetch(200);
  let ran = 0;
  assert.throws(() => createFetch({ fetch: stub, maxRetries: Number.NaN }), { kind: 'invalid_config' });
  await assert.rejects(retry(() => (ran += 1), { maxRetries: '3' }), { kind: 'invalid_config' });
  await assert.rejects(retry('no function'), { kind: 'invalid_config' });
  assert.throws(() => explain({ maxAttempts: -1 }), { kind: 'invalid_config' });
  assert.equal(stub.calls.length + ran, 0);
});

test('a policy alone stands for options, wherever options can be given', async () => {
  const policy = new RetryPolicy({ maxAttempts: 2, clock: fakeClock() });
  const sends = async (call) => {
    let count = 0;
    const fail = async () => {
      count += 1;
      throw Object.assign(new Error('busy'), { status: 503 });
    };
    await call(fail).catch(() => {});
    return count;
  };
  for (const call of [
    (fail) => retry(fail, policy),
    (fail) => retryStream(fail, policy)[Symbol.asyncIterator]().next(),
    (fail) => createFetch({ policy, fetch: fail })('https://api.example.com/'),
    (fail) => createFetch({ fetch: fail }).with(policy)('https://api.example.com/'),
    (fail) => createFetch({ fetch: fail })('https://api.example.com/', {}, policy),
  ]) {
    assert.equal(await sends(call), 2);
  }
  assert.equal(new RetryPolicy({ maxAttempts: 5 }).with(policy).options.maxAttempts, 2);
});

test('what is no option is named by what it is', () => {
  for (const [given, text] of [
    [() => createFetch('https://api.example.com/'), 'give what createFetch() returns'],
    [() => createFetch(new URL('https://api.example.com/')), 'give what createFetch() returns'],
    [() => new RetryPolicy(new Map()), 'they are a Map'],
    [() => createFetch({ maxAttempts: new Date(0) }), 'maxAttempts is a Date'],
    [() => createFetch({ jitter: true }), "'decorrelated' or {additive: a number from 0 to 1}"],
  ]) {
    assert.throws(given, (error) => error.kind === 'invalid_config' && error.message.includes(text), text);
  }
  const controller = new AbortController();
  return Promise.all([
    assert.rejects(retry(() => 1, { signal: controller }), /signal is an AbortController, must be an AbortSignal/),
    assert.rejects(retry(Promise.resolve(1)), /the operation is a Promise, must be a function/),
  ]);
});
