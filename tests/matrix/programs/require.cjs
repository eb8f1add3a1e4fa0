// Requires an entry, then imports it: the names of both, and those of them that are not the same thing.

const [entry] = process.argv.slice(2);
const required = require(entry);

import(entry).then((imported) => {
  const names = Object.keys(required).sort();
  const twins = Object.keys(imported).filter((name) => imported[name] !== required[name]);
  const { kind, retryAfterMs } = entry === 'dacapo' ? required.classify({ status: 429, headers: { 'retry-after': '2' } }) : {};
  console.log(JSON.stringify({ names, twins, kind, retryAfterMs }));
});
