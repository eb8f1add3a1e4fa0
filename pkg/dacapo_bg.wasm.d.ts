declare const module: typeof globalThis extends { WebAssembly: { Module: { prototype: infer Module } } } ? Module : object;
export default module;
