// sabotage: exempt, what surrounds the engine changes none of its decisions, right or wrong
//
// Programs replace globals, freeze them, bring fetches of their own and values of other realms.

import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { Readable } from 'node:stream';
import { describe, test } from 'node:test';
import { promisify } from 'node:util';
import { runInNewContext } from 'node:vm';
import { CircuitBreaker, createFetch, explain, historyOf, retry, RetryPolicy } from 'dacapo';
import { json, stubFetch, URL_ } from './lib/stub.js';

const QUICK = { initialDelayMs: 0, jitter: 'none', maxAttempts: 3 };
const POST = { method: 'POST', body: '{}' };
const SPENT = { error: { code: 'insufficient_quota' } };
/** This realm's bytes as another one's. */
const foreign = runInNewContext('(list) => Uint8Array.from(list)');
const bodyOf = (text) => new ReadableStream({
  start(controller) {
    controller.enqueue(foreign([...new TextEncoder().encode(text)]));
    controller.close();
  },
});

/** Runs a program in a Node.js of its own, and gives what it prints. */
const program = async (source) => (await promisify(execFile)(process.execPath, ['--input-type=module', '-e', source], { timeout: 20_000 })).stdout.trim();
const IMPORT = `import { createFetch, historyOf, retry, retryStream } from ${JSON.stringify(import.meta.resolve('dacapo'))};`;

test('a replaced global Promise changes nothing', async () => {
  const printed = await program(`
    ${IMPORT}
    const Native = Promise;
    globalThis.Promise = class Replaced { constructor(executor) { return Reflect.construct(Native, [executor]); } };
    for (const name of Object.getOwnPropertyNames(Native)) if (typeof Native[name] === 'function') globalThis.Promise[name] = Native[name].bind(Native);
    const told = [];
    const answers = [new Response('{"error":{"type":"overloaded_error"}}', { headers: { 'content-type': 'application/json' } }), new Response('down', { status: 503 }), Response.json({ ok: true })];
    const fetch = createFetch({ initialDelayMs: 0, maxAttempts: 4, bodyFactory: async () => '{}', breaker: true, fetch: async () => answers.shift() });
    const response = await fetch('https://api.example.com/', { method: 'POST', body: '{}' });
    console.log(JSON.stringify([await response.json(), historyOf(response).attempts.map(({ error }) => error.kind)]));
  `);
  assert.deepEqual(JSON.parse(printed), [{ ok: true }, ['overloaded', 'overloaded']]);
});

test('a frozen Object.prototype changes nothing, whatever the members of chunks and errors are called', async () => {
  const printed = await program(`
    ${IMPORT}
    Object.freeze(Object.prototype);
    const chunks = [];
    for await (const chunk of retryStream(async function* () { yield { type: 'x', constructor: 'own', toString: 1 }; yield { text: 'hi' }; })) chunks.push(chunk);
    const thrown = () => { throw Object.assign(new Error('x'), { status: 429, error: JSON.parse('{"constructor":1,"code":"insufficient_quota"}') }); };
    const failed = await retry(thrown, { initialDelayMs: 0 }).catch((error) => error);
    console.log(chunks.length, failed.kind);
  `);
  assert.equal(printed, '2 quota_exhausted');
});

test('fake timers that hold queueMicrotask back hold no abort and no hook back', async (t) => {
  const { queueMicrotask } = globalThis;
  globalThis.queueMicrotask = () => {};
  t.after(() => (globalThis.queueMicrotask = queueMicrotask));
  const controller = new AbortController();
  const waiting = createFetch({ initialDelayMs: 8000, fetch: stubFetch(503) })(URL_, { signal: controller.signal });
  setTimeout(() => controller.abort('enough'), 20);
  assert.equal(await waiting.catch((reason) => reason), 'enough');
  const response = await createFetch({ ...QUICK, fetch: stubFetch(503, 200), onRetry: async () => {} })(URL_);
  assert.equal(response.status, 200);
});

test('an engine that breaks down where there is no other one ends all its calls, and the next use has one again', async (t) => {
  const busy = () => { throw Object.assign(new Error('busy'), { status: 503 }); };
  const broken = (call) => call.then(() => assert.fail('it must fail'), (error) => assert.match(error.message, /broke down/));
  const waiting = broken(retry(busy, { initialDelayMs: 8000 }));
  const { Instance } = WebAssembly;
  t.after(() => (WebAssembly.Instance = Instance));
  WebAssembly.Instance = function none() { throw new RangeError('out of memory'); };
  await broken(retry(busy, { ...QUICK, random: () => { throw new WebAssembly.RuntimeError('unreachable'); }, jitter: 'full' }));
  await waiting;
  await assert.rejects(retry(busy, QUICK));
  WebAssembly.Instance = Instance;
  assert.equal((await retry(busy, QUICK).catch((error) => error)).kind, 'overloaded');
});

describe('bytes of another realm are read as bytes', () => {
  test('in a failed answer, whose code decides', async () => {
    const fetch = stubFetch(() => new Response(bodyOf(JSON.stringify(SPENT)), { status: 429, headers: { 'content-type': 'application/json' } }));
    const response = await createFetch({ ...QUICK, fetch })(URL_, POST);
    assert.deepEqual([fetch.calls.length, historyOf(response).last.error.kind], [1, 'quota_exhausted']);
  });

  test('in a good JSON answer, which may tell of a failure', async () => {
    const told = () => new Response(bodyOf('{"error":{"type":"overloaded_error"}}'), { headers: { 'content-type': 'application/json' } });
    const response = await createFetch({ ...QUICK, fetch: stubFetch(told, json({ ok: true })) })(URL_, POST);
    assert.deepEqual([await response.json(), historyOf(response).retry.totalAttempts], [{ ok: true }, 2]);
  });

  test('in the opening of a stream', async () => {
    const events = (text) => () => new Response(bodyOf(text), { headers: { 'content-type': 'text/event-stream' } });
    const fine = 'data: {"choices":[{"delta":{"content":"hi"},"finish_reason":"stop"}]}\n\ndata: [DONE]\n\n';
    const fetch = stubFetch(events('event: error\ndata: {"type":"error","error":{"type":"overloaded_error"}}\n\n'), events(fine));
    const response = await createFetch({ ...QUICK, fetch })(URL_, POST);
    assert.deepEqual([await response.text(), historyOf(response).retry.totalAttempts], [fine, 2]);
  });

  test('in what an SDK throws', async () => {
    const body = foreign([...new TextEncoder().encode(JSON.stringify(SPENT))]);
    const failed = await retry(() => { throw Object.assign(new Error('x'), { status: 429, body }); }, QUICK).catch((error) => error);
    assert.equal(failed.kind, 'quota_exhausted');
  });
});

describe('a fetch whose bodies are Node streams, as node-fetch has them', () => {
  /** A Response with such a body, and a clone that tees it. */
  const answer = (status, text, headers = { 'content-type': 'application/json' }) => {
    const body = Readable.from([Buffer.from(text)]);
    const response = new Response(null, { status, headers });
    Object.defineProperty(response, 'body', { value: body });
    Object.defineProperty(response, 'clone', { value: () => assert.fail('a branch that nobody reads would stop the other') });
    return Object.assign(response, { node: body });
  };

  test('is not looked into, and is handed over to be read', async () => {
    const response = await createFetch({ ...QUICK, fetch: stubFetch(() => answer(200, '{"ok":true}')) })(URL_, POST);
    let text = '';
    for await (const chunk of response.node) text += chunk;
    assert.equal(text, '{"ok":true}');
  });

  test('has the body of a failed attempt destroyed, so that its socket is free again', async () => {
    const down = answer(503, 'down');
    const response = await createFetch({ ...QUICK, fetch: stubFetch(down, json({ ok: true })) })(URL_, POST);
    assert.deepEqual([response.status, down.node.destroyed], [200, true]);
  });
});

describe('options', () => {
  test('of another realm are options', () => {
    const given = runInNewContext('({ maxAttempts: 7, breaker: { failures: 2 }, retryStatus: [500] })');
    assert.equal(explain(given).maxAttempts, 7);
    assert.deepEqual(new RetryPolicy(given).options.retryStatus, [500]);
    new CircuitBreaker(runInNewContext('({ failures: 2 })'));
  });

  test('that are an object of a class with none of its own are refused by name', () => {
    class RetryPolicyOfAnotherCopy {}
    Object.defineProperty(RetryPolicyOfAnotherCopy, 'name', { value: 'RetryPolicy' });
    for (const [given, told] of [[new Map([['maxAttempts', 9]]), /a Map/], [new Date(), /a Date/], [new RetryPolicy(), /a RetryPolicy, must/], [new RetryPolicyOfAnotherCopy(), /another copy of dacapo/]]) {
      assert.throws(() => new RetryPolicy(given), told);
      if (!(given instanceof RetryPolicy)) for (const use of [createFetch, explain]) assert.throws(() => use(given), told);
    }
    assert.throws(() => createFetch({ policy: new RetryPolicyOfAnotherCopy() }), /another copy of dacapo, must be a RetryPolicy/);
    class Own { maxAttempts = 4; }
    assert.equal(explain(new Own()).maxAttempts, 4);
  });
});
