import { ask } from './ask.js';
import { methodOf, urlOf } from './request.js';

/** @typedef {import('./request.js').Input} Input */

/** What is looked at of a Response before it is handed over: nothing, its whole body, its opening. */
export const LOOK = Object.freeze({ none: 0, body: 1, opening: 2 });

const JSON_TYPE = /^application\/json\s*(;|$)/i;
/** JSON, and the types of streams that `stream/mod.rs` knows: in one question, since most answers are of neither. */
const KNOWN_TYPE = /^(text\/event-stream|application\/(json|x-ndjson|ndjson|jsonl|x-jsonlines|stream\+json|vnd\.amazon\.eventstream))\s*(;|$)/i;
/** What asks Gemini for a stream, which is a JSON array where it is no event stream. */
const STREAMS_ARRAY = 'streamGenerateContent';

/**
 * What has to be looked at before a Response can be handed over. One of which it is nothing
 * goes to the caller without the engine.
 *
 * @param {Response} response
 * @param {import('./policy.js').Settings} settings
 * @param {Input} input
 * @param {RequestInit | undefined} init
 * @returns {number} One of LOOK.
 */
export function lookAt(response, settings, input, init) {
  if (!response?.ok) {
    return response?.status === 101 || response?.status === 304 || response?.type === 'opaque' ? LOOK.none : LOOK.body;
  }
  if (!settings.inspectOk && !settings.holdsOpenings) return LOOK.none;
  if (settings.inspectOk && settings.expectJson) return response.body === null ? LOOK.none : LOOK.body;
  // The cheapest question first, and the type before the body: most answers are told apart by it.
  if (methodOf(input, init) !== 'POST') return LOOK.none;
  const type = knownTypeOf(response);
  if (type === '' || response.body === null) return LOOK.none;
  const isJson = JSON_TYPE.test(type);
  if (settings.holdsOpenings && (!isJson || urlOf(input).includes(STREAMS_ARRAY))) return LOOK.opening;
  return settings.inspectOk && isJson ? LOOK.body : LOOK.none;
}

/** The field that was read last, and its type if that is a known one: most answers of a program are of one. */
const last = { field: '', type: '' };

/**
 * The type of an answer that may have to be looked at; empty for any other.
 *
 * @param {Response} response
 */
function knownTypeOf(response) {
  const field = response.headers?.get('content-type') ?? '';
  if (field !== last.field) {
    const type = typeOf(response);
    last.type = KNOWN_TYPE.test(type) ? type : '';
    last.field = field;
  }
  return last.type;
}

/**
 * The type of an answer. Of a header that was sent several times the last one counts, as where
 * the platform extracts a MIME type.
 *
 * @param {Response} response
 */
export function typeOf(response) {
  const type = String(response.headers?.get('content-type') ?? '');
  const comma = type.lastIndexOf(',');
  // One in a parameter separates no types.
  return comma >= 0 && type.includes('/', comma) ? type.slice(comma + 1).trim() : type;
}

/**
 * Whether a streamed answer is a JSON array, which its type does not tell.
 *
 * @param {Input} input
 * @param {string} type
 */
export function isStreamedArray(input, type) {
  return JSON_TYPE.test(type) && urlOf(input).includes(STREAMS_ARRAY);
}

/**
 * The Response, marked so that an SDK does not retry it; as it is when no Response can be
 * made of its status or body.
 *
 * @param {Response} response
 */
export function finalCopy(response) {
  try {
    const headers = new (/** @type {typeof Headers} */ (response.headers.constructor))(response.headers);
    if (headers === response.headers) return response;
    headers.set(ask((engine) => engine.vetoHeader()), 'false');
    return made(response, response.body, headers);
  } catch {
    return response;
  }
}

/**
 * Whether it is worth a clone to look.
 *
 * @param {Response} response
 */
export function mayHaveBody(response) {
  return Boolean(response.body) && response.headers.get('content-length') !== '0';
}

/**
 * A Response with another body.
 *
 * @param {Response} original
 * @param {ReadableStream} body
 * @throws {TypeError} When none can be made.
 */
export function alike(original, body) {
  const { headers, url, redirected, type } = original;
  const response = made(original, body, headers);
  if (response.body !== body) throw new TypeError('not a Response');
  return dressed(response, { url, redirected, type });
}

/**
 * A new Response of the same class and status. What only looks like a Response may be of a
 * class that makes something else: that of a plain object gives back the body.
 *
 * @param {Response} original
 * @param {ReadableStream | null} body
 * @param {Headers} headers
 * @throws {TypeError} When none can be made.
 */
function made(original, body, headers) {
  const Class = /** @type {typeof Response} */ (original.constructor);
  const { status, statusText } = original;
  const response = new Class(body, { status, statusText, headers });
  if (response.status !== status) throw new TypeError('not a Response');
  return response;
}

/**
 * A Response that says of itself what the constructor does not take.
 *
 * @param {Response} response
 * @param {Pick<Response, 'url' | 'redirected' | 'type'>} members
 * @returns {Response}
 */
function dressed(response, members) {
  for (const [name, value] of Object.entries(members)) Object.defineProperty(response, name, { value, configurable: true });
  const { clone } = response;
  const value = () => dressed(clone.call(response), members);
  return Object.defineProperty(response, 'clone', { value, configurable: true, writable: true });
}
