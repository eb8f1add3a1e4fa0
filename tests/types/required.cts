// From a CommonJS program, which Node lets require an ES module.

import { createFetch, type RetryingFetch } from 'dacapo';
import slim = require('dacapo/slim');

export const made: RetryingFetch = createFetch();
export const given: Promise<void> = slim.init('/dacapo.wasm');
