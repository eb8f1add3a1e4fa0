import { watchRejections } from '../tests/js/lib/suites.js';
import { run } from './contract.js';

watchRejections();
globalThis.addEventListener('message', async ({ data }) => globalThis.postMessage(await run(...data)));
