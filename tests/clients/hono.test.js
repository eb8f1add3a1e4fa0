// The Workers of docs/clients/hono.md, in a real workerd.

import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { pathToFileURL } from 'node:url';

import { blocksOf } from '../js/lib/examples.js';
import { startWorker } from '../js/workerd/workerd.js';
import { json, lost, sse, startProvider, unanswered } from './lib/provider.js';
import { chatStream } from './lib/openai-wire.js';

const page = readFileSync(join(import.meta.dirname, '../../docs/clients/hono.md'), 'utf8');
const blocks = blocksOf(page);

/** One Worker for all the apps: the header `x-example` names the one that is asked. */
const entry = `${blocks.map(({ name }) => `import ${name} from './${name}.mjs';`).join('\n')}
const apps = { ${blocks.map(({ name }) => name).join(', ')} };
export default { fetch: (request, ...more) => apps[request.headers.get('x-example')].fetch(request, ...more) };
`;

const DOWN = json({ error: { message: 'The server is overloaded' } }, { status: 503, headers: { 'retry-after-ms': '20' } });
const BUSY = json({}, { status: 503, headers: { 'retry-after-ms': '400' } });
const ANSWER = json({ text: 'Da capo' });
const TEXT = chatStream.whole.chunks.join('');

describe('Hono in workerd', { timeout: 60_000 }, () => {
  let provider;
  let stopProvider;
  let worker;
  let folder;
  /** What the provider answers, one a request; the last one again and again. */
  let answers = [];

  before(async () => {
    provider = await startProvider({ after: (stop) => (stopProvider = stop) }, () => (answers.length > 1 ? answers.shift() : answers[0]));
    folder = await mkdtemp(join(tmpdir(), 'dacapo-hono-'));
    await symlink(join(import.meta.dirname, 'node_modules'), join(folder, 'node_modules'));
    for (const { name, source } of blocks) await writeFile(join(folder, `${name}.mjs`), source.replaceAll('https://api.example.com', provider.url));
    await writeFile(join(folder, 'worker.mjs'), entry);
    worker = await startWorker(pathToFileURL(join(folder, 'worker.mjs')));
  });
  after(async () => {
    await worker?.stop();
    stopProvider();
    await rm(folder, { recursive: true });
  });

  /** The provider answers anew; gives the requests that come from now on. */
  function answering(...next) {
    answers = next;
    const from = provider.requests.length;
    return { requests: () => provider.requests.slice(from), asked: (count) => provider.asked(from + count) };
  }

  const ask = (example, path, init = {}) => fetch(`${worker.origin}${path}`, { ...init, headers: { ...init.headers, 'x-example': example } });

  /** A client that can leave. A reset: workerd takes a mere end of the client's side for a client that still listens. */
  function caller(example, method, path, body = '') {
    const socket = connect(Number(new URL(worker.origin).port), '127.0.0.1');
    const heard = Promise.withResolvers();
    let text = '';
    socket.on('error', () => {});
    socket.on('data', (bytes) => (text += bytes).includes('Da ') && heard.resolve());
    socket.write(`${method} ${path} HTTP/1.1\r\nhost: worker\r\nx-example: ${example}\r\ncontent-length: ${body.length}\r\n\r\n${body}`);
    return { leave: () => socket.resetAndDestroy(), heard: heard.promise };
  }

  test('the page is bundled for a Worker without a warning, and every js block of it is run here', () => {
    assert.deepEqual(worker.warnings, []);
    assert.equal(blocks.length, page.match(/^```js$/gm).length);
    assert.deepEqual(blocks.map(({ name }) => name), ['answers', 'proxy', 'events', 'errors']);
  });

  test('a route recovers from an error status and a lost connection, unseen by its client', async () => {
    const { requests } = answering(DOWN, lost, ANSWER);
    const response = await ask('answers', '/answers', { method: 'POST', body: '{"ask":1}' });
    assert.deepEqual([response.status, response.headers.get('x-attempts'), await response.json()], [200, '3', { text: 'Da capo' }]);
    assert.deepEqual(requests().map(({ json: body }) => body), Array(3).fill({ ask: 1 }));
  });

  test('the last failed answer goes to the client as it is', async () => {
    answering(DOWN);
    const response = await ask('answers', '/answers', { method: 'POST', body: '{}' });
    assert.deepEqual([response.status, response.headers.get('x-attempts'), await response.text()], [503, '3', DOWN.chunks[0]]);
  });

  test('a stream goes through whole, and a failure before its first output is not seen', async () => {
    for (const early of chatStream.early) {
      const { requests } = answering(early, chatStream.whole);
      const response = await ask('answers', '/answers', { method: 'POST', body: '{}' });
      assert.deepEqual([await response.text(), requests().length], [TEXT, 2]);
      assert.match(response.headers.get('content-type'), /event-stream/);
    }
  });

  test('the proxy helper sends the client\'s request again, with its headers and its body', async () => {
    const { requests } = answering(DOWN, ANSWER);
    const response = await ask('proxy', '/v1/answers?mine=1', { method: 'POST', body: 'from the client', headers: { 'x-mine': 'kept', cookie: 'a=1' } });
    assert.deepEqual(await response.json(), { text: 'Da capo' });
    const sent = requests().map(({ method, path, headers, bytes }) => [method, path, headers['x-mine'], headers.cookie, bytes.toString()]);
    assert.deepEqual(sent, Array(2).fill(['POST', '/v1/answers?mine=1', 'kept', 'a=1', 'from the client']));
  });

  test('a redirect of a POST is refused by the proxy helper', async () => {
    const { requests } = answering({ status: 307, headers: { location: '/v2/answers' } }, ANSWER);
    assert.equal((await ask('proxy', '/v1/answers', { method: 'POST', body: '{}' })).status, 500);
    assert.equal(requests().length, 1);
  });

  test('a body beyond maxReplayBytes is sent once by the proxy helper', async () => {
    const { requests } = answering(DOWN, ANSWER);
    const response = await ask('proxy', '/v1/answers', { method: 'POST', body: 'x'.repeat(2 * 1024 * 1024) });
    assert.deepEqual([response.status, requests().length, requests()[0].bytes.length], [503, 1, 2 * 1024 * 1024]);
  });

  test('streamSSE hands the texts on, and tells of a failure', async () => {
    answering(DOWN, chatStream.early[0], chatStream.whole);
    const whole = await (await ask('events', '/events')).text();
    assert.deepEqual(whole.split('\n').filter((line) => line.startsWith('data: data: ')).map((line) => line.slice(6)), TEXT.split('\n').filter(Boolean));
    answering(DOWN);
    assert.equal(await (await ask('events', '/events')).text(), 'event: error\ndata: status 503\n\n');
    answering(lost);
    assert.match(await (await ask('events', '/events')).text(), /^event: error\ndata: \S/);
  });

  test('without an answer onError tells the kind, and of an open breaker when to come back', async () => {
    const { requests } = answering(lost);
    const outcomes = [];
    for (let n = 0; n < 3; n++) {
      const before = requests().length;
      const response = await ask('errors', '/answers');
      outcomes.push([response.status, await response.json(), /^\d+$/.test(response.headers.get('retry-after')), requests().length > before]);
    }
    const failed = [502, { error: 'transport' }, false, true];
    assert.deepEqual(outcomes, [failed, failed, [503, { error: 'busy' }, true, false]]);
  });

  const leaving = {
    'in flight': { answer: unanswered },
    'in a wait': { answer: BUSY, waits: true },
    'while the opening of a stream is held back': { answer: sse(chatStream.begun.chunks.slice(0, 1), { end: 'stall' }) },
    'in the middle of a stream': { answer: chatStream.begun, hears: true },
  };
  for (const [example, method, path] of [['answers', 'POST', '/answers'], ['proxy', 'POST', '/v1/answers'], ['events', 'GET', '/events']]) {
    for (const [when, { answer, waits, hears }] of Object.entries(leaving)) {
      test(`a client of ${example} that leaves ${when} ends the call, and disturbs nobody`, { timeout: 10_000 }, async () => {
        const { requests, asked } = answering(answer);
        const client = caller(example, method, path, method === 'POST' ? '{}' : '');
        const request = await asked(1);
        if (hears) await client.heard;
        else await new Promise((resolve) => setTimeout(resolve, 50));
        client.leave();
        // The wait would be over by then, with what jitter adds to it.
        await (waits ? new Promise((resolve) => setTimeout(resolve, 600)) : request.left);
        const { requests: later } = answering(DOWN, ANSWER);
        assert.equal((await ask('answers', '/answers', { method: 'POST', body: '{}' })).status, 200);
        assert.deepEqual([requests().length, later().length], [3, 2]);
      });
    }
  }

  test('nothing is logged but what a route could not answer: its client left, a redirect, a lost connection', () => {
    const reports = worker.output().split(/^(?=DOMException \{|\S*Error\b)/m).filter((text) => text !== '');
    assert.ok(reports.length > 0);
    for (const report of reports) assert.match(report, /'The client has disconnected'|redirects: 'platform'|Network connection lost/);
  });
});
