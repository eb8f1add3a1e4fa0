import { isBytes } from './body.js';
import { bytesIn, isBinary, isList, jsonOf } from './bounded.js';
import { read } from './errors.js';
import { blockOf, isIterator } from './headers.js';

/**
 * Where clients keep what they know of a response: on the error itself, and on these members
 * of it. `$metadata` and `$response` are AWS's, `rawResponse` Mistral's and Cohere's,
 * `httpResponse` Hugging Face's.
 */
const RESPONSES = ['response', 'rawResponse', 'httpResponse', '$response', '$metadata'];
const STATUSES = ['status', 'statusCode', 'status_code', 'httpStatusCode'];
const HEADERS = ['headers', 'responseHeaders'];
const BODIES = ['data', 'bodyAsText', 'text', 'body'];
const OWN_BODIES = ['responseBody', 'body', 'error', 'data'];

/** Codes of Node, its HTTP parser and its libraries: no provider's, and outermost they would hide those further in. */
const RUNTIME_CODE = /^(?:E[A-Z0-9]+$|(?:[A-Z]+_)?ERR_|HPE_)/;
/** Classes of node-fetch and its kin, whose `type` is their own word for what broke. */
const FETCH_ERRORS = ['AbortError', 'FetchError'];
/**
 * How a client begins a message that goes on with the body: `429 {…`, `got status: 429 Too Many Requests. {…`, and
 * for a failure inside a stream `got status: UNAVAILABLE. {…`.
 */
const STATUS_FIRST = /^(?:[^{"]{0,60}\b(?:[1-5]\d\d|status: [A-Z_]+)\b[^{"]{0,60})?\{/;

/** How much of a body the engine is shown: characters of a text, bytes, and of an object as much as this. */
const BODY_CHARS = 64 * 1024;
const OBJECT = { values: 1000, chars: BODY_CHARS, members: 100, depth: 8 };
/** How many header fields it is shown. */
export const FIELDS = 1000;

/**
 * What an error shows of the response behind it.
 *
 * @typedef {object} Shown
 * @property {number} status 0 for none.
 * @property {string} headers See headers.js.
 * @property {Uint8Array | undefined} body
 * @property {Uint8Array | undefined} named What stands in for a body that was not kept: the codes the error has itself.
 */

/**
 * @param {any} error
 * @returns {Shown}
 */
export function shownBy(error) {
  /** @type {Shown} */
  const shown = { status: 0, headers: '', body: undefined, named: undefined };
  if (typeof error !== 'object' || error === null) {
    if (typeof error === 'string') shown.body = bounded(jsonIn(error));
    return shown;
  }
  const responses = [];
  for (const name of RESPONSES) {
    const response = read(error, name);
    if (typeof response === 'object' && response !== null) responses.push(response);
  }
  try {
    const holders = [error, ...responses];
    shown.status = statusIn(holders);
    shown.headers = headersIn(holders);
    shown.body = bodyIn(error, responses, shown.status);
    if (shown.body === undefined) shown.named = namedBy(error, shown.status);
  } catch {
    // A hostile member: what was read before it stands.
  }
  return shown;
}

/** @param {any[]} holders */
function statusIn(holders) {
  for (const holder of holders) {
    for (const name of STATUSES) {
      const value = read(holder, name);
      const status = typeof value === 'string' && value.length === 3 ? Number(value) : value;
      if (Number.isInteger(status) && status >= 100 && status <= 999) return status;
    }
  }
  return 0;
}

/** @param {any[]} holders */
function headersIn(holders) {
  for (const holder of holders) {
    for (const name of HEADERS) {
      const headers = read(holder, name);
      if (typeof headers !== 'object' || headers === null || isIterator(headers)) continue;
      const block = blockOf(Array.isArray(headers) ? pairsOf(headers) : headers, FIELDS);
      if (block !== '') return block;
    }
  }
  return '';
}

/**
 * Node's and undici's raw headers are one list of names and values in turn.
 *
 * @param {unknown[]} headers
 */
function pairsOf(headers) {
  if (Array.isArray(headers[0])) return headers;
  const pairs = [];
  for (let at = 0; at + 1 < headers.length && pairs.length < FIELDS; at += 2) pairs.push([textOf(headers[at]), textOf(headers[at + 1])]);
  return pairs;
}

/** @param {unknown} value */
function textOf(value) {
  return isBytes(value) ? new TextDecoder().decode(value) : value;
}

/**
 * @param {any} error
 * @param {any[]} responses
 * @param {number} status
 * @returns {Uint8Array | undefined}
 */
function bodyIn(error, responses, status) {
  if (status === 0) return bounded(wrapped(read(error, 'error')) ?? jsonIn(read(error, 'message')));
  for (const name of hasOwnBody(error) ? [] : OWN_BODIES) {
    const value = read(error, name);
    const body = bounded(name === 'error' ? wrapped(value) : value);
    if (body !== undefined) return body;
  }
  for (const response of responses) {
    if (hasOwnBody(response)) continue;
    for (const name of BODIES) {
      const body = bounded(read(response, name));
      if (body !== undefined) return body;
    }
  }
  return Array.isArray(read(error, 'errorDetails')) ? undefined : bounded(jsonIn(read(error, 'message')));
}

/**
 * The member `error` of an error: the whole body with the clients of Anthropic, Groq and Cloudflare (whose body
 * has a list of `errors`, and no code of its own), what the body has under that name with OpenAI's.
 *
 * @param {any} member
 */
function wrapped(member) {
  // Google's whole body may be a list of bodies; that of Cloudflare's gateway has a list of errors under this name.
  if (isList(member)) return read(read(member, '0'), 'error') === undefined ? { error: member } : member;
  if (typeof member === 'string') return member.startsWith('{') ? member : { error: member };
  if (!isPlain(member) || 'error' in member) return member;
  return isList(read(member, 'errors')) && !('code' in member) && !('message' in member) ? member : { error: member };
}

/**
 * The body at the end of a message, for clients that keep it nowhere else.
 *
 * @param {unknown} message
 */
function jsonIn(message) {
  if (typeof message !== 'string' || !STATUS_FIRST.test(message)) return undefined;
  const end = message.lastIndexOf('}');
  return message.slice(message.indexOf('{'), end < 0 ? undefined : end + 1);
}

/**
 * @param {any} error
 * @param {number} status
 * @returns {Uint8Array | undefined}
 */
function namedBy(error, status) {
  const message = read(error, 'message');
  if ('$fault' in error) {
    const trait = read(error, '$retryable');
    // AWS's own code for what the trait says.
    const code = trait && read(trait, 'throttling') === true ? 'Throttling' : undefined;
    return bounded({ __type: read(error, 'name'), code, message });
  }
  const [code, type, name, details] = ['code', 'type', 'status', 'errorDetails'].map((member) => read(error, member));
  const own = hasOwnBody(error) || FETCH_ERRORS.includes(read(error, 'name'));
  const given = { code: codeOf(code), type: own ? undefined : codeOf(type), message };
  // Google's name of the status, and what else its answer had.
  const named = typeof name === 'string' ? name : undefined;
  if (named !== undefined || Array.isArray(details)) return bounded({ error: { ...given, status: named, details } });
  return status === 0 && given.code === undefined && given.type === undefined ? undefined : bounded(given);
}

/** @param {unknown} code */
function codeOf(code) {
  // Lesser numbers are a DOMException's.
  if (typeof code === 'number') return code >= 100 ? code : undefined;
  return typeof code === 'string' && !RUNTIME_CODE.test(code) ? code : undefined;
}

/**
 * Whether it is a Response as fetch has it, whose body can be read only once and only later.
 *
 * @param {any} holder
 */
function hasOwnBody(holder) {
  return typeof read(holder, 'arrayBuffer') === 'function';
}

/**
 * A body that is a text, bytes or parsed JSON; `undefined` for anything else, such as a
 * stream.
 *
 * @param {unknown} body
 * @returns {Uint8Array | undefined}
 */
function bounded(body) {
  return typeof body === 'string' || isBinary(body) || isList(body) || isPlain(body) ? bytesOf(body) : undefined;
}

/**
 * A body in any form as bytes, cut to what the engine is shown; `undefined` for what is
 * empty or cannot be read.
 *
 * @param {unknown} body
 * @param {number} [most] Of a text or bytes.
 * @returns {Uint8Array | undefined}
 */
export function bytesOf(body, most = BODY_CHARS) {
  if (isBinary(body)) return bytesIn(body, most);
  const text = typeof body === 'string' ? body.slice(0, most) : jsonOf(body, OBJECT);
  return text ? new TextEncoder().encode(text) : undefined;
}

/**
 * Whether it is an object as JSON makes it, of any realm.
 *
 * @param {unknown} value
 */
export function isPlain(value) {
  if (typeof value !== 'object' || value === null) return false;
  try {
    const prototype = Object.getPrototypeOf(value);
    return prototype === null || Object.getPrototypeOf(prototype) === null;
  } catch {
    return false;
  }
}
