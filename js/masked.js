import { ask } from './ask.js';
import { GIVEN, membersOf, read } from './errors.js';

/** @typedef {import('../pkg/dacapo.js').MaskerHandle} Masker */

/** How many values of an error are looked at, and how deep; what lies beyond counts as unclean. */
const VALUES = 1000;
const DEPTH = 8;
/** How much of a buffer is looked at. */
const BYTES = 64 * 1024;

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
  return isClean(error, mask) ? error : copyOf(error, mask, 0);
}

/**
 * What a raised error says beside its message, and what it went through, as it may be shown.
 * What cannot be read is left as it is.
 *
 * @param {any} raised
 * @param {(text: string) => string} mask
 */
export function shownOf(raised, mask) {
  /** @type {any} */
  const shown = {};
  for (const name of [...GIVEN, 'attempts']) {
    const value = read(raised, name);
    if (value !== undefined) shown[name] = isClean(value, mask) ? value : plainCopyOf(value, mask);
  }
  return shown;
}

/**
 * @param {unknown} value
 * @param {(text: string) => string} mask
 */
function plainCopyOf(value, mask) {
  try {
    return JSON.parse(JSON.stringify(value), (_, inner) => {
      if (typeof inner === 'string') return mask(inner);
      if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
      return Object.fromEntries(Object.entries(inner).map(([name, member]) => [mask(name), member]));
    });
  } catch {
    return value;
  }
}

/**
 * @param {unknown} value
 * @returns {value is object}
 */
export function hasMembers(value) {
  return (typeof value === 'object' && value !== null) || typeof value === 'function';
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
    if (!hasMembers(value)) {
      const text = String(value);
      if (mask(text) !== text) return false;
      continue;
    }
    if (seen.has(value)) continue;
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
 * What a console shows of an object, or JSON: its members and their names, what an Error
 * hides, what platform objects keep inside, and what a Map, a Set or Headers hold.
 *
 * @param {any} object
 * @returns {unknown[]}
 */
function partsOf(object) {
  if (ArrayBuffer.isView(object)) {
    return [new TextDecoder().decode(new Uint8Array(object.buffer, object.byteOffset, Math.min(object.byteLength, BYTES)))];
  }
  const { name, message, stack, cause, errors, url, headers, statusText, referrer, toJSON } = object;
  const parts = [name, message, stack, cause, errors, url, headers, statusText, referrer].filter((part) => part !== undefined);
  if (typeof toJSON === 'function') parts.push(object.toJSON());
  for (const key of Reflect.ownKeys(object)) parts.push(typeof key === 'string' ? key : key.description, object[key]);
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
  if (!hasMembers(error)) {
    const text = String(error);
    const shown = mask(text);
    return shown === text ? error : shown;
  }
  if (depth >= DEPTH) return undefined;
  const text = (/** @type {string} */ member) => {
    const value = read(error, member);
    return typeof value === 'string' ? mask(value) : undefined;
  };
  const message = text('message') ?? '';
  const cause = read(error, 'cause');
  const options = cause === undefined ? undefined : { cause: copyOf(cause, mask, depth + 1) };
  const name = text('name') ?? 'Error';
  const copy = name === 'TypeError' ? new TypeError(message, options) : new Error(message, options);
  if (copy.name !== name) Object.defineProperty(copy, 'name', { value: name, configurable: true, writable: true });
  const stack = text('stack');
  if (stack !== undefined) Object.defineProperty(copy, 'stack', { value: stack, configurable: true, writable: true });
  const members = membersOf(error);
  if (members.length > 0) {
    Object.defineProperty(copy, 'errors', { value: members.map((one) => copyOf(one, mask, depth + 1)), configurable: true });
  }
  const code = text('code');
  if (code !== undefined) /** @type {any} */ (copy).code = code;
  return copy;
}
