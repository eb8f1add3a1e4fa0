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
 */
function each(headers, add) {
  const one = (/** @type {unknown} */ name, /** @type {unknown} */ value) => {
    if (typeof value === 'string') add(typeof name === 'string' ? name : String(name), value);
    else if (Array.isArray(value)) for (const member of value) one(name, member);
    else if (typeof value === 'number') add(String(name), String(value));
  };
  if (typeof headers !== 'object' || headers === null) return;
  try {
    if (typeof headers[Symbol.iterator] === 'function') {
      for (const pair of headers) if (pair?.length === 2) one(pair[0], pair[1]);
    } else if (typeof headers.forEach === 'function') {
      headers.forEach((/** @type {unknown} */ value, /** @type {unknown} */ name) => one(name, value));
    } else {
      for (const name of Object.keys(headers)) one(name, read(headers, name));
    }
  } catch {
    // A hostile iterator: what came before it stands.
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
 */
export function blockOf(headers) {
  let block = '';
  each(headers, (name, value) => { block += `${oneLine(name)}\n${oneLine(value)}\n`; });
  return block;
}

/**
 * A line break in a bad value must not pass for the end of a field.
 *
 * @param {string} text
 */
export function oneLine(text) {
  return text.includes('\n') ? text.replaceAll('\n', ' ') : text;
}
