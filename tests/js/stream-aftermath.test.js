import assert from 'node:assert/strict';
import { inspect } from 'node:util';
import test from 'node:test';
import { historyOf, isRetryError, retry } from 'dacapo';
import { fakeClock, settled } from './lib/clock.js';
import { answer, bytesOf, over, POST, readAll, source, streamed } from './lib/sources.js';
import { bedrock, chat, lines, messages, responses, TYPES } from './lib/stream-frames.js';
import { stubFetch, URL_ } from './lib/stub.js';

const SSE = TYPES.sse;
const decoded = (...texts) => texts.map((text) => Uint8Array.from(Buffer.from(text, 'base64')));

/** What reading a delivered stream of these chunks ends with. */
async function readingOf(chunks, { headers = SSE, options = {}, error = undefined } = {}) {
  const response = await over(stubFetch(() => answer(chunks, { headers, error })), options)(URL_, POST);
  return { ...await readAll(response), response };
}

test('a stream that ends without its end marker breaks, and one with it does not', async () => {
  for (const [headers, chunks, end] of [
    [SSE, [chat.start, chat.text('a')], [chat.stop]],
    [SSE, [chat.start, chat.text('a')], [chat.done]],
    [SSE, [chat.start, chat.text('a')], [chat.stop + chat.usage + chat.done]],
    [SSE, [messages.start, messages.text('a')], [messages.done]],
    [SSE, [responses.start, responses.text('a')], [responses.done('a')]],
    [TYPES.ndjson, [lines.text('a')], [lines.done]],
    [TYPES.bedrock, decoded(bedrock.start, bedrock.text), decoded(bedrock.done)],
  ]) {
    const cut = await readingOf(chunks, { headers });
    assert.ok(isRetryError(cut.error));
    assert.deepEqual([cut.error.kind, cut.error.code, cut.error.type, cut.error.mark], ['transport', 'truncated', 'network', 'output_begun']);
    assert.match(cut.error.message, /cut short/);
    assert.equal((await readingOf([...chunks, ...end], { headers })).error, undefined);
    assert.equal(Buffer.concat(cut.chunks).compare(Buffer.concat(chunks.map(bytesOf))), 0, 'all its bytes come first');
  }
});

test('an end marker is found however the last frame is cut, and however large it is', async () => {
  const text = 'x'.repeat(20_000);
  const opening = responses.start + responses.text('a');
  for (const size of [1, 7, 100, 511, 512, 513, 4095, 4096, 4097, 16_384, 1 << 20]) {
    for (const body of [opening + responses.done(text), opening.repeat(3) + responses.done(text), (opening + responses.done(text)).replaceAll('\n', '\r\n')]) {
      const bytes = bytesOf(body);
      const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.slice(i * size, (i + 1) * size));
      assert.equal((await readingOf(chunks)).error, undefined, `${size} B`);
    }
    const cut = bytesOf(opening + responses.text(text));
    const chunks = Array.from({ length: Math.ceil(cut.length / size) }, (_, i) => cut.slice(i * size, (i + 1) * size));
    assert.equal((await readingOf(chunks)).error?.code, 'truncated', `${size} B`);
  }
});

test('a JSON array that is cut at any byte behind its first output is cut short', async () => {
  const url = 'https://generativelanguage.example/v1beta/models/m:streamGenerateContent';
  const headers = { 'content-type': 'application/json' };
  const element = (text) => JSON.stringify({ candidates: [{ content: { parts: [{ text }, { text: '] [{"' }], role: 'model' }, index: 0 }] });
  const first = `[${element('Da')}`;
  const whole = bytesOf(`${first}\n,\r\n${element('ca\\"]po')}\n]\n`);
  const read = async (body, size) => {
    const chunks = Array.from({ length: Math.ceil(body.length / size) }, (_, i) => body.slice(i * size, (i + 1) * size));
    return readAll(await over(stubFetch(() => answer(chunks, { headers })))(url, POST));
  };
  for (const size of [1, 2, 64, whole.length]) {
    for (let end = first.length; end < whole.length - 2; end += 1) {
      assert.equal((await read(whole.slice(0, end), size)).error?.code, 'truncated', `${end} of ${whole.length} B by ${size}`);
    }
    for (const end of [whole.length - 1, whole.length]) assert.equal((await read(whole.slice(0, end), size)).error, undefined);
  }
});

test('an error told after the first output passes through, and is in the history with its kind', async () => {
  for (const [headers, chunks, kind] of [
    [SSE, [messages.start, messages.text('a'), messages.overloaded], 'overloaded'],
    [SSE, [chat.start + chat.text('a') + chat.overloaded], 'overloaded'],
    [SSE, [responses.start, responses.text('a'), responses.failed], 'server_error'],
    [TYPES.ndjson, [lines.text('a'), lines.failed], 'server_error'],
    [TYPES.bedrock, decoded(bedrock.start, bedrock.text, bedrock.throttled), 'rate_limited'],
  ]) {
    const { error, chunks: got, response } = await readingOf(chunks, { headers });
    assert.equal(error, undefined);
    assert.equal(Buffer.concat(got).compare(Buffer.concat(chunks.map(bytesOf))), 0);
    const { last, retry: ledger, mark } = historyOf(response);
    assert.deepEqual([last.error.kind, last.error.status, last.streamed, last.index], [kind, 200, true, 0]);
    assert.deepEqual([ledger.totalAttempts, ledger.failedAttempts, ledger.wasteIsLowerBound, mark], [1, 1, true, 'output_begun']);
  }
});

test('an error larger than what is kept is still told by how its line begins', async () => {
  const error = JSON.stringify({ error: { type: 'overloaded_error', message: 'm', details: 'x'.repeat(20_000) } });
  for (const size of [1, 1000, 1 << 20]) {
    const bytes = bytesOf(`${chat.start}${chat.text('a')}data: ${error}\n\n`);
    const chunks = Array.from({ length: Math.ceil(bytes.length / size) }, (_, i) => bytes.slice(i * size, (i + 1) * size));
    const { error: broken, response } = await readingOf(chunks);
    assert.deepEqual([broken, historyOf(response).last.error.kind, historyOf(response).last.streamed], [undefined, 'overloaded', true], `${size} B`);
  }
});

test('an error in a JSON array that is cut at any byte behind it has been told', async () => {
  const url = 'https://generativelanguage.example/v1beta/models/m:streamGenerateContent';
  const text = JSON.stringify({ candidates: [{ content: { parts: [{ text: 'Da {"' }] }, index: 0 }] }, null, 2);
  const told = JSON.stringify({ error: { code: 503, message: 'm \\ "]}', status: 'UNAVAILABLE' } }, null, 2);
  const begun = `[${text}\n,\r\n${told}`;
  const after = '\n,\n{\n  "usageMetadata": {\n    "promptTokenCount": 3\n  },\n  "modelVersion": "]"\n}\n]\n';
  for (let end = 0; end <= after.length; end += 1) {
    const stub = stubFetch(() => answer([begun, after.slice(0, end)], { headers: { 'content-type': 'application/json' } }));
    const response = await over(stub)(url, POST);
    const { error } = await readAll(response);
    assert.deepEqual([error, historyOf(response).last.error.kind], [undefined, 'overloaded'], after.slice(0, end));
  }
});

test('a reader that lets go of a stream at the failure it told, or at its end, is taken at the word of the stream', async () => {
  const told = [messages.start, messages.text('a'), messages.overloaded];
  const whole = [messages.start, messages.text('a'), messages.stop, messages.done];
  for (const letGo of ['cancel', 'abort', 'reset']) {
    for (const [chunks, expected] of [[told, 'overloaded'], [whole, letGo === 'reset' ? 'transport' : undefined]]) {
      const controller = new AbortController();
      const from = source();
      from.push(...chunks);
      const response = await over(stubFetch(() => streamed(from.stream)), { usage: true })(URL_, { ...POST, signal: controller.signal });
      const reader = response.body.getReader();
      for (let n = 0; n < chunks.length; n++) await reader.read();
      if (letGo === 'cancel') await reader.cancel();
      else {
        const reason = new Error(letGo);
        const broken = reader.read().catch((error) => error);
        if (letGo === 'abort') controller.abort(reason);
        else from.error(reason);
        assert.equal(await broken, reason);
        assert.equal(historyOf(reason)?.last?.error.kind, expected);
      }
      const { last, retry: ledger, usage } = historyOf(response);
      assert.deepEqual([last?.error.kind, last?.streamed, ledger.failedAttempts], [expected, expected && true, expected ? 1 : 0], letGo);
      if (expected === undefined) assert.equal(usage.total, 17);
    }
  }
});

test('a stream that broke after retries has all of them in its history, and costs what all of them cost', async () => {
  const stub = stubFetch(503, () => answer([messages.start, messages.overloaded]), () => answer([messages.start, messages.text('a')]));
  const response = await over(stub)(URL_, POST);
  assert.equal(historyOf(response).last, undefined);
  const { error } = await readAll(response);
  const history = historyOf(response);
  assert.equal(historyOf(error), history);
  assert.deepEqual(history.attempts.map(({ error: { kind }, streamed: began }) => [kind, began]), [['overloaded', false], ['overloaded', false]]);
  assert.deepEqual([history.last.index, history.last.attempt, history.last.error.code, history.last.streamed], [2, 3, 'truncated', true]);
  assert.deepEqual(history.last.tokens, { prompt: 11, completion: 1, total: 12 });
  assert.deepEqual(history.retry, {
    totalAttempts: 3, failedAttempts: 3, wastedPromptTokens: 22, wastedCompletionTokens: 2, wastedTotalTokens: 24, wasteIsLowerBound: true,
  });
  assert.deepEqual([history.usage.total, history.usage.billedTotalTokens], [0, 24]);
  assert.deepEqual([error.attempts.length, error.retry, error.mark], [2, history.retry, 'output_begun']);
  assert.ok(Object.isFrozen(history) && Object.isFrozen(history.last.error));
});

test('an attempt that output began in is timed from its send to its end', async () => {
  const clock = fakeClock();
  let body;
  const stub = stubFetch(503, () => streamed(new ReadableStream({ start: (controller) => { body = controller; } })));
  const call = over(stub, { clock, initialDelayMs: 100, jitter: 'none' })(URL_, POST);
  await settled();
  body.enqueue(bytesOf(chat.start + chat.text('a')));
  const response = await call;
  const sentAt = clock.wallMs;
  clock.advance(700);
  body.close();
  const { error } = await readAll(response);
  const { last } = historyOf(error);
  assert.deepEqual([last.startedAt, last.durationMs, last.request.startedAt], [sentAt, 700, sentAt]);
});

test('with usage the tokens of a stream are known at its end, also of one that came at once', async () => {
  const chunks = [chat.start, chat.text('a'), chat.stop, chat.usage, chat.done];
  const { response } = await readingOf(chunks, { options: { usage: true } });
  assert.deepEqual(historyOf(response), {
    retry: { totalAttempts: 1, failedAttempts: 0, wastedPromptTokens: 0, wastedCompletionTokens: 0, wastedTotalTokens: 0, wasteIsLowerBound: false },
    usage: { prompt: 11, completion: 6, total: 17, reasoning: 0, cacheRead: 0, cacheWrite: 0, billedTotalTokens: 17 },
  });
  assert.equal(historyOf((await readingOf(chunks)).response), undefined);
  const stub = stubFetch(() => answer([messages.start, messages.overloaded]), () => answer([messages.start, messages.text('a'), messages.stop, messages.done]));
  const again = await over(stub, { usage: true })(URL_, POST);
  assert.equal(historyOf(again).usage, undefined, 'not before the end');
  await again.text();
  const { usage, attempts } = historyOf(again);
  assert.deepEqual([usage.prompt, usage.completion, usage.total, usage.billedTotalTokens, attempts.length], [11, 6, 17, 29, 1]);
});

test('with usage the tokens of a stream that breaks after its output count as waste as far as they are known', async () => {
  const chunks = [messages.start, messages.text('a'), messages.stop];
  const { response, error } = await readingOf(chunks, { options: { usage: true }, error: new TypeError('terminated') });
  assert.equal(error.message, 'terminated');
  const { last, retry: ledger } = historyOf(response);
  assert.deepEqual([last.tokens.completion, ledger.wastedTotalTokens, ledger.wasteIsLowerBound], [6, 17, true]);
  const unread = await readingOf(chunks, { error: new TypeError('terminated') });
  assert.equal(historyOf(unread.response).last.tokens.completion, 1);
});

test('a retry around a stream does not play it again once its output has begun', async () => {
  let sends = 0;
  const fetch = over(() => {
    sends += 1;
    return Promise.resolve(answer([chat.start, chat.text('a')]));
  });
  const error = await retry(async () => (await fetch(URL_, POST)).text(), { clock: fakeClock() }).catch((thrown) => thrown);
  assert.deepEqual([sends, error.kind, error.code], [1, 'transport', 'truncated']);
});

test('no secret of the request shows in what is told of a broken stream', async () => {
  const secret = 'canary-c0ffee-4711';
  const init = { ...POST, headers: { authorization: `Bearer ${secret}`, 'x-note': `see ${secret}` } };
  const echo = `event: error\ndata: ${JSON.stringify({ type: 'error', error: { type: 'overloaded_error', message: `no ${secret}` } })}\n\n`;
  for (const chunks of [[messages.start, messages.text('a'), echo], [messages.start, messages.text('a')]]) {
    const response = await over(stubFetch(() => answer(chunks)))(`${URL_}?key=${secret}`, init);
    const { error } = await readAll(response);
    for (const thing of [historyOf(response), error]) {
      assert.ok(!`${inspect(thing, { depth: 9, showHidden: true })}${JSON.stringify(thing)}`.includes(secret));
    }
  }
});
