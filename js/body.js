/** How long a failed answer's body is waited for before it is classified without the rest. */
export const FAILED_BODY_MS = 2000;

/** How many chunks without a byte are read of one body. */
export const EMPTY_CHUNKS = 100;

/**
 * What was read of a body.
 *
 * @typedef {object} Reading
 * @property {Uint8Array} bytes
 * @property {boolean} whole Whether the body ended, and not the patience or the limit.
 * @property {unknown} [error] What the body broke off with.
 */

/** Reads the start of a body. */
export class BodyReader {
  /** @param {ReadableStreamDefaultReader<Uint8Array>} reader */
  constructor(reader) {
    this.reader = reader;
  }

  /**
   * Reads until the end, the limit or the end of patience, then lets go of what is left.
   *
   * @param {number} limit In bytes.
   * @param {number} [patienceMs] Infinite by default.
   * @returns {Promise<Reading>}
   */
  async read(limit, patienceMs) {
    /** @type {Uint8Array[]} */
    const chunks = [];
    let size = 0;
    let empty = 0;
    let whole = false;
    /** @type {unknown} */
    let error;
    let timer;
    const patience = patienceMs === undefined ? undefined : new Promise((resolve) => {
      timer = setTimeout(resolve, patienceMs, undefined);
    });
    try {
      while (size <= limit) {
        const next = this.reader.read();
        const step = /** @type {ReadableStreamReadResult<Uint8Array> | undefined} */ (await (patience ? Promise.race([next, patience]) : next));
        if (step === undefined) {
          next.catch(ignore);
          break;
        }
        if (step.done) {
          whole = true;
          break;
        }
        // What is no bytes, or never any, is not worth waiting for.
        if (!isBytes(step.value) || (step.value.byteLength === 0 && (empty += 1) > EMPTY_CHUNKS)) break;
        chunks.push(step.value);
        size += step.value.byteLength;
      }
    } catch (broken) {
      error = broken ?? new TypeError('the body broke off');
    }
    clearTimeout(timer);
    if (!whole && error === undefined) this.cancel();
    return { bytes: joined(chunks, Math.min(size, limit)), whole, error };
  }

  /** Lets go of the body; a read that is under way ends. */
  cancel() {
    quietly(() => this.reader.cancel());
  }
}

/**
 * @param {ReadableStream<Uint8Array> | null | undefined} body
 * @returns {BodyReader | undefined}
 */
export function readerOf(body) {
  return body ? new BodyReader(body.getReader()) : undefined;
}

/**
 * A reader of a Response's body through a clone, so that the original stays unread.
 *
 * @param {Response} response
 */
export function peek(response) {
  try {
    // A Node stream in two branches stops where one of them is not read.
    if (typeof response.body?.getReader !== 'function') return undefined;
    const clone = response.clone();
    quietly(() => clone);
    keepAbortQuiet(response.body);
    return clone.body === response.body ? undefined : readerOf(clone.body);
  } catch {
    // Read by somebody else, or no Response of this platform: there is nothing to see.
    return undefined;
  }
}

/**
 * undici before 7, which is Node's before 24, cancels the body of an aborted fetch and throws
 * what that rejects with where nobody can catch it; with one branch of a clone cancelled before,
 * it does reject. So this body's cancel does not.
 *
 * @param {ReadableStream<Uint8Array> | null} body
 */
function keepAbortQuiet(body) {
  const { process } = /** @type {any} */ (globalThis);
  if (body === null || !(Number.parseInt(process?.versions?.undici, 10) < 7)) return;
  const value = (/** @type {unknown} */ reason) => ReadableStream.prototype.cancel.call(body, reason).catch(ignore);
  Object.defineProperty(body, 'cancel', { value, configurable: true, writable: true });
}

/**
 * @param {Uint8Array[]} chunks
 * @param {number} size
 */
function joined(chunks, size) {
  const [first] = chunks;
  if (first !== undefined && chunks.length === 1 && first.byteLength === size) return first;
  const bytes = new Uint8Array(size);
  let at = 0;
  for (const chunk of chunks) {
    // Whoever sent it may have transferred its buffer since.
    if (chunk.byteLength === 0) continue;
    const part = chunk.subarray(0, size - at);
    bytes.set(part, at);
    at += part.byteLength;
  }
  return bytes.subarray(0, at);
}

/**
 * Lets go of a Response that nobody will read. A cancel may hang or reject; neither counts.
 *
 * @param {any} response
 */
export function discard(response) {
  quietly(() => {
    const body = response?.body;
    if (body?.locked === false) return body.cancel();
    // A Node stream, as node-fetch has it.
    return typeof body?.getReader === 'function' ? undefined : body?.destroy?.();
  });
}

/**
 * Whether it is a chunk of bytes, of this realm or another.
 *
 * @param {unknown} value
 * @returns {value is Uint8Array}
 */
export function isBytes(value) {
  return value instanceof Uint8Array || (ArrayBuffer.isView(value) && /** @type {any} */ (value)[Symbol.toStringTag] === 'Uint8Array');
}

/** @param {() => unknown} action */
export function quietly(action) {
  try {
    Promise.resolve(action()).catch(ignore);
  } catch {
    // As good as a rejection.
  }
}

export function ignore() {}
