// The world of each example of the documentation, by the name that stands above it.

import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/** @import { Example } from './examples.js' */

const root = resolve(import.meta.dirname, '../../..');

const sse = (...events) => ({
  status: 200,
  headers: { 'content-type': 'text/event-stream' },
  body: events.map((event) => `data: ${typeof event === 'string' ? event : JSON.stringify(event)}\n\n`).join(''),
});
const says = (content, finish_reason) => ({ choices: [{ delta: { content }, ...(finish_reason && { finish_reason }) }] });
/** Has an example import a package itself, in the place of its stand-in. */
const real = (name, file) => {
  const resolve = `(name, context, next) => next(name === '${name}' ? '${pathToFileURL(join(root, 'node_modules', name, file))}' : name, context)`;
  const module = `data:text/javascript,${encodeURIComponent(`export const resolve = ${resolve}`).replaceAll("'", '%27')}`;
  // Node.js 20 has no `registerHooks`, and from 26 on `register` is deprecated.
  return `const { register, registerHooks } = await import('node:module');
      if (registerHooks) registerHooks({ resolve: ${resolve} });
      else register('${module}');`;
};
const provider = (name, complete) => `globalThis.${name} = { complete: ${complete} };`;

/** @type {Record<string, Example>} */
export const readme = {
  'first-call': { answers: [{ status: 429, headers: { 'retry-after': '1' } }, { status: 200 }], sends: 2 },
  operation: {
    globals: `let asked = 0;
      globalThis.client = {
        async complete({ prompt }, { signal }) {
          signal.throwIfAborted();
          if (++asked < 2) throw Object.assign(new Error('slow down'), { status: 429, headers: { 'retry-after-ms': '300' } });
          return prompt + ' to you';
        },
      };`,
    sends: 0,
  },
  sdk: { answers: [{ status: 503 }], sends: 3, globals: "globalThis.apiKey = 'sk-none';" },
  worker: {
    answers: [{ status: 503 }, { status: 200, body: 'asked' }],
    sends: 2,
    then: `const request = new Request('https://worker.example/', { method: 'POST', body: 'ask' });
      const response = await example.default.fetch(request);
      console.log(response.status, await response.text());`,
    prints: ['200 asked'],
  },
  stream: {
    globals: `let asked = 0;
      globalThis.client = {
        async *stream() {
          yield { type: 'message_start', message: { content: [], usage: { input_tokens: 9 } } };
          if (++asked < 2) throw Object.assign(new Error('Overloaded'), { status: 529 });
          for (const text of ['once', ' more']) yield { type: 'content_block_delta', index: 0, delta: { type: 'text_delta', text } };
          yield { type: 'message_stop' };
        },
      };`,
    sends: 0,
  },
  driver: {
    globals: `let made = 0;
      globalThis.Driver = class {
        #key = 'none';
        get model() { return this.#key && 'm-1'; }
        async complete() {
          if (++made < 2) throw Object.assign(new Error('slow down'), { status: 429, headers: { 'retry-after-ms': '1' } });
          return 'sent ' + made + ' times';
        }
        async *stream() { yield 'h'; }
      };`,
    sends: 0,
  },
  slim: { answers: [{ status: 200, file: join(root, 'pkg/dacapo_bg.wasm') }, { status: 503 }, { status: 200 }], sends: 3 },
  'inside-200': { answers: [{ status: 200, headers: { 'content-type': 'application/json' }, body: '{"error":{"code":"invalid_api_key"}}' }], sends: 1 },
  history: { answers: [{ status: 503 }, { status: 502 }], sends: 2 },
  testing: { sends: 0 },
  across: { answers: [{ status: 503 }], sends: 6 },
};

/** @type {Record<string, Example>} */
export const acrossCalls = {
  breaker: {
    answers: [{ status: 503 }],
    sends: 2,
    prints: ['503', 'https://api.example.com: closed → open', '503', 'come back in 30 s', '2'],
  },
  'shared-breaker': { globals: "globalThis.index = { search: async (query) => 'found ' + query };", sends: 0 },
  budget: { answers: [{ status: 503 }], sends: 4, prints: ['503 3 attempts_exhausted', '503 1 retry_budget_exhausted', '2'] },
  fallback: {
    globals: `globalThis.prompt = 'hello';
      globalThis.signal = undefined;
      ${provider('openai', "async () => { throw Object.assign(new Error('no credit'), { status: 402 }); }")}
      ${provider('anthropic', "async ({ model, prompt }) => model + ' says ' + prompt")}`,
    sends: 0,
  },
  endpoints: {
    answers: [{ status: 401 }, { status: 200, headers: { 'content-type': 'application/json' }, body: '{"object":"chat.completion"}' }],
    globals: "globalThis.GROQ_KEY = 'gsk-1'; globalThis.OPENAI_KEY = 'sk-1';",
    then: `for (const { url, headers, body } of requests) console.log(url, new Headers(headers).get('authorization'), JSON.parse(body).model);`,
    sends: 2,
    prints: [
      'chat.completion',
      'https://api.openai.com/v1/chat/completions Bearer sk-1 gpt-5',
      'https://api.groq.com/openai/v1/chat/completions Bearer gsk-1 llama-3.3-70b-versatile',
    ],
  },
  hedging: { answers: [{ hangs: true }, { status: 200 }], sends: 2 },
  defer: {
    answers: [{ status: 429, headers: { 'retry-after': '7200' } }],
    globals: `globalThis.job = 7;
      globalThis.url = 'https://api.example.com/v1/answers';
      globalThis.init = { method: 'POST', body: 'hello' };
      globalThis.queue = { send: async ({ job, resume }, { delaySeconds }) => console.log(job, resume.attempts.length, Math.round(delaySeconds / 10) * 10) };`,
    prints: ['7 1 7200'],
    sends: 1,
  },
  resume: {
    answers: [{ status: 429, headers: { 'retry-after': '7200' } }, { status: 200 }],
    globals: `globalThis.url = 'https://api.example.com/v1/answers';
      globalThis.init = { method: 'POST', body: 'hello' };
      const dacapo = await import('dacapo');
      globalThis.resume = dacapo.historyOf(await dacapo.createFetch({ retryAfterBeyond: 'defer' })(url, init)).resume;`,
    sends: 2,
  },
};

/** @type {Record<string, Example>} */
export const guides = {
  'policy-chat': { answers: [{ status: 503 }, sse(says('hi', 'stop'))], sends: 2 },
  'policy-webhook': {
    answers: [{ status: 503 }, { status: 200 }],
    then: `const { status } = await example.onWebhook({ id: 7, order: 42 });
      console.log(status, requests.map(({ headers }) => new Headers(headers).get('idempotency-key')).join(' '));`,
    prints: ['200 charge-7 charge-7'],
    sends: 2,
  },
  'policy-hint': { answers: [{ status: 429, headers: { 'retry-after': '20' } }], sends: 1 },
  'policy-veto': { answers: [{ status: 502 }], sends: 1 },
  'policy-explain': { sends: 0, prints: ['wait 1: 250 to 500 ms', 'wait 2: 500 to 1000 ms', 'wait 3: 1000 to 2000 ms', '106000', 'null'] },
  'streaming-fetch': {
    answers: [
      sse({ choices: [{ delta: { role: 'assistant' } }] }, { error: { message: 'Overloaded', type: 'overloaded_error' } }),
      sse(says('hi', 'stop')),
    ],
    sends: 2,
  },
  'streaming-broken': { answers: [sse(says('once upon'))], sends: 1 },
  'streaming-resume': {
    answers: [sse(says('once upon')), sse(says(' a time', 'stop')), { status: 401 }],
    globals: `globalThis.textsOf = async function* (response) {
        const decoder = new TextDecoder();
        for await (const bytes of response.body) {
          for (const [, content] of decoder.decode(bytes, { stream: true }).matchAll(/"content":"(.*?)"/g)) yield content;
        }
      };`,
    then: `let told = '';
      for await (const text of example.answer([{ role: 'user', content: 'a story' }])) told += text;
      console.log(told);
      console.log(JSON.parse(requests[1].body).messages.map(({ content }) => content).join(' | '));
      console.log(await example.answer([]).next().catch(({ message }) => message));`,
    prints: ['once upon a time', 'a story | once upon | Go on.', 'status 401'],
    sends: 3,
  },
  'streaming-partial': {
    globals: `globalThis.show = () => {};
      globalThis.client = {
        async *stream() {
          yield { choices: [{ delta: { content: 'once upon' } }] };
          throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
        },
      };`,
    sends: 0,
  },
  'streaming-usage': { answers: [sse(says('hi', 'stop'), { choices: [], usage: { prompt_tokens: 9, completion_tokens: 3, total_tokens: 12 } }, '[DONE]')], sends: 1 },
  'cancel-wait': {
    answers: [{ status: 503 }],
    globals: `globalThis.button = new EventTarget();
      globalThis.onSent = () => timeout(() => button.dispatchEvent(new Event('click')), 1);
      globalThis.setTimeout = timeout;`,
    sends: 1,
  },
  'cancel-any': { answers: [{ hangs: true }], sends: 1 },
  'cancel-react': {
    answers: [{ hangs: true }, { status: 200, body: 'two' }, { status: 403, body: 'three' }],
    then: `const { render, unmount } = await import('react');
      const ask = (question) => render(example.useAnswer, question);
      ask('one');
      ask('two');
      while (ask('two').answer === undefined) await new Promise((resolve) => setImmediate(resolve));
      console.log(requests[0].signal.aborted, requests[1].signal.aborted, ask('two').answer);
      ask('three');
      while (ask('three').error === undefined) await new Promise((resolve) => setImmediate(resolve));
      console.log(ask('three').answer, ask('three').error.message);
      unmount();`,
    prints: ['true false two', 'undefined status 403'],
    sends: 3,
  },
  'cancel-node': {
    answers: [{ status: 200, body: 'good' }, { hangs: true }],
    then: `const { once } = await import('node:events');
      const { get } = await import('node:http');
      example.server.listen(0, '127.0.0.1');
      await once(example.server, 'listening');
      const asking = () => get({ port: example.server.address().port, host: '127.0.0.1', agent: false });
      const [answer] = await once(asking(), 'response');
      console.log(answer.statusCode, (await answer.setEncoding('utf8').toArray()).join(''));
      const sent = new Promise((resolve) => (globalThis.onSent = resolve));
      const leaver = asking().on('error', () => {});
      await sent;
      leaver.destroy();
      const { signal } = requests[1];
      if (!signal.aborted) await once(signal, 'abort');
      console.log(signal.reason.name);
      example.server.close();`,
    prints: ['200 good', 'AbortError'],
    sends: 2,
  },
  'next-route': {
    answers: [{ status: 503 }, sse(says('Da '), says('capo', 'stop'), '[DONE]'), sse(says('Da ')), { status: 401 }, { hangs: true }],
    globals: `process.env.OPENAI_API_KEY = 'sk-none';
      ${real('openai', 'index.mjs')}`,
    then: `const asks = (signal) => example.POST(new Request('https://app.example/api/answers', { method: 'POST', body: '{"question":"Where?"}', signal }));
      console.log(await (await asks()).text(), JSON.parse(requests[1].body).messages[0].content);
      console.log(await (await asks()).text().catch(({ code }) => code));
      const refused = await asks();
      console.log(refused.status, await refused.text());
      const controller = new AbortController();
      globalThis.onSent = () => controller.abort();
      await asks(controller.signal);
      console.log(requests.length, requests[4].signal.aborted);`,
    prints: ['Da capo Where?', 'truncated', '502 {"error":"auth"}', '5 true'],
    sends: 5,
  },
  'secrets-log': { answers: [{ status: 401, body: '{"error":{"message":"the key sk-secret-1 is not known"}}' }], sends: 1 },
  'secrets-own': { answers: [{ status: 503 }], sends: 1, globals: "globalThis.botKey = '12345:AAbbccdd';" },
  'secrets-functions': { sends: 0 },
  'secrets-tracker': {
    globals: `globalThis.client = { ask: async () => { throw Object.assign(new Error('the key sk-secret-1 is not known'), { status: 401 }); } };
      globalThis.tracker = { send: (message, told) => console.log(message, told.kind) };`,
    prints: ['false true', 'the key REDACTED is not known auth'],
    sends: 0,
  },
  workers: {
    answers: [{ status: 503 }, { status: 200, body: 'asked' }],
    then: `const request = new Request('https://worker.example/', { method: 'POST', body: 'ask' });
      const response = await example.default.fetch(request, { API_KEY: 'k-1' });
      console.log(response.status, await response.text(), requests[1].headers.authorization, requests[1].body);`,
    prints: ['200 asked Bearer k-1 ask'],
    sends: 2,
  },
  'workers-wait-until': {
    answers: [{ status: 503 }, { status: 200 }],
    then: `let work;
      const request = new Request('https://worker.example/', { method: 'POST', body: 'an event' });
      const response = await example.default.fetch(request, {}, { waitUntil: (promise) => (work = promise) });
      console.log(response.status);
      console.log((await work).status);`,
    prints: ['202', '200'],
    sends: 2,
  },
};

/** The blocks that are not run, by the beginning of their first telling line, and why. */
export const notRun = {
  "import { env } from 'cloudflare:workers';": 'only workerd has the module: tests/js/workerd runs a whole Worker with the same lines',
  "'use client';": 'JSX, which needs a compiler and a page',
  'interface StateStore {': 'a type: the one of js/types.d.ts, shortened',
};
