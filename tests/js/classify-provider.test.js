import assert from 'node:assert/strict';
import test from 'node:test';
import { classify, createFetch, providerKind } from 'dacapo';
import { fakeClock } from './lib/clock.js';
import { failed, json, stubFetch, URL_ } from './lib/stub.js';

/** The kind and whether it is retried, as classify says of these facts. */
function verdict(input, options) {
  const { kind, retryable } = classify(input, options);
  return [kind, retryable];
}

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
  assert.deepEqual(verdict({
    status: 400, body: { error: { type: 'invalid_request_error', message: 'prompt plus max_tokens exceeds the window' } },
  })[1], false);
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
  for (const answer of [
    ...[400, 429, 500].map((status) => () => json({ error: { code: 'context_length_exceeded' } }, { status })), 413,
    () => json({ error: { type: 'invalid_request_error', message: 'prompt plus max_tokens exceeds the window' } }, { status: 400 }),
  ]) {
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
  for (const [status, code, kind] of [
    [500, 'context_length_exceeded', 'context_exceeded'], [200, 'overloaded_error', 'overloaded'], [429, '', 'rate_limited'],
    [undefined, 'insufficient_quota', 'quota_exhausted'], [503, undefined, null], [Number.NaN, null, null], [-1, null, null],
    [1e9, null, null], ['429', null, null], [429, 7, 'rate_limited'],
  ]) {
    assert.equal(providerKind(status, code), kind, `${status} ${code}`);
  }
});
