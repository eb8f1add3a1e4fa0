import { ignore } from './body.js';

/** What a race ended with when not with its promise. */
export const CANCELLED = Symbol('cancelled');
export const TIMED_OUT = Symbol('timed out');

/**
 * Ends as `promise` does, or with CANCELLED as soon as `signal` aborts, or with TIMED_OUT
 * after `limitMs`. Leaves no listener and no timer behind; what loses is handled.
 *
 * @template T
 * @param {PromiseLike<T>} promise
 * @param {AbortSignal | undefined} signal
 * @param {number} [limitMs] Below zero is no limit.
 * @param {(value: T) => void} [late] Given what comes after the race is over.
 * @returns {Promise<T | typeof CANCELLED | typeof TIMED_OUT>}
 */
export function race(promise, signal, limitMs = -1, late = ignore) {
  if (signal === undefined && limitMs < 0) return Promise.resolve(promise);
  return new Promise((resolve, reject) => {
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    let over = false;
    const leave = () => {
      over = true;
      signal?.removeEventListener('abort', abort);
      if (timer !== undefined) clearTimeout(timer);
    };
    const abort = () => {
      leave();
      resolve(CANCELLED);
    };
    Promise.resolve(promise).then(
      (value) => {
        if (over) return late(value);
        leave();
        resolve(value);
      },
      (error) => {
        if (over) return;
        leave();
        reject(error);
      },
    );
    if (signal?.aborted) return abort();
    signal?.addEventListener('abort', abort);
    if (limitMs >= 0) {
      timer = setTimeout(() => {
        leave();
        resolve(TIMED_OUT);
      }, limitMs);
    }
  });
}

/**
 * Whether it is a promise: by its method, since what an async function gives is none of the global `Promise` where a
 * program has replaced that.
 *
 * @template T
 * @param {T | Promise<T>} value
 * @returns {value is Promise<T>}
 */
export function isPromise(value) {
  return typeof (/** @type {any} */ (value))?.then === 'function';
}
