// The package as it is installed, in pages and workers of three browser engines, without a bundler.

import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';

import { play, seen } from '../js/lib/play.js';
import { startServer } from '../js/lib/scripted-server.js';
import { root } from '../packaging/lib/package.js';
import * as chromium from './browser/chromium.js';
import * as firefox from './browser/firefox.js';
import { startSite } from './browser/site.js';
import * as webkit from './browser/webkit.js';
import { record } from './lib/record.js';
import { userProject } from './lib/tarball.js';

/** The examples of the documentation, by the names that they have as files. */
const examples = Object.fromEntries(
  [...readFileSync(join(root, 'docs/browsers.md'), 'utf8').matchAll(/^<!-- example: (\S+) -->\n```\w+\n([^]*?)^```$/gm)].map(([, name, source]) => [name, source]),
);
const MAP = JSON.stringify({ imports: { dacapo: '/node_modules/dacapo/js/load/inline.js', 'dacapo/slim': '/node_modules/dacapo/js/load/slim.js' } });
/** An import map is an inline script, which a policy lets through by its hash. */
const MAP_HASH = `'sha256-${createHash('sha256').update(MAP).digest('base64')}'`;
const PAGE = `<!doctype html><script type="importmap">${MAP}</script><script type="module" src="/tests/matrix/browser/page.js"></script>`;
const NO_WASM = `script-src 'self' ${MAP_HASH}`;
const WASM = `${NO_WASM} 'wasm-unsafe-eval'`;

/** The examples that print, each of a page. The last one's service worker stays. */
const EXAMPLES = { 'an import map': 'page.html', 'dacapo/slim': 'slim.html', 'a web worker': 'worker-page.js', 'a service worker': 'service-worker-page.js' };
const LOGGED = '<script src="/tests/matrix/browser/console.js"></script>';

let api;
let site;
before(async () => {
  [api, site] = await Promise.all([startServer(), userProject().then(startSite)]);
  for (const name of ['page', 'workers', 'older', 'policy', 'refused', 'hidden']) site.serve(`/${name}`, PAGE);
});
after(() => Promise.all([api.close(), site.close()]));

for (const [engine, { start }] of Object.entries({ Chromium: chromium, Firefox: firefox, WebKitGTK: webkit })) {
  describe(`in ${engine}`, { timeout: 180_000 }, () => {
    let browser;
    const visit = (page, parameters) => site.visit(browser, page, parameters);
    before(async () => {
      browser = await start();
    });
    after(() => browser?.close());

    for (const page of ['page', 'workers']) {
      test(`the contract holds under the policy of an Electron app, which has no unsafe-eval: ${page}`, async (t) => {
        const csp = `default-src 'self'; ${WASM}; connect-src 'self' ${api.origin}`;
        const told = await visit(`/${page}`, { csp, script: csp, origin: api.origin });
        for (const [place, outcomes] of Object.entries(told)) await t.test(place, () => record(`${browser.name}, ${place}`, outcomes));
      });
    }

    test('the package needs nothing that is younger than the documentation says', async () => {
      const failed = await visit('/older', { origin: api.origin });
      assert.ok(Object.keys(failed).length > 10);
      for (const [title, why] of Object.entries(failed)) assert.equal(why, null, title);
    });

    test("a page whose policy refuses WebAssembly is told to allow 'wasm-unsafe-eval', by whatever needs the engine, and no sooner", async () => {
      const { thrown, engineless } = await visit('/refused', { csp: NO_WASM });
      assert.equal(Object.keys(thrown).length, 5);
      for (const [name, { kind, message }] of Object.entries(thrown)) {
        assert.match(message, /has to allow 'wasm-unsafe-eval' in script-src/, name);
        // What init rejects with is no RetryError where it is init that is refused.
        if (name !== 'dacapo/slim') assert.equal(kind, 'invalid_config', name);
      }
      assert.deepEqual(engineless, [false, true, false]);
    });

    test('a worker is under the policy of its own script, not of its page', async () => {
      const told = Object.values(await visit('/workers', { script: NO_WASM, origin: api.origin }));
      assert.equal(told.length, 2);
      for (const [column, failed] of told.flatMap(Object.entries)) assert.notEqual(failed, null, column);
    });

    test('a page that requires trusted types needs no more', async () => {
      const url = play(api.origin, [{ status: 503 }, { body: 'answered' }]);
      const told = await visit('/policy', { csp: `${WASM}; require-trusted-types-for 'script'`, url });
      assert.deepEqual(told, { text: 'answered', eval: 'EvalError', html: 'TypeError' });
    });

    test('a Retry-After hidden by CORS is unknown, not zero', async () => {
      const url = play(api.origin, [{ status: 429, headers: { 'retry-after': '0' }, hidden: ['retry-after'] }, { json: {} }]);
      const { attempts } = await visit('/hidden', { url, mode: 'cors' });
      assert.equal('retryAfterMs' in attempts[0], false);
      assert.equal(attempts[0].delayFrom, 'backoff');
    });

    test('an opaque answer is delivered at once, since nothing is known of it', async () => {
      const url = play(api.origin, [{ status: 503, cors: false }]);
      assert.deepEqual(await visit('/hidden', { url, mode: 'no-cors' }), { type: 'opaque' });
      assert.equal((await seen(url)).length, 1);
    });

    for (const [name, page] of Object.entries(EXAMPLES)) {
      test(`the documentation’s example of ${name} prints what it says, after one retry`, async () => {
        const [, printed] = /\/\/ → (.*)$/m.exec(examples[page]);
        const url = play(api.origin, [{ status: 503 }, { body: 'answered' }]);
        for (const [file, source] of Object.entries(examples)) {
          const text = source.replace('https://api.example.com/v1/answers', url).replace('https://api.example.com', api.origin);
          site.serve(`/${file}`, file.endsWith('.html') ? `<!doctype html>${LOGGED}${text}` : text);
          site.serve(`/${file}.html`, `<!doctype html>${LOGGED}<script type="module" src="/${file}"></script>`);
        }
        assert.equal(await visit(page.endsWith('.html') ? `/${page}` : `/${page}.html`), printed);
        const [first, second, ...more] = (await seen(url)).map(({ method, body }) => `${method} ${body}`);
        assert.deepEqual([second, more], [first, []]);
      });
    }
  });
}
