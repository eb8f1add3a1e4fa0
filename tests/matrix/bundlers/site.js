// Serves what a bundler wrote, as it is.

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname, join } from 'node:path';

const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.wasm': 'application/wasm' };

/**
 * On a free loopback port, under a CSP that forbids `eval`, and what is inline unless it is allowed.
 *
 * @param {string} folder
 * @param {{ isInline?: boolean }} options
 */
export async function serve(folder, { isInline = false }) {
  const csp = `script-src 'self' 'wasm-unsafe-eval'${isInline ? " 'unsafe-inline'" : ''}`;
  const server = createServer(async (request, answer) => {
    const { pathname } = new URL(request.url ?? '/', 'http://localhost');
    const name = pathname.endsWith('/') ? `${pathname}index.html` : pathname;
    try {
      const bytes = await readFile(join(folder, name));
      const type = TYPES[extname(name)] ?? 'application/octet-stream';
      answer.writeHead(200, { 'content-type': type, 'content-security-policy': csp }).end(bytes);
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
