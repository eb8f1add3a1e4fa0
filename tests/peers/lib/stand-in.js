// Loaded by mocha before a suite. Puts dacapo, under the peer's API, where the suite requires the peer, and gives the
// suite what it takes for granted.

import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { expect } from 'expect';
import { fn } from 'jest-mock';
import Runner from 'mocha/lib/runner.js';
import sinon from 'sinon';

const { PEER, ADAPTER, PROJECT, TIME } = process.env;
const turn = globalThis.setImmediate;

if (TIME === 'jumps') jumpingTime();
if (ADAPTER !== undefined) await takePlace();

// Of Jest, for the suites that were written for it.
Object.assign(globalThis, { expect, jest: { fn } });
Object.defineProperty(globalThis, 'test', { get: () => globalThis.it });

async function takePlace() {
  settleBeforeTests();
  const entry = createRequire(join(PROJECT, 'package.json')).resolve('dacapo');
  const { adapt } = await import(pathToFileURL(ADAPTER));
  const require = createRequire(import.meta.url);
  const file = require.resolve(PEER);
  require.cache[file] = { id: file, filename: file, loaded: true, exports: adapt(await import(pathToFileURL(entry))) };
}

/** Time that jumps to the next timer whenever nothing is left to do: suites that measure waits are then exact. */
function jumpingTime() {
  const clock = sinon.useFakeTimers({ now: Date.now(), toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] });
  const jump = () => {
    clock.next();
    turn(jump);
  };
  turn(jump);
}

/** A wait ends in a promise: what follows from it is there a microtask after the timer, where the peer calls back inside of it. */
function settleBeforeTests() {
  const { runTest } = Runner.prototype;
  Runner.prototype.runTest = function (done) {
    turn(() => runTest.call(this, done));
  };
}
