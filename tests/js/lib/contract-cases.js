/**
 * What a program can rely on, over real HTTP: one list, run in Node, in Chromium and in
 * workerd. No `node:` import.
 *
 * A case is run with each of its clocks: `injected`, whose waits end at once, and `real`.
 * It is given the package, the origin of a scripted server, and the clock's name.
 */

import { check } from './check.js';
import { fakeClock } from './clock.js';
import { between, contains, equal, failure, same } from './expect.js';
import { play, seen, seenUntil } from './play.js';

/**
 * @typedef {object} Env
 * @property {any} dacapo
 * @property {string} origin
 * @property {'injected' | 'real'} clock
 *
 * @typedef {object} Case
 * @property {string} name
 * @property {('injected' | 'real')[]} clocks
 * @property {(env: Env) => Promise<void>} run
 */

const cases = [];

/** Every case with each of its clocks, as `[title, run]` with `run(dacapo, origin)`. */
export function contractTests() {
  return cases.flatMap(({ name, clocks, run }) => clocks.map((clock) => ([
    `${name} (${clock} clock)`,
    (dacapo, origin) => run({ dacapo, origin, clock }),
  ])));
}

/**
 * @param {string} name
 * @param {Case['run']} run
 * @param {Case['clocks']} [clocks]
 */
function claim(name, run, clocks = ['injected', 'real']) {
  cases.push({ name, clocks, run });
}

/** Half of the random part: waits of 60 and 120 ms from an initial delay of 80. */
const UNIT = 0.5;
const QUICK = { initialDelayMs: 80, random: () => UNIT };
const ASK = { method: 'POST', headers: { 'content-type': 'application/json' }, body: '{"ask":1}' };
const OK = { json: { answer: 42 } };

/**
 * A fetch under the case's clock.
 *
 * @param {Env} env
 * @param {object} [options]
 */
function quickFetch({ dacapo, clock }, options) {
  return dacapo.createFetch({ ...QUICK, ...(clock === 'injected' && { clock: fakeClock() }), ...options });
}

/**
 * That the waits of a history were these, and on the real clock that the server saw them.
 *
 * @param {Env} env
 * @param {any} history
 * @param {string} url
 * @param {[number, number][]} waits The least and the most of each.
 */
async function waited({ clock }, history, url, waits) {
  const requests = await seen(url);
  same(history.attempts.length, waits.length, 'the number of waits');
  waits.forEach(([least, most], i) => {
    // A real timer may be late on a busy machine, and early by its rounding.
    const late = clock === 'real' ? 400 : 0;
    between(history.attempts[i].delayMs, least - (late && 2), most + late, `wait ${i + 1}`);
    if (clock === 'real') between(requests[i + 1].atMs - requests[i].atMs, least - 2, most + 1000, `the gap after request ${i + 1}`);
  });
}

claim('a 503 is retried and the next answer is delivered', async (env) => {
  const url = play(env.origin, [{ status: 503, body: 'down' }, OK]);
  const response = await quickFetch(env)(url, ASK);
  equal(await response.json(), { answer: 42 });
  same(response.url, url, 'url');
  const history = env.dacapo.historyOf(response);
  equal({ ...history.retry }, {
    totalAttempts: 2, failedAttempts: 1, wastedPromptTokens: 0, wastedCompletionTokens: 0, wastedTotalTokens: 0, wasteIsLowerBound: history.retry.wasteIsLowerBound,
  });
  const [{ index, attempt, reason, error, request }] = history.attempts;
  equal([index, attempt, reason, error.kind, error.status, request.method], [0, 1, 'server_error', 'overloaded', 503, 'POST']);
  equal((await seen(url)).map(({ method, body }) => [method, body]), [['POST', ASK.body], ['POST', ASK.body]]);
  await waited(env, history, url, [[60, 60]]);
});

claim('waits double and the last failed Response comes back unread', async (env) => {
  const url = play(env.origin, [{ status: 500, body: 'one' }, { status: 502, body: 'two' }, { status: 500, body: 'three', headers: { 'x-request-id': 'abc' } }]);
  const response = await quickFetch(env)(url, ASK);
  equal([response.status, response.bodyUsed, response.url === url, response.headers.get('x-request-id')], [500, false, true, 'abc']);
  same(await response.text(), 'three', 'body');
  const history = env.dacapo.historyOf(response);
  equal([history.mark, history.retry.totalAttempts, history.retry.failedAttempts, history.last.error.status], ['attempts_exhausted', 3, 3, 500]);
  await waited(env, history, url, [[60, 60], [120, 120]]);
});

claim('a 400 is not retried', async (env) => {
  const url = play(env.origin, [{ status: 400, body: 'no' }, OK]);
  const response = await quickFetch(env)(url, ASK);
  equal([response.status, await response.text(), (await seen(url)).length], [400, 'no', 1]);
  const history = env.dacapo.historyOf(response);
  equal([history.mark, history.attempts, history.last.error.kind], ['not_retryable', undefined, 'bad_request']);
}, ['injected']);

claim('a Response that succeeds at once is the platform’s own object and has no history', async (env) => {
  let own;
  const fetch = quickFetch(env, { fetch: async (...args) => (own = await globalThis.fetch(...args)) });
  const response = await fetch(play(env.origin, [OK]), ASK);
  same(response, own, 'the Response');
  same(env.dacapo.historyOf(response), undefined, 'history');
  equal(await response.json(), { answer: 42 });
}, ['injected']);

claim('a connection reset before the headers is retried as transport', async (env) => {
  const url = play(env.origin, [{ fault: 'reset' }, OK]);
  const response = await quickFetch(env)(url, ASK);
  const history = env.dacapo.historyOf(response);
  equal([history.attempts[0].reason, history.attempts[0].error.kind, 'status' in history.attempts[0].error], ['transport', 'transport', false]);
  same((await seen(url)).length, 2, 'requests');
});

claim('when no answer ever comes the platform’s own error is what it rejects with', async (env) => {
  const errors = [];
  const url = play(env.origin, [{ fault: 'reset' }]);
  const send = (...args) => globalThis.fetch(...args).catch((error) => { errors.push(error); throw error; });
  const error = await failure(quickFetch(env, { fetch: send })(url));
  same(errors.length, 3, 'attempts');
  same(error, errors[2], 'the error');
  equal([env.dacapo.historyOf(error).mark, env.dacapo.historyOf(error).retry.failedAttempts], ['attempts_exhausted', 3]);
}, ['injected']);

for (const fault of ['reset-in-body', 'cut-in-body']) {
  claim(`a JSON answer broken off in the middle is retried: ${fault}`, async (env) => {
    const url = play(env.origin, [{ chunks: ['{"answer":', '4'], headers: { 'content-type': 'application/json' }, fault }, OK]);
    const response = await quickFetch(env)(url, ASK);
    equal(await response.json(), { answer: 42 });
    const { error } = env.dacapo.historyOf(response).attempts[0];
    equal([error.kind, error.code, error.retryable], ['transport', 'truncated', true]);
  }, ['injected']);
}

claim('an error inside a 200 is retried, and handed over with all its bytes at the end', async (env) => {
  const failed = { error: { type: 'overloaded_error', message: 'Overloaded' } };
  const url = play(env.origin, [{ json: failed }]);
  const response = await quickFetch(env, { maxAttempts: 2 })(url, ASK);
  equal([response.status, response.bodyUsed, await response.json()], [200, false, failed]);
  const history = env.dacapo.historyOf(response);
  equal([history.retry.failedAttempts, history.last.error.kind], [2, 'overloaded']);
}, ['injected']);

claim('a JSON answer larger than inspectBytes is handed over whole', async (env) => {
  const text = JSON.stringify({ text: 'x'.repeat(300_000) });
  const url = play(env.origin, [{ status: 503 }, { body: text.slice(0, 5000), headers: { 'content-type': 'application/json' } }]);
  const response = await quickFetch(env, { inspectBytes: 1000 })(url, ASK);
  same(await response.text(), text.slice(0, 5000), 'the body');
}, ['injected']);

claim('a redirect of a POST is refused and names the way out', async (env) => {
  const target = play(env.origin, [OK]);
  const url = play(env.origin, [{ status: 307, headers: { location: target } }]);
  const error = await failure(quickFetch(env)(url, ASK));
  check(env.dacapo.isRetryError(error), 'it is a RetryError');
  equal([error.kind, (await seen(url)).length, (await seen(target)).length], ['redirected', 1, 0]);
  contains(error.message, "redirects: 'platform'");
}, ['injected']);

claim('a redirect of a GET is followed', async (env) => {
  const target = play(env.origin, [{ status: 503 }, OK]);
  const url = play(env.origin, [{ status: 302, headers: { location: target } }]);
  equal(await (await quickFetch(env)(url)).json(), { answer: 42 });
  equal([(await seen(url)).length, (await seen(target)).length], [2, 2]);
}, ['injected']);

claim('Retry-After in seconds is waited out, never sooner', async (env) => {
  const url = play(env.origin, [{ status: 429, headers: { 'retry-after': '1' } }, OK]);
  const response = await quickFetch(env)(url, ASK);
  const history = env.dacapo.historyOf(response);
  equal([history.attempts[0].retryAfterMs, history.attempts[0].delayFrom, history.attempts[0].error.kind], [1000, 'hint', 'rate_limited']);
  await waited(env, history, url, [[1000, 1100]]);
});

claim('retry-after-ms is waited out, rounded up', async (env) => {
  const url = play(env.origin, [{ status: 429, headers: { 'retry-after-ms': '150.2', 'retry-after': '9' } }, OK]);
  const response = await quickFetch(env)(url, ASK);
  const history = env.dacapo.historyOf(response);
  same(history.attempts[0].retryAfterMs, 151, 'retryAfterMs');
  await waited(env, history, url, [[151, 167]]);
});

claim('Retry-After as an HTTP-date in its three forms is measured against the answer’s own Date', async (env) => {
  await Promise.all(['imf', 'rfc850', 'asctime'].map(async (form) => {
    const url = play(env.origin, [{ status: 503, retryAfterDate: { inMs: 1000, form } }, OK]);
    const history = env.dacapo.historyOf(await quickFetch(env)(url, ASK));
    same(history.attempts[0].retryAfterMs, 1000, form);
    await waited(env, history, url, [[1000, 1100]]);
  }));
});

claim('a Retry-After beyond the limit ends the call at once with the Response', async (env) => {
  const url = play(env.origin, [{ status: 429, headers: { 'retry-after': '3600' } }, OK]);
  const response = await quickFetch(env)(url, ASK);
  const history = env.dacapo.historyOf(response);
  equal([response.status, history.mark, history.last.retryAfterMs, (await seen(url)).length], [429, 'retry_after_beyond', 3_600_000, 1]);
}, ['real']);

claim('an attempt without an answer is given up at timeoutMs and retried', async (env) => {
  const url = play(env.origin, [{ fault: 'no-headers' }, OK]);
  const response = await quickFetch(env, { timeoutMs: 150 })(url, ASK);
  equal(await response.json(), { answer: 42 });
  equal(env.dacapo.historyOf(response).attempts.map(({ reason, error }) => [reason, error.kind]), [['timeout', 'timeout']]);
  await seenUntil(url, ([first]) => first?.left);
});

claim('the last timeout is a TimeoutError that names the option and its milliseconds', async (env) => {
  const url = play(env.origin, [{ fault: 'no-headers' }]);
  const error = await failure(quickFetch(env, { timeoutMs: 60, maxAttempts: 2 })(url, ASK));
  check(error instanceof DOMException, 'it is a DOMException');
  same(error.name, 'TimeoutError', 'name');
  contains(error.message, /timeoutMs.*\b60\b/);
  same(env.dacapo.historyOf(error).retry.failedAttempts, 2, 'failedAttempts');
}, ['real']);

claim('timeoutCovers response also ends a body that stops coming', async (env) => {
  const url = play(env.origin, [{ chunks: ['{"answer":'], headers: { 'content-type': 'application/json' }, fault: 'stall' }, OK]);
  const response = await quickFetch(env, { timeoutMs: 150, timeoutCovers: 'response' })(url, ASK);
  equal(await response.json(), { answer: 42 });
  same(env.dacapo.historyOf(response).attempts[0].error.kind, 'timeout', 'kind');
  await seenUntil(url, ([first]) => first?.left);
}, ['real']);

claim('a wait that would end after deadlineMs is not begun', async (env) => {
  const url = play(env.origin, [{ status: 503, body: 'down' }]);
  const response = await quickFetch(env, { deadlineMs: 5000, initialDelayMs: 8000 })(url, ASK);
  const { mark, retry } = env.dacapo.historyOf(response);
  equal([response.status, await response.text(), mark, retry.totalAttempts], [503, 'down', 'deadline_exceeded', 1]);
}, ['real']);

claim('a deadline that passes in flight is a TimeoutError that names deadlineMs', async (env) => {
  const url = play(env.origin, [{ fault: 'no-headers' }]);
  const error = await failure(quickFetch(env, { deadlineMs: 100 })(url, ASK));
  same(error.name, 'TimeoutError', 'name');
  contains(error.message, /deadlineMs.*\b100\b/);
  same(env.dacapo.historyOf(error).mark, 'deadline_exceeded', 'mark');
}, ['real']);

claim('hooks see frozen records, and shouldRetry may say no', async (env) => {
  const url = play(env.origin, [{ status: 503 }, { status: 502 }, OK]);
  const told = [];
  const fetch = quickFetch(env, {
    shouldRetry: (failed, verdict) => {
      told.push(['asked', failed.attempt, verdict.kind, Object.isFrozen(failed) && Object.isFrozen(verdict)]);
      return failed.error.status === 502 ? false : undefined;
    },
    onRetry: (failed) => told.push(['retry', failed.attempt, failed.delayMs, Object.isFrozen(failed.error)]),
    onEvent: (event) => event.type === 'settled' && told.push(['settled', event.outcome, event.history.mark]),
  });
  const response = await fetch(url, ASK);
  equal(told, [['asked', 1, 'overloaded', true], ['retry', 1, 60, true], ['asked', 2, 'server_error', true], ['settled', 'failed', 'hook_veto']]);
  same(response.status, 502, 'status');
});

claim('retry plays an operation again and rejects with a RetryError around its last error', async (env) => {
  const { dacapo } = env;
  const url = play(env.origin, [{ status: 503 }]);
  const thrown = [];
  const operation = async () => {
    const { status } = await fetch(url);
    throw thrown[thrown.push(Object.assign(new Error(`HTTP ${status}`), { status })) - 1];
  };
  const error = await failure(dacapo.retry(operation, { ...QUICK, ...(env.clock === 'injected' && { clock: fakeClock() }) }));
  check(dacapo.isRetryError(error), 'it is a RetryError');
  equal([thrown.length, error.kind, error.status, error.attempts.length, error.retry.failedAttempts, error.mark], [3, 'overloaded', 503, 2, 3, 'attempts_exhausted']);
  same(error.cause, thrown[2], 'cause');
  check(!('cause' in error.toJSON()), 'toJSON has no cause');
  check(dacapo.matchesKind(new Error('around it', { cause: error }), 'overloaded'), 'it is found through a wrapper');
});

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
