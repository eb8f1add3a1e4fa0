/** The part of the contract that is about what is sent, what is told, and secrets. No `node:` import. */

import { check } from './check.js';
import { ASK, claimList, OK, quickFetch, UNIT } from './contract.js';
import { contains, equal, failure, same } from './expect.js';
import { play, seen, seenUntil } from './play.js';

const { claims, claim } = claimList();
export { claims };

claim('no secret of a request shows in hooks, events, history or error', async (env) => {
  const secret = { bearer: 'canary-bearer-4f1c9', key: 'canary-key-83b20', query: 'canary-query-51dd7', session: 'canary-session-9ab3e', value: 'canary-value-c0ffe' };
  const url = `${play(env.origin, [{ status: 503, echo: true }])}&key=${secret.query}&plain=visible`;
  const told = [];
  const note = (...args) => void told.push(...args);
  const fetch = quickFetch(env, { maxAttempts: 2, shouldRetry: note, onRetry: note, onEvent: note, redact: { values: [secret.value] }, snapshotBody: true });
  const headers = { authorization: `Bearer ${secret.bearer}`, 'X-Api-Key': secret.key, 'x-session-token': secret.session, 'x-trace': 'visible' };
  const response = await fetch(url, { method: 'POST', headers, body: `my ${secret.value}` });
  contains(await response.text(), secret.bearer);
  told.push(env.dacapo.historyOf(response));
  const operation = () => Promise.reject(Object.assign(new Error(`Bearer ${secret.bearer} of ${secret.value} was refused`), { status: 401 }));
  const error = await failure(env.dacapo.retry(operation, { redact: { values: [secret.value] } }));
  const { cause, ...rest } = error;
  const text = [JSON.stringify(told), String(error), error.message, error.stack, JSON.stringify(error), JSON.stringify(rest)].join('\n');
  contains(text, 'visible');
  const at = text.indexOf('canary');
  check(at < 0, `a secret shows in ${text.slice(Math.max(0, at - 200), at + 60)}`);
  const [, again] = await seen(url);
  equal([again?.headers['authorization'], again?.headers['x-api-key'], again?.body], [headers.authorization, secret.key, `my ${secret.value}`], 'what was sent');
}, ['injected']);

claim('every fault of the options is listed, an unknown one with the nearest name', async ({ dacapo }) => {
  const error = await failure(() => dacapo.createFetch({ maxAttempts: 0, initialDelayMs: NaN, maxDelayMs: '8', jiter: 'full' }));
  check(dacapo.isRetryError(error), 'it is a RetryError');
  equal([error.kind, error.faults.map(({ option }) => option).sort()], ['invalid_config', ['initialDelayMs', 'jiter', 'maxAttempts', 'maxDelayMs']]);
  for (const word of ['maxAttempts', 'initialDelayMs', 'maxDelayMs', 'jiter', 'jitter']) contains(error.message, word);
}, ['injected']);

claim('the body of a Request is sent again', async (env) => {
  const url = play(env.origin, [{ status: 503 }, OK]);
  const response = await quickFetch(env)(new Request(url, ASK));
  equal(await response.json(), { answer: 42 });
  equal((await seen(url)).map(({ method, body, headers }) => [method, body, headers['content-type']]), Array(2).fill(['POST', ASK.body, 'application/json']));
}, ['injected']);

claim('bodies of every kind that can be read again are sent again', async (env) => {
  const form = new FormData();
  form.append('name', 'form-value');
  const bodies = {
    text: 'text-value', params: new URLSearchParams({ a: 'params-value' }), blob: new Blob(['blob-value']),
    buffer: new TextEncoder().encode('buffer-value').buffer, view: new TextEncoder().encode('view-value'), form,
  };
  for (const [name, body] of Object.entries(bodies)) {
    const url = play(env.origin, [{ status: 503 }, OK]);
    await quickFetch(env)(url, { method: 'POST', body });
    const requests = await seen(url);
    same(requests.length, 2, `requests with a ${name} body`);
    for (const request of requests) contains(request.body, `${name}-value`);
  }
}, ['injected']);

claim('a body stream is sent once, and the history says why', async (env) => {
  const url = play(env.origin, [{ status: 503 }, OK]);
  const body = new Response('once').body;
  let x;
  try {
    x = await quickFetch(env)(url, { method: 'POST', body, duplex: 'half' });
  } catch (error) {
    // Chromium sends streams over HTTP/2 only.
    x = error;
  }
  const { mark, retry } = env.dacapo.historyOf(x);
  equal([mark, retry.totalAttempts], ['one_shot_body', 1]);
}, ['injected']);

claim('all attempts of a call share one Idempotency-Key and count themselves', async (env) => {
  const fetch = quickFetch(env, { idempotencyKey: true, retryCountHeader: 'x-retry-count' });
  const urls = [play(env.origin, [{ status: 503 }, OK]), play(env.origin, [{ status: 503 }, OK])];
  await Promise.all(urls.map((url) => fetch(url, ASK)));
  const [one, two] = await Promise.all(urls.map(async (url) => (await seen(url)).map(({ headers }) => [headers['idempotency-key'], headers['x-retry-count']])));
  const [key, other] = [one?.[0]?.[0], two?.[0]?.[0]];
  contains(String(key), /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  equal([one, two], [[[key, '0'], [key, '1']], [[other, '0'], [other, '1']]]);
  check(key !== other, 'two calls have two keys');
}, ['injected']);

claim('calls that run at once keep their histories apart', async (env) => {
  const fetch = quickFetch(env);
  const statuses = [500, 502, 503, 504, 529];
  const responses = await Promise.all(statuses.map((status) => fetch(play(env.origin, [{ status }, { status, delayMs: 20 }, OK]), ASK)));
  responses.forEach((response, i) => {
    equal(env.dacapo.historyOf(response).attempts.map(({ error }) => error.status), [statuses[i], statuses[i]]);
  });
});

claim('the history is found by the Response, by its headers and through an SDK’s error', async (env) => {
  const url = play(env.origin, [{ status: 500 }]);
  const response = await quickFetch(env)(url, ASK);
  const history = env.dacapo.historyOf(response);
  const error = Object.assign(new Error('500'), { headers: response.headers });
  same(env.dacapo.historyOf(error), history, 'by headers');
  same(env.dacapo.historyOf(new Error('outer', { cause: { response } })), history, 'by response in a cause');
}, ['injected']);

claim('decisions come out the same in every runtime', async ({ dacapo }) => {
  equal([1, 2, 3, 10].map((n) => dacapo.backoffDelay({}, n, UNIT)), [375, 750, 1500, 6000]);
  equal(['5', '1.5', '5, 120', 'Sun, 06 Nov 1994 08:49:37 GMT', '-3', '0x10', '', null].map((value) => dacapo.parseRetryAfter(value, { nowMs: 784_111_770_000 })), [5000, 1500, 120_000, 7000, null, null, null, null]);
  const { kind, retryable, code } = dacapo.classify({ status: 429, body: { error: { code: 'insufficient_quota' } } });
  equal([kind, retryable, code], ['quota_exhausted', false, 'insufficient_quota']);
  same(dacapo.classify({ error: new TypeError('Failed to fetch') }).kind, 'transport', 'kind');
  equal([dacapo.providerKind(401), dacapo.providerKind(500)], ['auth', null]);
  equal(dacapo.sanitizeBaseUrl('https://user:pass@host/v1?key=1'), { url: 'https://host/v1?key=1', removed: true });
  equal(dacapo.redactHeaders(new Headers({ Authorization: 'Bearer x', accept: 'a' })), { accept: 'a' });
}, ['injected']);

claim('another endpoint answers where the first is down, and is sent none of its credentials', async (env) => {
  const secret = 'canary-bearer-7d1f2';
  const init = { ...ASK, headers: { ...ASK.headers, authorization: `Bearer ${secret}`, 'x-kept': 'yes' }, body: '{"model":"large"}' };
  for (const given of [(url) => [url, init], (url) => [new Request(url, init)]]) {
    const [first, second] = [play(env.origin, [{ status: 503 }]), play(env.origin, [OK])];
    const targets = [{ provider: 'first' }, { url: () => second, model: 'small', headers: { 'x-api-key': 'another' } }];
    const response = await quickFetch(env, { maxAttempts: 2, targets })(...given(first));
    equal(await response.json(), { answer: 42 });
    const [{ method, headers, body }] = await seen(second);
    equal([method, body, headers['x-kept'], headers['x-api-key'], headers['content-type']], ['POST', '{"model":"small"}', 'yes', 'another', 'application/json']);
    check(!JSON.stringify(headers).includes(secret), 'the credentials stayed');
    const { fallback: [{ index, provider, error }], retry: { totalAttempts } } = env.dacapo.historyOf(response);
    equal([index, provider, error.kind, error.attempts.length, totalAttempts, (await seen(first)).length], [-1, 'first', 'overloaded', 1, 3, 2]);
  }
}, ['injected']);

claim('a hedge overtakes a send that hangs, whose server is let go', async (env) => {
  const url = play(env.origin, [{ fault: 'no-headers' }, OK]);
  const response = await quickFetch(env, { hedgeAfterMs: 50 })(url, ASK);
  equal(await response.json(), { answer: 42 });
  const requests = await seenUntil(url, ([lost]) => lost?.left);
  equal(requests.map(({ body, left }) => [body, left]), [[ASK.body, true], [ASK.body, false]]);
  const { attempts: [lost], retry: { totalAttempts } } = env.dacapo.historyOf(response);
  equal([lost.index, lost.error.kind, lost.error.code, totalAttempts], [0, 'cancelled', 'hedge_lost', 2]);
});

claim('an abort while two sends are under way rejects with the reason itself, and both are let go', async (env) => {
  const url = play(env.origin, [{ fault: 'no-headers' }]);
  const controller = new AbortController();
  const call = failure(quickFetch(env, { hedgeAfterMs: 50 })(url, { ...ASK, signal: controller.signal }));
  await seenUntil(url, (requests) => requests.length === 2);
  const reason = { why: 'enough' };
  controller.abort(reason);
  same(await call, reason, 'what it rejects with');
  await seenUntil(url, (requests) => requests.every(({ left }) => left));
});

claim('a breaker that opened refuses the next call without a request, until its cool-down is over', async (env) => {
  const url = play(env.origin, [{ status: 503 }, { status: 503 }, OK]);
  const fetch = quickFetch(env, { maxAttempts: 1, breaker: { failures: 2, openMs: 200, openJitter: 0 } });
  equal([(await fetch(url, ASK)).status, (await fetch(url, ASK)).status], [503, 503]);
  const refused = await failure(fetch(url, ASK));
  equal([refused.kind, refused.retryAfterMs > 0 && refused.retryAfterMs <= 200, (await seen(url)).length], ['circuit_open', true, 2]);
  await new Promise((resolve) => setTimeout(resolve, 250));
  equal(await (await fetch(url, ASK)).json(), { answer: 42 });
}, ['real']);
