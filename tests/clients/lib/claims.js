/**
 * What is claimed of every client that is given a fetch of dacapo, its own retries off.
 *
 * A call is what a user of the client does:
 *
 *   ask(to, seen)   calls the provider and returns, as plain data, all that the user gets
 *   whole           the provider's answer; a function of the request where the call asks more than once
 *   early           answers that tell of an error inside a 200, before any output
 *   begun           of a stream: an answer that goes quiet after its first output
 *
 * `to` is { url, fetch, signal, apiKey, timeoutMs }; `seen` is to be called with every piece of output of a stream.
 */

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { createFetch, historyOf, retry } from 'dacapo';
import { assertNoSecret } from '../../js/lib/canaries.js';
import { fakeClock } from '../../js/lib/clock.js';
import { json, lost, startProvider, unanswered } from './provider.js';

/**
 * @typedef {import('./provider.js').Answer} Answer
 *
 * @typedef {object} To
 * @property {string} url
 * @property {typeof fetch} fetch
 * @property {AbortSignal} [signal]
 * @property {string} [apiKey]
 * @property {number} [timeoutMs] The client's own.
 *
 * @typedef {object} Call
 * @property {(to: To, seen: (output: unknown) => void) => Promise<unknown>} ask
 * @property {Answer | ((request: import('./provider.js').Asked) => Answer)} whole
 * @property {Answer[]} [early]
 * @property {Answer} [begun]
 */

export const LIMIT_MS = 20_000;

/** How soon "at once" is, on a machine that does other things as well. */
const AT_ONCE_MS = 1000;

/** Of no known shape: only the request tells that it is secret. */
const API_KEY = 'canary-zQ7vX2wK9pL4mN8sR3tY6';

/** A fetch that waits in no real time, and what it tells of its calls. */
export function watchedFetch(options = {}) {
  const clock = fakeClock();
  /** @type {any[]} */
  const events = [];
  const fetch = createFetch({ clock, random: () => 0, onEvent: (event) => events.push(event), ...options });
  const settled = () => events.filter(({ type }) => type === 'settled').map(({ history }) => history);
  return { fetch, clock, events, settled };
}

/** Asks one provider once. */
export async function asked(t, call, answers, options, to = {}) {
  const provider = await startProvider(t, ...answers);
  const watched = watchedFetch(options);
  const outcome = await outcomeOf(call.ask({ url: provider.url, fetch: watched.fetch, apiKey: API_KEY, ...to }, () => undefined));
  return { ...watched, ...outcome, requests: provider.requests };
}

/** @param {Promise<unknown>} promise */
const outcomeOf = (promise) => promise.then((value) => ({ value, error: undefined }), (error) => ({ value: undefined, error }));

/**
 * Whatever goes wrong before the first output, the user gets what an unfailing provider gives.
 *
 * @param {Record<string, Call>} calls
 * @param {object} body What the provider says of a failure.
 */
export function recovers(calls, body) {
  const failed = (status, headers) => json(body, { status, headers });
  for (const [name, call] of Object.entries(calls)) {
    describe(`${name} recovers`, { timeout: LIMIT_MS, concurrency: 4 }, () => {
      const troubles = {
        'a 503': { answer: failed(503), wait: 250 },
        'a 429 with Retry-After': { answer: failed(429, { 'retry-after': '7' }), wait: 7000 },
        'a 429 with retry-after-ms': { answer: failed(429, { 'retry-after-ms': '1234' }), wait: 1234 },
        'a 529': { answer: failed(529), wait: 250 },
        'a 502 whose body is a page': { answer: { status: 502, headers: { 'content-type': 'text/html' }, chunks: ['<h1>Bad Gateway</h1>'] }, wait: 250 },
        'a connection that is reset': { answer: lost, wait: 250 },
        ...Object.fromEntries((call.early ?? []).map((answer, i) => [`an error told inside a 200 (${i + 1})`, { answer, wait: 250 }])),
      };
      for (const [trouble, { answer, wait }] of Object.entries(troubles)) {
        test(`from ${trouble}: the user gets what an unfailing provider gives`, async (t) => {
          const unfailing = await asked(t, call, [call.whole]);
          assert.equal(unfailing.error, undefined);
          const { value, error, requests, clock, settled } = await asked(t, call, [answer, call.whole]);
          assert.equal(error, undefined);
          assert.deepEqual(value, unfailing.value);
          // What failed is sent again as it was.
          assert.deepEqual(requests.map(sent), [unfailing.requests[0], ...unfailing.requests].map(sent));
          assert.deepEqual(clock.waits, [wait]);
          assert.deepEqual(settled().map(({ retry }) => [retry.totalAttempts, retry.failedAttempts]), [[2, 1]]);
        });
      }
    });
  }
}

/** A request without what is made anew for each. */
function sent({ method, path, headers, bytes: body }) {
  const { host, 'content-length': length, ...others } = headers;
  const [, boundary = '\0'] = /boundary=(\S+)/.exec(headers['content-type'] ?? '') ?? [];
  const plain = (/** @type {string} */ text) => text.replaceAll(boundary, 'boundary');
  return { method, path, headers: plain(JSON.stringify(others)), body: plain(body.toString('latin1')) };
}

/**
 * A cancelled call ends at once, as it does with the platform's own fetch, and the provider is let go.
 *
 * @param {Record<string, Call>} calls
 * @param {(error: unknown, reason: unknown) => void} assertAbort
 * @param {(name: string, error: unknown) => void} [assertMidway] Of a stream that is cancelled in its middle; its error may be undefined.
 */
export function cancels(calls, assertAbort, assertMidway = () => undefined) {
  for (const [name, call] of Object.entries(calls)) {
    describe(`${name} is cancelled`, { timeout: LIMIT_MS }, () => {
      test('in flight: the client’s own abort error at once, and the provider sees the client leave', async (t) => {
        const provider = await startProvider(t, unanswered);
        const { cancel, outcome, settled } = cancellable(call, provider.url);
        const request = await provider.asked(1);
        assertAbort(...await cancel(outcome));
        await request.left;
        assert.equal(provider.requests.length, 1);
        assert.deepEqual(settled().map(({ mark }) => mark), ['cancelled']);
      });

      test('in a wait: the client’s own abort error at once, and nothing more is sent', async (t) => {
        const provider = await startProvider(t, json({ error: { message: 'Overloaded' } }, { status: 503 }), call.whole);
        const waits = Promise.withResolvers();
        const options = { initialDelayMs: 60_000, maxDelayMs: 60_000, onRetry: () => waits.resolve() };
        const { cancel, outcome, settled } = cancellable(call, provider.url, options);
        await waits.promise;
        await new Promise(setImmediate);
        assertAbort(...await cancel(outcome));
        assert.equal(provider.requests.length, 1);
        const [{ mark, retry, attempts }] = settled();
        assert.deepEqual([mark, retry.totalAttempts, attempts.map(({ error }) => error.kind)], ['cancelled', 1, ['overloaded']]);
      });

      if (call.begun === undefined) return;
      test('in the middle of a stream: as with the platform’s own fetch, and the provider sees the client leave', async (t) => {
        const outcomes = [];
        for (const fetch of [globalThis.fetch, createFetch(), createFetch({ timeoutMs: 60_000, timeoutCovers: 'response' })]) {
          const provider = await startProvider(t, call.begun, call.whole);
          const { cancel, outcome, output } = cancellable(call, provider.url, { fetch });
          await output;
          const [error] = await cancel(outcome);
          assertMidway(name, error);
          await provider.requests[0].left;
          outcomes.push([error?.constructor.name, error?.name, error?.message, (await outcome).value, provider.requests.length]);
        }
        assert.deepEqual(outcomes.slice(1), [outcomes[0], outcomes[0]]);
      });
    });
  }
}

/** A call that is under way, and can be cancelled. */
function cancellable(call, url, { fetch, ...options } = {}) {
  const controller = new AbortController();
  const output = Promise.withResolvers();
  const watched = watchedFetch({ clock: undefined, ...options });
  const to = { url, fetch: fetch ?? watched.fetch, signal: controller.signal, apiKey: API_KEY };
  const outcome = outcomeOf(call.ask(to, output.resolve));
  /** Cancels it; resolves with what it was rejected with, and the reason. */
  async function cancel() {
    const reason = new Error('the user has left');
    const from = performance.now();
    controller.abort(reason);
    const { error } = await outcome;
    const took = performance.now() - from;
    assert.ok(took < AT_ONCE_MS, `it took ${took} ms`);
    return [error, reason];
  }
  return { cancel, outcome, output: output.promise, settled: watched.settled };
}

/**
 * After the last failure the user gets the error that the client makes of it with the platform's own fetch.
 *
 * @param {Record<string, Call>} calls
 * @param {Record<string, { answer: Answer, sends: number, kind: string, is: (error: any) => void }>} failures
 * @param {(error: any) => unknown} facts What of an error has to be the same.
 * @param {{ leads?: boolean }} [client] Whether its errors lead to the history, or onEvent alone does.
 */
export function fails(calls, failures, facts, { leads = true } = {}) {
  for (const [name, call] of Object.entries(calls)) {
    describe(`${name} fails`, { timeout: LIMIT_MS, concurrency: 4 }, () => {
      for (const [failure, { answer, sends, kind, is }] of Object.entries(failures)) {
        test(`for good with ${failure}: the client’s own error, and ${leads ? 'it leads to' : 'onEvent has'} the history`, async (t) => {
          const plain = await asked(t, call, [answer], {}, { fetch: globalThis.fetch });
          const { error, requests, settled } = await asked(t, call, [answer], { maxAttempts: 2 });
          is(error);
          assert.deepEqual(facts(error), facts(plain.error));
          assert.equal(requests.length, sends);
          const [history] = settled();
          assert.deepEqual([history.last.error.kind, history.retry.totalAttempts], [kind, sends]);
          assert.equal(historyOf(error), leads ? history : undefined);
        });

        test(`for good with ${failure}: retry around the client judges its error the same`, async (t) => {
          const { url, requests } = await startProvider(t, answer);
          const plainly = () => call.ask({ url, fetch: globalThis.fetch }, () => undefined);
          const { error } = await outcomeOf(retry(plainly, { clock: fakeClock(), maxAttempts: 2 }));
          assert.deepEqual([error?.name, error?.kind, requests.length], ['RetryError', kind, sends]);
          is(error.cause);
        });
      }
    });
  }
}

/**
 * No key in what dacapo makes, though the provider quotes it, nor in what the client makes of a lost connection.
 *
 * @param {Record<string, Call>} calls
 * @param {(message: string) => object} body What the provider says of a failure.
 */
export function keepsSecrets(calls, body) {
  for (const [name, call] of Object.entries(calls)) {
    test(`${name} shows no key in events, history and errors`, { timeout: LIMIT_MS }, async (t) => {
      let requestsWithKey = 0;
      const quotes = ({ headers, path }) => {
        const texts = [...Object.values(headers), path].filter((text) => String(text).includes(API_KEY));
        requestsWithKey += texts.length > 0 ? 1 : 0;
        return json(body(`Unknown key: ${texts.join(', ')}`), { status: 503, headers: { 'x-quoted': texts.join(', ') } });
      };
      const quoted = await asked(t, call, [quotes], { snapshotBody: true });
      assert.equal(requestsWithKey, 3);
      assertNoSecret(quoted.events, [API_KEY], 'an event');
      assert.equal(quoted.settled().length, 1);
      assertNoSecret(quoted.settled(), [API_KEY], 'the history');
      const dropped = await asked(t, call, [lost]);
      assertNoSecret(dropped.error, [API_KEY], 'the error of a lost connection');
      assertNoSecret(dropped.events, [API_KEY], 'an event');
    });
  }
}
