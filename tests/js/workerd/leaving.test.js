// sabotage: exempt, what is held of a call does not depend on what the engine decides

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { play, seen, seenUntil } from '../lib/play.js';
import { startServer } from '../lib/scripted-server.js';
import { startWorker } from './workerd.js';

const WAITS = [{ status: 503, headers: { 'retry-after': '300' } }];
const STALLS = [{ status: 503, headers: { 'retry-after-ms': '1' } }, { fault: 'no-headers' }];

/** How the clients leave, and which scripts leave their calls there. */
const phases = {
  'during a wait': ['wait', WAITS, 1],
  'during a wait, with a signal': ['wait?signal', WAITS, 1],
  'during an attempt without a limit': ['wait', STALLS, 2],
  'during an attempt with a limit': ['attempt', STALLS, 2],
  'during an attempt, with a signal': ['attempt?signal', STALLS, 2],
  'during a hedged attempt': ['hedge', STALLS, 3],
  'during a hook': ['hook', WAITS, 1],
  'during a wait by a clock of the caller’s': ['clock', WAITS, 1],
  'during the wait of an operation': ['operation', WAITS, 1],
};

for (const [date, isWeak] of [['2026-11-01', true], ['2025-05-04', false]]) {
  describe(`clients that leave a Worker of ${date}`, { timeout: 120_000 }, () => {
    let api;
    let worker;

    before(async () => {
      api = await startServer();
      worker = await startWorker(new URL('leaving.js', import.meta.url), { compatibilityDate: date, v8Flags: ['--expose-gc'] });
    });
    after(async () => {
      await worker?.stop();
      await api.close();
    });

    const held = async () => (await fetch(`${worker.origin}/held`)).json();

    /** A client that comes, and leaves when the provider has seen so many requests of it. */
    async function leaves([way, steps, requests]) {
      const to = play(api.origin, steps);
      const { pathname, search } = new URL(`${worker.origin}/${way}${way.includes('?') ? '&' : '?'}${new URLSearchParams({ to })}`);
      const client = connect(Number(new URL(worker.origin).port), '127.0.0.1');
      client.on('error', () => {});
      client.write(`GET ${pathname}${search} HTTP/1.1\r\nhost: worker\r\n\r\n`);
      await seenUntil(to, ({ length }) => length === requests);
      await new Promise((resolve) => setTimeout(resolve, 50));
      client.resetAndDestroy();
      return to;
    }

    /** Waits until as many calls are held as should be. */
    async function heldUntil(count) {
      let last;
      for (let tries = 0; tries < 100; tries++) {
        last = await held();
        if (last.calls === count) return last;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      return assert.fail(`${JSON.stringify(last)}, and not ${count}`);
    }

    for (const [when, phase] of Object.entries(phases)) {
      if (!isWeak && phase[0] !== 'wait') continue;
      test(`${when} leave nothing of their calls behind`, async () => {
        await Promise.all(Array.from({ length: 6 }, () => leaves(phase)));
        await heldUntil(0);
      });
    }

    test('calls whose clients stay are held through any number of collections, and go on', async () => {
      const waits = play(api.origin, [{ status: 503, headers: { 'retry-after': '1' } }, { status: 201 }]);
      const stalls = play(api.origin, [{ status: 503, headers: { 'retry-after-ms': '1' } }, { status: 202, delayMs: 1000 }]);
      const answers = ['wait', 'attempt', 'operation'].flatMap((way) => [waits, stalls].map((to) => (
        fetch(`${worker.origin}/${way}?${new URLSearchParams({ to: to.replace('/play/', `/play/${way}-`) })}`).then((response) => response.json())
      )));
      let most = 0;
      for (let looks = 0; looks < 10; looks++) {
        await new Promise((resolve) => setTimeout(resolve, 50));
        const { calls } = await held();
        most = Math.max(most, calls);
      }
      assert.deepEqual(await Promise.all(answers), [201, 202, 201, 202, 201, 202]);
      // Without WeakRef nobody can count them.
      assert.equal(most, isWeak ? 6 : 0);
      assert.equal((await held()).calls, 0);
    });

    test('the places of their calls are used again', { skip: !isWeak && 'without WeakRef nobody can tell which are free' }, async () => {
      for (let round = 0; round < 8; round++) {
        await Promise.all(Array.from({ length: 20 }, () => leaves(phases['during a wait'])));
        await heldUntil(0);
      }
      assert.ok((await held()).places < 90, JSON.stringify(await held()));
    });

    test('a later call is served', async () => {
      const to = play(api.origin, [{ status: 503 }, { status: 200 }]);
      const response = await fetch(`${worker.origin}/wait?${new URLSearchParams({ to })}`);
      assert.equal(await response.json(), 200);
      assert.equal((await seen(to)).length, 2);
    });
  });
}
