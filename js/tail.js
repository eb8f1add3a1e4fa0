import { Brackets } from './brackets.js';

/** How much of a stream's end is kept, in bytes. */
const TAIL = 4096;
/** How much of the beginning of its last line: a large last frame begins before the tail. */
const HEAD = 512;

const [LF, CR] = [10, 13];

/** V8's own takes 60 times as long over a large chunk without a line end. @type {typeof Uint8Array.prototype.lastIndexOf} */
const lastIndexOf = /** @type {any} */ (globalThis).Buffer?.prototype.lastIndexOf ?? Uint8Array.prototype.lastIndexOf;

/** The last bytes of a stream, copied while it flows, by which the engine tells whether it had ended. */
export class Tail {
  #tail = new Uint8Array(2 * TAIL);
  #size = 0;
  #head = new Uint8Array(HEAD);
  #headSize = 0;
  #lineEnded = true;
  #hasLines;
  #brackets;

  /**
   * @param {boolean} hasLines Whether frames are lines, so that a head can be found.
   * @param {boolean} isArray Whether it is all one JSON array.
   */
  constructor(hasLines, isArray) {
    this.#hasLines = hasLines;
    this.#brackets = isArray ? new Brackets() : undefined;
  }

  /** @param {Uint8Array} chunk */
  take(chunk) {
    if (this.#hasLines) this.#findHead(chunk);
    this.#brackets?.take(chunk);
    const { length } = chunk;
    if (length >= TAIL) {
      this.#tail.set(chunk.subarray(length - TAIL));
      this.#size = TAIL;
      return;
    }
    if (this.#size + length > this.#tail.length) {
      this.#tail.copyWithin(0, this.#size - TAIL, this.#size);
      this.#size = TAIL;
    }
    this.#tail.set(chunk, this.#size);
    this.#size += length;
  }

  /** @param {Uint8Array} chunk */
  #findHead(chunk) {
    let end = chunk.length;
    while (end > 0 && (chunk[end - 1] === LF || chunk[end - 1] === CR)) end -= 1;
    if (end > 0) {
      const from = lastIndexOf.call(chunk, LF, end - 1) + 1;
      if (from > 0 || this.#lineEnded) this.#headSize = 0;
      this.#lineEnded = false;
      const part = chunk.subarray(from, Math.min(end, from + HEAD - this.#headSize));
      this.#head.set(part, this.#headSize);
      this.#headSize += part.length;
    }
    if (end < chunk.length) this.#lineEnded = true;
  }

  get head() {
    return this.#head.subarray(0, this.#headSize);
  }

  get tail() {
    return this.#tail.subarray(Math.max(0, this.#size - TAIL), this.#size);
  }

  /** What is open of the array. */
  get open() {
    return this.#brackets?.open ?? 0;
  }
}
