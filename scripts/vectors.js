// Replays what providers send through the built package, and says for each of them how much of it is judged right.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { classify } from 'dacapo';

import { root } from './setup.js';

/** The moment from which the dates in the vectors are a few seconds away. */
const NOW_MS = Date.UTC(2026, 0, 1);

const rows = JSON.parse(readFileSync(join(root, 'tests/vectors/providers.json'), 'utf8'));
const counts = new Map();
let failed = 0;

for (const row of rows) {
  const count = counts.get(row.provider) ?? { right: 0, all: 0 };
  counts.set(row.provider, count);
  const { status, headers, body } = row;
  const found = classify({ status, headers, body, nowMs: NOW_MS });
  const faults = ['kind', 'retryable', 'retryAfterMs'].filter((member) => found[member] !== row[member]);
  count.all++;
  if (faults.length === 0) {
    count.right++;
    continue;
  }
  const excuse = row.knownMiss ?? (row.contested ? 'contested' : undefined);
  if (excuse === undefined) failed++;
  const told = faults.map((member) => `${member} ${found[member]}, not ${row[member]}`).join('; ');
  console.log(`wrong: ${row.provider}/${row.name}: ${told} (rule ${found.rule})${excuse ? ` [${excuse}]` : ''}`);
}

for (const [provider, { right, all }] of counts) console.log(`${`${right}/${all}`.padStart(7)}  ${provider}`);
const right = [...counts.values()].reduce((sum, count) => sum + count.right, 0);
console.log(`${`${right}/${rows.length}`.padStart(7)}  all`);
if (failed > 0) console.error(`${failed} are wrong without an excuse in docs/kinds.md`);
process.exitCode = failed > 0 ? 1 : 0;
