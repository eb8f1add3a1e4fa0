// The packed package under the checks that others make of npm packages.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { before, test } from 'node:test';

import { pack, root, temporaryFolder } from './lib/package.js';

const { resolve } = createRequire(join(root, 'tests/types/tools/package.json'));
const { checkPackage, createPackageFromTarballData } = await import(resolve('@arethetypeswrong/core'));
const { publint } = await import(resolve('publint'));

/** What @arethetypeswrong says of every package that is ESM alone, and why it does no harm here. */
const ESM_ONLY = {
  // A CommonJS program of module node16 would have to await an import(). Node >= 20.19 can require the package, and
  // nodenext knows: tests/types/required.cts. A second copy as CommonJS would be a second set of breakers and budgets.
  CJSResolvesToESM: 'node16-cjs',
  // moduleResolution node10 reads no `exports`; TypeScript 6 deprecates it. The main entry has `types` for it.
  NoResolution: 'node10',
};

let bytes;
before(async () => {
  bytes = readFileSync((await pack(temporaryFolder())).tarball);
});

test('publint has nothing to say, not even to suggest', async () => {
  const tarball = bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length);
  const { messages } = await publint({ pack: { tarball }, strict: true, level: 'suggestion' });
  assert.deepEqual(messages, []);
});

test('@arethetypeswrong finds only what it finds in every package that is ESM alone', async () => {
  const { types, problems } = await checkPackage(createPackageFromTarballData(bytes));
  assert.deepEqual(types, { kind: 'included' });
  const others = problems.filter(({ kind, resolutionKind }) => ESM_ONLY[kind] !== resolutionKind);
  assert.deepEqual(others, []);
  const unresolved = problems.flatMap(({ kind, entrypoint }) => (kind === 'NoResolution' ? [entrypoint] : []));
  assert.ok(!unresolved.includes('.'), 'even node10 finds the main entry');
  assert.deepEqual([...new Set(problems.map(({ kind }) => kind))].sort(), Object.keys(ESM_ONLY), 'a rule that is ignored applies');
});
