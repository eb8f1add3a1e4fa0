import { ignore } from './body.js';
import { readRecord, readVerdict } from './history.js';
import { settingsOf } from './policy.js';
import { CANCELLED, race } from './race.js';
import { forgets } from './seats.js';

/** @typedef {import('./history.js').KeptHistory} KeptHistory */
/** @typedef {import('./policy.js').RetryPolicy} RetryPolicy */

/** What a hook's promise resolves to for the engine: see `bindings/host.rs`. */
const THREW = null;
const WAS_CANCELLED = 0;

/**
 * What the engine has of the world while it drives a call: clocks, chance, waits, hooks and
 * observers. Its Rust side is `bindings/host.rs`.
 *
 * @abstract
 */
export class Host {
  /**
   * @param {RetryPolicy} policy
   * @param {AbortSignal | undefined} signal The caller's own.
   */
  constructor(policy, signal) {
    this.policy = policy;
    this.settings = settingsOf(policy);
    this.signal = signal;
    const { clock, unref, random } = this.settings.given;
    /** Whether it sleeps itself, and in the second bit whether it draws: see `bindings/drive.rs`. */
    this.ways = Number(forgets || clock !== undefined || unref === true) | (random === undefined ? 0 : 2);
    /** @type {unknown} What a hook threw. */
    this.thrown = undefined;
    /** @type {{ error: unknown } | undefined} What a function of the caller's threw. */
    this.fault = undefined;
    /** @type {unknown[] | undefined} What the RetryErrors show that attempts failed with, by index. */
    this.raised = undefined;
    /** @type {ReturnType<typeof setTimeout> | undefined} Of a wait that is not the engine's own. */
    this.timer = undefined;
    this.woken = false;
  }

  /**
   * Lets the engine go on with the call.
   *
   * @abstract
   */
  poll() {}

  mono() {
    return this.safely(this.settings.mono);
  }

  wall() {
    return this.safely(this.settings.wall);
  }

  unit() {
    return this.safely(/** @type {() => number} */ (this.settings.given.random));
  }

  /**
   * What a function of the caller's gives. One that throws must not do so through the
   * engine, which would leave the engine's stack as it is: the call ends after this poll.
   *
   * @param {() => number} given
   */
  safely(given) {
    try {
      return given();
    } catch (error) {
      // What breaks an engine down is passed on to where it is dropped.
      if (error instanceof WebAssembly.RuntimeError) throw error;
      this.fault ??= { error };
      return Number.NaN;
    }
  }

  wake() {
    if (this.woken) return;
    this.woken = true;
    // Fake timers hold `queueMicrotask` back.
    Promise.resolve().then(() => this.poll());
  }

  /**
   * A wait that is not the engine's own.
   *
   * @param {number} ms
   */
  sleep(ms) {
    return this.awaited(this.slept(ms));
  }

  /** @param {number} ms */
  async slept(ms) {
    const { clock, unref } = this.settings.given;
    /** @type {any} */
    let timer;
    try {
      const wait = clock ? clock.sleep(ms, this.signal) : new Promise((resolve) => {
        timer = this.timer = setTimeout(resolve, ms);
        if (unref === true) timer.unref?.();
      });
      return (await race(wait, this.signal)) !== CANCELLED && !this.signal?.aborted;
    } catch (error) {
      this.thrown = error;
      return false;
    } finally {
      clearTimeout(timer);
    }
  }

  /**
   * @param {string} record
   * @param {string} verdict
   */
  ask(record, verdict) {
    const { shouldRetry } = this.settings.given;
    return this.hooked(async () => {
      const said = await shouldRetry?.(readRecord(record, this.raised), readVerdict(verdict));
      return typeof said === 'boolean' ? said : undefined;
    });
  }

  /** @param {string} record */
  announce(record) {
    const { onRetry } = this.settings.given;
    return this.hooked(async () => {
      await onRetry?.(readRecord(record, this.raised), { signal: this.signal });
    });
  }

  /**
   * @param {string} record
   * @param {string} verdict
   */
  tellFailed(record, verdict) {
    this.notify({ type: 'failed', attempt: readRecord(record, this.raised), verdict: readVerdict(verdict) });
  }

  /**
   * @param {string} record
   * @param {number} delayMs
   * @param {string} from
   */
  tellWaiting(record, delayMs, from) {
    this.notify({ type: 'waiting', attempt: readRecord(record, this.raised), delayMs, from });
  }

  /**
   * What the engine awaits wakes the call by itself: the engine may have no way to.
   *
   * @template T
   * @param {Promise<T>} promise One that never rejects.
   */
  awaited(promise) {
    if (forgets) promise.then(() => this.wake());
    return promise;
  }

  /** @param {() => Promise<unknown>} hook */
  hooked(hook) {
    return this.awaited(this.heard(hook));
  }

  /**
   * @param {() => Promise<unknown>} hook
   * @returns {Promise<unknown>}
   */
  async heard(hook) {
    try {
      const said = await race(hook(), this.signal);
      return said === CANCELLED || this.signal?.aborted ? WAS_CANCELLED : said;
    } catch (error) {
      if (this.signal?.aborted) return WAS_CANCELLED;
      this.thrown = error;
      return THREW;
    }
  }

  /**
   * @param {string} outcome
   * @param {KeptHistory} history Read only for an observer.
   */
  settled(outcome, history) {
    if (this.settings.given.onEvent !== undefined) this.notify({ type: 'settled', outcome, history: history.read() });
  }

  /** @param {any} event */
  notify(event) {
    const { onEvent } = this.settings.given;
    if (onEvent === undefined) return;
    try {
      Promise.resolve(onEvent(Object.freeze(event))).catch(ignore);
    } catch {
      // An observer never fails a call.
    }
  }
}
