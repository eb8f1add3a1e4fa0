import { ask } from './ask.js';
import { read } from './errors.js';

/** What a chunk is, as the engine numbers it. */
const [NOTHING, OUTPUT, FAILURE] = [0, 1, 2];
const UNKNOWN = 4;
const KIND = 7;
const [IS_KNOWN, IS_END, IS_PROVIDERS, IS_FAILED_END] = [8, 16, 32, 64];

/** How much of a chunk the engine is shown, in characters and members. */
const CHARS = 64 * 1024;
const VALUES = 10_000;
const ITEMS = 100;

/** The types of chunks that may tell of a failure. A tool that failed is no failure of the stream. */
const FAILING_TYPE = /^(?!tool).*(?:error|fail|exception)/i;
/** The members that have the error of a failing chunk, beside the chunk itself. */
const HOLDERS = ['delta', 'response', 'x_groq', 'data'];

/** What the engine says of a chunk. */
export class Judged {
  /**
   * @param {number} said
   * @param {string | undefined} text The chunk as the engine was shown it.
   */
  constructor(said, text) {
    const kind = said & KIND;
    this.text = text;
    /** What is of no known shape cannot be told from output. */
    this.isOutput = kind === OUTPUT || kind === UNKNOWN;
    this.isEnd = (said & IS_END) !== 0;
    this.isFailure = kind === FAILURE;
    /** The reason for the end names a failure. It is none yet: another choice may go on. */
    this.isFailedEnd = (said & IS_FAILED_END) !== 0;
    /** Its shape is known. */
    this.isKnown = (said & IS_KNOWN) !== 0;
    /** Its shape is a provider's own, whose streams say that they are over. */
    this.hasEnd = (said & IS_PROVIDERS) !== 0;
  }
}

/**
 * @param {unknown} chunk
 * @returns {Judged}
 */
export function judge(chunk) {
  // Texts are what the answer is made of, and have no shape that would tell more.
  if (typeof chunk === 'string') return new Judged(chunk === '' ? NOTHING : OUTPUT, undefined);
  const text = jsonOf(chunk);
  return text === undefined ? new Judged(UNKNOWN, undefined) : new Judged(ask((engine) => engine.judgeChunk(text)), text);
}

/**
 * Whether it is worth to have a chunk judged once output has begun: only a failure counts then.
 *
 * @param {any} chunk
 */
export function mayFail(chunk) {
  if (typeof chunk !== 'object' || chunk === null) return false;
  const type = read(chunk, 'type');
  if (typeof type === 'string') {
    if (FAILING_TYPE.test(type)) return true;
    if (type.startsWith('tool')) return false;
  }
  return hasError(chunk) || HOLDERS.some((name) => hasError(read(chunk, name))) || keysOf(chunk).some((key) => key.endsWith('Exception'));
}

/** @param {any} holder */
function hasError(holder) {
  if (typeof holder !== 'object' || holder === null) return false;
  return (read(holder, 'error') ?? undefined) !== undefined;
}

/** @param {object} chunk */
function keysOf(chunk) {
  try {
    return Object.keys(chunk);
  } catch {
    return [];
  }
}

/**
 * A chunk as JSON, of bounded size; `undefined` where it has none.
 *
 * @param {unknown} chunk
 * @returns {string | undefined}
 */
function jsonOf(chunk) {
  if (typeof chunk !== 'object' || chunk === null) return undefined;
  let chars = CHARS;
  let values = VALUES;
  try {
    // Its own `toJSON` would make a list of all its bytes.
    if (isBinary(chunk)) return undefined;
    return JSON.stringify(chunk, (_, value) => {
      values -= 1;
      if (values < 0 || typeof value === 'bigint') return undefined;
      if (typeof value === 'string') {
        const shown = value.slice(0, chars);
        chars -= shown.length;
        return shown;
      }
      if (typeof value !== 'object' || value === null) return value;
      if (isBinary(value)) return undefined;
      if (value instanceof Error) return errorIn(value);
      return Array.isArray(value) && value.length > ITEMS ? value.slice(0, ITEMS) : value;
    });
  } catch {
    return undefined;
  }
}

/** @param {object} value */
function isBinary(value) {
  return ArrayBuffer.isView(value) || value instanceof ArrayBuffer;
}

/**
 * What JSON leaves out of an error.
 *
 * @param {any} error
 */
function errorIn(error) {
  return { ...error, name: read(error, 'name'), message: read(error, 'message') };
}
