/** What runs in every runtime: the contract and the whole of cancellation. No `node:` import. */

import { cancelTests } from './cancel-run.js';
import { contractTests } from './contract-cases.js';

const tests = new Map([...contractTests(), ...cancelTests()]);

export const titles = [...tests.keys()];

const unhandled = [];

/** Has rejections that nobody handles fail the test in which they happen. */
export function watchRejections() {
  globalThis.addEventListener('unhandledrejection', (event) => {
    unhandled.push(event.reason);
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

function told(error) {
  // In Firefox and WebKit the stack does not begin with the message.
  const [message, stack] = [String(error), String(error?.stack ?? '')];
  return stack.includes(message) ? stack : `${message}\n${stack}`;
}
