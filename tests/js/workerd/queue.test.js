// examples/cloudflare-queue in miniflare: a call that is deferred goes through the queue and on from where it stood.

import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { play, seen } from '../lib/play.js';
import { startServer } from '../lib/scripted-server.js';
import { startExample } from './miniflare.js';

const CLIENT = { authorization: 'Bearer client-canary' };

describe('the example of a queue', { timeout: 120_000 }, () => {
  let api;
  before(async () => {
    api = await startServer();
  });
  after(() => api.close());

  /** What became of a job that met these answers, and the requests that the provider saw. */
  async function worked(steps, bindings) {
    const url = play(api.origin, steps);
    const example = await startExample('cloudflare-queue', { API_URL: url, API_KEY: 'sk-canary-of-the-provider', CLIENT_TOKEN: 'client-canary', ...bindings });
    try {
      const { id } = await (await example.ask('/jobs', { method: 'POST', body: 'Say hello.', headers: CLIENT })).json();
      for (const end = Date.now() + 30_000; Date.now() < end;) {
        const result = await (await example.ask(`/jobs/${id}`, { headers: CLIENT })).json();
        if (result.state !== 'waiting') return { result, requests: await seen(url), complaints: example.complaints };
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
      throw new Error(`nothing came of it: ${JSON.stringify([await seen(url), example.complaints])}`);
    } finally {
      await example.stop();
    }
  }

  test('a job whose provider wants it back later is resumed then, with its history', async () => {
    const busy = { status: 429, headers: { 'retry-after': '2' } };
    const { result, requests, complaints } = await worked([{ status: 503 }, busy, { json: { text: 'hello' } }], { LONGEST_WAIT_MS: 1000 });
    assert.deepEqual(complaints, []);
    assert.deepEqual([result.state, result.status, JSON.parse(result.answer)], ['done', 200, { text: 'hello' }]);

    const { attempts, retry } = result.history;
    assert.deepEqual(attempts.map(({ attempt, error }) => [attempt, error.status]), [[1, 503], [2, 429]]);
    assert.deepEqual([retry.totalAttempts, retry.failedAttempts], [3, 2]);

    assert.equal(requests.length, 3);
    assert.ok(requests[2].atMs - requests[1].atMs >= 2000, 'it was not asked before it wanted to be');
    for (const { body, headers } of requests) {
      assert.deepEqual(JSON.parse(body).messages, [{ role: 'user', content: 'Say hello.' }]);
      assert.equal(headers.authorization, 'Bearer sk-canary-of-the-provider');
      assert.equal(headers['idempotency-key'], requests[0].headers['idempotency-key']);
    }
    assert.doesNotMatch(JSON.stringify(result), /canary/);
  });

  test('a job that fails for good is told of with its answer', async () => {
    const { result, requests } = await worked([{ status: 400, json: { error: { message: 'no such model' } } }]);
    assert.deepEqual([result.state, result.status, result.history.mark, requests.length], ['failed', 400, 'not_retryable', 1]);
    assert.match(result.answer, /no such model/);
  });

  test('nobody is served who has no token', async () => {
    const example = await startExample('cloudflare-queue', { API_KEY: 'k', CLIENT_TOKEN: 'client-canary' });
    try {
      assert.equal((await example.ask('/jobs/1')).status, 401);
    } finally {
      await example.stop();
    }
  });
});
