import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import test from 'node:test';
import { classify, createFetch, historyOf, providerKind } from 'dacapo';
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

test('a member is known however its name is escaped, as for every parser of JSON', async () => {
  for (const body of ['{"error":{"\\u0063ode":"insufficient_quota"}}', '{"\\u0065rror":{"co\\u0064e":"insufficient\\u005fquota"}}']) {
    assert.deepEqual(JSON.parse(body), { error: { code: 'insufficient_quota' } });
    const { kind, code } = classify({ status: 429, body });
    assert.deepEqual([kind, code], ['quota_exhausted', 'insufficient_quota']);
    const stub = stubFetch(() => json(body));
    const response = await createFetch({ fetch: stub, clock: fakeClock() })(URL_, { method: 'POST', body: '{}' });
    assert.deepEqual([historyOf(response).last.error.kind, stub.calls.length], ['quota_exhausted', 1]);
  }
});

test('a message that was cut is judged by its words as far as they go, and a code that was cut by none', async () => {
  const words = 'Your credit balance is too low';
  const body = JSON.stringify({ error: { message: `${words} to access the API – é ${'x'.repeat(50)}` } });
  for (let end = body.indexOf(words) + words.length; end < body.length; end++) {
    assert.deepEqual(verdict({ status: 400, body: body.slice(0, end) }), ['quota_exhausted', false], body.slice(0, end));
  }
  assert.deepEqual(verdict({ status: 429, body: '{"error":{"code":"insufficient_quota' }), ['rate_limited', true]);
  const bytes = new TextEncoder().encode(body);
  for (const size of [bytes.indexOf(0xe2) + 1, bytes.indexOf(0xc3) + 1]) {
    const stub = stubFetch(() => failed(429, {}, body));
    const { last } = historyOf(await createFetch({ fetch: stub, clock: fakeClock(), errorBytes: size })(URL_));
    assert.deepEqual([last.error.kind, stub.calls.length], ['quota_exhausted', 1]);
    assert.ok(last.error.message.startsWith(`${words} to access`) && !last.error.message.includes('\ufffd'), last.error.message);
  }
});

test('a failed answer whose body breaks off in its message is judged by what came of it', async () => {
  const text = '{"error":{"message":"Your credit balance is too low. Please try again in 7s, or';
  const broken = () => {
    let pulls = 0;
    const pull = (controller) => (pulls++ === 0 ? controller.enqueue(new TextEncoder().encode(text)) : controller.error(new TypeError('terminated')));
    return new Response(new ReadableStream({ pull }, { highWaterMark: 0 }), { status: 503 });
  };
  const stub = stubFetch(broken);
  const { last } = historyOf(await createFetch({ fetch: stub, clock: fakeClock() })(URL_));
  assert.deepEqual([stub.calls.length, last.error.kind, last.error.message, last.retryAfterMs], [1, 'quota_exhausted', text.slice(21), 7000]);
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

const VECTORS = JSON.parse(readFileSync(new URL('../vectors/providers.json', import.meta.url), 'utf8')).filter((row) => !row.contested && !row.knownMiss);
/** The moment from which the dates in the vectors are a few seconds away. */
const RECORDED_MS = Date.UTC(2026, 0, 1);
const told = ({ kind, retryable, retryAfterMs }) => ({ kind, retryable, retryAfterMs: retryAfterMs ?? null });

test('every recorded failure is classified as its vector says', () => {
  assert.ok(VECTORS.length > 280);
  for (const row of VECTORS) {
    const { status, headers, body } = row;
    assert.deepEqual(told(classify({ status, headers, body, nowMs: RECORDED_MS })), told(row), `${row.provider}/${row.name}`);
  }
});

test('every recorded failure that a fetch meets is on record as its vector says, and is sent again or not', async () => {
  let met = 0;
  for (const row of VECTORS) {
    // The headers of a frame are no headers of a response, and reasons to finish are seen in streams only.
    if (Object.keys(row.headers).some((name) => name.startsWith(':')) || (row.stream && !/"error":[{"]|:"error"/.test(row.body))) continue;
    const headers = row.stream ? { 'content-type': 'application/json' } : row.headers;
    const stub = stubFetch(() => failed(row.status, headers, row.body));
    const options = { fetch: stub, clock: fakeClock({ wallMs: RECORDED_MS }), retryAfterBeyond: 'clamp', maxAttempts: 2 };
    let response;
    try {
      response = await createFetch(options)(URL_, { method: 'POST', body: '{}' });
    } catch (error) {
      response = error;
    }
    const { last } = historyOf(response) ?? {};
    assert.ok(last !== undefined, `${row.provider}/${row.name} was taken for an answer`);
    assert.deepEqual(told(last.error), told(row), `${row.provider}/${row.name}`);
    assert.equal(stub.calls.length, row.retryable ? 2 : 1, `${row.provider}/${row.name}`);
    met++;
  }
  assert.ok(met > 270, `${met}`);
});

test('each provider says the same thing in its own way', () => {
  for (const [kind, inputs] of Object.entries({
    rate_limited: [
      { status: 400, headers: { 'x-amzn-errortype': 'ThrottlingException:http://internal.amazon.com/' }, body: { message: 'Rate exceeded' } },
      { status: 400, body: { __type: 'com.amazon.coral.service#ThrottlingException' } },
      { status: 200, body: { throttlingException: { message: 'm' } } }, { status: 503, body: { error: { code: 'slow_down' } } },
      { status: 402, body: { error: { code: 402, metadata: { reason: 'in_flight_budget_exhausted' } } } },
      { status: 429, body: { error: { type: 'credit_limit', code: null } } }, { status: 200, body: { base_resp: { status_code: 1002 } } },
    ],
    quota_exhausted: [
      { status: 429, body: { errors: [{ code: 3036, message: 'm' }], success: false } },
      { status: 429, body: { error: { code: 429, status: 'RESOURCE_EXHAUSTED', details: [{ violations: [{ quotaId: 'RequestsPerDayPerProject-FreeTier' }] }] } } },
      { status: 429, headers: { 'x-ratelimit-type': 'UserByModelByDay' }, body: { error: { code: 'RateLimitReached' } } },
      { status: 400, body: { type: 'error', error: { type: 'invalid_request_error', message: 'Your credit balance is too low.' } } },
      { status: 429, body: { error: { message: 'Rate limit exceeded: free-models-per-day. Add 10 credits.', code: 429 } } },
    ],
    overloaded: [
      { status: 498, body: { error: { code: 'capacity_exceeded' } } }, { status: 429, body: { object: 'error', code: '3505', message: 'm' } },
      { status: 429, body: { error: { code: '429', message: 'The system is experiencing high demand.' } } },
      { status: 500, body: 'data: {"error":{"message":"Model is overloaded"}}\n\n' },
    ],
    context_exceeded: [
      { status: 400, body: { message: 'too many tokens: size limit exceeded by 7 tokens.' } }, { status: 400, body: { error: 'the prompt is too long' } },
      { status: 500, body: { error: { message: "litellm.ContextWindowExceededError: {'error': {'code': None}}" } } },
    ],
    model_not_found: [{ status: 404, body: { error: 'model "x" not found, try pulling it first' } }, { status: 400, body: { message: 'Model Not Exist' } }],
    auth: [{ status: 400, body: { error: { code: 400, status: 'INVALID_ARGUMENT', details: [{ reason: 'API_KEY_INVALID' }] } } }],
    permission: [{ status: 400, body: { error: { code: 400, message: 'User location is not supported for the API use.' } } }],
    content_filtered: [
      { status: 400, body: { error: { code: 'invalid_request_error', inner_error: { code: 'ResponsibleAIPolicyViolation' } } } },
      { status: 403, body: { error: { code: 403, metadata: { error_type: 'content_policy_violation' } } } },
    ],
  })) {
    for (const input of inputs) assert.equal(classify(input).kind, kind, JSON.stringify(input));
  }
});

test('an error that a proxy quotes is the one that happened', () => {
  const error = { error: { code: 'insufficient_quota', message: 'm' } };
  for (const body of [
    { error: JSON.stringify(error) }, { error: { message: JSON.stringify(error), code: 500 } }, JSON.stringify(JSON.stringify(error)),
    { error: { message: 'Provider returned error', code: 502, metadata: { raw: JSON.stringify(error) } } }, { detail: error },
    { error: { message: "Error code: 429 - {'error': {'code': 'insufficient_quota', 'param': None}}", type: 'server_error' } },
  ]) {
    assert.equal(classify({ status: 502, body }).kind, 'quota_exhausted', JSON.stringify(body));
  }
});

test('a server that allows a retry overrules its status, but neither a code nor words that name a cause', () => {
  const headers = { 'x-should-retry': 'true' };
  assert.deepEqual(verdict({ status: 400, headers, body: { error: { type: 'invalid_request_error' } } }), ['bad_request', true]);
  assert.deepEqual(verdict({ status: 400, headers, body: { error: { message: 'prompt is too long' } } }), ['context_exceeded', false]);
  assert.deepEqual(verdict({ status: 429, headers: { 'x-should-retry': 'false' }, body: { error: { type: 'rate_limit_error' } } }), ['rate_limited', false]);
});

test('a verdict names the provider only where a header or a shape gives it away, and the option wins', () => {
  const rpm = { error: { code: 'rate_limit_exceeded', message: 'm' } };
  assert.equal('provider' in classify({ status: 429, body: rpm }), false);
  assert.equal(classify({ status: 429, headers: { 'x-groq-region': 'x' }, body: rpm }).provider, 'groq');
  assert.equal(classify({ status: 429, headers: { 'x-groq-region': 'x' }, body: rpm }, { provider: 'mine' }).provider, 'mine');
  assert.deepEqual(verdict({ status: 498, body: { message: 'm' } }, { provider: 'cohere' }), ['auth', false]);
  assert.deepEqual(verdict({ status: 498, body: { message: 'm' } }, { provider: 'groq' }), ['overloaded', true]);
  assert.deepEqual(verdict({ status: 498, body: { message: 'm' } }), ['bad_request', false]);
});

test('a record names the provider that was recognised', async () => {
  const stub = stubFetch(() => failed(429, { 'anthropic-ratelimit-requests-limit': '5' }));
  const response = await createFetch({ fetch: stub, clock: fakeClock() })(URL_);
  assert.equal(historyOf(response).last.error.provider, 'anthropic');
});
