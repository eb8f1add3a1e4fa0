// Runs a peer's own suite, out of its tarball, in a process of its own.

import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const folder = join(import.meta.dirname, '..');
const mocha = createRequire(import.meta.url).resolve('mocha/bin/mocha.js');

/** Of the whole suite, and of one of its tests. */
const SUITE_MS = 60_000;
const TEST_MS = 10_000;

/**
 * @typedef {object} Peer
 * @property {string} name
 * @property {string} suite In its tarball.
 * @property {string} adapter In `adapters/`: the peer's API over dacapo.
 * @property {'jumps'} [time] How time passes where it is not real.
 *
 * @param {Peer} peer
 * @param {string} [project] Where a packed dacapo is installed, which then takes the peer's place.
 * @returns {Promise<{ title: string, failure: string | null }[]>} One for each test, in order; those of one title are told
 *   apart by a number.
 */
export async function runSuite({ name, suite, adapter, time }, project) {
  const scratch = mkdtempSync(join(tmpdir(), 'dacapo-peers-'));
  try {
    const report = join(scratch, 'report.json');
    const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_|^NODE_/.test(name)));
    Object.assign(env, { PEER: name }, time && { TIME: time }, project && { ADAPTER: join(folder, 'adapters', adapter), PROJECT: project });
    const args = [mocha, '--no-config', '--no-package', '--exit', '--timeout', String(TEST_MS), '--require', join(import.meta.dirname, 'stand-in.js'),
      '--reporter', 'json', '--reporter-option', `output=${report}`, join(folder, 'node_modules', name, suite)];
    const told = await new Promise((resolve) => {
      execFile(process.execPath, args, { cwd: folder, env, timeout: SUITE_MS, killSignal: 'SIGKILL', maxBuffer: 2 ** 24 }, (_, stdout, stderr) => resolve(stdout + stderr));
    });
    return outcomes(report, told);
  } finally {
    rmSync(scratch, { recursive: true, force: true });
  }
}

function outcomes(report, told) {
  let tests, pending;
  try {
    ({ tests, pending } = JSON.parse(readFileSync(report, 'utf8')));
  } catch (error) {
    throw new Error(`the suite came to no end: ${error.message}\n${told.slice(-4000)}`);
  }
  const times = new Map();
  const skipped = new Set(pending.map(({ fullTitle }) => fullTitle));
  return tests.filter(({ fullTitle }) => !skipped.has(fullTitle)).map(({ fullTitle, err }) => {
    const time = (times.get(fullTitle) ?? 0) + 1;
    times.set(fullTitle, time);
    return { title: time === 1 ? fullTitle : `${fullTitle} (${time})`, failure: Object.keys(err).length === 0 ? null : (err.message ?? String(err)) };
  });
}
