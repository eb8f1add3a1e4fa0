// sabotage: exempt, types are compiled and no engine runs
// The types of the package, as TypeScript programs of several settings see them.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { join, resolve } from 'node:path';
import test from 'node:test';
import { promisify } from 'node:util';

const root = resolve(import.meta.dirname, '../..');

for (const exact of ['true', 'false']) {
  for (const resolution of ['nodenext', 'bundler']) {
    test(`they hold with moduleResolution ${resolution} and exactOptionalPropertyTypes ${exact}`, { timeout: 120_000 }, async () => {
      const options = [
        '--ignoreConfig', '--noEmit', '--strict', '--skipLibCheck', 'false', '--exactOptionalPropertyTypes', exact, '--noUncheckedIndexedAccess', '--target', 'es2024',
        '--lib', 'es2024,esnext.disposable,dom,dom.iterable,dom.asynciterable', '--types', '', '--module', resolution === 'bundler' ? 'esnext' : resolution, '--moduleResolution', resolution,
      ];
      const tsc = join(root, 'node_modules/typescript/bin/tsc');
      await promisify(execFile)(process.execPath, [tsc, ...options, 'tests/types/contract.ts'], { cwd: root }).catch(({ stdout, message }) => assert.fail(stdout || message));
    });
  }
}
