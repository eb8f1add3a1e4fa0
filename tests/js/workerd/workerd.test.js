// The package in a real workerd: a Worker whose fetch was made at global scope, called over HTTP.

import assert from 'node:assert/strict';
import { connect } from 'node:net';
import { after, before, describe, test } from 'node:test';
import { play, seen, seenUntil } from '../lib/play.js';
import { startServer } from '../lib/scripted-server.js';
import { titles } from '../lib/suites.js';
import { startWorker } from './workerd.js';

const TROUBLED = [{ status: 503 }, { fault: 'reset' }, { json: { answer: 42 } }];

describe('in workerd', { timeout: 120_000 }, () => {
  let api;
  let worker;

  before(async () => {
    api = await startServer();
    worker = await startWorker(new URL('worker.js', import.meta.url));
  });
  after(async () => {
    await worker?.stop();
    await api.close();
  });

  const address = (path, query) => `${worker.origin}${path}?${new URLSearchParams(query)}`;

  /** That an ordinary call through a few troubles works. */
  async function works() {
    const url = play(api.origin, TROUBLED);
    const response = await fetch(address('/ask', { to: url }));
    assert.equal(response.status, 200, await response.clone().text());
    assert.equal(response.headers.get('x-attempts'), '3');
    assert.deepEqual(await response.json(), { answer: 42 });
    assert.equal((await seen(url)).length, 3);
  }

  test('the package is bundled for a Worker without a warning', () => {
    assert.deepEqual(worker.warnings, []);
  });

  test('policy, fetch, explanation, verdict and error are made at global scope', async () => {
    const response = await fetch(address('/made', {}));
    assert.deepEqual(await response.json(), { backoffMs: 40, maxAttempts: 3, retryAfterMs: 2000, kind: 'overloaded', raised: false });
  });

  test('a Worker’s own fetch is retried through an error status and a reset connection', works);

  test('the last failed answer passes through the Worker with its body', async () => {
    const response = await fetch(address('/ask', { to: play(api.origin, [{ status: 503 }, { status: 500, body: 'down for good' }]) }));
    assert.deepEqual([response.status, response.headers.get('x-attempts'), await response.text()], [500, '3', 'down for good']);
  });

  test('a client’s request is passed on and its body sent again', async () => {
    const url = play(api.origin, TROUBLED);
    const response = await fetch(address('/forward', { to: url }), { method: 'POST', body: 'from the client', headers: { 'x-mine': 'kept' } });
    assert.deepEqual(await response.json(), { answer: 42 });
    assert.deepEqual((await seen(url)).map(({ method, body, headers }) => [method, body, headers['x-mine']]), Array(3).fill(['POST', 'from the client', 'kept']));
  });

  test('requests that are served at once do not mix', async () => {
    const answers = await Promise.all(Array.from({ length: 20 }, async (_, n) => {
      const response = await fetch(address('/ask', { to: play(api.origin, [{ status: 503, delayMs: n * 3 }, { json: { n } }]) }));
      return response.json();
    }));
    assert.deepEqual(answers, Array.from({ length: 20 }, (_, n) => ({ n })));
  });

  for (const title of titles) {
    test(title, { timeout: 20_000 }, async () => {
      const response = await fetch(address('/run', { title, origin: api.origin }));
      const failed = response.ok ? await response.json() : await response.text();
      if (failed !== null) assert.fail(failed);
    });
  }

  const phases = {
    'during a wait': { steps: [{ status: 503 }], options: { initialDelayMs: 400 }, sent: true },
    'during a wait that a hint made': { steps: [{ status: 503, headers: { 'retry-after-ms': '400' } }], options: {}, sent: true },
    'in flight': { steps: [{ fault: 'no-headers' }], options: {}, sent: false },
    'in flight under a timeout': { steps: [{ fault: 'no-headers' }], options: { timeoutMs: 400 }, sent: false },
    'while a failed answer is read': { steps: [{ status: 503, body: 'so ', fault: 'stall' }], options: {}, sent: false },
    'while a JSON answer is inspected': { steps: [{ chunks: ['{'], headers: { 'content-type': 'application/json' }, fault: 'stall' }], options: {}, sent: false },
    'while the answer streams through': { steps: [{ body: 'once upon ', fault: 'stall' }], options: {}, sent: false },
  };
  for (const [when, { steps, options, sent }] of Object.entries(phases)) {
    for (const linked of [true, false]) {
      test(`a client that leaves ${when} ${linked ? 'ends the call' : 'ends a call without a signal'} and disturbs no later request`, async () => {
        await fetch(address('/outcomes', {}));
        const url = play(api.origin, steps);
        const { pathname, search } = new URL(address('/ask', { to: url, options: JSON.stringify(options), ...(linked && { signal: 'yes' }) }));
        const client = connect(Number(new URL(worker.origin).port), '127.0.0.1');
        client.write(`GET ${pathname}${search} HTTP/1.1\r\nhost: worker\r\n\r\n`);
        await seenUntil(url, ({ length }) => length === 1);
        await new Promise((resolve) => setTimeout(resolve, 50));
        // A reset: workerd takes a mere end of the client's side for a client that still listens.
        client.resetAndDestroy();
        await Promise.all([works(), works()]);
        if (!sent) await seenUntil(url, ([first]) => first?.left);
        else await new Promise((resolve) => setTimeout(resolve, 500));
        await works();
        assert.equal((await seen(url)).length, 1);
        const outcomes = await (await fetch(address('/outcomes', {}))).json();
        const handedOver = when === 'while the answer streams through';
        assert.deepEqual(outcomes.toSorted(), [...(linked && !handedOver ? ['cancelled'] : []), 'delivered', 'delivered', 'delivered']);
      });
    }
  }

  test('workerd had nothing to complain about', () => {
    assert.equal(worker.output(), '');
  });
});
