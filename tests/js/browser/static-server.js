// Serves the package's files to a page as they are, without a bundler.

import { serveFiles } from '../lib/file-server.js';

const ROOT = new URL('../../../', import.meta.url);
const SERVED = /^\/(js|pkg|tests\/js)\/[\w/.-]+$/;

/** On a free loopback port. `?csp=` gives the page that Content-Security-Policy. */
export function startStaticServer() {
  return serveFiles((pathname) => (SERVED.test(pathname) ? new URL(`.${pathname}`, ROOT) : undefined), (parameters) => parameters.get('csp'));
}
