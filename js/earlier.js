/** @import { AttemptRecord, History, ResumeToken, RetryLedger } from './types.d.ts' */

/** Of a token. */
export const VERSION = 1;

/** The last instant that a Date can hold, in epoch milliseconds. */
export const LATEST_MS = 8_640_000_000_000_000;

/** A key that the library made for a call, whose attempts all send it. */
const RANDOM_KEY = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/;

/**
 * What a deferred call goes on from. A request's body stays behind, as its credentials do.
 *
 * @param {History} history
 * @returns {ResumeToken}
 */
export function tokenOf({ attempts = [], last, retry }) {
  const { startedAt, durationMs, retryAfterMs = 0 } = /** @type {AttemptRecord} */ (last);
  return {
    version: VERSION,
    notBefore: Math.min(startedAt + durationMs + retryAfterMs, LATEST_MS),
    retry,
    attempts: [...attempts, /** @type {AttemptRecord} */ (last)].map(portable),
  };
}

/**
 * A record as plain JSON, without the body. What a caller's validator found may be no JSON,
 * and is then left out.
 *
 * @param {AttemptRecord} record
 * @returns {AttemptRecord}
 */
function portable({ request, error, ...record }) {
  const sent = request && { request: { ...request, body: undefined } };
  const { issues: _, attempts: __, ...shown } = error;
  return plainCopy({ ...record, error, ...sent }) ?? plainCopy({ ...record, error: shown, ...sent });
}

/** What a call goes on from: here itself, before it was deferred. */
export class Earlier {
  /**
   * @param {RetryLedger} retry
   * @param {readonly AttemptRecord[]} attempts
   */
  constructor(retry, attempts) {
    this.retry = retry;
    this.attempts = attempts;
  }

  /** How many sends count against `maxAttempts`. */
  get sends() {
    return this.retry.totalAttempts;
  }

  /**
   * What a history shows of it beside the ledger.
   *
   * @returns {Pick<History, 'attempts' | 'fallback'>}
   */
  get carried() {
    return this.attempts.length > 0 ? { attempts: this.attempts } : {};
  }

  /**
   * The whole history of a call whose ledger the engine has gone on with.
   *
   * @param {History} own
   * @returns {History}
   */
  onto(own) {
    const attempts = [...this.attempts, ...(own.attempts ?? [])];
    return attempts.length > 0 ? { ...own, attempts } : own;
  }

  /**
   * As the engine takes it.
   *
   * @returns {Float64Array | undefined}
   */
  get numbers() {
    const { totalAttempts, failedAttempts, wastedPromptTokens, wastedCompletionTokens, wastedTotalTokens, wasteIsLowerBound } = this.retry;
    return new Float64Array([totalAttempts, failedAttempts, wastedPromptTokens, wastedCompletionTokens, wastedTotalTokens, Number(wasteIsLowerBound)]);
  }

  /** The random `Idempotency-Key` that was sent, if one was. */
  get idempotencyKey() {
    const headers = this.attempts.at(-1)?.request?.headers ?? {};
    const name = Object.keys(headers).find((key) => key.toLowerCase() === 'idempotency-key');
    const key = headers[name ?? ''];
    return typeof key === 'string' && RANDOM_KEY.test(key) ? key : undefined;
  }
}

/**
 * A copy that nobody else holds, of a value that is JSON.
 *
 * @param {unknown} value
 * @returns {any} `undefined` for any other.
 */
export function plainCopy(value) {
  try {
    const copy = typeof value === 'object' && value !== null ? JSON.parse(JSON.stringify(value)) : undefined;
    return typeof copy === 'object' && copy !== null ? copy : undefined;
  } catch {
    return undefined;
  }
}
