import * as dacapo from 'dacapo';

import { workerOf } from './worker.js';

export default await workerOf(dacapo);
