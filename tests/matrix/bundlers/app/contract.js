import * as dacapo from 'dacapo';
import { runTest } from '../tests/js/lib/suites.js';
import { columns, runColumns } from '../tests/matrix/lib/columns.js';

/** What shows that the engine runs and is called rightly, in little time. */
const brief = [columns.retry[0], ...columns.options];

/** Runs all columns or, where only the form of the output differs, what breaks with it: claim to what failed of it. */
export async function run(origin, isBrief) {
  if (!isBrief) return runColumns(dacapo, origin);
  const outcomes = {};
  for (const title of brief) outcomes[title] = await runTest(title, dacapo, origin);
  return outcomes;
}
