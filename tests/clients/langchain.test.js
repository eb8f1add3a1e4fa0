// @langchain/openai with our fetch in its configuration, its own retries off.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { AzureChatOpenAI, ChatOpenAI, OpenAIEmbeddings } from '@langchain/openai';
import { APIConnectionError, APIError, AuthenticationError, RateLimitError } from 'openai';
import { historyOf, isRetryError, matchesKind } from 'dacapo';
import { asked, cancels, fails, keepsSecrets, LIMIT_MS, recovers, watchedFetch } from './lib/claims.js';
import { chatStream, completion, error as problem, response, responseStream } from './lib/openai-wire.js';
import { examplesRun } from './lib/page.js';
import { json, lost, startProvider, unanswered } from './lib/provider.js';

const OVERLOADED = problem('The server is overloaded', 'server_error', 'server_overloaded');
const COMPLETION = JSON.parse(completion().chunks[0]);
const completionOf = (content) => json({ ...COMPLETION, choices: [{ index: 0, message: { role: 'assistant', content, refusal: null }, finish_reason: 'stop' }] });

const model = ({ url, fetch, apiKey = 'test', timeoutMs }, more = {}) => new ChatOpenAI({
  apiKey, model: 'gpt-4o', maxRetries: 0, timeout: timeoutMs, configuration: { baseURL: `${url}/v1`, fetch }, ...more,
});
const QUESTION = 'Where do we start?';
const plain = (value) => JSON.parse(JSON.stringify(value));

/** The ids that LangChain draws for its runs, where the provider gives none. */
const withoutRun = ({ id, ...message }) => (id?.startsWith('run-') ? message : { id, ...message });
const contentOf = ({ id, content, tool_calls, usage_metadata, response_metadata }) =>
  withoutRun(plain({ id, content, tool_calls, usage_metadata, response_metadata }));

const streamed = (more) => async (to, seen) => {
  const chunks = [];
  for await (const chunk of await model(to, more).stream(QUESTION, { signal: to.signal })) {
    chunks.push(contentOf(chunk));
    if (chunk.text) seen(chunk.text);
  }
  return chunks;
};

const calls = {
  invoke: {
    ask: async (to) => contentOf(await model(to).invoke(QUESTION, { signal: to.signal })),
    whole: completion(),
    early: [json(OVERLOADED), json(COMPLETION, { end: 'reset' })],
  },
  'invoke over the Responses API': {
    ask: async (to) => contentOf(await model(to, { useResponsesApi: true }).invoke(QUESTION, { signal: to.signal })),
    whole: response(),
    early: [json(OVERLOADED)],
  },
  stream: { ask: streamed(), ...chatStream },
  'stream over the Responses API': { ask: streamed({ useResponsesApi: true }), ...responseStream },
};

recovers(calls, OVERLOADED);
keepsSecrets(calls, (text) => problem(text));

const { invoke, 'invoke over the Responses API': invokeResponses, ...streams } = calls;
cancels({ invoke, 'invoke over the Responses API': invokeResponses }, (error) => assert.equal(error.name, 'AbortError'));
// LangChain ends a cancelled stream by itself, with the reason.
cancels(streams, (error, reason) => assert.equal(error, reason));

const HEADERS = { 'x-request-id': 'req-7' };
fails(calls, {
  'a 503': { answer: json(OVERLOADED, { status: 503, headers: HEADERS }), sends: 2, kind: 'overloaded', is: (error) => assert.ok(error instanceof APIError) },
  'a 429': {
    answer: json(problem('slow down', 'requests', 'rate_limit_exceeded'), { status: 429, headers: HEADERS }),
    sends: 2, kind: 'rate_limited', is: (error) => assert.ok(error instanceof RateLimitError && error.name === 'RateLimitCapacityError'),
  },
  'a spent quota': {
    answer: json(problem('You exceeded your current quota', 'insufficient_quota', 'insufficient_quota'), { status: 429, headers: HEADERS }),
    sends: 1, kind: 'quota_exhausted', is: (error) => assert.ok(error instanceof RateLimitError),
  },
  'a 401': {
    answer: json(problem('Incorrect API key', 'invalid_request_error', 'invalid_api_key'), { status: 401, headers: HEADERS }),
    sends: 1, kind: 'auth', is: (error) => assert.ok(error instanceof AuthenticationError),
  },
}, ({ name, message, status, headers, error, code, lc_error_code }) => ({ name, message, status, id: headers.get('x-request-id'), error, code, lc_error_code }));
fails(calls, {
  'a lost connection': { answer: lost, sends: 2, kind: 'transport', is: (error) => assert.ok(error instanceof APIConnectionError) },
}, ({ name, message }) => ({ name, message }));

describe('@langchain/openai', { timeout: LIMIT_MS, concurrency: 4 }, () => {
  test('without maxRetries: 0 the layers multiply', async (t) => {
    const provider = await startProvider(t, json(OVERLOADED, { status: 503 }));
    const { fetch } = watchedFetch({ maxAttempts: 2 });
    await assert.rejects(model({ url: provider.url, fetch }, { maxRetries: 1 }).invoke(QUESTION), APIError);
    assert.equal(provider.requests.length, 4);
    await assert.rejects(model({ url: provider.url, fetch }, { maxRetries: 1 }).invoke(QUESTION, { maxRetries: 0 }), APIError);
    assert.equal(provider.requests.length, 6);
  });

  test('AzureChatOpenAI takes the fetch the same way', async (t) => {
    const provider = await startProvider(t, json(OVERLOADED, { status: 503 }), completion());
    const { fetch, settled } = watchedFetch();
    const azure = new AzureChatOpenAI({
      azureOpenAIApiKey: 'azure-canary-7Hq2', azureOpenAIEndpoint: provider.url, azureOpenAIApiDeploymentName: 'd', azureOpenAIApiVersion: '2024-10-21',
      maxRetries: 0, configuration: { fetch },
    });
    assert.equal((await azure.invoke(QUESTION)).content, 'Da capo');
    assert.deepEqual(provider.requests.map(({ headers }) => headers['api-key']), Array(2).fill('azure-canary-7Hq2'));
    assert.doesNotMatch(JSON.stringify(settled()), /canary/);
  });

  test('an open breaker is told as a connection error, which matchesKind sees through', async (t) => {
    const provider = await startProvider(t, json(OVERLOADED, { status: 503 }));
    const { fetch } = watchedFetch({ breaker: { failures: 1 }, maxAttempts: 1 });
    await assert.rejects(model({ url: provider.url, fetch }).invoke(QUESTION), APIError);
    const error = await model({ url: provider.url, fetch }).invoke(QUESTION).catch((caught) => caught);
    assert.ok(error instanceof APIConnectionError, String(error));
    assert.deepEqual([matchesKind(error, 'circuit_open'), provider.requests.length], [true, 1]);
  });

  test('timeout spans all attempts and waits, timeoutMs is for one; of either only onEvent has the history', async (t) => {
    const provider = await startProvider(t, json(OVERLOADED, { status: 503 }), calls.invoke.whole);
    const { fetch } = watchedFetch({ clock: undefined, initialDelayMs: 60_000, maxDelayMs: 60_000 });
    await assert.rejects(calls.invoke.ask({ url: provider.url, fetch, timeoutMs: 600 }), { name: 'TimeoutError' });
    const { error, requests, settled } = await asked(t, calls.invoke, [unanswered], { timeoutMs: 400, maxAttempts: 2 });
    assert.deepEqual([error.name, requests.length, settled()[0].last.error.kind], ['TimeoutError', 2, 'timeout']);
    assert.equal(historyOf(error), undefined);
  });

  test('a stream that is cut short after its first output cannot pass for a whole answer', async (t) => {
    const cut = { ...calls.stream.begun, end: 'cut' };
    const native = await asked(t, calls.stream, [cut], {}, { fetch: globalThis.fetch });
    assert.equal(native.error, undefined);
    const { error } = await asked(t, calls.stream, [cut]);
    assert.ok(isRetryError(error), String(error));
    assert.deepEqual([error.code, historyOf(error).last.streamed], ['truncated', true]);
  });

  test('a loop over a silent stream can be left by its signal only, with us as without', async (t) => {
    for (const fetch of [globalThis.fetch, watchedFetch().fetch]) {
      const provider = await startProvider(t, calls.stream.begun);
      const controller = new AbortController();
      const output = Promise.withResolvers();
      const left = (async () => {
        for await (const { text } of await model({ url: provider.url, fetch }).stream(QUESTION, { signal: controller.signal })) {
          if (text) break;
        }
      })();
      left.catch(() => {}).then(output.resolve);
      await provider.asked(1);
      assert.equal(await Promise.race([output.promise, new Promise((resolve) => setTimeout(resolve, 300, 'in the loop'))]), 'in the loop');
      controller.abort();
      await provider.requests[0].left;
      await output.promise;
    }
  });

  test('batch: every call of it is retried by itself', async (t) => {
    const seen = new Set();
    const provider = await startProvider(t, ({ json: { messages: [{ content }] } }) => {
      if (!seen.has(content)) {
        seen.add(content);
        return json(OVERLOADED, { status: 503 });
      }
      return completionOf(content);
    });
    const { fetch } = watchedFetch();
    const questions = Array.from({ length: 10 }, (_, n) => `question ${n}`);
    const answers = await model({ url: provider.url, fetch }).batch(questions);
    assert.deepEqual([answers.map(({ content }) => content), provider.requests.length], [questions, 20]);
  });

  test('a structured answer comes through troubles', async (t) => {
    const provider = await startProvider(t, lost, completionOf('{"place":"the head"}'));
    const { fetch } = watchedFetch();
    const schema = { title: 'start', type: 'object', properties: { place: { type: 'string' } }, required: ['place'], additionalProperties: false };
    const answer = await model({ url: provider.url, fetch }).withStructuredOutput(schema, { method: 'jsonSchema' }).invoke(QUESTION);
    assert.deepEqual([answer, provider.requests.length], [{ place: 'the head' }, 2]);
  });

  test('embeddings take the fetch the same way', async (t) => {
    const vector = [0.25, -0.5];
    const answer = json({ object: 'list', model: 'm', usage: { prompt_tokens: 1, total_tokens: 1 }, data: [{ object: 'embedding', index: 0, embedding: vector }] });
    const provider = await startProvider(t, json(OVERLOADED, { status: 503 }), answer);
    const { fetch } = watchedFetch();
    const embeddings = new OpenAIEmbeddings({ apiKey: 'test', model: 'm', maxRetries: 0, encodingFormat: 'float', configuration: { baseURL: `${provider.url}/v1`, fetch } });
    assert.deepEqual([await embeddings.embedQuery('hello'), provider.requests.length], [vector, 2]);
  });
});

const refused = json(OVERLOADED, { status: 503 });
examplesRun('langchain', (url) => ({ OPENAI_BASE_URL: `${url}/v1`, OPENAI_API_KEY: 'test' }), { 'first-call': [refused, completion()], errors: [refused, refused] });
