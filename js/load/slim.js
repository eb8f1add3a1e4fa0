// The caller brings the engine: from a file, a CDN, a cache, or as a module that the platform has compiled.

import { provide } from '../engine.js';
import { ownModule } from './own-module.js';
import { refusal } from './refusal.js';

export * from '../index.js';

/**
 * @param {WebAssembly.Module | BufferSource | Response | URL | string
 *   | Promise<WebAssembly.Module | BufferSource | Response>} source
 */
export async function init(source) {
  // Before the first await, so that `init(module)` is done when it returns, also at a Worker's global scope.
  const module = ownModule(source) ?? (await compile(await source));
  provide(() => module);
}

/** @param {WebAssembly.Module | BufferSource | Response | URL | string} source */
async function compile(source) {
  const module = ownModule(source);
  if (module !== undefined) return module;
  if (typeof source !== 'string' && (typeof source !== 'object' || source === null)) {
    throw new TypeError('dacapo: init takes a WebAssembly.Module, bytes, a Response or a URL');
  }
  if (typeof source === 'string' || source instanceof URL) source = await fetch(source);
  if ('arrayBuffer' in source && typeof source.arrayBuffer === 'function') {
    if (!source.ok) throw new Error(`dacapo: the engine could not be fetched: ${source.status} ${source.url}`);
    source = await source.arrayBuffer();
  }
  try {
    return await WebAssembly.compile(/** @type {BufferSource} */ (source));
  } catch (cause) {
    throw refusal(cause);
  }
}
