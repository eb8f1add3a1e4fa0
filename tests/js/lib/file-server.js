// Serves files to a page as they are.

import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { extname } from 'node:path';
import { fileURLToPath } from 'node:url';

const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.wasm': 'application/wasm' };

/**
 * On a free loopback port.
 *
 * @param {(pathname: string) => string | URL | undefined} fileOf Nothing for what is not served.
 * @param {(parameters: URLSearchParams) => string | null} cspOf The page's Content-Security-Policy.
 */
export async function serveFiles(fileOf, cspOf) {
  const server = createServer(async (request, answer) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    try {
      const file = fileOf(pathname);
      if (file === undefined) throw new Error('not served');
      const path = typeof file === 'string' ? file : fileURLToPath(file);
      const bytes = await readFile(path);
      const csp = cspOf(searchParams);
      if (csp !== null) answer.setHeader('content-security-policy', csp);
      answer.writeHead(200, { 'content-type': TYPES[extname(path)] ?? 'application/octet-stream' }).end(bytes);
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
