import { findRetryError, isRetryError, linked, membersOf, read } from './errors.js';
import { shownBy } from './thrown.js';

/** How an attempt that failed ended, as the engine numbers it. */
export const ENDING = Object.freeze({
  response: 0, error: 1, timedOut: 2, deadlinePassed: 3, truncated: 4, malformed: 5, cancelled: 6,
  /** Told in the chunks of a stream. */
  inBand: 7,
});

/** How much of one message the engine is shown, in characters. */
const MESSAGE_CHARS = 16 * 1024;

/** What else there is to read, beside the numbers: see `bindings/host.rs`. */
const HAS = Object.freeze({ body: 1 << 18, links: 1 << 19, requestBody: 1 << 20, wait: 1 << 21, usage: 1 << 22 });
const USAGE_IS_LOWER_BOUND = 1 << 23;
const STREAMED = 1 << 24;
const LEG = 1 << 25;

/**
 * What a failed attempt showed, as the engine reads it: only what was seen, no decision.
 * Members are always there, so that objects keep one shape.
 */
export class Facts {
  /** @param {number} ending One of ENDING. */
  constructor(ending) {
    this.ending = ending;
    /** Whether the error came out of our own call of fetch. */
    this.fromFetch = false;
    /** 0 for none. */
    this.status = 0;
    this.opaqueRedirect = false;
    /** Response headers, see headers.js. */
    this.headers = '';
    /** The wait that an error without headers names; below zero or NaN for none. */
    this.retryAfterMs = -1;
    /** @type {Uint8Array | undefined} */
    this.body = undefined;
    /** @type {Uint8Array | undefined} What tells of tokens where that is not the body, as JSON. */
    this.usage = undefined;
    /** Whether it tells of some of the tokens only. */
    this.usageIsLowerBound = false;
    /** Whether output had begun. */
    this.streamed = false;
    /** @type {string[] | undefined} name, message, code of each error in the chain. */
    this.links = undefined;
    /** workerd's flags: 1 retryable, 2 overloaded. */
    this.flags = 0;
    /** @type {string | undefined} The kind of a RetryError in the chain. */
    this.raisedKind = undefined;
    /** @type {boolean | undefined} */
    this.raisedRetryable = undefined;
    /** @type {string | undefined} */
    this.raisedCode = undefined;
    /** @type {string | undefined} */
    this.raisedProvider = undefined;
    /** @type {string | undefined} */
    this.errorType = undefined;
    this.oneShot = false;
    /** Method, URL and headers, one line each, see headers.js; empty where requests are not ours to see. */
    this.request = '';
    /** @type {string | undefined} */
    this.requestBody = undefined;
    /** The attempt's number, of one of two that ran at once; else 0. */
    this.attempt = 0;
    /** When that was sent, in monotonic milliseconds. */
    this.sentAt = 0;
  }

  /** All numbers in one, and what there is to read: asking for each would be a call each. */
  get bits() {
    return this.ending | (this.fromFetch ? 8 : 0) | (this.opaqueRedirect ? 16 : 0) | (this.oneShot ? 32 : 0) | this.flags << 6
      | (this.status & 0x3ff) << 8
      | (this.body === undefined ? 0 : HAS.body) | (this.links === undefined ? 0 : HAS.links)
      | (this.usage === undefined ? 0 : HAS.usage) | (this.usageIsLowerBound ? USAGE_IS_LOWER_BOUND : 0) | (this.streamed ? STREAMED : 0) | (this.attempt > 0 ? LEG : 0)
      | (this.requestBody === undefined ? 0 : HAS.requestBody) | (this.retryAfterMs >= 0 && this.headers === '' ? HAS.wait : 0);
  }

  get raised() {
    return [this.raisedKind, this.raisedCode, this.raisedProvider, this.errorType, this.raisedRetryable];
  }

  get requestLength() {
    return this.request.length;
  }

  /** What was sent and what came, in one piece: it is the crossing that costs. */
  get text() {
    const text = this.request + this.headers;
    // A UTF-16 unit takes three bytes at most.
    if (text.length * 3 > scratch.length) return encoder.encode(text);
    return scratch.subarray(0, encoder.encodeInto(text, scratch).written);
  }
}

const encoder = new TextEncoder();
/** For one text after the other: a buffer for each would cost more than all the rest. */
const scratch = new Uint8Array(8 * 1024);

/**
 * What an error shows: its chain, and the response it carries, wherever clients keep it.
 *
 * @param {Facts} facts
 * @param {any} error
 * @returns {ReturnType<typeof findRetryError>} The RetryError in the chain.
 */
export function readError(facts, error) {
  const links = [];
  let named;
  for (const one of chainOf(error)) {
    links.push(nameOf(one), messageOf(one).slice(0, MESSAGE_CHARS), codeOf(one));
    if (facts.flags === 0) facts.flags = flagsOf(one);
    const shown = shownBy(one);
    if (facts.status === 0 && shown.status !== 0) {
      facts.status = shown.status;
      facts.headers = '';
      named = facts.body = undefined;
    }
    // Wrappers copy the status and leave the rest to the error that they wrap.
    if (shown.status !== facts.status) continue;
    facts.headers ||= shown.headers;
    // Our own error has said what it is, and its `type` is no provider's code.
    if (isRetryError(one)) continue;
    facts.body ??= shown.body;
    named ??= shown.named;
  }
  facts.body ??= named;
  facts.links = links;
  const raised = findRetryError(error);
  if (raised !== undefined) {
    facts.raisedKind = raised.kind;
    if (typeof raised.code === 'string') facts.raisedCode = raised.code;
    if (typeof raised.provider === 'string') facts.raisedProvider = raised.provider;
    // What our own policy gave up on is not played again by another one around it.
    facts.raisedRetryable = raised.mark === undefined && raised.retryable;
  } else {
    const type = member(error, 'type');
    if (typeof type === 'string') facts.errorType = type;
  }
  const retryAfterMs = member(error, 'retryAfterMs');
  if (typeof retryAfterMs === 'number') facts.retryAfterMs = retryAfterMs;
  if (facts.status !== 0 && facts.ending === ENDING.error) facts.ending = ENDING.response;
  return raised;
}

/**
 * The errors to read. The `ai` package's RetryError lists the failures of all its attempts,
 * of which the last one decided.
 *
 * @param {unknown} error
 */
function chainOf(error) {
  const chain = [...linked(error)];
  const failures = chain.find((one) => isObject(one) && membersOf(one).includes(read(one, 'lastError')));
  return failures === undefined ? chain : linked(member(failures, 'lastError'));
}

/**
 * @param {any} one
 * @param {string} name
 */
function member(one, name) {
  return isObject(one) ? read(one, name) : undefined;
}

/** @param {unknown} value */
function isObject(value) {
  return typeof value === 'object' && value !== null;
}

/** @param {any} error */
function nameOf(error) {
  if (typeof error !== 'object' || error === null) return typeof error;
  const name = read(error, 'name');
  // Some clients' classes keep the name of Error.
  if (name !== 'Error' && typeof name === 'string') return name;
  const Class = read(read(error, 'constructor') ?? {}, 'name');
  return typeof Class === 'string' ? Class : 'Error';
}

/** @param {any} error */
function messageOf(error) {
  try {
    if (typeof error === 'object' && error !== null) return typeof error.message === 'string' ? error.message : '';
    return String(error);
  } catch {
    return '';
  }
}

/** @param {any} error */
function codeOf(error) {
  const code = typeof error === 'object' && error !== null ? read(error, 'code') : undefined;
  // A DOMException's `code` is a number that says less than its name.
  return typeof code === 'string' ? code : '';
}

/** @param {any} error */
function flagsOf(error) {
  // workerd's `retryable`, the AI SDK's `isRetryable`, the trait of AWS's.
  const retryable = member(error, 'retryable') === true || member(error, 'isRetryable') === true || isObject(member(error, '$retryable'));
  return (retryable ? 1 : 0) | (member(error, 'overloaded') === true ? 2 : 0);
}
