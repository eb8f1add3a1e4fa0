// The project in which the places of the matrix run.

import { cpSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';

import * as packaging from '../../packaging/lib/package.js';

/**
 * A user's project, as the packaging tests have it.
 *
 * @param {string} [programs] A folder whose files it has as well; there they find the suites as `./tests/…`.
 * @returns {Promise<string>} Its folder.
 */
export async function userProject(programs) {
  const project = await packaging.userProject();
  if (programs !== undefined) {
    cpSync(programs, project, { recursive: true });
    symlinkSync(join(packaging.root, 'tests'), join(project, 'tests'));
  }
  return project;
}
