// The examples of a client's page run and print what they say.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';

import { blocksOf } from '../../js/lib/examples.js';
import { startProvider } from './provider.js';

const LIMIT_MS = 30_000;

/**
 * Runs every js block of docs/clients/`name`.md as a user's program, in a process of its own. A block `<!-- example: x -->`
 * meets the answers of `examples.x`, and prints what its comments `// →` say.
 *
 * @param {string} name
 * @param {(url: string) => Record<string, string>} env How the client is told of the key and the provider.
 * @param {Record<string, import('./provider.js').Answer[]>} examples
 */
export function examplesRun(name, env, examples) {
  const page = readFileSync(join(import.meta.dirname, '../../../docs/clients', `${name}.md`), 'utf8');
  const blocks = blocksOf(page);

  describe(`the examples of docs/clients/${name}.md`, { timeout: LIMIT_MS, concurrency: 2 }, () => {
    test('every js block is an example that is run here, and none is run that is not there', () => {
      assert.deepEqual(blocks.map(({ name: example }) => example).sort(), Object.keys(examples).sort());
    });

    for (const { name: example, source } of blocks) {
      test(`${example} prints what it says and asks as often as it is answered`, async (t) => {
        const lines = [...source.matchAll(/\/\/ → (.*)$/gm)].map(([, text]) => text);
        assert.ok(lines.length > 0, 'an example says what it prints');
        const folder = await mkdtemp(join(tmpdir(), 'dacapo-page-'));
        t.after(() => rm(folder, { recursive: true }));
        await symlink(join(import.meta.dirname, '../node_modules'), join(folder, 'node_modules'));
        await writeFile(join(folder, 'example.mjs'), source);
        const { url, requests } = await startProvider(t, ...examples[example]);
        const { stdout, stderr } = await promisify(execFile)(process.execPath, ['example.mjs'], { cwd: folder, env: { ...process.env, ...env(url) }, timeout: LIMIT_MS });
        assert.deepEqual(stdout.trimEnd().split('\n'), lines);
        assert.equal(stderr, '');
        assert.equal(requests.length, examples[example].length);
      });
    }
  });
}
