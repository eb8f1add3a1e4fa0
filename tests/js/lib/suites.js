/** What runs in every runtime: the contract and the whole of cancellation. No `node:` import. */

import { cancelTests } from './cancel-run.js';
import { contractTests } from './contract-cases.js';

/** @type {Map<string, (dacapo: any, origin: string) => Promise<void>>} */
const tests = new Map(/** @type {any} */ ([...contractTests(), ...cancelTests()]));

export const titles = [...tests.keys()];

/** @type {unknown[]} What was rejected in this runtime with nobody to handle it. */
const unhandled = [];

/** Has rejections that nobody handles fail the test in which they happen. */
export function watchRejections() {
  globalThis.addEventListener('unhandledrejection', (event) => {
    unhandled.push(/** @type {any} */ (event).reason);
  });
}

/**
 * Runs one test; what comes back can be sent to another process.
 *
 * @param {string} title
 * @param {unknown} dacapo The package.
 * @param {string} origin The scripted server's.
 * @returns {Promise<string | null>} What failed.
 */
export async function runTest(title, dacapo, origin) {
  unhandled.length = 0;
  try {
    const run = tests.get(title);
    if (run === undefined) throw new Error(`there is no test ${title}`);
    await run(dacapo, origin);
    await new Promise((resolve) => setTimeout(resolve));
    return unhandled.length === 0 ? null : `unhandled rejections: ${unhandled.map(told).join('; ')}`;
  } catch (error) {
    return told(error);
  }
}

/** @param {any} error */
function told(error) {
  return String(error?.stack ?? error);
}
