import { configError, read, show } from './errors.js';

/**
 * The caller's own signal, checked.
 *
 * @param {unknown} signal
 * @param {string} name Of the function that was given it.
 * @returns {AbortSignal | undefined}
 */
export function callersSignal(signal, name) {
  if (signal === undefined || signal === null) return undefined;
  if (isSignal(signal)) return signal;
  throw configError(`${name}: signal is ${show(signal)}, must be an AbortSignal`);
}

/**
 * @param {any} value
 * @returns {value is AbortSignal}
 */
export function isSignal(value) {
  return typeof read(value, 'addEventListener') === 'function' && typeof read(value, 'aborted') === 'boolean';
}
