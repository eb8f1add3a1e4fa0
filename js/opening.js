import { cutShort, tooSlow } from './aftermath.js';
import { ask } from './ask.js';
import { EMPTY_CHUNKS, isBytes, quietly } from './body.js';
import { Delivery } from './delivery.js';
import { ENDING } from './facts.js';
import { streamTimeout } from './limit.js';
import { isStreamedArray, typeOf } from './response.js';
import { Timers } from './timers.js';

/** @typedef {import('./attempt.js').FetchCall} FetchCall */
/** @typedef {import('./facts.js').Facts} Facts */
/** @typedef {import('../pkg/dacapo.js').Opening} Opening */

/** What an opening came to: the first six as the engine numbers them, see `stream/opening.rs`. */
const STEP = Object.freeze({
  hold: 0, output: 1, failed: 2, complete: 3, unknown: 4, truncated: 5, cancelled: 6, overLimit: 7, idle: 8, late: 9, broken: 10,
});

/**
 * What was held back of a stream.
 *
 * @typedef {object} Held
 * @property {number} step Why it is held no longer: one of STEP.
 * @property {Uint8Array[]} chunks
 * @property {boolean} whole Whether the stream ended with them.
 * @property {Promise<ReadableStreamReadResult<Uint8Array>>} [pending] The read that was under way.
 * @property {unknown} [error] What the stream broke off with.
 */

/**
 * Holds a streamed answer back until its first output: null when it is to be delivered, or
 * the facts of a failure.
 *
 * @param {FetchCall} call
 * @param {Response} response
 * @returns {Promise<Facts | null>}
 */
export async function holdOpening(call, response) {
  const type = typeOf(response);
  const opening = ask(({ Opening }) => new Opening(type, isStreamedArray(call.input, type)));
  const delivery = Delivery.of(call, response);
  if (delivery === undefined) {
    opening.free();
    call.limit?.keepForBody(response);
    return null;
  }
  call.limit?.headersCame(call.started);
  try {
    return opened(call, response, delivery, opening, await hold(call, delivery.reader, opening));
  } catch (error) {
    quietly(() => delivery.reader.cancel(error));
    throw error;
  } finally {
    if (delivery.opening !== opening) opening.free();
  }
}

/**
 * @param {FetchCall} call
 * @param {ReadableStreamDefaultReader<Uint8Array>} reader
 * @param {Opening} opening
 * @returns {Promise<Held>}
 */
function hold({ settings, signal, sentAt, limit }, reader, opening) {
  const { openingBytes, holdOpeningMs, idleTimeoutMs, firstOutputTimeoutMs } = settings;
  return new Promise((resolve, reject) => {
    /** @type {Uint8Array[]} */
    const chunks = [];
    const timers = new Timers();
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let idle;
    /** @type {Promise<ReadableStreamReadResult<Uint8Array>> | undefined} */
    let pending;
    let size = 0;
    let empty = 0;
    let over = false;

    const leave = () => {
      over = true;
      timers.clear();
      signal?.removeEventListener('abort', abort);
    };
    const stop = (/** @type {number} */ step, whole = false, /** @type {unknown} */ error = undefined) => {
      if (over) return;
      leave();
      resolve({ step, chunks, whole, error, ...(pending && { pending }) });
    };
    const abort = () => stop(STEP.cancelled);
    const within = (/** @type {number} */ ms, /** @type {number} */ step) => timers.after(Math.max(0, ms), () => stop(step));
    const read = () => {
      if (idleTimeoutMs > 0) {
        timers.never(idle);
        idle = timers.after(idleTimeoutMs, () => stop(STEP.idle));
      }
      pending = reader.read();
      pending.then(took, broke);
    };
    const took = (/** @type {ReadableStreamReadResult<Uint8Array>} */ { done, value }) => {
      if (over) return;
      pending = undefined;
      try {
        if (done) return stop(ask(() => opening.end()), true);
        chunks.push(value);
        // What is no bytes, or never any, is not worth waiting for.
        if (!isBytes(value) || (value.byteLength === 0 && (empty += 1) > EMPTY_CHUNKS)) return stop(STEP.unknown);
        size += value.byteLength;
        // A chunk whose buffer was transferred has no bytes either, and copying it throws.
        const step = value.byteLength === 0 ? STEP.hold : ask(() => opening.push(value));
        if (step !== STEP.hold) return stop(step);
        if (size >= openingBytes) return stop(STEP.unknown);
        read();
      } catch (error) {
        leave();
        reject(error);
      }
    };
    const broke = (/** @type {unknown} */ error) => {
      pending = undefined;
      stop(signal?.aborted ? STEP.cancelled : STEP.broken, false, error);
    };

    if (signal?.aborted) return abort();
    signal?.addEventListener('abort', abort);
    within(holdOpeningMs, STEP.unknown);
    if (limit?.coversBody) within(limit.leftMs(), STEP.overLimit);
    if (firstOutputTimeoutMs > 0) within(firstOutputTimeoutMs - (settings.mono() - sentAt), STEP.late);
    read();
  });
}

/**
 * @param {FetchCall} call
 * @param {Response} response
 * @param {Delivery} delivery
 * @param {Opening} opening
 * @param {Held} held
 * @returns {Facts | null}
 */
function opened(call, response, delivery, opening, held) {
  const dropped = (/** @type {unknown} */ reason) => quietly(() => delivery.reader.cancel(reason));
  switch (held.step) {
    case STEP.cancelled:
      dropped(call.signal?.reason);
      return withUsage(call.ended(ENDING.cancelled), opening);
    case STEP.overLimit: {
      const facts = call.timedOut();
      dropped(call.error);
      return withUsage(facts, opening);
    }
    case STEP.idle:
    case STEP.late: {
      const option = held.step === STEP.idle ? 'idleTimeoutMs' : 'firstOutputTimeoutMs';
      call.letGo();
      call.error = streamTimeout(option, call.settings[option]);
      dropped(call.error);
      return withUsage(tooSlow(call, call.error), opening);
    }
    case STEP.broken:
      call.letGo();
      return withUsage(call.failedWith(held.error), opening);
    case STEP.failed:
      arrived(call, delivery, held);
      delivery.failed(false);
      return withUsage(call.respondedWith(response, ask(() => opening.failure())), opening);
    case STEP.truncated:
      arrived(call, delivery, held);
      delivery.failed(true);
      return withUsage(cutShort(call), opening);
    default:
      arrived(call, delivery, held);
      delivery.watch(held.step === STEP.complete ? 0 : ask(() => opening.format()), opening);
      return null;
  }
}

/**
 * Whatever becomes of the answer, it begins with what was held back.
 *
 * @param {FetchCall} call
 * @param {Delivery} delivery
 * @param {Held} held
 */
function arrived(call, delivery, held) {
  if (!held.whole) call.limit?.keepForBody(delivery.response);
  delivery.take(held);
  call.delivery = delivery;
  call.response = delivery.response;
}

/**
 * @param {Facts} facts
 * @param {Opening} opening
 */
function withUsage(facts, opening) {
  facts.usage = ask(() => opening.usage());
  return facts;
}
