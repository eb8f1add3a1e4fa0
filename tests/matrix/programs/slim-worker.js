import engine from 'dacapo/dacapo.wasm';
import * as dacapo from 'dacapo/slim';

import { workerOf } from './worker.js';

// A compiled module is taken at once, so nothing has to wait for it.
dacapo.init(engine);
export default await workerOf(dacapo);
