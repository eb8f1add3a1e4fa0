// Imports an entry where every global is a trap, and tells which of them were touched.

const [entry] = process.argv.slice(2);
const { log } = console;
const touched = new Set();
const names = Object.getOwnPropertyNames(globalThis).sort();
for (const name of names) {
  const { configurable, get, value } = Object.getOwnPropertyDescriptor(globalThis, name);
  if (!configurable) continue;
  const assigned = () => touched.add(`${name} =`);
  Object.defineProperty(globalThis, name, { get: () => (touched.add(name), get ? get.call(globalThis) : value), set: assigned });
}
touched.clear();
await import(entry);
const found = [...touched].sort();
const added = Object.getOwnPropertyNames(globalThis).filter((name) => !names.includes(name));
log(JSON.stringify({ touched: found, added }));
