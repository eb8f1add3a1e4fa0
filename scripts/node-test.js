// How this project runs Node's test runner.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { root } from './setup.js';

const TEST_TIMEOUT_MS = 120_000;

/** The test files under a folder, as paths from the root. */
export function testFiles(folder) {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((name) => name.endsWith('.test.js'))
    .sort()
    .map((name) => join(folder, name));
}

/** The arguments that run them; the files are named, because a folder means different things to different Nodes. */
export function nodeTest(folder) {
  const files = testFiles(folder);
  if (files.length === 0) throw new Error(`${folder} has no *.test.js`);
  return ['--test', '--test-reporter=spec', `--test-timeout=${TEST_TIMEOUT_MS}`, ...files];
}
