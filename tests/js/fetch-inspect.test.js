import assert from 'node:assert/strict';
import test from 'node:test';
import { createFetch, historyOf } from 'dacapo';
import { fakeClock } from './lib/clock.js';
import { serve, serveRaw } from './lib/server.js';
import { failed, json, stubFetch, URL_, watchedBody } from './lib/stub.js';

const POST = { method: 'POST', body: '{}' };
const ANSWER = { choices: [{ message: { content: 'hi' } }] };

function over(fetch, options = {}) {
  return createFetch({ fetch, clock: fakeClock(), random: () => 0, ...options });
}

const inBand = (error) => () => json({ error });

test('a JSON answer to a POST is read before delivery and still handed over by identity with all its bytes', async () => {
  const response = json(ANSWER);
  const stub = stubFetch(response);
  assert.equal(await over(stub)(URL_, POST), response);
  assert.equal(response.bodyUsed, false);
  assert.deepEqual(await response.json(), ANSWER);
  assert.equal(stub.calls.length, 1);
});

test('an error inside a 200 is a failed attempt', async () => {
  for (const error of [
    { code: 502, message: 'no provider' },
    { code: '429', message: 'slow down' },
    { message: 'no code' },
    { code: 'brand_new_code' },
    'model is loading',
    { type: 'overloaded_error', message: 'Overloaded' },
  ]) {
    const stub = stubFetch(inBand(error), json(ANSWER));
    const response = await over(stub)(URL_, POST);
    assert.deepEqual(await response.json(), ANSWER, JSON.stringify(error));
    assert.equal(stub.calls.length, 2);
    assert.equal(historyOf(response).attempts[0].error.status, 200);
  }
});

test('the kind of an error inside a 200 comes from its code', async () => {
  for (const [error, kind] of [
    [{ code: 502 }, 'server_error'],
    [{ code: '429' }, 'rate_limited'],
    [{ code: 503 }, 'overloaded'],
    [{ type: 'rate_limit_error' }, 'rate_limited'],
    [{ message: 'anything' }, 'server_error'],
  ]) {
    const response = await over(stubFetch(inBand(error), json(ANSWER)))(URL_, POST);
    assert.equal(historyOf(response).attempts[0].error.kind, kind, JSON.stringify(error));
  }
});

test('a permanent error inside a 200 hands over that Response with all its bytes, at the first attempt', async () => {
  for (const [error, kind] of [
    [{ code: 400, message: 'no' }, 'bad_request'],
    [{ code: 'context_length_exceeded', message: 'long' }, 'context_exceeded'],
    [{ code: 'insufficient_quota' }, 'quota_exhausted'],
  ]) {
    const answer = json({ error });
    const stub = stubFetch(answer);
    const response = await over(stub)(URL_, POST);
    assert.equal(response, answer);
    assert.deepEqual(await response.json(), { error });
    assert.equal(stub.calls.length, 1);
    assert.deepEqual([historyOf(response).last.error.kind, historyOf(response).mark], [kind, 'not_retryable']);
  }
});

test('an error inside a 200 that never heals hands over the last Response with all its bytes', async () => {
  const last = json({ error: { code: 502 } });
  const stub = stubFetch(inBand({ code: 500 }), inBand({ code: 501 + 2 }), last);
  const response = await over(stub)(URL_, POST);
  assert.equal(response, last);
  assert.deepEqual(await response.json(), { error: { code: 502 } });
  assert.equal(historyOf(response).mark, 'attempts_exhausted');
});

test('an empty or null error, an empty choice list and a JSON-RPC error are answers', async () => {
  for (const body of [
    { error: null, choices: [{}] }, { error: {} }, { error: '' }, { choices: [] },
    { jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'x' } }, [], 'text', 7, { choices: [{ error: { code: 500 } }] },
  ]) {
    const stub = stubFetch(() => json(body === 'text' ? '"text"' : body));
    const response = await over(stub)(URL_, POST);
    assert.equal(stub.calls.length, 1, JSON.stringify(body));
    assert.equal(historyOf(response), undefined);
  }
});

test('error members of any JSON type never throw', async () => {
  for (const error of [
    0, 1, true, false, [], [[]], [1], { code: [] }, { code: {} }, { code: true }, { code: -1 }, { code: 1e999 },
    { code: 0.5, type: 7, message: {} }, { details: 'x' },
  ]) {
    const response = await over(stubFetch(() => json({ error }), json(ANSWER)))(URL_, POST);
    assert.equal(response.status, 200, JSON.stringify(error));
  }
});

test('JSON that ends in the middle is a failed attempt with the code truncated', async () => {
  for (const cut of ['{"choices":[{"mess', '{"error":{"message":"Your credit balance is too low. Ple', '{"error":{"code":"insufficient_quota']) {
    const stub = stubFetch(json(cut), json(ANSWER));
    const response = await over(stub)(URL_, POST);
    assert.deepEqual(await response.json(), ANSWER);
    const { error } = historyOf(response).attempts[0];
    assert.deepEqual([error.kind, error.code], ['transport', 'truncated'], cut);
  }
});

test('an answer cut short on a real socket is sent for again', async (t) => {
  const head = 'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: 24\r\n\r\n';
  const whole = '{"choices":[{"index":0}]}'.slice(0, 24).replace(/.$/, '}');
  const { url, served } = await serveRaw(
    t,
    (socket) => socket.write(`${head}{"choices":[`, () => socket.destroy()),
    (socket) => socket.end(`${head}${whole.padEnd(24)}`),
  );
  const response = await createFetch({ clock: fakeClock() })(url, POST);
  assert.equal(served(), 2);
  assert.equal((await response.text()).length, 24);
  assert.equal(historyOf(response).attempts[0].error.code, 'truncated');
});

test('an answer that is always cut short is handed over, and reading it fails as it would without us', async (t) => {
  const { url, served } = await serveRaw(t, (socket) => {
    socket.write('HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99\r\n\r\n{"a":', () => socket.destroy());
  });
  const response = await createFetch({ clock: fakeClock(), maxAttempts: 2 })(url, POST);
  assert.equal(served(), 2);
  assert.equal(response.status, 200);
  assert.equal(historyOf(response).last.error.code, 'truncated');
  await assert.rejects(response.text(), TypeError);
});

test('an answer larger than inspectBytes is handed over, whatever it holds', async () => {
  const body = JSON.stringify({ padding: 'x'.repeat(200), error: { code: 500 } });
  const stub = stubFetch(() => json(body));
  const response = await over(stub, { inspectBytes: 100 })(URL_, POST);
  assert.equal(stub.calls.length, 1);
  assert.equal(await response.text(), body);
  const within = stubFetch(() => json(body));
  await over(within, { inspectBytes: body.length })(URL_, POST);
  assert.equal(within.calls.length, 3, 'a body of exactly inspectBytes is inspected');
});

test('a large answer from a real server arrives whole after the inspection gave up on it', async (t) => {
  const big = JSON.stringify({ data: 'y'.repeat(3 << 20) });
  const { url } = await serve(t, (_, response) => response.writeHead(200, { 'content-type': 'application/json' }).end(big));
  const response = await createFetch()(url, POST);
  assert.equal((await response.text()).length, big.length);
});

test('only JSON answers to POST are inspected', async () => {
  const error = JSON.stringify({ error: { code: 500 } });
  for (const [init, type] of [
    [{ method: 'GET' }, 'application/json'], [{ method: 'PUT', body: '' }, 'application/json'], [POST, 'text/plain'],
    [POST, 'application/jsonlines'], [POST, 'application/problem+json'],
  ]) {
    const { stream, seen } = watchedBody({ chunks: [error] });
    const response = new Response(stream, { headers: { 'content-type': type } });
    assert.equal(await over(stubFetch(response))(URL_, init), response);
    assert.equal(seen.pulled, 0, `${init.method} ${type}: the body was not touched`);
  }
});

test('a content type with parameters and in capitals is JSON', async () => {
  for (const type of ['application/json; charset=utf-8', 'APPLICATION/JSON', 'application/json;charset=utf-8', 'application/json, application/json']) {
    const stub = stubFetch(() => failed(200, { 'content-type': type }, '{"error":{"code":500}}'));
    await over(stub)(URL_, { method: 'post', body: '' });
    assert.equal(stub.calls.length, 3, type);
  }
});

test('inspectOk: false hands every 2xx over unread', async () => {
  const { stream, seen } = watchedBody({ chunks: ['{"error":{"code":500}}'] });
  const response = new Response(stream, { headers: { 'content-type': 'application/json' } });
  assert.equal(await over(stubFetch(response), { inspectOk: false })(URL_, POST), response);
  assert.equal(seen.pulled, 0);
});

test('without inspection and without held streams nothing of a good answer is looked at but its status', async () => {
  const unseen = (name) => ({ get: () => assert.fail(`${name} was read`) });
  for (const type of ['application/json', 'text/event-stream']) {
    const response = new Response('{"error":"data: {}"}', { headers: { 'content-type': type } });
    for (const name of ['headers', 'body', 'bodyUsed', 'clone']) Object.defineProperty(response, name, unseen(name));
    for (const off of [{ holdOpeningMs: 0 }, { openingBytes: 0 }]) {
      assert.equal(await over(() => Promise.resolve(response), { inspectOk: false, ...off })(URL_, POST), response);
    }
  }
});

test('an answer that is not JSON at all is malformed only with expect: json', async () => {
  const html = () => json('<html>login</html>');
  const lenient = stubFetch(html);
  await over(lenient)(URL_, POST);
  assert.equal(lenient.calls.length, 1);
  const strict = stubFetch(html, json(ANSWER));
  const response = await over(strict, { expect: 'json' })(URL_, POST);
  assert.deepEqual(await response.json(), ANSWER);
  assert.equal(historyOf(response).attempts[0].error.kind, 'malformed_response');
  const otherType = stubFetch(() => failed(200, { 'content-type': 'text/html' }, '<html>'), json(ANSWER));
  await over(otherType, { expect: 'json' })(URL_, { method: 'GET' });
  assert.equal(otherType.calls.length, 2, 'whatever the method and type');
});

test('an empty JSON answer is malformed with expect: json and an answer without', async () => {
  const lenient = stubFetch(() => json(''));
  await over(lenient)(URL_, POST);
  assert.equal(lenient.calls.length, 1);
  const strict = stubFetch(() => json(''), json(ANSWER));
  await over(strict, { expect: 'json' })(URL_, POST);
  assert.equal(strict.calls.length, 2);
});

test('a 204 has no body to inspect', async () => {
  const stub = stubFetch(() => failed(204, { 'content-type': 'application/json' }));
  assert.equal((await over(stub, { expect: 'json' })(URL_, POST)).status, 204);
  assert.equal(stub.calls.length, 1);
});

test('UTF-8 split between chunks and a byte order mark are read', async () => {
  const bytes = new TextEncoder().encode('\uFEFF{"error":{"code":"insufficient_quota","message":"é€"}}');
  const body = new ReadableStream({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  const response = await over(stubFetch(new Response(body, { headers: { 'content-type': 'application/json' } })))(URL_, POST);
  assert.deepEqual([historyOf(response).last.error.kind, historyOf(response).last.error.message], ['quota_exhausted', 'é€']);
});

test('an answer that stalls while it is inspected is handed over when a limit up to the headers is reached', { timeout: 5000 }, async () => {
  const answer = () => new Response(new ReadableStream({ start: (controller) => controller.enqueue(new TextEncoder().encode('{"a":')) }), {
    headers: { 'content-type': 'application/json' },
  });
  let sends = 0;
  const response = await createFetch({ fetch: async () => (sends += 1) && answer(), timeoutMs: 20 })('https://api.example/', { method: 'POST', body: '{}' });
  assert.deepEqual([response.status, sends], [200, 1]);
  const { value } = await response.body.getReader().read();
  assert.equal(new TextDecoder().decode(value), '{"a":');
  await assert.rejects(
    createFetch({ fetch: async () => answer(), timeoutMs: 20, timeoutCovers: 'response', maxAttempts: 1 })('https://api.example/', { method: 'POST', body: '{}' }),
    { name: 'TimeoutError' },
  );
});
