import { ask } from './ask.js';
import { CircuitBreaker } from './breaker.js';
import { RetryBudget } from './budget.js';
import { storeFaults } from './cells.js';
import { show } from './errors.js';
import { Guards } from './guard.js';
import { isPlain } from './thrown.js';

/** @import { ConfigFault, FetchOptions } from './types.d.ts' */
/** @typedef {import('./rules.js').Rules} Rules */

/** The options that stand for something which outlives a call, and its class. */
export const CLASSES = Object.freeze({ breaker: CircuitBreaker, budget: RetryBudget });
const NAMES = /** @type {const} */ (['breaker', 'budget']);

/** What an object of options stands for: the same one for the same object. @type {Record<'breaker' | 'budget', WeakMap<object, any>>} */
const made = { breaker: new WeakMap(), budget: new WeakMap() };

/** The options that nobody gave: a preset did. @type {WeakSet<object>} */
const presets = new WeakSet();

/** What presets ask for in policies that are made for one call: one for all such calls. @type {{ breaker?: CircuitBreaker, budget?: RetryBudget }} */
const common = {};

/**
 * The options with an object in place of `true`, so that it can be told what that stands for.
 *
 * @param {FetchOptions} given
 * @returns {any}
 */
export function named(given) {
  if (given.breaker !== true && given.budget !== true) return given;
  const on = (/** @type {unknown} */ value) => (value === true ? {} : value);
  return { ...given, breaker: on(given.breaker), budget: on(given.budget) };
}

/**
 * The options as the engine reads them, which knows no classes of ours.
 *
 * @param {any} given
 * @returns {FetchOptions}
 */
export function withoutClasses(given) {
  const { breaker, budget } = given;
  const isPlain = !(breaker instanceof CircuitBreaker) && !(budget instanceof RetryBudget);
  if (isPlain) return given;
  return {
    ...given,
    breaker: breaker instanceof CircuitBreaker ? CircuitBreaker.options(breaker) : breaker,
    budget: budget instanceof RetryBudget ? RetryBudget.options(budget) : budget,
  };
}

/**
 * What is wrong with them that the engine does not see.
 *
 * @param {any} given
 * @returns {ConfigFault[]}
 */
export function lastingFaults(given) {
  return NAMES.flatMap((name) => {
    const value = given[name];
    if (typeof value !== 'object' || value === null || Array.isArray(value) || value instanceof CLASSES[name]) return [];
    if (isPlain(value)) return storeFaults(name, value);
    return [Object.freeze({ option: name, code: 'type', value: shownClass(value), allowed: `true, false, an object of options or a ${CLASSES[name].name}` })];
  });
}

/**
 * What an object is that is no plain one: mostly it shows nothing of itself.
 *
 * @param {object} value
 */
function shownClass(value) {
  const own = Object.values(CLASSES).find((Class) => value instanceof Class);
  return own === undefined ? show(value) : `a ${own.name}`;
}

/** What outlives the calls of a policy. */
export class Lasting {
  /** @type {CircuitBreaker | undefined} */
  breaker;
  /** @type {RetryBudget | undefined} */
  budget;
  /** @type {('breaker' | 'budget')[]} What was made for this policy alone, and nobody else can come to hold. */
  own = [];

  /**
   * @param {any} given The options as they were given,
   * @param {any} all with objects in place of `true`,
   * @param {any} copy and the policy's own copy of that.
   * @param {Rules} rules
   * @param {Record<'breaker' | 'budget', boolean>} isOn
   */
  constructor(given, all, copy, rules, isOn) {
    this.given = copy;
    for (const name of NAMES) {
      if (isOn[name]) this[name] = this.#keeper(name, all[name], copy[name], rules, given[name] === true);
    }
  }

  /**
   * @param {'breaker' | 'budget'} name
   * @param {any} given
   * @param {any} copy
   * @param {Rules} rules
   * @param {boolean} isOwn
   * @returns {any}
   */
  #keeper(name, given, copy, rules, isOwn) {
    const Class = CLASSES[name];
    if (copy instanceof Class) return copy;
    if (copy === undefined) {
      const on = Object.freeze({});
      presets.add(on);
      this.given = Object.freeze({ ...this.given, [name]: on });
      return this.#keeper(name, on, on, rules, true);
    }
    const known = made[name].get(given);
    if (isOwn) this.own.push(name);
    const keeper = known ?? new Class(copy, rules);
    made[name].set(given, keeper).set(copy, keeper);
    return keeper;
  }

  /**
   * What the calls are asked by.
   *
   * @param {() => number} mono
   * @param {() => number} wall
   * @param {boolean} hasClock Whether these are of a clock of the caller's.
   * @param {Rules} rules
   */
  guards(mono, wall, hasClock, rules) {
    const { breaker, budget } = this;
    if (breaker === undefined && budget === undefined) return undefined;
    const breakers = breaker && { cells: CircuitBreaker.cells(breaker), key: CircuitBreaker.options(breaker).key };
    const budgets = budget && { cells: RetryBudget.cells(budget), key: RetryBudget.options(budget).key };
    if (hasClock) for (const kept of [breakers, budgets]) if (kept) kept.cells.clocks = { mono, wall };
    return new Guards(breakers, budgets, mono, (url) => ask(() => rules.handle.withoutCredentials(url, ''))[0] ?? '');
  }
}

/**
 * What calls have in common whose policies are made for one call each, and whose presets ask
 * for it.
 *
 * @param {any} given
 * @param {readonly ('breaker' | 'budget')[]} own
 * @returns {FetchOptions}
 */
export function inCommon(given, own) {
  /** @type {any} */
  const kept = common;
  return Object.fromEntries(own.filter((name) => presets.has(given[name])).map((name) => [name, (kept[name] ??= new CLASSES[name]())]));
}

/**
 * Lets go of what only the preset before had asked for.
 *
 * @param {any} all Changed.
 * @param {any} changes
 * @param {any} earlier
 */
export function dropPresets(all, changes, earlier) {
  if (changes.preset === undefined || changes.preset === earlier.preset) return;
  for (const name of NAMES) if (changes[name] === undefined && presets.has(all[name])) delete all[name];
}
