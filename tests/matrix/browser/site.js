// The site that the browsers visit: the packed package as it is, the suite's own files, and pages that tell what came of them.

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';

import { root } from '../../packaging/lib/package.js';

const TYPES = { '.js': 'text/javascript', '.wasm': 'application/wasm' };
/** A page that has not told by then never will. */
const TELLING_MS = 30_000;

/**
 * @param {string} project Where the package is installed.
 */
export async function startSite(project) {
  /** @type {Record<string, string>} Path to text, for what is no file. */
  const texts = {};
  /** @type {Map<string, (told: any) => void>} */
  const awaited = new Map();

  const server = createServer(async (request, answer) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    try {
      if (pathname === '/told') {
        let body = '';
        for await (const chunk of request.setEncoding('utf8')) body += chunk;
        awaited.get(searchParams.get('visit') ?? '')?.(JSON.parse(body));
        return void answer.end();
      }
      const csp = searchParams.get('csp');
      if (csp !== null) answer.setHeader('content-security-policy', csp);
      // Lets a service worker care for pages that are not beside it.
      answer.setHeader('service-worker-allowed', '/');
      const content = texts[pathname] ?? (await readFile(fileOf(pathname)));
      // A page has a hundred modules, which need to come once; a text may be another one the next time.
      answer.setHeader('cache-control', pathname in texts ? 'no-store' : 'max-age=600');
      answer.setHeader('content-type', TYPES[extname(pathname)] ?? 'text/html; charset=utf-8').end(content);
    } catch (error) {
      answer.writeHead(404).end(String(error));
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const origin = `http://127.0.0.1:${server.address().port}`;

  /** @param {string} pathname */
  function fileOf(pathname) {
    if (/^\/node_modules\/dacapo\/[\w/.-]+$/.test(pathname)) return join(project, pathname);
    if (/^\/tests\/(js\/lib|matrix\/(lib|browser))\/[\w/.-]+$/.test(pathname)) return join(root, pathname);
    throw new Error(`${pathname} is not served`);
  }

  return {
    /**
     * @param {string} path
     * @param {string} text
     */
    serve(path, text) {
      texts[path] = text;
    },
    /**
     * Has a browser open a page, and gives what the page tells.
     *
     * @param {{ goto(url: string): Promise<unknown> }} browser
     * @param {string} path
     * @param {Record<string, string>} parameters For the page; `csp` becomes its Content-Security-Policy.
     * @returns {Promise<any>}
     */
    async visit(browser, path, parameters = {}) {
      const visit = crypto.randomUUID();
      let timer;
      const telling = new Promise((resolve, reject) => {
        awaited.set(visit, resolve);
        timer = setTimeout(() => reject(new Error(`${path} told nothing`)), TELLING_MS);
      });
      try {
        await Promise.race([telling, browser.goto(`${origin}${path}?${new URLSearchParams({ ...parameters, visit })}`)]);
        const told = await telling;
        if (told.failed !== undefined) throw new Error(told.failed);
        return told;
      } finally {
        clearTimeout(timer);
        awaited.delete(visit);
      }
    },
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
