// @mistralai/mistralai with our fetch in its HTTPClient, its own retries off.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { HTTPClient, Mistral } from '@mistralai/mistralai';
import { ConnectionError, HTTPClientError, HTTPValidationError, RequestAbortedError, RequestTimeoutError, SDKError, UnexpectedClientError } from '@mistralai/mistralai/models/errors';
import { historyOf, isRetryError, matchesKind } from 'dacapo';
import { asked, cancels, fails, keepsSecrets, LIMIT_MS, recovers, watchedFetch } from './lib/claims.js';
import { examplesRun } from './lib/page.js';
import { json, lost, sse, startProvider, unanswered } from './lib/provider.js';
import { redirectedTo } from './lib/redirected.js';

const BUSY = { object: 'error', message: 'Service tier capacity exceeded for this model.', type: 'service_tier_capacity_exceeded', param: null, code: '3505' };
const LIMITED = { object: 'error', message: 'Rate limit exceeded', type: 'rate_limited', param: null, code: '1300' };
const UNKNOWN_MODEL = { object: 'error', message: 'Invalid model: m', type: 'invalid_model', param: null, code: '1500' };
const MISSING = { detail: [{ type: 'missing', loc: ['body', 'messages'], msg: 'Field required' }] };

const usage = { prompt_tokens: 11, completion_tokens: 6, total_tokens: 17 };
const message = { role: 'assistant', content: 'Da capo', tool_calls: null };
const WHOLE = { id: 'c-1', object: 'chat.completion', created: 1, model: 'm', usage, choices: [{ index: 0, message, finish_reason: 'stop' }] };

const chunk = (delta, finish_reason = null, more = {}) =>
  `data: ${JSON.stringify({ id: 'c-1', object: 'chat.completion.chunk', created: 1, model: 'm', choices: [{ index: 0, delta, finish_reason }], ...more })}\n\n`;
const OPENING = chunk({ role: 'assistant', content: '' });
const FRAMES = [OPENING, chunk({ content: 'Da ' }), chunk({ content: 'capo' }), chunk({ content: '' }, 'stop', { usage }), 'data: [DONE]\n\n'];
const FAILED = `data: ${JSON.stringify(BUSY)}\n\n`;

const client = ({ url, fetch, apiKey = 'test', timeoutMs }) => new Mistral({
  apiKey, serverURL: url, timeoutMs, retryConfig: { strategy: 'none' }, httpClient: new HTTPClient({ fetcher: fetch }),
});
const question = { model: 'm', messages: [{ role: 'user', content: 'Where do we start?' }] };
const plain = (value) => JSON.parse(JSON.stringify(value));

const calls = {
  'chat.complete': {
    ask: async (to) => plain(await client(to).chat.complete(question, { signal: to.signal })),
    whole: json(WHOLE),
    early: [json(BUSY), json(WHOLE, { end: 'reset' })],
  },
  'chat.stream': {
    async ask(to, seen) {
      const chunks = [];
      for await (const { data } of await client(to).chat.stream(question, { signal: to.signal })) {
        chunks.push(plain(data));
        if (data.choices[0].delta.content) seen(data);
      }
      return chunks;
    },
    whole: sse(FRAMES),
    early: [sse([OPENING, FAILED]), sse([OPENING], { end: 'reset' }), sse([OPENING], { end: 'cut' }), sse([])],
    begun: sse(FRAMES.slice(0, 2), { end: 'stall' }),
  },
};

recovers(calls, BUSY);
keepsSecrets(calls, (text) => ({ ...BUSY, message: text }));

// What the platform's fetch rejects with is the reason itself, which the client takes for an abort by its name only.
cancels(calls, (error, reason) => {
  assert.ok(error instanceof UnexpectedClientError, String(error));
  assert.equal(error.cause, reason);
});

const HEADERS = { 'mistral-correlation-id': 'c-7' };
fails(calls, {
  'a 503': { answer: json(BUSY, { status: 503, headers: HEADERS }), sends: 2, kind: 'overloaded', is: (error) => assert.ok(error instanceof SDKError) },
  'a 429': { answer: json(LIMITED, { status: 429, headers: HEADERS }), sends: 2, kind: 'rate_limited', is: (error) => assert.ok(error instanceof SDKError) },
  'a 400': { answer: json(UNKNOWN_MODEL, { status: 400, headers: HEADERS }), sends: 1, kind: 'model_not_found', is: (error) => assert.ok(error instanceof SDKError) },
  'a 422': { answer: json(MISSING, { status: 422, headers: HEADERS }), sends: 1, kind: 'bad_request', is: (error) => assert.ok(error instanceof HTTPValidationError) },
}, ({ name, statusCode, headers, body, message: text }) => ({ name, statusCode, id: headers.get('mistral-correlation-id'), body, text }));
fails(calls, {
  'a lost connection': { answer: lost, sends: 2, kind: 'transport', is: (error) => assert.ok(error instanceof ConnectionError) },
}, ({ name, message: text }) => ({ name, text }));

describe('@mistralai/mistralai', { timeout: LIMIT_MS, concurrency: 4 }, () => {
  for (const [name, call] of Object.entries(calls)) {
    test(`${name} that is aborted without a reason raises the client's RequestAbortedError, in a wait too`, async (t) => {
      for (const answer of [unanswered, json(BUSY, { status: 503 })]) {
        const provider = await startProvider(t, answer, call.whole);
        const controller = new AbortController();
        const waits = Promise.withResolvers();
        const { fetch } = watchedFetch({ clock: undefined, initialDelayMs: 60_000, maxDelayMs: 60_000, onRetry: () => waits.resolve() });
        const outcome = call.ask({ url: provider.url, fetch, signal: controller.signal }, () => undefined).catch((caught) => caught);
        await (answer === unanswered ? provider.asked(1) : waits.promise);
        await new Promise(setImmediate);
        controller.abort();
        const error = await outcome;
        assert.ok(error instanceof RequestAbortedError, String(error));
        assert.deepEqual([historyOf(error)?.mark, provider.requests.length], ['cancelled', 1]);
      }
    });

    test(`${name} is refused by an open breaker with an error that matchesKind sees through`, async (t) => {
      const provider = await startProvider(t, json(BUSY, { status: 503 }), call.whole);
      const { fetch } = watchedFetch({ breaker: { failures: 1 }, maxAttempts: 1 });
      const ask = () => call.ask({ url: provider.url, fetch }, () => undefined);
      await assert.rejects(ask(), SDKError);
      const error = await ask().catch((caught) => caught);
      assert.ok(error instanceof HTTPClientError, String(error));
      assert.deepEqual([matchesKind(error, 'circuit_open'), provider.requests.length], [true, 1]);
    });

    test(`${name}: the client's timeoutMs spans all attempts and waits, our timeoutMs is for one`, async (t) => {
      const slow = { initialDelayMs: 60_000, maxDelayMs: 60_000 };
      const provider = await startProvider(t, json(BUSY, { status: 503 }), call.whole);
      const { fetch } = watchedFetch({ clock: undefined, ...slow });
      const late = await call.ask({ url: provider.url, fetch, timeoutMs: 600 }, () => undefined).catch((caught) => caught);
      assert.ok(late instanceof RequestTimeoutError, String(late));
      assert.deepEqual([historyOf(late).mark, provider.requests.length], ['cancelled', 1]);
      const { error, requests } = await asked(t, call, [unanswered], { timeoutMs: 400, maxAttempts: 2 });
      assert.ok(error instanceof RequestTimeoutError, String(error));
      assert.deepEqual([requests.length, historyOf(error).last.error.kind, /timeoutMs/.test(error.message)], [2, 'timeout', true]);
    });
  }

  test('given a signal, the client forgets its own timeoutMs, with us as without', async (t) => {
    for (const fetch of [globalThis.fetch, watchedFetch().fetch]) {
      const provider = await startProvider(t, unanswered);
      const controller = new AbortController();
      const outcome = calls['chat.complete'].ask({ url: provider.url, fetch, timeoutMs: 20, signal: controller.signal }).catch((error) => error);
      await provider.asked(1);
      assert.equal(await Promise.race([outcome, new Promise((resolve) => setTimeout(resolve, 200, 'under way'))]), 'under way');
      controller.abort();
      assert.ok(await outcome instanceof RequestAbortedError);
    }
  });

  test('an error told after the first output surfaces once and nothing is sent again', async (t) => {
    const broken = sse([...FRAMES.slice(0, 2), FAILED]);
    const native = await asked(t, calls['chat.stream'], [broken], {}, { fetch: globalThis.fetch });
    const { error, requests } = await asked(t, calls['chat.stream'], [broken]);
    assert.deepEqual([error.constructor, error.name, requests.length], [native.error.constructor, native.error.name, 1]);
  });

  test('a stream that is cut short after its first output cannot pass for a whole answer', async (t) => {
    const cut = sse(FRAMES.slice(0, 2), { end: 'cut' });
    const native = await asked(t, calls['chat.stream'], [cut], {}, { fetch: globalThis.fetch });
    assert.equal(native.error, undefined);
    const { error } = await asked(t, calls['chat.stream'], [cut]);
    assert.ok(isRetryError(error), String(error));
    assert.deepEqual([error.code, historyOf(error).last.streamed], ['truncated', true]);
  });

  test('an abort in the middle of a stream is the reason itself', async (t) => {
    const provider = await startProvider(t, calls['chat.stream'].begun);
    const controller = new AbortController();
    const { fetch } = watchedFetch();
    const outcome = calls['chat.stream'].ask({ url: provider.url, fetch, signal: controller.signal }, () => controller.abort()).catch((error) => error);
    assert.equal(await outcome, controller.signal.reason);
    assert.equal(historyOf(controller.signal.reason).last.error.kind, 'cancelled');
  });

  test('a loop that is left lets the server go', async (t) => {
    const provider = await startProvider(t, calls['chat.stream'].begun);
    const { fetch } = watchedFetch();
    for await (const { data } of await client({ url: provider.url, fetch }).chat.stream(question)) if (data.choices[0].delta.content) break;
    await provider.requests[0].left;
  });

  test('a file is uploaded whole though it is refused once', async (t) => {
    const file = { id: '3fa85f64-5717-4562-b3fc-2c963f66afa6', object: 'file', bytes: 15, created_at: 1, filename: 'a.txt', purpose: 'ocr', sample_type: 'ocr_input', source: 'upload' };
    const provider = await startProvider(t, json(BUSY, { status: 503 }), json(file));
    const { fetch } = watchedFetch();
    const uploaded = await client({ url: provider.url, fetch }).files.upload({ file: new Blob(['Da capo al fine']), purpose: 'ocr' });
    assert.equal(uploaded.id, file.id);
    const bodies = provider.requests.map(({ bytes }) => bytes.toString());
    assert.match(bodies[0], /Da capo al fine/);
    assert.deepEqual(bodies, [bodies[0], bodies[0]]);
  });
});

const refused = json(BUSY, { status: 503 });
examplesRun('mistral', (url) => ({ ...redirectedTo(url), MISTRAL_API_KEY: 'test' }), { 'first-call': [refused, json(WHOLE)], errors: [refused, refused] });
