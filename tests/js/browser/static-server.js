// Serves the package's files to a page as they are, without a bundler.

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname } from 'node:path';

const ROOT = new URL('../../../', import.meta.url);
const SERVED = /^\/(js|pkg|tests\/js)\/[\w/.-]+$/;
const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.wasm': 'application/wasm' };

/** On a free loopback port. `?csp=` gives the page that Content-Security-Policy. */
export async function startStaticServer() {
  const server = createServer(async (request, answer) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    try {
      if (!SERVED.test(pathname)) throw new Error('not served');
      const bytes = await readFile(new URL(`.${pathname}`, ROOT));
      const csp = searchParams.get('csp');
      if (csp !== null) answer.setHeader('content-security-policy', csp);
      answer.writeHead(200, { 'content-type': TYPES[extname(pathname)] ?? 'text/plain' }).end(bytes);
    } catch {
      answer.writeHead(404).end();
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    origin: `http://127.0.0.1:${server.address().port}`,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}
