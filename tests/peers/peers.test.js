// The suites of other retry libraries, as their tarballs have them, run against the packed package under their API.

import assert from 'node:assert/strict';
import { before, describe, test } from 'node:test';

import { userProject } from '../matrix/lib/tarball.js';
import { differences } from './differences.js';
import { runSuite } from './lib/suite.js';

/** @type {import('./lib/suite.js').Peer[]} */
const peers = [
  { name: 'fetch-retry', suite: 'test/unit/index.js', adapter: 'fetch-retry.js' },
  { name: 'promise-retry', suite: 'test/test.js', adapter: 'promise-retry.js', time: 'jumps' },
  { name: 'retry-as-promised', suite: 'test/promise.test.js', adapter: 'retry-as-promised.js', time: 'jumps' },
  { name: '@vercel/fetch-retry', suite: 'test.js', adapter: 'vercel-fetch-retry.js' },
];

const timeout = 120_000;
let project;
before(async () => (project = await userProject()), { timeout });

describe('the suites of peers', { concurrency: 2 }, () => {
  for (const peer of peers) {
    test(`dacapo under the API of ${peer.name} does what the suite of ${peer.name} says`, { timeout }, async (t) => {
      const own = await runSuite(peer);
      // Else a difference could be the suite's own.
      assert.deepEqual(own.filter(({ failure }) => failure !== null), [], `${peer.name} passes its suite here`);
      const outcomes = await runSuite(peer, project);
      assert.deepEqual(outcomes.map(({ title }) => title), own.map(({ title }) => title));

      const expected = new Map((differences[peer.name] ?? []).flatMap(({ because, tests }) => tests.map((title) => [title, because])));
      for (const { title, failure } of outcomes) {
        const because = expected.get(title);
        await t.test(because === undefined ? title : `differs: ${title}, since ${because}`, () => {
          if (because === undefined) assert.equal(failure, null);
          else assert.notEqual(failure, null, 'listed as a difference, and there is none');
        });
      }
      assert.deepEqual([...expected.keys()].filter((title) => !outcomes.some((outcome) => outcome.title === title)), [], 'listed tests exist');
    });
  }
});

test('every list of differences belongs to a peer', () => {
  assert.deepEqual(Object.keys(differences).filter((name) => !peers.some((peer) => peer.name === name)), []);
});
