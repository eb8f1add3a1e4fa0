import { configError, read, show } from './errors.js';

/** What calls are told apart by: one text for all of them, a function of the URL, or the URL's origin. @typedef {string | ((url: string) => string) | undefined} KeyOption */

/**
 * @param {KeyOption} option
 * @param {string} url
 * @param {(url: string) => string} shown The URL as a function may have it, since keys are shown.
 * @returns {string}
 */
export function keyFor(option, url, shown) {
  if (option === undefined) return originOf(url);
  if (typeof option === 'string') return option;
  const key = option(shown(url));
  if (typeof key === 'string') return key;
  throw configError(`key: the function returned ${show(key)}, must return a text`);
}

/**
 * The origin of a URL; of a relative one the page's, and empty where there is no page.
 *
 * @param {string} url
 * @returns {string}
 */
export function originOf(url) {
  try {
    return new URL(url).origin;
  } catch {
    return read(read(globalThis, 'location') ?? {}, 'origin') ?? '';
  }
}

/**
 * What stands in front of the path of an absolute URL: its origin, if it is written as plainly
 * as most are. Parsing a URL costs more than all else that is done for a key.
 *
 * @param {string} url
 * @returns {string | undefined}
 */
export function beforePath(url) {
  const scheme = url.indexOf('://');
  const end = scheme < 0 ? -1 : url.indexOf('/', scheme + 3);
  return end < 0 ? undefined : url.slice(0, end);
}
