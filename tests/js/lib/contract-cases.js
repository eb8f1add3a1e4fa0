/**
 * What a program can rely on, over real HTTP: one list, run in Node, in Chromium and in
 * workerd. No `node:` import.
 *
 * A claim is run with each of its clocks: `injected`, whose waits end at once, and `real`.
 */

import { check } from './check.js';
import { fakeClock } from './clock.js';
import { ASK, claimList, JSON_HEADERS, OK, QUICK, quickFetch, waited } from './contract.js';
import { claims as requestClaims } from './contract-requests.js';
import { claims as streamClaims } from './contract-streams.js';
import { contains, equal, failure, same } from './expect.js';
import { play, seen, seenUntil } from './play.js';
import { REASONS } from './signals.js';

const { claims, claim } = claimList();

/** Every claim with each of its clocks, as `[title, run]` with `run(dacapo, origin)`. */
export function contractTests() {
  return [...claims, ...requestClaims, ...streamClaims].flatMap(({ name, clocks, run }) => clocks.map((clock) => [
    `${name} (${clock} clock)`,
    (dacapo, origin) => run({ dacapo, origin, clock }),
  ]));
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
    const url = play(env.origin, [{ chunks: ['{"answer":', '4'], headers: JSON_HEADERS, fault }, OK]);
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
  // What would be a failed attempt if it were looked at: it ends in the middle.
  const text = `{"text":"${'x'.repeat(5000)}`;
  const url = play(env.origin, [{ status: 503 }, { body: text, headers: JSON_HEADERS }]);
  const response = await quickFetch(env, { inspectBytes: 1000 })(url, ASK);
  same(await response.text(), text, 'the body');
  same(env.dacapo.historyOf(response).retry.totalAttempts, 2, 'attempts');
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
  const response = await quickFetch(env, { timeoutMs: 400 })(url, ASK);
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
  const url = play(env.origin, [{ chunks: ['{"answer":'], headers: JSON_HEADERS, fault: 'stall' }, OK]);
  const response = await quickFetch(env, { timeoutMs: 400, timeoutCovers: 'response' })(url, ASK);
  equal(await response.json(), { answer: 42 });
  same(env.dacapo.historyOf(response).attempts[0].error.kind, 'timeout', 'kind');
  await seenUntil(url, ([first]) => first?.left);
}, ['real']);

claim('a failed answer whose body stalls is let go of before it is asked for again, under timeoutMs', async (env) => {
  const url = play(env.origin, [{ status: 503, body: 'so ', fault: 'stall' }, OK]);
  const response = await quickFetch(env, { timeoutMs: 60_000 })(url);
  equal(await response.json(), { answer: 42 });
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

const ABORTED = {
  'in flight': { steps: [{ fault: 'no-headers' }], left: true },
  'in flight under a timeout': { steps: [{ fault: 'no-headers' }], options: { timeoutMs: 60_000 }, left: true },
  'while a failed answer is read': { steps: [{ status: 503, body: 'so ', fault: 'stall' }], left: true },
  'while a JSON answer is inspected': { steps: [{ chunks: ['{'], headers: JSON_HEADERS, fault: 'stall' }], left: true },
  'in the wait': { steps: [{ status: 503 }], options: { initialDelayMs: 60_000, maxDelayMs: 60_000 }, left: false },
};
for (const [when, { steps, options, left }] of Object.entries(ABORTED)) {
  claim(`an abort ${when} of the platform’s fetch rejects with the reason itself, and the server is let go`, async (env) => {
    for (const [name, reasonOf] of Object.entries(REASONS)) {
      const url = play(env.origin, steps);
      const controller = new AbortController();
      let waiting = false;
      const call = failure(quickFetch(env, { ...options, onRetry: () => (waiting = true) })(url, { ...ASK, signal: controller.signal }));
      await seenUntil(url, ({ length }) => length === 1 && (waiting || left));
      controller.abort(reasonOf());
      same(await call, controller.signal.reason, `what it rejects with after ${name}`);
      if (left) await seenUntil(url, ([first]) => first?.left);
      same((await seen(url)).length, 1, 'requests');
    }
  }, ['real']);
}

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
