// As the edge where these functions are deployed does. `next start` lets a module be compiled from bytes.

const refuse = () => {
  throw new WebAssembly.CompileError('Wasm code generation disallowed by embedder');
};
WebAssembly.Module = new Proxy(WebAssembly.Module, { construct: refuse });
WebAssembly.compile = async () => refuse();
