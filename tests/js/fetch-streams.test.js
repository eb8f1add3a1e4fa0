import assert from 'node:assert/strict';
import test from 'node:test';
import { historyOf } from 'dacapo';
import { settled } from './lib/clock.js';
import { countedController, REASONS } from './lib/signals.js';
import { answer, bytesOf, over, POST, readAll, source, streamed } from './lib/sources.js';
import { chat, lines, messages, TYPES } from './lib/stream-frames.js';
import { stubFetch, textStream, URL_ } from './lib/stub.js';

const WHOLE = [chat.start, chat.text('Da '), chat.text('capo'), chat.stop, chat.done];
const whole = () => answer(WHOLE);
const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

/** The kinds and codes of the failures that a call went through. */
const failures = (x) => historyOf(x).attempts.map(({ error, streamed: began }) => [error.kind, error.code, began]);

test('a stream that fails before its first output is played again, and the caller sees one start', async () => {
  const broken = Object.assign(new TypeError('terminated'), { cause: { code: 'UND_ERR_SOCKET' } });
  for (const [first, expected] of [
    [() => answer([messages.start, messages.overloaded]), ['overloaded', 'overloaded_error']],
    [() => answer([messages.start + messages.overloaded]), ['overloaded', 'overloaded_error']],
    [() => answer([chat.start]), ['transport', 'truncated']],
    [() => answer([]), ['transport', 'truncated']],
    [() => streamed(''), ['transport', 'truncated']],
    [() => answer([chat.start], { error: broken }), ['transport', 'UND_ERR_SOCKET']],
    [() => answer([lines.failed], { headers: TYPES.ndjson }), ['server_error', undefined]],
  ]) {
    const stub = stubFetch(first, whole);
    const response = await over(stub)(URL_, POST);
    assert.equal(await response.text(), WHOLE.join(''));
    assert.deepEqual(failures(response), [[...expected, false]]);
    assert.equal(stub.calls.length, 2);
  }
});

test('what was told of tokens before the output counts as waste', async () => {
  const response = await over(stubFetch(() => answer([messages.start, messages.overloaded]), whole))(URL_, POST);
  const { attempts, retry } = historyOf(response);
  assert.deepEqual(attempts[0].tokens, { prompt: 11, completion: 1, total: 12 });
  assert.deepEqual([retry.wastedPromptTokens, retry.wastedTotalTokens, retry.wasteIsLowerBound], [11, 12, false]);
  assert.equal(historyOf(await over(stubFetch(() => answer([chat.start]), whole))(URL_, POST)).retry.wasteIsLowerBound, true);
});

test('a failure that is not retried is handed over with all its bytes, the rest of the stream included', async () => {
  const late = source();
  const call = over(stubFetch(() => streamed(late.stream)), { maxAttempts: 2 });
  const rejected = { error: { type: 'invalid_request_error', message: 'no' } };
  late.push(messages.start, `event: error\ndata: ${JSON.stringify({ type: 'error', ...rejected })}\n\n`);
  const response = await call(URL_, POST);
  const { mark, last } = historyOf(response);
  assert.deepEqual([mark, last.error.kind, last.error.status, last.streamed], ['not_retryable', 'bad_request', 200, false]);
  late.push(': more\n\n');
  late.close();
  const { text, error } = await readAll(response);
  assert.equal(error, undefined);
  assert.ok(text.startsWith(messages.start) && text.endsWith(': more\n\n'));
  assert.equal(historyOf(response).retry.failedAttempts, 1);
});

test('a stream that is cut short before its output once too often breaks when it is read, and is counted once', async () => {
  const response = await over(stubFetch(() => answer([chat.start])), { maxAttempts: 2 })(URL_, POST);
  const { text, error } = await readAll(response);
  assert.equal(text, chat.start);
  assert.deepEqual([error.kind, error.code, error.mark, error.attempts.length], ['transport', 'truncated', 'attempts_exhausted', 1]);
  assert.deepEqual([historyOf(response).retry.failedAttempts, historyOf(response).last.streamed], [2, false]);
  assert.equal(historyOf(error), historyOf(response));
});

test('a failure that was handed over is what the history tells of, whatever the rest of the stream breaks with', async () => {
  for (const [breaking, options] of [
    [({ controller }) => controller.abort(new Error('enough')), {}],
    [({ from }) => from.error(new TypeError('terminated')), {}],
    [() => {}, { idleTimeoutMs: 20 }],
  ]) {
    const from = source();
    from.push(messages.start, messages.overloaded);
    const controller = new AbortController();
    const response = await over(stubFetch(streamed(from.stream)), { ...options, shouldRetry: () => false })(URL_, { ...POST, signal: controller.signal });
    const reading = readAll(response);
    await settled();
    breaking({ from, controller });
    const { error } = await reading;
    assert.deepEqual([historyOf(error)?.last.error.kind, historyOf(error)], ['overloaded', historyOf(response)]);
  }
});

test('a stream that breaks before its output once too often rejects with the error itself', async () => {
  const broken = new TypeError('terminated');
  const error = await over(stubFetch(() => answer([chat.start], { error: broken })))(URL_, POST).catch((thrown) => thrown);
  assert.equal(error, broken);
  assert.deepEqual([historyOf(error).mark, historyOf(error).retry.failedAttempts], ['attempts_exhausted', 3]);
  const aborted = new DOMException('aborted', 'AbortError');
  await assert.rejects(over(stubFetch(() => answer([], { error: aborted })))(URL_, POST), { name: 'TypeError', cause: aborted });
});

test('a stream of which nothing but its end came is delivered as it is', async () => {
  for (const chunks of [[chat.start, chat.stop, chat.done], [chat.start + chat.stop + chat.done], [messages.start, messages.stop, messages.done]]) {
    const response = await over(stubFetch(() => answer(chunks), 500))(URL_, POST);
    assert.deepEqual(await readAll(response).then(({ text, error }) => [text, error]), [chunks.join(''), undefined]);
    assert.equal(historyOf(response), undefined);
  }
});

test('an opening beyond openingBytes or holdOpeningMs is delivered and not played again', async () => {
  const long = source();
  long.push(chat.start, `: ${'x'.repeat(2000)}\n\n`);
  const response = await over(stubFetch(() => streamed(long.stream), whole), { openingBytes: 1000 })(URL_, POST);
  assert.equal(long.seen.pulled, 0, 'it was not read any further');
  long.push(chat.overloaded);
  long.close();
  assert.ok((await response.text()).endsWith(chat.overloaded));

  const slow = source();
  slow.push(chat.start);
  const held = await over(stubFetch(() => streamed(slow.stream), whole), { holdOpeningMs: 20 })(URL_, POST);
  // A read was under way when it was handed over.
  slow.push(chat.text('late'), chat.stop, chat.done);
  slow.close();
  assert.equal(await held.text(), chat.start + chat.text('late') + chat.stop + chat.done);
});

test('what is no stream of an answer to a POST is delivered at its headers, by identity', async () => {
  const open = () => streamed(source().stream);
  for (const [init, options, response] of [
    [undefined, {}, open()],
    [{ method: 'PUT', body: '{}' }, {}, open()],
    [POST, { maxAttempts: 1 }, open()],
    [POST, { openingBytes: 0 }, open()],
    [POST, { holdOpeningMs: 0 }, open()],
    [{ method: 'POST', body: textStream('{}'), duplex: 'half' }, {}, open()],
    [POST, {}, streamed(source().stream, { 'content-type': 'text/plain' })],
    [POST, {}, streamed(source().stream, { 'content-type': 'text/event-streams' })],
    [POST, {}, new Response(null, { status: 204, headers: TYPES.sse })],
  ]) assert.equal(await over(stubFetch(response), options)(URL_, init), response);
});

test('of a content type that was sent several times the last one counts', async () => {
  const failing = (type) => () => answer([chat.start, chat.overloaded], { headers: { 'content-type': type } });
  for (const type of ['text/event-stream, text/event-stream', 'text/html, Text/Event-Stream; charset=utf-8', 'text/event-stream; a="b,c"']) {
    assert.equal(await (await over(stubFetch(failing(type), whole))(URL_, POST)).text(), WHOLE.join(''), type);
  }
  const page = failing('text/event-stream, text/html')();
  assert.equal(await over(stubFetch(page))(URL_, POST), page);
});

test('an event that is no LLM’s is delivered at once, as are bytes that are no events', async () => {
  for (const chunk of ['event: message\ndata: {"jsonrpc":"2.0","method":"notifications/progress"}\n\n', 'id: 1\ndata:\n\n', 'data: hello\n\n']) {
    const open = source();
    open.push(chunk);
    const response = await over(stubFetch(streamed(open.stream)))(URL_, POST);
    open.close();
    assert.deepEqual(await readAll(response).then(({ text, error }) => [text, error]), [chunk, undefined]);
  }
});

test('Gemini’s JSON array is a stream where the request asked for one', async () => {
  const url = 'https://generativelanguage.example/v1beta/models/m:streamGenerateContent';
  const headers = { 'content-type': 'application/json; charset=UTF-8' };
  const parts = (text, more = {}) => JSON.stringify({ candidates: [{ content: { parts: [{ text }], role: 'model' }, ...more }] });
  const failed = JSON.stringify({ error: { code: 503, message: 'overloaded', status: 'UNAVAILABLE' } });
  const good = [`[${parts('Da')}`, `,\r\n${parts('capo', { finishReason: 'STOP' })}`, ']'];
  const stub = stubFetch(() => answer([`[${failed}`, ']'], { headers }), () => answer(good, { headers }));
  const response = await over(stub)(url, POST);
  assert.equal(await response.text(), good.join(''));
  assert.deepEqual(failures(response), [['overloaded', 'UNAVAILABLE', false]]);
  const cut = await readAll(await over(stubFetch(() => answer(good.slice(0, 1), { headers })))(url, POST));
  assert.equal(cut.error.code, 'truncated');
});

test('idleTimeoutMs ends an opening in which no byte comes, firstOutputTimeoutMs one in which only pings come', async () => {
  for (const options of [{ idleTimeoutMs: 60, firstOutputTimeoutMs: 5000 }, { idleTimeoutMs: 5000, firstOutputTimeoutMs: 60 }]) {
    const silent = source();
    silent.push(chat.start);
    const pinging = setInterval(() => silent.seen.cancelled.length === 0 && options.idleTimeoutMs > 60 && silent.push(': ping\n\n'), 5);
    const before = timers();
    const response = await over(stubFetch(() => streamed(silent.stream), whole), options)(URL_, POST);
    clearInterval(pinging);
    const [{ error }] = historyOf(response).attempts;
    const [option] = Object.entries(options).find(([, ms]) => ms === 60);
    assert.equal(error.kind, 'timeout');
    assert.match(error.message, new RegExp(`${option}.*\\b60 ms`));
    assert.equal(silent.seen.cancelled[0].name, 'TimeoutError');
    assert.equal(await response.text(), WHOLE.join(''));
    assert.ok(timers() <= before);
  }
  await assert.rejects(
    over(stubFetch(() => streamed(source().stream)), { idleTimeoutMs: 10, maxAttempts: 2 })(URL_, POST),
    (error) => error instanceof DOMException && error.name === 'TimeoutError' && historyOf(error).retry.failedAttempts === 2,
  );
});

test('the deadline covers the holding, and a timeout that covers headers does not', async () => {
  const silent = source();
  await assert.rejects(
    over(stubFetch(() => streamed(silent.stream)), { clock: undefined, timeoutMs: 10, deadlineMs: 60 })(URL_, POST),
    (error) => error.name === 'TimeoutError' && /deadlineMs/.test(error.message) && historyOf(error).mark === 'deadline_exceeded',
  );
  assert.equal(silent.seen.cancelled.length, 1);
  const slow = source();
  setTimeout(() => slow.push(...WHOLE), 60);
  setTimeout(() => slow.close(), 70);
  const stub = stubFetch(() => streamed(slow.stream), 500);
  assert.equal(await (await over(stub, { timeoutMs: 10 })(URL_, POST)).text(), WHOLE.join(''));
  await assert.rejects(over(stubFetch(() => streamed(source().stream)), { timeoutMs: 10, timeoutCovers: 'response' })(URL_, POST), /timeoutMs/);
});

test('an abort while the opening is held rejects at once with the reason, and leaves nothing behind', async () => {
  for (const options of [{}, { timeoutMs: 60_000, idleTimeoutMs: 60_000, firstOutputTimeoutMs: 60_000 }]) {
    for (const reasonOf of Object.values(REASONS)) {
      const before = timers();
      const { controller, signal, count } = countedController();
      const held = source();
      held.push(chat.start);
      const call = over(stubFetch(() => streamed(held.stream)), options)(URL_, { ...POST, signal }).catch((error) => error);
      await settled();
      controller.abort(reasonOf());
      let turns = 0;
      const counting = setImmediate(() => { turns += 1; });
      const error = await call;
      clearImmediate(counting);
      assert.deepEqual([error === signal.reason, turns], [true, 0]);
      assert.deepEqual(held.seen.cancelled, [signal.reason]);
      assert.deepEqual([count.now, timers()], [0, before]);
    }
  }
});

test('a cancel of a failed stream that hangs or throws neither delays nor fails the call', async () => {
  for (const cancel of [() => new Promise(() => {}), () => Promise.reject(new Error('no')), () => { throw new Error('no'); }]) {
    const failed = new ReadableStream({ start: (controller) => controller.enqueue(bytesOf(messages.start + messages.overloaded)), cancel });
    assert.equal(await (await over(stubFetch(() => streamed(failed), whole))(URL_, POST)).text(), WHOLE.join(''));
  }
  await settled();
});

test('a chunk that was taken away since is as good as an empty one, before the first output and after it', async () => {
  const takeAway = ({ buffer }) => structuredClone(buffer, { transfer: [buffer] });
  for (const options of [{}, { usage: true }]) {
    const chunks = WHOLE.flatMap((text) => [bytesOf(text), bytesOf(': gone\n\n')]);
    chunks.forEach((chunk, i) => i % 2 === 1 && takeAway(chunk));
    const { chunks: got, text, error } = await readAll(await over(stubFetch(429, () => answer(chunks)), options)(URL_, POST));
    assert.deepEqual([text, error], [WHOLE.join(''), undefined]);
    assert.deepEqual(got.map((chunk) => chunk.byteLength), chunks.map((chunk) => chunk.byteLength), 'as the platform hands it over');

    const held = bytesOf(chat.start);
    const from = source();
    from.push(held);
    const call = over(stubFetch(streamed(from.stream)), options)(URL_, POST);
    await settled();
    takeAway(held);
    from.push(...WHOLE.slice(1));
    from.close();
    assert.deepEqual(await readAll(await call).then((read) => [read.text, read.error]), [WHOLE.slice(1).join(''), undefined]);
  }
});

test('what only looks like a Response is delivered as it is', async () => {
  class Odd {
    constructor() {
      Object.assign(this, { status: 200, ok: true, headers: new Headers(TYPES.sse), body: answer(WHOLE).body });
    }
  }
  for (const like of [{ ...new Odd() }, new Odd(), Object.assign(Object.create(null), new Odd())]) {
    const response = await over(async () => like)(URL_, POST);
    assert.equal(response, like);
    assert.equal((await readAll(response)).text, WHOLE.join(''));
  }
});

test('a body that is locked, or of another kind, is delivered as it is', async () => {
  const locked = whole();
  locked.body.getReader();
  assert.equal(await over(stubFetch(locked))(URL_, POST), locked);
  const odd = over(stubFetch(streamed(new ReadableStream({ start: (controller) => { controller.enqueue('text'); controller.close(); } }))));
  assert.deepEqual((await readAllOf(await odd(URL_, POST))), ['text']);
});

async function readAllOf(response) {
  const chunks = [];
  for await (const chunk of response.body) chunks.push(chunk);
  return chunks;
}

test('the wait before the next stream is the policy\'s', async () => {
  const policy = { initialDelayMs: 4, maxDelayMs: 4, jitter: 'none' };
  const response = await over(stubFetch(() => answer([messages.start, messages.overloaded]), whole), policy)(URL_, POST);
  assert.deepEqual(historyOf(response).attempts.map(({ delayMs, delayFrom }) => [delayMs, delayFrom]), [[4, 'backoff']]);
});
