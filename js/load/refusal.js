/**
 * What to throw for an engine that did not compile. The platforms word it in many ways when it is they who refuse, so
 * they are asked again, about a module that cannot be at fault. WebKit compiles it, and refuses the instance.
 *
 * @param {unknown} cause
 */
export function refusal(cause) {
  // What compiled and does not link is another module than the engine's.
  if (cause instanceof (globalThis.WebAssembly?.LinkError ?? Array)) return cause;
  try {
    // The least module there is: the magic number and the version.
    new WebAssembly.Instance(new WebAssembly.Module(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0)));
    return cause;
  } catch {
    return new Error(
      "dacapo: this platform does not let WebAssembly compile, or has none. In a page, its Content-Security-Policy has to allow 'wasm-unsafe-eval' in script-src; in a Worker or edge runtime, give dacapo/slim a compiled module.",
      { cause },
    );
  }
}
