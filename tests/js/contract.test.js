// What a program can rely on, over real HTTP, in this Node; the same list runs in Chromium and in workerd.

import { after, before, describe, test } from 'node:test';
import * as dacapo from 'dacapo';
import { contractTests } from './lib/contract-cases.js';
import { startServer } from './lib/scripted-server.js';

describe('in Node', () => {
  let server;
  before(async () => {
    server = await startServer();
  });
  after(() => server.close());

  for (const [title, run] of contractTests()) test(title, { timeout: 20_000 }, () => run(dacapo, server.origin));
});
