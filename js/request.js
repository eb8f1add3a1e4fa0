import { readerOf } from './body.js';
import { configError } from './errors.js';
import { blockOf, oneLine } from './headers.js';

/** @typedef {string | URL | Request} Input */
/** @typedef {import('./body.js').BodyReader} BodyReader */

/** How much of a request's body the engine is shown for a snapshot, in characters. */
const SNAPSHOT_CHARS = 64 * 1024;

/**
 * Whether an input is a Request. Asked without `instanceof`: naming the class costs Node
 * 50 ms once, and another realm's or library's Request will do.
 *
 * @param {unknown} input
 * @returns {input is Request}
 */
export function isRequest(input) {
  return typeof input === 'object' && input !== null && typeof /** @type {any} */ (input).clone === 'function' && 'url' in input;
}

/**
 * @param {Input} input
 * @param {RequestInit | undefined} init
 */
export function methodOf(input, init) {
  const method = init?.method ?? (isRequest(input) ? input.method : 'GET');
  return method === 'POST' || method === 'GET' ? method : String(method).toUpperCase();
}

/**
 * The headers of a call, as they were given: those of `init` replace a Request's.
 *
 * @param {Input} input
 * @param {any} init
 */
export function headersOf(input, init) {
  return init?.headers ?? (isRequest(input) ? input.headers : undefined);
}

/** @param {Input} input */
export function urlOf(input) {
  return isRequest(input) ? input.url : String(input);
}

/**
 * @param {Input} input
 * @param {RequestInit | undefined} init
 * @returns {AbortSignal | undefined}
 */
export function signalOf(input, init) {
  const signal = init?.signal === undefined && isRequest(input) ? input.signal : init?.signal;
  // What is no signal goes to the platform's fetch, which says so.
  return typeof signal?.addEventListener === 'function' && typeof signal.aborted === 'boolean' ? signal : undefined;
}

/** What becomes of redirects, as the engine numbers the option. */
const REDIRECTS = Object.freeze({ auto: 0, refuse: 1, platform: 2 });

/**
 * Whether a redirect of this request is refused, which asks the platform not to follow it.
 *
 * @param {number} mode A number of REDIRECTS.
 * @param {Input} input
 * @param {RequestInit | undefined} init
 */
export function refusesRedirects(mode, input, init) {
  // A Request cannot tell its default from a choice.
  const chosen = init?.redirect !== undefined || (isRequest(input) && input.redirect !== 'follow');
  if (chosen || mode === REDIRECTS.platform) return false;
  if (mode === REDIRECTS.refuse) return true;
  const method = methodOf(input, init);
  return method !== 'GET' && method !== 'HEAD';
}

/**
 * A plain copy of an init, which may be a Request or an instance with getters.
 *
 * @param {any} init
 * @returns {any}
 */
export function copyOf(init) {
  if (init === undefined || init === null) return {};
  const prototype = Object.getPrototypeOf(init);
  if (prototype === Object.prototype || prototype === null) return { ...init };
  /** @type {any} */
  const copy = {};
  for (const name in init) copy[name] = init[name];
  for (const name of ['method', 'headers', 'body', 'signal', 'redirect', 'duplex']) {
    if (copy[name] === undefined && init[name] !== undefined) copy[name] = init[name];
  }
  return copy;
}

/**
 * What a Request says of its referrer, where that is not the default. An init beside a Request
 * makes the platform forget it (Fetch, the constructor of Request), so ours has to repeat it.
 *
 * @param {Request} request
 * @returns {Pick<RequestInit, 'referrer' | 'referrerPolicy'>}
 */
export function referrerOf({ referrer, referrerPolicy }) {
  return {
    ...(referrer !== undefined && referrer !== 'about:client' && { referrer }),
    ...(referrerPolicy && { referrerPolicy }),
  };
}

/**
 * Whether an init has no member, as the platform looks at it.
 *
 * @param {RequestInit | undefined} init
 */
export function isEmptyInit(init) {
  return Object.values(init ?? {}).every((value) => value === undefined);
}

/**
 * Whether a body can be read only once.
 *
 * @param {any} body
 */
export function isOneShot(body) {
  return typeof body === 'object' && body !== null
    && (typeof body.getReader === 'function' || typeof body.pipe === 'function' || Symbol.asyncIterator in body);
}

/**
 * Headers with more fields, those that are there already as they are. What the platform
 * would refuse stays in, for it to say so.
 *
 * @param {any} headers
 * @param {[string, string][]} more
 * @returns {any[]}
 */
export function withFields(headers, more) {
  const fields = typeof headers?.[Symbol.iterator] === 'function' ? [...headers] : Object.entries(headers ?? {});
  const names = new Set(fields.map((field) => String([...field][0]).toLowerCase()));
  return [...fields, ...more.filter(([name]) => !names.has(name.toLowerCase()))];
}

/** A Request's body, kept while the first attempt sends it. */
export class Replay {
  /** @type {BodyReader | undefined} */
  #reader;
  /** @type {Promise<Uint8Array | undefined>} */
  #reading;
  /** Whether the body is known to be too large, or to have broken off. */
  lost = false;

  /**
   * @param {Request} request
   * @param {number} limit In bytes.
   */
  constructor(request, limit) {
    const clone = request.clone();
    /** @type {any} The platform's or library's own: the constructor of a derived class may take other arguments. */
    this.Class = clone.constructor;
    this.#reader = readerOf(clone.body);
    // A platform whose Request has no `body` can only be asked for all of it.
    const reading = this.#reader?.read(limit) ?? clone.arrayBuffer().then((all) => ({ bytes: new Uint8Array(all), whole: all.byteLength <= limit }));
    this.#reading = reading.then(
      ({ bytes, whole }) => (whole ? bytes : undefined),
      () => undefined,
    ).then((bytes) => {
      this.lost = bytes === undefined;
      return bytes;
    });
  }

  /** The whole body; `undefined` when it was too large or broke off. */
  bytes() {
    return this.#reading;
  }

  /** Lets go of it. */
  cancel() {
    this.#reader?.cancel();
  }
}

/**
 * Whether a Request brings a body of its own that a later attempt needs.
 *
 * @param {Input} input
 * @param {RequestInit | undefined} init
 * @returns {input is Request}
 */
export function bringsBody(input, init) {
  if (!isRequest(input) || (init?.body !== undefined && init.body !== null)) return false;
  return input.body === undefined ? !['GET', 'HEAD'].includes(methodOf(input, init)) : input.body !== null;
}

/**
 * Shows the engine what was sent.
 *
 * @param {import('./facts.js').Facts} facts
 * @param {Input} input
 * @param {any} init As sent.
 * @param {boolean} withBody
 */
export function readRequest(facts, input, init, withBody) {
  const headers = blockOf(headersOf(input, init));
  facts.request = `${oneLine(methodOf(input, init))}\n${oneLine(urlOf(input))}\n${headers}`;
  if (withBody) facts.requestBody = bodyText(init?.body ?? (bringsBody(input, init) ? '[Request body]' : undefined));
}

/**
 * A body for people to read.
 *
 * @param {any} body
 * @returns {string | undefined}
 */
function bodyText(body) {
  if (body === undefined || body === null) return undefined;
  if (typeof body === 'string') return body.slice(0, SNAPSHOT_CHARS);
  const name = Object.prototype.toString.call(body).slice('[object '.length, -1);
  if (name === 'URLSearchParams') return String(body).slice(0, SNAPSHOT_CHARS);
  const size = body.size ?? body.byteLength;
  return typeof size === 'number' ? `[${name} ${size} bytes]` : `[${name}]`;
}

/** The platform's fetch, looked up at each call and called without a receiver. */
export function platformFetch() {
  const { fetch } = globalThis;
  if (typeof fetch !== 'function') throw configError('there is no globalThis.fetch here: give the option fetch');
  return fetch;
}

