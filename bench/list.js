// Prints what there is to measure as JSON: only the pinned Node.js can import all peers.

import { scenarios } from './scenarios.js';

const sheets = Object.entries(scenarios).map(([id, { title, text, against, contestants }]) => {
  const names = contestants().filter(({ name, bare }) => name !== bare).map(({ name }) => name);
  return { id, title, text, against, names };
});
process.stdout.write(JSON.stringify(sheets), () => process.exit());
