// One heat of one scenario. node contest.js <scenario> light|heavy <rounds>; prints a sheet of report.js as JSON.

import { measure } from './measure.js';
import { heavies } from './peers.js';
import { scenarios } from './scenarios.js';
import { fetched, stubWaits } from './world.js';

const [id = '', heat = '', rounds = '0'] = process.argv.slice(2);
const scenario = scenarios[id];
if (scenario === undefined) throw new Error(`no scenario ${id}`);
if (scenario.waits) stubWaits();

const contestants = scenario.contestants().filter(({ name, bare }) => name === bare || heavies.has(name) === (heat === 'heavy'));
for (const { name, call } of contestants) {
  for (let i = 0; i < 3; i++) {
    const before = fetched.count;
    await call();
    const made = fetched.count - before;
    if (made !== scenario.fetches) throw new Error(`${name} made ${made} fetches and not ${scenario.fetches}`);
  }
}
const results = await measure(contestants, Number(rounds));
const { title, text, against } = scenario;
process.stdout.write(JSON.stringify({ title, text, results, against }), () => process.exit());
