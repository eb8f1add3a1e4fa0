import { tokenOf } from './earlier.js';
import { findRetryError, isRetryError, linked, read } from './errors.js';

/** @import { AttemptRecord, ErrorKind, History, StopMark } from './types.d.ts' */
/** @typedef {import('./earlier.js').Earlier} Earlier */

/** @type {WeakMap<object, KeptHistory>} */
const histories = new WeakMap();

let made = 0;

/** How many histories there have been: one made later is of a call inside this one, if it is of what that came back with. */
export function historiesSoFar() {
  return made;
}

/** A history as the engine wrote it, read when somebody asks. */
export class KeptHistory {
  nth = ++made;
  /** @type {string} */
  #text;
  /** @type {readonly any[] | undefined} */
  #raised;
  /** @type {Earlier | undefined} */
  #earlier;
  /** @type {History | undefined} */
  #history;

  /**
   * @param {string} text
   * @param {readonly unknown[]} [raised] The RetryErrors that attempts failed with, by index.
   * @param {Earlier} [earlier] What was before this call, where it goes on from another.
   */
  constructor(text, raised, earlier) {
    this.#text = text;
    this.#raised = raised;
    this.#earlier = earlier;
  }

  /**
   * A history that has been read.
   *
   * @param {History} history
   */
  static of(history) {
    const kept = new KeptHistory('');
    kept.#history = deepFreeze(history);
    return kept;
  }

  read() {
    if (this.#history === undefined) {
      const own = JSON.parse(this.#text);
      for (const record of [...(own.attempts ?? []), own.last]) complete(record, this.#raised);
      const history = this.#earlier?.onto(own) ?? own;
      // A token is for one target.
      if (history.mark === 'deferred' && history.fallback === undefined) history.resume = tokenOf(history);
      this.#history = deepFreeze(history);
      this.#text = '';
    }
    return /** @type {History} */ (this.#history);
  }
}

/** The ledger of a call that sent nothing. */
export const NOTHING = Object.freeze({
  totalAttempts: 0, failedAttempts: 0, wastedPromptTokens: 0, wastedCompletionTokens: 0, wastedTotalTokens: 0, wasteIsLowerBound: false,
});

/**
 * The ledger of a call that has sent nothing, or nothing of its own yet.
 *
 * @param {Earlier} [earlier]
 */
function ledgerBefore(earlier) {
  return earlier?.retry ?? NOTHING;
}

/**
 * What a RetryError tells of a call that has sent nothing of its own.
 *
 * @param {StopMark} mark
 * @param {Earlier} [earlier]
 */
export function unsentWith(mark, earlier) {
  const { attempts = [] } = earlier ?? {};
  return { retry: ledgerBefore(earlier), mark, ...(attempts.length > 0 && { attempts }) };
}

/**
 * The history of a call of whose own attempts no records are left.
 *
 * @param {number} begun Attempts, those included that it goes on counting from.
 * @param {StopMark} mark
 * @param {Earlier} [earlier]
 */
function bare(begun, mark, earlier) {
  const before = ledgerBefore(earlier);
  const own = begun - (earlier?.sends ?? 0);
  const retry = {
    ...before, totalAttempts: before.totalAttempts + own, failedAttempts: before.failedAttempts + own, wasteIsLowerBound: before.wasteIsLowerBound || own > 0,
  };
  return KeptHistory.of({ ...earlier?.carried, retry, mark });
}

/**
 * What a call is rejected with that was cancelled before it sent anything.
 *
 * @param {AbortSignal | undefined} signal
 * @param {Earlier} [earlier]
 */
export function cancelledUnsent(signal, earlier) {
  remember(signal?.reason, bare(earlier?.sends ?? 0, 'cancelled', earlier));
  return signal?.reason;
}

/**
 * What a call is rejected with whose deadline passed before it sent anything.
 *
 * @template {Error} E
 * @param {E} error
 * @param {Earlier} [earlier]
 */
export function lateUnsent(error, earlier) {
  remember(error, bare(earlier?.sends ?? 0, 'deadline_exceeded', earlier));
  return error;
}

/**
 * The history of a call that broke off: a function that it was given threw where none may.
 *
 * @param {number} begun
 * @param {Earlier} [earlier]
 */
export function brokenOff(begun, earlier) {
  return bare(begun, 'hook_error', earlier);
}

/**
 * A record as JavaScript sees it, frozen.
 *
 * @param {string} text
 * @param {readonly unknown[]} [raised]
 * @returns {AttemptRecord}
 */
export function readRecord(text, raised) {
  return deepFreeze(complete(JSON.parse(text), raised));
}

/**
 * A verdict as JavaScript sees it, frozen.
 *
 * @param {string} text
 * @returns {import('./types.d.ts').Verdict}
 */
export function readVerdict(text) {
  return Object.freeze(JSON.parse(text));
}

/**
 * Adds what only a live RetryError holds.
 *
 * @param {any} record
 * @param {readonly any[]} [raised]
 */
function complete(record, raised) {
  const error = raised?.[record?.index];
  for (const name of ['issues', 'attempts']) {
    const value = error === undefined ? undefined : read(error, name);
    if (value !== undefined) record.error[name] ??= value;
  }
  return record;
}

/**
 * Freezes what the library made; what a caller's validator found stays the caller's.
 *
 * @template T
 * @param {T} value
 * @returns {T}
 */
export function deepFreeze(value) {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const [name, inner] of Object.entries(value)) if (name !== 'issues') deepFreeze(inner);
  }
  return value;
}

/**
 * Keeps a call's history under what the call came back with.
 *
 * @param {unknown} x
 * @param {KeptHistory} history
 */
export function remember(x, history) {
  if ((typeof x !== 'object' && typeof x !== 'function') || x === null) return;
  histories.set(x, history);
  // SDKs keep a Response's headers on the errors they make of it, and the AI SDK of an error its cause alone.
  for (const name of ['headers', 'cause']) {
    const kept = read(x, name);
    if (typeof kept === 'object' && kept !== null) histories.set(kept, history);
  }
}

/**
 * What a call of ours that was made since gave up with, where this came of it.
 *
 * @param {unknown} x
 * @param {number} before As `historiesSoFar` gave it.
 * @returns {AttemptRecord['error'] | undefined}
 */
export function gaveUpSince(x, before) {
  if (made === before) return undefined;
  for (const one of linked(x)) {
    const found = keptBy(one);
    if (found === undefined) continue;
    if (found.nth <= before) return undefined;
    const { mark, last } = found.read();
    return mark === undefined || mark === 'cancelled' ? undefined : last?.error;
  }
  return undefined;
}

/** @param {unknown} one */
function keptBy(one) {
  return kept(one) ?? kept(read(one, 'response'));
}

/**
 * @param {unknown} x
 * @returns {History | undefined}
 */
export function historyOf(x) {
  if (typeof x === 'function') return histories.get(x)?.read();
  for (const one of linked(x)) {
    const found = keptBy(one);
    if (found !== undefined) return found.read();
    if (isRetryError(one) && one.retry !== undefined) {
      const { attempts, retry, mark, resume } = one;
      return Object.freeze({ ...(attempts && { attempts }), retry, ...(mark && { mark }), ...(resume && { resume }) });
    }
  }
  return undefined;
}

/**
 * @param {unknown} x
 * @param {ErrorKind} kind
 */
export function matchesKind(x, kind) {
  const raised = findRetryError(x);
  if (raised !== undefined) return raised.kind === kind;
  const history = historyOf(x);
  // A call that was cancelled while it waited has no last failure of that kind.
  return (history?.mark === 'cancelled' ? history.mark : history?.last?.error.kind) === kind;
}

/** @param {any} x */
function kept(x) {
  if (typeof x !== 'object' || x === null) return undefined;
  return histories.get(x) ?? histories.get(read(x, 'headers'));
}
