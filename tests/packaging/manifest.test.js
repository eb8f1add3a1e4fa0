import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { root } from './lib/package.js';

const read = (file) => readFileSync(join(root, file), 'utf8');
const manifest = JSON.parse(read('package.json'));

test('nothing runs when the package is installed, from a registry or from git', () => {
  const forbidden = ['preinstall', 'install', 'postinstall', 'prepublish', 'preprepare', 'prepare', 'postprepare', 'prepack', 'postpack', 'build', 'dependencies'];
  assert.deepEqual(Object.keys(manifest.scripts).filter((name) => forbidden.includes(name)), []);
  assert.equal(manifest.workspaces, undefined);
  assert.equal(existsSync(join(root, 'binding.gyp')), false);
});

test('the package has no dependencies', () => {
  for (const kind of ['dependencies', 'peerDependencies', 'optionalDependencies']) assert.equal(manifest[kind], undefined);
});

test('development dependencies are pinned, and the lockfile names no registry', () => {
  for (const [name, version] of Object.entries(manifest.devDependencies)) assert.match(version, /^\d+\.\d+\.\d+$/, name);
  const lock = JSON.parse(read('package-lock.json'));
  for (const [path, { resolved }] of Object.entries(lock.packages)) assert.equal(resolved, undefined, path);
});

test('bundlers are told that no module has side effects', () => {
  assert.equal(manifest.sideEffects, false);
  assert.equal(manifest.type, 'module');
});

test('the package and the crate have one version', () => {
  assert.equal(/^version = "(.+)"$/m.exec(read('Cargo.toml'))?.[1], manifest.version);
});

test('wasm-bindgen and the library that writes its glue are pinned to one version', () => {
  const crate = /^wasm-bindgen = "=(.+)"$/m.exec(read('Cargo.toml'))?.[1];
  const xtask = /^wasm-bindgen-cli-support = "=(.+)"$/m.exec(read('xtask/Cargo.toml'))?.[1];
  assert.ok(crate !== undefined);
  assert.equal(crate, xtask);
});

test('the types, and every entry, have the names that js/index.js exports', async () => {
  const index = Object.keys(await import('../../js/index.js')).sort();
  assert.deepEqual(Object.keys(await import('../../js/load/inline.js')).sort(), index);
  assert.deepEqual(Object.keys(await import('../../js/load/slim.js')).sort(), [...index, 'init'].sort());
  const typed = [...read('js/types.d.ts').matchAll(/^export (?:declare )?(?:function|class|const) (\w+)/gm)].map(([, name]) => name);
  assert.deepEqual([...new Set(typed)].sort(), index);
});

test('the entry for workerd exports what the default entry does', () => {
  const exportsOf = (file) => read(file).split('\n').filter((line) => line.startsWith('export '));
  assert.ok(exportsOf('js/load/inline.js').length > 10);
  assert.deepEqual(exportsOf('js/load/workerd.js'), exportsOf('js/load/inline.js'));
});
