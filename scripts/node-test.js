// How this project runs Node's test runner.

import { readdirSync } from 'node:fs';
import { join } from 'node:path';

import { root } from './setup.js';

/** Of a whole file, which is what the runner takes it for: against a hang. */
const FILE_TIMEOUT_MS = 600_000;

/** The test files under a folder, as paths from the root. */
export function testFiles(folder) {
  const entries = readdirSync(join(root, folder), { withFileTypes: true });
  // Not with `recursive`: it would walk through node_modules for minutes.
  return entries
    .flatMap((entry) => {
      const path = join(folder, entry.name);
      if (entry.isDirectory()) return entry.name === 'node_modules' ? [] : testFiles(path);
      return entry.name.endsWith('.test.js') ? [path] : [];
    })
    .sort();
}

/** The arguments that run them; the files are named, because a folder means different things to different Nodes. */
export function nodeTest(folder) {
  const files = testFiles(folder);
  if (files.length === 0) throw new Error(`${folder} has no *.test.js`);
  return ['--test', '--test-reporter=spec', `--test-timeout=${FILE_TIMEOUT_MS}`, ...files];
}
