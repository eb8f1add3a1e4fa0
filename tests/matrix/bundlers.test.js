// An app that imports the installed package, built by every bundler: the contract runs in what it wrote.

import assert from 'node:assert/strict';
import { mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import * as vite from 'vite';

import { startChromium } from '../js/browser/chromium.js';
import { startServer } from '../js/lib/scripted-server.js';
import { run } from '../packaging/lib/package.js';
import { builds, viteLogger } from './bundlers/builds.js';
import { projectWith } from './bundlers/project.js';
import { serve } from './bundlers/site.js';
import { record } from './lib/record.js';

describe('an app with the package', { timeout: 180_000 }, () => {
  let project;
  let api;
  let browser;
  before(async () => {
    [project, api, browser] = await Promise.all([projectWith('app'), startServer(), startChromium()]);
  });
  after(async () => {
    await browser?.close();
    await api?.close();
  });

  /** Runs it in a page, and in a worker of it. */
  async function runIn(address, { place, form, runs }) {
    const page = await (await browser.newContext()).newPage();
    const complaints = [];
    page.on('pageerror', (error) => complaints.push(String(error)));
    try {
      await page.goto(address);
      const asked = ['runHere', 'runInWorker'].slice(0, runs === 'page' ? 1 : 2);
      const outcomes = await Promise.all(
        asked.map((name) => page.evaluate(([name, ...args]) => globalThis[name](...args), [name, api.origin, form !== undefined])),
      );
      for (const [i, found] of outcomes.entries()) tell(`${place}${i === 1 ? ', web worker' : ''}`, form, found);
    } finally {
      await page.context().close();
      assert.deepEqual(complaints, []);
    }
  }

  function tell(place, form, outcomes) {
    if (form === undefined) return record(place, outcomes);
    assert.ok(Object.keys(outcomes).length > 1);
    assert.deepEqual(Object.values(outcomes).filter((failed) => failed !== null), []);
  }

  const outputs = new Map();
  // All before any runs: a bundler at work would keep the server of the contract waiting.
  describe('is built', { concurrency: 2 }, () => {
    for (const build of builds) {
      const { place, form, isMapped, bundle } = build;
      test(`by ${named(place, form)}, without a warning`, { timeout: 60_000 }, async () => {
        const out = join(project, 'out', String(builds.indexOf(build)));
        mkdirSync(out, { recursive: true });
        const warnings = await bundle(join(project, 'app'), out);
        outputs.set(build, out);
        assert.deepEqual(warnings, []);
        if (isMapped) assert.ok(sourcesIn(out).some((source) => source.endsWith('node_modules/dacapo/js/fetch.js')));
      });
    }
  });

  describe('keeps the contract', { concurrency: 2 }, () => {
    for (const build of builds) {
      const { place, form, runs, isInline } = build;
      test(`as built by ${named(place, form)}, in ${runs}`, { timeout: 60_000 }, async () => {
        const out = outputs.get(build);
        assert.ok(out !== undefined, 'it was not built');
        if (runs === 'Node.js') {
          const args = [join(out, 'node.cjs'), api.origin, ...(form === undefined ? [] : ['brief'])];
          return tell(place, form, JSON.parse(await run(process.execPath, args, project)));
        }
        const site = await serve(out, { isInline });
        try {
          await runIn(site.origin, build);
        } finally {
          await site.close();
        }
      });
    }

    test(`served by Vite ${vite.version} while it is developed, in page and worker`, { timeout: 60_000 }, async () => {
      const { warnings, customLogger } = viteLogger();
      const server = await vite.createServer({ root: join(project, 'app'), configFile: false, logLevel: 'warn', customLogger, server: { host: '127.0.0.1', port: 0 } });
      try {
        await server.listen();
        await runIn(server.resolvedUrls.local[0], { place: `Vite ${vite.version}, dev server`, runs: 'page and worker' });
        assert.deepEqual(warnings, []);
      } finally {
        await server.close();
      }
    });
  });
});

function named(place, form) {
  return form === undefined ? place : `${place}, ${form}`;
}

/** What the source maps in a folder say they were made of. */
function sourcesIn(folder) {
  const maps = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.map'));
  return maps.flatMap((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')).sources);
}
