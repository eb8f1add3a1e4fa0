import { aftermath } from './aftermath.js';
import { ask } from './ask.js';
import { ignore } from './body.js';
import { currentGeneration, lastBreakdown, running } from './engine.js';
import { ENDING, Facts, readError } from './facts.js';
import { Admission } from './guard.js';
import { brokenOff, cancelledUnsent, gaveUpSince, historiesSoFar, KeptHistory, lateUnsent, remember } from './history.js';
import { Host } from './host.js';
import { deadlineReached } from './limit.js';
import { maskWith, shownOf } from './masked.js';
import { handleOf } from './policy.js';
import { CANCELLED, race, TIMED_OUT } from './race.js';
import { forgets, leave, take } from './seats.js';
import { stage } from './stage.js';

/** @import { StopMark } from './types.d.ts' */
/** @typedef {import('./policy.js').RetryPolicy} RetryPolicy */

const NOT_DRIVEN = -1;
/** The generation of a call that no engine has. */
const OUTSIDE = 0;

/** How an attempt stands, as the engine numbers it. */
const [RUNNING, SUCCEEDED, FAILED] = [0, 1, 2];
/** It went well until its consumer left. */
export const LEFT = 6;
/** Why nothing was sent. */
export const UNSENT = Object.freeze({ cancelled: 3, oneShotBody: 4, deadlineExceeded: 5 });

/**
 * One call, from its admission to its end. A subclass knows how to make an attempt and what
 * the call comes back with.
 *
 * @abstract
 * @template T
 * @extends {Host}
 */
export class Call extends Host {
  /**
   * @param {RetryPolicy} policy
   * @param {AbortSignal | undefined} signal The caller's own.
   * @param {number} started Monotonic milliseconds.
   */
  constructor(policy, signal, started) {
    super(policy, signal);
    /** @type {AbortSignal | undefined} The one whose reason the call is rejected with. */
    this.callers = signal;
    this.started = started;
    /** The call's number in the engine. */
    this.drive = NOT_DRIVEN;
    /** @type {import('./earlier.js').Earlier | undefined} What was before, where the call goes on from another. */
    this.earlier = undefined;
    /** @type {Admission | undefined} The leave of the breaker, and what retries are paid from. */
    this.admission = undefined;
    /** Whether it waited for that. */
    this.hasWaited = false;
    /** Attempts begun. */
    this.begun = 1;
    /** How many histories there were when the attempt began. */
    this.before = historiesSoFar();
    /** Of the engine that it is in. */
    this.generation = OUTSIDE;
    /** @type {import('./seats.js').Seat | undefined} Its own as long as it is in the engine and may be forgotten: see seats.js. */
    this.seat = undefined;
    /** How the attempt stands. */
    this.standing = RUNNING;
    /** @type {Facts | null | number} */
    this.facts = null;
    /** @type {Uint8Array | undefined} What tells of the tokens of the attempt that succeeded, as JSON. */
    this.usage = undefined;
    /** @type {(value: T) => void} */
    this.resolve = ignore;
    /** @type {(error: unknown) => void} */
    this.reject = ignore;
  }

  /**
   * Asks whether the call may be made. What it is rejected with where it may not is thrown.
   *
   * @param {import('./guard.js').Guard} guard
   * @returns {Promise<void> | undefined} undefined where that is known at once.
   */
  admit(guard) {
    const answer = guard.admit(this.started);
    if (typeof answer !== 'number') return this.#claim(guard, answer);
    this.admitted(guard, answer);
    return undefined;
  }

  /**
   * @param {import('./guard.js').Guard} guard
   * @param {Promise<number>} answer
   */
  async #claim(guard, answer) {
    const release = (/** @type {number} */ token) => {
      if (token >= 0) guard.released(token);
    };
    const token = await race(answer, this.callers, this.leftMs(), release);
    if (token === CANCELLED) throw cancelledUnsent(this.callers, this.earlier);
    const isLate = token === TIMED_OUT || this.leftMs() === 0;
    if (isLate && typeof token === 'number') release(token);
    if (isLate) throw lateUnsent(this.late(deadlineReached(this.settings.deadlineMs)), this.earlier);
    this.hasWaited = true;
    this.admitted(guard, /** @type {number} */ (token));
  }

  /** What is left of the deadline; below zero where there is none. */
  leftMs() {
    const { deadlineMs, mono } = this.settings;
    return deadlineMs === 0 ? -1 : Math.max(0, deadlineMs - (mono() - this.started));
  }

  /**
   * How long the first attempt may take, as `make` is given it: the engine is not asked for that.
   *
   * @returns {[limitMs: number, byDeadline: boolean]}
   */
  firstLimit() {
    const { limitMs, limitIsDeadline } = this.settings;
    const leftMs = this.hasWaited ? this.leftMs() : -1;
    return leftMs >= 0 && leftMs < limitMs ? [leftMs, true] : [limitMs, limitIsDeadline];
  }

  /**
   * What a call is rejected with whose deadline passed before it sent anything.
   *
   * @param {DOMException} error
   * @returns {Error}
   */
  late(error) {
    return error;
  }

  /**
   * @param {import('./guard.js').Guard} guard
   * @param {number} token Below zero the call is refused.
   */
  admitted(guard, token) {
    if (token < 0) throw this.refusal(guard, token);
    this.admission = new Admission(guard, token, this.started);
    return this;
  }

  /**
   * @param {import('./guard.js').Guard} guard
   * @param {number} token
   */
  refusal(guard, token) {
    const masker = this.masker();
    const error = guard.refusal(token, maskWith(masker), this.earlier);
    masker.free();
    return error;
  }

  /**
   * Makes one attempt.
   *
   * @abstract
   * @param {number} attempt 1-based.
   * @param {number} limitMs Below zero is no limit.
   * @param {boolean} byDeadline Whether the deadline set the limit.
   * @returns {Promise<Facts | null | number>} null after a success, a number of UNSENT when
   *   nothing was sent.
   */
  attempt(attempt, limitMs, byDeadline) {
    throw new Error(`${attempt} ${limitMs} ${byDeadline}`);
  }

  /**
   * Makes an attempt, which may take more than one send: see hedge.js.
   *
   * @param {number} attempt
   * @param {number} limitMs
   * @param {boolean} byDeadline
   */
  make(attempt, limitMs, byDeadline) {
    return this.attempt(attempt, limitMs, byDeadline);
  }

  /**
   * Resolves or rejects the call.
   *
   * @abstract
   * @param {StopMark | undefined} mark
   * @param {KeptHistory} history
   */
  settle(mark, history) {
    throw new Error(`${mark} ${history}`);
  }

  /**
   * Hands a call whose first attempt failed to the engine.
   *
   * @param {Facts | null | undefined} facts undefined where the engine is to begin it.
   * @returns {Promise<T>}
   */
  enter(facts) {
    return new Promise((resolve, reject) => {
      this.resolve = resolve;
      this.reject = reject;
      running.add(this);
      this.generation = currentGeneration();
      const outer = stage.call;
      stage.call = this;
      try {
        const { started, admission, settings: { mono, wall } } = this;
        const drive = ask((engine) => engine.driveStart(
          handleOf(this.policy), /** @type {any} */ (forgets ? stage : this), started, mono(), wall(), /** @type {any} */ (facts),
          admission?.handedOver(), admission?.token ?? 0, this.earlier?.numbers,
        ));
        // It may have ended at once.
        if (running.has(this)) this.stay(drive);
      } catch (error) {
        this.broke(error);
      }
      stage.call = outer;
      this.fail();
    });
  }

  /** @param {number} drive */
  stay(drive) {
    this.drive = drive;
    if (!forgets) return;
    running.delete(this);
    ask((engine) => take(this, engine));
  }

  /** @override */
  poll() {
    this.woken = false;
    if (this.drive === NOT_DRIVEN) return;
    // Nobody could tell a call of it that has no seat.
    if (this.generation !== currentGeneration()) return this.broke(lastBreakdown());
    const outer = stage.call;
    stage.call = this;
    try {
      const { mono, wall } = this.settings;
      ask((engine) => engine.drivePoll(this.drive, mono(), wall(), this.standing));
    } catch (error) {
      this.broke(error);
    }
    stage.call = outer;
    this.fail();
  }

  /** It is not in the engine any more. */
  left() {
    running.delete(this);
    if (forgets) leave(this, this.drive, this.generation === currentGeneration());
    this.drive = NOT_DRIVEN;
    this.generation = OUTSIDE;
  }

  /** Ends a call in which a function of the caller's threw. */
  fail() {
    if (this.fault !== undefined) this.broke(this.fault.error);
  }

  /**
   * Ends a call that broke off: a function of the caller's threw where none may, or the
   * engine did.
   *
   * @param {unknown} error
   */
  broke(error) {
    const { drive, generation } = this;
    if (generation === OUTSIDE) return;
    this.left();
    if (drive !== NOT_DRIVEN && generation === currentGeneration()) ask((engine) => engine.driveDrop(drive));
    clearTimeout(this.timer);
    this.admission?.brokeOff();
    const history = brokenOff(this.begun, this.earlier);
    this.settled('failed', history);
    this.leave();
    remember(error, history);
    this.reject(error);
  }

  /**
   * What a call is rejected with that was cancelled, or that a hook ended; `undefined` for
   * one that ended otherwise.
   *
   * @param {StopMark | undefined} mark
   * @returns {{ error: unknown } | undefined}
   */
  interruption(mark) {
    if (mark === 'cancelled' && this.callers?.aborted) return { error: this.callers.reason };
    return mark === 'cancelled' || mark === 'hook_error' ? { error: this.thrown } : undefined;
  }

  /** The number of the first attempt. */
  get firstAttempt() {
    return (this.earlier?.sends ?? 0) + 1;
  }

  /**
   * The history of a call that goes on from another and whose first attempt succeeded;
   * `undefined` for one that began by itself.
   */
  resumedHistory() {
    const { earlier } = this;
    if (earlier === undefined) return undefined;
    const { carried, retry } = earlier;
    const before = KeptHistory.of({ ...carried, retry: { ...retry, totalAttempts: retry.totalAttempts + 1 } });
    return aftermath(/** @type {any} */ (this), before, undefined, this.usage);
  }

  /** Lets go of what the call holds. */
  leave() {}

  /** What hides the secrets of the call in any text. */
  masker() {
    return ask(() => handleOf(this.policy).masker('', ''));
  }

  // What the engine calls, beside what is in host.js: see `bindings/host.rs`.

  /**
   * @param {number} attempt
   * @param {number} limitMs
   * @param {boolean} byDeadline
   */
  begin(attempt, limitMs, byDeadline) {
    this.standing = RUNNING;
    this.begun = attempt;
    if (this.fault !== undefined) return;
    this.make(attempt, limitMs, byDeadline).then(
      (facts) => {
        this.stands(facts);
        this.poll();
      },
      (error) => this.broke(error),
    );
  }

  /** @param {Facts | null | number} facts */
  stands(facts) {
    this.facts = facts;
    this.standing = typeof facts === 'number' ? facts : facts === null ? SUCCEEDED : FAILED;
  }

  /**
   * @param {string | undefined} mark None after a success.
   * @param {string} text
   */
  finish(mark, text) {
    this.left();
    const history = new KeptHistory(text, this.raised, this.earlier);
    try {
      this.admission?.guard.settled();
      this.settled(mark === undefined ? 'delivered' : mark === 'cancelled' ? 'cancelled' : 'failed', history);
      this.settle(/** @type {StopMark | undefined} */ (mark), history);
    } catch (error) {
      this.reject(error);
    }
  }

  /**
   * The facts of an error that an attempt ended with.
   *
   * @param {unknown} error
   * @param {number} index The attempt's, from 0.
   * @param {number} [ending]
   */
  errorFacts(error, index, ending = ENDING.error) {
    const facts = new Facts(ending);
    const raised = readError(facts, error);
    if (raised !== undefined) {
      const masker = this.masker();
      (this.raised ??= [])[index] = shownOf(raised, maskWith(masker));
      masker.free();
    } else {
      this.givenUp(facts, error);
    }
    return facts;
  }

  /**
   * Notes what a call of ours inside the attempt gave up with: that is not played again by another policy around it.
   *
   * @param {Facts} facts
   * @param {unknown} outcome
   */
  givenUp(facts, outcome) {
    const error = gaveUpSince(outcome, this.before);
    if (error === undefined) return;
    facts.raisedKind = error.kind;
    facts.raisedCode = error.code;
    facts.raisedProvider = error.provider;
    facts.raisedRetryable = false;
    // What was raised is looked for where there are errors.
    facts.links ??= [];
  }
}
