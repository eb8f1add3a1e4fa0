import { discard } from './body.js';
import { configError, describe, GIVEN, read, RetryError, show } from './errors.js';
import { ENDING, Facts } from './facts.js';
import { HedgedCall } from './hedge.js';
import { cancelledUnsent, historiesSoFar, remember, unsentWith } from './history.js';
import { Limit } from './limit.js';
import { maskWith } from './masked.js';
import { forOneCall, optionsIn, policyOf, settingsOf } from './policy.js';
import { CANCELLED, race, TIMED_OUT } from './race.js';
import { resumed } from './resume.js';
import { callersSignal } from './signals.js';
import { costOf, usageOf } from './usage.js';

/** @import { AttemptContext, History, RetryErrorInit, RetryOptions, StopMark } from './types.d.ts' */

/**
 * @template T
 * @param {(context: AttemptContext) => T | PromiseLike<T>} operation
 * @param {RetryOptions} [options]
 * @returns {Promise<T>}
 */
export async function retry(operation, options) {
  if (typeof operation !== 'function') throw configError(`retry: the operation is ${show(operation)}, must be a function`);
  let signal;
  let policy;
  let earlier;
  if (options === undefined || options === null || typeof options !== 'object') {
    policy = policyOf(options ?? undefined);
  } else {
    const { signal: given, resume, ...own } = optionsIn(options);
    signal = callersSignal(given, 'retry');
    policy = forOneCall(policyOf(own), own.policy);
    earlier = resumed(resume, policy);
  }
  if (signal?.aborted) throw cancelledUnsent(signal, earlier);
  const call = new OperationCall(policy, signal, settingsOf(policy).mono(), operation);
  call.earlier = earlier;
  const { guards } = call.settings;
  const claim = guards && call.admit(guards.ofOperation());
  if (claim !== undefined) await claim;
  let facts;
  try {
    facts = await call.make(call.firstAttempt, ...call.firstLimit());
  } catch (error) {
    call.admission?.released();
    throw error;
  }
  if (facts !== null || call.beside !== undefined) return call.enter(/** @type {Facts | null} */ (facts));
  call.admission?.succeeded();
  const history = call.resumedHistory();
  if (history !== undefined) remember(call.value, history);
  return /** @type {T} */ (call.value);
}

/** The context of an attempt that nothing ends. A signal takes microseconds to make, so it is made for who asks. */
class Unlimited {
  /** @type {AbortSignal | undefined} */
  #signal;

  /** @param {number} attempt */
  constructor(attempt) {
    this.attempt = attempt;
  }

  get signal() {
    return (this.#signal ??= new AbortController().signal);
  }
}

/**
 * One call of an operation.
 *
 * @template T
 * @extends {HedgedCall<T>}
 */
export class OperationCall extends HedgedCall {
  /**
   * @param {import('./policy.js').RetryPolicy} policy
   * @param {AbortSignal | undefined} signal
   * @param {number} started
   * @param {(context: AttemptContext) => T | PromiseLike<T>} operation
   */
  constructor(policy, signal, started, operation) {
    super(policy, signal, started);
    this.operation = operation;
    const { usage } = /** @type {RetryOptions} */ (this.settings.given);
    this.extract = typeof usage === 'function' ? usage : undefined;
    /** @type {T | undefined} */
    this.value = undefined;
    /** @type {unknown} What the last attempt failed with. */
    this.error = undefined;
  }

  get sentAt() {
    return this.started;
  }

  /**
   * @override
   * @param {number} attempt
   * @param {number} limitMs
   * @param {boolean} byDeadline
   */
  async attempt(attempt, limitMs, byDeadline) {
    const { signal } = this;
    const limit = limitMs < 0 ? undefined : new Limit(this.settings, limitMs, byDeadline, signal);
    let value;
    this.before = historiesSoFar();
    try {
      this.onSend?.();
      const given = limit?.signal ?? signal;
      const running = Promise.resolve(this.operation(given === undefined ? new Unlimited(attempt) : { attempt, signal: given }));
      value = await race(running, signal, limitMs);
    } catch (error) {
      limit?.end();
      if (signal?.aborted) return new Facts(ENDING.cancelled);
      return this.thrownFacts(error, attempt - 1);
    }
    if (value === CANCELLED) return new Facts(ENDING.cancelled);
    if (value === TIMED_OUT) {
      this.error = limit?.reached();
      return this.errorFacts(this.error, attempt - 1, byDeadline ? ENDING.deadlinePassed : ENDING.timedOut);
    }
    this.value = value;
    limit?.lasts(value);
    // A call that succeeds at once has no history to show it in.
    if (attempt > 1) this.told();
    return null;
  }

  /**
   * @override
   * @param {number} attempt
   * @param {number} limitMs
   * @param {boolean} byDeadline
   */
  begin(attempt, limitMs, byDeadline) {
    if (this.made === undefined) this.letGo();
    super.begin(attempt, limitMs, byDeadline);
  }

  /** @override A Response that was thrown, and that nobody will have, must not hold its connection. */
  letGo() {
    discard(this.error);
    this.error = undefined;
  }

  /**
   * @override
   * @param {DOMException} error
   */
  late(error) {
    return new RetryError({ kind: 'deadline_exceeded', message: error.message, cause: error }, unsentWith('deadline_exceeded', this.earlier));
  }

  /** @override */
  told() {
    return (this.usage ??= usageOf(this.value, this.extract));
  }

  /** @override */
  resumedHistory() {
    if (this.earlier !== undefined) this.told();
    return super.resumedHistory();
  }

  /**
   * @override
   * @param {AbortSignal} signal
   */
  leg(signal) {
    const leg = new OperationCall(this.policy, signal, this.started, this.operation);
    leg.raised = this.raised ??= [];
    return leg;
  }

  /**
   * @override
   * @param {OperationCall<T>} leg
   * @param {Limit} link
   */
  adopt({ value, error, usage }, link) {
    Object.assign(this, { value, error, usage });
    link.lasts(value);
  }

  /**
   * The facts of what an attempt threw, and of what it cost.
   *
   * @param {unknown} error
   * @param {number} index The attempt's, from 0.
   */
  thrownFacts(error, index) {
    this.error = error;
    const facts = this.errorFacts(error, index);
    const cost = costOf(error, this.extract);
    facts.usage = cost?.usage;
    facts.usageIsLowerBound = cost?.isLowerBound === true;
    return facts;
  }

  /**
   * @override
   * @param {StopMark | undefined} mark
   * @param {import('./history.js').KeptHistory} history
   */
  settle(mark, history) {
    if (mark === undefined) {
      remember(this.value, history);
      return this.resolve(/** @type {T} */ (this.value));
    }
    const interruption = this.interruption(mark);
    if (interruption !== undefined) this.letGo();
    const { error } = interruption ?? { error: this.exhausted(mark, history.read()) };
    remember(error, history);
    this.reject(error);
  }

  /**
   * @param {StopMark} mark
   * @param {History} history
   */
  exhausted(mark, history) {
    const { last, attempts, retry, resume } = history;
    const snapshot = /** @type {import('./types.d.ts').ErrorSnapshot} */ (last?.error);
    const { kind, message, retryable, code, status, provider, retryAfterMs } = snapshot;
    /** @type {RetryErrorInit} */
    const init = { kind, message, retryable, cause: this.error };
    const raised = this.raised?.[last?.index ?? -1];
    const masker = this.masker();
    const mask = maskWith(masker);
    const seen = /** @type {any} */ ({ code, status, provider, retryAfterMs });
    for (const name of GIVEN) {
      const value = seen[name] ?? (raised === undefined ? undefined : read(raised, name));
      if (value !== undefined) /** @type {any} */ (init)[name] = typeof value === 'string' ? mask(value) : value;
    }
    const causeText = describe(this.error, mask);
    const partial = this.partialOf(mask);
    masker.free();
    return new RetryError(init, { retry, mark, causeText, ...(attempts && { attempts }), ...(partial && { partial }), ...(resume && { resume }) });
  }

  /**
   * What the consumer had of an answer that broke off.
   *
   * @param {(text: string) => string} _mask
   * @returns {import('./types.d.ts').StreamPartial | undefined}
   */
  partialOf(_mask) {
    return undefined;
  }
}
