/** The part of the contract that is about streamed answers. No `node:` import. */

import { check } from './check.js';
import { ASK, claimList, OK, quickFetch as fetchOf, waited } from './contract.js';
import { contains, equal, failure, same } from './expect.js';
import { play, seen, seenUntil } from './play.js';
import { REASONS } from './signals.js';
import { bedrock, chat, lines, messages, TYPES } from './stream-frames.js';

const { claims, claim } = claimList();
export { claims };

/** Long for any of these openings, and short for whoever waits for a test that fails. */
const HOLD_MS = 5_000;
const quickFetch = (env, options) => fetchOf(env, { holdOpeningMs: HOLD_MS, ...options });

/** Answers of a scripted server. */
const sse = (...chunks) => ({ headers: TYPES.sse, chunks, chunkDelayMs: 2 });
const WHOLE = sse(chat.start, chat.text('Da '), chat.text('capo'), chat.stop, chat.done);
const bytesOf = ({ chunks }) => chunks.join('');

/** A wait longer than any of these calls may take. */
const NEVER_MS = 60_000;

/** Reads until something has come. */
async function firstText(response) {
  const reader = response.body.getReader();
  const { value } = await reader.read();
  return { reader, text: new TextDecoder().decode(value) };
}

/** What a body gave before it broke, and what it broke with. */
async function readUntilBroken(response) {
  const decoder = new TextDecoder();
  let text = '';
  const reader = response.body.getReader();
  const error = await failure(async () => {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return text;
      text += decoder.decode(value, { stream: true });
    }
  });
  return { text, error };
}

const failedBefore = {
  'an error event': { first: sse(messages.start, messages.overloaded), then: sse(messages.start, messages.text('Hello'), messages.stop, messages.done), error: ['overloaded', 200] },
  'an error object': { first: sse(chat.start, chat.overloaded), then: WHOLE, error: ['overloaded', 200] },
  'a reset connection': { first: { ...sse(chat.start), fault: 'reset-in-body' }, then: WHOLE, error: ['transport', undefined] },
  'an end without an end marker': { first: sse(chat.start), then: WHOLE, error: ['transport', 200], code: 'truncated' },
  'an empty body': { first: sse(), then: WHOLE, error: ['transport', 200], code: 'truncated' },
  'a line that tells of an error': {
    first: { headers: TYPES.ndjson, chunks: [lines.failed] }, then: { headers: TYPES.ndjson, chunks: [lines.text('Hello'), lines.done] }, error: ['server_error', 200],
  },
};
for (const [what, { first, then, error: [kind, status], code }] of Object.entries(failedBefore)) {
  claim(`a stream that fails before its first output is retried, and its reader sees one start: ${what}`, async (env) => {
    const url = play(env.origin, [first, then]);
    const response = await quickFetch(env)(url, ASK);
    equal([response.status, response.url === url, response.headers.get('content-type')], [200, true, first.headers['content-type']]);
    same(await response.text(), bytesOf(then), 'the text');
    const history = env.dacapo.historyOf(response);
    const [{ error, streamed }] = history.attempts;
    equal([error.kind, error.status, streamed, history.retry.totalAttempts], [kind, status, false, 2]);
    if (code !== undefined) same(error.code, code, 'code');
    equal((await seen(url)).map(({ method, body }) => [method, body]), [['POST', ASK.body], ['POST', ASK.body]]);
    await waited(env, history, url, [[60, 60]]);
  });
}

claim('an exception of an AWS event stream before its first output is retried', async (env) => {
  const url = play(env.origin, [
    { headers: TYPES.bedrock, encoding: 'base64', chunks: [bedrock.start, bedrock.throttled], packetBytes: 50 },
    { headers: TYPES.bedrock, encoding: 'base64', chunks: [bedrock.start, bedrock.text, bedrock.done], packetBytes: 50 },
  ]);
  const response = await quickFetch(env)(url, ASK);
  const bytes = new Uint8Array(await response.arrayBuffer());
  same(btoa(String.fromCharCode(...bytes)), btoa([bedrock.start, bedrock.text, bedrock.done].map(atob).join('')), 'the bytes');
  equal(env.dacapo.historyOf(response).attempts.map(({ error }) => [error.kind, error.code]), [['rate_limited', 'throttlingException']]);
}, ['injected']);

for (const packetBytes of [1, 7]) {
  claim(`what is delivered is what was sent, whatever the packets cut in two: ${packetBytes} B each`, async (env) => {
    const text = [chat.start, chat.text('Größe 你好 👋'), chat.stop, chat.done].join('').replaceAll('\n', '\r\n');
    const failed = [chat.start, chat.overloaded].join('').replaceAll('\n', '\r\n');
    const url = play(env.origin, [{ headers: TYPES.sse, body: failed, packetBytes }, { headers: TYPES.sse, body: text, packetBytes }]);
    const response = await quickFetch(env)(url, ASK);
    same(await response.text(), text, 'the text');
    equal(env.dacapo.historyOf(response).attempts.map(({ error }) => error.kind), ['overloaded']);
  }, ['injected']);
}

claim('a stream that is whole at once has no history, and its clone has the same bytes', async (env) => {
  const url = play(env.origin, [WHOLE]);
  const response = await quickFetch(env)(url, ASK);
  same(env.dacapo.historyOf(response), undefined, 'history');
  const { type } = await globalThis.fetch(play(env.origin, [OK]), ASK);
  equal([response.status, response.ok, response.redirected, response.type, response.url], [200, true, false, type, url]);
  const clone = response.clone();
  equal([clone.url, clone.headers.get('content-type')], [url, TYPES.sse['content-type']]);
  equal(await Promise.all([response.text(), clone.text()]), [bytesOf(WHOLE), bytesOf(WHOLE)]);
  equal([response.bodyUsed, clone.bodyUsed, (await seen(url)).length], [true, true, 1]);
}, ['injected']);

claim('a stream can be read into a buffer of the reader’s own where the platform’s can', async (env) => {
  const byob = async (response) => {
    const reader = response.body.getReader({ mode: 'byob' });
    let text = '';
    for (;;) {
      const { done, value } = await reader.read(new Uint8Array(16));
      text += new TextDecoder().decode(value);
      if (done) return text;
    }
  };
  const init = { ...ASK };
  const bare = await byob(await globalThis.fetch(play(env.origin, [WHOLE]), init)).catch(() => undefined);
  if (bare !== undefined) same(await byob(await quickFetch(env)(play(env.origin, [WHOLE]), init)), bare, 'the text');
}, ['injected']);

claim('a whole stream without output is delivered as it is', async (env) => {
  const nothing = sse(chat.start, chat.stop, chat.done);
  const url = play(env.origin, [nothing]);
  const response = await quickFetch(env)(url, ASK);
  same(await response.text(), bytesOf(nothing), 'the text');
  equal([env.dacapo.historyOf(response), (await seen(url)).length], [undefined, 1]);
}, ['injected']);

claim('a stream that fails before its output once too often is handed over with all its bytes', async (env) => {
  const failed = sse(messages.start, messages.overloaded);
  const url = play(env.origin, [failed]);
  const response = await quickFetch(env, { maxAttempts: 2 })(url, ASK);
  equal([response.status, await response.text()], [200, bytesOf(failed)]);
  const { mark, retry, last } = env.dacapo.historyOf(response);
  equal([mark, retry.failedAttempts, last.error.kind, last.streamed, (await seen(url)).length], ['attempts_exhausted', 2, 'overloaded', false, 2]);
});

claim('an error after the first output passes through, once', async (env) => {
  const failed = sse(messages.start, messages.text('Da '), messages.overloaded);
  const url = play(env.origin, [failed, WHOLE]);
  const response = await quickFetch(env)(url, ASK);
  same(await response.text(), bytesOf(failed), 'the text');
  same((await seen(url)).length, 1, 'requests');
  const { last, retry } = env.dacapo.historyOf(response);
  equal([last.streamed, last.error.kind, retry.totalAttempts, retry.failedAttempts], [true, 'overloaded', 1, 1]);
}, ['injected']);

claim('a stream that ends without its end marker after output breaks with a RetryError, once', async (env) => {
  const cut = sse(chat.start, chat.text('Da '));
  const url = play(env.origin, [cut, WHOLE]);
  const response = await quickFetch(env)(url, ASK);
  const { text, error } = await readUntilBroken(response);
  same(text, bytesOf(cut), 'the text');
  check(env.dacapo.isRetryError(error), `it is a RetryError, not ${error}`);
  equal([error.kind, error.code, (await seen(url)).length], ['transport', 'truncated', 1]);
  equal([env.dacapo.historyOf(error).last.streamed, env.dacapo.historyOf(response).last.streamed], [true, true]);
}, ['injected']);

claim('a stream that is cut short after a failed attempt tells of both', async (env) => {
  const cut = sse(chat.start, chat.text('Da '));
  const url = play(env.origin, [{ status: 503 }, cut]);
  const { error } = await readUntilBroken(await quickFetch(env)(url, ASK));
  const { attempts, last, retry } = env.dacapo.historyOf(error);
  equal([attempts.map((each) => each.error.kind), last.error.code, last.index, retry.totalAttempts, retry.failedAttempts], [['overloaded'], 'truncated', 1, 2, 2]);
}, ['injected']);

for (const fault of ['reset-in-body', 'cut-in-body']) {
  claim(`a connection lost after the first output breaks the stream, once: ${fault}`, async (env) => {
    const cut = { ...sse(chat.start, chat.text('Da ')), fault };
    const url = play(env.origin, [cut, WHOLE]);
    const response = await quickFetch(env)(url, ASK);
    const { error } = await readUntilBroken(response);
    same(env.dacapo.classify({ error }).kind, 'transport', `the kind of ${error}`);
    same((await seen(url)).length, 1, 'requests');
    const { last } = env.dacapo.historyOf(response);
    equal([last.streamed, last.error.kind], [true, 'transport']);
  }, ['injected']);
}

claim('an abort while the opening is held rejects with the reason itself, and the server is let go', async (env) => {
  for (const [name, reasonOf] of Object.entries(REASONS)) {
    const url = play(env.origin, [{ ...sse(chat.start), fault: 'stall' }]);
    const controller = new AbortController();
    const call = failure(quickFetch(env)(url, { ...ASK, signal: controller.signal }));
    await seenUntil(url, ({ length }) => length === 1);
    await new Promise((resolve) => setTimeout(resolve, 50));
    controller.abort(reasonOf());
    same(await call, controller.signal.reason, `what it rejects with after ${name}`);
    await seenUntil(url, ([first]) => first?.left);
    same((await seen(url)).length, 1, 'requests');
  }
}, ['real']);

for (const [under, options] of Object.entries({ 'without a limit': {}, 'under timeoutMs': { timeoutMs: NEVER_MS } })) {
  claim(`an abort after the first output breaks the stream and lets the server go, ${under}`, async (env) => {
    const url = play(env.origin, [{ ...sse(chat.start, chat.text('Da ')), fault: 'stall' }]);
    const controller = new AbortController();
    const response = await quickFetch(env, options)(url, { ...ASK, signal: controller.signal });
    setTimeout(() => controller.abort(), 50);
    const { error } = await readUntilBroken(response);
    same(error.name, 'AbortError', 'name');
    await seenUntil(url, ([first]) => first?.left);
    same((await seen(url)).length, 1, 'requests');
  }, ['real']);
}

for (const [how, options] of Object.entries({ '': {}, ', under timeoutMs': { timeoutMs: 60_000 } })) {
  claim(`a reader that has had enough lets the server go${how}`, async (env) => {
    const url = play(env.origin, [{ ...sse(chat.start, chat.text('Da ')), fault: 'stall' }]);
    const { reader } = await firstText(await quickFetch(env, options)(url, ASK));
    await reader.cancel('enough');
    await seenUntil(url, ([first]) => first?.left);
  }, ['real']);
}

claim('a stream that falls silent before its first output and is sent again lets the server go, under timeoutMs', async (env) => {
  const url = play(env.origin, [{ ...sse(chat.start), fault: 'stall' }, WHOLE]);
  const response = await quickFetch(env, { idleTimeoutMs: 200, timeoutMs: 60_000 })(url, ASK);
  same(await response.text(), bytesOf(WHOLE), 'the text');
  await seenUntil(url, ([first]) => first?.left);
}, ['real']);

claim('a stream that falls silent before its first output is given up at idleTimeoutMs and retried', async (env) => {
  const url = play(env.origin, [{ ...sse(chat.start), fault: 'stall' }, WHOLE]);
  const response = await quickFetch(env, { idleTimeoutMs: 200 })(url, ASK);
  same(await response.text(), bytesOf(WHOLE), 'the text');
  const { reason, error, streamed } = env.dacapo.historyOf(response).attempts[0];
  equal([reason, error.kind, streamed], ['timeout', 'timeout', false]);
  await seenUntil(url, ([first]) => first?.left);
}, ['real']);

claim('a stream that falls silent after its first output breaks with a TimeoutError that names idleTimeoutMs', async (env) => {
  const url = play(env.origin, [{ ...sse(chat.start, chat.text('Da ')), fault: 'stall' }, WHOLE]);
  const response = await quickFetch(env, { idleTimeoutMs: 200 })(url, ASK);
  const { text, error } = await readUntilBroken(response);
  same(text, chat.start + chat.text('Da '), 'the text');
  same(error.name, 'TimeoutError', 'name');
  contains(error.message, /idleTimeoutMs.*\b200\b/);
  await seenUntil(url, ([first]) => first?.left);
  equal([env.dacapo.historyOf(response).last.streamed, (await seen(url)).length], [true, 1]);
}, ['real']);

claim('pings keep a stream from being idle, and do not count as its first output', async (env) => {
  const pings = { headers: TYPES.sse, chunks: Array(20).fill(': ping\n\n'), chunkDelayMs: 50 };
  const url = play(env.origin, [pings, WHOLE]);
  const response = await quickFetch(env, { idleTimeoutMs: 400, firstOutputTimeoutMs: 500 })(url, ASK);
  same(await response.text(), bytesOf(WHOLE), 'the text');
  const [{ error, durationMs }] = env.dacapo.historyOf(response).attempts;
  equal([error.kind, durationMs >= 450], ['timeout', true]);
  contains(error.message, /firstOutputTimeoutMs/);
}, ['real']);

claim('an opening is held no longer than holdOpeningMs, and not retried after that', async (env) => {
  const late = sse(chat.start, ...Array(10).fill(': ping\n\n'), chat.overloaded);
  const url = play(env.origin, [{ ...late, chunkDelayMs: 40 }, WHOLE]);
  const response = await quickFetch(env, { holdOpeningMs: 150 })(url, ASK);
  same(await response.text(), bytesOf(late), 'the text');
  same((await seen(url)).length, 1, 'requests');
}, ['real']);

claim('an opening longer than openingBytes is handed over, and not retried after that', async (env) => {
  const long = sse(chat.start, ...Array(10).fill(`: ${'x'.repeat(100)}\n\n`), chat.overloaded);
  const url = play(env.origin, [long, WHOLE]);
  const response = await quickFetch(env, { openingBytes: 500 })(url, ASK);
  same(await response.text(), bytesOf(long), 'the text');
  same((await seen(url)).length, 1, 'requests');
}, ['injected']);

const notification = `event: message\ndata: ${JSON.stringify({ jsonrpc: '2.0', method: 'notifications/progress', params: { progress: 1 } })}\n\n`;
claim('an event stream that is no LLM’s is delivered at its first event, and never ends with an error of ours', async (env) => {
  for (const fault of ['stall', undefined]) {
    const url = play(env.origin, [{ ...sse(notification), fault }]);
    const response = await quickFetch(env)(url, ASK);
    const { reader, text } = await firstText(response);
    same(text, notification, 'the event');
    if (fault === undefined) same((await reader.read()).done, true, 'done');
    else await reader.cancel();
  }
}, ['real']);

claim('an event stream that was asked for with GET is delivered at its headers, by identity', async (env) => {
  let own;
  const fetch = quickFetch(env, { fetch: async (...args) => (own = await globalThis.fetch(...args)) });
  const response = await fetch(play(env.origin, [{ ...sse(': open\n\n'), fault: 'stall' }]));
  same(response, own, 'the Response');
  await response.body.cancel();
}, ['real']);

claim('with usage the tokens of a delivered stream are in its history, and those of a failed one are the waste', async (env) => {
  const whole = sse(messages.start, messages.text('Hello'), messages.stop, messages.done);
  const url = play(env.origin, [sse(messages.start, messages.overloaded), whole]);
  const response = await quickFetch(env, { usage: true })(url, ASK);
  same(await response.text(), bytesOf(whole), 'the text');
  const { usage, retry } = env.dacapo.historyOf(response);
  equal([usage.prompt, usage.completion, usage.total, retry.wastedPromptTokens, usage.billedTotalTokens], [11, 6, 17, 11, 17 + retry.wastedTotalTokens]);
}, ['injected']);

claim('streams that are read at once do not get into each other’s way', async (env) => {
  const fetch = quickFetch(env);
  const texts = ['one', 'two', 'three', 'four'].map((text) => [chat.start, chat.text(text), chat.stop, chat.done]);
  const responses = await Promise.all(texts.map((chunks, i) => fetch(play(env.origin, [...Array(i % 3).fill(sse(chat.start, chat.overloaded)), { ...sse(...chunks), chunkDelayMs: 15 }]), ASK)));
  equal(await Promise.all(responses.map((response) => response.text())), texts.map((chunks) => chunks.join('')));
  equal(responses.map((response) => env.dacapo.historyOf(response)?.retry.totalAttempts ?? 1), [1, 2, 3, 1]);
});

claim('a plain JSON answer to a call that wanted a stream is judged as one', async (env) => {
  const url = play(env.origin, [{ json: { error: { type: 'overloaded_error', message: 'Overloaded' } } }, OK]);
  const response = await quickFetch(env)(url, ASK);
  equal(await response.json(), { answer: 42 });
  same(env.dacapo.historyOf(response).attempts[0].error.kind, 'overloaded', 'kind');
}, ['injected']);
