import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import test, { afterEach, beforeEach } from 'node:test';
import * as dacapo from 'dacapo';
import { cancelTests } from './lib/cancel-run.js';
import { fakeClock, settled, stoppedClock } from './lib/clock.js';
import { serve } from './lib/server.js';
import { countedController } from './lib/signals.js';
import { failed, json, stubFetch, URL_ } from './lib/stub.js';

const { createFetch, historyOf, retry } = dacapo;
const never = () => new Promise(() => {});

const unhandled = [];
process.on('unhandledRejection', (reason) => unhandled.push(reason));
const timers = () => process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length;

beforeEach(() => {
  unhandled.length = 0;
});
afterEach(async () => {
  await settled();
  assert.deepEqual(unhandled, [], 'every rejection that came too late was handled');
});

for (const [title, run] of cancelTests()) {
  test(title, async () => {
    const before = timers();
    await run(dacapo);
    assert.ok(timers() <= before, 'no timer is left');
  });
}

test('calls that share a signal leave nothing on it, however they end', async (t) => {
  const warned = t.mock.method(process, 'emitWarning');
  const { signal, count } = countedController();
  const clock = fakeClock();
  const fetches = [stubFetch(200), stubFetch(503, 200), stubFetch(503), stubFetch(new TypeError('fetch failed'))];
  for (let call = 0; call < 50; call++) {
    await createFetch({ clock, fetch: fetches[call % 4] })(URL_, { signal }).catch(() => undefined);
    assert.equal(count.now, 0);
  }
  assert.equal(count.most, 1);
  assert.equal(warned.mock.callCount(), 0);
});

test('calls that wait at once under a shared signal have one listener each, and all end', async () => {
  const { controller, signal, count } = countedController();
  const clock = stoppedClock();
  const fetch = createFetch({ clock, fetch: stubFetch(503) });
  const calls = Array.from({ length: 9 }, () => fetch(URL_, { signal }));
  await settled();
  assert.equal(count.now, 9);
  const reason = { shared: true };
  controller.abort(reason);
  for (const outcome of await Promise.allSettled(calls)) assert.equal(outcome.reason, reason);
  assert.deepEqual([count.now, count.most], [0, 9]);
});

test('an abort in flight closes the connection of a real request', async (t) => {
  const { url, requests, heldOpen } = await serve(t, () => {});
  const controller = new AbortController();
  const call = createFetch()(url, { signal: controller.signal });
  while (requests.length === 0) await settled(1);
  controller.abort('enough');
  await assert.rejects(call, (reason) => reason === 'enough');
  assert.equal(await heldOpen(), 0);
});

test('an abort while a real server stalls in a failed or an inspected answer closes the connection', async (t) => {
  for (const status of [503, 200]) {
    const { url, requests, heldOpen } = await serve(t, (_, response) => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.write('{"a":');
    });
    const controller = new AbortController();
    const call = createFetch()(url, { method: 'POST', body: '{}', signal: controller.signal });
    while (requests.length === 0) await settled(1);
    await settled(10);
    const reason = new Error('enough');
    controller.abort(reason);
    await assert.rejects(call, (error) => error === reason);
    assert.equal(await heldOpen(), 0);
  }
});

test('an abort as the wait ends sends nothing more', async () => {
  const { controller, signal } = countedController();
  const clock = fakeClock();
  clock.sleep = async () => controller.abort('just in time');
  const stub = stubFetch(503);
  await assert.rejects(createFetch({ clock, fetch: stub })(URL_, { signal }), (reason) => reason === 'just in time');
  assert.equal(stub.calls.length, 1);
});

test('an abort after the call has ended changes nothing', async () => {
  const { controller, signal } = countedController();
  const response = await createFetch({ clock: fakeClock(), fetch: stubFetch(503) })(URL_, { signal });
  controller.abort();
  await settled();
  assert.equal(await response.text(), 'status 503');
  assert.equal(historyOf(response).mark, 'attempts_exhausted');
});

test('a call without a signal leaves a signal of another call alone', async () => {
  const { signal, count } = countedController();
  const fetch = createFetch({ clock: fakeClock(), fetch: stubFetch(503) });
  await Promise.all([fetch(URL_), fetch(URL_, { signal })]);
  assert.equal(count.now, 0);
});

test("the signal of init outweighs a Request's", async () => {
  const ignored = new AbortController();
  const request = new Request(URL_, { signal: ignored.signal });
  const { controller, signal } = countedController();
  const call = createFetch({ fetch: never })(request, { signal });
  ignored.abort('not this one');
  await settled();
  controller.abort('this one');
  await assert.rejects(call, (reason) => reason === 'this one');
});

test("a Request's own signal cancels", async () => {
  const controller = new AbortController();
  const call = createFetch({ fetch: never })(new Request(URL_, { signal: controller.signal }));
  const reason = new Error('stop');
  controller.abort(reason);
  await assert.rejects(call, (error) => error === reason);
});

test('a signal of another library or realm is followed', async () => {
  const listeners = new Set();
  const foreign = {
    aborted: false,
    reason: undefined,
    addEventListener: (type, listener) => listeners.add(listener),
    removeEventListener: (type, listener) => listeners.delete(listener),
  };
  const call = createFetch({ clock: stoppedClock(), fetch: stubFetch(503) })(URL_, { signal: foreign });
  await settled();
  Object.assign(foreign, { aborted: true, reason: 'foreign' });
  for (const listener of [...listeners]) listener();
  await assert.rejects(call, (reason) => reason === 'foreign');
  assert.equal(listeners.size, 0);
});

/** A signal of a library that knows no options of addEventListener. */
function foreignSignal() {
  const listeners = [];
  return {
    listeners,
    aborted: false,
    reason: undefined,
    addEventListener: (type, listener) => listeners.push(listener),
    removeEventListener: (type, listener) => listeners.splice(listeners.indexOf(listener), 1),
  };
}

const limited = { timeoutMs: 60_000, clock: fakeClock() };
const busy = () => Object.assign(new Error('busy'), { status: 503 });
const POST = { method: 'POST', body: '{}' };
for (const [exit, end] of Object.entries({
  'an operation that gives a value': (signal) => retry(async () => 1, { ...limited, signal }),
  'an operation that gives nothing, hedged': (signal) => retry(async () => {}, { ...limited, hedgeAfterMs: 1000, signal }),
  'an operation that fails again and again': (signal) => retry(async () => { throw busy(); }, { ...limited, signal }),
  'an operation that throws at once': (signal) => retry(() => { throw new Error('slip'); }, { ...limited, signal }),
  'an operation that hangs': (signal) => retry(() => new Promise(() => {}), { ...limited, timeoutMs: 1, signal }),
  'an answer without a body': (signal) => createFetch({ ...limited, fetch: stubFetch(204) })(URL_, { signal }),
  'an answer that was read whole before': (signal) => createFetch({ ...limited, fetch: stubFetch(() => json({})) })(URL_, { ...POST, signal }),
  'answers that failed': (signal) => createFetch({ ...limited, fetch: stubFetch(503) })(URL_, { signal }),
  'a connection that failed': (signal) => createFetch({ ...limited, fetch: stubFetch(new TypeError('fetch failed')) })(URL_, { signal }),
  'a fetch that hangs': (signal) => createFetch({ ...limited, timeoutMs: 1, fetch: never })(URL_, { signal }),
  'a key that cannot be had': (signal) => createFetch({ ...limited, fetch: never, idempotencyKey: () => { throw new Error('no key'); } })(URL_, { signal }),
})) {
  test(`under a limit no listener stays on a signal of another library: ${exit}`, async () => {
    const signal = foreignSignal();
    await end(signal).catch(() => {});
    assert.equal(signal.listeners.length, 0);
  });
}

test('under a limit an abort by a signal of another library ends the reading of an answer', async () => {
  const signal = foreignSignal();
  const own = async (input, init) => new Response(new ReadableStream({
    start: (stream) => init.signal.addEventListener('abort', () => stream.error(init.signal.reason)),
  }));
  const response = await createFetch({ ...limited, fetch: own })(URL_, { signal });
  Object.assign(signal, { aborted: true, reason: 'foreign' });
  for (const listener of [...signal.listeners]) listener();
  await assert.rejects(response.text(), (reason) => reason === 'foreign');
  assert.equal(signal.listeners.length, 0);
});

test('an operation gets the caller\'s own signal, and one that never aborts when there is none', async () => {
  const { signal } = new AbortController();
  assert.equal(await retry((context) => context.signal === signal, { signal }), true);
  for (const options of [undefined, { signal: null }]) {
    const own = await retry((context) => context.signal, options);
    assert.deepEqual([own instanceof AbortSignal, own.aborted], [true, false]);
  }
});

test('what is no signal is a fault of the call', async () => {
  await assert.rejects(retry(async () => 1, { signal: {} }), { kind: 'invalid_config', message: /signal/ });
  await assert.rejects(createFetch({ clock: fakeClock() })('http://127.0.0.1:9/', { signal: {} }), TypeError);
});

test('a cancelled call is told of as cancelled, once', async () => {
  const { controller, signal } = countedController();
  const events = [];
  const clock = stoppedClock();
  const call = createFetch({ clock, fetch: async () => failed(503), onEvent: (event) => events.push(event) })(URL_, { signal });
  await clock.asleep;
  controller.abort();
  await assert.rejects(call);
  assert.deepEqual(events.map(({ type }) => type), ['failed', 'waiting', 'settled']);
  assert.equal(events[2].outcome, 'cancelled');
  assert.equal(events[2].history.mark, 'cancelled');
});

test('a wait keeps a process alive unless unref says otherwise', () => {
  const script = (unref) => `
    import { createFetch } from 'dacapo';
    const fetch = async () => new Response('', { status: 503 });
    createFetch({ fetch, maxAttempts: 2, initialDelayMs: 200, unref: ${unref} })('http://host.example/').then(() => console.log('waited'));
  `;
  const output = (unref) => spawnSync(process.execPath, ['--input-type=module', '-e', script(unref)], { cwd: import.meta.dirname, encoding: 'utf8' });
  assert.deepEqual(output(false).stdout, 'waited\n');
  const left = output(true);
  assert.deepEqual([left.stdout, left.stderr], ['', '']);
});
