// @google/genai with our fetch in its httpOptions. It retries nothing by itself, except in `interactions`.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { ApiError, GoogleGenAI } from '@google/genai';
import { classify, createFetch, historyOf, isRetryError, matchesKind } from 'dacapo';
import { asked, cancels, fails, keepsSecrets, LIMIT_MS, recovers, watchedFetch } from './lib/claims.js';
import { examplesRun } from './lib/page.js';
import { json, lost, sse, startProvider, unanswered } from './lib/provider.js';

const KEY = 'canary-Hq7Tn2Vw9Zx4Kp6R';
const OVERLOADED = { error: { code: 503, message: 'The model is overloaded.', status: 'UNAVAILABLE' } };
const LIMITED = {
  error: { code: 429, message: 'Quota exceeded', status: 'RESOURCE_EXHAUSTED', details: [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '7s' }] },
};

const data = (value) => `data: ${JSON.stringify(value)}\r\n\r\n`;
const part = (text, more = {}) => ({ candidates: [{ content: { parts: [{ text }], role: 'model' }, index: 0, ...more }], modelVersion: 'm', responseId: 'r-1' });
const usageMetadata = { promptTokenCount: 11, candidatesTokenCount: 6, totalTokenCount: 17 };
const WHOLE = { ...part('Da capo', { finishReason: 'STOP' }), usageMetadata };
const OPENING = data({ ...part(''), usageMetadata: { promptTokenCount: 11 } });
const FRAMES = [OPENING, data(part('Da ')), data(part('capo')), data({ ...part('', { finishReason: 'STOP' }), usageMetadata })];

const client = ({ url, fetch, apiKey = KEY, timeoutMs }) => new GoogleGenAI({ apiKey, httpOptions: { baseUrl: url, fetch, timeout: timeoutMs } });
const question = (signal) => ({ model: 'm', contents: 'Where do we start?', config: { abortSignal: signal } });

/** All that the user gets, without the time of day. */
function plain(response) {
  const { sdkHttpResponse, ...rest } = JSON.parse(JSON.stringify(response));
  delete sdkHttpResponse.headers.date;
  return { ...rest, sdkHttpResponse, text: response.text };
}

const calls = {
  generateContent: {
    ask: async (to) => plain(await client(to).models.generateContent(question(to.signal))),
    whole: json(WHOLE),
    early: [json(OVERLOADED), json(WHOLE, { end: 'reset' })],
  },
  generateContentStream: {
    async ask(to, seen) {
      const chunks = [];
      for await (const chunk of await client(to).models.generateContentStream(question(to.signal))) {
        chunks.push(plain(chunk));
        if (chunk.text) seen(chunk.text);
      }
      return chunks;
    },
    whole: sse(FRAMES),
    early: [sse([OPENING, data(OVERLOADED)]), sse([OPENING], { end: 'reset' }), sse([OPENING], { end: 'cut' }), sse([])],
    begun: sse(FRAMES.slice(0, 2), { end: 'stall' }),
  },
};

recovers(calls, OVERLOADED);
keepsSecrets(calls, (message) => ({ error: { ...OVERLOADED.error, message } }));

// The client has no abort error of its own, and keeps the user's reason from the fetch that it calls.
cancels(calls, (error) => {
  assert.ok(error instanceof DOMException, String(error));
  assert.equal(error.name, 'AbortError');
});

// The client's error keeps neither the Response nor its headers: nothing leads from it to the call.
const isApiError = (error) => assert.ok(error instanceof ApiError, String(error));
fails(calls, {
  'a 503': { answer: json(OVERLOADED, { status: 503 }), sends: 2, kind: 'overloaded', is: isApiError },
  'a 429': { answer: json(LIMITED, { status: 429 }), sends: 2, kind: 'rate_limited', is: isApiError },
  'a 400': { answer: json({ error: { code: 400, message: 'no', status: 'INVALID_ARGUMENT' } }, { status: 400 }), sends: 1, kind: 'bad_request', is: isApiError },
}, ({ name, message, status }) => ({ name, message, status }), { leads: false });

describe('@google/genai', { timeout: LIMIT_MS, concurrency: 4 }, () => {
  for (const [name, call] of Object.entries(calls)) {
    test(`${name} over a lost connection rejects with the platform's error, which leads to the history`, async (t) => {
      const native = await asked(t, call, [lost], {}, { fetch: globalThis.fetch });
      const { error, settled } = await asked(t, call, [lost]);
      assert.deepEqual([error.constructor, error.message], [native.error.constructor, native.error.message]);
      assert.deepEqual([matchesKind(error, 'transport'), historyOf(error)], [true, settled()[0]]);
    });

    test(`${name} is refused by an open breaker with an error that says so`, async (t) => {
      const provider = await startProvider(t, json(OVERLOADED, { status: 503 }), call.whole);
      const { fetch } = watchedFetch({ breaker: { failures: 1 }, maxAttempts: 1 });
      const ask = () => call.ask({ url: provider.url, fetch }, () => undefined);
      await assert.rejects(ask(), ApiError);
      await assert.rejects(ask(), (error) => isRetryError(error) && error.kind === 'circuit_open' && error.retryAfterMs > 0);
      assert.equal(provider.requests.length, 1);
    });

    test(`${name}: its timeout spans all attempts and waits, ends as an abort, and tells the server its own length`, async (t) => {
      const provider = await startProvider(t, json(OVERLOADED, { status: 503 }), call.whole);
      const { fetch } = watchedFetch({ clock: undefined, initialDelayMs: 60_000, maxDelayMs: 60_000 });
      await assert.rejects(call.ask({ url: provider.url, fetch, timeoutMs: 600 }, () => undefined), { name: 'AbortError' });
      assert.deepEqual(provider.requests.map(({ headers }) => headers['x-server-timeout']), ['1']);
    });
  }

  test('its error has the status and the body as its message, of which classify knows the kind', async (t) => {
    for (const [body, status, kind] of [[OVERLOADED, 503, 'overloaded'], [LIMITED, 429, 'rate_limited']]) {
      const { error } = await asked(t, calls.generateContent, [json(body, { status })]);
      assert.deepEqual([error.status, JSON.parse(error.message), classify({ error }).kind], [status, body, kind]);
    }
  });

  test('timeoutMs is for one attempt, and after the last one the error names it', async (t) => {
    const { error, requests } = await asked(t, calls.generateContent, [unanswered], { timeoutMs: 400, maxAttempts: 2 });
    assert.deepEqual([error.name, /timeoutMs/.test(error.message), requests.length], ['TimeoutError', true, 2]);
    assert.equal(historyOf(error).last.error.kind, 'timeout');
  });

  test('the wait that Google tells in the body is waited out', async (t) => {
    const { value, clock } = await asked(t, calls.generateContent, [json(LIMITED, { status: 429 }), calls.generateContent.whole]);
    assert.deepEqual([value.text, clock.waits], ['Da capo', [7000]]);
  });

  test('an error told after the first output is the client\'s to raise, once', async (t) => {
    const provider = await startProvider(t, sse([...FRAMES.slice(0, 2), data(OVERLOADED)]), calls.generateContentStream.whole);
    const heard = [];
    const { fetch, settled } = watchedFetch();
    await assert.rejects(calls.generateContentStream.ask({ url: provider.url, fetch }, (text) => heard.push(text)), { name: 'ApiError', status: 503 });
    assert.deepEqual([heard, provider.requests.length, settled().length], [['Da '], 1, 0]);
  });

  test('a stream that is cut short after its first output cannot pass for a whole answer', async (t) => {
    const cut = sse(FRAMES.slice(0, 2), { end: 'cut' });
    const native = await asked(t, calls.generateContentStream, [cut], {}, { fetch: globalThis.fetch });
    assert.equal(native.error, undefined);
    const { error } = await asked(t, calls.generateContentStream, [cut]);
    assert.ok(isRetryError(error), String(error));
    assert.deepEqual([error.code, historyOf(error).last.streamed], ['truncated', true]);
  });

  test('a loop that is left keeps the connection, with us as without: the signal lets the server go', async (t) => {
    for (const fetch of [globalThis.fetch, createFetch()]) {
      const provider = await startProvider(t, calls.generateContentStream.begun);
      const controller = new AbortController();
      for await (const { text } of await client({ url: provider.url, fetch }).models.generateContentStream(question(controller.signal))) if (text) break;
      const [{ left }] = provider.requests;
      const still = new Promise((resolve) => setTimeout(resolve, 100, 'connected'));
      assert.equal(await Promise.race([left, still]), 'connected');
      controller.abort();
      await left;
    }
  });

  test('httpOptions.fetch of one call has that call\'s options and events', async (t) => {
    const provider = await startProvider(t, json(OVERLOADED, { status: 503 }), json(WHOLE));
    const { fetch, settled } = watchedFetch();
    const ai = client({ url: provider.url, fetch });
    const histories = [];
    const mine = fetch.with({ onEvent: (event) => event.type === 'settled' && histories.push(event.history) });
    const { text } = await ai.models.generateContent({ model: 'm', contents: 'hello', config: { httpOptions: { fetch: mine } } });
    assert.deepEqual([text, histories.map(({ retry }) => retry.totalAttempts), settled()], ['Da capo', [2], []]);
  });

  test('calls that are made at once get each its own answer', async (t) => {
    const texts = new Map();
    const provider = await startProvider(t, ({ json: { contents } }) => {
      const [{ parts: [{ text }] }] = contents;
      if (texts.has(text)) return json({ ...part(text, { finishReason: 'STOP' }) });
      texts.set(text, true);
      return json(OVERLOADED, { status: 503 });
    });
    const { fetch } = watchedFetch();
    const ai = client({ url: provider.url, fetch });
    const questions = Array.from({ length: 20 }, (_, n) => `question ${n}`);
    const answers = await Promise.all(questions.map(async (contents) => (await ai.models.generateContent({ model: 'm', contents })).text));
    assert.deepEqual([answers, provider.requests.length], [questions, 40]);
  });

  test('a key of no known shape is in nothing that is shown, though the provider quotes it', async (t) => {
    const quotes = ({ headers }) => json({ error: { ...OVERLOADED.error, message: `Bad key ${headers['x-goog-api-key']}` } }, { status: 503 });
    const { events, requests } = await asked(t, calls.generateContent, [quotes], {}, { apiKey: KEY });
    assert.equal(requests[0].headers['x-goog-api-key'], KEY);
    assert.equal(events.at(-1).history.last.error.message.startsWith('Bad key'), true);
    assert.ok(!JSON.stringify(events).includes(KEY));
  });

  test('with retryOptions the layers multiply', async (t) => {
    const provider = await startProvider(t, json(OVERLOADED, { status: 503 }));
    const { fetch } = watchedFetch({ maxAttempts: 2 });
    const ai = new GoogleGenAI({ apiKey: KEY, httpOptions: { baseUrl: provider.url, fetch, retryOptions: { attempts: 2, initialDelay: 0, maxDelay: 0 } } });
    await assert.rejects(ai.models.generateContent(question()), ApiError);
    assert.equal(provider.requests.length, 4);
  });

  test('a file is uploaded whole though both of its requests are refused once', async (t) => {
    const bytes = new Blob(['Da capo al fine'], { type: 'text/plain' });
    const refused = json(OVERLOADED, { status: 503 });
    const start = ({ headers }) => json({}, { headers: { 'x-goog-upload-url': `http://${headers.host}/upload/1` } });
    const done = json({ file: { name: 'files/1', uri: 'https://files.example/1' } }, { headers: { 'x-goog-upload-status': 'final' } });
    const provider = await startProvider(t, refused, start, refused, done);
    const { fetch } = watchedFetch();
    const file = await client({ url: provider.url, fetch }).files.upload({ file: bytes, config: { displayName: 'fine' } });
    assert.equal(file.name, 'files/1');
    const sent = provider.requests.map(({ path, headers, bytes: body }) => [path, headers['x-goog-upload-command'], body.toString()]);
    assert.deepEqual([sent[0], sent[2]], [sent[1], sent[3]]);
    assert.deepEqual(sent[3], ['/upload/1', 'upload, finalize', 'Da capo al fine']);
  });

  test('interactions retries by itself, unless its maxRetries is 0', async (t) => {
    const answer = { id: 'i-1', object: 'interaction', model: 'm', status: 'completed', outputs: [{ type: 'text', text: 'Da capo' }] };
    const provider = await startProvider(t, json(OVERLOADED, { status: 503 }));
    const { fetch } = watchedFetch({ maxAttempts: 2 });
    const error = await client({ url: provider.url, fetch }).interactions.create({ model: 'm', input: 'hello' }, { maxRetries: 0 }).catch((caught) => caught);
    assert.deepEqual([error.status, provider.requests.length, matchesKind(error, 'overloaded')], [503, 2, true]);
    const layered = await startProvider(t, json(OVERLOADED, { status: 503 }), json(OVERLOADED, { status: 503 }), json(answer));
    await client({ url: layered.url, fetch }).interactions.create({ model: 'm', input: 'hello' });
    assert.equal(layered.requests.length, 3, 'the third request is the client\'s');
    const better = await startProvider(t, json(OVERLOADED, { status: 503 }), json(answer));
    const { id } = await client({ url: better.url, fetch }).interactions.create({ model: 'm', input: 'hello' }, { maxRetries: 0 });
    assert.deepEqual([id, better.requests.length], ['i-1', 2]);
  });
});

// By itself: it stands in for the fetch of all others.
test('the client lifts the limits of Node.js for the platform\'s fetch only, and what they end is a timeout', { timeout: LIMIT_MS }, async () => {
  const inits = [];
  const platform = globalThis.fetch;
  globalThis.fetch = async (url, init) => {
    inits.push(init);
    return Response.json(WHOLE);
  };
  try {
    for (const fetch of [undefined, createFetch()]) await client({ url: 'http://127.0.0.1:9', fetch }).models.generateContent(question());
  } finally {
    globalThis.fetch = platform;
  }
  assert.deepEqual(inits.map((init) => 'dispatcher' in init), [true, false]);
  for (const code of ['UND_ERR_HEADERS_TIMEOUT', 'UND_ERR_BODY_TIMEOUT']) {
    assert.equal(classify({ error: new TypeError('terminated', { cause: Object.assign(new Error('m'), { code }) }) }).kind, 'timeout');
  }
});

const refused = json(OVERLOADED, { status: 503 });
examplesRun('google-genai', (url) => ({ GOOGLE_GEMINI_BASE_URL: url, GEMINI_API_KEY: KEY }), {
  'first-call': [refused, json(WHOLE)],
  interactions: [refused, json({ id: 'i-1', status: 'completed' })],
  errors: [refused, refused],
});
