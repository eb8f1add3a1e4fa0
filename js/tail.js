import { Brackets } from './brackets.js';

/** Formats, as the engine numbers them. */
const [SSE, JSON_ARRAY, EVENT_STREAM] = [1, 3, 4];

/** How much of a stream's end is kept, in bytes. */
const TAIL = 4096;
/** How much of the frame that it begins in: of a larger one the beginning. */
const FRAME = 64 * 1024;
const HEAD = 512;

const [LF, CR, SPACE] = [10, 13, 0x20];

const EMPTY = new Uint8Array(0);

/** V8's own takes 60 times as long over a large chunk without a line end. @type {typeof Uint8Array.prototype.lastIndexOf} */
const lastIndexOf = /** @type {any} */ (globalThis).Buffer?.prototype.lastIndexOf ?? Uint8Array.prototype.lastIndexOf;

/**
 * The last bytes of a stream, from the beginning of a frame on, by which the engine tells whether it had ended: copied
 * while it flows, and looked through for frames only when there is no more room.
 */
export class Tail {
  #format;
  #brackets;
  #kept = new Uint8Array(2 * TAIL);
  #size = 0;
  /** Where in it the next message of an event stream begins that is not behind the tail's beginning. */
  #next = 0;
  /** @type {Uint8Array | undefined} The beginning of the frame, where it is too large and what is kept begins inside of it. */
  #head = undefined;

  /** @param {number} format */
  constructor(format) {
    this.#format = format;
    this.#brackets = format === JSON_ARRAY ? new Brackets() : undefined;
  }

  /** @param {Uint8Array} chunk */
  take(chunk) {
    this.#brackets?.take(chunk);
    const { length } = chunk;
    // Mostly a frame begins in a large one, and what came before it does not matter.
    if (length > TAIL && this.#format !== EVENT_STREAM) {
      const at = this.#lineAt(chunk, length - TAIL);
      if (at >= 0) return this.#keep(chunk, at);
    }
    for (let at = 0; at < length; at += FRAME) {
      const part = chunk.subarray(at, at + FRAME);
      if (this.#size + part.length > this.#kept.length) this.#trim();
      this.#put(part, this.#size);
    }
  }

  /**
   * @param {Uint8Array} bytes No more than one frame, as is what they are put behind.
   * @param {number} at
   */
  #put(bytes, at) {
    const kept = this.#kept;
    this.#size = at + bytes.length;
    if (this.#size > kept.length) {
      this.#kept = new Uint8Array(Math.min(2 * this.#size, 2 * FRAME));
      this.#kept.set(kept.subarray(0, at));
    }
    this.#kept.set(bytes, at);
  }

  /** Drops what came before the frame that the tail begins in. */
  #trim() {
    const bytes = this.#kept.subarray(0, this.#size);
    const end = bytes.length - TAIL;
    this.#keep(bytes, this.#format === EVENT_STREAM ? this.#messageAt(bytes, end) : this.#lineAt(bytes, end));
  }

  /**
   * @param {Uint8Array} bytes
   * @param {number} at Where the frame begins; -1 where it did before.
   */
  #keep(bytes, at) {
    let last = bytes;
    if (at >= 0) {
      last = bytes.subarray(at);
      this.#head = undefined;
    }
    if (this.#head !== undefined || last.length > FRAME) {
      this.#head ??= new Uint8Array(last.subarray(0, HEAD));
      // What tells that a frame begins stands before it.
      last = bytes.subarray(-TAIL - HEAD);
    }
    this.#next -= bytes.length - last.length;
    this.#put(last, 0);
  }

  /**
   * Where the last frame of text begins, at or before `end`; -1 where none does. In an array that is a line without
   * indentation: where its elements begin is found by their brackets, from the end.
   *
   * @param {Uint8Array} bytes
   * @param {number} end
   */
  #lineAt(bytes, end) {
    let at = end;
    while (at > 0 && (at = lastIndexOf.call(bytes, LF, at - 1)) >= 0) {
      const begins = this.#format === SSE
        ? bytes[at - 1] === LF || (bytes[at - 1] === CR && bytes[at - 2] === LF)
        : this.#brackets === undefined || Number(bytes[at + 1]) > SPACE;
      if (begins) return at + 1;
    }
    return -1;
  }

  /**
   * The same for messages.
   *
   * @param {Uint8Array} bytes
   * @param {number} end
   */
  #messageAt(bytes, end) {
    let at = -1;
    while (this.#next <= end) {
      at = this.#next;
      // A message without a length is none, and none is found behind it.
      this.#next += new DataView(bytes.buffer).getUint32(at) || Infinity;
    }
    return at;
  }

  /**
   * What the engine is to be given behind the format: the beginning of the frame where that is not kept, the last
   * bytes, and what is open of an array.
   *
   * @returns {[head: Uint8Array, tail: Uint8Array, open: number]}
   */
  read() {
    this.#trim();
    const bytes = this.#kept.subarray(0, this.#size);
    const open = this.#brackets?.open ?? 0;
    return this.#head === undefined ? [EMPTY, bytes, open] : [this.#head, bytes.subarray(-TAIL), open];
  }
}
