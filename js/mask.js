import { engine, isStarted } from './engine.js';

/**
 * The text without secrets of a known shape, and without those of a URL in it.
 *
 * @param {string} text
 */
export function maskText(text) {
  // What is thrown before there is an engine holds no text but the library's own.
  return isStarted() ? (engine().maskText(text) ?? text) : text;
}
