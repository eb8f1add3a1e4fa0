import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { root, run } from './lib/package.js';

const wasm = join(root, 'pkg/dacapo_bg.wasm');

/** Runs a module in a Node of its own, because an engine is started once in a process. */
const evaluate = (source) => run(process.execPath, ['--input-type=module', '--eval', source], root);

/** A program that replaces the compiler before the package is loaded. */
const compiling = (body) => `
  const { Module } = WebAssembly;
  globalThis.compiled = 0;
  WebAssembly.Module = class extends Module { constructor(bytes) { compiled++; ${body} } };
`;

test('the text in the package is the module in the package, byte for byte', async () => {
  const printed = await evaluate(`
    import { readFileSync } from 'node:fs';
    ${compiling('super(bytes); globalThis.bytes = bytes;')}
    const { parseRetryAfter } = await import('dacapo');
    console.log(parseRetryAfter('2'), Buffer.compare(bytes, readFileSync(${JSON.stringify(wasm)})));
  `);
  assert.equal(printed, '2000 0\n');
});

test('the engine is compiled at the first use, once, and not on import', async () => {
  const printed = await evaluate(`
    ${compiling('super(bytes);')}
    const { parseRetryAfter } = await import('dacapo');
    console.log(compiled);
    parseRetryAfter('2');
    parseRetryAfter('3');
    console.log(compiled);
  `);
  assert.equal(printed, '0\n1\n');
});

test('a platform that refuses to compile gives an error that names wasm-unsafe-eval', async () => {
  const printed = await evaluate(`
    ${compiling("throw new WebAssembly.CompileError('blocked by CSP');")}
    const { parseRetryAfter } = await import('dacapo');
    try { parseRetryAfter('2'); } catch (error) { console.log(error.message); }
  `);
  assert.match(printed, /'wasm-unsafe-eval'/);
});

test('before init, dacapo/slim throws invalid_config and says what to do', async () => {
  const printed = await evaluate(`
    const { parseRetryAfter } = await import('dacapo/slim');
    try { parseRetryAfter('2'); } catch (error) { console.log(error.name, error.kind, error.message); }
  `);
  assert.match(printed, /^RetryError invalid_config .*\binit\b/);
});

test('what the entries export without the loader needs no engine', async () => {
  const printed = await evaluate(`
    import { findRetryError, historyOf, isRetryError, matchesKind } from 'dacapo/slim';
    const error = new Error('x', { cause: { kind: 'auth' } });
    console.log(findRetryError(error), historyOf(error), isRetryError(error), matchesKind(error, 'auth'));
  `);
  assert.equal(printed, 'undefined undefined false false\n');
});

const sources = {
  'a compiled module, without waiting': 'init(new WebAssembly.Module(bytes))',
  'a promise of a compiled module': 'await init(WebAssembly.compile(bytes))',
  'an ArrayBuffer': 'await init(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length))',
  'a view of bytes': 'await init(bytes)',
  'a Response': 'await init(new Response(bytes))',
  'a promise of a Response': 'await init(Promise.resolve(new Response(bytes)))',
  'a URL': "await init(new URL('data:application/wasm;base64,' + bytes.toString('base64')))",
  'an address': "await init('data:application/octet-stream;base64,' + bytes.toString('base64'))",
};
for (const [what, call] of Object.entries(sources)) {
  test(`dacapo/slim takes ${what}`, async () => {
    const printed = await evaluate(`
      import { readFileSync } from 'node:fs';
      import { init, parseRetryAfter } from 'dacapo/slim';
      const bytes = readFileSync(${JSON.stringify(wasm)});
      ${call};
      console.log(parseRetryAfter('2'));
    `);
    assert.equal(printed, '2000\n');
  });
}

test('dacapo/slim rejects a Response that is an error, and what is no module', async () => {
  const printed = await evaluate(`
    import { init } from 'dacapo/slim';
    for (const source of [new Response('no', { status: 404 }), new Uint8Array([1, 2, 3, 4]), {}]) {
      await init(source).then(() => console.log('taken'), (error) => console.log(error.name));
    }
  `);
  assert.equal(printed, 'Error\nCompileError\nTypeError\n');
});
