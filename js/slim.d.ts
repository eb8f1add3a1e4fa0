/**
 * dacapo/slim: all of dacapo without its engine, which the program brings from where it likes.
 */

export * from './types.js';

/** A compiled module: `WebAssembly.Module`, or any object where the runtime's types (Node's without the DOM's) know of none. */
export type EngineModule = typeof globalThis extends { WebAssembly: { Module: { prototype: infer Module } } } ? Module : object;

/**
 * Gives `dacapo/slim` its engine, the file `dacapo/dacapo.wasm`: once, before the first use. Until it is called,
 * everything that needs the engine throws a `RetryError` of kind `invalid_config`. Given a compiled module it is done
 * when it returns; anything else is fetched (a text is a URL) or compiled first, and the promise says when.
 *
 * Rejects with a `TypeError` for what is no source, with an `Error` when the engine cannot be fetched or the platform lets
 * no WebAssembly compile (it names `'wasm-unsafe-eval'`), and with the platform's `CompileError` for bytes of no module.
 */
export function init(
  source: EngineModule | ArrayBuffer | ArrayBufferView | Response | URL | string | Promise<EngineModule | ArrayBuffer | ArrayBufferView | Response>,
): Promise<void>;
