// The table of places and columns that the section `matrix` of `npm test` fills. Run as a program, it fails where a place is missing.

import { existsSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { join } from 'node:path';

import { columns } from '../tests/matrix/lib/columns.js';
import { absent, placeOf, places } from '../tests/matrix/lib/places.js';
import { FOLDER } from '../tests/matrix/lib/record.js';

/** Forgets earlier runs. */
export function clear() {
  rmSync(FOLDER, { recursive: true, force: true });
}

/** What the places recorded, in the order of `places`; nothing for one that did not. */
function rows() {
  const files = existsSync(FOLDER) ? readdirSync(FOLDER) : [];
  const recorded = files.map((file) => JSON.parse(readFileSync(join(FOLDER, file), 'utf8')));
  return places.flatMap((expected) => {
    const found = recorded.filter(({ place }) => placeOf(place) === expected);
    return found.length > 0 ? found : [{ place: expected }];
  });
}

/** The table as text: places down, columns across. */
export function table() {
  const names = Object.keys(columns);
  const all = rows();
  const width = Math.max(...all.map(({ place }) => place.length));
  const line = (place, cells) => [place.padEnd(width), ...cells.map((cell, i) => cell.padEnd(names[i].length))].join('  ').trimEnd();
  const mark = (failed) => (failed === null ? '✓' : '✗');
  return [
    line('', names),
    ...all.map(({ place, outcomes }) => (outcomes ? line(place, names.map((name) => mark(outcomes[name]))) : `${place.padEnd(width)}  did not run`)),
    '',
    ...Object.entries(absent).map(([place, why]) => `Not here: ${place}. ${why}`),
  ].join('\n');
}

if (process.argv[1] === import.meta.filename) {
  const missing = rows().filter(({ outcomes }) => outcomes === undefined);
  for (const { place } of missing) console.error(`${place} has recorded nothing`);
  console.log(`${places.length} places, ${missing.length} of them missing`);
  process.exitCode = missing.length > 0 ? 1 : 0;
}
