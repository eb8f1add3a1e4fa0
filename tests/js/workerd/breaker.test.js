// sabotage: exempt, the wrong engine does nothing wrong to the state that calls share
//
// examples/cloudflare-breaker in miniflare: two isolates share a breaker by way of a Durable Object.

import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { after, before, describe, test } from 'node:test';
import { startExample } from './miniflare.js';

const OPEN_MS = 2000;

describe('the example of a breaker, in two isolates', { timeout: 120_000 }, () => {
  const provider = { isUp: false, requests: 0, answerable: undefined };
  let server;
  let example;

  before(async () => {
    server = createServer(async (request, response) => {
      provider.requests += 1;
      request.resume();
      await provider.answerable;
      response.writeHead(provider.isUp ? 200 : 503, { 'content-type': 'application/json' }).end('{"from":"the provider"}');
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const API_URL = `http://127.0.0.1:${server.address().port}/v1`;
    example = await startExample('cloudflare-breaker', { API_URL, API_KEY: 'sk-canary', CLIENT_TOKEN: 'mine', OPEN_MS }, ['one', 'two']);
  });
  after(async () => {
    await example?.stop();
    server.closeAllConnections();
    server.close();
  });

  /** What an isolate answered: the provider's status, or `refused`. */
  async function ask(name) {
    const response = await example.ask('/', { method: 'POST', body: '{"ask":1}', headers: { authorization: 'Bearer mine' } }, name);
    const { error } = await response.json();
    if (error?.code !== 'circuit_open') return response.status;
    assert.equal(response.status, 503);
    assert.match(response.headers.get('retry-after'), /^\d+$/);
    return 'refused';
  }

  /** Asks until it is answered so. */
  async function until(name, wanted) {
    const answers = [];
    for (const end = Date.now() + 20_000; Date.now() < end;) {
      answers.push(await ask(name));
      if (answers.at(-1) === wanted) return answers;
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
    throw new Error(`${name} never answered ${wanted}: ${answers}`);
  }

  test('the failures of both open it, and the one that did not see it open learns of it', async () => {
    assert.deepEqual(await Promise.all(['one', 'one', 'two', 'two'].map(ask)), Array(4).fill(503));
    // One more failure is one too many for both.
    const [first, second] = [await until('one', 'refused'), await until('two', 'refused')];
    assert.ok(first.length <= 2 && second.length <= 2, `${first}, ${second}`);
    const { requests } = provider;
    assert.deepEqual([await ask('one'), await ask('two'), provider.requests], ['refused', 'refused', requests]);
  });

  test('after the cool-down one of them may ask, and both do again when that went well', async () => {
    await new Promise((resolve) => setTimeout(resolve, 1.2 * OPEN_MS));
    let answer;
    provider.answerable = new Promise((resolve) => (answer = resolve));
    provider.isUp = true;
    provider.requests = 0;
    const both = ['one', 'two'].map(ask);
    assert.equal(await Promise.race(both), 'refused');
    assert.equal(provider.requests, 1);
    answer();
    assert.deepEqual((await Promise.all(both)).map(String).sort(), ['200', 'refused']);
    await Promise.all([until('one', 200), until('two', 200)]);
  });

  test('neither has complained', () => {
    assert.deepEqual(example.complaints, []);
  });
});
