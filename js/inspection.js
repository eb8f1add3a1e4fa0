import { ask } from './ask.js';
import { FAILED_BODY_MS } from './body.js';
import { ENDING } from './facts.js';
import { CANCELLED, race, TIMED_OUT } from './race.js';

/** @typedef {import('./attempt.js').FetchCall} FetchCall */
/** @typedef {import('./body.js').BodyReader} BodyReader */
/** @typedef {import('./body.js').Reading} Reading */
/** @typedef {import('./facts.js').Facts} Facts */

/** What the engine finds in the body of a 2xx JSON answer: see `bindings/text.rs`. */
const INSPECTED = Object.freeze({ failed: 1, cutShort: 2, notJson: 3 });

/**
 * Reads an answer's body through a clone: null when the answer is to be delivered, or the
 * facts of a failure.
 *
 * @param {FetchCall} call
 * @param {Response} response
 * @param {BodyReader} reader
 * @returns {Promise<Facts | null>}
 */
export async function examineBody(call, response, reader) {
  const { settings, signal, limit } = call;
  // Where the limit ends at the headers, a body that takes longer is handed over unseen.
  const patience = limit === undefined || limit.coversBody ? undefined : limit.leftMs();
  const reading = response.ok ? reader.read(settings.inspectBytes, patience) : reader.read(settings.errorBytes, FAILED_BODY_MS);
  const read = await race(reading, signal, limit?.coversBody ? limit.leftMs() : -1);
  if (read === CANCELLED || read === TIMED_OUT) {
    reader.cancel();
    return read === CANCELLED ? call.ended(ENDING.cancelled) : call.timedOut();
  }
  if (read.whole) limit?.end();
  else if (read.error === undefined) limit?.keepForBody(response);
  return response.ok ? inspected(call, response, read) : call.respondedWith(response, read.bytes);
}

/**
 * @param {FetchCall} call
 * @param {Response} response
 * @param {Reading} read
 */
function inspected(call, response, { bytes, whole, error }) {
  if (error !== undefined) {
    return call.signal?.aborted ? call.ended(ENDING.cancelled) : unusable(call, response, ENDING.truncated, bytes);
  }
  // A longer body than may be inspected is handed over.
  if (!whole) return null;
  const found = ask((engine) => engine.inspect(bytes));
  if (found === INSPECTED.failed) return call.respondedWith(response, bytes);
  if (found === INSPECTED.cutShort) return unusable(call, response, ENDING.truncated, bytes);
  if (found === INSPECTED.notJson && call.settings.expectJson) return unusable(call, response, ENDING.malformed, bytes);
  call.usage = bytes;
  return null;
}

/**
 * @param {FetchCall} call
 * @param {Response} response
 * @param {number} ending
 * @param {Uint8Array} body Of which only what it tells of tokens counts.
 */
function unusable(call, response, ending, body) {
  const facts = call.answered(response, ending);
  facts.usage = body;
  return facts;
}
