import { ask } from './ask.js';
import { isBinary, jsonOf, namesIn } from './bounded.js';
import { read } from './errors.js';

/** What a chunk is, as the engine numbers it. */
const [NOTHING, OUTPUT, FAILURE] = [0, 1, 2];
const UNKNOWN = 4;
const KIND = 7;
const [IS_KNOWN, IS_END, IS_PROVIDERS, IS_FAILED_END] = [8, 16, 32, 64];

/** How much of a chunk the engine is shown. */
const SHOWN = { values: 10_000, chars: 64 * 1024, members: 100, depth: 32 };

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
  const text = typeof chunk !== 'object' || chunk === null || isBinary(chunk) ? undefined : jsonOf(chunk, SHOWN);
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
  return hasError(chunk) || HOLDERS.some((name) => hasError(read(chunk, name))) || namesIn(chunk, SHOWN.members).some((name) => String(name).endsWith('Exception'));
}

/** @param {any} holder */
function hasError(holder) {
  if (typeof holder !== 'object' || holder === null) return false;
  return (read(holder, 'error') ?? undefined) !== undefined;
}
