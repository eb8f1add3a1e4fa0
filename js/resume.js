import { Earlier, LATEST_MS, plainCopy, VERSION } from './earlier.js';
import { optionsError } from './errors.js';
import { addFault } from './faults.js';
import { deepFreeze } from './history.js';

/** @import { ConfigFault } from './types.d.ts' */

/** The engine counts attempts in 32 bits. */
const MOST_ATTEMPTS = 0xffffffff;

/**
 * What a token tells; `undefined` without one. It may have been stored anywhere, so nothing
 * is taken for granted.
 *
 * @param {unknown} token
 * @param {import('./policy.js').RetryPolicy} policy The one that the call goes on under.
 * @returns {Earlier | undefined}
 */
export function resumed(token, policy) {
  if (token === undefined || token === null) return undefined;
  if (token instanceof Earlier) return token;
  /** @type {ConfigFault[]} */
  const faults = [];
  const { version, notBefore, retry, attempts } = plainCopy(token) ?? {};
  if (version !== VERSION) {
    addFault(faults, 'resume', version === undefined ? token : version, 'type', `the resume token of a history (version ${VERSION}), as it was or parsed from its JSON`);
    throw optionsError(faults);
  }
  if (!isWhole(notBefore, LATEST_MS)) addFault(faults, 'resume.notBefore', notBefore, 'type', 'a time in whole epoch milliseconds');
  if (!isLedger(retry)) addFault(faults, 'resume.retry', retry, 'type', 'the ledger of the call, with whole numbers that fit together');
  if (!Array.isArray(attempts) || !attempts.every(isRecord)) addFault(faults, 'resume.attempts', attempts, 'type', 'the list of the failed attempts');
  if (faults.length === 0) {
    const { maxAttempts } = /** @type {{ maxAttempts: number }} */ (/** @type {unknown} */ (policy.options));
    const { totalAttempts } = retry;
    if (totalAttempts >= maxAttempts) addFault(faults, 'maxAttempts', maxAttempts, 'range', `more than the ${totalAttempts} attempts that the resumed call has made`);
  }
  if (faults.length > 0) throw optionsError(faults);
  return new Earlier(deepFreeze(retry), deepFreeze(attempts));
}

/**
 * @param {unknown} value
 * @param {number} [most]
 * @returns {value is number}
 */
function isWhole(value, most = Number.MAX_SAFE_INTEGER) {
  return typeof value === 'number' && Number.isInteger(value) && value >= 0 && value <= most;
}

/** @param {any} ledger */
function isLedger(ledger) {
  const { totalAttempts, failedAttempts, wastedPromptTokens, wastedCompletionTokens, wastedTotalTokens, wasteIsLowerBound } = ledger ?? {};
  return isWhole(totalAttempts, MOST_ATTEMPTS) && totalAttempts > 0 && isWhole(failedAttempts, totalAttempts)
    && [wastedPromptTokens, wastedCompletionTokens, wastedTotalTokens].every((tokens) => isWhole(tokens))
    && typeof wasteIsLowerBound === 'boolean';
}

/** @param {any} record */
function isRecord(record) {
  const { index, attempt, error } = record ?? {};
  return isWhole(index) && isWhole(attempt) && typeof error?.kind === 'string' && typeof error.message === 'string';
}
