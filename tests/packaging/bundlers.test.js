import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { before, describe, test } from 'node:test';

import nodeResolve from '@rollup/plugin-node-resolve';
import { build as esbuild } from 'esbuild';
import { rollup } from 'rollup';
import { build as vite } from 'vite';
import webpack from 'webpack';

import { install, pack, temporaryFolder } from './lib/package.js';
import { PROGRAM, runProgram } from './lib/user.js';

/** Each bundles a file for the browser with what it does by default. */
const bundlers = {
  esbuild: (input, output) =>
    esbuild({ entryPoints: [input], outfile: output, bundle: true, minify: true, format: 'esm', platform: 'browser', logLevel: 'error' }),
  rollup: async (input, output) => {
    const bundle = await rollup({ input, plugins: [nodeResolve({ browser: true })], onwarn: (warning) => assert.fail(warning.message) });
    await bundle.write({ file: output, format: 'es' });
    await bundle.close();
  },
  vite: (input, output) =>
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
};

describe('bundled', () => {
  let user;
  before(async () => {
    const folder = temporaryFolder();
    const { tarball } = await pack(folder);
    user = join(folder, 'user');
    await install(user, tarball);
    writeFileSync(join(user, 'whole.js'), "import { createFetch } from 'dacapo'; globalThis.createFetch = createFetch;");
    writeFileSync(join(user, 'slim.js'), "import { createFetch, init } from 'dacapo/slim'; Object.assign(globalThis, { createFetch, init });");
    writeFileSync(join(user, 'guard.js'), "import { isRetryError } from 'dacapo'; console.log(isRetryError(new Error('x')));");
    writeFileSync(join(user, 'unused.js'), "import 'dacapo'; import { createFetch } from 'dacapo'; console.log('nothing');");
  });
  const bundle = async (name, file) => {
    const output = join(user, 'out', name, file.replace('.js', '.mjs'));
    await bundlers[name](join(user, file), output);
    return output;
  };

  const fetchAgain = 'const fetchAgain = createFetch({ initialDelayMs: 1 });';
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
    test(`by ${name}, the loader survives tree shaking and the engine runs`, async () => {
      const output = await bundle(name, 'whole.js');
      assert.ok(carriesEngine(output));
      const result = await runProgram(user, 'run.js', `await import(${JSON.stringify(output)});${fetchAgain}${PROGRAM}`);
      assert.deepEqual(result, { printed: '200 served', seen: ['POST', 'POST'] });
    });

    test(`by ${name}, dacapo/slim leaves the engine out and runs with the one it is given`, async () => {
      const output = await bundle(name, 'slim.js');
      assert.ok(!carriesEngine(output));
      const engine = "await init(await (await import('node:fs/promises')).readFile('node_modules/dacapo/pkg/dacapo_bg.wasm'));";
      const result = await runProgram(user, 'run.js', `await import(${JSON.stringify(output)});${engine}${fetchAgain}${PROGRAM}`);
      assert.deepEqual(result, { printed: '200 served', seen: ['POST', 'POST'] });
    });

    test(`by ${name}, a program that needs no engine carries none`, async () => {
      for (const file of ['guard.js', 'unused.js']) {
        assert.ok(!carriesEngine(await bundle(name, file)), file);
      }
    });
  }

  test('under the workerd condition the module is imported and not carried as text', async () => {
    const { outputFiles } = await esbuild({
      entryPoints: [join(user, 'whole.js')],
      bundle: true,
      format: 'esm',
      conditions: ['workerd', 'worker', 'browser'],
      external: ['*.wasm'],
      write: false,
    });
    const { text } = outputFiles[0];
    assert.match(text, /^import \w+ from ".*dacapo_bg\.wasm";/m);
    assert.doesNotMatch(text, /dacapo_inline/);
  });
});
