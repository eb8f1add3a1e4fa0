import { ask } from './engine.js';

/** @typedef {import('../pkg/dacapo.js').MaskerHandle} Masker */

/**
 * The text without secrets of a known shape, and without those of a URL in it.
 *
 * @param {string} text
 */
export function maskText(text) {
  return ask((engine) => engine.maskText(text)) ?? text;
}

/**
 * The text without the secrets that `masker` knows.
 *
 * @param {Masker} masker
 */
export function maskWith(masker) {
  return (/** @type {string} */ text) => ask(() => masker.mask(text)) ?? text;
}
