// A web worker that runs the contract. A page's import map does not reach it, so it imports by path.

import * as dacapo from '/node_modules/dacapo/js/load/inline.js';
import { watchRejections } from '../../js/lib/suites.js';
import { runColumns } from '../lib/columns.js';

watchRejections();

addEventListener('message', async ({ data: origin }) => postMessage(await runColumns(dacapo, origin)));
