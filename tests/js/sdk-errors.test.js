import assert from 'node:assert/strict';
import test from 'node:test';
import { inspect } from 'node:util';

import { APICallError, EmptyResponseBodyError, JSONParseError, LoadAPIKeyError, NoSuchModelError, TypeValidationError } from '@ai-sdk/provider';
import { ModelStreamErrorException, ThrottlingException } from '@aws-sdk/client-bedrock-runtime';
import Anthropic from '@anthropic-ai/sdk';
import OpenAI from 'openai';
import { ContentFilterFinishReasonError, LengthFinishReasonError } from 'openai/error';
import { classify, createFetch, historyOf, matchesKind, retry } from 'dacapo';
import { fakeClock } from './lib/clock.js';
import { anthropicStream, bedrock, kyOf, oldGoogle, openaiStream, whole } from './lib/sdk-clients.js';
import { serve } from './lib/server.js';

const SECRET = 'sk-proj-4fGh7JkL9mNpQr2StUvWxYz3AbCdEf';

const answer = (status, body, headers = {}) => (_, response) =>
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(typeof body === 'string' ? body : JSON.stringify(body));
const openaiError = (code, type, message) => ({ error: { message, type, param: null, code } });

const LIMITED = answer(429, openaiError('rate_limit_exceeded', 'requests', `Rate limit reached for ${SECRET}`), { 'retry-after': '2' });
const SPENT = answer(429, openaiError('insufficient_quota', 'insufficient_quota', 'You exceeded your current quota'));
const OVERFLOW = answer(400, openaiError('context_length_exceeded', 'invalid_request_error', 'Too many tokens'));
const UNKNOWN_KEY = answer(401, openaiError('invalid_api_key', 'invalid_request_error', `Incorrect API key provided: ${SECRET}`));
const OVERLOADED = answer(529, { type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } });
const RESET = (request) => request.socket.destroy();
const HANGS = () => {};

/** What came of a call that failed. */
async function failure(operation, options = {}) {
  const clock = fakeClock();
  const error = await retry(operation, { clock, random: () => 0, ...options }).then(() => assert.fail('it succeeded'), (caught) => caught);
  const { last, retry: ledger } = historyOf(error);
  const { kind, status, code, retryAfterMs, message } = last.error;
  return { kind, status, code, retryAfterMs, message, sends: ledger.totalAttempts, waits: clock.waits, error };
}

function shown({ kind, status, code, sends }) {
  return { kind, status, code, sends };
}

for (const [name, client] of Object.entries(whole)) {
  test(`${name}: status, headers, code and message of its error are the provider's`, async (t) => {
    const limited = await failure(client((await serve(t, LIMITED)).url));
    assert.deepEqual(shown(limited), { kind: 'rate_limited', status: 429, code: 'rate_limit_exceeded', sends: 3 });
    assert.deepEqual([limited.retryAfterMs, limited.waits], [2000, [2000, 2000]]);
    assert.match(limited.message, /Rate limit reached for/);
    for (const text of [limited.message, JSON.stringify(limited.error), inspect(limited.error)]) assert.ok(!text.includes(SECRET), text);

    for (const [answers, expected] of [
      [SPENT, { kind: 'quota_exhausted', status: 429, code: 'insufficient_quota', sends: 1 }],
      [OVERFLOW, { kind: 'context_exceeded', status: 400, code: 'context_length_exceeded', sends: 1 }],
      [UNKNOWN_KEY, { kind: 'auth', status: 401, code: 'invalid_api_key', sends: 1 }],
      [OVERLOADED, { kind: 'overloaded', status: 529, code: 'overloaded_error', sends: 3 }],
    ]) assert.deepEqual(shown(await failure(client((await serve(t, answers)).url))), expected);
  });

  test(`${name}: a lost connection is transport, its own timeout a timeout`, async (t) => {
    const { kind, status, sends } = await failure(client((await serve(t, RESET)).url));
    assert.deepEqual({ kind, status, sends }, { kind: 'transport', status: undefined, sends: 3 });
    assert.equal((await failure(client((await serve(t, HANGS)).url), { maxAttempts: 1 })).kind, 'timeout');
  });

  test(`${name}: an answer that breaks off is transport`, async (t) => {
    const cut = (_, response) => {
      response.writeHead(200, { 'content-type': 'application/json', 'content-length': '100' });
      response.write('{"id"', () => setTimeout(() => response.destroy(), 20));
    };
    const { kind, sends } = await failure(client((await serve(t, cut)).url));
    assert.deepEqual({ kind, sends }, { kind: 'transport', sends: 3 });
  });
}

test('ky keeps the Response, whose body is nobody else\'s to read: status and headers decide', async (t) => {
  const limited = await failure(kyOf((await serve(t, LIMITED)).url));
  assert.deepEqual(shown(limited), { kind: 'rate_limited', status: 429, code: undefined, sends: 3 });
  assert.deepEqual(limited.waits, [2000, 2000]);
  assert.equal(limited.error.cause.response.bodyUsed, false);
  assert.deepEqual(shown(await failure(kyOf((await serve(t, UNKNOWN_KEY)).url))), { kind: 'auth', status: 401, code: undefined, sends: 1 });
  assert.equal((await failure(kyOf((await serve(t, RESET)).url))).kind, 'transport');
  assert.equal((await failure(kyOf((await serve(t, HANGS)).url), { maxAttempts: 1 })).kind, 'timeout');
});

test('an answer that is no JSON is malformed, whatever error the client makes of it', async (t) => {
  const { url } = await serve(t, answer(200, 'ok, but no JSON'));
  for (const client of [whole['the OpenAI SDK'], whole['the Anthropic SDK'], whole.got, kyOf, bedrock]) {
    const { kind, sends } = await failure(client(url));
    assert.deepEqual({ kind, sends }, { kind: 'malformed_response', sends: 3 });
  }
});

test('the first Google SDK keeps a status and the details, and the details have the wait', async (t) => {
  const body = {
    error: { code: 429, message: 'Quota exceeded', status: 'RESOURCE_EXHAUSTED', details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7s' }] },
  };
  const { kind, status, sends, waits } = await failure(oldGoogle((await serve(t, answer(429, body))).url));
  assert.deepEqual({ kind, status, sends, waits }, { kind: 'rate_limited', status: 429, sends: 3, waits: [7000, 7000] });
  assert.equal((await failure(oldGoogle((await serve(t, OVERLOADED)).url))).kind, 'overloaded');
  assert.equal((await failure(oldGoogle((await serve(t, RESET)).url))).kind, 'transport');
});

test('the AWS SDK keeps the code as the name of its error and the status in $metadata', async (t) => {
  const throttled = answer(429, { message: 'Too many requests' }, { 'x-amzn-errortype': 'ThrottlingException:http://internal.example/', 'retry-after': '2' });
  const limited = await failure(bedrock((await serve(t, throttled)).url));
  assert.deepEqual(shown(limited), { kind: 'rate_limited', status: 429, code: 'ThrottlingException', sends: 3 });
  assert.deepEqual([limited.message, limited.waits], ['Too many requests', [2000, 2000]]);
  const denied = answer(403, { message: 'denied' }, { 'x-amzn-errortype': 'AccessDeniedException' });
  assert.deepEqual((({ kind, status, sends }) => ({ kind, status, sends }))(await failure(bedrock((await serve(t, denied)).url))), { kind: 'permission', status: 403, sends: 1 });
  assert.equal((await failure(bedrock((await serve(t, RESET)).url))).kind, 'transport');
  assert.equal((await failure(bedrock((await serve(t, HANGS)).url), { maxAttempts: 1 })).kind, 'timeout');
});

test('the exceptions of an AWS event stream have no status, and their names decide', () => {
  const made = (Class) => new Class({ message: 'm', $metadata: {} });
  assert.deepEqual(verdict(made(ThrottlingException)), ['rate_limited', true]);
  assert.deepEqual(verdict(Object.assign(new Error('m'), { name: 'BrandNewException', $fault: 'client', $metadata: { httpStatusCode: 400 }, $retryable: { throttling: true } })), ['rate_limited', true]);
  assert.equal(classify({ error: made(ModelStreamErrorException) }).retryable, true);
});

test('a failure told inside a stream has no status: its code decides, or it is a server error', async (t) => {
  const stream = (...frames) => (_, response) => response.writeHead(200, { 'content-type': 'text/event-stream' }).end(frames.join(''));
  for (const [error, expected] of [
    [openaiError('insufficient_quota', 'insufficient_quota', 'm'), { kind: 'quota_exhausted', sends: 1 }],
    [openaiError(429, null, 'm'), { kind: 'rate_limited', sends: 3 }],
    [openaiError('brand_new', null, 'm'), { kind: 'server_error', sends: 3 }],
  ]) {
    const { kind, sends } = await failure(openaiStream((await serve(t, stream(`data: ${JSON.stringify(error)}\n\n`))).url));
    assert.deepEqual({ kind, sends }, expected);
  }
  const overloaded = stream(`event: error\ndata: ${JSON.stringify({ type: 'error', error: { type: 'overloaded_error', message: 'Overloaded' } })}\n\n`);
  assert.equal((await failure(anthropicStream((await serve(t, overloaded)).url))).kind, 'overloaded');
});

function verdict(error, options) {
  const { kind, retryable } = classify({ error }, options);
  return [kind, retryable];
}

test('an error built by hand says the same as one thrown', () => {
  const headers = new Headers({ 'retry-after': '2' });
  const inner = { message: 'm', type: 'insufficient_quota', param: null, code: 'insufficient_quota' };
  for (const error of [
    new OpenAI.RateLimitError(429, inner, 'm', headers), new Anthropic.RateLimitError(429, { type: 'error', error: inner }, 'm', headers),
    OpenAI.APIError.generate(429, { error: inner }, 'm', headers), Anthropic.APIError.generate(429, { type: 'error', error: inner }, 'm', headers),
  ]) {
    const { kind, code, retryAfterMs } = classify({ error });
    assert.deepEqual({ kind, code, retryAfterMs }, { kind: 'quota_exhausted', code: 'insufficient_quota', retryAfterMs: 2000 });
  }
  for (const SDK of [OpenAI, Anthropic]) {
    assert.deepEqual(verdict(new SDK.APIConnectionError({ message: undefined })), ['transport', true]);
    assert.deepEqual(verdict(new SDK.APIConnectionTimeoutError()), ['timeout', true]);
    assert.deepEqual(verdict(new SDK.APIUserAbortError()), ['transport', true]);
    const signal = AbortSignal.abort();
    assert.deepEqual(classify({ error: new SDK.APIUserAbortError(), signal }).kind, 'cancelled');
  }
});

const call = (members) => new APICallError({ message: 'm', url: 'https://api.example/', requestBodyValues: {}, ...members });

test('an APICallError of the AI SDK is read from statusCode, responseHeaders and responseBody', () => {
  const limited = call({ statusCode: 429, responseHeaders: { 'Retry-After': '2' }, responseBody: '{"error":{"code":"rate_limit_exceeded"}}' });
  const { kind, code, retryAfterMs } = classify({ error: limited });
  assert.deepEqual({ kind, code, retryAfterMs }, { kind: 'rate_limited', code: 'rate_limit_exceeded', retryAfterMs: 2000 });
  assert.deepEqual(verdict(call({ statusCode: 429, data: { error: { code: 'insufficient_quota' } } })), ['quota_exhausted', false]);
  assert.deepEqual(verdict(call({ statusCode: 503, isRetryable: false })), ['overloaded', true]);
  assert.deepEqual(verdict(call({ isRetryable: true })), ['transport', true]);
  assert.deepEqual(verdict(call({ isRetryable: true, message: 'Cannot connect to API: self-signed certificate', cause: new Error('self-signed certificate') })), ['bad_request', false]);
  assert.deepEqual(verdict(call({ isRetryable: true, cause: Object.assign(new Error(), { code: 'UND_ERR_CONNECT_TIMEOUT' }) })), ['timeout', true]);
  assert.deepEqual(verdict(call({})), ['unknown', false]);
});

test('an APICallError over a 2xx is what broke while it was read, or a malformed answer', () => {
  const reset = Object.assign(new Error('terminated'), { code: 'UND_ERR_SOCKET' });
  assert.deepEqual(verdict(call({ statusCode: 200, cause: reset })), ['transport', true]);
  const cause = new TypeValidationError({ value: { hello: 'fetch failed' }, cause: new Error('m') });
  assert.deepEqual(verdict(call({ statusCode: 200, message: 'Invalid JSON response', responseBody: '{"hello":1}', cause: new JSONParseError({ text: 'x', cause }) })), ['malformed_response', true]);
  assert.deepEqual(verdict(call({ statusCode: 200, responseBody: '{"error":{"code":"insufficient_quota"}}', cause })), ['quota_exhausted', false]);
});

/** As the `ai` package makes them, which is not installed. */
const aiError = (name, members) => Object.assign(new Error('m'), { name, [Symbol.for('vercel.ai.error')]: true, ...members });

test('the last error of the AI SDK\'s RetryError decides', () => {
  const errors = [call({ statusCode: 503 }), call({ statusCode: 401 })];
  assert.deepEqual(verdict(aiError('AI_RetryError', { reason: 'errorNotRetryable', errors, lastError: errors[1] })), ['auth', false]);
  assert.deepEqual(verdict(new Error('outer', { cause: aiError('AI_RetryError', { errors: errors.toReversed(), lastError: errors[0] }) })), ['overloaded', true]);
});

test('what a client finds wrong by itself has the kind of its class, whatever text the model wrote into it', () => {
  const text = '{"error":{"code":"overloaded_error","message":"fetch failed"}}';
  const parse = new JSONParseError({ text, cause: new SyntaxError('m') });
  for (const [error, expected] of [
    [aiError('AI_NoObjectGeneratedError', { text, cause: parse, response: { id: 'r', headers: {} }, finishReason: 'stop' }), ['schema_mismatch', false]],
    [parse, ['malformed_response', true]],
    [new TypeValidationError({ value: JSON.parse(text), cause: new Error('m') }), ['schema_mismatch', false]],
    [new EmptyResponseBodyError(), ['malformed_response', true]], [new LoadAPIKeyError({ message: 'm' }), ['auth', false]],
    [new NoSuchModelError({ modelId: 'm', modelType: 'languageModel' }), ['model_not_found', false]],
    [new LengthFinishReasonError(), ['response_truncated', false]], [new ContentFilterFinishReasonError(), ['content_filtered', false]],
  ]) assert.deepEqual(verdict(error), expected, error.name);
});

/** What an SDK raises that has our fetch, its own retries off. */
const raisedBy = (SDK, baseURL, options) => {
  const client = new SDK({ apiKey: 'test', baseURL, maxRetries: 0, fetch: createFetch({ initialDelayMs: 0, maxDelayMs: 0, ...options }) });
  const asked = SDK === OpenAI ? client.chat.completions.create({ model: 'm', messages: [] }) : client.messages.create({ model: 'm', max_tokens: 1, messages: [] });
  return asked.then(() => assert.fail('it succeeded'), (error) => error);
};

for (const SDK of [OpenAI, Anthropic]) {
  test(`the kind of an error of ${SDK.name}'s that has our fetch is known to matchesKind`, async (t) => {
    for (const [answers, kind] of [[LIMITED, 'rate_limited'], [SPENT, 'quota_exhausted'], [OVERLOADED, 'overloaded'], [RESET, 'transport']]) {
      const error = await raisedBy(SDK, (await serve(t, answers)).url, { maxRetryAfterMs: 1000 });
      assert.ok(error instanceof SDK.APIError);
      assert.deepEqual([matchesKind(error, kind), matchesKind(error, 'refused')], [true, false], kind);
    }
  });

  test(`of a timeout ${SDK.name}'s error keeps nothing, so onEvent alone tells of its history`, async (t) => {
    const events = [];
    const error = await raisedBy(SDK, (await serve(t, HANGS)).url, { timeoutMs: 20, maxAttempts: 2, onEvent: (event) => events.push(event) });
    assert.ok(error instanceof SDK.APIConnectionTimeoutError);
    assert.deepEqual([error.cause, historyOf(error), matchesKind(error, 'timeout')], [undefined, undefined, false]);
    const { history } = events.at(-1);
    assert.deepEqual([history.last.error.kind, history.retry.totalAttempts], ['timeout', 2]);
    assert.equal(classify(error).kind, 'timeout');
  });
}

test('an SDK that has our fetch and is called inside of retry does not multiply the requests', async () => {
  let sends = 0;
  const fetch = async () => {
    sends += 1;
    return new Response(null, { status: 503 });
  };
  const { sends: calls } = await failure(() => raisedBy(OpenAI, 'http://127.0.0.1:9', { fetch }).then((error) => { throw error; }));
  assert.deepEqual([calls, sends], [1, 3]);
});
