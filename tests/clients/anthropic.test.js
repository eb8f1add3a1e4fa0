// The @anthropic-ai/sdk package with a fetch of dacapo.

import assert from 'node:assert/strict';
import { createReadStream, readFileSync } from 'node:fs';
import { describe, test } from 'node:test';

import Anthropic, { toFile } from '@anthropic-ai/sdk';
import { createFetch, historyOf, isRetryError, matchesKind, retry } from 'dacapo';
import { content, CONTENT, count, error, file, message, messageStream } from './lib/anthropic-wire.js';
import { asked, cancels, fails, keepsSecrets, LIMIT_MS, recovers, watchedFetch } from './lib/claims.js';
import { examplesRun } from './lib/page.js';
import { json, lost, sse, startProvider, unanswered } from './lib/provider.js';
import { messages } from '../js/lib/stream-frames.js';

const OVERLOADED = json(error('Overloaded', 'overloaded_error'), { status: 529 });
const question = { model: 'm', max_tokens: 10, messages: [{ role: 'user', content: 'Where do we start?' }] };
const client = ({ url, fetch, apiKey = 'none', timeoutMs, ...more }) => (
  new Anthropic({ apiKey, baseURL: url, fetch, maxRetries: 0, ...(timeoutMs && { timeout: timeoutMs }), ...more })
);
/** An answer without the links that it has to its request. */
const plain = (value) => JSON.parse(JSON.stringify(value));
const textOf = ({ type, delta }) => (type === 'content_block_delta' ? delta.text : undefined);

const cut = (answer) => ({ ...answer, headers: { ...answer.headers, 'content-length': '5000' }, end: 'reset' });

const posts = {
  'messages.create': {
    ask: async (to) => plain(await client(to).messages.create(question, { signal: to.signal })),
    whole: message(),
    early: [json(error('Overloaded', 'overloaded_error')), cut(message()), { headers: { 'content-type': 'application/json' }, chunks: ['{"id":'] }],
  },
  'messages.countTokens': {
    ask: async (to) => plain(await client(to).messages.countTokens({ model: 'm', messages: question.messages }, { signal: to.signal })),
    whole: count,
    early: [json(error('Overloaded', 'overloaded_error'))],
  },
  'beta.files.upload': {
    ask: async (to) => plain(await client(to).beta.files.upload({ file: await toFile(CONTENT, 'notes.txt', { type: 'text/plain' }) }, { signal: to.signal })),
    whole: file,
    early: [json(error('Overloaded', 'overloaded_error'))],
  },
};
const gets = {
  'beta.files.download': {
    ask: async (to) => new Uint8Array(await (await client(to).beta.files.download('file_1', {}, { signal: to.signal })).arrayBuffer()),
    whole: content,
  },
};
const streams = {
  'messages.create with stream: true': {
    async ask(to, seen) {
      const events = [];
      for await (const event of await client(to).messages.create({ ...question, stream: true }, { signal: to.signal })) {
        events.push(plain(event));
        if (textOf(event)) seen(event);
      }
      return events;
    },
    ...messageStream,
  },
  'messages.stream': {
    async ask(to, seen) {
      const told = [];
      const stream = client(to).messages.stream(question, { signal: to.signal });
      for (const name of ['connect', 'text', 'contentBlock', 'message', 'finalMessage', 'end']) {
        stream.on(name, (value) => {
          told.push([name, value === undefined ? undefined : plain(value)]);
          if (name === 'text') seen(value);
        });
      }
      return { final: plain(await stream.finalMessage()), text: await stream.finalText(), told };
    },
    ...messageStream,
  },
};

recovers({ ...posts, ...gets, ...streams }, error('Overloaded', 'overloaded_error'));

cancels({ ...posts, ...gets, ...streams }, (raised) => {
  assert.ok(raised instanceof Anthropic.APIUserAbortError, String(raised));
  assert.equal(historyOf(raised), undefined);
}, (name, raised) => {
  if (name.endsWith('.stream')) assert.ok(raised instanceof Anthropic.APIUserAbortError, String(raised));
  else assert.equal(raised, undefined);
});

const is = (Class, status, type) => (raised) => {
  assert.ok(raised instanceof Class, String(raised));
  assert.deepEqual([raised.status, raised.type, raised.headers.get('request-id'), raised.requestID], [status, type, 'req_9', 'req_9']);
  assert.deepEqual(raised.error, error('Told by the provider', type));
};
const failure = (status, type, headers) => json(error('Told by the provider', type), { status, headers: { 'request-id': 'req_9', ...headers } });
const factsOf = (raised) => {
  const { date, ...headers } = Object.fromEntries(raised.headers ?? []);
  const { status, type, requestID, message: text, error: body } = raised;
  return { name: raised.constructor.name, status, headers, type, requestID, text, body, ofCause: raised.cause?.message };
};

fails({ ...posts, ...streams }, {
  'a 529': { answer: failure(529, 'overloaded_error'), sends: 2, kind: 'overloaded', is: is(Anthropic.OverloadedError, 529, 'overloaded_error') },
  'a 429 that asks for an hour': {
    answer: failure(429, 'rate_limit_error', { 'retry-after': '3600' }), sends: 1, kind: 'rate_limited', is: is(Anthropic.RateLimitError, 429, 'rate_limit_error'),
  },
  'a wrong key': { answer: failure(401, 'authentication_error'), sends: 1, kind: 'auth', is: is(Anthropic.AuthenticationError, 401, 'authentication_error') },
  'a connection that is reset': {
    answer: lost, sends: 2, kind: 'transport', is: (raised) => assert.equal(raised.constructor, Anthropic.APIConnectionError),
  },
}, factsOf);

keepsSecrets({ ...posts, ...streams }, (text) => error(text));

describe('@anthropic-ai/sdk', { timeout: LIMIT_MS }, () => {
  const ask = posts['messages.create'];

  test('withResponse gives the Response, which leads to the history; so does that of the helper', async (t) => {
    const { url } = await startProvider(t, OVERLOADED, message(), OVERLOADED, messageStream.whole);
    const sdk = client({ url, ...watchedFetch() });
    const { data, response, request_id: id } = await sdk.messages.create(question).withResponse();
    assert.deepEqual([data.content[0].text, id, historyOf(response).retry.totalAttempts], ['Da capo', 'req_1', 2]);
    const stream = sdk.messages.stream(question);
    const { response: raw } = await stream.withResponse();
    assert.equal(await stream.finalText(), 'Da capo');
    assert.equal(historyOf(raw).retry.totalAttempts, 2);
  });

  test('an error inside a 200 that lasts is an answer to the client, and the mark in the history of its Response tells', async (t) => {
    for (const [type, mark, kind, sends] of [['overloaded_error', 'attempts_exhausted', 'overloaded', 3], ['authentication_error', 'not_retryable', 'auth', 1]]) {
      const { url, requests } = await startProvider(t, json(error('Told by the provider', type)));
      const { data, response: raw } = await client({ url, ...watchedFetch() }).messages.create(question).withResponse();
      assert.deepEqual([plain(data), raw.ok, requests.length], [error('Told by the provider', type), true, sends]);
      assert.deepEqual([historyOf(raw).mark, historyOf(raw).last.error.kind], [mark, kind]);
    }
  });

  const late = {
    'is cut short': { end: 'cut', kind: 'transport', is: (raised) => assert.deepEqual([isRetryError(raised), raised.code], [true, 'truncated']) },
    'loses its connection': { end: 'reset', kind: 'transport', is: (raised) => assert.equal(raised.constructor, TypeError) },
    'falls silent': { end: 'stall', kind: 'timeout', is: (raised) => assert.deepEqual([raised.name, /^idleTimeoutMs/.test(raised.message)], ['TimeoutError', true]) },
  };
  for (const [failure, { end, kind, is: isIt }] of Object.entries(late)) {
    test(`a stream that ${failure} after its first output raises that once, inside an AnthropicError of messages.stream`, async (t) => {
      for (const [name, call] of Object.entries(streams)) {
        const { error: raised, requests } = await asked(t, call, [sse(messageStream.begun.chunks, { end }), messageStream.whole], { idleTimeoutMs: 300 });
        if (name.endsWith('.stream')) assert.equal(raised.constructor, Anthropic.AnthropicError, name);
        isIt(name.endsWith('.stream') ? raised.cause : raised);
        assert.deepEqual([historyOf(raised).mark, historyOf(raised).last.streamed, matchesKind(raised, kind), requests.length], ['output_begun', true, true, 1]);
      }
    });
  }

  test('without dacapo a stream of create that is cut short ends like a whole one', async (t) => {
    const cutShort = sse(messageStream.begun.chunks, { end: 'cut' });
    const { error: raised, value } = await asked(t, streams['messages.create with stream: true'], [cutShort], {}, { fetch: globalThis.fetch });
    assert.deepEqual([raised, value.length > 0], [undefined, true]);
  });

  test('an error event after the first output surfaces once, as the client’s own error, and leads to the history', async (t) => {
    const late = sse([messages.start, messages.text('Da '), messages.overloaded]);
    for (const call of Object.values(streams)) {
      const { error: raised, requests } = await asked(t, call, [late, messageStream.whole]);
      assert.ok(raised instanceof Anthropic.APIError, String(raised));
      assert.deepEqual([raised.type, raised.error.error.message, requests.length], ['overloaded_error', 'Overloaded', 1]);
      assert.deepEqual([historyOf(raised).last.streamed, matchesKind(raised, 'overloaded')], [true, true]);
    }
  });

  test('its timeout ends a wait: it spans all attempts, and onEvent alone tells of the history', async (t) => {
    const options = { clock: undefined, initialDelayMs: 60_000, maxDelayMs: 60_000 };
    const { error: raised, requests, settled } = await asked(t, ask, [OVERLOADED], options, { timeoutMs: 400 });
    assert.equal(raised.constructor, Anthropic.APIConnectionTimeoutError);
    assert.deepEqual([requests.length, historyOf(raised)], [1, undefined]);
    assert.deepEqual([settled()[0].mark, settled()[0].attempts[0].error.kind], ['cancelled', 'overloaded']);
  });

  for (const [option, mark, sends] of [['timeoutMs', 'attempts_exhausted', 2], ['deadlineMs', 'deadline_exceeded', 1]]) {
    test(`${option} is a timeout to the client, and onEvent alone tells of the history`, async (t) => {
      const { error: raised, requests, settled } = await asked(t, ask, [unanswered], { clock: undefined, [option]: 400, maxAttempts: 2, maxDelayMs: 0, initialDelayMs: 0 });
      assert.equal(raised.constructor, Anthropic.APIConnectionTimeoutError);
      assert.deepEqual([requests.length, historyOf(raised), settled()[0].mark], [sends, undefined, mark]);
    });
  }

  test('a breaker that is open is a connection error whose cause is the RetryError', async (t) => {
    const provider = await startProvider(t, OVERLOADED);
    const { fetch } = watchedFetch({ maxAttempts: 1, breaker: { failures: 1 } });
    await assert.rejects(ask.ask({ url: provider.url, fetch }), Anthropic.InternalServerError);
    const raised = await ask.ask({ url: provider.url, fetch }).catch((caught) => caught);
    assert.equal(raised.constructor, Anthropic.APIConnectionError);
    assert.deepEqual([matchesKind(raised, 'circuit_open'), raised.cause.kind, provider.requests.length], [true, 'circuit_open', 1]);
  });

  test('a file that is a stream is read first, and sent again', async (t) => {
    const upload = { ask: async (to) => (await client(to).beta.files.upload({ file: createReadStream(import.meta.filename) })).id };
    const { value, requests } = await asked(t, upload, [OVERLOADED, file]);
    assert.deepEqual([value, requests.length], ['file_1', 2]);
    const source = readFileSync(import.meta.filename);
    for (const { bytes: body } of requests) assert.ok(body.includes(source));
  });

  test('the client takes every attempt for its first: x-stainless-retry-count stays 0', async (t) => {
    const { url, requests } = await startProvider(t, OVERLOADED, message());
    await client({ url, ...watchedFetch({ retryCountHeader: 'x-retry' }) }).messages.create(question);
    assert.deepEqual(requests.map(({ headers }) => [headers['x-stainless-retry-count'], headers['x-retry']]), [['0', '0'], ['0', '1']]);
  });

  test('middleware is around all attempts, and what retry raises in it reaches the caller as it is', async (t) => {
    const { url, requests } = await startProvider(t, OVERLOADED);
    const seen = [];
    const watches = async (request, next) => {
      const response = await next(request);
      seen.push([response.status, historyOf(response).retry.totalAttempts]);
      return response;
    };
    await assert.rejects(client({ url, ...watchedFetch(), middleware: [watches] }).messages.create(question), Anthropic.InternalServerError);
    assert.deepEqual([seen, requests.length], [[[529, 3]], 3]);

    const { clock } = watchedFetch();
    const retries = (request, next) => retry(async () => {
      const response = await next(request);
      if (!response.ok) throw Object.assign(new Error('failed'), { response });
      return response;
    }, { clock, maxAttempts: 2 });
    const raised = await client({ url, middleware: [retries] }).messages.create(question).catch((caught) => caught);
    assert.ok(isRetryError(raised), String(raised));
    assert.deepEqual([raised.kind, raised.retry.totalAttempts, requests.length], ['overloaded', 2, 5]);
  });

  test('its own retries left on multiply: two of its three tries, each of three attempts', async (t) => {
    const { url, requests } = await startProvider(t, json(error('Overloaded'), { status: 529, headers: { 'retry-after-ms': '1' } }));
    const sdk = new Anthropic({ apiKey: 'none', baseURL: url, maxRetries: 1, fetch: createFetch({ initialDelayMs: 0, maxDelayMs: 0 }) });
    await assert.rejects(sdk.messages.create(question), Anthropic.InternalServerError);
    assert.equal(requests.length, 6);
  });
});

examplesRun('anthropic', (url) => ({ ANTHROPIC_API_KEY: 'none', ANTHROPIC_BASE_URL: url }), {
  first: [OVERLOADED, message()],
  errors: [OVERLOADED, OVERLOADED],
  stream: [sse([messages.start, messages.overloaded]), messageStream.whole],
  'inside-200': Array(2).fill(json(error('Overloaded', 'overloaded_error'))),
  cancel: [OVERLOADED],
});
