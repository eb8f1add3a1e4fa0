import { createFetch, historyOf, sanitizeUrl } from 'dacapo';

/** @import { History } from 'dacapo' */

/** How long one attempt may take to bring its headers. */
const TIMEOUT_MS = 10_000;

/**
 * Calls a URL of the user's; whether it was answered with an ok status.
 *
 * @param {import('./timeline.js').Timeline} timeline
 * @param {string} url
 */
export async function callUrl(timeline, url) {
  const fetch = createFetch({ timeoutMs: TIMEOUT_MS, onEvent: timeline.onEvent });
  timeline.heads();
  timeline.begin(`GET ${sanitizeUrl(url)}`);
  let ended;
  let ok = false;
  try {
    const response = await fetch(url);
    ended = response;
    ok = response.ok;
    const attempts = historyOf(response)?.retry.totalAttempts ?? 1;
    if (ok) timeline.delivered(attempts, response.status);
    timeline.print(`\nstatus ${response.status} ${response.statusText}`.trimEnd());
    await response.body?.cancel();
  } catch (error) {
    ended = error;
    timeline.print(`\n${error}`);
  }
  const { retry, ...history } = historyOf(ended) ?? CLEAN;
  if (Object.keys(history).length === 0) timeline.print('history: no attempt failed');
  else timeline.show('history', history);
  timeline.show('ledger', retry);
  return ok;
}

/** What a call that succeeded at once went through. @type {History} */
const CLEAN = {
  retry: {
    totalAttempts: 1, failedAttempts: 0,
    wastedPromptTokens: 0, wastedCompletionTokens: 0, wastedTotalTokens: 0, wasteIsLowerBound: false,
  },
};
