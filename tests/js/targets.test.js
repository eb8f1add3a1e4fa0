// createFetch over targets: what each endpoint is sent, and what comes back.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import OpenAI from 'openai';
import { CircuitBreaker, createFetch, findRetryError, historyOf, isRetryError, RetryPolicy } from 'dacapo';
import { fakeClock, settled } from './lib/clock.js';
import { chat } from './lib/stream-frames.js';
import { failed, json, textStream, stubFetch, URL_, watchedBody } from './lib/stub.js';
import { brief, outcome } from './lib/targets.js';

const ONE = 'https://api.example/v1';
const TWO = 'https://other.example/openai';
const CHAT = { method: 'POST', body: '{"model":"large","n":1}' };

/** A fetch over these targets and answers, one attempt each; the sends are in `sends`, as name of host, URL and init. */
function over(targets, answers, options = {}) {
  const stub = stubFetch(...answers);
  const fetch = createFetch({ targets, fetch: stub, clock: fakeClock(), random: () => 0, maxAttempts: 1, ...options });
  return Object.assign((...args) => fetch(...args), {
    fetch,
    sends: stub.calls,
    urls: () => stub.calls.map(({ input }) => (typeof input === 'string' ? input : input.url)),
  });
}

const fieldsOf = (init) => Object.fromEntries(new Headers(init?.headers));

/** What the second target is sent of a request. */
async function second(target, input = `${ONE}/chat`, init = CHAT, options = {}) {
  const fetch = over([{ url: ONE }, { url: TWO, ...target }], [503, 200], options);
  const response = await fetch(input, init);
  const { input: url, init: sent } = fetch.sends[1];
  return { response, url, init: sent, headers: fieldsOf(sent), body: sent?.body };
}

describe('which target answers', () => {
  test('the first, with the request as it is', async () => {
    const fetch = over([{ url: ONE }, { url: TWO }], [200]);
    const init = { headers: { authorization: 'Bearer mine' } };
    const response = await fetch(`${ONE}/chat`, init);
    assert.deepEqual([response.status, fetch.urls(), fetch.sends[0].init.headers, historyOf(response)], [200, [`${ONE}/chat`], init.headers, undefined]);
  });

  test('the next one, once the first is out of attempts; its history is over both', async () => {
    const fetch = over([{ url: ONE, provider: 'one', maxAttempts: 2 }, { url: TWO, model: 'small' }], [503, 503, 200]);
    const response = await fetch(`${ONE}/chat`, CHAT);
    assert.deepEqual(fetch.urls(), [`${ONE}/chat`, `${ONE}/chat`, `${TWO}/chat`]);
    const { fallback, retry, attempts, mark } = historyOf(response);
    assert.deepEqual([brief(fallback), retry.totalAttempts, retry.failedAttempts, attempts, mark], [[[-1, 'one', 'overloaded', 1]], 3, 2, undefined, undefined]);
    assert.equal(fallback[0].request.url, `${ONE}/chat`);
  });

  test('a network that fails, a timeout and an in-band failure fall over as well', async () => {
    for (const [answer, kind, options] of [
      [new TypeError('fetch failed'), 'transport'],
      [() => new Promise(() => {}), 'timeout', { timeoutMs: 10 }],
      [() => json({ error: { message: 'too much to do', code: 503 } }), 'overloaded'],
      [() => json('{"cut'), 'transport'],
    ]) {
      const fetch = over([{}, { url: TWO }], [answer, 200], options);
      const response = await fetch(URL_, CHAT);
      assert.deepEqual([response.status, historyOf(response).fallback[0].error.kind], [200, kind]);
    }
  });

  test('a failed Response that another target makes up for is let go of', async () => {
    const { stream, seen } = watchedBody({ stuck: true });
    const fetch = over([{}, { url: TWO }], [new Response(stream, { status: 404 }), 200], { errorBytes: 4 });
    await fetch(URL_);
    await settled();
    assert.equal(seen.cancelled, 1);
  });
});

describe('under an SDK', () => {
  const ask = (client) => client.chat.completions.create({ model: 'gpt-5', messages: [{ role: 'user', content: 'hi' }] });
  const targets = [
    { provider: 'openai', url: 'https://api.openai.com/v1' },
    { provider: 'groq', url: 'https://api.groq.com/openai/v1', model: 'llama', headers: { authorization: 'Bearer gsk_theirs' } },
  ];
  const client = (fetch) => new OpenAI({ apiKey: 'sk-mine-0123456789', fetch: fetch.fetch, maxRetries: 0 });

  test('another provider answers as the first would have', async () => {
    const fetch = over(targets, [503, () => json({ choices: [{ message: { role: 'assistant', content: '42' } }] })]);
    const answer = await ask(client(fetch));
    assert.equal(answer.choices[0].message.content, '42');
    assert.deepEqual(fetch.urls(), ['https://api.openai.com/v1/chat/completions', 'https://api.groq.com/openai/v1/chat/completions']);
    const { init } = fetch.sends[1];
    assert.deepEqual([fieldsOf(init).authorization, JSON.parse(init.body).model, JSON.stringify(init).includes('sk-mine')], ['Bearer gsk_theirs', 'llama', false]);
  });

  test('its own error is raised for a failure of one target, and ours is behind it when all failed', async () => {
    const bad = await outcome(ask(client(over(targets, [503, 400]))));
    assert.ok(bad.error instanceof OpenAI.BadRequestError);
    assert.deepEqual(brief(historyOf(bad.error).fallback), [[-1, 'openai', 'overloaded', 0]]);
    const all = await outcome(ask(client(over(targets, [503, 401]))));
    assert.equal(findRetryError(all.error).kind, 'fallback_exhausted');
    assert.deepEqual(brief(historyOf(all.error).fallback), [[-1, 'openai', 'overloaded', 0], [0, 'groq', 'auth', 0]]);
  });
});

describe('what the call comes back with', () => {
  test('a failure that another would meet as well is that target’s Response, unread', async () => {
    for (const [answers, sends] of [[[400], 1], [[503, 400], 2]]) {
      const fetch = over([{}, { url: TWO }, { url: ONE }], answers);
      const response = await fetch(URL_, CHAT);
      assert.deepEqual([response.status, response.bodyUsed, await response.text(), fetch.sends.length], [400, false, 'status 400', sends]);
      const { mark, last, fallback } = historyOf(response);
      assert.deepEqual([mark, last.error.status, fallback?.length ?? 0], ['not_retryable', 400, sends - 1]);
    }
  });

  test('one target alone: its own Response, or the platform’s own error', async () => {
    const response = await over([{ url: TWO }], [503])(URL_);
    assert.deepEqual([response.status, historyOf(response).mark, historyOf(response).fallback], [503, 'attempts_exhausted', undefined]);
    const error = new TypeError('fetch failed');
    assert.equal((await outcome(over([{}], [error])(URL_))).error, error);
  });

  test('every target failed: an error with one entry for each, whose cause tells of the last', async () => {
    const { stream, seen } = watchedBody({ stuck: true });
    const fetch = over([{ provider: 'one' }, { url: TWO, model: 'small' }], [503, new Response(stream, { status: 401, headers: { 'x-request-id': '7' } })], { errorBytes: 4 });
    const { error } = await outcome(fetch(URL_, CHAT));
    await settled();
    assert.ok(isRetryError(error));
    assert.deepEqual([error.kind, brief(error.attempts), seen.cancelled], ['fallback_exhausted', [[-1, 'one', 'overloaded', 0], [0, 'small', 'auth', 0]], 1]);
    assert.deepEqual([error.cause.kind, error.cause.status, isRetryError(error.cause)], ['auth', 401, true]);
    assert.deepEqual([historyOf(error).fallback, historyOf(error).retry.totalAttempts], [error.attempts, 2]);
    const broken = new TypeError('fetch failed');
    assert.equal((await outcome(over([{}, { url: TWO }], [503, broken])(URL_))).error.cause, broken);
  });

  test('a redirect is refused of every target', async () => {
    const redirect = () => new Response(null, { status: 307, headers: { location: 'https://elsewhere.example' } });
    const { error } = await outcome(over([{}, { url: TWO }], [503, redirect])(URL_, CHAT));
    assert.deepEqual([error.kind, brief(historyOf(error).fallback)], ['redirected', [[-1, undefined, 'overloaded', 0]]]);
  });

  test('a streamed answer of a later target keeps the history over all when it breaks after its output', async () => {
    const { start, text, overloaded } = chat;
    const stream = () => new Response(`${start}${text('4')}${overloaded}`, { headers: { 'content-type': 'text/event-stream' } });
    const fetch = over([{ provider: 'one' }, { url: TWO }, { url: ONE }], [503, stream]);
    const response = await fetch(URL_, CHAT);
    assert.equal(historyOf(response).mark, undefined);
    await response.text();
    const { mark, fallback, retry, last } = historyOf(response);
    assert.deepEqual([mark, brief(fallback), retry.totalAttempts, last.streamed, fetch.sends.length], ['output_begun', [[-1, 'one', 'overloaded', 0]], 2, true, 2]);
  });

  test('a stream that fails before its output falls over', async () => {
    const { start, text, overloaded, stop, done } = chat;
    const answer = start + text('42') + stop + done;
    const sse = (body) => () => new Response(body, { headers: { 'content-type': 'text/event-stream' } });
    const response = await over([{}, { url: TWO }], [sse(start + overloaded), sse(answer)])(URL_, CHAT);
    assert.equal(await response.text(), answer);
    assert.equal(historyOf(response).fallback[0].error.kind, 'overloaded');
  });
});

describe('the URL', () => {
  for (const [name, first, request, other, expected] of [
    ['what follows the first target’s goes behind the second’s', ONE, `${ONE}/chat/completions?stream=true`, TWO, `${TWO}/chat/completions?stream=true`],
    ['slashes at their ends make no difference', `${ONE}/`, `${ONE}/chat`, `${TWO}/`, `${TWO}/chat`],
    ['without a first one, what follows the origin', undefined, 'https://api.example/v1/chat', TWO, `${TWO}/v1/chat`],
    ['nothing behind it', ONE, ONE, `${TWO}/exact`, `${TWO}/exact`],
    ['parameters of both, the target’s winning', ONE, `${ONE}/chat?a=1&v=2#top`, `${TWO}?v=3`, `${TWO}/chat?v=3&a=1`],
    ['a port and an upper-case host', 'https://API.example:443/v1', `${ONE}/chat`, 'http://127.0.0.1:8080', 'http://127.0.0.1:8080/chat'],
    ['what is encoded stays so', ONE, `${ONE}/a%2Fb%20c?q=%26+x`, TWO, `${TWO}/a%2Fb%20c?q=%26+x`],
    ['no URL of its own: the request’s', ONE, `${ONE}/chat`, undefined, `${ONE}/chat`],
  ]) {
    test(name, async () => {
      const fetch = over([{ ...(first && { url: first }) }, { ...(other && { url: other }) }], [503, 200]);
      await fetch(request);
      assert.deepEqual(fetch.urls(), [request, expected]);
    });
  }

  for (const [name, request] of [
    ['that does not begin with the first target’s', 'https://api.example/v2/chat'],
    ['whose path has a longer name', 'https://api.example/v1beta/chat'],
    ['of another host', 'https://else.example/v1/chat'],
    ['of another port', 'https://api.example:8443/v1/chat'],
    ['that only seems to begin so', `${ONE}/../oauth/token`],
    ['that is none', '/v1/chat'],
  ]) {
    test(`a request ${name} is sent as it was made, and no other target is asked`, async () => {
      for (const more of [{}, { headers: { 'x-api-key': 'k' }, model: 'm', body: () => ({}) }]) {
        const fetch = over([{ url: ONE, ...more }, { url: TWO }, { url: (from) => from }, {}], [503, 200]);
        const response = await fetch(request, CHAT);
        assert.deepEqual([response.status, fetch.urls(), fetch.sends[0].init.body], [503, [request], CHAT.body]);
        assert.equal(new Headers(fetch.sends[0].init.headers).get('x-api-key'), null);
        assert.equal(historyOf(response).fallback, undefined);
      }
    });
  }

  test('a function that says undefined has its target passed over', async () => {
    const asked = [];
    const none = (from) => void asked.push(from.pathname);
    const fetch = over([{ url: ONE }, { url: none }, { url: TWO }], [503, 200]);
    const { fallback } = historyOf(await fetch(`${ONE}/chat`, CHAT));
    assert.deepEqual([fetch.urls(), brief(fallback), asked], [[`${ONE}/chat`, `${TWO}/chat`], [[-1, undefined, 'overloaded', 0]], ['/v1/chat']]);

    const last = await outcome(over([{}, { url: TWO }, { url: none }], [503, 503])(URL_));
    assert.deepEqual([last.error.kind, last.error.attempts.length], ['fallback_exhausted', 2]);

    const only = over([{}, { url: none }], [503, 200]);
    assert.deepEqual([(await only(URL_)).status, only.sends.length], [503, 1]);

    const first = over([{ url: none, model: 'm' }, { url: TWO }], [503, 200]);
    assert.deepEqual([(await first(URL_, CHAT)).status, first.urls(), first.sends[0].init.body], [503, [URL_], CHAT.body]);
  });

  test('one with a login is a fault that does not show it', () => {
    assert.throws(() => createFetch({ targets: [{}, { url: 'https://user:hunter2@api.example' }] }), ({ faults, message }) => {
      assert.deepEqual(faults.map(({ option, code }) => [option, code]), [['targets.1.url', 'range']]);
      assert.doesNotMatch(message, /hunter2/);
      return true;
    });
  });

  test('a function is given the request’s, and says where to', async () => {
    const given = [];
    const url = (from) => {
      given.push(from.href, from instanceof URL);
      from.host = 'other.example';
      return from;
    };
    assert.equal((await second({ url })).url, 'https://other.example/v1/chat');
    assert.equal((await second({ url: () => `${TWO}/fixed` })).url, `${TWO}/fixed`);
    assert.deepEqual(given, [`${ONE}/chat`, true]);
    const fetch = over([{ url: (from) => `${from}/first` }, { url: TWO }], [503, 200]);
    await fetch(`${ONE}/chat`);
    assert.deepEqual(fetch.urls(), [`${ONE}/chat/first`, `${TWO}/v1/chat`]);
  });

  test('a function that throws ends the call with that', async () => {
    const thrown = new Error('mine');
    for (const target of [{ url: () => { throw thrown; } }, { body: () => { throw thrown; } }]) {
      const fetch = over([{}, target], [503, 200], { hookErrors: 'swallow' });
      const { error } = await outcome(fetch(URL_, CHAT));
      assert.deepEqual([error, fetch.sends.length, historyOf(error).mark, historyOf(error).fallback.length], [thrown, 1, 'hook_error', 1]);
    }
  });
});

describe('the headers', () => {
  test('a target’s are set over the request’s, in any shape', async () => {
    for (const headers of [{ 'X-A': '2', 'api-key': 'k' }, [['x-a', '2'], ['api-key', 'k']], new Headers({ 'x-a': '2', 'api-key': 'k' })]) {
      for (const own of [{ 'x-A': '1', accept: 'text/html' }, [['x-a', '1'], ['accept', 'text/html']], new Headers({ 'x-a': '1', accept: 'text/html' })]) {
        const { headers: sent } = await second({ headers }, `${ONE}/chat`, { headers: own });
        assert.deepEqual(sent, { 'x-a': '2', accept: 'text/html', 'api-key': 'k' });
      }
    }
  });

  test('those of the first target are set as well, and its request keeps its own credentials', async () => {
    const fetch = over([{ headers: { 'x-tier': 'gold' } }], [200]);
    await fetch(URL_, { headers: { authorization: 'Bearer mine' } });
    assert.deepEqual(fieldsOf(fetch.sends[0].init), { authorization: 'Bearer mine', 'x-tier': 'gold' });
  });

  test('what tells of the first server or the old body does not travel', async () => {
    const { headers } = await second({ model: 'm' }, `${ONE}/chat`, { ...CHAT, headers: { host: 'api.example', 'content-length': '23', 'content-type': 'application/json' } });
    assert.deepEqual(headers, { 'content-type': 'application/json' });
  });

  test('headers that can be read only once are there for every target', async () => {
    const { headers } = await second({}, `${ONE}/chat`, { headers: [['x-a', '1']].values() });
    assert.deepEqual(headers, { 'x-a': '1' });
  });
});

describe('the body', () => {
  test('the model replaces the one in a JSON body, and the rest stays', async () => {
    assert.equal((await second({ model: 'small' })).body, '{"model":"small","n":1}');
    for (const [body, expected] of [
      ['{"n":1}', '{"n":1}'], ['[1]', '[1]'], ['"model"', '"model"'], ['null', 'null'], ['not json {', 'not json {'], ['', ''],
    ]) {
      assert.equal((await second({ model: 'small' }, `${ONE}/chat`, { method: 'POST', body })).body, expected);
    }
  });

  test('a function is given what was parsed, and what it returns is sent, or what it changed', async () => {
    const body = ({ model, n }) => ({ deployment: model, count: n + 1 });
    assert.equal((await second({ model: 'small', body })).body, '{"deployment":"small","count":2}');
    assert.equal((await second({ body: (given) => void (given.n = 9) })).body, '{"model":"large","n":9}');
    const unread = await second({ body: () => assert.fail('no JSON') }, `${ONE}/chat`, { method: 'POST', body: 'a=b' });
    assert.equal(unread.body, 'a=b');
  });

  test('bytes, Blobs and forms are rewritten as what they are', async () => {
    const bytes = new TextEncoder().encode(CHAT.body);
    const text = '{"model":"small","n":1}';
    for (const body of [bytes, bytes.buffer]) {
      const sent = (await second({ model: 'small' }, `${ONE}/chat`, { method: 'POST', body })).body;
      assert.equal(new TextDecoder().decode(sent), text);
    }
    const blob = (await second({ model: 'small' }, `${ONE}/chat`, { method: 'POST', body: new Blob([bytes], { type: 'application/json' }) })).body;
    assert.deepEqual([await blob.text(), blob.type], [text, 'application/json']);
    const form = new FormData();
    form.append('model', 'large');
    form.append('file', new File(['abc'], 'a.wav'));
    const sent = (await second({ model: 'small' }, `${ONE}/chat`, { method: 'POST', body: form })).body;
    assert.deepEqual([sent.getAll('model'), sent.get('file').name, form.get('model')], [['small'], 'a.wav', 'large']);
    const bare = new FormData();
    bare.append('a', 'b');
    assert.equal((await second({ model: 'small' }, `${ONE}/chat`, { method: 'POST', body: bare })).body, bare);
    const query = new URLSearchParams('model=large');
    assert.equal((await second({ model: 'small' }, `${ONE}/chat`, { method: 'POST', body: query })).body, query);
  });

  test('the first target’s model and function are used as well', async () => {
    const fetch = over([{ model: 'mine', body: (given) => ({ ...given, seed: 7 }), maxAttempts: 2 }, { url: TWO }], [503, 503, 200]);
    await fetch(URL_, CHAT);
    const first = '{"model":"mine","n":1,"seed":7}';
    assert.deepEqual(fetch.sends.map(({ init }) => init.body), [first, first, CHAT.body]);
  });

  test('a Request goes to every target with its body, method and headers', async () => {
    const fetch = over([{ url: ONE, maxAttempts: 2 }, { url: TWO, model: 'small', maxAttempts: 2 }], [503, 503, 503, 200]);
    const request = new Request(`${ONE}/chat`, { ...CHAT, headers: { 'x-a': '1', authorization: 'Bearer mine' }, keepalive: true });
    const response = await fetch(request);
    assert.equal(response.status, 200);
    assert.deepEqual(fetch.urls().slice(2), [`${TWO}/chat`, `${TWO}/chat`]);
    for (const { init } of fetch.sends.slice(2)) {
      assert.deepEqual([init.method, init.keepalive, fieldsOf(init)['x-a'], fieldsOf(init).authorization], ['POST', true, '1', undefined]);
      assert.equal(new TextDecoder().decode(init.body), '{"model":"small","n":1}');
      assert.equal(init.redirect, 'manual', 'a redirect of a POST is refused');
    }
    const got = over([{}, { url: TWO }], [503, 200]);
    await got(new Request(`${ONE}/list`));
    assert.deepEqual([got.sends[1].init.method, got.sends[1].init.body, got.sends[1].init.redirect], ['GET', undefined, undefined]);
  });

  test('a body that can be read only once is not sent to another target', async () => {
    const fetch = over([{}, { url: TWO }], [503, 200]);
    const response = await fetch(URL_, { method: 'POST', body: textStream('{}'), duplex: 'half' });
    assert.deepEqual([response.status, fetch.sends.length, historyOf(response).last.error.kind], [503, 1, 'overloaded']);
    const large = over([{}, { url: TWO }], [503, 200], { maxReplayBytes: 4 });
    assert.equal((await large(new Request(URL_, CHAT))).status, 503);
  });

  test('unless a bodyFactory makes another, which each target gets in its own form', async () => {
    let made = 0;
    const bodyFactory = () => `{"model":"large","made":${++made}}`;
    const fetch = over([{ maxAttempts: 2 }, { url: TWO, model: 'small', maxAttempts: 2 }], [503, 503, 503, 200], { bodyFactory });
    await fetch(URL_, { method: 'POST', body: textStream('{"model":"large","made":0}'), duplex: 'half' });
    assert.deepEqual(fetch.sends.slice(1).map(({ init }) => init.body), [
      '{"model":"large","made":1}', '{"model":"small","made":2}', '{"model":"small","made":3}',
    ]);
    const streams = over([{}, { url: TWO }], [503, 200], { bodyFactory: () => textStream('x') });
    assert.equal((await streams(URL_, { method: 'POST', body: textStream('x'), duplex: 'half' })).status, 200);
    assert.equal(streams.sends[1].init.duplex, 'half');
  });

  test('what the caller changes later changes nothing', async () => {
    const init = { method: 'POST', body: '1' };
    const fetch = over([{}, { url: TWO }], [() => { init.body = '2'; init.method = 'PUT'; return 503; }, 200]);
    await fetch(URL_, init);
    assert.deepEqual([fetch.sends[1].init.body, fetch.sends[1].init.method], ['1', 'POST']);
  });
});

describe('options', () => {
  test('one deadline is over all targets', async () => {
    const clock = fakeClock();
    const slow = (ms, status) => () => {
      clock.advance(ms);
      return status;
    };
    const fetch = over([{}, { url: TWO }, { url: ONE }], [slow(600, 503), slow(600, 503), 200], { clock, deadlineMs: 1000 });
    const response = await fetch(URL_);
    assert.deepEqual([response.status, fetch.sends.length, historyOf(response).fallback.length], [503, 2, 1]);
  });

  test('each target has a breaker of its own, also on the same origin', async () => {
    const fetch = over([{ provider: 'one' }, { provider: 'two' }], [503, 200, 503, 200, 200], { breaker: { failures: 2 } });
    for (let n = 0; n < 3; n++) assert.equal((await fetch(URL_)).status, 200);
    assert.equal(fetch.sends.length, 5);
    const { error } = historyOf(await fetch(URL_)).fallback[0];
    assert.deepEqual([error.kind, error.retryAfterMs > 0], ['circuit_open', true]);
    const breaker = new CircuitBreaker({ failures: 1 });
    await over([{}, { url: TWO }], [503, 200], { breaker })(URL_);
    assert.deepEqual(breaker.keys().map((key) => breaker.state(key).state), ['open', 'closed']);
  });

  test('a constant object of options, given with each call, is one breaker a target', async () => {
    const options = { breaker: { failures: 2 }, budget: { initial: 14 } };
    const fetch = over([{ provider: 'one' }, { provider: 'two' }], [503, 200, 503, 200, 200]);
    for (let call = 1; call <= 3; call++) assert.equal((await fetch(URL_, undefined, options)).status, 200);
    assert.equal(fetch.sends.length, 5, 'the third call passes the first target over');
  });

  test('a breaker for all of them that would refuse two together is a fault', async () => {
    const over = (targets, breaker = new CircuitBreaker()) => createFetch({ targets, breaker, fetch: stubFetch(200) });
    const together = /breaker.*refuse them all together/;
    const text = new CircuitBreaker({ key: 'all' });
    assert.throws(() => over([{ url: ONE }, { url: TWO }], text), together);
    for (const targets of [[{}, {}], [{ url: ONE }, { url: 'https://api.example/v2' }], [{ url: ONE }, { url: TWO }, {}]]) assert.throws(() => over(targets), together);
    for (const targets of [[{ url: ONE }], [{ url: ONE }, { url: TWO }], [{}, { url: (from) => from }], [{}, { breaker: true }]]) over(targets);
    over([{}, {}], new CircuitBreaker({ key: (url) => url }));
    createFetch({ targets: [{}, {}], breaker: { key: 'all' } });
    const fetch = over([{ url: ONE }, { url: TWO }]);
    assert.throws(() => fetch.with({ breaker: text }), together);
    await assert.rejects(fetch(URL_, undefined, { breaker: text }), together);
  });

  test('with() changes an option of every target, and leaves what outlives calls as it is', async () => {
    const fetch = over([{ breaker: { failures: 1 } }, { url: TWO }], [503, 200, 503, 200]);
    await fetch(URL_);
    const other = fetch.fetch.with({ maxAttempts: 2, jitter: 'none' });
    const response = await other(URL_);
    assert.deepEqual([historyOf(response).fallback[0].error.kind, response.status], ['circuit_open', 200]);
    assert.deepEqual(fetch.urls().slice(2), [`${TWO}/v1/chat`, `${TWO}/v1/chat`]);
  });

  test('a call of one’s own options', async () => {
    const fetch = over([{ maxAttempts: 1 }, { url: TWO }], [503, 503, 200], { maxAttempts: 3 });
    assert.equal((await fetch(URL_, undefined, { maxAttempts: 2 })).status, 200);
    assert.deepEqual(fetch.urls(), [URL_, URL_, `${TWO}/v1/chat`]);
    await assert.rejects(fetch(URL_, undefined, { breaker: true }), /breaker/);
    await assert.rejects(fetch(URL_, undefined, { targets: [] }), /targets is .*given where a fetch over targets is made/);
  });

  test('targets can be given to a fetch that has none, or others', async () => {
    const stub = stubFetch(503, 200);
    const plain = createFetch({ fetch: stub, maxAttempts: 1 });
    assert.equal((await plain.with({ targets: [{}, { url: TWO }] })(URL_)).status, 200);
    assert.equal(stub.calls[1].input, `${TWO}/v1/chat`);
    const other = plain.with({ targets: [{}] }).with({ targets: [{ url: 'https://a.example' }, { url: ONE }], maxAttempts: 2 });
    assert.equal(other.policy.options.maxAttempts, 2);
  });

  test('the policy is that of all', () => {
    const { policy } = createFetch({ targets: [{ maxAttempts: 9 }], maxAttempts: 2 });
    assert.ok(policy instanceof RetryPolicy);
    assert.equal(policy.options.maxAttempts, 2);
  });

  test('a deferred call is resumed with its first target', async () => {
    const targets = [{ retryAfterBeyond: 'defer', fallbackOn: [] }, { url: TWO }];
    const limited = () => failed(429, { 'retry-after': '900' });
    const fetch = over(targets, [limited, 503, 200], { maxAttempts: 2 });
    const { resume } = historyOf(await fetch(URL_));
    const response = await fetch(URL_, undefined, { resume, fallbackOn: ['overloaded'] });
    const { fallback, retry } = historyOf(response);
    assert.deepEqual([response.status, retry.totalAttempts, fallback[0].error.attempts.length], [200, 3, 1]);
    const all = await outcome(over([{}, { url: TWO }], [limited], { retryAfterBeyond: 'defer' })(URL_));
    assert.deepEqual([all.error.resume, historyOf(all.error).resume], [undefined, undefined], 'of several targets there is no token');
  });

  test('what is wrong is told all at once', () => {
    const targets = [
      { url: '/v1', headers: 1, body: {}, model: 1 },
      { maxAttempts: 0, endpoint: 'x', url: 7 },
      null,
    ];
    assert.throws(() => createFetch({ targets, timeoutMs: -1, onFallback: 1 }), ({ kind, faults }) => {
      assert.equal(kind, 'invalid_config');
      assert.deepEqual(faults.map(({ option }) => option).sort(), [
        'onFallback', 'targets.0.body', 'targets.0.headers', 'targets.0.model', 'targets.0.url',
        'targets.1.endpoint', 'targets.1.maxAttempts', 'targets.1.url', 'targets.2', 'timeoutMs',
      ]);
      return true;
    });
    for (const targets of [[], 'x', null]) assert.throws(() => createFetch({ targets }), /targets/);
    assert.throws(() => createFetch({ onFallback: () => {} }), /onFallback/);
  });
});
