export * from './types.js';

/**
 * Gives `dacapo/slim` its engine, the file `dacapo/dacapo.wasm`. Until it is called, everything that needs the engine
 * throws a `RetryError` of kind `invalid_config`. Given a compiled module it is done when it returns; anything else is
 * fetched or compiled first, and the promise says when.
 */
export function init(
  source:
    | WebAssembly.Module
    | BufferSource
    | Response
    | URL
    | string
    | Promise<WebAssembly.Module | BufferSource | Response>,
): Promise<void>;
