import { aftermath, cutShort, cutShortError, tooSlow } from './aftermath.js';
import { ask } from './ask.js';
import { isBytes, quietly } from './body.js';
import { ENDING } from './facts.js';
import { remember } from './history.js';
import { streamTimeout } from './limit.js';
import { alike } from './response.js';
import { Tail } from './tail.js';

/** @typedef {import('./attempt.js').FetchCall} FetchCall */
/** @typedef {import('./facts.js').Facts} Facts */
/** @typedef {import('./history.js').KeptHistory} KeptHistory */
/** @typedef {import('./opening.js').Held} Held */
/** @typedef {import('../pkg/dacapo.js').Opening} Opening */

/** How a stream ended, as the engine numbers it. */
const ENDED = Object.freeze({ no: 0, yes: 1, failed: 2 });

/** A streamed answer as the caller gets it: what was held back, then the rest as it comes. */
export class Delivery {
  /** @type {Opening | undefined} Reads on after the first output, for its usage. */
  opening = undefined;
  #call;
  #isBytes;
  /** @type {any} */
  #controller;
  /** @type {Uint8Array[]} */
  #chunks = [];
  /** How many of them have been given. */
  #given = 0;
  /** @type {Held['pending']} */
  #pending = undefined;
  #whole = false;
  #over = false;
  /** Its failure is in the history that it is delivered with. */
  #hasFailed = false;
  #isCutShort = false;
  #format = 0;
  /** @type {Tail | undefined} */
  #tail = undefined;
  /** @type {Uint8Array | undefined} What the opening told of tokens, as JSON. */
  #told = undefined;
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  #idle = undefined;
  /** @type {KeptHistory | undefined} */
  #history = undefined;

  /**
   * A delivery of this Response; `undefined` where its body cannot be read, or no Response
   * can be made of it.
   *
   * @param {FetchCall} call
   * @param {Response} response
   */
  static of(call, response) {
    let reader;
    try {
      const isBytes = isByteStream(response.body);
      reader = /** @type {ReadableStream<Uint8Array>} */ (response.body).getReader();
      return new Delivery(call, response, reader, isBytes);
    } catch {
      reader?.releaseLock();
      return undefined;
    }
  }

  /**
   * @param {FetchCall} call
   * @param {Response} original
   * @param {ReadableStreamDefaultReader<Uint8Array>} reader
   * @param {boolean} isBytes
   */
  constructor(call, original, reader, isBytes) {
    this.#call = call;
    this.reader = reader;
    this.#isBytes = isBytes;
    const source = {
      ...(isBytes && { type: 'bytes' }),
      start: (/** @type {any} */ controller) => { this.#controller = controller; },
      pull: () => this.#pull(),
      cancel: (/** @type {unknown} */ reason) => this.#cancel(reason),
    };
    this.response = alike(original, new ReadableStream(/** @type {any} */ (source), { highWaterMark: 0 }));
  }

  /**
   * Takes over what was held back.
   *
   * @param {Held} held
   */
  take({ chunks, whole, pending }) {
    // A stream of bytes refuses chunks without any.
    this.#chunks = this.#isBytes ? chunks.filter((chunk) => chunk.byteLength > 0) : chunks;
    this.#whole = whole;
    this.#pending = pending;
  }

  /**
   * Its opening failed; it is delivered, if at all, for what the provider said.
   *
   * @param {boolean} isCutShort Without a failure that the provider told.
   */
  failed(isCutShort) {
    this.#hasFailed = true;
    this.#isCutShort = isCutShort;
  }

  /**
   * Has its end looked at.
   *
   * @param {number} format 0 where no end marker is to be missed.
   * @param {Opening} opening
   */
  watch(format, opening) {
    this.#format = format;
    if (format !== 0) this.#tail = new Tail(format);
    if (this.#call.settings.readsUsage) this.opening = opening;
    this.#told = ask(() => opening.usage());
  }

  /**
   * The caller gets it now.
   *
   * @param {KeptHistory | undefined} history
   */
  begin(history) {
    const { signal, limit } = this.#call;
    this.#history = history;
    if (signal?.aborted) return this.#abort();
    signal?.addEventListener('abort', this.#abort);
    limit?.watchBody(this.#timedOut);
  }

  #abort = () => {
    const { reason } = /** @type {AbortSignal} */ (this.#call.signal);
    if (!this.#isConcluded()) return this.#breakOff(reason, this.#call.ended(ENDING.cancelled));
    if (this.#history !== undefined) remember(reason, this.#history);
    return this.#stop(reason);
  };

  /** @returns {Promise<void> | undefined} */
  #pull() {
    const chunk = this.#chunks[this.#given];
    if (chunk !== undefined) {
      this.#given += 1;
      if (this.#given === this.#chunks.length) {
        this.#chunks = [];
        this.#given = 0;
      }
      return this.#give(chunk);
    }
    if (this.#whole) return this.#end();
    const { idleTimeoutMs } = this.#call.settings;
    if (idleTimeoutMs > 0) this.#idle = setTimeout(this.#idled, idleTimeoutMs);
    const read = this.#pending ?? this.reader.read();
    this.#pending = undefined;
    return read.then(this.#took, this.#broke);
  }

  #took = (/** @type {ReadableStreamReadResult<Uint8Array>} */ { done, value }) => {
    if (this.#idle !== undefined) clearTimeout(this.#idle);
    if (this.#over) return undefined;
    if (done) return this.#end();
    if (this.#isBytes && value.byteLength === 0) return this.#pull();
    if (this.opening !== undefined && value?.byteLength > 0) this.#readOn(value);
    return this.#give(value);
  };

  /** @param {Uint8Array} chunk */
  #give(chunk) {
    // A chunk whose buffer was transferred has no bytes, and copying it throws.
    if (this.#tail !== undefined && isBytes(chunk) && chunk.byteLength > 0) this.#tail.take(chunk);
    // A stream of bytes takes the whole buffer of a chunk for its own.
    const isShared = this.#isBytes && chunk.byteLength !== chunk.buffer.byteLength;
    this.#controller.enqueue(isShared ? chunk.slice() : chunk);
    return undefined;
  }

  /** @param {Uint8Array} chunk */
  #readOn(chunk) {
    try {
      ask(() => this.opening?.push(chunk));
    } catch {
      // The engine broke down; the stream is none the worse for it.
      this.opening = undefined;
    }
  }

  /** @returns {undefined} */
  #end() {
    try {
      const error = this.#ended();
      if (error !== undefined) return this.#stop(error);
      this.#leave();
      this.#controller.close();
      // A read into a buffer of the reader's own ends only with an answer.
      this.#controller.byobRequest?.respond(0);
    } catch (error) {
      // The engine broke down.
      this.#stop(error);
    }
    return undefined;
  }

  /** What the stream is to break with instead of its end. */
  #ended() {
    if (this.#isCutShort) return this.#history && cutShortError(this.#history);
    const ended = this.#look();
    if (ended !== ENDED.no) {
      this.#conclude(ended);
      return undefined;
    }
    return cutShortError(this.#record(cutShort(this.#call)));
  }

  /** How the stream ended, by its last bytes; `undefined` where nothing is known of its end. */
  #look() {
    const tail = this.#tail;
    return tail && ask((engine) => engine.streamEnded(this.#format, ...tail.read()));
  }

  /**
   * Whether the answer had come to its end, or told of its failure, before somebody let go of
   * it: clients do so then. That is recorded.
   */
  #isConcluded() {
    try {
      const ended = this.#look();
      if (ended === ENDED.no || ended === undefined) return false;
      this.#conclude(ended);
      return true;
    } catch {
      // The engine broke down.
      return false;
    }
  }

  /** @param {number | undefined} ended */
  #conclude(ended) {
    if (ended === ENDED.failed) this.#record(this.#toldFailure());
    else if (this.opening !== undefined) remember(this.response, aftermath(this.#call, this.#history, undefined, this.#usage()));
  }

  #toldFailure() {
    const kept = /** @type {Tail} */ (this.#tail).read();
    return this.#call.respondedWith(this.response, ask((engine) => engine.streamFailure(this.#format, ...kept)));
  }

  #broke = (/** @type {unknown} */ error) => {
    const call = this.#call;
    if (this.#over) return;
    if (call.signal?.aborted) return this.#abort();
    this.#breakOff(call.presentable(error), call.failedWith(error));
  };

  #idled = () => this.#timedOut(streamTimeout('idleTimeoutMs', this.#call.settings.idleTimeoutMs));

  #timedOut = (/** @type {DOMException} */ error) => this.#breakOff(error, tooSlow(this.#call, error));

  /**
   * @param {unknown} error
   * @param {Facts} facts
   */
  #breakOff(error, facts) {
    if (this.#over) return;
    try {
      // What the provider told says more than how the connection ended.
      const history = this.#hasFailed ? this.#history : this.#record(this.#look() === ENDED.failed ? this.#toldFailure() : facts);
      if (history !== undefined) remember(error, history);
    } catch {
      // The engine broke down; the stream breaks with what it would have.
    }
    this.#stop(error);
  }

  /**
   * @param {unknown} error
   * @returns {undefined}
   */
  #stop(error) {
    this.#leave();
    this.#controller.error(error);
    quietly(() => this.reader.cancel(error));
    this.#call.limit?.drop();
  }

  /** @param {Facts} facts */
  #record(facts) {
    facts.streamed = true;
    facts.usage = this.#usage();
    facts.usageIsLowerBound = true;
    this.#history = aftermath(this.#call, this.#history, facts, undefined);
    remember(this.response, this.#history);
    return this.#history;
  }

  #usage() {
    const { opening } = this;
    if (opening === undefined) return this.#told;
    return ask(() => {
      opening.end();
      return opening.usage();
    });
  }

  /** @param {unknown} reason */
  #cancel(reason) {
    this.#isConcluded();
    this.#leave();
    const cancelled = this.reader.cancel(reason);
    this.#call.limit?.drop();
    return cancelled;
  }

  #leave() {
    this.#over = true;
    clearTimeout(this.#idle);
    this.#call.signal?.removeEventListener('abort', this.#abort);
    this.#call.limit?.end();
    this.#chunks = [];
    try {
      this.opening?.free();
    } catch {
      // It was an earlier instance's.
    }
    this.opening = undefined;
  }
}

/** @param {ReadableStream<Uint8Array> | null} body */
function isByteStream(body) {
  try {
    // What such a stream gives belongs to nobody else, so that it may be handed on for good.
    body?.getReader({ mode: 'byob' }).releaseLock();
    return true;
  } catch {
    return false;
  }
}
