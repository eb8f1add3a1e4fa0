// The crate as it would be published.

import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { root } from './lib/package.js';

const timeout = 120_000;

/** What nobody who uses the crate reads is not in it, so it stays this small. */
const MAX_KIB = 300;

const PAPERS = ['CHANGELOG.md', 'LICENSE', 'README.md', ...['behaviour', 'kinds', 'native', 'options'].map((page) => `docs/${page}.md`)];
const WRITTEN_BY_CARGO = ['Cargo.lock', 'Cargo.toml', 'Cargo.toml.orig'];

function cargo(...args) {
  const { status, stdout, stderr } = spawnSync('cargo', args, { cwd: root, encoding: 'utf8', timeout, env: { ...process.env, CARGO_TERM_COLOR: 'never' } });
  assert.equal(status, 0, stderr);
  return { stdout, stderr };
}

test('the crate has its sources and the pages that a user of it reads, and nothing else', { timeout }, () => {
  const listed = cargo('package', '--list', '--locked', '--allow-dirty').stdout.trim().split('\n');
  const sources = readdirSync(join(root, 'src'), { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.rs'));
  const expected = [...WRITTEN_BY_CARGO, ...PAPERS, ...sources.map((name) => `src/${name}`)];
  // Where the tree is a repository, its commit is told as well.
  assert.deepEqual(listed.filter((file) => file !== '.cargo_vcs_info.json').sort(), expected.sort());
});

test('the crate builds from its package alone, and could be published', { timeout }, () => {
  const { stderr } = cargo('publish', '--dry-run', '--locked', '--allow-dirty');
  const size = /Packaged \d+ files, .* \(([\d.]+)(KiB|MiB) compressed\)/.exec(stderr);
  assert.ok(size !== null && size[2] === 'KiB' && Number(size[1]) <= MAX_KIB, stderr);
  const known = [
    /^manifest has no documentation, homepage or repository$/,
    /^ignoring test `\w+` as `tests\/\w+\.rs` is not included in the published package$/,
    /^aborting upload due to dry run$/,
    // A link from some node_modules back to this folder.
    /^File system loop found: .*node_modules/,
  ];
  const warnings = [...stderr.matchAll(/^warning: (.*)$/gm)].map(([, text]) => text);
  assert.deepEqual(warnings.filter((text) => !known.some((pattern) => pattern.test(text))), []);
  assert.equal(warnings.at(-1), 'aborting upload due to dry run');
});

test('the manifest says what the registry asks for, and the guide the Rust that it needs', { timeout }, () => {
  const { packages } = JSON.parse(cargo('metadata', '--no-deps', '--locked', '--format-version', '1').stdout);
  const crate = packages.find(({ name }) => name === 'dacapo');
  for (const member of ['description', 'license', 'readme', 'rust_version']) assert.equal(typeof crate[member], 'string', member);
  assert.ok(crate.categories.length > 0);
  // The registry takes five keywords at most, each of 20 characters.
  assert.ok(crate.keywords.length > 0 && crate.keywords.length <= 5);
  assert.deepEqual(crate.keywords.filter((word) => !/^[a-z][\w-]{0,19}$/.test(word)), []);
  assert.match(readFileSync(join(root, 'docs/native.md'), 'utf8'), new RegExp(`It needs Rust ${crate.rust_version}\\b`));
});

test('a native program that depends on the crate gets one dependency with it', { timeout }, () => {
  const { stdout } = cargo('tree', '--locked', '--edges', 'normal', '--depth', '1', '--prefix', 'none');
  assert.deepEqual(stdout.trim().split('\n').slice(1).map((line) => line.split(' ')[0]), ['thiserror']);
});
