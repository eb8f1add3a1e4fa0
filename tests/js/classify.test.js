import assert from 'node:assert/strict';
import test from 'node:test';
import { classify, createFetch, historyOf, providerKind, retry, RetryError, RetryPolicy } from 'dacapo';
import { fakeClock, NOON } from './lib/clock.js';
import { failed, json, stubFetch, URL_ } from './lib/stub.js';

/** The kind and whether it is retried, as classify says of these facts. */
function verdict(input, options) {
  const { kind, retryable } = classify(input, options);
  return [kind, retryable];
}

function coded(code, message = '', cause) {
  return Object.assign(new Error(message, cause === undefined ? undefined : { cause }), { code });
}
const fetchFailed = (cause) => new TypeError('fetch failed', { cause });

/** What becomes of a fetch that fails with this error: the kind, and how often it was sent. */
async function fetched(error) {
  const stub = stubFetch(() => { throw error; });
  const thrown = await createFetch({ fetch: stub, clock: fakeClock() })(URL_).catch((caught) => caught);
  return { kind: historyOf(thrown).last.error.kind, sends: stub.calls.length, thrown };
}

const RETRIED = [408, 409, 425, 429, ...Array.from({ length: 100 }, (_, i) => 500 + i).filter((status) => ![501, 505, 506, 510, 511, 525, 526].includes(status))];

test('each status has its kind and its place in the table of what is retried', () => {
  const kinds = {
    bad_request: [400, 405, 406, 410, 415, 418, 422, 425, 426, 428, 431, 440, 498], auth: [401], quota_exhausted: [402], permission: [403, 407, 412, 451], not_found: [404],
    timeout: [408, 504, 522, 524], conflict: [409], request_too_large: [413], rate_limited: [429], cancelled: [499], overloaded: [503, 529],
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
  for (const error of ['client closed', null, undefined, 0, new DOMException('x', 'TimeoutError'), new DOMException('x', 'AbortError'), fetchFailed(coded('ECONNRESET'))]) {
    assert.deepEqual(verdict({ error, signal }, { preset: 'vernllm' }), ['cancelled', false], String(error));
  }
  assert.deepEqual(verdict({ status: 503, signal }), ['cancelled', false]);
  assert.deepEqual(verdict({ status: 503, signal: new AbortController().signal }), ['overloaded', true]);
});

test('an AbortError without an abort of the caller is a transport failure, and a TimeoutError a timeout', () => {
  assert.deepEqual(verdict({ error: new DOMException('This operation was aborted', 'AbortError') }), ['transport', true]);
  assert.deepEqual(verdict({ error: new DOMException('The operation timed out', 'TimeoutError') }), ['timeout', true]);
});

test('every runtime\'s wording of a lost connection is transport', () => {
  for (const message of [
    'Failed to fetch', 'NetworkError when attempting to fetch resource.', 'NetworkError when attempting to fetch resource', 'Load failed',
    'The Internet connection appears to be offline.', 'The network connection was lost.', 'fetch failed', 'network error', 'terminated',
    'error sending request for url (http://127.0.0.1:1/): client error (Connect): tcp connect error', 'Network connection lost.', 'Error in input stream',
    'Unable to connect. Is the computer able to access the url?', 'The socket connection was closed unexpectedly. For more information, pass `verbose: true`',
    'Could not connect to the server.', 'A server with the specified hostname could not be found.', 'other side closed', 'socket hang up', 'error reading a body from connection',
    'FAILED TO FETCH', ' fetch failed ', 'Failed to fetch (api.example)',
  ]) {
    assert.deepEqual(verdict({ error: new TypeError(message) }), ['transport', true], message);
  }
});

test('a code anywhere in the cause chain or an AggregateError decides, and is told', () => {
  for (const [error, kind, code] of [
    [fetchFailed(coded('ECONNRESET')), 'transport', 'ECONNRESET'],
    [fetchFailed(coded('ENOTFOUND')), 'transport', 'ENOTFOUND'],
    [fetchFailed(coded('EAI_AGAIN')), 'transport', 'EAI_AGAIN'],
    [fetchFailed(coded('UND_ERR_SOCKET', 'other side closed', coded('ECONNRESET'))), 'transport', 'ECONNRESET'],
    [fetchFailed(coded('UND_ERR_CONNECT_TIMEOUT')), 'timeout', 'UND_ERR_CONNECT_TIMEOUT'],
    [fetchFailed(coded('UND_ERR_HEADERS_TIMEOUT')), 'timeout', 'UND_ERR_HEADERS_TIMEOUT'],
    [fetchFailed(coded('UND_ERR_NEW_ONE')), 'transport', 'UND_ERR_NEW_ONE'],
    [fetchFailed(Object.assign(new AggregateError([coded('ETIMEDOUT'), coded('ENETUNREACH')], ''), { code: 'ETIMEDOUT' })), 'timeout', 'ETIMEDOUT'],
    [fetchFailed(new AggregateError([coded('ENETUNREACH')], '')), 'transport', 'ENETUNREACH'],
    [new Error('outer', { cause: new Error('middle', { cause: new AggregateError([new Error('x'), coded('EPIPE')]) }) }), 'transport', 'EPIPE'],
    [coded('ECONNREFUSED'), 'transport', 'ECONNREFUSED'],
    [coded('ETIMEDOUT'), 'timeout', 'ETIMEDOUT'],
  ]) {
    const result = classify({ error });
    assert.deepEqual([result.kind, result.retryable, result.code], [kind, true, code]);
  }
});

test('a cycle of causes comes to an end', () => {
  const cycle = fetchFailed();
  cycle.cause = cycle;
  assert.deepEqual(verdict({ error: cycle }), ['transport', true]);
});

test('a fault of the request or a certificate is permanent, although the wording is the network\'s', async () => {
  for (const error of [
    fetchFailed(new Error('bad port')), fetchFailed(new Error('unknown scheme')), new TypeError('Failed to parse URL from /relative', { cause: coded('ERR_INVALID_URL') }),
    new TypeError('Headers.append: "a\nb" is an invalid header value.'), new TypeError('Request cannot be constructed from a URL that includes credentials: http://u:p@h/'),
    ...['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID', 'SELF_SIGNED_CERT_IN_CHAIN'].map((code) => fetchFailed(coded(code))),
  ]) {
    assert.deepEqual(verdict({ error }), ['bad_request', false], error.message);
    assert.deepEqual(verdict({ error }, { permanentTransport: false }), ['transport', true], error.message);
    const { kind, sends, thrown } = await fetched(error);
    assert.deepEqual([kind, sends], ['bad_request', 1], error.message);
    if (!error.message.includes('@')) assert.equal(thrown, error);
  }
});

test('a slip in a program is permanent, and leaves by identity', async () => {
  for (const error of [
    new TypeError('x.foo is not a function'), new TypeError("Cannot read properties of undefined (reading 'a')"), new TypeError('Illegal invocation'), new ReferenceError('x is not defined'),
    new TypeError("undefined is not an object (evaluating 'a.b')"), new TypeError("can't access property \"a\", x is undefined"), new RangeError('Invalid array length'), new SyntaxError('Unexpected token'),
  ]) {
    assert.deepEqual(verdict({ error }), ['bad_request', false], error.message);
    const { sends, thrown } = await fetched(error);
    assert.deepEqual([sends, thrown === error], [1, true], error.message);
  }
});

test('an error of no known shape is the connection\'s when fetch threw it, and unknown otherwise', async () => {
  const stranger = new Error('odd');
  assert.deepEqual(verdict({ error: stranger }), ['unknown', false]);
  assert.deepEqual(verdict({ error: stranger }, { retryUnknown: true }), ['unknown', true]);
  const { kind, sends } = await fetched(stranger);
  assert.deepEqual([kind, sends], ['transport', 3]);
});

test('workerd\'s flags are read when they are strictly true', () => {
  const flagged = (flags) => Object.assign(new Error('internal'), flags);
  assert.deepEqual(verdict({ error: flagged({ retryable: true }) }), ['transport', true]);
  assert.deepEqual(verdict({ error: flagged({ retryable: true, overloaded: true }) })[0], 'overloaded');
  assert.deepEqual(verdict({ error: flagged({ remote: true }) }), ['unknown', false]);
  assert.deepEqual(verdict({ error: flagged({ retryable: 'true' }) }), ['unknown', false]);
  class Flagged extends Error {
    get retryable() { return true; }
  }
  assert.deepEqual(verdict({ error: new Flagged('inherited') }), ['transport', true]);
});

test('the server\'s veto stops and its permission lets retry, except against a permanent code', () => {
  const asks = (value) => ({ 'x-should-retry': value });
  assert.deepEqual(verdict({ status: 409, headers: asks('false') }), ['conflict', false]);
  assert.deepEqual(verdict({ status: 500, headers: asks('FALSE') }), ['server_error', false]);
  assert.deepEqual(verdict({ status: 400, headers: asks('true') }), ['bad_request', true]);
  assert.deepEqual(verdict({ status: 429, headers: asks('true'), body: { error: { code: 'insufficient_quota' } } }), ['quota_exhausted', false]);
  assert.deepEqual(verdict({ status: 409, headers: asks('false') }, { shouldRetryHeader: false }), ['conflict', true]);
});

test('a code that the provider means for good stops behind any status', () => {
  for (const [error, kind] of [
    [{ code: 'insufficient_quota', type: 'insufficient_quota' }, 'quota_exhausted'], [{ type: 'insufficient_quota', code: null }, 'quota_exhausted'],
    [{ code: 'context_length_exceeded' }, 'context_exceeded'], [{ code: 'content_filter' }, 'content_filtered'], [{ code: 'model_not_found' }, 'model_not_found'],
    [{ code: 'invalid_api_key' }, 'auth'], [{ type: 'authentication_error' }, 'auth'], [{ type: 'permission_error' }, 'permission'],
  ]) {
    for (const status of [400, 429, 500, 503]) assert.deepEqual(verdict({ status, body: { error } }), [kind, false], `${status} ${JSON.stringify(error)}`);
  }
});

test('a code that will pass is retried behind a status that is not', () => {
  assert.deepEqual(verdict({ status: 400, body: { error: { type: 'rate_limit_error' } } }), ['rate_limited', true]);
  assert.deepEqual(verdict({ status: 400, body: { type: 'error', error: { type: 'overloaded_error' } } }), ['overloaded', true]);
});

test('an unknown, a missing or a generic code falls through to the status, and so does a body that is no JSON', () => {
  for (const body of [
    { error: { code: 'invented_tomorrow' } }, { error: { type: 'tokens', code: null } }, { error: { type: 'requests', code: 'rate_limit_exceeded' } }, { error: { type: 'invalid_request_error' } },
    { error: { type: 'bad_request' } }, { error: {} }, {}, [], null, 'not JSON', '<html>', '', '{"error":{"code":"context_len',
  ]) {
    assert.deepEqual(verdict({ status: 429, body }), ['rate_limited', true], JSON.stringify(body));
  }
  assert.deepEqual(verdict({ status: 400, body: { error: { type: 'invalid_request_error', message: 'prompt plus max_tokens exceeds the window' } } })[1], false);
});

test('the most specific code wins', () => {
  const error = { type: 'rate_limit_error', details: { error_code: 'enforced_spend_limit_reached' } };
  assert.deepEqual(verdict({ status: 429, body: { error } }), ['spend_limit_reached', false]);
});

test('a number in the body is a status only behind 200 and 5xx', () => {
  assert.deepEqual(verdict({ status: 502, body: { error: { code: 400 } } }), ['bad_request', false]);
  assert.deepEqual(verdict({ status: 429, body: { error: { code: 400 } } }), ['rate_limited', true]);
  assert.deepEqual(verdict({ status: 200, body: { error: { code: '429' } } }), ['rate_limited', true]);
  assert.deepEqual(verdict({ status: 200, body: { error: { message: 'm' } } }), ['server_error', true]);
});

test('the body may be text, bytes or parsed, and bytes of anything', () => {
  const parsed = { error: { code: 'insufficient_quota' } };
  const text = JSON.stringify(parsed);
  for (const body of [parsed, text, new TextEncoder().encode(text), new TextEncoder().encode(text).buffer, [parsed]]) {
    assert.equal(classify({ status: 429, body }).kind, 'quota_exhausted');
  }
  const cycle = {};
  cycle.error = cycle;
  for (const body of [cycle, 1n, Symbol('s'), () => 1, Uint8Array.of(0xff, 0xfe, 0, 1), '\uD800', '['.repeat(100_000), `${'{"error":'.repeat(50_000)}`]) {
    assert.equal(classify({ status: 429, body }).kind, 'rate_limited');
  }
});

test('the headers may have any shape', () => {
  for (const headers of [new Headers({ 'retry-after': '3' }), [['Retry-After', '3']], { 'RETRY-AFTER': '3' }, { 'retry-after': ['3'] }, new Map([['retry-after', '3']])]) {
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
    { statusCode: 429, responseBody: '{"error":{"code":"insufficient_quota"}}' }, { response: { status: 429, data: { error: { code: 'insufficient_quota' } } } },
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
  for (const input of [{}, { error: hostile }, { error: { cause: hostile, errors: hostile } }, { status: 503, headers: hostile, body: hostile }, { error: new Error('x', { cause: { errors: new Proxy([], { get: fail }) } }) }, { error: { status: 'x', headers: 3, response: hostile } }, { status: undefined, headers: null, body: undefined }, { status: 429, nowMs: Number.NaN, headers: { 'retry-after': 'Thu, 15 Jan 2026 12:00:30 GMT' } }]) {
    assert.equal(typeof classify(input).kind, 'string');
  }
  assert.throws(() => classify({ status: 503 }, { maxAttempts: 0 }), { kind: 'invalid_config' });
});

test('classify takes the rules of a policy', () => {
  const policy = new RetryPolicy({ retryStatus: [418] });
  assert.deepEqual([classify({ status: 418 }, policy).retryable, classify({ status: 503 }, policy).retryable], [true, false]);
  assert.equal(classify({ status: 429, body: { error: { code: 'insufficient_quota' } } }, { retryQuota: true }).retryable, true);
  assert.equal(classify({ status: 429, body: { error: { code: 'insufficient_quota' } } }, { bodyCodes: 'ignore' }).kind, 'rate_limited');
  assert.deepEqual(verdict({ status: 400, body: { error: { type: 'rate_limit_error' } } }, { bodyCodes: 'override' }), ['rate_limited', false]);
});

test('a spent balance makes one attempt, and what only looks like it is retried', async () => {
  for (const [body, sends] of [
    [{ error: { type: 'insufficient_quota', code: 'insufficient_quota', message: 'You exceeded your current quota' } }, 1],
    [{ error: { type: 'requests', code: 'rate_limit_exceeded' } }, 3], [{ error: { type: 'tokens', code: null } }, 3], ['not JSON', 3],
  ]) {
    const stub = stubFetch(() => json(body, { status: 429 }));
    await createFetch({ fetch: stub, clock: fakeClock() })(URL_);
    assert.equal(stub.calls.length, sends, JSON.stringify(body));
  }
});

test('a prompt that is too long is sent once, behind whatever status', async () => {
  for (const answer of [...[400, 429, 500].map((status) => () => json({ error: { code: 'context_length_exceeded' } }, { status })), 413, () => json({ error: { type: 'invalid_request_error', message: 'prompt plus max_tokens exceeds the window' } }, { status: 400 })]) {
    const stub = stubFetch(answer);
    await createFetch({ fetch: stub, clock: fakeClock() })(URL_);
    assert.equal(stub.calls.length, 1);
  }
});

test('errorBytes bounds how much of a body can decide', async () => {
  const body = JSON.stringify({ padding: 'x'.repeat(500), error: { code: 'insufficient_quota' } });
  for (const [errorBytes, sends] of [[100, 3], [1000, 1]]) {
    const stub = stubFetch(() => failed(429, {}, body));
    await createFetch({ fetch: stub, clock: fakeClock(), errorBytes })(URL_);
    assert.equal(stub.calls.length, sends);
  }
});

test('providerKind knows codes before statuses, and null for the rest', () => {
  for (const [status, code, kind] of [[500, 'context_length_exceeded', 'context_exceeded'], [200, 'overloaded_error', 'overloaded'], [429, '', 'rate_limited'], [undefined, 'insufficient_quota', 'quota_exhausted'], [503, undefined, null], [Number.NaN, null, null], [-1, null, null], [1e9, null, null], ['429', null, null], [429, 7, 'rate_limited']]) {
    assert.equal(providerKind(status, code), kind, `${status} ${code}`);
  }
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
