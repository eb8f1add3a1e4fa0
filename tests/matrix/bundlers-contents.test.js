// What is in a bundle: the engine where it is needed, and only there.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { before, describe, test } from 'node:test';

import nodeResolve from '@rollup/plugin-node-resolve';
import { build as esbuild } from 'esbuild';
import { rollup } from 'rollup';
import { build as vite } from 'vite';
import webpack from 'webpack';

import { root, run } from '../packaging/lib/package.js';
import { PROGRAM, runProgram } from '../packaging/lib/user.js';
import { builds } from './bundlers/builds.js';
import { places } from './lib/places.js';
import { userProject } from './lib/tarball.js';

const PARCEL = createRequire(import.meta.url).resolve('parcel/lib/bin.js');

let byParcel;

const programs = {
  'whole.js': "import { createFetch } from 'dacapo'; globalThis.createFetch = createFetch;",
  'slim.js': "import { createFetch, init } from 'dacapo/slim'; Object.assign(globalThis, { createFetch, init });",
  'guard.js': "import 'dacapo'; import { createFetch, isRetryError } from 'dacapo'; console.log(isRetryError(new Error('x')));",
};

/** Each bundles a file for the browser with what it does by default. */
const bundlers = {
  esbuild: (input, output) =>
    esbuild({ entryPoints: [input], outfile: output, bundle: true, minify: true, format: 'esm', platform: 'browser', logLevel: 'error' }),
  Rollup: async (input, output) => {
    const bundle = await rollup({ input, plugins: [nodeResolve({ browser: true })], onwarn: (warning) => assert.fail(warning.message) });
    await bundle.write({ file: output, format: 'es' });
    await bundle.close();
  },
  Vite: (input, output) =>
    vite({
      root: dirname(input),
      configFile: false,
      logLevel: 'error',
      build: { outDir: dirname(output), emptyOutDir: false, rollupOptions: { input, output: { entryFileNames: basename(output) } } },
    }),
  webpack: (input, output) =>
    new Promise((resolve, reject) => {
      const options = { mode: 'production', context: dirname(input), entry: input, output: { path: dirname(output), filename: basename(output) } };
      // In a page there is a global fetch and no Node. The engine is larger than webpack recommends: see docs/size.md.
      webpack({ ...options, target: 'web', performance: { hints: false } }, (error, stats) => {
        if (error || stats.hasErrors() || stats.hasWarnings()) reject(error ?? new Error(stats.toString()));
        else resolve();
      });
    }),
  // It takes seconds to start, so it does all at once.
  Parcel: (input, output) => {
    const inputs = Object.keys(programs).map((file) => join(dirname(input), file));
    const args = ['build', ...inputs, '--dist-dir', dirname(output), '--cache-dir', join(dirname(output), 'cache'), '--log-level', 'warn'];
    return (byParcel ??= run(process.execPath, [PARCEL, ...args], dirname(input)));
  },
};

describe('in a bundle', { timeout: 180_000, concurrency: 2 }, () => {
  let user;
  before(async () => {
    user = await userProject();
    // Without this, Parcel finds no entry but the main one.
    const manifest = JSON.parse(readFileSync(join(user, 'package.json'), 'utf8'));
    writeFileSync(join(user, 'package.json'), JSON.stringify({ ...manifest, '@parcel/resolver-default': { packageExports: true } }));
    for (const [file, source] of Object.entries(programs)) writeFileSync(join(user, file), source);
  });
  const bundle = async (name, file) => {
    const output = join(user, 'out', name, file);
    await bundlers[name](join(user, file), output);
    return output;
  };

  /** A piece of the engine's text that no bundler writes in another way. */
  const engineText = () => {
    const runs = readFileSync(join(user, 'node_modules/dacapo/pkg/dacapo_inline.js'), 'utf8').match(/[\w{|}!#%&()+,\-. ]{64,}/g);
    return runs.reduce((longest, run) => (run.length > longest.length ? run : longest)).slice(0, 1000);
  };
  const carriesEngine = (output) => {
    const bytes = readFileSync(output);
    return bytes.includes(engineText()) || bytes.includes('AGFzbQEAAAA') || bytes.includes('\0asm');
  };

  for (const name of Object.keys(bundlers)) {
    describe(`by ${name}`, () => {
      test('createFetch brings the engine', async () => assert.ok(carriesEngine(await bundle(name, 'whole.js'))));

      test('dacapo/slim leaves it out and runs with the one it is given', async () => {
        const output = await bundle(name, 'slim.js');
        assert.ok(!carriesEngine(output));
        const program = `
          await import(${JSON.stringify(output)});
          await init(await (await import('node:fs/promises')).readFile('node_modules/dacapo/pkg/dacapo_bg.wasm'));
          const fetchAgain = createFetch({ initialDelayMs: 1 });${PROGRAM}`;
        assert.deepEqual(await runProgram(user, `run-${name}.js`, program), { printed: '200 served', seen: ['POST', 'POST'] });
      });

      test('what needs no engine brings none', async () => assert.ok(!carriesEngine(await bundle(name, 'guard.js'))));
    });
  }

  for (const [condition, module] of [['workerd', 'dacapo_bg.wasm'], ['edge-light', 'dacapo_bg.wasm?module']]) {
    test(`under the condition ${condition} the engine is imported as ${module} and not carried as text`, async () => {
      const { outputFiles } = await esbuild({
        entryPoints: [join(user, 'whole.js')],
        bundle: true,
        format: 'esm',
        conditions: [condition, 'worker', 'browser'],
        external: ['*.wasm', '*.wasm?module'],
        write: false,
      });
      const { text } = outputFiles[0];
      const [, imported] = /^import \w+ from "(.*)";/m.exec(text);
      assert.equal(basename(imported), module);
      assert.doesNotMatch(text, /dacapo_inline/);
    });
  }
});

test('docs/bundlers.md lists what is built', () => {
  const rows = readFileSync(join(root, 'docs/bundlers.md'), 'utf8').matchAll(/^\| (\w[\w.]*) \| (.+) \|$/gm);
  const listed = [...rows].map(([, name, forms]) => [name, forms.split('; ')]).filter(([name]) => name !== 'bundler');
  const expected = new Map();
  for (const { place, form } of builds) {
    const [, name, rest] = /^(\S+) [^,]+(?:, (.*))?$/.exec(place);
    expected.set(name, [...(expected.get(name) ?? []), form ?? rest ?? 'its default']);
  }
  expected.get('Vite').push('dev server');
  expected.set('Next.js', places.flatMap((place) => (place.startsWith('Next.js') ? place.split(', ').slice(1) : [])));
  assert.deepEqual(listed, [...expected]);
});
