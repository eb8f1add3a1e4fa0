// The packed package in Workers: in workerd, bundled as a deployment tool bundles them, and in miniflare.

import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { build } from 'esbuild';
import { Log, LogLevel, Miniflare } from 'miniflare';
import workerd from 'workerd';

import { play } from '../js/lib/play.js';
import { startServer } from '../js/lib/scripted-server.js';
import { startWorker } from '../js/workerd/workerd.js';
import { root } from '../packaging/lib/package.js';
import { record } from './lib/record.js';
import { userProject } from './lib/tarball.js';

const versionOf = {
  workerd: execFileSync(workerd.default, ['--version'], { encoding: 'utf8' }).replace('workerd', '').trim(),
  miniflare: JSON.parse(readFileSync(join(root, 'node_modules/miniflare/package.json'), 'utf8')).version,
};

/** A started Worker: how to ask it, what was said against it, how to stop it. */
const starts = {
  async workerd(entry) {
    const worker = await startWorker(pathToFileURL(entry));
    return {
      ask: (path, init) => fetch(worker.origin + path, init),
      complaints: () => [...worker.warnings, worker.output()].filter(Boolean),
      stop: () => worker.stop(),
    };
  },

  async miniflare(entry) {
    const folder = `${entry}.miniflare`;
    const { warnings } = await build({
      entryPoints: [entry],
      outfile: join(folder, 'index.js'),
      bundle: true,
      format: 'esm',
      conditions: ['workerd'],
      loader: { '.wasm': 'copy' },
      logLevel: 'silent',
    });
    const complaints = warnings.map(({ text }) => text);
    const log = new (class extends Log {
      logWithLevel(level, text) {
        if (level <= LogLevel.WARN) complaints.push(text);
      }
    })(LogLevel.WARN);
    // The first module is the Worker.
    const names = ['index.js', ...readdirSync(folder).filter((name) => name.endsWith('.wasm'))];
    const modules = names.map((name) => ({ type: name.endsWith('.wasm') ? 'CompiledWasm' : 'ESModule', path: join(folder, name) }));
    const miniflare = new Miniflare({ port: 0, cf: false, log, modules, modulesRoot: folder, compatibilityDate: '2026-04-01' });
    await miniflare.ready;
    return {
      ask: (path, init) => miniflare.dispatchFetch(`http://worker.test${path}`, init),
      complaints: () => complaints,
      stop: () => miniflare.dispose(),
    };
  },
};

/** Where each entry of the package runs. */
const workers = [
  { place: `workerd ${versionOf.workerd}`, start: starts.workerd, file: 'whole-worker.js' },
  { place: `workerd ${versionOf.workerd}, dacapo/slim`, start: starts.workerd, file: 'slim-worker.js' },
  { place: `miniflare ${versionOf.miniflare}`, start: starts.miniflare, file: 'whole-worker.js' },
];

describe('the packed package', { concurrency: true, timeout: 120_000 }, () => {
  let api;
  let user;
  before(async () => {
    [api, user] = await Promise.all([startServer(), userProject(join(import.meta.dirname, 'programs'))]);
  });
  after(() => api.close());

  for (const { place, start, file } of workers) {
    describe(`in ${place}`, () => {
      let worker;
      before(async () => {
        worker = await start(join(user, file));
      });
      after(() => worker?.stop());

      const ask = async (path, query, signal) => {
        const response = await worker.ask(`${path}?${new URLSearchParams(query)}`, { signal });
        assert.equal(response.status, 200, await response.clone().text());
        return response.json();
      };

      test('every export works at global scope, where random numbers, timers and requests are refused', async ({ signal }) => {
        assert.deepEqual(await ask('/globals', {}, signal), { refused: ['random', 'timer', 'fetch'], failed: [], unused: [] });
      });

      test('a fetch that was made there, with breaker, budget and hedging, retries in a request', async ({ signal }) => {
        const to = play(api.origin, [{ status: 503 }, { json: {} }]);
        assert.deepEqual(await ask('/upstream', { to }, signal), { status: 200, attempts: 2 });
      });

      test('the columns run', { timeout: 60_000 }, async ({ signal }) => {
        record(place, await ask('/columns', { origin: api.origin }, signal));
      });

      test('bundler and runtime had nothing to complain about', () => {
        assert.deepEqual(worker.complaints(), []);
      });
    });
  }
});
