// What is told of the public names: in docs/api.md, and by an editor.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { before, describe, test } from 'node:test';
import { RetryPolicy } from 'dacapo';

import { page } from '../../scripts/api.js';
import { root } from './lib/package.js';

const ts = createRequire(join(root, 'tests/types/tools/package.json'))('typescript-6.0');
const read = (file) => readFileSync(join(root, file), 'utf8');

test('docs/api.md is what `npm run api` makes of the types, which leave nothing undocumented', () => {
  const { text, faults } = page();
  assert.deepEqual(faults, []);
  assert.equal(read('docs/api.md'), text, 'run `npm run api`');
});

/** What is taken out of the types, and what is then missed. */
const gaps = {
  'a name without a doc comment': [/\/\*\* What a failure is\. .*\n/, /^js\/types\.d\.ts: ErrorKind has no doc comment$/],
  'a member without one': [/ {2}\/\*\* Sends in all, .*\n/, /PolicyOptions\.maxAttempts has no doc comment/],
  'an option that does not tell its default': [/(Sends in all, the first included\.) Default 3\./, /PolicyOptions\.maxAttempts does not tell its default/, '$1'],
  'an option that does not tell its unit': [/(The first backoff before jitter), in milliseconds/, /PolicyOptions\.initialDelayMs does not tell its unit/, '$1'],
  'a function that does not tell its errors': [/ Throws nothing\.( \*\/\nexport function isRetryError)/, /isRetryError does not tell its errors/, '$1'],
};
for (const [gap, [what, fault, by = '']] of Object.entries(gaps)) {
  test(`the page is not made with ${gap}`, () => {
    const whole = read('js/types.d.ts');
    const source = whole.replace(what, by);
    assert.notEqual(source, whole);
    const { faults } = page({ 'js/types.d.ts': source });
    assert.equal(faults.length, gap === 'a member without one' ? 2 : 1, faults.join('\n'));
    assert.match(faults[0], fault);
  });
}

describe('an editor shows what an option means, its unit and its default', () => {
  /** Where options are written, with `?` for one of them and `never` for its value. */
  const places = {
    createFetch: ['FetchOptions', 'createFetch({ ? });'],
    'fetch.with': ['FetchOptions', 'createFetch().with({ ? });'],
    'one call of a fetch': ['FetchCallOptions', "createFetch()('', {}, { ? });"],
    'a target of createFetch': ['FetchTarget', 'createFetch({ targets: [{ ? }] });'],
    RetryPolicy: ['PolicyOptions', 'new RetryPolicy({ ? });'],
    retry: ['RetryOptions', 'retry(() => 1, { ? });'],
    retryStream: ['RetryStreamOptions', 'retryStream(() => [1], { ? });'],
    withRetry: ['WithRetryOptions', 'withRetry({ ask: async () => 1 }, { ? });'],
    withFallback: ['FallbackOptions', 'withFallback([{ call: async () => 1 }], { ? });'],
    'a target of withFallback': ['FallbackTargetOptions', 'withFallback([{ call: async () => 1, ? }]);'],
    CircuitBreaker: ['BreakerOptions', 'new CircuitBreaker({ ? });'],
    RetryBudget: ['BudgetOptions', 'new RetryBudget({ ? });'],
    classify: ['ClassifyInput', 'classify({ ? });'],
    RetryError: ['RetryErrorInit', 'new RetryError({ ? });'],
  };
  /** What is not left out, and so has no default. */
  const required = new Set(['withRetry methods', 'RetryError kind']);
  /** The text shown when the pointer is over the option, by place and option. */
  const shown = {};

  before(() => {
    const file = join(root, 'js/program.ts');
    const options = { strict: true, noEmit: true, types: [], lib: ['lib.es2022.d.ts', 'lib.dom.d.ts', 'lib.dom.iterable.d.ts'], module: ts.ModuleKind.ESNext, moduleResolution: ts.ModuleResolutionKind.Bundler };
    let source = `import * as dacapo from './types.js'; import type * as types from './types.js';\n`;
    const service = ts.createLanguageService({
      getCompilationSettings: () => options,
      getScriptFileNames: () => [file],
      getScriptVersion: () => String(source.length),
      getScriptSnapshot: (name) => {
        const text = name === file ? source : ts.sys.readFile(name);
        return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
      },
      getCurrentDirectory: () => root,
      getDefaultLibFileName: ts.getDefaultLibFilePath,
      fileExists: (name) => name === file || ts.sys.fileExists(name),
      readFile: ts.sys.readFile,
      directoryExists: ts.sys.directoryExists,
    });
    // Which options there are is what the compiler completes.
    const named = Object.values(places).map(([type]) => `export declare const of${type}: types.${type};\n`);
    source += [...new Set(named)].join('');
    const checker = service.getProgram().getTypeChecker();
    const declared = Object.fromEntries(checker.getExportsOfModule(checker.getSymbolAtLocation(service.getProgram().getSourceFile(file)))
      .map((symbol) => [symbol.name.slice(2), checker.getTypeOfSymbol(symbol).getProperties().map(({ name }) => name)]));

    const spots = [];
    for (const [place, [type, program]] of Object.entries(places)) {
      const [head, tail] = program.split('?');
      source += `{ const { createFetch, RetryPolicy, retry, retryStream, withRetry, withFallback, CircuitBreaker, RetryBudget, classify, RetryError } = dacapo; ${head}`;
      for (const option of declared[type]) {
        spots.push([place, option, source.length]);
        source += `${option}: undefined as never, `;
      }
      source += `${tail} }\n`;
    }
    for (const [place, option, at] of spots) {
      (shown[place] ??= {})[option] = ts.displayPartsToString(service.getQuickInfoAtPosition(file, at)?.documentation).replace(/\s+/g, ' ');
    }
  });

  for (const place of Object.keys(places)) {
    test(place, () => {
      const options = Object.entries(shown[place]);
      assert.ok(options.length >= 5, `${options.length} options`);
      for (const [option, text] of options) {
        assert.ok(text !== '', `${option}: nothing`);
        if (!required.has(`${place} ${option}`)) assert.match(text, /default/i, `${option}: its default`);
        if (/Ms$/.test(option)) assert.match(text, /millisecond/, `${option}: its unit`);
        if (/Bytes$/.test(option)) assert.match(text, /bytes/, `${option}: its unit`);
      }
    });
  }

  test('the defaults that it shows are the ones in force', () => {
    const inForce = [
      ['RetryPolicy', new RetryPolicy().options],
      ['CircuitBreaker', new RetryPolicy({ breaker: true }).options.breaker],
      ['RetryBudget', new RetryPolicy({ budget: true }).options.budget],
    ];
    for (const [place, options] of inForce) {
      assert.ok(Object.keys(options).length > 8);
      for (const [option, value] of Object.entries(options)) {
        const text = shown[place][option];
        const [, plain, word] = /Default `?'?([\w.]*\w)|`'([^']*)'`(?: \(|, )default\)/.exec(text) ?? [];
        const told = plain ?? word;
        const names = [String(value), ...(value === 0 || value === false ? ['off'] : [])];
        // One may follow another.
        assert.ok(names.includes(told) || options[told] === value, `${place} ${option}: ${told} is told, ${value} is in force`);
      }
    }
  });
});
