// What the suites of the presets share.

import { createFetch } from 'dacapo';
import { fakeClock } from './clock.js';
import { stubFetch, URL_ } from './stub.js';

/** The Node codes and wordings of a connection that timed out, and of one that broke. */
export const TIMED_OUT = () => new TypeError('fetch failed', { cause: Object.assign(new Error('connect ETIMEDOUT'), { code: 'ETIMEDOUT' }) });
export const REFUSED = () => new TypeError('fetch failed', { cause: Object.assign(new Error('connect ECONNREFUSED'), { code: 'ECONNREFUSED' }) });
export const CUT_OFF = () => new TypeError('terminated', { cause: Object.assign(new Error('other side closed'), { code: 'UND_ERR_SOCKET' }) });

/** Every status that says an error. */
export const ERROR_STATUSES = Array.from({ length: 200 }, (_, i) => 400 + i);

/**
 * Makes one call under a preset on a clock that never waits, and tells what came of it:
 * the `result`, how many `sends` there were, and the `waits`.
 */
export async function play(preset, answers, options = {}, init = { method: 'POST', body: '{}' }) {
  const clock = fakeClock();
  const stub = stubFetch(...answers);
  const fetch = createFetch({ preset, fetch: stub, clock, random: () => 0, ...options });
  const result = await fetch(URL_, init).catch((error) => error);
  return { result, sends: stub.calls.length, waits: clock.waits };
}

/** The statuses of which a second attempt is made. */
export async function retriedStatuses(preset, options) {
  const retried = [];
  for (const status of ERROR_STATUSES) {
    const { sends } = await play(preset, [status], { maxAttempts: 2, ...options });
    if (sends === 2) retried.push(status);
  }
  return retried;
}
