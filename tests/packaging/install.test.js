import assert from 'node:assert/strict';
import { existsSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';

import { bareClone, install, root, run, temporaryFolder, userProject } from './lib/package.js';
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

describe('installed from its tarball', () => {
  let user;
  before(async () => {
    user = await userProject();
  });

  test('dacapo/slim runs with the module that the package has as a file', async () => {
    const program = `import { readFile } from 'node:fs/promises'; import { createFetch, init } from 'dacapo/slim';
      await init(await readFile(new URL(import.meta.resolve('dacapo/dacapo.wasm'))));
      const fetchAgain = createFetch({ initialDelayMs: 1 });${PROGRAM}`;
    assert.deepEqual(await runProgram(user, 'slim.js', program), SERVED);
  });

  test('a TypeScript program finds the types of every entry', async () => {
    writeFileSync(join(user, 'program.ts'), `
      import { createFetch, retry, RetryError, type ErrorKind } from 'dacapo';
      import { init } from 'dacapo/slim';
      import module from 'dacapo/dacapo.wasm';
      const f: typeof fetch = createFetch({ maxAttempts: 4 });
      const n: Promise<number> = retry(() => 1);
      const kind: ErrorKind = new RetryError({ kind: 'auth', message: '' }).kind;
      const done: Promise<void> = init(module);
      // @ts-expect-error
      createFetch({ maxAttempts: 'four' });
      export { f, n, kind, done };
    `);
    const tsc = join(root, 'node_modules/typescript/bin/tsc');
    for (const resolution of ['nodenext', 'bundler']) {
      const module = resolution === 'bundler' ? 'esnext' : resolution;
      const options = ['--strict', '--noEmit', '--skipLibCheck', 'false', '--lib', 'esnext,dom,dom.iterable', '--types', '', '--module', module, '--moduleResolution', resolution];
      await run(process.execPath, [tsc, ...options, 'program.ts'], user);
    }
  });
});
