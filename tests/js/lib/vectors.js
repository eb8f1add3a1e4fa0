import { readFileSync } from 'node:fs';

/** The shared vectors of tests/vectors/, which the Rust tests read too. */
export function vectors(name) {
  return JSON.parse(readFileSync(new URL(`../../vectors/${name}.json`, import.meta.url), 'utf8'));
}
