import { findRetryError, isRetryError, linked, read } from './errors.js';
import { blockOf } from './headers.js';

/** How an attempt that failed ended, as the engine numbers it. */
export const ENDING = Object.freeze({
  response: 0, error: 1, timedOut: 2, deadlinePassed: 3, truncated: 4, malformed: 5, cancelled: 6,
});

/** How much of one message the engine is shown, in characters. */
const MESSAGE_CHARS = 16 * 1024;

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
    /** @type {string | undefined} Response headers, see headers.js. */
    this.headers = undefined;
    /** The wait that an error without headers names; below zero or NaN for none. */
    this.retryAfterMs = -1;
    /** @type {Uint8Array | undefined} */
    this.body = undefined;
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
    /** @type {string | undefined} Absent where requests are not ours to see. */
    this.method = undefined;
    /** @type {string | undefined} */
    this.url = undefined;
    /** @type {string | undefined} */
    this.requestHeaders = undefined;
    /** @type {string | undefined} */
    this.requestBody = undefined;
  }
}

/**
 * What an error shows: its chain, and the response it carries, wherever clients keep it.
 *
 * @param {Facts} facts
 * @param {any} error
 * @returns {ReturnType<typeof findRetryError>} The RetryError in the chain.
 */
export function readError(facts, error) {
  const links = [];
  for (const one of linked(error)) {
    links.push(nameOf(one), messageOf(one).slice(0, MESSAGE_CHARS), codeOf(one));
    if (facts.flags === 0) facts.flags = flagsOf(one);
    if (facts.status === 0) readResponse(facts, one);
  }
  facts.links = links;
  const raised = findRetryError(error);
  if (raised !== undefined) {
    facts.raisedKind = raised.kind;
    if (typeof raised.code === 'string') facts.raisedCode = raised.code;
    if (typeof raised.provider === 'string') facts.raisedProvider = raised.provider;
    // What our own policy gave up on is not played again by another one around it.
    facts.raisedRetryable = raised.mark === undefined && raised.retryable;
  } else if (facts.status === 0 && typeof error === 'object' && error !== null) {
    const type = read(error, 'type');
    if (typeof type === 'string') facts.errorType = type;
  }
  const retryAfterMs = typeof error === 'object' && error !== null ? read(error, 'retryAfterMs') : undefined;
  if (!facts.headers && typeof retryAfterMs === 'number') {
    facts.headers = undefined;
    facts.retryAfterMs = retryAfterMs;
  }
  if (facts.status !== 0 && facts.ending === ENDING.error) facts.ending = ENDING.response;
  return raised;
}

/**
 * @param {Facts} facts
 * @param {any} error
 */
function readResponse(facts, error) {
  if (typeof error !== 'object' || error === null) return;
  const response = read(error, 'response');
  for (const status of [read(error, 'status'), read(error, 'statusCode'), response && read(response, 'status')]) {
    if (!Number.isInteger(status) || status < 100 || status > 999) continue;
    facts.status = status;
    facts.headers = blockOf(read(error, 'headers') ?? read(error, 'responseHeaders') ?? (response && read(response, 'headers')));
    // Our own error has said what it is, and its `type` is no provider's code.
    if (!isRetryError(error)) facts.body = bodyOf(error, response);
    return;
  }
}

/**
 * @param {any} error
 * @param {any} response
 * @returns {Uint8Array | undefined}
 */
function bodyOf(error, response) {
  try {
    return bodyIn(error, response);
  } catch {
    return undefined;
  }
}

/**
 * @param {any} error
 * @param {any} response
 */
function bodyIn(error, response) {
  const whole = read(error, 'responseBody') ?? (response && read(response, 'data')) ?? read(error, 'body');
  if (typeof whole === 'string' || whole instanceof Uint8Array) return bytesOf(whole);
  // OpenAI's and Anthropic's clients keep the parsed body, or its `error` member.
  const parsed = whole ?? read(error, 'error');
  if (typeof parsed === 'object' && parsed !== null) return bytesOf('error' in parsed ? parsed : { error: parsed });
  const [code, type] = [read(error, 'code'), read(error, 'type')];
  return code === undefined && type === undefined ? undefined : bytesOf({ error: { code, type } });
}

/**
 * A body in any form as bytes; `undefined` for what has none.
 *
 * @param {unknown} body
 * @returns {Uint8Array | undefined}
 */
export function bytesOf(body) {
  try {
    if (body instanceof Uint8Array) return body;
    if (body instanceof ArrayBuffer) return new Uint8Array(body);
    const text = typeof body === 'string' ? body : JSON.stringify(body);
    return text === undefined ? undefined : new TextEncoder().encode(text);
  } catch {
    return undefined;
  }
}

/** @param {any} error */
function nameOf(error) {
  if (typeof error !== 'object' || error === null) return typeof error;
  const name = read(error, 'name');
  // Some clients' classes keep the name of Error.
  if (name === 'Error' || typeof name !== 'string') return String(read(read(error, 'constructor') ?? {}, 'name') ?? 'Error');
  return name;
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
  if (typeof error !== 'object' || error === null) return 0;
  return (read(error, 'retryable') === true ? 1 : 0) | (read(error, 'overloaded') === true ? 2 : 0);
}
