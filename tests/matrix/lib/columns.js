/**
 * What every place in the matrix runs: some of the contract of tests/js/lib, over real HTTP and on real timers, by
 * column. No `node:` import.
 */

import { runTest } from '../../js/lib/suites.js';

/** Column name to the titles of its claims. */
export const columns = {
  retry: [
    'a 503 is retried and the next answer is delivered (real clock)',
    'a connection reset before the headers is retried as transport (real clock)',
    'retry plays an operation again and rejects with a RetryError around its last error (real clock)',
  ],
  'Retry-After': [
    'Retry-After in seconds is waited out, never sooner (real clock)',
    'retry-after-ms is waited out, rounded up (real clock)',
    'a Retry-After beyond the limit ends the call at once with the Response (real clock)',
  ],
  timeout: [
    'an attempt without an answer is given up at timeoutMs and retried (real clock)',
    'a deadline that passes in flight is a TimeoutError that names deadlineMs (real clock)',
    'a failed answer whose body stalls is let go of before it is asked for again, under timeoutMs (real clock)',
  ],
  'abort in wait': [
    'an abort in the wait of the platform’s fetch rejects with the reason itself, and the server is let go (real clock)',
    'an abort in a wait that the server asked for rejects at once with the reason itself (real clock)',
  ],
  'abort in flight': [
    'an abort in flight of the platform’s fetch rejects with the reason itself, and the server is let go (real clock)',
    'an abort while a JSON answer is inspected of the platform’s fetch rejects with the reason itself, and the server is let go (real clock)',
  ],
  stream: [
    'a stream that fails before its first output is retried, and its reader sees one start: an error event (real clock)',
    'an abort after the first output breaks the stream and lets the server go, without a limit (real clock)',
    'a reader that has had enough lets the server go, under timeoutMs (real clock)',
    'a stream that falls silent before its first output and is sent again lets the server go, under timeoutMs (real clock)',
    'what is delivered is what was sent, whatever the packets cut in two: 7 B each (injected clock)',
  ],
  body: [
    'an error inside a 200 is retried, and handed over with all its bytes at the end (injected clock)',
    'bodies of every kind that can be read again are sent again (injected clock)',
  ],
  history: [
    'hooks see frozen records, and shouldRetry may say no (real clock)',
    'the history is found by the Response, by its headers and through an SDK’s error (injected clock)',
    'calls that run at once keep their histories apart (real clock)',
  ],
  secrets: [
    'no secret of a request shows in hooks, events, history or error (injected clock)',
    'another endpoint answers where the first is down, and is sent none of its credentials (injected clock)',
  ],
  options: [
    'every fault of the options is listed, an unknown one with the nearest name (injected clock)',
    'decisions come out the same in every runtime (injected clock)',
  ],
};

/**
 * Runs them all, one after the other.
 *
 * @param {unknown} dacapo The package.
 * @param {string} origin The scripted server's.
 * @returns {Promise<Record<string, string | null>>} What failed of each column, null where nothing did. It can be sent to another process.
 */
export async function runColumns(dacapo, origin) {
  /** @type {Record<string, string | null>} */
  const outcomes = {};
  for (const [column, titles] of Object.entries(columns)) {
    const failures = [];
    for (const title of titles) {
      const failed = await runTest(title, dacapo, origin);
      if (failed !== null) failures.push(`${title}: ${failed}`);
    }
    outcomes[column] = failures.length > 0 ? failures.join('\n') : null;
  }
  return outcomes;
}
