// `npm test [-- section…]`: every check of the project, one after the other, so that the output reads from top to bottom.

import { spawn } from 'node:child_process';
import { join } from 'node:path';

import { clear, table } from './matrix.js';
import { nodeTest } from './node-test.js';
import { root, setup } from './setup.js';

const STEP_TIMEOUT_MS = 15 * 60_000;

const cargo = (...args) => ['cargo', args];
/** In the example of native use, which is a project of its own. */
const example = (command, ...args) => cargo(command, '--manifest-path', 'examples/reqwest/Cargo.toml', ...args);
const node = (...args) => [process.execPath, args];
/** The newest releases of some clients want a newer Node.js than this package. */
const newerNode = (...args) => [join(root, 'tests/matrix/node_modules/node24/bin/node'), args];

/** Section name to the commands to run. */
const sections = {
  format: () => [cargo('fmt', '--all', '--check')],
  lint: () => [
    cargo('clippy', '--locked', '--workspace', '--all-targets', '--', '-D', 'warnings'),
    cargo('clippy', '--locked', '--target', 'wasm32-unknown-unknown', '--features', 'bindings', '--', '-D', 'warnings'),
  ],
  // xtask in the profile in which it is built anyway.
  rust: () => [cargo('test', '--locked', '--no-fail-fast'), cargo('test', '--locked', '--package', 'xtask', '--profile', 'dev')],
  docs: () => [cargo('doc', '--locked', '--no-deps', '--package', 'dacapo')],
  pkg: () => [cargo('xtask', 'check-pkg'), cargo('xtask', 'reproducible')],
  types: () => [[join(root, 'node_modules/.bin/tsc'), ['--project', 'tsconfig.json']]],
  source: () => [node('scripts/check-js.js')],
  vectors: () => [node('scripts/vectors.js')],
  js: () => [node(...nodeTest('tests/js'))],
  packaging: () => [node(...nodeTest('tests/packaging'))],
  matrix: () => {
    clear();
    return [node(...nodeTest('tests/matrix')), node('scripts/matrix.js')];
  },
  clients: () => [newerNode(...nodeTest('tests/clients'))],
  peers: () => [node(...nodeTest('tests/peers'))],
  native: () => [
    example('fmt', '--check'),
    example('clippy', '--locked', '--all-targets', '--', '-D', 'warnings'),
    example('test', '--locked', '--no-fail-fast'),
  ],
  size: () => [node('scripts/size.js')],
  sabotage: () => [cargo('xtask', 'build', '--sabotage'), node('scripts/sabotage.js')],
};

const asked = process.argv.slice(2);
const unknown = asked.filter((name) => !(name in sections));
if (unknown.length > 0) {
  console.error(`no section ${unknown.join(', ')}; there are ${Object.keys(sections).join(', ')}`);
  process.exit(2);
}

heading('setup');
const env = { ...process.env, RUSTDOCFLAGS: '-D warnings', ...setup() };
const results = [];
for (const name of asked.length > 0 ? asked : Object.keys(sections)) {
  heading(name);
  const start = performance.now();
  const result = { name, passed: 0, failed: 0 };
  for (const [command, args] of sections[name]()) {
    const { passed, failed } = await step(command, args);
    result.passed += passed;
    result.failed += failed;
  }
  results.push({ ...result, seconds: (performance.now() - start) / 1000 });
}

heading('summary');
for (const { name, passed, failed, seconds } of results) {
  console.log(`${failed > 0 ? 'FAIL' : 'ok  '} ${name.padEnd(10)} ${seconds.toFixed(1).padStart(6)} s  ${passed} passed, ${failed} failed`);
}
if (results.some(({ name }) => name === 'matrix')) console.log(`\n${table()}\n`);
const sum = (key) => results.reduce((total, result) => total + result[key], 0);
console.log(`${sum('passed')} passed, ${sum('failed')} failed`);
process.exitCode = sum('failed') > 0 ? 1 : 0;

function heading(name) {
  console.log(`\n════ ${name} ${'═'.repeat(Math.max(0, 90 - name.length))}\n`);
}

/** Runs one command and counts the tests it tells of; one that tells of none counts as one itself. */
function step(command, args) {
  console.log(`$ ${[command, ...args].join(' ').replaceAll(`${root}/`, '')}`);
  return new Promise((resolve) => {
    const child = spawn(command, args, { cwd: root, env, stdio: ['ignore', 'pipe', 'inherit'] });
    let output = '';
    child.stdout.setEncoding('utf8').on('data', (text) => {
      process.stdout.write(text);
      output += text;
    });
    const timer = setTimeout(() => child.kill('SIGKILL'), STEP_TIMEOUT_MS);
    child.on('error', (error) => {
      console.error(error.message);
      clearTimeout(timer);
      resolve({ passed: 0, failed: 1 });
    });
    child.on('close', (code) => {
      clearTimeout(timer);
      const counts = count(output);
      if (code === 0) resolve(counts ?? { passed: 1, failed: 0 });
      else resolve({ passed: counts?.passed ?? 0, failed: Math.max(counts?.failed ?? 0, 1) });
    });
  });
}

/** The closing lines of cargo's test harness and of Node's test runner. */
function count(output) {
  const total = { passed: 0, failed: 0 };
  let told = false;
  for (const [, passed, failed] of output.matchAll(/^test result: \w+\. (\d+) passed; (\d+) failed/gm)) {
    told = true;
    total.passed += Number(passed);
    total.failed += Number(failed);
  }
  for (const [, key, number] of output.matchAll(/^ℹ (pass|fail) (\d+)$/gm)) {
    told = true;
    total[key === 'pass' ? 'passed' : 'failed'] += Number(number);
  }
  return told ? total : undefined;
}
