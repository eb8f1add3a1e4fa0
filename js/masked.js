import { ask } from './ask.js';
import { membersOf, read } from './errors.js';

/** @typedef {import('../pkg/dacapo.js').MaskerHandle} Masker */

/** How many values of an error are looked at, and how deep; what lies beyond counts as unclean. */
const VALUES = 1000;
const DEPTH = 8;

/**
 * What hides the secrets that `masker` knows.
 *
 * @param {Masker} masker
 */
export function maskWith(masker) {
  return (/** @type {string} */ text) => ask(() => masker.mask(text)) ?? text;
}

/**
 * The error itself when nothing that printing it would show holds a secret; else a copy of
 * the same name whose message, stack and causes are masked, and which has no other members.
 *
 * @param {unknown} error
 * @param {(text: string) => string} mask
 * @returns {unknown}
 */
export function masked(error, mask) {
  if (typeof error === 'string') return mask(error);
  return isClean(error, mask) ? error : copyOf(error, mask, 0);
}

/**
 * @param {unknown} error
 * @param {(text: string) => string} mask
 */
function isClean(error, mask) {
  const seen = new Set();
  /** @type {[unknown, number][]} */
  const queue = [[error, 0]];
  for (const [value, depth] of queue) {
    if (typeof value === 'string') {
      if (mask(value) !== value) return false;
      continue;
    }
    if ((typeof value !== 'object' && typeof value !== 'function') || value === null || seen.has(value)) continue;
    if (depth > DEPTH || queue.length > VALUES) return false;
    seen.add(value);
    try {
      for (const part of partsOf(value)) queue.push([part, depth + 1]);
    } catch {
      return false;
    }
  }
  return true;
}

/**
 * What a console shows of an object: its members and their names, what an Error hides, and
 * what a Map, a Set or Headers hold.
 *
 * @param {any} object
 * @returns {unknown[]}
 */
function partsOf(object) {
  if (ArrayBuffer.isView(object)) return [];
  const parts = [object.name, object.message, object.stack, object.cause, object.errors].filter((part) => part !== undefined);
  for (const key of Reflect.ownKeys(object)) {
    if (Object.getOwnPropertyDescriptor(object, key)?.enumerable) parts.push(typeof key === 'string' ? key : key.description, object[key]);
  }
  if (typeof object[Symbol.iterator] === 'function' && !Array.isArray(object)) {
    for (const item of object) {
      parts.push(item);
      if (parts.length > VALUES) break;
    }
  }
  return parts;
}

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
