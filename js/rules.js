import { ask } from './ask.js';
import { currentGeneration } from './engine.js';
import { optionsError, show } from './errors.js';
import { isPlain } from './thrown.js';

/** @import { ConfigFault } from './types.d.ts' */
/** @typedef {import('../pkg/dacapo.js').PolicyHandle} PolicyHandle */

/** Options that the engine has found valid, as it holds them. */
export class Rules {
  #options;
  /** @type {PolicyHandle} */
  #handle;
  #generation;

  /**
   * @param {object} options
   * @param {ConfigFault[]} [faults] What was found wrong with them before.
   */
  constructor(options, faults = []) {
    this.#options = options;
    this.#handle = validated(options, faults);
    this.#generation = currentGeneration();
  }

  /** Made again when the instance that held it is gone. */
  get handle() {
    if (this.#generation !== currentGeneration()) {
      this.#handle = ask(({ PolicyHandle }) => new PolicyHandle(this.#options));
      this.#generation = currentGeneration();
    }
    return this.#handle;
  }
}

/**
 * The options with lists and plain objects of their own, so that nothing changes them later.
 *
 * @template T
 * @param {T} value
 * @returns {T}
 */
export function ownCopy(value) {
  if (Array.isArray(value)) return /** @type {T} */ (Object.freeze(value.map(ownCopy)));
  if (!isPlain(value)) return value;
  /** @type {any} */
  const copy = {};
  for (const name of Object.keys(/** @type {object} */ (value))) {
    const inner = /** @type {any} */ (value)[name];
    // A clock or a store is a thing with a state, and its functions want it as their receiver.
    copy[name] = name === 'clock' || name === 'store' ? inner : ownCopy(inner);
  }
  return Object.freeze(copy);
}

/**
 * @param {object} options
 * @param {ConfigFault[]} faults
 * @returns {PolicyHandle}
 */
function validated(options, faults) {
  let handle;
  let found;
  try {
    handle = ask(({ PolicyHandle }) => new PolicyHandle(options));
  } catch (thrown) {
    if (!Array.isArray(thrown)) throw thrown;
    found = thrown;
  }
  if (handle !== undefined && faults.length === 0) return handle;
  throw optionsError([...faults, ...(found === undefined ? [] : faultsOf(options, found))]);
}

/**
 * @param {object} given
 * @param {[option: string, code: string, allowed: string][]} found
 * @returns {ConfigFault[]}
 */
function faultsOf(given, found) {
  return found.map(([option, code, allowed]) => {
    // What the caller calls secret is not shown, not even when it is no list; nor what is no
    // option of ours: it may be a key meant for somebody else.
    const shown = option.startsWith('redact') || code === 'unknown_option' ? 'not shown' : show(valueAt(given, option));
    const value = isCalledSecret(given, shown) ? 'not shown' : shown;
    return Object.freeze({ option, code, value, allowed });
  });
}

/**
 * @param {any} given
 * @param {string} text
 */
function isCalledSecret(given, text) {
  const values = valueAt(given, 'redact.values');
  return Array.isArray(values) && values.some((value) => typeof value === 'string' && value.trim() !== '' && text.includes(value.trim()));
}

/**
 * @param {any} given
 * @param {string} path
 */
function valueAt(given, path) {
  try {
    return Object.hasOwn(given, path) ? given[path] : path.split('.').reduce((value, name) => value?.[name], given);
  } catch {
    return undefined;
  }
}
