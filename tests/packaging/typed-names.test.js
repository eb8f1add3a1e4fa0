// Every public name has its type tests: tests/types says what each gives, and what each function and class refuses.

import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { test } from 'node:test';

import * as dacapo from '../../js/load/inline.js';
import * as slim from '../../js/load/slim.js';
import { root } from './lib/package.js';

const ts = createRequire(join(root, 'tests/types/tools/package.json'))('typescript-6.0');

const parse = (file) => ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.Latest, true);

/** The names that a file of types exports, and those of them that are there when a program runs. */
function exportsOf(file) {
  const exported = parse(file).statements.filter((one) => ts.canHaveModifiers(one) && ts.getModifiers(one)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword));
  const names = (statements) => [...new Set(statements.map(({ name }) => name.text))].sort();
  return { all: names(exported), values: names(exported.filter((one) => ts.isFunctionDeclaration(one) || ts.isClassDeclaration(one))) };
}

const files = ['js/types.d.ts', 'js/slim.d.ts', 'js/cloudflare.d.ts'];
const published = files.map(exportsOf);

/** The names in the statements of tests/types that assert something, and in those that have to be errors. */
function tested() {
  const asserted = new Set();
  const refused = new Set();
  for (const file of readdirSync(join(root, 'tests/types')).filter((name) => name.endsWith('.ts'))) {
    const source = parse(`tests/types/${file}`);
    for (const statement of source.statements) {
      const names = namesIn(statement);
      const isAssertion = ts.isExpressionStatement(statement) && (names.has('expectTypeOf') || names.has('table'));
      if (isAssertion) names.forEach((name) => asserted.add(name));
      const before = source.text.slice(statement.pos, statement.getStart());
      if (before.includes('@ts-expect-error')) names.forEach((name) => refused.add(name));
    }
  }
  return { asserted, refused };
}

function namesIn(node, names = new Set()) {
  if (ts.isIdentifier(node)) names.add(node.text);
  ts.forEachChild(node, (child) => void namesIn(child, names));
  return names;
}

test('every name that the types export is asserted on', () => {
  const { asserted } = tested();
  for (const { all } of published) {
    assert.ok(all.length > 1);
    assert.deepEqual(all.filter((name) => !asserted.has(name)), []);
  }
});

test('every function and class refuses something', () => {
  const { refused } = tested();
  for (const { values } of published) assert.deepEqual(values.filter((name) => !refused.has(name)), []);
});

test('the functions and classes of the types are those that the entries export', () => {
  const [ofDacapo, ofSlim, ofCloudflare] = published.map(({ values }) => values);
  assert.deepEqual(Object.keys(dacapo).sort(), ofDacapo);
  assert.deepEqual(Object.keys(slim).sort(), [...ofDacapo, ...ofSlim].sort());
  // Its module can be loaded in workerd alone.
  const exported = parse('js/cloudflare.js').statements.filter((one) => ts.getModifiers(one)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword));
  assert.deepEqual(exported.map(({ name }) => name.text).sort(), ofCloudflare);
});
