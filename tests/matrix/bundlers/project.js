// A user's project: the packed package, the suite of the matrix, and the apps of a folder beside them.

import { cpSync } from 'node:fs';
import { join } from 'node:path';

import { root } from '../../packaging/lib/package.js';
import { userProject } from '../lib/tarball.js';

/** What the apps import of the suite, which has no `node:` import. */
const SUITE = ['tests/js/lib', 'tests/matrix/lib/columns.js'];

/**
 * @param {string} apps A folder beside this file.
 * @returns {Promise<string>} The project's folder.
 */
export async function projectWith(apps) {
  const project = await userProject();
  for (const path of SUITE) cpSync(join(root, path), join(project, path), { recursive: true });
  cpSync(join(import.meta.dirname, apps), join(project, apps), { recursive: true });
  return project;
}
