import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { bareClone, install, temporaryFolder, userProject } from './lib/package.js';
import { PROGRAM, runProgram } from './lib/user.js';

const SERVED = { printed: '200 served', seen: ['POST', 'POST'] };

test('installed straight from a git URL, the package works without a Rust toolchain or a build', async () => {
  const folder = temporaryFolder();
  const bare = await bareClone(folder);
  const user = join(folder, 'user');
  await install(user, `git+file://${bare}`);
  assert.equal(existsSync(join(user, 'node_modules/dacapo/src')), false);
  const program = `import { createFetch } from 'dacapo'; const fetchAgain = createFetch({ initialDelayMs: 1 });${PROGRAM}`;
  assert.deepEqual(await runProgram(user, 'program.js', program), SERVED);
});

test('dacapo/slim runs with the module that the package has as a file', async () => {
  const program = `import { readFile } from 'node:fs/promises'; import { createFetch, init } from 'dacapo/slim';
    await init(await readFile(new URL(import.meta.resolve('dacapo/dacapo.wasm'))));
    const fetchAgain = createFetch({ initialDelayMs: 1 });${PROGRAM}`;
  assert.deepEqual(await runProgram(await userProject(), 'slim.js', program), SERVED);
});
