// Puts the engine that is wrong on purpose under the JS suites. Each of them must notice: one that passes does not test
// the engine but something that only looks like it.
//
// A suite that has no business with the engine's decisions says so in its first line: `// sabotage: exempt, <why>`.

import { spawn } from 'node:child_process';
import { cpSync, existsSync, readdirSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { basename, join } from 'node:path';

import { testFiles } from './node-test.js';
import { root } from './setup.js';

const SUITE_TIMEOUT_MS = 90_000;
const LEFT_OUT = ['.git', 'node_modules', 'pkg', 'target'];

const copy = join(root, 'target/sabotage');
if (!existsSync(join(copy, 'pkg'))) throw new Error('run `cargo xtask build --sabotage` first');
for (const name of readdirSync(copy)) {
  if (name !== 'pkg') rmSync(join(copy, name), { recursive: true });
}
for (const name of readdirSync(root)) {
  const filter = (path) => !LEFT_OUT.includes(basename(path));
  if (filter(name)) cpSync(join(root, name), join(copy, name), { recursive: true, filter });
}
symlinkSync(join(root, 'node_modules'), join(copy, 'node_modules'));

let caught = 0;
let missed = 0;
const files = testFiles('tests/js');
await Promise.all(Array.from({ length: availableParallelism() }, async () => {
  for (let file = files.shift(); file !== undefined; file = files.shift()) console.log(await judge(file));
}));
if (caught === 0) throw new Error('no suite was put to the test');
console.log(`ℹ pass ${caught}\nℹ fail ${missed}`);
process.exitCode = missed > 0 ? 1 : 0;

async function judge(file) {
  const [first] = readFileSync(join(root, file), 'utf8').split('\n', 1);
  const exempt = /^\/\/ sabotage: exempt, (.+)$/.exec(first)?.[1];
  if (exempt !== undefined) return `exempt  ${file}: ${exempt}`;
  const { failed, loaded, hung } = await runSuite(file);
  // A file that cannot even be loaded fails for another reason than the engine.
  if (loaded && failed !== undefined) {
    caught++;
    return `caught  ${file}: "${failed}" fails`;
  }
  // The same suite has come to its end with the right engine: waiting for ever is noticing.
  if (loaded && hung) {
    caught++;
    return `caught  ${file}: it does not come to its end`;
  }
  missed++;
  return `MISSED  ${file}${loaded ? '' : ' could not be loaded'}`;
}

/** The name of the suite's first failing test, whether it came as far as running a test, and whether it took too long. */
function runSuite(file) {
  return new Promise((resolve) => {
    // The file is run by itself: its own tests report, and nothing stands for the file as a whole.
    const child = spawn(process.execPath, ['--test-reporter=tap', file], {
      cwd: copy,
      env: { ...process.env, NODE_TEST_CONTEXT: undefined },
      stdio: ['ignore', 'pipe', 'ignore'],
      // In a group of its own, so that a browser or workerd of the suite ends with it.
      detached: true,
    });
    let tap = '';
    let failed;
    let hung = false;
    const stop = () => {
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended by itself.
      }
    };
    child.stdout.setEncoding('utf8').on('data', (text) => {
      tap += text;
      if (failed !== undefined) return;
      failed = /^ *not ok \d+ - (?!.* # (?:SKIP|TODO))(.*)\n/m.exec(tap)?.[1];
      // One that fails is enough.
      if (failed !== undefined) stop();
    });
    const timer = setTimeout(() => {
      hung = true;
      stop();
    }, SUITE_TIMEOUT_MS);
    child.on('close', () => {
      clearTimeout(timer);
      resolve({ failed, loaded: /^ *(?:not )?ok \d+ - /m.test(tap), hung });
    });
  });
}
