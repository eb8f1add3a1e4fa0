// The AI SDK (ai, @ai-sdk/openai, @ai-sdk/anthropic) with a fetch of dacapo.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { createAnthropic } from '@ai-sdk/anthropic';
import { createOpenAI } from '@ai-sdk/openai';
import { APICallError, embed, generateObject, generateText, isStepCount, NoOutputGeneratedError, Output, streamObject, streamText, tool } from 'ai';
import { historyOf, isRetryError, matchesKind, retryStream } from 'dacapo';
import { z } from 'zod';
import * as anthropicWire from './lib/anthropic-wire.js';
import { asked, cancels, fails, keepsSecrets, LIMIT_MS, recovers, watchedFetch } from './lib/claims.js';
import * as openaiWire from './lib/openai-wire.js';
import { examplesRun } from './lib/page.js';
import { json, lost, sse, startProvider, unanswered } from './lib/provider.js';
import { messages } from '../js/lib/stream-frames.js';

// Or it tells of models that it does not know.
globalThis.AI_SDK_LOG_WARNINGS = false;

const openai = ({ url, fetch, apiKey = 'sk-none' }) => createOpenAI({ apiKey, baseURL: url, fetch });
const anthropic = ({ url, fetch, apiKey = 'none' }) => createAnthropic({ apiKey, baseURL: url, fetch });
const OVERLOADED = json(openaiWire.error('Overloaded'), { status: 503 });
const MODELS = {
  'openai responses': (to) => openai(to)('m'),
  'openai chat': (to) => openai(to).chat('m'),
  anthropic: (to) => anthropic(to)('m'),
};

const asks = (to, name) => ({ model: MODELS[name](to), prompt: 'Where do we start?', maxRetries: 0, abortSignal: to.signal });
const weather = tool({ inputSchema: z.object({ city: z.string() }), execute: async ({ city }) => `rain in ${city}` });
const place = z.object({ place: z.string() });

/** What the user gets of a text. */
const got = async ({ text, finishReason, usage, steps }) => ({
  text: await text, finishReason: await finishReason, tokens: (await usage).totalTokens,
  tools: (await steps).flatMap(({ toolResults }) => toolResults.map(({ toolName, input, output }) => ({ toolName, input, output }))),
});

/** What the user gets of a stream of text, part by part. */
async function streamed(result, seen) {
  const parts = [];
  for await (const part of result.fullStream) {
    if (part.type === 'error') throw part.error;
    if (part.type === 'text-delta') seen(part.text);
    parts.push([part.type, part.text]);
  }
  return { parts, ...await got(result) };
}

const text = (name) => async (to) => got(await generateText(asks(to, name)));
const textStream = (name) => (to, seen) => streamed(streamText({ ...asks(to, name), onError() {} }), seen);
const withTool = (name) => async (to) => got(await generateText({ ...asks(to, name), tools: { weather }, stopWhen: isStepCount(2) }));
const cut = (answer) => ({ ...answer, headers: { ...answer.headers, 'content-length': '5000' }, end: 'reset' });
/** The tool is called first, and its result answered. */
const twoSteps = (call, answer) => ({ bytes }) => (bytes.includes('rain in Oslo') ? answer : call);
const OBJECT = '{"place":"the beginning"}';

const answers = {
  'generateText of openai responses': { ask: text('openai responses'), whole: openaiWire.response(), early: [openaiWire.failedResponse, cut(openaiWire.response())] },
  'generateText of openai chat': { ask: text('openai chat'), whole: openaiWire.completion(), early: [json(openaiWire.error('Overloaded', 'overloaded_error'))] },
  'generateText of anthropic': { ask: text('anthropic'), whole: anthropicWire.message(), early: [json(anthropicWire.error('Overloaded', 'overloaded_error'))] },
  'generateObject of openai responses': {
    ask: async (to) => (await generateObject({ ...asks(to, 'openai responses'), schema: place })).object, whole: openaiWire.response(OBJECT),
  },
  'generateText with an output of anthropic': {
    ask: async (to) => (await generateText({ ...asks(to, 'anthropic'), output: Output.object({ schema: place }) })).output, whole: anthropicWire.message(OBJECT),
  },
  'embed of openai': {
    ask: async (to) => (await embed({ model: openai(to).embedding('m'), value: 'hello', maxRetries: 0, abortSignal: to.signal })).embedding,
    whole: json({ object: 'list', model: 'm', data: [{ object: 'embedding', index: 0, embedding: [0.5, -1, 2] }], usage: { prompt_tokens: 3, total_tokens: 3 } }),
  },
};
const twice = {
  'generateText with a tool of openai responses': {
    ask: withTool('openai responses'), whole: twoSteps(openaiWire.functionCall('weather', { city: 'Oslo' }), openaiWire.response()),
  },
  'generateText with a tool of anthropic': {
    ask: withTool('anthropic'), whole: twoSteps(anthropicWire.toolUse('weather', { city: 'Oslo' }), anthropicWire.message()),
  },
};
const toolStream = {
  'streamText with a tool of anthropic': {
    ask: (to, seen) => streamed(streamText({ ...asks(to, 'anthropic'), tools: { weather }, stopWhen: isStepCount(2), onError() {} }), seen),
    whole: twoSteps(anthropicWire.toolUseStream('weather', { city: 'Oslo' }), anthropicWire.messageStream.whole),
    early: anthropicWire.messageStream.early,
  },
};
const streams = {
  'streamText of openai responses': { ask: textStream('openai responses'), ...openaiWire.responseStream },
  'streamText of openai chat': { ask: textStream('openai chat'), ...openaiWire.chatStream },
  'streamText of anthropic': { ask: textStream('anthropic'), ...anthropicWire.messageStream },
  'streamObject of openai chat': {
    async ask(to, seen) {
      const result = streamObject({ ...asks(to, 'openai chat'), schema: place, onError() {} });
      const parts = [];
      for await (const part of result.partialObjectStream) {
        parts.push(part);
        seen(part);
      }
      return { parts, object: await result.object };
    },
    ...openaiWire.chatStreamOf('{"place":', '"the beginning"}'),
  },
};
const all = { ...answers, ...twice, ...toolStream, ...streams };

recovers(all, openaiWire.error('Overloaded'));
cancels({ ...answers, ...streams }, (raised, reason) => {
  assert.equal(raised, reason);
  assert.equal(historyOf(raised).mark, 'cancelled');
});

const is = (status, wire) => (raised) => {
  assert.ok(APICallError.isInstance(raised), String(raised));
  assert.deepEqual([raised.statusCode, raised.responseHeaders['x-request-id'], raised.message], [status, 'req_9', 'Told by the provider']);
  assert.deepEqual([raised.data, JSON.parse(raised.responseBody)], [wire, wire]);
};
const factsOf = (raised) => {
  const { date, ...headers } = raised.responseHeaders ?? {};
  const { name, statusCode, responseBody, data, isRetryable, message } = raised;
  return { name, statusCode, headers, responseBody, data, isRetryable, message, cause: raised.cause?.code };
};
const failure = (status, wire, headers) => json(wire, { status, headers: { 'x-request-id': 'req_9', ...headers } });
const TOLD = openaiWire.error('Told by the provider');
const LIMITED = openaiWire.error('Told by the provider', 'requests', 'rate_limit_exceeded');
const SPENT = openaiWire.error('Told by the provider', 'insufficient_quota', 'insufficient_quota');

const { 'generateText of anthropic': anthropicText, 'generateText with an output of anthropic': anthropicOutput, ...openaiAnswers } = answers;
const { 'streamText of anthropic': anthropicStream, ...openaiStreams } = streams;
fails({ ...openaiAnswers, ...openaiStreams }, {
  'a 503': { answer: failure(503, TOLD), sends: 2, kind: 'overloaded', is: is(503, TOLD) },
  'a 429 that asks for an hour': { answer: failure(429, LIMITED, { 'retry-after': '3600' }), sends: 1, kind: 'rate_limited', is: is(429, LIMITED) },
  'a spent quota': { answer: failure(429, SPENT), sends: 1, kind: 'quota_exhausted', is: is(429, SPENT) },
}, factsOf, { leads: false });
fails({ ...openaiAnswers, ...openaiStreams }, {
  'a connection that is reset': {
    answer: lost, sends: 2, kind: 'transport', is: (raised) => assert.deepEqual([APICallError.isInstance(raised), raised.statusCode], [true, undefined]),
  },
}, factsOf);

const OVERFULL = anthropicWire.error('Told by the provider', 'overloaded_error');
fails({ 'generateText of anthropic': anthropicText, 'generateText with an output of anthropic': anthropicOutput, 'streamText of anthropic': anthropicStream }, {
  'a 529': {
    answer: failure(529, OVERFULL), sends: 2, kind: 'overloaded',
    // Its schema drops the request's id.
    is: (raised) => assert.deepEqual([raised.statusCode, raised.data.error, JSON.parse(raised.responseBody)], [529, OVERFULL.error, OVERFULL]),
  },
}, factsOf, { leads: false });

keepsSecrets(all, (message) => openaiWire.error(message));

describe('the AI SDK', { timeout: LIMIT_MS }, () => {
  const ask = answers['generateText of openai responses'];
  const stream = streams['streamText of openai responses'];
  const WAITS = { clock: undefined, initialDelayMs: 60_000, maxDelayMs: 60_000 };
  const caught = (error) => error;

  test('a fetch with an onEvent of its own tells of the history of one call', async (t) => {
    const { url } = await startProvider(t, ({ json: body }) => (body.input[0].content[0].text === 'fail' ? OVERLOADED : openaiWire.response()));
    const { fetch } = watchedFetch();
    const histories = await Promise.all(['fail', 'pass'].map(async (prompt) => {
      let history;
      const its = fetch.with({ onEvent: (event) => { if (event.type === 'settled') ({ history } = event); } });
      await generateText({ model: openai({ url, fetch: its })('m'), prompt, maxRetries: 0 }).catch(caught);
      return history;
    }));
    assert.deepEqual(histories.map((history) => history?.retry.totalAttempts), [3, undefined]);
  });

  test('a step that failed is sent again, and no tool is run twice', async (t) => {
    const { url, requests } = await startProvider(t, openaiWire.functionCall('weather', { city: 'Oslo' }), OVERLOADED, openaiWire.response());
    const cities = [];
    const counting = tool({ ...weather, execute: ({ city }) => cities.push(city) });
    const { text: answer } = await generateText({ ...asks({ url, ...watchedFetch() }, 'openai responses'), tools: { weather: counting }, stopWhen: isStepCount(2) });
    assert.deepEqual([answer, cities, requests.length], ['Da capo', ['Oslo'], 3]);
  });

  test('calls that run at once keep their answers apart', async (t) => {
    const failed = new Set();
    const { url, requests } = await startProvider(t, ({ json: body }) => {
      const [{ text: prompt }] = body.input[0].content;
      if (Number(prompt) % 2 === 0 || failed.has(prompt)) return openaiWire.response(`answer ${prompt}`);
      failed.add(prompt);
      return OVERLOADED;
    });
    const model = openai({ url, ...watchedFetch() })('m');
    const texts = await Promise.all(Array.from({ length: 20 }, async (_, i) => (await generateText({ model, prompt: String(i), maxRetries: 0 })).text));
    assert.deepEqual([texts, requests.length], [Array.from({ length: 20 }, (_, i) => `answer ${i}`), 30]);
  });

  test('a failure told after the first output surfaces once, and no history of it can be reached', async (t) => {
    const late = sse([openaiWire.events.start, openaiWire.events.text('Da '), openaiWire.events.failed]);
    const { error: raised, outputs, requests, settled } = await heard(t, late);
    assert.deepEqual([raised.message, outputs, requests.length], ['The model failed', ['Da '], 1]);
    assert.deepEqual([historyOf(raised), settled()], [undefined, []]);
  });

  test('a stream that is cut short after its first output is an APICallError, whose cause leads to the history', async (t) => {
    const late = sse([openaiWire.events.start, openaiWire.events.text('Da ')], { end: 'cut' });
    const { error: raised, outputs, requests } = await heard(t, late);
    assert.ok(APICallError.isInstance(raised), String(raised));
    assert.deepEqual([outputs, requests.length, matchesKind(raised, 'transport')], [['Da '], 1, true]);
    assert.deepEqual([historyOf(raised).last.streamed, historyOf(raised).mark], [true, 'output_begun']);
  });

  /** A stream of text, and what was heard of it. */
  async function heard(t, answer) {
    const outputs = [];
    const call = { ask: (to) => stream.ask(to, (output) => outputs.push(output)) };
    return { ...await asked(t, call, [answer, stream.whole]), outputs };
  }

  test('its timeout ends a wait: it spans all attempts', async (t) => {
    const call = { ask: async (to) => generateText({ ...asks(to, 'openai responses'), timeout: 400 }) };
    const { error: raised, requests, settled } = await asked(t, call, [OVERLOADED], WAITS);
    assert.equal(raised.name, 'TimeoutError');
    assert.deepEqual([requests.length, settled()[0].mark, settled()[0].attempts.length], [1, 'cancelled', 1]);
    assert.equal(historyOf(raised), settled()[0]);
  });

  for (const [option, mark, sends] of [['timeoutMs', 'attempts_exhausted', 2], ['deadlineMs', 'deadline_exceeded', 1]]) {
    test(`${option} reaches the user as the TimeoutError that it is, which leads to the history`, async (t) => {
      for (const call of [ask, stream]) {
        const { error: raised, requests } = await asked(t, call, [unanswered], { clock: undefined, [option]: 400, maxAttempts: 2, maxDelayMs: 0, initialDelayMs: 0 });
        assert.equal(raised.name, 'TimeoutError');
        assert.match(raised.message, new RegExp(option));
        assert.deepEqual([requests.length, historyOf(raised).mark], [sends, mark]);
      }
    });
  }

  test('a breaker that is open reaches the user as the RetryError that it is', async (t) => {
    const provider = await startProvider(t, OVERLOADED);
    const to = { url: provider.url, ...watchedFetch({ maxAttempts: 1, breaker: { failures: 1 } }) };
    await assert.rejects(ask.ask(to), APICallError);
    for (const call of [ask, stream]) {
      const raised = await call.ask(to, () => undefined).catch(caught);
      assert.ok(isRetryError(raised), String(raised));
      assert.deepEqual([raised.kind, provider.requests.length], ['circuit_open', 1]);
    }
  });

  test('textStream of a call that failed ends without an error, its text is an AI_NoOutputGeneratedError, and onError has the cause', async (t) => {
    const { url } = await startProvider(t, OVERLOADED);
    let told;
    const result = streamText({ ...asks({ url, ...watchedFetch() }, 'openai responses'), onError: ({ error }) => { told = error; } });
    for await (const delta of result.textStream) assert.fail(delta);
    await assert.rejects(Promise.resolve(result.text), (raised) => NoOutputGeneratedError.isInstance(raised));
    assert.equal(told.statusCode, 503);
  });

  for (const [trouble, answer] of Object.entries({
    'a 503': OVERLOADED, 'a failure told in band': stream.early[0], 'an error event': stream.early[1], 'a reset connection': stream.early[2],
    'an end without an end marker (finishReason "interrupted")': stream.early[3],
  })) {
    test(`retryStream around streamText plays ${trouble} again: its consumer sees one start`, async (t) => {
      const { url, requests } = await startProvider(t, answer, stream.whole);
      const plainly = () => streamText({ ...asks({ url, fetch: globalThis.fetch }, 'openai responses'), onError() {} }).fullStream;
      const parts = [];
      for await (const part of retryStream(plainly, { clock: watchedFetch().clock })) parts.push(part);
      assert.deepEqual([parts.filter(({ type }) => type === 'start').length, parts.map(({ text: delta = '' }) => delta).join('')], [1, 'Da capo']);
      assert.equal(requests.length, 2);
    });
  }

  test('its own retries left on multiply: two of its three tries, each of three attempts', async (t) => {
    const { url, requests } = await startProvider(t, json(openaiWire.error('Overloaded'), { status: 503, headers: { 'retry-after-ms': '1' } }));
    await generateText({ ...asks({ url, ...watchedFetch() }, 'openai responses'), maxRetries: 1 }).catch(caught);
    assert.equal(requests.length, 6);
  });
});

examplesRun('ai-sdk', (url) => ({ OPENAI_API_KEY: 'sk-none', OPENAI_BASE_URL: url }), {
  first: [OVERLOADED, openaiWire.response()],
  errors: [failure(429, LIMITED), failure(429, LIMITED)],
  stream: [sse([openaiWire.events.start, openaiWire.events.failed]), openaiWire.responseStream.whole],
  cancel: [OVERLOADED],
});
