/**
 * A module as one of this realm, for which the glue asks `instanceof`: Next.js compiles modules in one realm and runs
 * edge functions in another.
 *
 * @param {unknown} source
 * @returns {WebAssembly.Module | undefined} Nothing for what is no module.
 */
export function ownModule(source) {
  if (Object.prototype.toString.call(source) !== '[object WebAssembly.Module]') return undefined;
  if (!(source instanceof WebAssembly.Module)) Object.setPrototypeOf(source, WebAssembly.Module.prototype);
  return /** @type {WebAssembly.Module} */ (source);
}
