import { isError, read } from './errors.js';

/**
 * How much of a value the engine is shown.
 *
 * @typedef {object} Bounds
 * @property {number} values In all.
 * @property {number} chars Of its texts and names together.
 * @property {number} members Of one object or list.
 * @property {number} depth Of objects in one another.
 */

/**
 * JSON of what can be read of a value within bounds: no cycle, no getter or `toJSON` that
 * throws and no size makes it fail. What is nearer to the top goes first, since there the
 * error is, however long the list beside it. Bytes are left out.
 *
 * @param {unknown} value
 * @param {Bounds} bounds
 * @returns {string | undefined} `undefined` for what JSON has no word for.
 */
export function jsonOf(value, { values, chars, members, depth }) {
  /** @type {{ source: object, copy: any, level: number }[]} */
  const found = [];
  /** @type {Map<object, readonly (string | number)[]>} Listing a large object takes long, however little of it is used. */
  const listed = new Map();

  const shown = (/** @type {unknown} */ given, /** @type {number} */ level) => {
    values -= 1;
    const one = faceOf(given);
    if (typeof one === 'string') {
      // A long text leaves room for the code behind it.
      const text = one.length > chars / 2 ? one.slice(0, chars / 2) : one;
      chars -= text.length;
      return text;
    }
    if (typeof one === 'bigint') return String(one);
    if (typeof one !== 'object' || one === null) return typeof one === 'function' ? undefined : one;
    if (level === depth) return undefined;
    // Members may have the names of those that an object inherits, and these may be frozen.
    const copy = isList(one) ? [] : Object.create(null);
    found.push({ source: one, copy, level: level + 1 });
    return copy;
  };

  const root = shown(value, 0);
  for (const { source, copy, level } of found) {
    let names = listed.get(source);
    if (names === undefined) listed.set(source, (names = namesIn(source, members)));
    for (const name of names) {
      if (values <= 0) return JSON.stringify(root);
      if (typeof name === 'string') {
        // To set that one would be to set the copy's prototype.
        if (name.length > chars / 2 || name === '__proto__') continue;
        chars -= name.length;
      }
      copy[name] = shown(read(source, /** @type {string} */ (name)), level);
    }
  }
  return JSON.stringify(root);
}

/**
 * The names of an object's first members, or the places of a list's. Bytes have none.
 *
 * @param {object} object
 * @param {number} most
 * @returns {(string | number)[]}
 */
export function namesIn(object, most) {
  /** @type {(string | number)[]} */
  const names = [];
  if (isBinary(object)) return names;
  if (isList(object)) {
    const length = read(object, 'length');
    while (names.length < most && names.length < length) names.push(names.length);
    return names;
  }
  try {
    // What JSON leaves out of an error.
    if (isError(object)) names.push('name', 'message');
    for (const name in object) {
      // Inherited members come last.
      if (names.length >= most || !Object.hasOwn(object, name)) break;
      names.push(name);
    }
  } catch {
    // A hostile proxy: what was found before it stands.
  }
  return names;
}

/**
 * A copy of the first bytes of a buffer or of any view of one: the owner may give the buffer
 * away, shrink or change it. `undefined` where it has been given away.
 *
 * @param {any} bytes
 * @param {number} most
 * @returns {Uint8Array | undefined}
 */
export function bytesIn(bytes, most) {
  try {
    const { buffer = bytes, byteOffset = 0, byteLength } = bytes;
    return new Uint8Array(buffer, byteOffset, Math.min(byteLength, most)).slice();
  } catch {
    return undefined;
  }
}

/**
 * Whether it is a buffer, of any realm, or a view of one.
 *
 * @param {unknown} value
 */
export function isBinary(value) {
  if (ArrayBuffer.isView(value)) return true;
  try {
    // Of a shared one as well, whose class is not everywhere.
    return Object.prototype.toString.call(value).endsWith('ArrayBuffer]');
  } catch {
    return false;
  }
}

/**
 * What stands for a value in JSON.
 *
 * @param {unknown} value
 */
function faceOf(value) {
  if (typeof value !== 'object' || value === null) return value;
  // The `toJSON` of Node's buffers lists every byte.
  if (isBinary(value)) return undefined;
  const toJSON = read(value, 'toJSON');
  if (typeof toJSON !== 'function') return value;
  try {
    return toJSON.call(value);
  } catch {
    return value;
  }
}

/**
 * `Array.isArray`, which throws for a revoked proxy.
 *
 * @param {unknown} value
 * @returns {value is unknown[]}
 */
export function isList(value) {
  try {
    return Array.isArray(value);
  } catch {
    return false;
  }
}
