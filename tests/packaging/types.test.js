// The types of the packed package, as programs of several compilers and runtimes see them.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { cpSync, readdirSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { before, describe, test } from 'node:test';
import { promisify } from 'node:util';

import { root, userProject } from './lib/package.js';

const types = join(root, 'tests/types');
const tools = join(types, 'tools');

const compilers = {
  'TypeScript 7.0': join(root, 'node_modules/typescript'),
  'TypeScript 5.4': join(tools, 'node_modules/typescript-5.4'),
};

/** What a program has of its runtime's types. */
const runtimes = {
  DOM: { lib: ['es2022', 'dom', 'dom.iterable'], types: [] },
  Node: { lib: ['es2022'], types: ['node'] },
  Workers: { lib: ['es2022'], types: ['@cloudflare/workers-types'] },
};

const settings = [
  ['TypeScript 7.0', 'bundler', 'DOM', { exactOptionalPropertyTypes: true }],
  ['TypeScript 7.0', 'bundler', 'Workers', {}],
  ['TypeScript 7.0', 'nodenext', 'DOM', {}],
  ['TypeScript 7.0', 'nodenext', 'Node', { exactOptionalPropertyTypes: true }],
  ['TypeScript 7.0', 'node16', 'Node', {}],
  ['TypeScript 5.4', 'bundler', 'DOM', {}],
];

describe('the types hold', () => {
  let user;
  before(async () => {
    user = await userProject();
    for (const file of readdirSync(types)) if (/\.c?ts$/.test(file)) cpSync(join(types, file), join(user, file));
    const borrowed = { '@types/node': root, '@cloudflare/workers-types': tools, 'expect-type': tools };
    for (const [name, owner] of Object.entries(borrowed)) {
      const link = join(user, 'node_modules', name);
      mkdirSync(dirname(link), { recursive: true });
      symlinkSync(join(owner, 'node_modules', name), link);
    }
  });

  for (const [compiler, moduleResolution, runtime, more] of settings) {
    const claim = [compiler, `moduleResolution ${moduleResolution}`, `types of ${runtime}`, ...Object.keys(more)].join(', ');
    test(`with ${claim}`, { timeout: 120_000 }, async () => {
      // Of a CommonJS program Node16 says that it cannot import an ES module, as it was at first.
      const include = ['*.ts', ...(moduleResolution === 'nodenext' ? ['*.cts'] : [])];
      const compilerOptions = {
        strict: true, noEmit: true, skipLibCheck: false, noUncheckedIndexedAccess: true, noUnusedLocals: true, target: 'es2022',
        module: moduleResolution === 'bundler' ? 'esnext' : moduleResolution, moduleResolution, ...runtimes[runtime], ...more,
      };
      writeFileSync(join(user, 'tsconfig.json'), JSON.stringify({ compilerOptions, include }));
      await promisify(execFile)(process.execPath, [join(compilers[compiler], 'bin/tsc')], { cwd: user }).catch(({ stdout, message }) =>
        assert.fail(stdout || message),
      );
    });
  }
});
