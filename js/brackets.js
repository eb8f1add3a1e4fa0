const [QUOTE, BACKSLASH] = [0x22, 0x5c];
/** A square bracket becomes a curly one by this bit. */
const CURLY = 0x20;
const [OPENING, CLOSING] = [0x7b, 0x7d];

/** Most of an answer is text, over which the platform's search is many times as fast as a loop. @type {typeof Uint8Array.prototype.indexOf} */
const indexOf = /** @type {any} */ (globalThis).Buffer?.prototype.indexOf ?? Uint8Array.prototype.indexOf;

/** The brackets of a JSON array that comes in pieces. Objects without an array around them count as in one. */
export class Brackets {
  #depth = 0;
  #inText = false;
  /** Whether the last piece ended inside of an escape. */
  #inEscape = false;

  /** @param {Uint8Array} bytes */
  take(bytes) {
    const { length } = bytes;
    let at = this.#inEscape ? 1 : 0;
    while (at < length) {
      if (this.#inText) {
        const quote = indexOf.call(bytes, QUOTE, at);
        const end = quote < 0 ? length : quote;
        let first = end;
        while (first > at && bytes[first - 1] === BACKSLASH) first -= 1;
        const escapes = (end - first) % 2;
        this.#inText = quote < 0 || escapes > 0;
        at = quote < 0 ? end + escapes : end + 1;
        continue;
      }
      const byte = bytes[at] ?? 0;
      at += 1;
      if (byte === QUOTE) this.#inText = true;
      else if ((byte | CURLY) === OPENING) this.#depth += this.#depth === 0 && byte === OPENING ? 2 : 1;
      else if ((byte | CURLY) === CLOSING) this.#depth -= 1;
    }
    this.#inEscape = at > length;
  }

  /** Twice how many are open, and one more if a text is. */
  get open() {
    return 2 * this.#depth + Number(this.#inText);
  }
}
