import assert from 'node:assert/strict';
import test from 'node:test';
import { runInNewContext } from 'node:vm';
import { classify, parseRetryAfter, retry, RetryError, RetryPolicy } from 'dacapo';
import { fakeClock, NOON } from './lib/clock.js';

/** The kind and whether it is retried, as classify says of these facts. */
function verdict(input, options) {
  const { kind, retryable } = classify(input, options);
  return [kind, retryable];
}

const fetchFailed = (cause) => new TypeError('fetch failed', { cause });

const RETRIED = [
  408, 409, 425, 429,
  ...Array.from({ length: 100 }, (_, i) => 500 + i).filter((status) => ![501, 505, 506, 510, 511, 525, 526].includes(status)),
];

test('each status has its kind and its place in the table of what is retried', () => {
  const kinds = {
    bad_request: [400, 405, 406, 410, 415, 418, 422, 425, 426, 428, 431, 440, 498],
    auth: [401],
    quota_exhausted: [402],
    permission: [403, 407, 412, 451],
    not_found: [404],
    timeout: [408, 504, 522, 524],
    conflict: [409],
    request_too_large: [413],
    rate_limited: [429],
    cancelled: [499],
    overloaded: [503, 529],
    server_error: [500, 501, 502, 505, 506, 507, 508, 510, 511, 520, 521, 523, 525, 526, 530, 598, 599],
  };
  for (const [kind, statuses] of Object.entries(kinds)) {
    for (const status of statuses) assert.deepEqual(verdict({ status }), [kind, RETRIED.includes(status)], `${status}`);
  }
  for (let status = 400; status < 600; status++) assert.equal(classify({ status }).retryable, RETRIED.includes(status), `${status}`);
});

test('a redirect and a status that is none of ours are not retried', () => {
  assert.deepEqual(verdict({ status: 307, headers: { location: '/x' } }), ['redirected', false]);
  assert.deepEqual(verdict({ status: 300 }), ['unknown', false]);
  assert.deepEqual(verdict({ status: 600 }), ['unknown', false]);
  assert.deepEqual(verdict({ status: 300 }, { retryUnknown: true }), ['unknown', true]);
});

test('a verdict has the rule that decided, and nulls for what is not known', () => {
  assert.deepEqual(classify({ status: 503 }), { kind: 'overloaded', retryable: true, code: null, retryAfterMs: null, rule: 'status' });
  assert.ok(Object.isFrozen(classify({ status: 503 })));
  for (const [input, rule] of [
    [{ status: 503, headers: { 'x-should-retry': 'false' } }, 'server_veto'],
    [{ status: 429, body: { error: { code: 'insufficient_quota' } } }, 'provider'],
    [{ error: fetchFailed() }, 'transport'],
    [{ error: new RetryError({ kind: 'auth' }) }, 'raised'],
    [{ error: new Error('who knows') }, 'unknown'],
    [{ error: 'x', signal: AbortSignal.abort() }, 'cancelled'],
  ]) {
    assert.equal(classify(input).rule, rule);
  }
});

test('once the caller\'s own signal has aborted it is a cancellation, whatever the error looks like', () => {
  const signal = AbortSignal.abort('client closed');
  for (const error of [
    'client closed', null, undefined, 0, new DOMException('x', 'TimeoutError'), new DOMException('x', 'AbortError'),
    fetchFailed(Object.assign(new Error('reset'), { code: 'ECONNRESET' })),
  ]) {
    assert.deepEqual(verdict({ error, signal }, { preset: 'vernllm' }), ['cancelled', false], String(error));
  }
  assert.deepEqual(verdict({ status: 503, signal }), ['cancelled', false]);
  assert.deepEqual(verdict({ status: 503, signal: new AbortController().signal }), ['overloaded', true]);
});

test('the server\'s veto stops and its permission lets retry, except against a permanent code', () => {
  const asks = (value) => ({ 'x-should-retry': value });
  assert.deepEqual(verdict({ status: 409, headers: asks('false') }), ['conflict', false]);
  assert.deepEqual(verdict({ status: 500, headers: asks('FALSE') }), ['server_error', false]);
  assert.deepEqual(verdict({ status: 400, headers: asks('true') }), ['bad_request', true]);
  assert.deepEqual(verdict({ status: 429, headers: asks('true'), body: { error: { code: 'insufficient_quota' } } }), ['quota_exhausted', false]);
  assert.deepEqual(verdict({ status: 409, headers: asks('false') }, { shouldRetryHeader: false }), ['conflict', true]);
});

test('the headers may have any shape', () => {
  for (const headers of [
    new Headers({ 'retry-after': '3' }), [['Retry-After', '3']], { 'RETRY-AFTER': '3' }, { 'retry-after': ['3'] },
    new Map([['retry-after', '3']]),
  ]) {
    assert.equal(classify({ status: 429, headers }).retryAfterMs, 3000);
  }
  assert.equal(classify({ status: 429, headers: { 'retry-after': 'Thu, 15 Jan 2026 12:00:30 GMT' }, nowMs: NOON }).retryAfterMs, 30_000);
  assert.equal(classify({ status: 429, headers: { 'retry-after': '0' } }).retryAfterMs, 0);
});

test('an error that carries a response is judged by it, wherever clients keep it', () => {
  for (const members of [{ status: 503 }, { statusCode: 503 }, { response: { status: 503 } }]) {
    assert.deepEqual(verdict({ error: Object.assign(new Error('x'), members) }), ['overloaded', true], JSON.stringify(members));
    assert.deepEqual(verdict({ error: new Error('wrapped', { cause: Object.assign(new Error('x'), members) }) }), ['overloaded', true]);
  }
  for (const members of [
    { status: 429, error: { code: 'insufficient_quota', type: 'insufficient_quota' } }, { status: 429, code: 'insufficient_quota' },
    { statusCode: 429, responseBody: '{"error":{"code":"insufficient_quota"}}' },
    { response: { status: 429, data: { error: { code: 'insufficient_quota' } } } },
    { status: 429, body: { error: { code: 'insufficient_quota' } } },
  ]) {
    assert.deepEqual(verdict({ error: Object.assign(new Error('x'), members) }), ['quota_exhausted', false], JSON.stringify(members));
  }
  const hinted = Object.assign(new Error('x'), { status: 429, headers: new Headers({ 'retry-after': '3' }) });
  assert.equal(classify({ error: hinted }).retryAfterMs, 3000);
});

test('classify never throws for any input, but for invalid options', () => {
  const fail = () => { throw new Error('hostile'); };
  const hostile = new Proxy({}, { get: fail, ownKeys: fail, has: fail, getPrototypeOf: fail });
  for (const input of [
    {}, { error: hostile }, { error: { cause: hostile, errors: hostile } }, { status: 503, headers: hostile, body: hostile },
    { error: new Error('x', { cause: { errors: new Proxy([], { get: fail }) } }) },
    { error: { status: 'x', headers: 3, response: hostile } }, { status: undefined, headers: null, body: undefined },
    { status: 429, nowMs: Number.NaN, headers: { 'retry-after': 'Thu, 15 Jan 2026 12:00:30 GMT' } },
  ]) {
    assert.equal(typeof classify(input).kind, 'string');
  }
  assert.throws(() => classify({ status: 503 }, { maxAttempts: 0 }), { kind: 'invalid_config' });
});

test('an option of another type is told by name, value and what is allowed, and no hostile one throws an error of its own', () => {
  const fail = () => { throw new Error('hostile'); };
  const { proxy: revoked, revoke } = Proxy.revocable({}, {});
  revoke();
  const odd = [new Proxy({}, { get: fail, has: fail, ownKeys: fail, getPrototypeOf: fail }), revoked, Symbol('s'), 5n, '5', true, () => 5, { valueOf: fail }, { aborted: true }, [5]];
  for (const value of odd) {
    assert.throws(() => classify({ status: 429, signal: value }), { kind: 'invalid_config', message: /^classify: signal is .+, must be an AbortSignal$/ });
    assert.throws(() => classify({ status: 429, nowMs: value }), { kind: 'invalid_config', message: /^classify: nowMs is .+, must be a number of epoch milliseconds$/ });
    assert.throws(() => classify({ status: value }), { kind: 'invalid_config', message: /^classify: status is .+, must be a whole number from 100 to 999$/ });
    assert.throws(() => parseRetryAfter('1', { nowMs: value }), { kind: 'invalid_config', message: /^parseRetryAfter: nowMs is / });
    assert.equal(parseRetryAfter('1', { dateHeader: value }), 1000);
  }
  assert.equal(parseRetryAfter('1', null), 1000);
  for (const name of ['status', 'signal', 'nowMs']) {
    assert.throws(() => classify(Object.defineProperty({ status: 429 }, name, { get: fail })), { kind: 'invalid_config', message: `classify: ${name} cannot be read` });
  }
  for (const name of ['headers', 'body', 'error']) {
    assert.deepEqual(verdict(Object.defineProperty({ status: 429 }, name, { get: fail })), ['rate_limited', true], name);
  }
  for (const absent of [undefined, null]) {
    assert.deepEqual(verdict({ status: 429, headers: absent, body: absent, signal: absent, nowMs: absent }), ['rate_limited', true]);
  }
});

test('an Error that is given by itself is judged as `error`, and not by members that are named as the input\'s', () => {
  const members = { status: 429, error: { code: 'insufficient_quota' } };
  for (const error of [
    fetchFailed(), new DOMException('x', 'TimeoutError'), Object.assign(new Error('x'), members), new RetryError({ kind: 'refused' }),
    Object.assign(new Error('x'), { body: JSON.stringify(members), signal: 3, nowMs: 'now' }), new Error('outer', { cause: Object.assign(new Error('x'), members) }),
    runInNewContext("Object.assign(new Error('x'), { status: 429, error: { code: 'insufficient_quota' } })"),
  ]) {
    assert.deepEqual(classify(error), classify({ error }), error.message);
  }
  assert.equal(classify(Object.assign(new Error('x'), members)).kind, 'quota_exhausted');
});

test('a Response is judged by its status and headers, and its body is left to be read', () => {
  const response = new Response('{"error":{"code":"insufficient_quota"}}', { status: 429, headers: { 'retry-after': '3' } });
  const { kind, retryAfterMs } = classify(response);
  assert.deepEqual([kind, retryAfterMs, response.bodyUsed, response.body.locked], ['rate_limited', 3000, false, false]);
});

test('what is raised has the code that it was given, or that of the connection under it', () => {
  const reset = Object.assign(new Error('reset'), { code: 'ECONNRESET' });
  const spent = Object.assign(new Error('x'), { status: 429, error: { code: 'insufficient_quota' } });
  for (const [init, code] of [
    [{ kind: 'transport', cause: reset }, 'ECONNRESET'], [{ kind: 'transport', code: 'own', cause: reset }, 'own'], [{ kind: 'timeout', cause: new Error('x', { cause: reset }) }, 'ECONNRESET'],
    [{ kind: 'quota_exhausted', cause: spent }, 'insufficient_quota'], [{ kind: 'quota_exhausted', code: 'own', cause: spent }, 'own'], [{ kind: 'refused' }, null],
  ]) {
    const error = new RetryError(init);
    assert.equal(classify(error).code, code);
    assert.equal(classify({ error: new AggregateError([error]) }).code, code);
  }
});

test('classify takes the rules of a policy', () => {
  const policy = new RetryPolicy({ retryStatus: [418] });
  assert.deepEqual([classify({ status: 418 }, policy).retryable, classify({ status: 503 }, policy).retryable], [true, false]);
  assert.equal(classify({ status: 429, body: { error: { code: 'insufficient_quota' } } }, { retryQuota: true }).retryable, true);
  assert.equal(classify({ status: 429, body: { error: { code: 'insufficient_quota' } } }, { bodyCodes: 'ignore' }).kind, 'rate_limited');
  assert.deepEqual(verdict({ status: 400, body: { error: { type: 'rate_limit_error' } } }, { bodyCodes: 'override' }), ['rate_limited', false]);
});

test('an operation\'s error is judged in the same way', async () => {
  let sends = 0;
  const operation = () => {
    sends += 1;
    throw Object.assign(new Error('429 quota'), { status: 429, error: { code: 'insufficient_quota' } });
  };
  await assert.rejects(retry(operation, { clock: fakeClock() }), { kind: 'quota_exhausted', status: 429, code: 'insufficient_quota' });
  assert.equal(sends, 1);
});
