// A Next.js project of the app router with the installed package, built once for all of its runtimes.

import assert from 'node:assert/strict';
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { startChromium } from '../js/browser/chromium.js';
import { startServer } from '../js/lib/scripted-server.js';
import { build, nextProject, start, version } from './bundlers/next.js';
import { record } from './lib/record.js';

/** What Next.js says of every project that asks for the edge runtime, and of one that was not built before. */
const USUAL = /No build cache found|The Edge Runtime is deprecated|Using edge runtime on a page currently disables static generation/;

describe(`Next.js ${version}`, { timeout: 180_000 }, () => {
  let project;
  let printed;
  let api;
  let browser;
  let app;
  before(async () => {
    project = await nextProject();
    printed = await build(project);
    [api, browser, app] = await Promise.all([startServer(), startChromium(), start(project)]);
  });
  after(async () => {
    await app?.stop();
    await browser?.close();
    await api?.close();
  });

  const ask = async (path) => {
    const response = await fetch(`${app.origin}${path}?origin=${api.origin}`, { signal: AbortSignal.timeout(40_000) });
    assert.equal(response.status, 200, await response.clone().text());
    return response.json();
  };

  test('builds it without a warning that the package is the cause of', () => {
    const warnings = printed.split('\n').filter((line) => /[⚠⨯]|warn|error/i.test(line));
    assert.ok(warnings.some((line) => USUAL.test(line)));
    assert.deepEqual(warnings.filter((line) => !USUAL.test(line)), []);
  });

  test('writes the engine as a module for the edge runtime', () => {
    const chunks = readdirSync(join(project, 'next/.next/server/edge'), { recursive: true, encoding: 'utf8' });
    assert.equal(chunks.filter((name) => /dacapo_bg\w*\.wasm$/.test(name)).length, 1);
  });

  describe('runs the contract', { concurrency: 2 }, () => {
    test('in a route of the runtime nodejs', async () => record(`Next.js ${version}, nodejs`, await ask('/node')));

    test('in a route of the runtime edge, where nothing can be compiled', async () => record(`Next.js ${version}, edge`, await ask('/edge')));

    test('in proxy.js', async () => record(`Next.js ${version}, proxy`, await ask('/proxy')));

    test('in the page of a client component', async () => {
      const page = await (await browser.newContext()).newPage();
      const complaints = [];
      page.on('pageerror', (error) => complaints.push(String(error)));
      await page.goto(app.origin);
      await page.waitForFunction(() => 'runHere' in globalThis, undefined, { timeout: 20_000 });
      record(`Next.js ${version}, client component`, await page.evaluate((origin) => globalThis.runHere(origin), api.origin));
      assert.deepEqual(complaints, []);
    });
  });

  test('gives dacapo/slim a copy of the engine as a module in the runtime edge', async () => assert.equal(await ask('/edge-slim'), null));

  test('has no complaints while it runs', () => assert.deepEqual(app.complaints(), []));
});
