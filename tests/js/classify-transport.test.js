import assert from 'node:assert/strict';
import test from 'node:test';
import { classify, createFetch, historyOf } from 'dacapo';
import { fakeClock } from './lib/clock.js';
import { stubFetch, URL_ } from './lib/stub.js';

/** The kind and whether it is retried, as classify says of these facts. */
function verdict(input, options) {
  const { kind, retryable } = classify(input, options);
  return [kind, retryable];
}

function coded(code, message = '', cause) {
  return Object.assign(new Error(message, cause === undefined ? undefined : { cause }), { code });
}
const fetchFailed = (cause) => new TypeError('fetch failed', { cause });

/** What becomes of a fetch that fails with this error: the kind, the number of sends, the waits. */
async function fetched(error) {
  const clock = fakeClock();
  const stub = stubFetch(() => { throw error; });
  const thrown = await createFetch({ fetch: stub, clock, random: () => 0 })(URL_).catch((caught) => caught);
  return { kind: historyOf(thrown).last.error.kind, sends: stub.calls.length, waits: clock.waits, thrown };
}

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
    [fetchFailed(coded('HPE_INVALID_CONSTANT', 'Response does not match the HTTP/1.1 protocol')), 'transport', 'HPE_INVALID_CONSTANT'],
    [coded('HPE_INVALID_HEADER_TOKEN'), 'transport', 'HPE_INVALID_HEADER_TOKEN'],
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
    ...[
      'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'DEPTH_ZERO_SELF_SIGNED_CERT', 'CERT_HAS_EXPIRED', 'ERR_TLS_CERT_ALTNAME_INVALID',
      'SELF_SIGNED_CERT_IN_CHAIN',
    ].map((code) => fetchFailed(coded(code))),
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

test('a lost connection is sent for again after the ordinary backoff', async () => {
  const { kind, sends, waits } = await fetched(new TypeError('Failed to fetch'));
  assert.deepEqual([kind, sends, waits], ['transport', 3, [250, 500]]);
});
