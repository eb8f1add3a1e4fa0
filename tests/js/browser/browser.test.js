// The package in a real page of a real Chromium, unbundled, with the API on another origin.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { play, seen, seenUntil } from '../lib/play.js';
import { startServer } from '../lib/scripted-server.js';
import { titles } from '../lib/suites.js';
import { startChromium } from './chromium.js';
import { startStaticServer } from './static-server.js';

const NO_WASM = "script-src 'self'";
const STRICT = `${NO_WASM} 'wasm-unsafe-eval'`;

describe('in Chromium', { timeout: 120_000 }, () => {
  let api;
  let site;
  let browser;
  let page;

  async function open(csp, name = 'page.html') {
    const opened = await (await browser.newContext()).newPage();
    opened.setDefaultTimeout(10_000);
    await opened.goto(`${site.origin}/tests/js/browser/${name}?csp=${encodeURIComponent(csp)}`);
    await opened.waitForSelector('[data-ready]', { state: 'attached' });
    return opened;
  }

  async function outcome() {
    for (;;) {
      const found = await page.evaluate(() => globalThis.outcome);
      if (found) return found;
    }
  }

  before(async () => {
    [api, site] = await Promise.all([startServer(), startStaticServer()]);
    browser = await startChromium();
    page = await open(STRICT);
  });
  after(async () => {
    await browser?.close();
    await Promise.all([api.close(), site.close()]);
  });

  for (const title of titles) {
    test(title, { timeout: 20_000 }, async () => {
      const failed = await page.evaluate((args) => globalThis.runTest(args), { title, origin: api.origin });
      if (failed !== null) assert.fail(failed);
    });
  }

  const phases = {
    'during a wait': { steps: [{ status: 503 }], options: { initialDelayMs: 2000, jitter: 'none' }, state: 'waiting', left: false },
    'in flight': { steps: [{ fault: 'no-headers' }], options: {}, state: 'asking', left: true },
    'in flight under a timeout': { steps: [{ fault: 'no-headers' }], options: { timeoutMs: 30_000 }, state: 'asking', left: true },
    'while a failed answer is read': { steps: [{ status: 500, body: 'so ', fault: 'stall' }], options: {}, state: 'answered', left: true },
    'while a JSON answer is inspected': { steps: [{ chunks: ['{'], headers: { 'content-type': 'application/json' }, fault: 'stall' }], options: {}, state: 'answered', left: true },
    'while the page reads the answer': { steps: [{ body: 'once upon ', fault: 'stall' }], options: {}, state: 'reading', left: true },
    'while the page reads the answer, under a timeout': { steps: [{ body: 'once upon ', fault: 'stall' }], options: { timeoutMs: 30_000 }, state: 'reading', left: true },
  };
  for (const [when, { steps, options, state, left }] of Object.entries(phases)) {
    test(`a click on the cancel button ${when} ends the call at once, and nothing more is sent`, async () => {
      const url = play(api.origin, steps);
      await page.evaluate((question) => void Object.assign(globalThis, { question }), { url, options });
      await page.click('#ask');
      await page.locator('#state', { hasText: state }).waitFor();
      await seenUntil(url, (requests) => requests.length === 1);
      await page.click('#cancel');
      await page.locator('#state', { hasText: 'cancelled' }).waitFor({ timeout: 1000 });
      const { trusted, settledBeforeNextTask } = await outcome();
      assert.equal(trusted, true);
      // How soon a body that was handed over breaks off is up to the browser.
      if (state !== 'reading') assert.equal(settledBeforeNextTask, true);
      if (left) await seenUntil(url, ([first]) => first?.left);
      else await new Promise((resolve) => setTimeout(resolve, 2200));
      assert.equal((await seen(url)).length, 1);
    });
  }

  test('a Retry-After hidden by CORS is unknown, not zero', async () => {
    const url = play(api.origin, [{ status: 429, headers: { 'retry-after': '0' }, hidden: ['retry-after'] }, { json: {} }]);
    const record = await page.evaluate(async (to) => {
      const { createFetch, historyOf } = globalThis.dacapo;
      return historyOf(await createFetch({ initialDelayMs: 30, jitter: 'none', zeroHint: 'now' })(to)).attempts[0];
    }, url);
    assert.equal('retryAfterMs' in record, false);
    assert.equal(record.delayFrom, 'backoff');
  });

  test('an answer that CORS withholds is retried as transport and ends with the browser’s own TypeError', async () => {
    const url = play(api.origin, [{ cors: false }]);
    const found = await page.evaluate(async (to) => {
      const { createFetch, historyOf } = globalThis.dacapo;
      try {
        return await createFetch({ initialDelayMs: 10 })(to);
      } catch (error) {
        return [error instanceof TypeError, historyOf(error).last.error.kind];
      }
    }, url);
    assert.deepEqual(found, [true, 'transport']);
    assert.equal((await seen(url)).length, 3);
  });

  test("a frame's signal is followed while its answer is read, and has no listener left", async () => {
    const url = play(api.origin, [{ status: 503 }, { body: 'once upon ', fault: 'stall' }]);
    const found = await page.evaluate(async (to) => {
      const { createFetch } = globalThis.dacapo;
      const frame = document.body.appendChild(document.createElement('iframe'));
      const controller = new frame.contentWindow.AbortController();
      const { signal } = controller;
      let listeners = 0;
      signal.addEventListener = (...given) => {
        listeners += 1;
        EventTarget.prototype.addEventListener.apply(signal, given);
      };
      signal.removeEventListener = (...given) => {
        listeners -= 1;
        EventTarget.prototype.removeEventListener.apply(signal, given);
      };
      const response = await createFetch({ initialDelayMs: 10, timeoutMs: 30_000 })(to, { signal });
      const reading = response.text().catch((error) => error);
      controller.abort('left');
      await reading;
      frame.remove();
      return { isForeign: !(signal instanceof AbortSignal), status: response.status, listeners };
    }, url);
    assert.deepEqual(found, { isForeign: true, status: 200, listeners: 0 });
  });

  test('a call begun offline gets through once the browser is online again', async () => {
    const url = play(api.origin, [{ json: { back: true } }]);
    await page.context().setOffline(true);
    const answer = page.evaluate(async (to) => {
      const { createFetch } = globalThis.dacapo;
      const response = await createFetch({ maxAttempts: 20, initialDelayMs: 100, factor: 1, onRetry: () => (document.title = 'offline') })(to);
      return response.json();
    }, url);
    while ((await page.title()) !== 'offline') await new Promise((resolve) => setTimeout(resolve, 20));
    await page.context().setOffline(false);
    assert.deepEqual(await answer, { back: true });
  });

  test("a page whose CSP refuses WebAssembly is told to allow 'wasm-unsafe-eval', by whatever it calls", async () => {
    const refused = await open(NO_WASM);
    const messages = await refused.evaluate(async () => {
      const { createFetch, RetryPolicy, retry, explain } = globalThis.dacapo;
      const calls = { createFetch: () => createFetch(), RetryPolicy: () => new RetryPolicy(), retry: () => retry(async () => 1), explain: () => explain() };
      const heard = [];
      for (const [name, call] of Object.entries(calls)) {
        try {
          await call();
          heard.push([name, 'nothing']);
        } catch (error) {
          heard.push([name, error.message]);
        }
      }
      return heard;
    });
    assert.equal(messages.length, 4);
    for (const [name, message] of messages) assert.match(message, /'wasm-unsafe-eval'/, name);
    await refused.context().close();
  });

  test('importing the package does nothing: under a CSP that refuses WebAssembly what needs no engine works', async () => {
    const refused = await open(NO_WASM);
    const found = await refused.evaluate(() => {
      const { findRetryError, historyOf, isRetryError, matchesKind } = globalThis.dacapo;
      return [isRetryError(new Error()), historyOf(new Response()) === undefined, matchesKind(new Error(), 'timeout'), findRetryError(null) === undefined];
    });
    assert.deepEqual(found, [false, true, false, true]);
    await refused.context().close();
  });

  test('dacapo/slim asks for init, and runs the engine that it is told to fetch', async () => {
    const slim = await open(STRICT, 'blank.html');
    const found = await slim.evaluate(async (to) => {
      const { createFetch, historyOf, init } = await import('/js/load/slim.js');
      let early;
      try {
        createFetch();
      } catch (error) {
        early = [error.kind, error.message];
      }
      await init(new URL('/pkg/dacapo_bg.wasm', location.href));
      const response = await createFetch({ initialDelayMs: 10 })(to);
      return { early, answer: await response.json(), attempts: historyOf(response).retry.totalAttempts };
    }, play(api.origin, [{ status: 503 }, { json: { slim: true } }]));
    assert.deepEqual([found.answer, found.attempts], [{ slim: true }, 2]);
    assert.equal(found.early?.[0], 'invalid_config');
    assert.match(found.early[1], /\binit\b/);
    await slim.context().close();
  });

  test("dacapo/slim under a CSP that refuses WebAssembly names 'wasm-unsafe-eval' as well", async () => {
    const slim = await open(NO_WASM, 'blank.html');
    const message = await slim.evaluate(async () => {
      const { createFetch, init } = await import('/js/load/slim.js');
      return init(new URL('/pkg/dacapo_bg.wasm', location.href)).then(createFetch).then(() => 'nothing', (error) => error.message);
    });
    assert.match(message, /'wasm-unsafe-eval'/);
    await slim.context().close();
  });
});
