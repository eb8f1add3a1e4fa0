// What docs/runtimes.md advises for Jest, in a Jest of its own.

import assert from 'node:assert/strict';
import { cpSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';

import { installed, run } from './lib/child.js';
import { block } from './lib/page.js';
import { userProject } from './lib/tarball.js';

const node20 = installed('node20/bin/node');
const node24 = installed('node24/bin/node');
const VM_MODULES = '--experimental-vm-modules';

/** The page's example as CommonJS, where Jest's own names are there without asking. */
const spec = block('retry.spec');
const [ownNames, ours] = spec.match(/^import .*$/gm);
const required = spec.replace(ownNames, '').replace(ours, "const { retry } = require('dacapo');");
const dynamic = spec.replace(ownNames, '').replace(ours, '').replace('async () => {', "$&\n  const { retry } = await import('dacapo');");

describe('under Jest', { concurrency: 2, timeout: 120_000 }, () => {
  let user;
  before(async () => {
    user = await userProject();
  });

  /** Runs the page's example in a project of its own, and gives Jest's report. */
  async function report(name, command, files, signal) {
    const folder = join(user, name);
    cpSync(join(user, 'node_modules'), join(folder, 'node_modules'), { recursive: true });
    for (const [file, text] of Object.entries({ 'package.json': '{}', ...files })) writeFileSync(join(folder, file), text);
    const args = [installed('jest/bin/jest.js'), '--rootDir', folder, '--cacheDirectory', join(folder, 'cache'), '--json', '--runInBand'];
    const { stdout } = await run(folder, [...command, ...args], signal).catch((error) => error);
    const { numPassedTests, testResults } = JSON.parse(stdout);
    return { numPassedTests, message: testResults.map(({ message }) => message).join('\n') };
  }

  const passed = { numPassedTests: 1, message: '' };

  test('with vm modules, a test imports the package, and its fake timers stand in for the waits', { timeout: 60_000 }, async ({ signal }) => {
    assert.deepEqual(await report('imported', [node20, VM_MODULES], { 'retry.spec.mjs': spec }, signal), passed);
  });

  test('with vm modules, a dynamic import works', { timeout: 60_000 }, async ({ signal }) => {
    assert.deepEqual(await report('dynamic', [node20, VM_MODULES], { 'retry.spec.cjs': dynamic }, signal), passed);
  });

  test('with vm modules, require works in a newer Node.js', { timeout: 60_000 }, async ({ signal }) => {
    assert.deepEqual(await report('required', [node24, VM_MODULES], { 'retry.spec.cjs': required }, signal), passed);
  });

  test('compiled by Babel, the package works without a flag', { timeout: 60_000 }, async ({ signal }) => {
    const plugin = '@babel/plugin-transform-modules-commonjs';
    const files = {
      'retry.spec.js': spec,
      'jest.config.json': block('jest.config.json'),
      // In a project of its own the plugin is found by its name.
      'babel.config.json': block('babel.config.json').replace(plugin, installed(plugin)),
    };
    assert.deepEqual(await report('compiled', [node20], files, signal), passed);
  });

  test('without either, Jest refuses it and points to these ways', { timeout: 60_000 }, async ({ signal }) => {
    const { numPassedTests, message } = await report('neither', [node20], { 'retry.spec.cjs': required }, signal);
    assert.equal(numPassedTests, 0);
    assert.match(message, /Must use import to load ES Module[^]*transformIgnorePatterns/);
  });
});
