import { ask } from './ask.js';
import { currentGeneration } from './engine.js';
import { configError, ELLIPSIS, read, show } from './errors.js';
import { originOf } from './keys.js';
import { isStore } from './store.js';
import { isPlain } from './thrown.js';

/** So many keys are kept; when there are more, so many go at once. */
const MOST = 1024;
const SHED = 256;

/** So many keys an error lists. */
const LISTED = 5;

/** Of what is exported. */
const VERSION = 1;

/** @typedef {{ readonly mono: () => number, readonly wall: () => number }} Clocks */
/** @typedef {import('../pkg/dacapo.js').BreakerHandle} BreakerHandle */
/** @typedef {import('../pkg/dacapo.js').BudgetHandle} BudgetHandle */

let uses = 0;

/**
 * What is kept for one key.
 *
 * @abstract
 * @template {BreakerHandle | BudgetHandle} H
 */
export class Cell {
  /** @type {H | undefined} */
  #handle = undefined;
  #generation = 0;
  /** Whether it is still that of its key. */
  isKept = true;
  /** Larger for one that was used later. */
  used = ++uses;

  /**
   * @param {Cells<any>} cells
   * @param {string} key
   */
  constructor(cells, key) {
    this.cells = cells;
    this.key = key;
  }

  /** The engine's state. One that broke down took it along, and a fresh one takes its place. */
  get handle() {
    if (this.#handle === undefined || this.#generation !== currentGeneration()) {
      this.#handle = ask(() => this.fresh());
      this.#generation = currentGeneration();
      this.begun(this.#handle);
    }
    return this.#handle;
  }

  /**
   * A state in which nothing has happened.
   *
   * @abstract
   * @returns {H}
   */
  fresh() {
    throw new Error();
  }

  /**
   * Its state is a fresh one.
   *
   * @param {H} _handle
   */
  begun(_handle) {}

  /** Something may have happened to its state. */
  noticed() {}

  /** Its state was replaced by what others made of it. */
  changed() {}

  /** What a store is to share of it. */
  get source() {
    return {
      handle: () => this.handle,
      make: () => this.fresh(),
      mono: () => this.cells.clocks.mono(),
      wall: () => this.cells.clocks.wall(),
      adopted: () => this.changed(),
    };
  }

  /** What would be lost with it: 0 for nothing, infinite for what must not be lost. */
  get worth() {
    return 0;
  }

  touch() {
    this.used = ++uses;
  }
}

/**
 * The cells of a breaker or a budget, one for each key.
 *
 * @template {Cell<any>} C
 */
export class Cells {
  /** @type {Map<string, C>} */
  #cells = new Map();
  #make;
  /** When there are so many, some go. */
  #most = MOST;
  /** @type {Clocks} Where a policy has a clock of its own, its states live by that. */
  clocks = { mono: () => performance.now(), wall: () => Date.now() };

  /** @param {(key: string) => C} make */
  constructor(make) {
    this.#make = make;
  }

  get keys() {
    return [...this.#cells.keys()];
  }

  get all() {
    return [...this.#cells.values()];
  }

  /** @param {string} key */
  find(key) {
    return this.#cells.get(key);
  }

  /**
   * @param {string} key
   * @returns {C}
   */
  of(key) {
    const found = this.#cells.get(key);
    if (found !== undefined) return found;
    if (this.#cells.size >= this.#most) this.#shed();
    const cell = this.#make(key);
    this.#cells.set(key, cell);
    return cell;
  }

  /** Lets go of those that are no loss, and of the ones that nobody has used for long. */
  #shed() {
    const ranked = [...this.#cells.values()].map((cell) => ({ cell, worth: cell.worth }));
    ranked.sort((a, b) => a.worth - b.worth || a.cell.used - b.cell.used);
    for (const { cell, worth } of ranked.slice(0, SHED)) {
      if (worth === Infinity) break;
      cell.isKept = false;
      this.#cells.delete(cell.key);
    }
    // Where most have to stay, ranking them for each new key would be too much.
    this.#most = Math.max(MOST, this.#cells.size + SHED);
  }

  /** @returns {import('./types.d.ts').SavedStates} */
  export() {
    const mono = this.clocks.mono();
    const states = [...this.#cells.values()].map((cell) => [cell.key, JSON.parse(ask(() => cell.handle.export(mono)))]);
    return { version: VERSION, at: Math.round(this.clocks.wall()), keys: Object.fromEntries(states) };
  }

  /**
   * Takes over the states of an export, all or none. Those of other keys stay.
   *
   * @param {unknown} saved
   * @param {string} name Of the class, for the error.
   */
  import(saved, name) {
    const texts = read(saved, 'version') === VERSION ? textsOf(read(saved, 'keys')) : undefined;
    const at = read(saved, 'at');
    if (texts === undefined || !Number.isFinite(at)) throw configError(`${name}: import was given ${show(saved)}, must be what export gave`);
    const mono = this.clocks.mono();
    // A wall clock that was set back makes no state younger than it is.
    const ageMs = Math.max(0, this.clocks.wall() - at);
    for (const [key, text] of texts) {
      const isState = ask(() => {
        const scratch = this.#make(key).fresh();
        const could = scratch.import(text, mono, ageMs);
        scratch.free();
        return could;
      });
      if (!isState) throw configError(`${name}: import was given ${text === '' ? 'no state' : show(JSON.parse(text))} for ${show(key)}, must be what export gave`);
    }
    for (const [key, text] of texts) {
      const cell = this.of(key);
      ask(() => cell.handle.import(text, mono, ageMs));
      cell.noticed();
    }
  }
}

/**
 * The states that were exported, as JSON by their keys; `undefined` for what is no such record.
 *
 * @param {any} keys
 * @returns {[key: string, text: string][] | undefined}
 */
function textsOf(keys) {
  try {
    if (typeof keys !== 'object' || keys === null || !isPlain(keys)) return undefined;
    return Object.entries(keys).map(([key, state]) => [key, JSON.stringify(state) ?? '']);
  } catch {
    // A cycle, a BigInt, or a getter that throws.
    return undefined;
  }
}

/**
 * The key that a method is about: without one the only one there is, and for a URL its origin
 * where calls are told apart by that.
 *
 * @param {unknown} key
 * @param {import('./keys.js').KeyOption} option
 * @param {Cells<any>} cells
 * @returns {string}
 */
export function keyGiven(key, option, cells) {
  if (typeof key === 'string') {
    const mayBeUrl = option === undefined && key.includes('://') && cells.find(key) === undefined;
    return mayBeUrl ? originOf(key) : key;
  }
  if (key !== undefined) throw configError(`the key is ${show(key)}, must be a text`);
  if (typeof option === 'string') return option;
  const { keys } = cells;
  if (keys.length < 2) return keys[0] ?? '';
  const listed = keys.slice(0, LISTED).map(show).join(', ');
  throw configError(`no key was given where ${keys.length} are kept, must be one of ${listed}${keys.length > LISTED ? `, ${ELLIPSIS}` : ''}`);
}

/**
 * Options of a class of ours.
 *
 * @param {unknown} options
 * @param {string} name
 * @returns {any}
 */
export function optionsGiven(options, name) {
  if (options === undefined) return {};
  if (typeof options === 'object' && options !== null && isPlain(options)) return options;
  throw configError(`${name}: the options are ${show(options)}, must be an object`);
}

/**
 * What is wrong with a store, which the engine only knows to be an object.
 *
 * @param {'breaker' | 'budget'} name
 * @param {any} options
 * @returns {import('./types.d.ts').ConfigFault[]}
 */
export function storeFaults(name, { store }) {
  if (typeof store !== 'object' || store === null || isStore(store)) return [];
  return [Object.freeze({ option: `${name}.store`, code: 'type', value: show(store), allowed: 'an object with the functions read and compareAndSet' })];
}
