// The tarball that the places of the matrix install.

import { cpSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

import { install, pack, root } from '../../packaging/lib/package.js';

/**
 * A project of its own with the packed package and nothing else in node_modules; gone when the process ends.
 *
 * @param {string} [programs] A folder whose files it has as well; there they find the suites as `./tests/…`.
 * @returns {Promise<string>} Its folder.
 */
export async function userProject(programs) {
  const folder = mkdtempSync(join(tmpdir(), 'dacapo-matrix-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  const { tarball } = await pack(folder);
  const project = join(folder, 'user');
  await install(project, tarball);
  if (programs !== undefined) {
    cpSync(programs, project, { recursive: true });
    symlinkSync(join(root, 'tests'), join(project, 'tests'));
  }
  return project;
}
