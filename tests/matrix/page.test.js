// docs/runtimes.md says what the matrix runs, and its examples run as they stand there.

import assert from 'node:assert/strict';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { test } from 'node:test';

import { root } from '../packaging/lib/package.js';
import { installed, outputOf } from './lib/child.js';
import { block, table } from './lib/page.js';
import { absent, places } from './lib/places.js';
import { userProject } from './lib/tarball.js';

const json = (file) => JSON.parse(readFileSync(join(root, file), 'utf8'));

/** The version of a place: of the package that brings it, or what Debian has. */
function versionOf(place) {
  const name = place.toLowerCase().replace('.js', '').replace(' ', '');
  if (['chromium', 'firefox', 'webkitgtk'].includes(name)) return 'Debian’s';
  const locks = ['tests/matrix/package-lock.json', 'package-lock.json'].map((file) => json(file).packages[`node_modules/${name}`]);
  return locks.find((found) => found !== undefined).version;
}

/** What a place is that says nothing of it. */
const plain = (name) => (/^(Node|Deno|Bun)/.test(name) ? 'program' : /^(workerd|miniflare)/.test(name) ? 'Worker' : 'page');

test('the page has the places of the matrix with the versions in force', () => {
  const rows = new Map();
  for (const place of places) {
    const [, name, form] = /^(.+?)[. ]\*(?:, (.*))?$/.exec(place);
    rows.set(name, [...(rows.get(name) ?? []), form ?? plain(name)]);
  }
  assert.deepEqual(table('place', 'version', 'as'), [...rows].map(([name, forms]) => [name, versionOf(name), forms.join('; ')]));
});

test('the page gives the reason for each place that is not tested', () => {
  assert.deepEqual(Object.fromEntries(table('not tested', 'why')), absent);
});

test('the oldest Node.js that is tested is the oldest that the package asks for', () => {
  assert.equal(`>=${versionOf('Node.js 20').replace(/\.0$/, '')}`, json('package.json').engines.node);
});

test('the examples for CommonJS print what they say, in the oldest Node.js there is', { timeout: 60_000 }, async ({ signal }) => {
  const user = await userProject();
  for (const [name, flags] of Object.entries({ require: [], 'dynamic-import': ['--no-experimental-require-module'] })) {
    const source = block(`example: ${name}`);
    writeFileSync(join(user, `${name}.cjs`), source);
    const printed = await outputOf(user, [installed('node20/bin/node'), ...flags, `${name}.cjs`], signal);
    assert.equal(printed, `${/\/\/ → (.*)$/m.exec(source)[1]}\n`);
  }
});
