// Reads the module back from the text that xtask/src/inline.rs makes of it. It runs once, before any compiler has looked
// at it, so its loops call nothing.

import { code, length, operands, single, streams } from '../../pkg/dacapo_inline.js';

/** From this character on, two are one byte. */
const PAIRS = 123;

/** The characters up to there that need no escape, less `"` and `\`. */
const DIGITS = [...Array(PAIRS).keys()].filter((character) => character > 31 && character !== 34 && character !== 92);

/**
 * The bytes of a stream.
 *
 * @param {string} text
 * @param {Iterable<number>} common The bytes that are one character, in the order of their characters.
 */
function bytesOf(text, common) {
  const order = Uint8Array.from(new Set([...common, ...Array(256).keys()]));
  const digits = new Uint8Array(PAIRS);
  const singles = new Uint8Array(PAIRS);
  DIGITS.forEach((character, i) => {
    digits[character] = i;
    singles[character] = /** @type {number} */ (order[i]);
  });
  const bytes = new Uint8Array(text.length);
  let size = 0;
  for (let read = 0; read < text.length; read++) {
    const character = text.charCodeAt(read);
    bytes[size++] = character < PAIRS
      ? /** @type {number} */ (singles[character])
      : /** @type {number} */ (order[DIGITS.length + ((character - PAIRS) << 6) + /** @type {number} */ (digits[text.charCodeAt(++read)])]);
  }
  return bytes.subarray(0, size);
}

/** @returns {Uint8Array<ArrayBuffer>} The bytes of the module. */
export function unpack() {
  const common = bytesOf(single, []);
  /** @type {any} */
  const sources = streams.map((text, i) => bytesOf(text, i === 0 ? common : []));
  /** @type {any} */
  const places = streams.map(() => 0);
  /** @type {any} */
  const operandsOf = Array(256).fill([]);
  for (const [first, last, ...its] of operands) operandsOf.fill(its, first, last + 1);

  /** @type {any} */
  const main = sources[0];
  /** @type {any} */
  const module = new Uint8Array(length);
  const [start, end] = code;
  module.set(main.subarray(0, start));
  places[0] = start;
  for (let at = start; at < end;) {
    const operator = main[places[0]++];
    module[at++] = operator;
    const its = operandsOf[operator];
    for (let i = 0; i < its.length; i++) {
      const stream = its[i];
      // The last byte of a number in LEB128 has no top bit.
      do module[at] = sources[stream][places[stream]++];
      while (module[at++] > 127);
    }
  }
  module.set(main.subarray(main.length - (length - end)), end);
  return module;
}
