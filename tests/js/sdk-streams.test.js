// Real SDKs that stream, their own retries off and our fetch in, against a real server.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import Anthropic, { APIError as AnthropicError, APIUserAbortError as AnthropicAbort } from '@anthropic-ai/sdk';
import OpenAI, { APIError as OpenAIError, APIUserAbortError as OpenAIAbort } from 'openai';
import { createFetch, historyOf, isRetryError } from 'dacapo';
import { serve } from './lib/server.js';
import { chat, messages, responses, TYPES } from './lib/stream-frames.js';

/** Long enough for what was written to arrive before the connection ends. */
const ARRIVAL_MS = 30;

/** An answer that streams `frames`, each in a packet of its own, and then ends as told. */
const streaming = (frames, ending = 'end') => async (_, response) => {
  response.on('error', () => {});
  response.writeHead(200, TYPES.sse);
  response.flushHeaders();
  for (const frame of frames) {
    response.write(frame);
    await new Promise((resolve) => setTimeout(resolve, 2));
  }
  if (ending === 'end') response.end();
  if (ending === 'reset') setTimeout(() => response.socket?.resetAndDestroy(), ARRIVAL_MS);
};

const options = (url, fetch) => ({ apiKey: 'test', baseURL: url, maxRetries: 0, fetch });
const question = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'Where do we start?' }] };

/** What a user of each SDK does: `open` asks, `part` tells what one event is to that user. */
const APIS = {
  'chat.completions of openai': {
    frames: chat,
    whole: [chat.start, chat.text('Da '), chat.text('capo'), chat.stop, chat.usage, chat.done],
    open: (url, fetch, init) => new OpenAI(options(url, fetch)).chat.completions.create({ ...question, stream: true, stream_options: { include_usage: true } }, init),
    part: ({ choices: [choice], usage }) => ({ start: choice?.delta.role !== undefined, text: choice?.delta.content ?? '', tokens: usage?.total_tokens }),
    helper: (url, fetch, init) => new OpenAI(options(url, fetch)).chat.completions.stream(question, init),
    failures: [chat.overloaded],
    ApiError: OpenAIError,
    Abort: OpenAIAbort,
  },
  'responses of openai': {
    frames: responses,
    whole: [responses.start, responses.text('Da '), responses.text('capo'), responses.done('Da capo')],
    open: (url, fetch, init) => new OpenAI(options(url, fetch)).responses.create({ model: 'm', input: 'Where do we start?', stream: true }, init),
    part: ({ type, delta, response }) => ({
      start: type === 'response.created', text: type === 'response.output_text.delta' ? delta : '', tokens: response?.usage?.total_tokens, failure: response?.error?.message,
    }),
    helper: (url, fetch, init) => new OpenAI(options(url, fetch)).responses.stream({ model: 'm', input: 'Where do we start?' }, init),
    failures: [responses.failed, 'event: error\ndata: {"type":"error","code":"server_error","message":"The model failed","param":null,"sequence_number":4}\n\n'],
    // This SDK gives such a failure as an event and raises nothing.
    ApiError: undefined,
    Abort: OpenAIAbort,
  },
  'messages of @anthropic-ai/sdk': {
    frames: messages,
    whole: [messages.start, messages.text('Da '), messages.text('capo'), messages.stop, messages.done],
    open: (url, fetch, init) => new Anthropic(options(url, fetch)).messages.create({ ...question, stream: true }, init),
    part: ({ type, delta, usage }) => ({
      start: type === 'message_start', text: delta?.text ?? '', tokens: usage && 11 + usage.output_tokens,
    }),
    helper: (url, fetch, init) => new Anthropic(options(url, fetch)).messages.stream(question, init),
    failures: [messages.overloaded],
    ApiError: AnthropicError,
    Abort: AnthropicAbort,
  },
};

/** What a user saw of a stream, and what it was given that broke it. */
async function watched(api, stream) {
  const seen = { starts: 0, text: '', tokens: undefined, failures: [] };
  try {
    for await (const event of stream) {
      const { start, text, tokens, failure } = api.part(event);
      if (start) seen.starts += 1;
      seen.text += text;
      seen.tokens = tokens ?? seen.tokens;
      if (failure !== undefined) seen.failures.push(failure);
    }
  } catch (error) {
    return { ...seen, error };
  }
  return seen;
}

const COMPLETE = { starts: 1, text: 'Da capo', tokens: 17, failures: [] };

/** The hold is long for any of these openings, and short for whoever waits for a test that fails. */
const quick = (more) => createFetch({ initialDelayMs: 1, holdOpeningMs: 5_000, ...more });

/** One call of a user's, from the question to the end of the answer. */
async function played(t, api, answers, more) {
  const { url, requests, heldOpen } = await serve(t, ...answers);
  const { data, response } = await api.open(url, quick(more)).withResponse();
  return { seen: await watched(api, data), response, requests, heldOpen };
}

for (const [name, api] of Object.entries(APIS)) {
  const { frames: { start, text } } = api;
  const whole = streaming(api.whole);

  describe(name, { timeout: 20_000 }, () => {
    const troubles = {
      ...Object.fromEntries(api.failures.map((failure, i) => [`a failure told in band (${i + 1})`, streaming([start, failure])])),
      'a reset connection': streaming([start], 'reset'),
      'a reset before the first byte': streaming([], 'reset'),
      'an end without an end marker': streaming([start]),
    };
    for (const [trouble, answer] of Object.entries(troubles)) {
      test(`${trouble} before the first delta is invisible: one start, the right text, two requests`, async (t) => {
        const { seen, response, requests } = await played(t, api, [answer, whole]);
        assert.deepEqual(seen, COMPLETE);
        assert.equal(requests.length, 2);
        assert.equal(requests[0].body, requests[1].body);
        const { attempts, retry } = historyOf(response);
        assert.deepEqual([retry.totalAttempts, retry.failedAttempts, attempts[0].streamed], [2, 1, false]);
      });
    }

    test('a stream that is whole at once is given as it came, with its usage', async (t) => {
      const { seen, response, requests } = await played(t, api, [whole]);
      assert.deepEqual(seen, COMPLETE);
      assert.deepEqual([requests.length, historyOf(response)], [1, undefined]);
    });

    for (const [i, failure] of api.failures.entries()) {
      test(`a failure told in band (${i + 1}) after the first delta surfaces once and nothing is sent again`, async (t) => {
        const { seen, response, requests } = await played(t, api, [streaming([start, text('Da '), failure]), whole]);
        assert.deepEqual([seen.starts, seen.text, requests.length], [1, 'Da ', 1]);
        if (api.ApiError !== undefined) {
          assert.ok(seen.error instanceof api.ApiError, String(seen.error));
          assert.match(JSON.stringify(seen.error.error), /overloaded_error/);
        } else {
          assert.equal(seen.error, undefined);
          if (i === 0) assert.deepEqual(seen.failures, ['The model failed']);
        }
        const { last, retry } = historyOf(seen.error ?? response);
        assert.deepEqual([last.streamed, retry.totalAttempts, retry.failedAttempts], [true, 1, 1]);
        assert.equal(last.error.kind, api.ApiError ? 'overloaded' : 'server_error');
      });

      test(`a failure told in band (${i + 1}) by every attempt is the SDK's to tell, once`, async (t) => {
        const { seen, response, requests } = await played(t, api, [streaming([start, failure])], { maxAttempts: 2 });
        assert.deepEqual([seen.text, seen.starts, requests.length], ['', 1, 2]);
        if (api.ApiError !== undefined) assert.ok(seen.error instanceof api.ApiError, String(seen.error));
        const { mark, retry } = historyOf(seen.error ?? response);
        assert.deepEqual([mark, retry.totalAttempts, retry.failedAttempts], ['attempts_exhausted', 2, 2]);
      });
    }

    test('a connection reset after the first delta surfaces once, with the history', async (t) => {
      const { seen, response, requests } = await played(t, api, [streaming([start, text('Da ')], 'reset'), whole]);
      assert.deepEqual([seen.starts, seen.text, requests.length], [1, 'Da ', 1]);
      assert.ok(seen.error instanceof TypeError, String(seen.error));
      for (const from of [seen.error, response]) {
        const { last } = historyOf(from);
        assert.deepEqual([last.error.kind, last.streamed], ['transport', true]);
      }
    });

    test('a stream that is cut short after the first delta is an error and no complete answer', async (t) => {
      const { seen, requests } = await played(t, api, [streaming([start, text('Da '), text('capo')]), whole]);
      assert.ok(isRetryError(seen.error), String(seen.error));
      assert.deepEqual([seen.error.kind, seen.error.code, seen.text, requests.length], ['transport', 'truncated', 'Da capo', 1]);
      assert.equal(historyOf(seen.error).last.streamed, true);
    });

    test('a stream that is cut short cannot pass for a whole answer in the helper either', async (t) => {
      const { url, requests } = await serve(t, streaming([start, text('Da ')]), whole);
      const told = await watched({ part: () => ({}) }, api.helper(url, quick()));
      assert.ok(told.error instanceof Error, 'it ended as if it were whole');
      assert.equal(requests.length, 1);
    });

    test('an abort while the opening is held ends with the SDK\'s own abort error and lets the server go', async (t) => {
      const { url, requests, heldOpen } = await serve(t, streaming([start], 'stall'));
      const controller = new AbortController();
      const call = api.open(url, quick(), { signal: controller.signal });
      setTimeout(() => controller.abort(), 60);
      await assert.rejects(call, api.Abort);
      assert.deepEqual([requests.length, await heldOpen()], [1, 0]);
    });

    test('an abort in the wait before a retry ends with the SDK\'s own abort error, and nothing more is sent', async (t) => {
      const { url, requests } = await serve(t, streaming([start, api.failures[0]]), whole);
      const controller = new AbortController();
      const call = api.open(url, quick({ initialDelayMs: 60_000, maxDelayMs: 60_000, onRetry: () => setTimeout(() => controller.abort()) }), { signal: controller.signal });
      await assert.rejects(call, api.Abort);
      assert.equal(requests.length, 1);
    });

    test('an abort in the middle ends at once, as it does without us, and lets the server go', async (t) => {
      const outcomes = [];
      for (const fetch of [globalThis.fetch, quick(), quick({ timeoutMs: 60_000 })]) {
        const { url, requests, heldOpen } = await serve(t, streaming([start, text('Da ')], 'stall'));
        const controller = new AbortController();
        setTimeout(() => controller.abort(), 60);
        const { text: heard, error } = await watched(api, await api.open(url, fetch, { signal: controller.signal }));
        outcomes.push([heard, error?.constructor.name, requests.length, await heldOpen()]);
      }
      assert.deepEqual(outcomes[0], ['Da ', undefined, 1, 0]);
      assert.deepEqual(outcomes.slice(1), [outcomes[0], outcomes[0]]);
    });

    test('an abort of the helper in the middle is the SDK\'s own abort error', async (t) => {
      const { url, heldOpen } = await serve(t, streaming([start, text('Da ')], 'stall'));
      const stream = api.helper(url, quick());
      setTimeout(() => stream.abort(), 60);
      const { error } = await watched({ part: () => ({}) }, stream);
      assert.ok(error instanceof api.Abort, String(error));
      assert.equal(await heldOpen(), 0);
    });

    test('a user who stops reading lets the server go', async (t) => {
      const { url, requests, heldOpen } = await serve(t, streaming([start, text('Da ')], 'stall'));
      for await (const event of await api.open(url, quick())) if (api.part(event).text !== '') break;
      assert.deepEqual([requests.length, await heldOpen()], [1, 0]);
    });

    test('with usage the history has the tokens that the SDK was given', async (t) => {
      const { seen, response } = await played(t, api, [streaming([start, api.failures[0]]), whole], { usage: true });
      const { usage, retry } = historyOf(response);
      assert.deepEqual([seen.tokens, usage.total, usage.billedTotalTokens], [17, 17, 17 + retry.wastedTotalTokens]);
    });
  });
}
