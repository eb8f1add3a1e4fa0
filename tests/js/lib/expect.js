/** Assertions for any runtime: no `node:` import. */

/**
 * @param {unknown} actual
 * @param {unknown} expected
 * @param {string} [what]
 */
export function same(actual, expected, what = 'value') {
  if (!Object.is(actual, expected)) throw new Error(`${what} is ${shown(actual)}, must be ${shown(expected)}`);
}

/**
 * Equal as JSON.
 *
 * @param {unknown} actual
 * @param {unknown} expected
 * @param {string} [what]
 */
export function equal(actual, expected, what = 'value') {
  same(JSON.stringify(actual), JSON.stringify(expected), what);
}

/**
 * @param {number} actual
 * @param {number} least
 * @param {number} most
 * @param {string} what
 */
export function between(actual, least, most, what) {
  if (!(actual >= least && actual <= most)) throw new Error(`${what} is ${actual}, must be from ${least} to ${most}`);
}

/**
 * @param {string} text
 * @param {string | RegExp} part
 */
export function contains(text, part) {
  const found = typeof part === 'string' ? text.includes(part) : part.test(text);
  if (!found) throw new Error(`${shown(text)} must contain ${part}`);
}

/**
 * What a promise rejects with, or what a function throws.
 *
 * @param {Promise<unknown> | (() => unknown)} action
 * @returns {Promise<any>}
 */
export async function failure(action) {
  let value;
  try {
    value = await (typeof action === 'function' ? action() : action);
  } catch (error) {
    return error;
  }
  throw new Error(`it must fail, but gave ${shown(value)}`);
}

/** @param {unknown} value */
function shown(value) {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object' || value === null || value instanceof Error) return String(value);
  return `${value.constructor?.name} ${JSON.stringify(value)}`;
}
