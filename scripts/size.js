// What the package adds to a browser app: bundled by esbuild with its defaults, wasm included, held to a budget.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';

import { build } from 'esbuild';

import { root } from './setup.js';

const budget = JSON.parse(readFileSync(join(root, 'size-budget.json'), 'utf8'));

const measured = {
  // What a user of the drop-in fetch ships.
  createFetch: await bundle("import { createFetch } from 'dacapo'; globalThis.fetch = createFetch();"),
  everything: await bundle("export * from 'dacapo';"),
  // The same with the engine fetched as a file of its own.
  slim: await bundle("import { createFetch, init } from 'dacapo/slim'; globalThis.fetch = createFetch(); globalThis.init = init;"),
  module: readFileSync(join(root, 'pkg/dacapo_bg.wasm')),
};

let failed = 0;
console.log('bytes          raw    gzip  brotli  budget (brotli)');
for (const [name, bytes] of Object.entries(measured)) {
  const brotli = brotliCompressSync(bytes).length;
  const over = brotli > budget[name];
  if (over) failed++;
  const columns = [bytes.length, gzipSync(bytes, { level: 9 }).length, brotli, budget[name]].map((size) => String(size).padStart(7));
  console.log(`${name.padEnd(11)}${columns.join(' ')}${over ? '  OVER' : ''}`);
}
if (failed > 0) console.error('over size-budget.json: make it smaller, or say in CHANGELOG.md what the bytes are for');
process.exitCode = failed > 0 ? 1 : 0;

async function bundle(contents) {
  const { outputFiles } = await build({
    stdin: { contents, resolveDir: root },
    bundle: true,
    minify: true,
    format: 'esm',
    platform: 'browser',
    write: false,
  });
  return outputFiles[0].contents;
}
