// docs/runtimes.md, taken apart.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';

import { root } from '../../packaging/lib/package.js';

const page = readFileSync(join(root, 'docs/runtimes.md'), 'utf8');

/** The code block under the comment `mark`. */
export function block(mark) {
  const [, code] = page.split(`<!-- ${mark} -->\n`)[1]?.match(/^```\w+\n([^]*?)^```$/m) ?? [];
  if (code === undefined) throw new Error(`docs/runtimes.md has no ${mark}`);
  return code;
}

/** The rows of the table with this head, as cells. */
export function table(...head) {
  const [, ...rows] = page.split(`| ${head.join(' | ')} |\n`)[1].split('\n\n', 1)[0].split('\n');
  return rows.map((row) => row.split('|').slice(1, -1).map((cell) => cell.trim()));
}
