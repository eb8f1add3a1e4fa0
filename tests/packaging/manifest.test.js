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
  const crate = /^wasm-bindgen = \{ version = "=([^"]+)"/m.exec(read('Cargo.toml'))?.[1];
  const xtask = /^wasm-bindgen-cli-support = "=(.+)"$/m.exec(read('xtask/Cargo.toml'))?.[1];
  assert.ok(crate !== undefined);
  assert.equal(crate, xtask);
});

test('the entries for workerd and for edge runtimes export what the default entry does', () => {
  const exportsOf = (file) => read(file).split('\n').filter((line) => line.startsWith('export '));
  assert.ok(exportsOf('js/load/inline.js').length > 10);
  for (const entry of ['workerd', 'edge-light']) assert.deepEqual(exportsOf(`js/load/${entry}.js`), exportsOf('js/load/inline.js'));
});

test('docs/runtimes.md tells of every entry, every condition and the file it leads to', () => {
  let entry;
  const told = [...read('docs/runtimes.md').matchAll(/^\| (?:`(dacapo[^`]*)` )?\| `([\w-]+)` \| `([^`]+)` \|$/gm)].map(([, name, condition, file]) => {
    entry = name ?? entry;
    return `${entry} ${condition} ./${file}`;
  });
  const conditions = Object.entries(manifest.exports).filter(([name]) => name !== './package.json');
  const exported = conditions.flatMap(([name, files]) => Object.entries(files).map(([condition, file]) => `${name.replace('.', 'dacapo')} ${condition} ${file}`));
  assert.deepEqual(told, exported);
});
