// The packed package in the runtimes: Node.js as old as it may be and as new as there is, Deno, Bun.

import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { startServer } from '../js/lib/scripted-server.js';
import { installed, outputOf } from './lib/child.js';
import { record } from './lib/record.js';
import { userProject } from './lib/tarball.js';

/** How each runs a program. */
const runtimes = {
  'Node.js 20': [installed('node20/bin/node')],
  'Node.js 22': [installed('node22/bin/node')],
  'Node.js 24': [installed('node24/bin/node')],
  'Node.js 26': [installed('node26/bin/node')],
  // The network is all that it is permitted.
  Deno: [installed('.bin/deno'), 'run', '--no-remote', '--allow-net=127.0.0.1'],
  Bun: [installed('.bin/bun'), 'run'],
};

/** Globals that are neither clock nor random number nor I/O, and cost nothing to touch. */
const HARMLESS = [
  'Array', 'Buffer', 'Error', 'FinalizationRegistry', 'Map', 'Object', 'Set', 'String', 'Symbol', 'TextDecoder', 'TextEncoder',
  'Uint8Array', 'WeakMap', 'WeakRef', 'WeakSet', 'globalThis',
];

describe('the packed package', { concurrency: 3, timeout: 120_000 }, () => {
  let api;
  let user;
  before(async () => {
    [api, user] = await Promise.all([startServer(), userProject(join(import.meta.dirname, 'programs'))]);
  });
  after(() => api.close());

  for (const [name, command] of Object.entries(runtimes)) {
    const run = (signal, ...args) => outputOf(user, [...command, ...args], signal);

    test(`runs in ${name}, imported`, { timeout: 60_000 }, async ({ signal }) => {
      const { runtime, outcomes } = JSON.parse(await run(signal, 'import.mjs', api.origin));
      assert.ok(runtime.startsWith(name), runtime);
      record(runtime, outcomes);
    });

    for (const entry of ['dacapo', 'dacapo/slim']) {
      test(`is one module in ${name}, whether ${entry} is required or imported`, { timeout: 30_000 }, async ({ signal }) => {
        const { names, twins, ...judged } = JSON.parse(await run(signal, 'require.cjs', entry));
        assert.ok(names.includes('createFetch'));
        assert.deepEqual(twins, []);
        assert.deepEqual(judged, entry === 'dacapo' ? { kind: 'rate_limited', retryAfterMs: 2000 } : {});
      });
    }
  }

  for (const entry of ['dacapo', 'dacapo/slim']) {
    test(`does nothing when ${entry} is imported`, { timeout: 30_000 }, async ({ signal }) => {
      const { touched, added } = JSON.parse(await outputOf(user, [process.execPath, 'at-import.mjs', entry], signal));
      assert.ok(touched.includes('WeakMap'), 'the trap works');
      assert.deepEqual(touched.filter((name) => !HARMLESS.includes(name)), []);
      assert.deepEqual(added, []);
    });
  }
});
