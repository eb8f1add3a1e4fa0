// Every bundler, in every form of output that it has: what it is asked to do, and what it said while it did.

import { writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';

import nodeResolve from '@rollup/plugin-node-resolve';
import * as esbuild from 'esbuild';
import * as rollup from 'rollup';
import * as vite from 'vite';
import webpack from 'webpack';

import { run } from '../../packaging/lib/package.js';

const require = createRequire(import.meta.url);

/**
 * @typedef {object} Build
 * @property {string} place The bundler and its version.
 * @property {string} [form] How the output differs from the one that runs all columns.
 * @property {'page' | 'page and worker' | 'Node.js'} runs A page is `index.html`, a program for Node.js `node.cjs`.
 * @property {boolean} [isMapped] Whether source maps are asked for.
 * @property {boolean} [isInline] Whether the page needs a CSP that allows inline scripts.
 * @property {(app: string, out: string) => Promise<string[]>} bundle From the app's folder to an empty one; its complaints.
 */

const places = {
  vite: `Vite ${vite.version}`,
  webpack: `webpack ${webpack.version}`,
  esbuild: `esbuild ${esbuild.version}`,
  rollup: `Rollup ${rollup.VERSION}`,
  parcel: `Parcel ${require('parcel/package.json').version}`,
};

/** @type {Build[]} */
export const builds = [
  { place: places.vite, runs: 'page and worker', isMapped: true, bundle: byVite({ sourcemap: true }) },
  { place: places.vite, form: 'not minified', runs: 'page and worker', bundle: byVite({ minify: false }) },
  { place: places.webpack, runs: 'page and worker', isMapped: true, bundle: byWebpack({ devtool: 'source-map' }) },
  // The default devtool in development is `eval`, which the page's CSP forbids.
  { place: places.webpack, form: 'development', runs: 'page and worker', bundle: byWebpack({ mode: 'development', devtool: 'cheap-source-map' }) },
  // Its minimizer is slow, and has had the same code for the page.
  { place: `${places.webpack}, for Node.js`, runs: 'Node.js', bundle: byWebpack({ target: 'node', optimization: { minimize: false } }) },
  { place: places.esbuild, runs: 'page and worker', bundle: byEsbuild('esm', {}) },
  { place: places.esbuild, form: 'minified IIFE', runs: 'page', isMapped: true, bundle: byEsbuild('iife', { minify: true, sourcemap: true }) },
  { place: places.esbuild, form: 'CommonJS for Node.js', runs: 'Node.js', bundle: byEsbuild('cjs', { platform: 'node' }) },
  { place: places.rollup, runs: 'page and worker', isMapped: true, bundle: byRollup({ format: 'es', sourcemap: true }) },
  { place: places.rollup, form: 'IIFE', runs: 'page', bundle: byRollup({ format: 'iife' }) },
  { place: places.rollup, form: 'CommonJS for Node.js', runs: 'Node.js', bundle: byRollup({ format: 'cjs', entryFileNames: '[name].cjs' }) },
  // For workers Parcel writes an import map into the page.
  { place: places.parcel, runs: 'page and worker', isMapped: true, isInline: true, bundle: byParcel() },
  { place: places.parcel, form: 'not optimized', runs: 'page and worker', isInline: true, bundle: byParcel('--no-optimize', '--no-scope-hoist') },
];

/** Logs nothing and keeps what Vite has to say, but for how long its plugins take, which on a busy machine is long. */
export function viteLogger() {
  /** @type {string[]} */
  const warnings = [];
  const keep = (/** @type {string} */ text) => {
    if (!text.includes('[PLUGIN_TIMINGS]')) warnings.push(text);
  };
  return { warnings, customLogger: { ...vite.createLogger('silent'), warn: keep, warnOnce: keep, error: keep } };
}

/** @returns {Build['bundle']} */
function byVite(build) {
  return async (app, out) => {
    const { warnings, customLogger } = viteLogger();
    await vite.build({ root: app, configFile: false, logLevel: 'warn', customLogger, build: { outDir: out, emptyOutDir: false, ...build } });
    return warnings;
  };
}

/** @returns {Build['bundle']} */
function byWebpack(options) {
  return async (app, out) => {
    const node = options.target === 'node';
    const stats = await new Promise((resolve, reject) => {
      webpack(
        {
          mode: 'production',
          context: app,
          entry: node ? './node.js' : './page-with-worker.js',
          output: { path: out, ...(node && { filename: 'node.cjs' }) },
          // The engine is larger than it recommends: see docs/size.md.
          performance: { hints: false },
          ...options,
        },
        (error, result) => (error ? reject(error) : resolve(result)),
      );
    });
    if (!node) writePage(out, '<script defer src="main.js"></script>');
    return [...stats.compilation.errors, ...stats.compilation.warnings].map(({ message }) => message);
  };
}

/** @returns {Build['bundle']} */
function byEsbuild(format, options) {
  return async (app, out) => {
    const { errors, warnings } = await esbuild.build({
      entryPoints: entriesOf(format, app),
      outdir: out,
      bundle: true,
      format,
      logLevel: 'silent',
      ...(format === 'cjs' && { outExtension: { '.js': '.cjs' } }),
      ...options,
    });
    writePage(out, format === 'esm' ? '<script type="module" src="page-with-worker.js"></script>' : '<script defer src="page.js"></script>');
    return [...errors, ...warnings].map(({ text }) => text);
  };
}

/** These bundlers leave the URL of a worker as it is, so it is an entry of its own, written beside the page's script. */
function entriesOf(format, app) {
  const names = { cjs: ['node.js'], iife: ['page.js'] }[format] ?? ['page-with-worker.js', 'worker.js'];
  return names.map((name) => join(app, name));
}

/** @returns {Build['bundle']} */
function byRollup(output) {
  return async (app, out) => {
    const warnings = [];
    const bundle = await rollup.rollup({
      input: entriesOf(output.format, app),
      plugins: [nodeResolve({ browser: output.format !== 'cjs' })],
      onwarn: ({ message }) => void warnings.push(message),
    });
    await bundle.write({ dir: out, ...output });
    await bundle.close();
    writePage(out, output.format === 'es' ? '<script type="module" src="page-with-worker.js"></script>' : '<script defer src="page.js"></script>');
    return warnings;
  };
}

/** @returns {Build['bundle']} */
function byParcel(...flags) {
  return async (app, out) => {
    const cache = join(dirname(out), `${basename(out)}-cache`);
    const said = await run(process.execPath, [require.resolve('parcel/lib/bin.js'), 'build', 'index.html', '--dist-dir', out, '--cache-dir', cache, '--log-level', 'warn', ...flags], app);
    return said.split('\n').filter(Boolean);
  };
}

/** The page of a bundler that does not write one. */
function writePage(out, script) {
  writeFileSync(join(out, 'index.html'), `<!doctype html><meta charset="utf-8"><title>dacapo, bundled</title>${script}`);
}
