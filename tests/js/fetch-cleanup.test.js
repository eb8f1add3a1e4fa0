import assert from 'node:assert/strict';
import test from 'node:test';
import { createFetch, historyOf } from 'dacapo';
import { fakeClock, settled } from './lib/clock.js';
import { serve } from './lib/server.js';
import { failed, stubFetch, URL_, watchedBody } from './lib/stub.js';

const POST = { method: 'POST', body: '{}' };
const KIB = 1024;

function over(fetch, options = {}) {
  return createFetch({ fetch, clock: fakeClock(), random: () => 0, ...options });
}

/** A failed Response whose body tells what becomes of it. */
function watched(body, status = 429, headers = {}) {
  const { stream, seen } = watchedBody(body);
  return { response: new Response(stream, { status, headers }), seen };
}

/** More than `errorBytes` of a body that then hangs. */
const HUGE = { chunks: Array(80).fill(new Uint8Array(KIB)), stuck: true };

test('a body that was not read to its end is cancelled before the next attempt is made', async () => {
  const { response, seen } = watched(HUGE);
  let cancelledBefore;
  const stub = stubFetch(response, () => {
    cancelledBefore = seen.cancelled;
    return 200;
  });
  await over(stub)(URL_);
  assert.equal(cancelledBefore, 1);
  assert.equal(seen.cancelled, 1);
});

test('a failed body is read up to errorBytes and no further', async () => {
  const { response, seen } = watched(HUGE);
  await over(stubFetch(response, 200), { errorBytes: 4 * KIB })(URL_);
  assert.ok(seen.pulled >= 4 && seen.pulled <= 6, `${seen.pulled} KiB were pulled`);
});

test('a cancel that hangs, rejects or throws neither delays nor fails the call', async () => {
  for (const cancel of [() => new Promise(() => {}), () => Promise.reject(new Error('no')), () => { throw new Error('no'); }]) {
    const { response, seen } = watched({ ...HUGE, cancel });
    assert.equal((await over(stubFetch(response, 200))(URL_)).status, 200);
    assert.equal(seen.cancelled, 1);
  }
  await settled();
});

test('the Response that is handed over in the end is not cancelled', async () => {
  const bodies = [1, 2, 3].map(() => watched(HUGE));
  const response = await over(stubFetch(...bodies.map((body) => body.response)))(URL_);
  await settled();
  assert.equal(response, bodies[2].response);
  assert.deepEqual(bodies.map(({ seen }) => seen.cancelled), [1, 1, 0]);
  await response.body.cancel();
});

test('a failed body that hangs is classified without the rest after a while', async (t) => {
  const { setTimeout } = globalThis;
  const patience = t.mock.method(globalThis, 'setTimeout', (act, ms, ...rest) => setTimeout(act, ms / 1000, ...rest));
  const { response, seen } = watched({ chunks: ['{"error":{"code":"x"'], stuck: true });
  assert.equal((await over(stubFetch(response, 200))(URL_)).status, 200);
  assert.deepEqual(patience.mock.calls.map(({ arguments: [, ms] }) => ms), [2000]);
  assert.equal(seen.cancelled, 1);
});

test('a failed body that breaks off is classified by its status', async () => {
  const broken = new Response(new ReadableStream({ pull: (controller) => controller.error(new Error('broke')) }), { status: 503 });
  assert.equal((await over(stubFetch(broken, 200))(URL_)).status, 200);
  const final = new Response(new ReadableStream({ pull: (controller) => controller.error(new Error('broke')) }), { status: 404 });
  assert.equal(await over(stubFetch(final))(URL_), final);
});

test('a body that somebody else has locked or read does not fail the call', async () => {
  const locked = failed(503);
  locked.body.getReader();
  const used = failed(503);
  await used.text();
  assert.equal((await over(stubFetch(locked, used, 200))(URL_)).status, 200);
});

test('a success after retries is not cloned unless it is inspected', async (t) => {
  const answer = failed(200);
  const clone = t.mock.method(answer, 'clone');
  assert.equal(await over(stubFetch(503, answer))(URL_, POST), answer);
  assert.equal(clone.mock.callCount(), 0);
});

test('the hooks of a call do not make a copy of a large success', async () => {
  const { stream, seen } = watchedBody({ chunks: Array(64).fill(new Uint8Array(KIB)) });
  const response = await over(stubFetch(503, new Response(stream)), { onRetry() {}, onEvent() {}, shouldRetry() {} })(URL_);
  await settled();
  assert.equal(seen.pulled, 0);
  assert.equal((await response.arrayBuffer()).byteLength, 64 * KIB);
});

test('a refused redirect and a call that a hook ends let go of the body', async () => {
  const redirect = watched(HUGE, 307, { location: '/x' });
  await assert.rejects(over(stubFetch(redirect.response))(URL_, POST), { kind: 'redirected' });
  const hooked = watched(HUGE);
  const fail = () => { throw new Error('hook'); };
  await assert.rejects(over(stubFetch(hooked.response), { onRetry: fail })(URL_), /hook/);
  await settled();
  assert.deepEqual([redirect.seen.cancelled, hooked.seen.cancelled], [1, 1]);
});

test('an inspected answer that failed in band is let go of before the next attempt', async () => {
  const { stream, seen } = watchedBody({ chunks: ['{"error":{"code":500}}'] });
  const bad = new Response(stream, { headers: { 'content-type': 'application/json' } });
  let disposed;
  const stub = stubFetch(bad, async () => {
    await Promise.resolve();
    disposed = bad.bodyUsed || seen.cancelled > 0;
    return 200;
  });
  await over(stub)(URL_, POST);
  assert.equal(disposed, true);
});

test('no socket leaks when failed answers never end', async (t) => {
  const endless = (_, response) => {
    response.writeHead(503, { 'content-type': 'application/json' });
    response.write('x'.repeat(200 * KIB));
  };
  let n = 0;
  const { url, requests, heldOpen } = await serve(t, (request, response) => ((n += 1) % 2 ? endless(request, response) : response.end('ok')));
  const fetch = createFetch({ clock: fakeClock() });
  for (let call = 0; call < 15; call++) {
    const response = await fetch(url, POST);
    assert.equal(await response.text(), 'ok');
  }
  assert.equal(requests.length, 30);
  assert.equal(await heldOpen(), 0);
});

test('no socket leaks when attempts time out in the middle of an inspected answer', async (t) => {
  const stalled = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' });
    response.write('{"a":');
  };
  const { url, requests, heldOpen } = await serve(t, stalled);
  const fetch = createFetch({ clock: fakeClock(), timeoutMs: 30, timeoutCovers: 'response', maxAttempts: 3 });
  await assert.rejects(fetch(url, POST), { name: 'TimeoutError' });
  assert.equal(requests.length, 3);
  assert.equal(await heldOpen(), 0);
});

test('the failures of many calls at once are kept apart', async () => {
  const fetch = over(async (input) => failed(input.endsWith('7') ? 404 : 503));
  const responses = await Promise.all(Array.from({ length: 40 }, (_, i) => fetch(`${URL_}/${i}`)));
  responses.forEach((response, i) => {
    assert.equal(response.status, i % 10 === 7 ? 404 : 503);
    const { retry, last } = historyOf(response);
    assert.equal(retry.totalAttempts, i % 10 === 7 ? 1 : 3);
    assert.equal(last.request.url, `${URL_}/${i}`);
  });
});

test('a chunk of a failed body that was taken away since is passed over', async () => {
  const gone = new Uint8Array(8);
  structuredClone(gone.buffer, { transfer: [gone.buffer] });
  const { stream } = watchedBody({ chunks: ['{"error":{"code":', gone, '"insufficient_quota"}}'] });
  const response = await over(stubFetch(new Response(stream, { status: 429 })))(URL_);
  assert.equal(historyOf(response).last.error.kind, 'quota_exhausted');
});

test('an answer whose clone is itself is not read before the caller reads it', async () => {
  const { response, seen } = watched({}, 404);
  response.clone = () => response;
  assert.equal(await over(stubFetch(response))(URL_), response);
  assert.deepEqual([seen.pulled, await response.text()], [0, 'some bytes']);
});

test('a body of anything but bytes, or of none without end, is passed over', { timeout: 5000 }, async () => {
  const endless = () => new ReadableStream({ pull: (controller) => controller.enqueue(new Uint8Array(0)) });
  const odd = (chunk) => () => new ReadableStream({ start: (controller) => { controller.enqueue(chunk); controller.close(); } });
  for (const body of [endless, odd('text'), odd({}), odd(null)]) {
    const stub = async () => new Response(body(), { status: 503 });
    const response = await createFetch({ fetch: stub, clock: fakeClock() })(URL_);
    assert.equal(response.status, 503);
    assert.equal(historyOf(response).retry.totalAttempts, 3);
  }
});

test('an abort after the delivery of an answer that was looked into rejects nothing in secret', async (t) => {
  const server = await serve(t, (_, response) => {
    response.writeHead(400, { 'content-type': 'text/plain' });
    response.end('x'.repeat(5_000_000));
  });
  const rejected = [];
  const note = (reason) => rejected.push(reason);
  process.on('unhandledRejection', note);
  t.after(() => process.off('unhandledRejection', note));
  const controller = new AbortController();
  const response = await createFetch()(server.url, { signal: controller.signal });
  controller.abort(new Error('enough'));
  await new Promise((resolve) => setTimeout(resolve, 50));
  assert.deepEqual(rejected, []);
  // Newer versions of Node.js reject this with the reason of the abort.
  await response.body?.cancel().catch(() => {});
});
