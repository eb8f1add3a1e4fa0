import { namesIn } from './bounded.js';
import { read } from './errors.js';

/**
 * Every name and value of headers in any shape that `fetch` or an HTTP client has. What is
 * no header is left out.
 *
 * @param {any} headers
 * @returns {[string, string][]}
 */
export function fieldsOf(headers) {
  /** @type {[string, string][]} */
  const fields = [];
  each(headers, (name, value) => fields.push([name, value]));
  return fields;
}

/**
 * @param {any} headers
 * @param {(name: string, value: string) => void} add
 * @param {number} [most] Fields, and what is none but stands among them.
 */
function each(headers, add, most = Infinity) {
  const one = (/** @type {unknown} */ name, /** @type {unknown} */ value) => {
    if ((most -= 1) < 0) throw new RangeError();
    if (typeof value === 'string') add(typeof name === 'string' ? name : String(name), value);
    else if (Array.isArray(value)) for (const member of value) one(name, member);
    else if (typeof value === 'number') add(String(name), String(value));
  };
  if (typeof headers !== 'object' || headers === null) return;
  try {
    if (typeof headers[Symbol.iterator] === 'function') {
      for (const pair of headers) one(pair?.[0], pair?.length === 2 ? pair[1] : undefined);
    } else if (typeof headers.forEach === 'function') {
      headers.forEach((/** @type {unknown} */ value, /** @type {unknown} */ name) => one(name, value));
    } else {
      for (const name of most === Infinity ? Object.keys(headers) : namesIn(headers, most)) one(name, read(headers, /** @type {string} */ (name)));
    }
  } catch {
    // A hostile iterator, or one without an end: what came before it stands.
  }
}

/**
 * Whether headers can be read only once.
 *
 * @param {any} headers
 */
export function isIterator(headers) {
  return typeof headers?.next === 'function';
}

/**
 * Headers as the one text that the engine reads: a name, a line feed, a value, a line feed.
 *
 * @param {any} headers
 * @param {number} [most] How many are read of headers that no platform has bounded.
 */
export function blockOf(headers, most) {
  let block = '';
  each(headers, (name, value) => { block += `${oneLine(name)}\n${oneLine(value)}\n`; }, most);
  return block;
}

/**
 * A line break in a bad value must not pass for the end of a field, nor hide a secret from a text that quotes it: there
 * line breaks are passed over. Out of a URL the platform takes them, too.
 *
 * @param {string} text
 */
export function oneLine(text) {
  return text.includes('\n') ? text.replaceAll('\n', '') : text;
}
