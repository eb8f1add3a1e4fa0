import { watchRejections } from '../tests/js/lib/suites.js';
import { run } from './contract.js';

watchRejections();
globalThis.runHere = run;
