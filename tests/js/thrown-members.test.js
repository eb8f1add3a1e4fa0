import assert from 'node:assert/strict';
import test from 'node:test';
import { classify, providerKind } from 'dacapo';
import { NOON } from './lib/clock.js';

/** An error with these members. */
const made = (name, message, members) => Object.defineProperty(Object.assign(new Error(message), members), 'name', { value: name });

function read(error, options) {
  const { kind, code, retryAfterMs } = classify({ error, nowMs: NOON }, options);
  return { kind, code, retryAfterMs };
}

const LIMITED = { kind: 'rate_limited', code: 'rate_limit_exceeded', retryAfterMs: 2000 };
const BODY = { error: { message: 'slow down', code: 'rate_limit_exceeded' } };
const TEXT = JSON.stringify(BODY);
const FIELDS = { 'retry-after': '2' };

test('status, headers and body are found where each client keeps them', () => {
  const bytes = new TextEncoder().encode(TEXT);
  const closed = { arrayBuffer() {}, get body() { throw new Error('read'); }, text() {}, status: 429, headers: new Headers(FIELDS) };
  for (const [client, error] of Object.entries({
    mistral: made('SDKError', `API error occurred: Status 429. Body: ${TEXT}`, { statusCode: 429, headers: new Headers(FIELDS), body: TEXT, rawResponse: new Response(TEXT, { status: 429 }) }),
    'an older mistral': made('SDKError', 'm', { statusCode: 429, body: TEXT, rawResponse: new Response(null, { status: 429, headers: FIELDS }) }),
    cohere: made('TooManyRequestsError', 'm', { statusCode: 429, body: BODY, rawResponse: { status: 429, headers: new Headers(FIELDS), url: 'https://api.example/' } }),
    octokit: made('HttpError', 'm', { status: 429, response: { status: 429, headers: FIELDS, data: BODY, url: 'https://api.example/' } }),
    superagent: made('Error', 'Too Many Requests', { status: 429, response: { status: 429, headers: FIELDS, text: TEXT, body: BODY } }),
    gaxios: made('GaxiosError', 'm', { code: '429', response: { status: 429, headers: new Headers(FIELDS), data: BODY } }),
    'azure core': made('RestError', 'm', { statusCode: 429, response: { status: 429, headers: new Map(Object.entries(FIELDS)), bodyAsText: TEXT } }),
    replicate: made('ApiError', `Request to https://api.example/ failed with status 429 Too Many Requests: ${TEXT}`, { response: closed }),
    'the SDK of a fork of OpenAI\'s': made('RateLimitError', `429 ${TEXT}`, { status: 429, headers: new Headers(FIELDS), error: undefined }),
    'undici\'s response error': made('ResponseError', 'm', { code: 'UND_ERR_RESPONSE', statusCode: 429, body: BODY, headers: FIELDS }),
    'undici\'s, raw': made('ResponseStatusCodeError', 'm', { status: 429, body: TEXT, headers: ['content-type', 'application/json', 'Retry-After', '2'] }),
    'node, raw': made('Error', 'm', { statusCode: 429, body: bytes, headers: [Buffer.from('Retry-After'), Buffer.from('2')] }),
    'a list of pairs': made('Error', 'm', { status: 429, body: bytes.buffer, headers: [['Retry-After', '2']] }),
    'a status as text': made('Error', 'm', { status: '429', data: BODY, headers: { 'Retry-After': ['2'] } }),
    'a plain object': { status: 429, headers: FIELDS, error: BODY.error },
    'a wrapper that copies the status': made('AppError', 'm', { status: 429, cause: made('Error', 'm', { status: 429, headers: FIELDS, body: TEXT }) }),
    'a wrapper with a code of its own': made('AppError', 'm', { code: 'ERR_APP', cause: made('Error', 'm', { status: 429, headers: FIELDS, body: TEXT }) }),
    'an AggregateError': new AggregateError([new Error('m'), made('Error', 'm', { status: 429, headers: FIELDS, body: TEXT })]),
  })) assert.deepEqual(read(error), LIMITED, client);
});

test('a whole body with a list of errors is read like the answer that it came in', () => {
  for (const [status, code, kind] of [[429, 3036, 'quota_exhausted'], [429, 3040, 'overloaded'], [400, 5007, 'model_not_found']]) {
    const body = { errors: [{ message: 'm', code }], success: false, result: null, messages: [] };
    const error = made('APIError', `${status} ${JSON.stringify(body)}`, { status, headers: new Headers(), error: body, errors: body.errors });
    assert.deepEqual(classify({ error }), classify({ status, body }));
    assert.equal(classify({ error }).kind, kind);
  }
});

test('a list of errors that a client took out of the body is read like the answer that it came in', () => {
  const body = { success: false, error: [{ code: 2009, message: 'm' }], name: 'AiGatewayError', internalCode: 2009, message: 'm' };
  const error = made('BadRequestError', '400 m', { status: 400, headers: new Headers(), error: body.error });
  assert.equal(classify({ status: 400, body }).kind, 'auth');
  assert.equal(classify({ error }).kind, 'auth');
  const whole = [{ error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'm' } }];
  assert.equal(classify({ error: made('ApiError', '400 m', { status: 400, error: whole }) }).kind, 'rate_limited');
});

test('an error with a list of errors beside a code of its own is the body\'s member', () => {
  const error = { code: 'insufficient_quota', message: 'm', errors: [{ message: 'm', reason: 'rateLimitExceeded' }] };
  assert.equal(classify({ error: made('APIError', '429 m', { status: 429, error }) }).kind, 'quota_exhausted');
});

test('clients that keep no headers give status and code', () => {
  for (const [client, error] of Object.entries({
    'google genai': made('ApiError', TEXT, { status: 429 }),
    'an older google genai': made('ClientError', `got status: 429 Too Many Requests. ${TEXT}`),
    'an older google genai, inside a stream': made('ClientError', `got status: RESOURCE_EXHAUSTED. ${TEXT}`),
    'hugging face': made('ProviderApiError', 'm', { httpResponse: { status: 429, requestId: '', body: BODY } }),
    ollama: made('ResponseError', 'm', { status_code: 429, error: TEXT }),
    'a text': `429 ${TEXT}`,
  })) assert.deepEqual(read(error), { ...LIMITED, retryAfterMs: null }, client);
});

test('the wait in Google\'s details is found in a message and in errorDetails', () => {
  const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7s' }];
  const body = { error: { code: 429, status: 'RESOURCE_EXHAUSTED', message: 'm', details } };
  for (const error of [
    made('ApiError', JSON.stringify(body), { status: 429 }), made('GoogleApiError', 'm', { code: 429, status: 'RESOURCE_EXHAUSTED', errorDetails: details }),
    made('Error', `[GoogleGenerativeAI Error]: [429 Too Many Requests] m ${JSON.stringify(details)}`, { status: 429, errorDetails: details }),
  ]) {
    const { kind, retryAfterMs } = read(error);
    assert.deepEqual({ kind, retryAfterMs }, { kind: 'rate_limited', retryAfterMs: 7000 }, error.message);
  }
});

test('a provider\'s code decides without a status, whichever member has it', () => {
  for (const error of [
    made('Error', 'm', { code: 'insufficient_quota' }), made('Error', 'm', { type: 'insufficient_quota' }), { code: 'insufficient_quota' }, { type: 'error', error: { type: 'insufficient_quota' } },
    made('Error', 'm', { error: { code: 'insufficient_quota' } }), new Error('outer', { cause: made('Error', 'm', { code: 'insufficient_quota' }) }),
    made('AppError', 'm', { code: 'ERR_APP', cause: made('Error', 'm', { code: 'insufficient_quota' }) }),
  ]) assert.equal(read(error).kind, 'quota_exhausted', JSON.stringify(error));
  assert.equal(read(made('Error', 'm', { code: 429 })).kind, 'rate_limited');
});

test('what is no provider\'s code leaves an error without a status as it was', () => {
  for (const error of [
    made('Error', 'm', { code: 'E_OWN' }), made('Error', 'm', { type: 'own' }), made('Error', 'm', { code: 20 }), made('Error', 'm', { code: 211 }), made('Error', 'm', { error: { own: 1 } }),
    made('Error', 'the model wrote {"error":{"code":"rate_limit_exceeded"}}'), made('Error', 'm', { text: TEXT, body: TEXT, response: { headers: FIELDS, body: TEXT } }),
  ]) assert.equal(read(error).kind, 'unknown', JSON.stringify(error));
  assert.deepEqual(read(made('FetchError', 'm', { code: 'ECONNRESET', type: 'system', errno: 'ECONNRESET' })).kind, 'transport');
  assert.equal(providerKind(undefined, 'E_OWN'), null);
});

test('the words by which other clients tell of a timeout or a lost connection', () => {
  for (const [error, kind] of [
    [made('RequestTimeoutError', 'm'), 'timeout'], [made('CohereTimeoutError', 'm'), 'timeout'], [made('CohereError', '"timeout"', { cause: 'timeout' }), 'timeout'],
    [made('FetchError', 'network timeout at: https://api.example/', { type: 'request-timeout' }), 'timeout'], [made('Error', 'Timeout of 300ms exceeded', { code: 'ECONNABORTED', timeout: 300 }), 'timeout'],
    [made('ConnectionError', 'm'), 'transport'], [made('CanceledError', 'canceled', { code: 'ERR_CANCELED' }), 'transport'], [made('RestError', 'm', { code: 'REQUEST_SEND_ERROR' }), 'transport'],
    [made('Error', 'm', { $retryable: {}, $metadata: { attempts: 1 } }), 'transport'], [made('Error', 'm', { isRetryable: true }), 'transport'],
  ]) assert.equal(read(error).kind, kind, error.message);
});

test('what node-fetch puts on its errors as a type is no provider\'s code', () => {
  for (const [error, kind] of [
    [made('AbortError', 'The user aborted a request.', { type: 'aborted' }), 'transport'],
    [made('FetchError', 'invalid json response body at https://api.example/ reason: Unexpected end of JSON input', { type: 'invalid-json' }), 'malformed_response'],
    [made('FetchError', 'request to https://api.example/ failed, reason: socket hang up', { type: 'system', code: 'ECONNRESET' }), 'transport'],
    [made('FetchError', 'maximum redirect reached at: https://api.example/', { type: 'max-redirect' }), 'unknown'],
  ]) assert.equal(read(error).kind, kind, error.message);
});

const throwing = new Proxy({}, { get() { throw new Error('get'); }, getPrototypeOf() { throw new Error('proto'); }, has() { throw new Error('has'); }, ownKeys() { throw new Error('keys'); } });
const revoked = Proxy.revocable({}, {});
revoked.revoke();
const cycle = { error: { code: 'rate_limit_exceeded' } };
cycle.error.self = cycle;
const endless = new Proxy({}, { get: () => endless, getPrototypeOf: () => Object.prototype });
const ODD = [
  null, undefined, '', 'text', '429', 0, -1, 429.5, Number.NaN, Infinity, 1n, true, Symbol('s'), () => 429, [], [[]], [1, 2], {}, throwing, revoked.proxy, endless, cycle, new Map([['a', 1]]),
  new Date(Number.NaN), Uint8Array.of(0xff), new ArrayBuffer(1), { toJSON() { throw new Error('toJSON'); } }, { toString() { throw new Error('toString'); } }, (function* () { for (;;) yield ['a', 'b']; })(),
];
const MEMBERS = [
  'name', 'message', 'code', 'type', 'status', 'statusCode', 'status_code', 'headers', 'responseHeaders', 'body', 'responseBody', 'data', 'error', 'response', 'rawResponse', 'httpResponse', '$response', '$metadata', '$fault',
  '$retryable', 'isRetryable', 'errorDetails', 'lastError', 'errors', 'cause', 'retryAfterMs', 'constructor', 'arrayBuffer',
];

test('a member of any type does no harm to what the others say', () => {
  for (const member of MEMBERS) {
    for (const value of ODD) {
      const error = Object.assign(Object.create(null), { status: 429, headers: FIELDS, body: TEXT });
      Object.defineProperty(error, member, { value, enumerable: true });
      const { kind } = classify({ error });
      if (!['status', 'body', 'responseBody', 'lastError'].includes(member)) assert.equal(kind, 'rate_limited', `${member} ${typeof value}`);
    }
    const error = Object.defineProperty({ status: 429 }, member, { get() { throw new Error('getter'); } });
    if (member === 'status') continue;
    const { kind, retryable } = classify({ error });
    assert.deepEqual({ kind, retryable }, { kind: 'rate_limited', retryable: true }, member);
  }
  for (const error of ODD) assert.equal(typeof classify({ error: error ?? { error } }).kind, 'string');
});

test('a parsed body gives its code despite a cycle, a getter that throws, a BigInt and a size without end', () => {
  const bigInt = { error: { n: 1n, code: 'rate_limit_exceeded' } };
  const getter = { error: { get own() { throw new Error('getter'); }, code: 'rate_limit_exceeded' } };
  const json = { error: { code: 'rate_limit_exceeded' }, toJSON() { throw new Error('toJSON'); } };
  const huge = { error: { list: new Array(1e6).fill('x'), bytes: new Uint8Array(1e6), code: 'rate_limit_exceeded', text: 'x'.repeat(1e6) } };
  for (const body of [bigInt, getter, json, huge, cycle]) {
    for (const error of [{ status: 400, body }, { status: 400, response: { data: body } }, { status: 400, error: body }, { error: body }]) assert.equal(classify({ error }).kind, 'rate_limited');
    if (body !== huge) assert.equal(classify({ status: 400, body }).kind, 'rate_limited');
  }
});
