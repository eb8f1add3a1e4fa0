// Serves what a bundler wrote, as it is.

import { join } from 'node:path';

import { serveFiles } from '../../js/lib/file-server.js';

/**
 * On a free loopback port, under a CSP that forbids `eval`, and what is inline unless it is allowed.
 *
 * @param {string} folder
 * @param {{ isInline?: boolean }} options
 */
export function serve(folder, { isInline = false }) {
  const csp = `script-src 'self' 'wasm-unsafe-eval'${isInline ? " 'unsafe-inline'" : ''}`;
  return serveFiles((pathname) => join(folder, pathname.endsWith('/') ? `${pathname}index.html` : pathname), () => csp);
}
