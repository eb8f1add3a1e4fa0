// One contestant of one scenario, beside the bare call, in a process of its own: no library is measured while another's
// garbage is collected, or by code that another has taught the compiler.
// node contest.js <scenario> <contestant> <rounds>; prints a result of measure.js as JSON.

import { measure } from './measure.js';
import { scenarios } from './scenarios.js';
import { fetched, stubWaits } from './world.js';

const [id = '', name = '', rounds = '0'] = process.argv.slice(2);
const scenario = scenarios[id];
if (scenario === undefined) throw new Error(`no scenario ${id}`);
if (scenario.waits) stubWaits();

const all = scenario.contestants();
const contestant = all.find((one) => one.name === name);
const bare = all.find((one) => one.name === contestant?.bare);
if (contestant === undefined || bare === undefined) throw new Error(`no contestant ${name}`);
for (let i = 0; i < 3; i++) {
  const before = fetched.count;
  await contestant.call();
  const made = fetched.count - before;
  if (made !== scenario.fetches) throw new Error(`${name} made ${made} fetches and not ${scenario.fetches}`);
}
const [, result] = await measure([bare, contestant], Number(rounds));
process.stdout.write(JSON.stringify(result), () => process.exit());
