// Keeps what came of each place in the matrix, for the table that ends `npm test` (scripts/matrix.js).

import assert from 'node:assert/strict';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

import { columns } from './columns.js';
import { placeOf } from './places.js';

export const FOLDER = join(import.meta.dirname, '../../../target/matrix');

/**
 * Keeps the outcomes of a place, such as "Node.js 22.1.0" or "Next.js 16, edge", and fails unless all of it passed.
 *
 * @param {string} place With the version that ran.
 * @param {Record<string, string | null>} outcomes As `runColumns` gives them.
 */
export function record(place, outcomes) {
  assert.ok(placeOf(place) !== undefined, `${place} is not in tests/matrix/lib/places.js`);
  assert.deepEqual(Object.keys(outcomes), Object.keys(columns), `${place} ran other columns`);
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, `${encodeURIComponent(place)}.json`), JSON.stringify({ place, outcomes }));
  const failures = Object.entries(outcomes).filter(([, failed]) => failed !== null);
  assert.equal(failures.length, 0, `${place}\n${failures.map(([column, failed]) => `${column}: ${failed}`).join('\n')}`);
}
