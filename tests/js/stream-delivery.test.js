import assert from 'node:assert/strict';
import test from 'node:test';
import { createFetch, historyOf } from 'dacapo';
import { fakeClock, settled } from './lib/clock.js';
import { serve } from './lib/server.js';
import { countedController, listen, REASONS } from './lib/signals.js';
import { answer, bytesOf, over, POST, readAll, source, streamed } from './lib/sources.js';
import { chat, TYPES } from './lib/stream-frames.js';
import { stubFetch, unusual, URL_ } from './lib/stub.js';

const WHOLE = [chat.start, chat.text('Da '), chat.text('capo'), chat.stop, chat.done];
const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

/** A stream that is delivered and still open. */
async function delivered({ options = {}, init = POST, isBytes = false } = {}) {
  const from = source({ isBytes });
  from.push(chat.start, chat.text('Da '));
  const response = await over(stubFetch(() => streamed(from.stream)), options)(URL_, init);
  return { from, response };
}

test('a delivered stream has the status, headers, url, type and redirected of the original, and so has its clone', async () => {
  const original = unusual({ url: `${URL_}?x=1`, redirected: true, type: 'cors', status: 203, statusText: 'Fine' }, new ReadableStream({
    start(controller) {
      controller.enqueue(bytesOf(WHOLE.join('')));
      controller.close();
    },
  }));
  original.headers.set('content-type', 'text/event-stream; charset=utf-8');
  original.headers.append('set-cookie', 'a=1');
  original.headers.append('set-cookie', 'b=2');
  const response = await over(stubFetch(original))(URL_, POST);
  for (const one of [response, response.clone(), response.clone().clone()]) {
    assert.ok(one instanceof Response);
    assert.deepEqual([one.status, one.statusText, one.ok, one.bodyUsed], [203, 'Fine', true, false]);
    assert.deepEqual([one.url, one.redirected, one.type], [`${URL_}?x=1`, true, 'cors']);
    assert.deepEqual([...one.headers], [...original.headers]);
    assert.equal(await one.clone().text(), WHOLE.join(''));
  }
  assert.deepEqual(response.headers.getSetCookie(), ['a=1', 'b=2']);
});

test('the chunks are those of the source, by identity, whoever else holds them', async () => {
  const chunks = WHOLE.map(bytesOf);
  const stub = stubFetch(() => answer([bytesOf(chat.start), bytesOf(chat.overloaded)]), () => answer(chunks));
  for (const fetch of [over(stub), over(stubFetch(() => answer(chunks)))]) {
    const { chunks: got } = await readAll(await fetch(URL_, POST));
    assert.equal(got.length, chunks.length);
    got.forEach((chunk, i) => assert.equal(chunk, chunks[i]));
  }
  assert.deepEqual(chunks.map((chunk) => new TextDecoder().decode(chunk)), WHOLE, 'none was taken away');
});

test('a source of bytes is delivered as one, and a chunk of a shared buffer is not taken from its owner', async () => {
  const { from, response } = await delivered({ isBytes: true });
  const reader = response.body.getReader({ mode: 'byob' });
  let text = '';
  const read = async (size) => {
    const { done, value } = await reader.read(new Uint8Array(size));
    text += new TextDecoder().decode(value);
    return done;
  };
  await read(10);
  await read(1000);
  while (text.length < chat.start.length + chat.text('Da ').length) await read(7);
  const waiting = read(5);
  from.push(chat.stop + chat.done);
  await waiting;
  from.close();
  while (!await read(100));
  assert.equal(text, chat.start + chat.text('Da ') + chat.stop + chat.done);

  const pool = bytesOf(`....${WHOLE.join('')}....`);
  const pooled = answer([pool.subarray(4, -4)]);
  const { chunks } = await readAll(await over(stubFetch(pooled))(URL_, POST));
  assert.equal(chunks[0].buffer, pool.buffer);
  assert.equal(pool.byteLength, pool.buffer.byteLength, 'it is not detached');
  // Where the source has no reader of bytes, neither has the delivery.
  await assert.rejects(async () => (await over(stubFetch(() => answer(WHOLE)))(URL_, POST)).body.getReader({ mode: 'byob' }), TypeError);
});

test('a stream of bytes ends for a reader with a buffer of its own, and breaks for one', async () => {
  const ends = await delivered({ isBytes: true, options: { usage: true } });
  const reader = ends.response.body.getReader({ mode: 'byob' });
  const first = await reader.read(new Uint8Array(1000));
  assert.equal(first.done, false);
  await reader.read(new Uint8Array(1000));
  ends.from.push(chat.stop);
  await reader.read(new Uint8Array(1000));
  const last = reader.read(new Uint8Array(10));
  ends.from.close();
  assert.deepEqual(await last.then(({ done, value }) => [done, value.byteLength]), [true, 0]);
  await reader.closed;
  const cut = await delivered({ isBytes: true });
  const cutReader = cut.response.body.getReader({ mode: 'byob' });
  await cutReader.read(new Uint8Array(1000));
  await cutReader.read(new Uint8Array(1000));
  const lost = cutReader.read(new Uint8Array(10));
  cut.from.close();
  await assert.rejects(lost, { code: 'truncated' });
});

test('the source is read only when the reader asks, one chunk at a time', async () => {
  for (const isBytes of [false, true]) {
    const { from, response } = await delivered({ isBytes });
    await settled();
    assert.equal(from.seen.pulled, 0);
    const reader = response.body.getReader();
    await reader.read();
    await reader.read();
    await settled();
    assert.equal(from.seen.pulled, 0, 'what was held comes first');
    from.push(chat.text('x'));
    assert.equal(new TextDecoder().decode((await reader.read()).value), chat.text('x'));
    for (let n = 1; n <= 3; n++) {
      const next = reader.read();
      await settled();
      assert.equal(from.seen.pulled, n);
      from.push(chat.text(`${n}`));
      await next;
      await settled();
      assert.equal(from.seen.pulled, n);
    }
  }
});

test('a cancel goes to the source with its reason, and is no failure', async () => {
  for (const isBytes of [false, true]) {
    const { controller, signal, count } = countedController();
    const { from, response } = await delivered({ isBytes, init: { ...POST, signal } });
    const reason = new Error('enough');
    await response.body.cancel(reason);
    assert.deepEqual([from.seen.cancelled, count.now, historyOf(response)], [[reason], 0, undefined]);
    controller.abort();
  }
  const { from, response } = await delivered();
  for await (const chunk of response.body) {
    assert.ok(chunk);
    break;
  }
  assert.equal(from.seen.cancelled.length, 1);
});

test('an abort breaks the stream with the reason itself, while it is read and while it is not', async () => {
  for (const options of [{}, { timeoutMs: 60_000 }, { idleTimeoutMs: 60_000 }]) {
    for (const reasonOf of Object.values(REASONS)) {
      for (const isReading of [true, false]) {
        const before = timers();
        const { controller, signal, count } = countedController();
        const { from, response } = await delivered({ options, init: { ...POST, signal } });
        assert.ok(count.now <= 1);
        const reader = response.body.getReader();
        await reader.read();
        await reader.read();
        const reading = isReading ? reader.read().catch((error) => error) : undefined;
        await settled();
        controller.abort(reasonOf());
        assert.equal(await (reading ?? reader.read().catch((error) => error)), signal.reason);
        assert.deepEqual(from.seen.cancelled, [signal.reason]);
        assert.deepEqual([count.now, timers()], [0, before]);
        const { last, retry, mark } = historyOf(response);
        assert.deepEqual([last.error.kind, last.streamed, retry.failedAttempts, mark], ['cancelled', true, 1, 'cancelled']);
      }
    }
  }
});

test('no listener and no timer is left after a stream that ended, however it ended', async () => {
  for (const end of [
    ({ from }) => { from.push(chat.stop, chat.done); from.close(); },
    ({ from }) => from.close(),
    ({ from }) => from.error(new TypeError('terminated')),
  ]) {
    const before = timers();
    const { signal, count } = countedController();
    const run = await delivered({ init: { ...POST, signal }, options: { idleTimeoutMs: 60_000, timeoutMs: 60_000, timeoutCovers: 'response', usage: true } });
    setTimeout(() => end(run), 5);
    await readAll(run.response);
    assert.deepEqual([count.now, timers()], [0, before]);
    assert.ok(count.most <= 1);
  }
});

test('what the source breaks with comes through as it is, but for secrets and an abort that is not the caller’s', async () => {
  const broke = async (error, init = POST) => {
    const { from, response } = await delivered({ init });
    from.error(error);
    const read = await readAll(response);
    assert.deepEqual([historyOf(response).last.streamed, historyOf(response).last.error.kind, historyOf(response).mark], [true, 'transport', 'output_begun']);
    return read.error;
  };
  const plain = new TypeError('terminated');
  assert.equal(await broke(plain), plain);
  assert.equal(historyOf(plain).last.streamed, true);
  const secret = { ...POST, headers: { authorization: 'Bearer verysecretvalue' } };
  const masked = await broke(new TypeError('lost verysecretvalue'), secret);
  assert.equal(masked.name, 'TypeError');
  assert.ok(!masked.message.includes('verysecretvalue'));
  const aborted = new DOMException('aborted', 'AbortError');
  assert.deepEqual([(await broke(aborted)).name, (await broke(aborted)).cause], ['TypeError', aborted]);
});

test('idleTimeoutMs goes on after the first output, while the reader waits and not while it does not', async () => {
  const { from, response } = await delivered({ options: { idleTimeoutMs: 40 } });
  const reader = response.body.getReader();
  await reader.read();
  await reader.read();
  await new Promise((resolve) => setTimeout(resolve, 80));
  for (let n = 0; n < 6; n++) {
    setTimeout(() => from.push(': ping\n\n'), 15);
    await reader.read();
  }
  const error = await reader.read().catch((thrown) => thrown);
  assert.ok(error instanceof DOMException);
  assert.equal(error.name, 'TimeoutError');
  assert.match(error.message, /idleTimeoutMs.*\b40 ms/);
  assert.deepEqual(from.seen.cancelled, [error]);
  const { last, mark } = historyOf(error);
  assert.deepEqual([last.error.kind, last.streamed, mark], ['timeout', true, 'output_begun']);
  assert.equal(historyOf(response), historyOf(error));
});

test('a timeout that covers the response ends the reading of a real stream', async (t) => {
  const { url, heldOpen } = await serve(t, (_, response) => {
    response.writeHead(200, TYPES.sse);
    response.write(chat.start + chat.text('Da '));
  });
  const response = await createFetch({ clock: fakeClock(), timeoutMs: 150, timeoutCovers: 'response' })(url, POST);
  const { error, text } = await readAll(response);
  assert.deepEqual([error.name, text], ['TimeoutError', chat.start + chat.text('Da ')]);
  assert.match(error.message, /timeoutMs/);
  assert.deepEqual([historyOf(error).last.error.kind, historyOf(error).last.streamed], ['timeout', true]);
  assert.equal(await heldOpen(), 0);
});

test('a fetch of another library whose signal is the caller’s aborts the body once', async () => {
  const { controller, signal } = countedController();
  const from = source();
  from.push(chat.start, chat.text('Da '));
  const own = (input, init) => {
    listen(init.signal, () => from.error(init.signal.reason));
    return Promise.resolve(streamed(from.stream));
  };
  const response = await over(own)(URL_, { ...POST, signal });
  const reading = readAll(response);
  await settled();
  controller.abort('stop');
  assert.equal((await reading).error, 'stop');
  assert.equal(historyOf(response).retry.failedAttempts, 1);
});
