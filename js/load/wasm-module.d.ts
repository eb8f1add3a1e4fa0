// What bundlers for edge runtimes make of a module, for the type check alone: it is no part of the package.

declare module '*.wasm?module' {
  const module: WebAssembly.Module;
  export default module;
}
