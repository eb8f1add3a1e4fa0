import { ask } from './ask.js';
import { linked, membersOf, read } from './errors.js';

/** @typedef {import('../pkg/dacapo.js').MaskerHandle} Masker */

/**
 * What hides the secrets that `masker` knows.
 *
 * @param {Masker} masker
 */
export function maskWith(masker) {
  return (/** @type {string} */ text) => ask(() => masker.mask(text)) ?? text;
}

/**
 * The error itself when it holds no secret; else a copy of the same name whose message,
 * stack and causes are masked.
 *
 * @param {unknown} error
 * @param {(text: string) => string} mask
 * @returns {unknown}
 */
export function masked(error, mask) {
  if (typeof error === 'string') return mask(error);
  const clean = [...linked(error)].every((one) => textsOf(one).every((text) => mask(text) === text));
  return clean ? error : copyOf(error, mask, 0);
}

/**
 * Every text that an error shows when it is printed.
 *
 * @param {any} error
 * @returns {string[]}
 */
function textsOf(error) {
  if (typeof error === 'string') return [error];
  if (typeof error !== 'object' || error === null) return [];
  /** @type {unknown[]} */
  const values = [read(error, 'message'), read(error, 'stack')];
  try {
    for (const name of Object.keys(error)) {
      const value = read(error, name);
      // An inner object is shown by `console.log` as well: a client's config, with its headers.
      values.push(typeof value === 'object' && value !== null && name !== 'cause' && name !== 'errors' ? jsonOf(value) : value);
    }
  } catch {
    // A hostile object shows what it shows.
  }
  return /** @type {string[]} */ (values.filter((value) => typeof value === 'string'));
}

/** @param {object} value */
function jsonOf(value) {
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}

const DEPTH = 8;

/**
 * @param {any} error
 * @param {(text: string) => string} mask
 * @param {number} depth
 * @returns {any}
 */
function copyOf(error, mask, depth) {
  if (typeof error === 'string') return mask(error);
  if (typeof error !== 'object' || error === null) return error;
  if (depth >= DEPTH) return undefined;
  const message = mask(String(read(error, 'message') ?? ''));
  const cause = read(error, 'cause');
  const options = cause === undefined ? undefined : { cause: copyOf(cause, mask, depth + 1) };
  const name = String(read(error, 'name') ?? 'Error');
  const copy = name === 'TypeError' ? new TypeError(message, options) : new Error(message, options);
  if (copy.name !== name) Object.defineProperty(copy, 'name', { value: name, configurable: true, writable: true });
  const stack = read(error, 'stack');
  if (typeof stack === 'string') Object.defineProperty(copy, 'stack', { value: mask(stack), configurable: true, writable: true });
  const members = membersOf(error);
  if (members.length > 0) {
    Object.defineProperty(copy, 'errors', { value: members.map((one) => copyOf(one, mask, depth + 1)), configurable: true });
  }
  const code = read(error, 'code');
  if (typeof code === 'string') /** @type {any} */ (copy).code = mask(code);
  return copy;
}
