import { ignore } from './body.js';
import { namesIn } from './bounded.js';
import { linked, read } from './errors.js';
import { historyOf } from './history.js';

/** @import { RetryLedger } from './types.d.ts' */

/** The members of results and errors that tell of tokens: `src/usage.rs` reads what is in them. */
const TELLING = [
  'usage', 'usageMetadata', 'usage_metadata', 'meta', 'x_groq', 'amazon-bedrock-invocationMetrics', 'details',
  'prompt_eval_count', 'eval_count',
];
/** The members that such members may be in. */
const HOLDING = ['response', 'delta', 'data', 'result', 'message', 'metadata', 'response_metadata', 'llmOutput', 'body', 'error'];

/** How much of a member the engine is shown. */
const MEMBERS = 64;
const DEPTH = 3;

/**
 * Ledgers that a call around their own has counted.
 *
 * @type {WeakSet<RetryLedger>}
 */
const counted = new WeakSet();

/** @typedef {((outcome: unknown) => unknown) | undefined} Extract The caller's own way to find a usage object. */

/** What the chunks of a stream tell of tokens. Such streams count up: the first and the latest that tell say it all. */
export class ToldTokens {
  /** @type {unknown} */
  #first;
  /** @type {unknown} */
  #latest;

  /** @param {Extract} extract */
  constructor(extract) {
    this.extract = extract;
  }

  /** @param {unknown} chunk */
  see(chunk) {
    const told = extracted(chunk, this.extract) ?? toldBy(chunk);
    if (told === undefined) return;
    this.#first ??= told;
    this.#latest = told;
  }

  /** As JSON for the engine. */
  read() {
    return this.#latest === undefined ? undefined : encoded([this.#first, this.#latest]);
  }
}

/**
 * What a failed attempt cost.
 *
 * @typedef {object} Cost
 * @property {Uint8Array} usage
 * @property {boolean} isLowerBound
 */

/**
 * What the result of an operation tells of tokens, as JSON for the engine.
 *
 * @param {unknown} result
 * @param {Extract} extract
 * @returns {Uint8Array | undefined}
 */
export function usageOf(result, extract) {
  const told = extracted(result, extract) ?? toldBy(result);
  return told && encoded(told);
}

/**
 * What an operation's failure cost: the waste of a call inside it, or what the error tells.
 *
 * @param {unknown} error
 * @param {Extract} extract
 * @returns {Cost | undefined}
 */
export function costOf(error, extract) {
  const told = extracted(error, extract);
  if (told !== undefined) return { usage: encoded(told), isLowerBound: false };
  const ledger = historyOf(error)?.retry;
  if (ledger !== undefined) return wasteIn(ledger);
  for (const one of linked(error)) {
    const own = toldBy(one);
    if (own !== undefined) return { usage: encoded(own), isLowerBound: false };
  }
  return undefined;
}

/**
 * @param {RetryLedger} ledger
 * @returns {Cost}
 */
function wasteIn(ledger) {
  // An error that is thrown once more tells of the same waste.
  const isNew = !counted.has(ledger);
  counted.add(ledger);
  const { wastedPromptTokens: prompt, wastedCompletionTokens: completion, wastedTotalTokens: total } = ledger;
  const usage = encoded({ usage: isNew ? { prompt, completion, total } : { prompt: 0, completion: 0, total: 0 } });
  return { usage, isLowerBound: isNew && ledger.wasteIsLowerBound };
}

/**
 * @param {unknown} outcome
 * @param {Extract} extract
 */
function extracted(outcome, extract) {
  if (extract === undefined) return undefined;
  try {
    const told = extract(outcome);
    if (typeof told !== 'object' || told === null) return undefined;
    if (typeof read(told, 'then') === 'function') {
      Promise.resolve(told).catch(ignore);
      return undefined;
    }
    return { usage: numbersIn(told, DEPTH), ...toldBy(told) };
  } catch {
    return undefined;
  }
}

/**
 * The numbers in the members that tell of tokens. What is nearer to the top comes later,
 * and the engine takes the last.
 *
 * @param {unknown} outcome
 * @param {boolean} [isHeld] Whether it is such a member's holder already.
 * @returns {Record<string, unknown> | undefined}
 */
function toldBy(outcome, isHeld = false) {
  if (typeof outcome !== 'object' || outcome === null) return undefined;
  /** @type {Record<string, unknown>} */
  const told = {};
  for (const name of isHeld ? [] : HOLDING) told[name] = toldBy(dataOf(outcome, name), true);
  for (const name of TELLING) told[name] = numbersIn(dataOf(outcome, name), DEPTH);
  // The AI SDK's `usage` is that of the last step, this one that of all.
  told.usage = numbersIn(dataOf(outcome, 'totalUsage'), DEPTH) ?? told.usage;
  return Object.values(told).some((value) => value !== undefined) ? told : undefined;
}

/**
 * @param {unknown} value
 * @param {number} depth
 * @returns {unknown} undefined where there are none.
 */
function numbersIn(value, depth) {
  if (typeof value === 'number') return value;
  if (typeof value !== 'object' || value === null || depth === 0) return undefined;
  /** @type {Record<string, unknown>} */
  const copy = Object.create(null);
  for (const name of namesIn(value, MEMBERS)) {
    const inner = numbersIn(dataOf(value, name), depth - 1);
    if (inner !== undefined) copy[name] = inner;
  }
  return Object.keys(copy).length > 0 ? copy : undefined;
}

/**
 * An object's own member that is data. No getter is run: one may throw, and that of a result
 * that streams begins to read the stream.
 *
 * @param {object} object
 * @param {string | number} name
 * @returns {unknown}
 */
function dataOf(object, name) {
  try {
    return Object.getOwnPropertyDescriptor(object, name)?.value;
  } catch {
    return undefined;
  }
}

/** @param {unknown} told */
function encoded(told) {
  return new TextEncoder().encode(JSON.stringify(told));
}
