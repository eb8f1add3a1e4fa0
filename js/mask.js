import { engine } from './engine.js';

/** @typedef {import('../pkg/dacapo.js').MaskerHandle} Masker */

/**
 * The text without secrets of a known shape, and without those of a URL in it.
 *
 * @param {string} text
 */
export function maskText(text) {
  return engine().maskText(text) ?? text;
}

/**
 * The text without the secrets that `masker` knows.
 *
 * @param {Masker} masker
 */
export function maskWith(masker) {
  return (/** @type {string} */ text) => masker.mask(text) ?? text;
}
