import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize, relative } from 'node:path';
import { before, test } from 'node:test';

import { parse } from 'acorn';

import { pack, root, temporaryFolder } from './lib/package.js';

const manifest = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));

let files;
before(async () => {
  ({ files } = await pack(temporaryFolder()));
});

/** Every file that the exports map leads to, by way of imports. */
function reachable() {
  const found = new Set();
  const visit = (file) => {
    if (found.has(file)) return;
    found.add(file);
    if (!file.endsWith('.js')) return;
    const { body } = parse(readFileSync(join(root, file), 'utf8'), { ecmaVersion: 'latest', sourceType: 'module' });
    for (const { source } of body) {
      if (source?.value.startsWith('.')) visit(normalize(join(dirname(file), source.value.replace(/\?.*/, ''))));
    }
  };
  const leaves = (entry) => (typeof entry === 'string' ? [entry] : Object.values(entry).flatMap(leaves));
  leaves(manifest.exports).forEach((target) => visit(normalize(target)));
  return [...found];
}

const below = (folder) =>
  readdirSync(join(root, folder), { withFileTypes: true, recursive: true }).flatMap((entry) => (entry.isFile() ? [relative(root, join(entry.parentPath, entry.name))] : []));

test('the tarball has what the exports lead to, the papers and what these show, and nothing else', () => {
  const papers = ['CHANGELOG.md', 'CONTRIBUTING.md', 'LICENSE', 'README.md', 'SECURITY.md', 'package.json', ...below('docs')];
  const examples = ['examples/cloudflare-breaker', 'examples/cloudflare-queue', 'examples/reqwest/src'].flatMap(below);
  assert.deepEqual(files, [...new Set([...reachable(), ...papers, ...examples])].sort());
});

test('every link from a page in the tarball to a file leads to one in the tarball', () => {
  const pages = files.filter((file) => file.endsWith('.md'));
  const links = pages.flatMap((page) => {
    const text = readFileSync(join(root, page), 'utf8').replaceAll(/```[^]*?```|`[^`\n]*`/g, '');
    return [...text.matchAll(/\]\((?![a-z]+:|#)([^)#\s]+)/g)].map(([, target]) => [page, normalize(join(dirname(page), target)).replace(/\/$/, '')]);
  });
  assert.ok(links.length > 20);
  const dead = links.filter(([, target]) => !files.some((file) => file === target || file.startsWith(`${target}/`)));
  assert.deepEqual(dead, []);
});

test('no module of the package imports anything but modules of the package, and one what its runtime brings', () => {
  for (const file of reachable().filter((name) => name.endsWith('.js'))) {
    const { body } = parse(readFileSync(join(root, file), 'utf8'), { ecmaVersion: 'latest', sourceType: 'module' });
    const foreign = body.flatMap(({ source }) => (source && !source.value.startsWith('.') ? [source.value] : []));
    assert.deepEqual(foreign, file === 'js/cloudflare.js' ? ['cloudflare:workers'] : [], file);
  }
});
