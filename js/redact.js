import { ask } from './ask.js';
import { configError, show } from './errors.js';
import { blockOf } from './headers.js';

/** @param {string | URL} url */
export function sanitizeUrl(url) {
  return ask((engine) => engine.sanitizeUrl(textOf(url, 'sanitizeUrl')));
}

/**
 * @param {string | URL} url
 * @returns {{ url: string, removed: boolean }}
 */
export function sanitizeBaseUrl(url) {
  const text = textOf(url, 'sanitizeBaseUrl');
  const without = ask((engine) => engine.sanitizeBaseUrl(text));
  return { url: without ?? text, removed: without !== undefined };
}

/**
 * @param {unknown} url
 * @param {string} name
 */
function textOf(url, name) {
  if (typeof url === 'string') return url;
  if (url instanceof URL) return url.href;
  throw configError(`${name}: url is ${show(url)}, must be a text or a URL`);
}

/**
 * @param {any} headers
 * @param {{ headers?: readonly string[], query?: readonly string[], values?: readonly string[] }} [redact]
 * @returns {Record<string, string>}
 */
export function redactHeaders(headers, redact = {}) {
  const list = (/** @type {'headers' | 'query' | 'values'} */ name) => {
    const texts = redact[name] ?? [];
    if (Array.isArray(texts) && texts.every((text) => typeof text === 'string')) return [...texts];
    throw configError(`redactHeaders: redact.${name} must be a list of texts`);
  };
  const kept = ask((engine) => engine.redactHeaders(blockOf(headers), list('headers'), list('query'), list('values')));
  /** @type {Map<string, string>} */
  const fields = new Map();
  for (let i = 0; i + 1 < kept.length; i += 2) {
    const [name, value] = /** @type {[string, string]} */ (kept.slice(i, i + 2));
    const earlier = fields.get(name);
    fields.set(name, earlier === undefined ? value : `${earlier}, ${value}`);
  }
  return Object.fromEntries(fields);
}
