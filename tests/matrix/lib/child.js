// Runs a program of a place to its end.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** No runtime or tool is to phone home or to look for a newer one of itself. */
const QUIET = { CI: '1', DO_NOT_TRACK: '1', DENO_NO_UPDATE_CHECK: '1', NO_COLOR: '1' };

/** A path of what tests/matrix/package.json brings. */
export const installed = (/** @type {string} */ path) => join(import.meta.dirname, '../node_modules', path);

/**
 * What a program printed. It fails when the program does, or when `signal` stops it.
 *
 * @param {string} cwd
 * @param {string[]} command With its arguments.
 * @param {AbortSignal} signal
 */
export function run(cwd, [program, ...args], signal) {
  // Under `npm test` the settings of npm and of the test runner would reach it.
  const inherited = Object.entries(process.env).filter(([name]) => !/^npm_|^NODE_|^GIT_/.test(name));
  const env = { ...Object.fromEntries(inherited), ...QUIET };
  return promisify(execFile)(program, args, { cwd, env, signal, maxBuffer: 2 ** 26 });
}

/** What a program printed that has nothing to complain about. @type {(...args: Parameters<typeof run>) => Promise<string>} */
export async function outputOf(cwd, command, signal) {
  const { stdout, stderr } = await run(cwd, command, signal);
  assert.equal(stderr, '', command.join(' '));
  return stdout;
}
