import { createFetch, historyOf, isRetryError } from 'dacapo';
import { listen } from './listen.js';
import { STANDBY_KEY, startProvider } from './provider.js';

/** @import { ErrorKind, FetchOptions, History } from 'dacapo' */

/**
 * A call, and how it has to end.
 *
 * @typedef {object} Scene
 * @property {string} title
 * @property {string} path
 * @property {'recovered' | 'failed' | 'cancelled'} ends
 * @property {ErrorKind[]} kinds Of every failed attempt, in order.
 * @property {FetchOptions} [options]
 * @property {number} [cancelAfterMs]
 * @property {string} [hears] It streams, and this is what its user hears, with one start.
 * @property {true} [fallsOver] There is a second provider.
 */

/** @type {readonly Scene[]} */
const SCENES = [
  { title: '429, Retry-After in seconds', path: 'retry-after-seconds', ends: 'recovered', kinds: ['rate_limited'] },
  { title: '429, Retry-After as an HTTP-date', path: 'retry-after-date', ends: 'recovered', kinds: ['rate_limited'] },
  { title: '429, retry-after-ms', path: 'retry-after-ms', ends: 'recovered', kinds: ['rate_limited'] },
  { title: '503 twice, no hint', path: 'overloaded', ends: 'recovered', kinds: ['overloaded', 'overloaded'] },
  { title: 'The socket is reset before the headers', path: 'reset', ends: 'recovered', kinds: ['transport'] },
  { title: 'The socket is reset in the middle of a JSON body', path: 'cut', ends: 'recovered', kinds: ['transport'] },
  { title: 'Headers that never come, 300 ms an attempt', path: 'silent', ends: 'recovered', kinds: ['timeout'], options: { timeoutMs: 300 } },
  { title: 'A stream that fails before its first word', path: 'stream-before', ends: 'recovered', kinds: ['overloaded'], hears: 'From the beginning, then.' },
  { title: 'A stream that fails after its first words: they cannot be unsaid', path: 'stream-after', ends: 'failed', kinds: ['overloaded'], hears: 'From the ' },
  { title: '401', path: 'unauthorized', ends: 'failed', kinds: ['auth'] },
  { title: '400', path: 'invalid', ends: 'failed', kinds: ['bad_request'] },
  { title: '429, but the quota is spent', path: 'quota', ends: 'failed', kinds: ['quota_exhausted'] },
  { title: 'A redirect, which would carry the key elsewhere', path: 'moved', ends: 'failed', kinds: ['redirected'] },
  { title: 'The provider is down, and another one answers', path: 'down', ends: 'recovered', kinds: ['overloaded', 'overloaded'], options: { maxAttempts: 2 }, fallsOver: true },
  { title: 'It still is, which its circuit breaker knows', path: 'down', ends: 'recovered', kinds: ['circuit_open'], fallsOver: true },
  { title: '503 for 30 s, and the caller cancels', path: 'maintenance', ends: 'cancelled', kinds: ['overloaded'], cancelAfterMs: 250 },
];

/** A cancel that takes longer was not obeyed at once, however busy the machine. */
const AT_ONCE_MS = 200;

/** Not secrets of anybody's: the demo shows that they stay out of what it prints. */
const KEY = 'sk-demo-7f3kQz9XwLm2RtVb8NcYp4Hs';
const QUERY_KEY = 'demo-query-key-5519';

/**
 * Plays the script; whether every call ended as it should.
 *
 * @param {import('./timeline.js').Timeline} timeline
 */
export async function runScript(timeline) {
  const provider = await startProvider({ broken: process.env.DEMO_BREAK === '1' });
  const fetch = createFetch({ initialDelayMs: 200, onEvent: timeline.onEvent });
  const overBoth = fetch.with({
    targets: [
      { provider: 'first', breaker: { failures: 1 } },
      { provider: 'standby', url: () => provider.url('standby'), headers: { authorization: `Bearer ${STANDBY_KEY}` } },
    ],
    onFallback: timeline.fellOver,
  });
  const counts = { recovered: 0, failed: 0, cancelled: 0 };
  /** @type {Record<string, History | undefined>} */
  const histories = {};
  const surprises = [];
  timeline.print(`dacapo calls a provider in trouble at ${provider.url('')}`);
  timeline.heads();
  for (const [i, scene] of SCENES.entries()) {
    timeline.begin(`${String(i + 1).padStart(2)}  ${scene.title}`);
    const { ends, history, heard } = await play(scene, scene.fallsOver ? overBoth : fetch, `${provider.url(scene.path)}?key=${QUERY_KEY}`, timeline);
    histories[scene.path] = history;
    const kinds = kindsIn(history);
    if (scene.hears !== undefined && (heard?.text !== scene.hears || heard.starts !== 1)) {
      surprises.push(`the user of call ${i + 1} was to hear "${scene.hears}", and heard "${heard?.text}" with ${heard?.starts} starts`);
    } else if (ends === scene.ends && String(kinds) === String(scene.kinds)) counts[ends] += 1;
    else surprises.push(`call ${i + 1} was to be ${scene.ends} [${scene.kinds}] and was ${ends} [${kinds}]`);
  }
  provider.close();
  timeline.show('What was kept of the 401: no credentials, and the key in the message is masked', histories.unauthorized?.last);
  timeline.show('The ledger of the call without headers', histories.silent?.retry);
  timeline.show('The stream that failed after its first words, in the history of its Response', kept(histories['stream-after']));
  timeline.print();
  for (const surprise of surprises) timeline.print(timeline.paint('red', surprise));
  const odd = surprises.length === 0 ? '' : `, ${surprises.length} not as scripted`;
  timeline.print(`${SCENES.length} calls: ${counts.recovered} recovered, ${counts.failed} failed as they should, ${counts.cancelled} cancelled${odd}`);
  return surprises.length === 0;
}

/**
 * Of every failed attempt, those of earlier targets first.
 *
 * @param {History | undefined} history
 * @returns {ErrorKind[]}
 */
function kindsIn({ fallback = [], attempts = [], last } = {}) {
  const before = fallback.flatMap(({ error }) => [...(error.attempts ?? []), { error }]);
  return [...before, ...attempts, ...(last ? [last] : [])].map(({ error }) => error.kind);
}

/**
 * @param {Scene} scene
 * @param {import('dacapo').RetryingFetch} fetch
 * @param {string} url
 * @param {import('./timeline.js').Timeline} timeline
 * @returns {Promise<{ ends: Scene['ends'], history: History | undefined, heard?: import('./listen.js').Heard }>}
 */
async function play({ options, cancelAfterMs, hears }, fetch, url, timeline) {
  const caller = new AbortController();
  let abortedAt = 0;
  if (cancelAfterMs !== undefined) {
    setTimeout(() => {
      abortedAt = performance.now();
      caller.abort(new Error('the user went away'));
    }, cancelAfterMs);
  }
  const init = {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: `Bearer ${KEY}`, 'x-request-source': 'demo' },
    body: JSON.stringify({ model: 'demo', stream: hears !== undefined, messages: [{ role: 'user', content: 'Where do we start?' }] }),
    signal: caller.signal,
  };
  try {
    const response = await fetch(url, init, options);
    const history = historyOf(response);
    if (!response.ok) {
      await response.body?.cancel();
      return { ends: 'failed', history };
    }
    timeline.delivered(history?.retry.totalAttempts ?? 1, response.status);
    if (hears !== undefined) return await heardOf(response, timeline);
    await response.json();
    return { ends: 'recovered', history };
  } catch (error) {
    const history = historyOf(error);
    if (error === caller.signal.reason) {
      const ms = performance.now() - abortedAt;
      timeline.note(`cancelled: the wait ended ${ms.toFixed(1)} ms after the abort, with the caller's own reason`);
      return { ends: ms < AT_ONCE_MS ? 'cancelled' : 'failed', history };
    }
    timeline.note(isRetryError(error) ? `rejected with a RetryError of kind ${error.kind}` : `rejected with ${error}`);
    return { ends: 'failed', history };
  }
}

/**
 * Listens to the end. What happened to a stream after it was delivered is in its history then.
 *
 * @param {Response} response
 * @param {import('./timeline.js').Timeline} timeline
 * @returns {ReturnType<typeof play>}
 */
async function heardOf(response, timeline) {
  const heard = await listen(response);
  const history = historyOf(response);
  timeline.note(`the user heard "${heard.text}"`);
  if (heard.failure === undefined) return { ends: 'recovered', history, heard };
  timeline.note(`and was told once: ${heard.failure}`);
  if (history !== undefined) timeline.failed(history);
  return { ends: 'failed', history, heard };
}

/**
 * Of a history, what tells how far a stream had come.
 *
 * @param {History | undefined} history
 */
function kept(history) {
  if (history?.last === undefined) return history;
  const { mark, last: { attempt, reason, streamed, error: { message } }, retry } = history;
  return { mark, last: { attempt, reason, streamed, message }, retry };
}
