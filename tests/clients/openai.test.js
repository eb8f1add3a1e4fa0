// The openai package with a fetch of dacapo.

import assert from 'node:assert/strict';
import { createReadStream, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

import { historyOf, isRetryError, matchesKind } from 'dacapo';
import OpenAI, { AzureOpenAI, toFile, toStreamingFile } from 'openai';
import { asked, cancels, fails, keepsSecrets, LIMIT_MS, recovers, watchedFetch } from './lib/claims.js';
import { chatStream, completion, content, CONTENT, embeddings, error, events, failedResponse, file as accepted, response, responseStream } from './lib/openai-wire.js';
import { examplesRun } from './lib/page.js';
import { json, lost, sse, startProvider, unanswered } from './lib/provider.js';
import { chat } from '../js/lib/stream-frames.js';

const OVERLOADED = json(error('Overloaded'), { status: 503 });
const question = { model: 'm', messages: [{ role: 'user', content: 'Where do we start?' }] };
const client = ({ url, fetch, apiKey = 'sk-none', timeoutMs }) => new OpenAI({ apiKey, baseURL: url, fetch, maxRetries: 0, ...(timeoutMs && { timeout: timeoutMs }) });
const azure = ({ url, fetch, apiKey = 'none' }) => new AzureOpenAI({ apiKey, endpoint: url, apiVersion: '2025-01-01', deployment: 'd', fetch, maxRetries: 0 });
/** An answer without the links that it has to its request. */
const plain = (value) => JSON.parse(JSON.stringify(value));

/** Every event of a stream; `seen` is told of those that have output. */
async function eventsOf(stream, seen, hasOutput) {
  const events = [];
  for await (const event of stream) {
    events.push(plain(event));
    if (hasOutput(event)) seen(event);
  }
  return events;
}
const hasText = ({ choices: [choice] }) => Boolean(choice?.delta.content);
const isDelta = ({ type }) => type === 'response.output_text.delta';

const cut = (answer) => ({ ...answer, headers: { ...answer.headers, 'content-length': '5000' }, end: 'reset' });

const posts = {
  'chat.completions.create': {
    ask: async (to) => plain(await client(to).chat.completions.create(question, { signal: to.signal })),
    whole: completion(),
    early: [json(error('Overloaded', 'overloaded_error')), cut(completion()), { headers: { 'content-type': 'application/json' }, chunks: ['{"id":'] }],
  },
  'responses.create': {
    ask: async (to) => (({ output_text, usage, id }) => ({ output_text, usage, id }))(await client(to).responses.create({ model: 'm', input: 'hello' }, { signal: to.signal })),
    whole: response(),
    early: [failedResponse],
  },
  'embeddings.create': {
    ask: async (to) => plain(await client(to).embeddings.create({ model: 'm', input: 'hello' }, { signal: to.signal })),
    whole: embeddings,
    early: [cut(embeddings)],
  },
  'chat.completions.create of AzureOpenAI': {
    ask: async (to) => plain(await azure(to).chat.completions.create(question, { signal: to.signal })),
    whole: completion(),
  },
  'files.create': {
    ask: async (to) => plain(await client(to).files.create({ file: await toFile(CONTENT, 'notes.txt'), purpose: 'user_data' }, { signal: to.signal })),
    whole: accepted,
    early: [json(error('Overloaded', 'overloaded_error'))],
  },
};
const gets = {
  'files.content': {
    ask: async (to) => new Uint8Array(await (await client(to).files.content('file_1', { signal: to.signal })).arrayBuffer()),
    whole: content,
  },
};
const streams = {
  'chat.completions.create with stream: true': {
    async ask(to, seen) {
      const body = { ...question, stream: true, stream_options: { include_usage: true } };
      return eventsOf(await client(to).chat.completions.create(body, { signal: to.signal }), seen, hasText);
    },
    ...chatStream,
  },
  'chat.completions.stream': {
    async ask(to, seen) {
      const stream = client(to).chat.completions.stream(question, { signal: to.signal });
      const events = await eventsOf(stream, seen, hasText);
      return { events, final: plain(await stream.finalChatCompletion()) };
    },
    ...chatStream,
  },
  'responses.create with stream: true': {
    ask: async (to, seen) => eventsOf(await client(to).responses.create({ model: 'm', input: 'hello', stream: true }, { signal: to.signal }), seen, isDelta),
    ...responseStream,
  },
  'responses.stream': {
    async ask(to, seen) {
      const stream = client(to).responses.stream({ model: 'm', input: 'hello' }, { signal: to.signal });
      const events = await eventsOf(stream, seen, isDelta);
      return { events, final: (await stream.finalResponse()).output_text };
    },
    ...responseStream,
  },
};

recovers({ ...posts, ...gets, ...streams }, error('Overloaded'));

cancels({ ...posts, ...gets, ...streams }, (raised, reason) => {
  assert.ok(raised instanceof OpenAI.APIUserAbortError, String(raised));
  assert.equal(raised.cause, reason);
  assert.equal(historyOf(raised).mark, 'cancelled');
}, (name, raised) => {
  if (name.endsWith('.stream')) assert.ok(raised instanceof OpenAI.APIUserAbortError, String(raised));
  else assert.equal(raised, undefined);
});

/** What a failed answer is to the user. */
const is = (Class, status, code, type) => (raised) => {
  assert.ok(raised instanceof Class, String(raised));
  assert.deepEqual([raised.status, raised.code, raised.type, raised.headers.get('x-request-id'), raised.requestID], [status, code, type, 'req_9', 'req_9']);
  assert.deepEqual(raised.error, error('Told by the provider', type, code).error);
};
const failure = (status, type, code, headers) => json(error('Told by the provider', type, code), { status, headers: { 'x-request-id': 'req_9', ...headers } });
const factsOf = (raised) => {
  const { date, ...headers } = Object.fromEntries(raised.headers ?? []);
  const { status, code, type, param, requestID, message, error: body } = raised;
  return { name: raised.constructor.name, status, headers, code, type, param, requestID, message, body, ofCause: raised.cause?.message };
};

fails({ ...posts, ...streams }, {
  'a 503': { answer: failure(503, 'server_error', null), sends: 2, kind: 'overloaded', is: is(OpenAI.InternalServerError, 503, null, 'server_error') },
  'a 429 that asks for an hour': {
    answer: failure(429, 'requests', 'rate_limit_exceeded', { 'retry-after': '3600' }), sends: 1, kind: 'rate_limited',
    is: is(OpenAI.RateLimitError, 429, 'rate_limit_exceeded', 'requests'),
  },
  'a spent quota': {
    answer: failure(429, 'insufficient_quota', 'insufficient_quota'), sends: 1, kind: 'quota_exhausted',
    is: is(OpenAI.RateLimitError, 429, 'insufficient_quota', 'insufficient_quota'),
  },
  'a wrong key': {
    answer: failure(401, 'invalid_request_error', 'invalid_api_key'), sends: 1, kind: 'auth',
    is: is(OpenAI.AuthenticationError, 401, 'invalid_api_key', 'invalid_request_error'),
  },
  'a connection that is reset': {
    answer: lost, sends: 2, kind: 'transport', is: (raised) => assert.equal(raised.constructor, OpenAI.APIConnectionError),
  },
}, factsOf);

keepsSecrets({ ...posts, ...streams }, (message) => error(message));

describe('openai', { timeout: LIMIT_MS }, () => {
  const ask = posts['chat.completions.create'];

  test('withResponse gives the Response, which leads to the history', async (t) => {
    const { url } = await startProvider(t, OVERLOADED, completion());
    const { fetch } = watchedFetch();
    const { data, response: raw, request_id: id } = await client({ url, fetch }).chat.completions.create(question).withResponse();
    assert.deepEqual([data.choices[0].message.content, raw.status, id], ['Da capo', 200, 'req_1']);
    assert.equal(historyOf(raw).retry.totalAttempts, 2);
  });

  test('asResponse gives the Response itself, its body unread', async (t) => {
    const { url } = await startProvider(t, OVERLOADED, completion());
    const raw = await client({ url, ...watchedFetch() }).chat.completions.create(question).asResponse();
    assert.deepEqual([raw.bodyUsed, (await raw.json()).choices[0].message.content], [false, 'Da capo']);
    assert.equal(historyOf(raw).retry.totalAttempts, 2);
  });

  test('calls that run at once keep their answers and histories apart', async (t) => {
    const failed = new Set();
    const { url, requests } = await startProvider(t, ({ json: body }) => {
      const [{ content: asks }] = body.messages;
      if (Number(asks) % 2 === 0 || failed.has(asks)) return completion(`answer ${asks}`);
      failed.add(asks);
      return OVERLOADED;
    });
    const sdk = client({ url, ...watchedFetch() });
    const answers = await Promise.all(Array.from({ length: 20 }, (_, i) => (
      sdk.chat.completions.create({ model: 'm', messages: [{ role: 'user', content: String(i) }] }).withResponse()
    )));
    for (const [i, { data, response: raw }] of answers.entries()) {
      assert.deepEqual([data.choices[0].message.content, historyOf(raw)?.retry.totalAttempts], [`answer ${i}`, i % 2 === 0 ? undefined : 2]);
    }
    assert.equal(requests.length, 30);
  });

  test('a file that is a stream is sent once: what failed is the client’s to tell', async (t) => {
    for (const file of [toStreamingFile((async function* () { yield CONTENT; })(), 'notes.txt'), createReadStream(import.meta.filename)]) {
      const upload = { ask: async (to) => client(to).files.create({ file, purpose: 'user_data' }) };
      const { error: raised, requests, settled } = await asked(t, upload, [OVERLOADED, accepted]);
      assert.ok(raised instanceof OpenAI.InternalServerError, String(raised));
      assert.deepEqual([requests.length, settled()[0].mark], [1, 'one_shot_body']);
    }
  });

  test('a file that toFile read from a stream is sent again', async (t) => {
    const upload = { ask: async (to) => (await client(to).files.create({ file: await toFile(createReadStream(import.meta.filename)), purpose: 'user_data' })).id };
    const { value, requests } = await asked(t, upload, [OVERLOADED, accepted]);
    assert.deepEqual([value, requests.length], ['file_1', 2]);
    const source = readFileSync(import.meta.filename);
    for (const { bytes: body } of requests) assert.ok(body.includes(source));
  });

  test('a download that breaks off after its headers is the reader’s to see', async (t) => {
    const { error: raised, requests } = await asked(t, gets['files.content'], [cut(content)]);
    assert.ok(raised instanceof TypeError, String(raised));
    assert.equal(requests.length, 1);
  });

  test('an error inside a 200 that lasts is an answer to the client, and the mark in the history of its Response tells', async (t) => {
    const calls = {
      chat: (sdk) => sdk.chat.completions.create(question),
      responses: (sdk) => sdk.responses.create({ model: 'm', input: 'hello' }),
      embeddings: (sdk) => sdk.embeddings.create({ model: 'm', input: 'hello' }),
    };
    const lasting = [
      [json(error('Overloaded', 'overloaded_error')), 'attempts_exhausted', 'overloaded', 3],
      [json(error('Wrong key', 'invalid_request_error', 'invalid_api_key')), 'not_retryable', 'auth', 1],
    ];
    for (const call of Object.values(calls)) {
      for (const [answer, mark, kind, sends] of lasting) {
        const { url, requests } = await startProvider(t, answer);
        const { data, response: raw } = await call(client({ url, ...watchedFetch() })).withResponse();
        assert.deepEqual([plain(data), raw.ok, requests.length], [JSON.parse(answer.chunks[0]), true, sends]);
        assert.deepEqual([historyOf(raw).mark, historyOf(raw).last.error.kind], [mark, kind]);
      }
    }
    const { url } = await startProvider(t, failedResponse);
    const { data, response: raw } = await calls.responses(client({ url, ...watchedFetch() })).withResponse();
    assert.deepEqual([data.status, historyOf(raw).mark], ['failed', 'attempts_exhausted']);
  });

  const begun = { chat: chatStream.begun.chunks, responses: responseStream.begun.chunks };
  const late = {
    'is cut short': { end: 'cut', kind: 'transport', is: (raised) => assert.deepEqual([isRetryError(raised), raised.code], [true, 'truncated']) },
    'loses its connection': { end: 'reset', kind: 'transport', is: (raised) => assert.equal(raised.constructor, TypeError) },
    'falls silent': { end: 'stall', kind: 'timeout', is: (raised) => assert.deepEqual([raised.name, /^idleTimeoutMs/.test(raised.message)], ['TimeoutError', true]) },
  };
  for (const [failure, { end, kind, is: isIt }] of Object.entries(late)) {
    test(`a stream that ${failure} after its first output raises that once, inside an OpenAIError of the helpers`, async (t) => {
      for (const [name, call] of Object.entries(streams)) {
        const chunks = begun[name.split('.')[0]];
        const { error: raised, requests } = await asked(t, call, [sse(chunks, { end }), call.whole], { idleTimeoutMs: 300 });
        if (name.endsWith('.stream')) assert.equal(raised.constructor, OpenAI.OpenAIError, name);
        isIt(name.endsWith('.stream') ? raised.cause : raised);
        assert.deepEqual([historyOf(raised).mark, historyOf(raised).last.streamed, matchesKind(raised, kind), requests.length], ['output_begun', true, true, 1]);
      }
    });
  }

  test('without dacapo a stream of create that is cut short ends like a whole one', async (t) => {
    for (const [name, call] of Object.entries(streams).filter(([its]) => its.includes('create'))) {
      const { error: raised, value } = await asked(t, call, [sse(begun[name.split('.')[0]], { end: 'cut' })], {}, { fetch: globalThis.fetch });
      assert.deepEqual([raised, value.length > 0], [undefined, true]);
    }
  });

  test('an error event after the first output surfaces once, as the client’s own error, and leads to the history', async (t) => {
    for (const call of [streams['chat.completions.create with stream: true'], streams['chat.completions.stream']]) {
      const { error: raised, requests } = await asked(t, call, [sse([...begun.chat, chat.overloaded]), chatStream.whole]);
      assert.ok(raised instanceof OpenAI.APIError, String(raised));
      assert.deepEqual([raised.code, raised.type, requests.length], ['overloaded_error', 'overloaded_error', 1]);
      assert.deepEqual([historyOf(raised).last.streamed, matchesKind(raised, 'overloaded')], [true, true]);
    }
  });

  test('a failure told after the first output of a response is an event, and the Response leads to the history', async (t) => {
    const { url, requests } = await startProvider(t, sse([events.start, events.text('Da '), events.failed]), responseStream.whole);
    const { data, response: raw } = await client({ url, ...watchedFetch() }).responses.create({ model: 'm', input: 'hello', stream: true }).withResponse();
    const types = [];
    for await (const { type } of data) types.push(type);
    assert.deepEqual([types.at(-1), requests.length, historyOf(raw).last.streamed], ['response.failed', 1, true]);
  });

  test('its timeout ends a wait: it spans all attempts, and its error leads to the history', async (t) => {
    const options = { clock: undefined, initialDelayMs: 60_000, maxDelayMs: 60_000 };
    const { error: raised, requests, settled } = await asked(t, ask, [OVERLOADED], options, { timeoutMs: 400 });
    assert.equal(raised.constructor, OpenAI.APIConnectionTimeoutError);
    assert.equal(requests.length, 1);
    assert.deepEqual([settled()[0].mark, settled()[0].attempts[0].error.kind], ['cancelled', 'overloaded']);
    assert.equal(historyOf(raised), settled()[0]);
  });

  for (const [option, kind, mark, sends] of [['timeoutMs', 'timeout', 'attempts_exhausted', 2], ['deadlineMs', 'deadline_exceeded', 'deadline_exceeded', 1]]) {
    test(`${option} is a timeout to the client, whose error leads to the history`, async (t) => {
      const { error: raised, requests } = await asked(t, ask, [unanswered], { clock: undefined, [option]: 400, maxAttempts: 2, maxDelayMs: 0, initialDelayMs: 0 });
      assert.equal(raised.constructor, OpenAI.APIConnectionTimeoutError);
      assert.match(raised.cause.message, new RegExp(option));
      assert.deepEqual([requests.length, historyOf(raised).mark, matchesKind(raised, kind)], [sends, mark, true]);
    });
  }

  test('a breaker that is open is a connection error whose cause is the RetryError', async (t) => {
    const provider = await startProvider(t, OVERLOADED);
    const { fetch } = watchedFetch({ maxAttempts: 1, breaker: { failures: 1 } });
    await assert.rejects(ask.ask({ url: provider.url, fetch }), OpenAI.InternalServerError);
    const raised = await ask.ask({ url: provider.url, fetch }).catch((caught) => caught);
    assert.equal(raised.constructor, OpenAI.APIConnectionError);
    assert.deepEqual([matchesKind(raised, 'circuit_open'), raised.cause.kind, provider.requests.length], [true, 'circuit_open', 1]);
    assert.ok(raised.cause.retryAfterMs > 0);
  });

  test('the client takes every attempt for its first: x-stainless-retry-count stays 0, an idempotency key the same', async (t) => {
    const { url, requests } = await startProvider(t, OVERLOADED, completion());
    await client({ url, ...watchedFetch() }).chat.completions.create(question, { idempotencyKey: 'key-1', headers: { 'idempotency-key': 'key-1' } });
    assert.deepEqual(requests.map(({ headers }) => [headers['x-stainless-retry-count'], headers['idempotency-key']]), [['0', 'key-1'], ['0', 'key-1']]);
  });

  test('idempotencyKey and retryCountHeader of createFetch add what the client does not send', async (t) => {
    const { url, requests } = await startProvider(t, OVERLOADED, completion());
    await client({ url, ...watchedFetch({ idempotencyKey: true, retryCountHeader: 'x-retry' }) }).chat.completions.create(question);
    const [first, second] = requests.map(({ headers }) => headers);
    assert.ok(first['idempotency-key']);
    assert.equal(first['idempotency-key'], second['idempotency-key']);
    assert.equal(second['x-retry'], '1');
  });

  test('its own retries left on multiply: two of its three tries, each of three attempts', async (t) => {
    const { url, requests } = await startProvider(t, json(error('Overloaded'), { status: 503, headers: { 'retry-after-ms': '1' } }));
    const sdk = new OpenAI({ apiKey: 'sk-none', baseURL: url, maxRetries: 1, ...watchedFetch() });
    await assert.rejects(sdk.chat.completions.create(question), OpenAI.InternalServerError);
    assert.equal(requests.length, 6);
  });
});

const LIMITED = failure(429, 'requests', 'rate_limit_exceeded');
examplesRun('openai', (url) => ({ OPENAI_API_KEY: 'sk-none', OPENAI_BASE_URL: url }), {
  first: [OVERLOADED, response()],
  errors: [LIMITED, LIMITED],
  stream: [sse([events.start, events.failed]), responseStream.whole],
  'inside-200': Array(2).fill(json(error('Overloaded', 'overloaded_error'))),
  cancel: [OVERLOADED],
});
