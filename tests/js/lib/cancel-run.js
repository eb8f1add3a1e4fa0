// Runs the cases of cancel-cases.js and checks what has to hold for each of them.
// Nothing here is Node's.

import { POINTS, waits } from './cancel-cases.js';
import { EXITS } from './cancel-exits.js';
import { check } from './check.js';
import { settled } from './clock.js';
import { countedController, listen, macrotaskFlags, REASONS } from './signals.js';
import { URL_ } from './stub.js';

/**
 * Cancels a call at `point` and checks that it rejects with the very reason, by
 * microtasks alone, and leaves nothing behind.
 *
 * @param {object} api The package.
 * @param {string} point A key of POINTS.
 * @param {'injected' | 'real'} clockKind
 * @param {string} reasonName A key of REASONS.
 */
export async function cancelledAt(api, point, clockKind, reasonName) {
  const about = (claim) => `${point}, with ${reasonName}, on the ${clockKind} clock: ${claim}`;
  const { controller, signal, count } = countedController();
  const reason = REASONS[reasonName]();
  let flags;
  const run = {
    signal,
    sends: 0,
    sendsAtAbort: 0,
    abort() {
      run.sendsAtAbort = run.sends;
      flags = macrotaskFlags();
      controller.abort(reason);
    },
  };

  const { call, late, then, listeners, attempts } = POINTS[point](api, run, waits(clockKind));
  let rejected = false;
  let thrown;
  let macrotask;
  try {
    await call;
  } catch (error) {
    macrotask = flags?.raised();
    rejected = true;
    thrown = error;
  }
  flags?.clear();

  check(rejected, about('the call did not reject'));
  check(Object.is(thrown, signal.reason), about(`it rejected with ${String(thrown)}, not with the reason`));
  if (reason === undefined) check(thrown instanceof DOMException && thrown.name === 'AbortError', about('no reason is an AbortError'));
  else check(Object.is(thrown, reason), about('the reason was changed'));
  check(macrotask === undefined, about(`${macrotask} ran between the abort and the rejection`));
  check(count.now === 0, about(`${count.now} listeners were left on the signal`));
  check(count.most <= 1, about(`${count.most} listeners were on the signal at a time`));
  if (listeners !== undefined) check(count.added === listeners, about(`${count.added} listeners were added`));

  if (typeof thrown === 'object' && thrown !== null) {
    const history = api.historyOf(thrown);
    check(history?.mark === 'cancelled', about(`its history is marked ${history?.mark}`));
    check(history.retry.totalAttempts === run.sends, about(`the ledger counts ${history.retry.totalAttempts} sends of ${run.sends}`));
    if (attempts !== undefined) check((history.attempts?.length ?? 0) === attempts, about(`${history.attempts?.length} failures are in the history`));
  }

  late?.();
  await settled();
  check(run.sends === run.sendsAtAbort, about('something was sent after the abort'));
  const fault = then?.();
  check(fault === undefined, about(String(fault)));
}

/**
 * Cancels while the caller reads a delivered body, with and without a signal of our own
 * between the caller's and the attempt.
 *
 * @param {object} api
 * @param {object} options
 * @param {string} reasonName
 */
export async function cancelledWhileReading(api, options, reasonName) {
  const { controller, signal, count } = countedController();
  // As a platform does it: the body breaks off when the signal given to fetch aborts.
  const fetch = async (input, init) => new Response(new ReadableStream({
    start(body) {
      body.enqueue(new Uint8Array(1));
      listen(init.signal, () => body.error(init.signal.reason));
    },
  }));
  const response = await api.createFetch({ ...options, fetch })(URL_, { signal });
  check(count.now <= 1, `${count.now} listeners while the caller reads`);
  // By a reader: Chromium's arrayBuffer() and text() hide what a stream was errored with.
  const reader = response.body.getReader();
  const reading = (async () => {
    while (!(await reader.read()).done);
  })();
  await settled(2);
  controller.abort(REASONS[reasonName]());
  let thrown;
  await reading.then(() => check(false, 'the reading went on'), (error) => {
    thrown = error;
  });
  check(Object.is(thrown, signal.reason), `with ${reasonName}, the reading failed with ${String(thrown)}`);
  check(count.now === 0, `${count.now} listeners were left on the signal`);
}

/**
 * Leaves a call by one of EXITS, and checks that no listener is left on its signal.
 *
 * @param {object} api
 * @param {string} exit A key of EXITS.
 * @param {'injected' | 'real'} clockKind
 */
export async function leftBy(api, exit, clockKind) {
  const { signal, count } = countedController();
  // Waits that do not keep a process alive need another to do so.
  const alive = setTimeout(() => undefined, 10_000);
  await EXITS[exit](api, signal, waits(clockKind), { sends: 0 }).catch(() => undefined);
  clearTimeout(alive);
  check(count.now === 0, `${count.now} listeners were left on the signal`);
  check(count.most <= 1, `${count.most} listeners were on the signal at a time`);
}

const KINDS = ['injected', 'real'];

/** Every case, as `[title, run]` with `run(api)`. */
export function cancelTests() {
  const eachReason = (run) => async (api) => {
    for (const reasonName of Object.keys(REASONS)) await run(api, reasonName);
  };
  return [
    ...KINDS.flatMap((kind) => Object.keys(POINTS).map((point) => [
      `an abort ${point} rejects at once with the reason itself (${kind} clock)`,
      eachReason((api, reasonName) => cancelledAt(api, point, kind, reasonName)),
    ])),
    ...KINDS.flatMap((kind) => Object.keys(EXITS).map((exit) => [
      `${exit} leaves no listener on the signal (${kind} clock)`,
      (api) => leftBy(api, exit, kind),
    ])),
    ...[{}, { timeoutMs: 90_000 }, { timeoutMs: 90_000, timeoutCovers: 'response' }, { deadlineMs: 90_000 }].map((options) => [
      `an abort while the caller reads the delivered body ends the reading with the reason itself, with ${JSON.stringify(options)}`,
      eachReason((api, reasonName) => cancelledWhileReading(api, options, reasonName)),
    ]),
  ];
}
