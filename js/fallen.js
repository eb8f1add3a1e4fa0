import { RetryError } from './errors.js';
import { Earlier } from './earlier.js';

/** @import { AttemptRecord, ErrorSnapshot, FallbackAttempt, History, RetryLedger, Tokens } from './types.d.ts' */

const UNUSED = Object.freeze({ prompt: 0, completion: 0, total: 0, reasoning: 0, cacheRead: 0, cacheWrite: 0, billedTotalTokens: 0 });

/** What a target's call goes on from: the failed targets before it. It counts its own attempts; the ledger is over all. */
export class Fallen extends Earlier {
  /**
   * @param {RetryLedger} retry
   * @param {readonly FallbackAttempt[]} fallback
   */
  constructor(retry, fallback) {
    super(retry, []);
    this.fallback = fallback;
  }

  /** @override */
  get sends() {
    return 0;
  }

  /** @override */
  get numbers() {
    return undefined;
  }

  /** @override */
  get carried() {
    return { fallback: this.fallback };
  }

  /**
   * @override
   * @param {History} own
   * @returns {History}
   */
  onto(own) {
    const { wastedTotalTokens } = this.retry;
    const usage = own.usage ?? (own.mark !== undefined && wastedTotalTokens > 0 ? UNUSED : undefined);
    const billed = usage && { usage: { ...usage, billedTotalTokens: usage.billedTotalTokens + wastedTotalTokens } };
    return { ...own, retry: sum(this.retry, own.retry), ...billed, ...this.carried };
  }
}

/**
 * @param {RetryLedger} a
 * @param {RetryLedger} b
 * @returns {RetryLedger}
 */
function sum(a, b) {
  return {
    totalAttempts: a.totalAttempts + b.totalAttempts,
    failedAttempts: a.failedAttempts + b.failedAttempts,
    wastedPromptTokens: a.wastedPromptTokens + b.wastedPromptTokens,
    wastedCompletionTokens: a.wastedCompletionTokens + b.wastedCompletionTokens,
    wastedTotalTokens: a.wastedTotalTokens + b.wastedTotalTokens,
    wasteIsLowerBound: a.wasteIsLowerBound || b.wasteIsLowerBound,
  };
}

/**
 * The record of a failed target.
 *
 * @param {Pick<import('./target.js').Target, 'provider' | 'model'>} target
 * @param {number} i Its place in the list.
 * @param {ErrorSnapshot} error
 * @param {History | undefined} history
 * @param {number} startedAt Epoch milliseconds.
 * @param {number} durationMs
 * @returns {FallbackAttempt}
 */
export function entryOf({ provider, model }, i, error, history, startedAt, durationMs) {
  const { attempts, last } = history ?? {};
  const name = provider ?? error.provider;
  const tokens = [...(attempts ?? []), ...(last ? [last] : [])].flatMap((record) => record.tokens ?? []);
  return Object.freeze({
    index: i - 1,
    attempt: i + 1,
    ...(name !== undefined && { provider: name }),
    ...(model !== undefined && { model }),
    startedAt: Math.floor(startedAt),
    durationMs: Math.round(durationMs),
    reason: last?.reason ?? error.kind,
    delayMs: 0,
    ...(error.retryAfterMs !== undefined && { retryAfterMs: error.retryAfterMs }),
    streamed: false,
    ...(tokens.length > 0 && { tokens: Object.freeze(total(tokens)) }),
    error: Object.freeze({ ...error, ...(attempts && { attempts }) }),
    ...(last?.request && { request: last.request }),
  });
}

/**
 * The error that a failed Response stands for.
 *
 * @param {History} history
 */
export function errorOf({ attempts, retry, mark, last }) {
  const { kind, message, retryable, ...said } = /** @type {AttemptRecord} */ (last).error;
  return new RetryError({ kind, message, retryable, ...present(said) }, { retry, ...(mark && { mark }), ...(attempts && { attempts }) });
}

/**
 * What is shown of an error that came before anything was sent.
 *
 * @param {any} error
 * @returns {ErrorSnapshot}
 */
export function snapshotOf({ message, kind, type, code, status, provider, retryAfterMs, retryable }) {
  return { message, kind, type, retryable, rule: 'raised', ...present({ code, status, provider, retryAfterMs }) };
}

/**
 * What is known of the members that an error may have.
 *
 * @param {Partial<Pick<ErrorSnapshot, 'code' | 'status' | 'provider' | 'retryAfterMs'>>} said
 */
function present({ code, status, provider, retryAfterMs }) {
  return Object.fromEntries(Object.entries({ code, status, provider, retryAfterMs }).filter(([, value]) => value !== undefined));
}

/** @param {readonly Tokens[]} all */
function total(all) {
  const of = (/** @type {'prompt' | 'completion' | 'total'} */ name) => all.reduce((sum, tokens) => sum + tokens[name], 0);
  return { prompt: of('prompt'), completion: of('completion'), total: of('total') };
}
