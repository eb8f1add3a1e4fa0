import { ask } from './ask.js';
import { isBinary, jsonOf } from './bounded.js';

/** What a chunk is, as the engine numbers it. */
const [NOTHING, OUTPUT, FAILURE] = [0, 1, 2];
const UNKNOWN = 4;
const KIND = 7;
const [IS_KNOWN, IS_END, IS_PROVIDERS, IS_FAILED_END] = [8, 16, 32, 64];

/** How much of a chunk the engine is shown. */
const SHOWN = { values: 10_000, chars: 64 * 1024, members: 100, depth: 32 };

/** The types of chunks that may tell of a failure. A tool that failed is no failure of the stream. */
const FAILING_TYPE = /^(?!tool).*(?:error|fail|exception)/i;
/**
 * Whether such a member tells of a failure, or of the end for whatever reason: which of them do the engine knows.
 *
 * @param {string} name
 */
const isTelling = (name) => name === 'error' || name.endsWith('eason') || name.endsWith('Exception');
/** The members that such members may be in, beside the chunk itself: down to `data.choices[0]`. */
const HOLDERS = new Set([
  'delta', 'response', 'x_groq', 'data', 'output', 'choices', 'candidates', 'outputs', 'messageStop', 'details', 'kwargs', 'response_metadata',
  'incomplete_details', 'promptFeedback',
]);
const DEPTH = 3;

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
  try {
    const type = chunk?.type;
    if (typeof type === 'string') {
      if (FAILING_TYPE.test(type)) return true;
      if (type.startsWith('tool')) return false;
    }
    return tells(chunk, DEPTH);
  } catch {
    // A hostile member, which the engine is not shown.
    return true;
  }
}

/**
 * @param {any} holder
 * @param {number} depth
 * @returns {boolean}
 */
function tells(holder, depth) {
  if (typeof holder !== 'object' || holder === null || depth < 0 || ArrayBuffer.isView(holder)) return false;
  const inner = depth - 1;
  if (Array.isArray(holder)) {
    for (let at = 0; at < holder.length && at < SHOWN.members; at += 1) if (tells(holder[at], inner)) return true;
    return false;
  }
  let left = SHOWN.members;
  for (const name in holder) {
    if (isTelling(name) ? holder[name] : HOLDERS.has(name) && tells(holder[name], inner)) return true;
    if ((left -= 1) === 0) break;
  }
  return false;
}
