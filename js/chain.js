import { ask } from './ask.js';
import { describe, isError, isRetryError, RetryError } from './errors.js';
import { entryOf, errorOf, Fallen, snapshotOf } from './fallen.js';
import { historyOf, KeptHistory, NOTHING, remember } from './history.js';
import { maskWith } from './masked.js';
import { handleOf, settingsOf } from './policy.js';
import { CANCELLED, race } from './race.js';
import { nameOf } from './target.js';

/** @import { ErrorSnapshot, FallbackAttempt, History, RetryLedger, StopMark } from './types.d.ts' */
/** @typedef {import('./policy.js').RetryPolicy} RetryPolicy */
/** @typedef {import('./target.js').TargetSet<any>} TargetSet */

/** A call that ended so has heard from its caller, or been heard by it: no other target is asked. @type {readonly (StopMark | undefined)[]} */
const FINAL = ['cancelled', 'hook_error', 'output_begun'];

/** One call over a list of targets, of which the next is asked when one has failed. */
export class Chain {
  #set;
  /** @type {any[]} Those that this call is for, as far as that is known. */
  #targets;
  #settings;
  #signal;
  /** When the call began, in monotonic milliseconds. */
  #started;
  /** @type {readonly FallbackAttempt[]} */
  #failed = [];
  /** @type {RetryLedger} */
  #retry = NOTHING;
  /** @type {RetryPolicy} That of the call under way. */
  #policy;
  /** When that began. */
  #began;
  /** The same, in epoch milliseconds. */
  #beganAt;

  /**
   * @param {TargetSet} set
   * @param {AbortSignal | undefined} signal The caller's.
   */
  constructor(set, signal) {
    this.#set = set;
    this.#targets = [...set.targets];
    this.#signal = signal;
    this.#settings = settingsOf(set.shared);
    this.#started = this.#began = this.#settings.mono();
    this.#beganAt = this.#settings.wall();
    this.#policy = set.shared;
  }

  /** Which target's turn it is, or would be. */
  get #index() {
    return this.#failed.length;
  }

  /** The target after the one whose turn it is. */
  get next() {
    return this.#targets[this.#index + 1];
  }

  /** No other target is asked than the one whose turn it is. */
  end() {
    this.#targets.length = this.#index + 1;
  }

  /**
   * The target whose turn it is, and what its call is made with.
   *
   * @param {() => readonly string[]} [secretsOf] What earlier targets were sent, which this one's records must not show.
   */
  turn(secretsOf = () => []) {
    const target = this.#targets[this.#index];
    if (this.#index === 0) {
      this.#policy = target.policy;
      return { target, policy: this.#policy, earlier: undefined };
    }
    const { deadlineMs, given: { redact } } = settingsOf(target.policy);
    const leftMs = this.#leftMs();
    const secrets = secretsOf();
    /** @type {import('./types.d.ts').FetchOptions} */
    const changes = {};
    // Of 0, which a clock may have come to since the target was chosen, it would be no deadline.
    if (leftMs < (deadlineMs || Infinity)) changes.deadlineMs = Math.max(1, leftMs);
    if (secrets.length > 0) changes.redact = { ...redact, values: [...(redact?.values ?? []), ...secrets] };
    this.#policy = Object.keys(changes).length > 0 ? target.policy.with(changes) : target.policy;
    this.#began = this.#settings.mono();
    this.#beganAt = this.#settings.wall();
    return { target, policy: this.#policy, earlier: new Fallen(this.#retry, this.#failed) };
  }

  /** Whole milliseconds up to the deadline; infinite without one. */
  #leftMs() {
    const { deadlineMs, mono } = this.#settings;
    return deadlineMs > 0 ? Math.floor(deadlineMs - (mono() - this.#started)) : Infinity;
  }

  /**
   * Whether the next target is to be asked. If not, the call ends with this failure; where it
   * is to end with another error, that is thrown.
   *
   * @param {unknown} failure What the target's call was rejected with, or the Response of a failed one.
   * @param {AbortSignal} [signal] What ends the hooks, by default the caller's signal.
   * @param {(target: any) => boolean | Promise<boolean>} [isFor] Whether a later target is for this call.
   * @returns {Promise<boolean>}
   */
  async fellOver(failure, signal = this.#signal, isFor = () => true) {
    const history = historyOf(failure);
    if (FINAL.includes(history?.mark) || (history === undefined && !isRetryError(failure))) return false;
    const before = this.#failed;
    const last = history?.last?.error ?? snapshotOf(failure);
    const durationMs = this.#settings.mono() - this.#began;
    const entry = entryOf(this.#targets[this.#index], this.#index, last, history, this.#beganAt, durationMs);
    this.#failed = Object.freeze([...before, entry]);
    // One that was refused has sent nothing, and its ledger is that of the calls before.
    if (history?.last !== undefined) this.#retry = history.retry;
    if (signal?.aborted) throw this.#cancelled(signal);
    let isOver = this.#targets.length === 1 || !(await this.#mayFallOver(last, signal));
    if (!isOver) {
      while (this.#index < this.#targets.length && !(await isFor(this.#targets[this.#index]))) this.#targets.splice(this.#index, 1);
      isOver = this.#targets.length === 1;
      if (!isOver && this.#index === this.#targets.length) throw this.#exhausted(failure, history);
    }
    if (isOver || this.#isLate) return this.#endedWith(failure, history, before);
    await this.#hooked(() => this.#set.onFallback?.(entry, { signal }), signal);
    return !this.#isLate || this.#endedWith(failure, history, before);
  }

  /** Whether there is no time left for another target. */
  get #isLate() {
    return this.#leftMs() < 1;
  }

  /**
   * The call ends with this failure, as if there were no other target.
   *
   * @param {unknown} failure
   * @param {History | undefined} history
   * @param {readonly FallbackAttempt[]} before The targets that failed earlier.
   */
  #endedWith(failure, history, before) {
    if (before.length > 0 && history !== undefined && history.fallback === undefined) remember(failure, KeptHistory.of({ ...history, fallback: before }));
    return false;
  }

  /**
   * @param {ErrorSnapshot} error
   * @param {AbortSignal | undefined} signal
   */
  async #mayFallOver(error, signal) {
    const { fallbackOn } = settingsOf(this.#policy).given;
    const said = typeof fallbackOn === 'function' ? await this.#hooked(() => fallbackOn(error.kind, error), signal) : undefined;
    return typeof said === 'boolean' ? said : ask(() => handleOf(this.#policy).mayFallOver(error.kind));
  }

  /**
   * What a function of the caller's says; a throw ends the call, if the policy does not
   * swallow it.
   *
   * @param {() => unknown} hook
   * @param {AbortSignal | undefined} signal
   */
  #hooked(hook, signal) {
    return this.#raced(async () => hook(), signal, this.#set.shared.options.hookErrors !== 'throw');
  }

  /**
   * What comes before the abort, which ends the call, as a throw does that is not swallowed.
   *
   * @template T
   * @param {() => Promise<T>} run
   * @param {AbortSignal | undefined} signal
   * @param {boolean} swallows
   * @returns {Promise<T | undefined>}
   */
  async #raced(run, signal, swallows) {
    try {
      const said = await race(run(), signal);
      if (said !== CANCELLED && !signal?.aborted) return /** @type {T} */ (said);
    } catch (error) {
      if (!signal?.aborted) {
        if (swallows) return undefined;
        throw this.#broke(error);
      }
    }
    throw this.#cancelled(signal);
  }

  /** @param {AbortSignal | undefined} signal */
  #cancelled(signal) {
    const reason = signal?.reason;
    this.#ended(reason, 'cancelled');
    return reason;
  }

  /**
   * What a target's call is made with. What is thrown there ends the call.
   *
   * @template T
   * @param {() => Promise<T>} make
   * @returns {Promise<T>}
   */
  prepared(make) {
    return /** @type {Promise<T>} */ (this.#raced(make, this.#signal, false));
  }

  /**
   * What a function of the caller's threw.
   *
   * @param {unknown} error
   */
  #broke(error) {
    this.#ended(error, 'hook_error');
    return error;
  }

  /**
   * @param {unknown} x
   * @param {StopMark} mark
   */
  #ended(x, mark) {
    remember(x, KeptHistory.of({ ...this.soFar, mark }));
  }

  /**
   * What the failed targets come to.
   *
   * @returns {History}
   */
  get soFar() {
    return { retry: this.#retry, ...(this.#failed.length > 0 && { fallback: this.#failed }) };
  }

  /**
   * @param {unknown} failure
   * @param {History | undefined} history
   */
  #exhausted(failure, history) {
    const entries = this.#failed;
    const masker = ask(() => handleOf(this.#policy).masker('', ''));
    const mask = maskWith(masker);
    const names = entries.map(({ error }, i) => `${nameOf(this.#targets[i], i)} (${error.kind})`);
    const cause = history?.last !== undefined && isResponse(failure) ? errorOf(history) : failure;
    const { usage } = history ?? {};
    // A call over several targets is not gone on with where the last one left it.
    const mark = history?.mark === 'deferred' ? 'retry_after_beyond' : history?.mark;
    const waits = entries.flatMap(({ retryAfterMs }) => retryAfterMs ?? []);
    const error = new RetryError(
      { kind: 'fallback_exhausted', message: mask(`every target failed: ${names.join(', ')}`), cause, ...(waits.length > 0 && { retryAfterMs: Math.min(...waits) }) },
      { attempts: entries, retry: this.#retry, ...(mark && { mark }), causeText: describe(cause, mask) },
    );
    masker.free();
    remember(error, KeptHistory.of({
      ...(entries.length > 1 && { attempts: entries.slice(0, -1) }), retry: this.#retry, ...(usage && { usage }),
      last: /** @type {FallbackAttempt} */ (entries.at(-1)), ...(mark && { mark }), fallback: entries,
    }));
    return error;
  }
}

/** @param {any} x */
function isResponse(x) {
  return typeof x?.headers?.get === 'function' && typeof x.status === 'number' && !isError(x);
}
