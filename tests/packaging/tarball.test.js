import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { test } from 'node:test';

import { parse } from 'acorn';

import { pack, root, temporaryFolder } from './lib/package.js';

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

/** Every file that the exports map leads to, by way of imports. */
function reachable() {
  const found = new Set();
  const visit = (file) => {
    if (found.has(file)) return;
    found.add(file);
    if (!file.endsWith('.js')) return;
    const { body } = parse(readFileSync(join(root, file), 'utf8'), { ecmaVersion: 'latest', sourceType: 'module' });
    for (const { source } of body) {
      if (source?.value.startsWith('.')) visit(normalize(join(dirname(file), source.value)));
    }
  };
  const leaves = (entry) => (typeof entry === 'string' ? [entry] : Object.values(entry).flatMap(leaves));
  leaves(manifest.exports).forEach((target) => visit(normalize(target)));
  return [...found];
}

test('the tarball has what the exports lead to and the papers, and nothing else', async () => {
  const { files } = await pack(temporaryFolder());
  const papers = ['CHANGELOG.md', 'LICENSE', 'README.md', 'package.json'];
  assert.deepEqual(files, [...new Set([...reachable(), ...papers])].sort());
});

test('no module of the package imports anything but modules of the package, and one what its runtime brings', () => {
  for (const file of reachable().filter((name) => name.endsWith('.js'))) {
    const { body } = parse(readFileSync(join(root, file), 'utf8'), { ecmaVersion: 'latest', sourceType: 'module' });
    const foreign = body.flatMap(({ source }) => (source && !source.value.startsWith('.') ? [source.value] : []));
    assert.deepEqual(foreign, file === 'js/cloudflare.js' ? ['cloudflare:workers'] : [], file);
  }
});
