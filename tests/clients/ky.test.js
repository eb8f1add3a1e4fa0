// ky with our fetch, its own retries and timeout off.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import ky, { HTTPError, NetworkError, TimeoutError } from 'ky';
import { createFetch, historyOf, isRetryError, matchesKind, retry } from 'dacapo';
import { chat } from '../js/lib/stream-frames.js';
import { assertNoSecret } from '../js/lib/canaries.js';
import { fakeClock } from '../js/lib/clock.js';
import { asked, cancels, fails, LIMIT_MS, recovers, watchedFetch } from './lib/claims.js';
import { examplesRun } from './lib/page.js';
import { json, lost, sse, startProvider, unanswered } from './lib/provider.js';
import { redirectedTo } from './lib/redirected.js';

const OVERLOADED = { error: { message: 'The server is overloaded', type: 'overloaded_error', code: 'overloaded_error' } };
const ANSWER = { id: 'a-1', text: 'Da capo' };
const FRAMES = [chat.start, chat.text('Da '), chat.text('capo'), chat.stop, chat.done];

const client = ({ url, fetch, apiKey = 'test', timeoutMs }) => ky.create({
  prefix: url, fetch, retry: 0, timeout: timeoutMs ?? false, headers: { authorization: `Bearer ${apiKey}` },
});
const question = { json: { ask: 'Where do we start?' } };

const calls = {
  'post().json()': {
    ask: (to) => client(to).post('v1/answers', { ...question, signal: to.signal }).json(),
    whole: json(ANSWER),
    early: [json(OVERLOADED), json(ANSWER, { end: 'reset' })],
  },
  'get().text()': {
    ask: (to) => client(to).get('v1/answers', { signal: to.signal }).text(),
    whole: json(ANSWER),
  },
  'a body that streams': {
    async ask(to, seen) {
      const response = await client(to).post('v1/answers', { ...question, signal: to.signal });
      let text = '';
      for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
        text += piece;
        if (text.includes('Da ')) seen(text);
      }
      return text;
    },
    whole: sse(FRAMES),
    early: [sse([chat.start, chat.overloaded]), sse([chat.start], { end: 'reset' }), sse([chat.start], { end: 'cut' }), sse([])],
    begun: sse(FRAMES.slice(0, 2), { end: 'stall' }),
  },
};

recovers(calls, OVERLOADED);
cancels(calls, (error, reason) => assert.equal(error, reason));

const HEADERS = { 'x-request-id': 'req-7' };
const isHttpError = (error) => assert.ok(error instanceof HTTPError, String(error));
fails(calls, {
  'a 503': { answer: json(OVERLOADED, { status: 503, headers: HEADERS }), sends: 2, kind: 'overloaded', is: isHttpError },
  'a 404': { answer: json({ error: { message: 'no' } }, { status: 404, headers: HEADERS }), sends: 1, kind: 'not_found', is: isHttpError },
}, ({ name, data, response, request }) => ({ name, data, status: response.status, id: response.headers.get('x-request-id'), method: request.method }));
fails(calls, {
  'a lost connection': { answer: lost, sends: 2, kind: 'transport', is: (error) => assert.ok(error instanceof NetworkError, String(error)) },
}, ({ name, cause }) => ({ name, cause: cause.constructor, message: cause.message }));

describe('ky', { timeout: LIMIT_MS, concurrency: 4 }, () => {
  const ask = calls['post().json()'];

  test('aborted without a reason, a call ends with the platform\'s AbortError, which leads to the history', async (t) => {
    const provider = await startProvider(t, unanswered);
    const controller = new AbortController();
    const outcome = ask.ask({ url: provider.url, fetch: createFetch(), signal: controller.signal }).catch((error) => error);
    await provider.asked(1);
    controller.abort();
    const error = await outcome;
    assert.deepEqual([error, error.name, historyOf(error).mark], [controller.signal.reason, 'AbortError', 'cancelled']);
  });

  test('its timeout spans all attempts and waits, and then the server is let go', async (t) => {
    const provider = await startProvider(t, json(OVERLOADED, { status: 503 }), ask.whole);
    const { fetch, settled } = watchedFetch({ clock: undefined, initialDelayMs: 60_000, maxDelayMs: 60_000 });
    await assert.rejects(ask.ask({ url: provider.url, fetch, timeoutMs: 600 }), TimeoutError);
    await new Promise(setImmediate);
    assert.deepEqual([provider.requests.length, settled()[0].mark], [1, 'cancelled']);
    const silent = await startProvider(t, unanswered);
    await assert.rejects(ask.ask({ url: silent.url, fetch, timeoutMs: 400 }), TimeoutError);
    await silent.requests[0].left;
  });

  test('timeoutMs is for one attempt, and its error leads to the history', async (t) => {
    const { error, requests } = await asked(t, ask, [unanswered], { timeoutMs: 400, maxAttempts: 2 });
    assert.deepEqual([error.name, error instanceof DOMException, requests.length], ['TimeoutError', true, 2]);
    assert.equal(historyOf(error).last.error.kind, 'timeout');
  });

  test('without retry: 0 the layers multiply', async (t) => {
    const provider = await startProvider(t, json(OVERLOADED, { status: 503 }));
    const { fetch } = watchedFetch({ maxAttempts: 2 });
    const layered = ky.create({ fetch, retry: { limit: 1, delay: () => 0 } });
    await assert.rejects(layered.get(provider.url).json(), HTTPError);
    assert.equal(provider.requests.length, 4);
  });

  test('the Response of a call that recovered leads to its history, and one call may have a fetch of its own', async (t) => {
    const provider = await startProvider(t, json(OVERLOADED, { status: 503 }), json(ANSWER), json(OVERLOADED, { status: 503 }));
    const { fetch } = watchedFetch();
    const api = client({ url: provider.url, fetch });
    assert.equal(historyOf(await api.post('v1/answers', question)).retry.totalAttempts, 2);
    await assert.rejects(api.post('v1/answers', { ...question, fetch: fetch.with({ maxAttempts: 1 }) }).json(), HTTPError);
    assert.equal(provider.requests.length, 3);
  });

  test('a redirect of a POST is refused, under its redirect option too, unless redirects says otherwise', async (t) => {
    const moved = { status: 307, headers: { location: '/v2/answers' } };
    for (const [options, sends] of [[{}, 1], [{ redirects: 'platform' }, 2]]) {
      const provider = await startProvider(t, moved, json(ANSWER));
      const posted = client({ url: provider.url, fetch: watchedFetch(options).fetch }).post('v1/answers', { ...question, redirect: 'follow' }).json();
      if (sends === 2) assert.deepEqual(await posted, ANSWER);
      else assert.ok(matchesKind(await posted.catch((caught) => caught), 'redirected'));
      assert.equal(provider.requests.length, sends);
    }
  });

  test('a stream that is cut short after its first output cannot pass for a whole answer', async (t) => {
    const { error } = await asked(t, calls['a body that streams'], [sse(FRAMES.slice(0, 2), { end: 'cut' })]);
    assert.ok(isRetryError(error), String(error));
    assert.deepEqual([error.code, historyOf(error).last.streamed], ['truncated', true]);
  });

  test('an open breaker is told as what it is', async (t) => {
    const provider = await startProvider(t, json(OVERLOADED, { status: 503 }));
    const { fetch } = watchedFetch({ breaker: { failures: 1 }, maxAttempts: 1 });
    await assert.rejects(ask.ask({ url: provider.url, fetch }), HTTPError);
    const error = await ask.ask({ url: provider.url, fetch }).catch((caught) => caught);
    assert.deepEqual([isRetryError(error), matchesKind(error, 'circuit_open'), provider.requests.length], [true, true, 1]);
  });

  test('extend, hooks and a body of any kind work with it', async (t) => {
    const form = new FormData();
    form.set('part', new Blob(['Da capo al fine'], { type: 'text/plain' }), 'a.txt');
    for (const [init, sent] of [[{ body: form }, /Da capo al fine/], [{ body: new URLSearchParams({ a: '1' }) }, /a=1/], [{ body: new Uint8Array([0x44, 0x61]) }, /Da/]]) {
      const provider = await startProvider(t, json(OVERLOADED, { status: 503 }), json(ANSWER));
      const { fetch } = watchedFetch();
      const statuses = [];
      const hooks = { beforeRequest: [({ request }) => request.headers.set('x-mine', 'kept')], afterResponse: [({ response }) => void statuses.push(response.status)] };
      const api = client({ url: provider.url, fetch }).extend({ hooks });
      assert.deepEqual(await api.post('v1/answers', init).json(), ANSWER);
      assert.deepEqual(statuses, [200], 'its hooks see the answer only');
      const requests = provider.requests.map(({ headers, bytes }) => [headers['x-mine'], headers['content-type'], bytes.toString()]);
      assert.deepEqual(requests[0], requests[1]);
      assert.deepEqual([requests[0][0], sent.test(requests[0][2])], ['kept', true]);
    }
  });

  test('a stream as the body is kept for another attempt, since ky makes a Request of it', async (t) => {
    for (const [maxReplayBytes, sends] of [[1024, 2], [2, 1]]) {
      const provider = await startProvider(t, json(OVERLOADED, { status: 503 }), json(ANSWER));
      const { fetch, settled } = watchedFetch({ maxReplayBytes });
      const posted = client({ url: provider.url, fetch }).post('v1/answers', { body: new Blob(['once more']).stream() }).json();
      if (sends === 2) assert.deepEqual(await posted, ANSWER);
      else await assert.rejects(posted, HTTPError);
      assert.deepEqual(provider.requests.map(({ bytes }) => bytes.toString()), Array(sends).fill('once more'));
      assert.equal(settled()[0].mark, sends === 2 ? undefined : 'one_shot_body');
    }
  });

  test('no key is in events, history and the error of the connection, though ky\'s own errors hold the request', async (t) => {
    const apiKey = 'canary-zQ7vX2wK9pL4mN8s';
    const quotes = ({ headers }) => json({ error: { message: `Bad key: ${headers.authorization}` } }, { status: 503 });
    for (const [name, call] of Object.entries(calls)) {
      const quoted = await asked(t, call, [quotes], { snapshotBody: true }, { apiKey });
      assert.equal(quoted.requests[0].headers.authorization, `Bearer ${apiKey}`);
      assert.equal(quoted.error.request.headers.get('authorization'), `Bearer ${apiKey}`);
      const dropped = await asked(t, call, [lost], {}, { apiKey });
      assert.match(historyOf(quoted.error).last.error.message, /^Bad key/);
      assertNoSecret([quoted.events, historyOf(quoted.error), dropped.events, dropped.error.cause, historyOf(dropped.error)], [apiKey], name);
    }
  });

  test('a key in the URL is in no record, though it is in the message of ky\'s own error', async (t) => {
    const key = 'canary-zQ7vX2wK9pL4mN8s';
    const searchParams = { key };
    const provider = await startProvider(t, ({ path }) => json({ error: { message: `not found: ${path}` } }, { status: 503 }));
    const { fetch, events } = watchedFetch();
    const error = await client({ url: provider.url, fetch }).post('v1/answers', { ...question, searchParams }).json().catch((caught) => caught);
    isHttpError(error);
    assert.ok(error.message.includes(key), 'ky tells the URL');
    assertNoSecret([events, historyOf(error)], [key]);
    assert.match(historyOf(error).last.request.url, /\?key=REDACTED$/);
    assert.match(historyOf(error).last.error.message, /^not found/);

    const around = await retry(() => ky.post(`${provider.url}/v1/answers`, { ...question, searchParams, retry: 0 }).json(), { clock: fakeClock() }).catch((caught) => caught);
    assertNoSecret([around, historyOf(around)], [key], 'retry around ky');
  });
});

const refused = json(OVERLOADED, { status: 503 });
examplesRun('ky', redirectedTo, { 'first-call': [refused, json(ANSWER)], errors: [refused, refused] });
