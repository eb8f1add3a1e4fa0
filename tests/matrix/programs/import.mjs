// Runs the columns in the runtime that runs this, and says which it is.

import process from 'node:process';

import * as dacapo from 'dacapo';
import { runColumns } from './tests/matrix/lib/columns.js';

const { Bun, Deno } = globalThis;
const runtime = Deno ? `Deno ${Deno.version.deno}` : Bun ? `Bun ${Bun.version}` : `Node.js ${process.versions.node}`;
console.log(JSON.stringify({ runtime, outcomes: await runColumns(dacapo, process.argv[2]) }));
