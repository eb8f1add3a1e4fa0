import { ask } from './ask.js';
import { configError, optionsError, show } from './errors.js';
import { deepFreeze } from './history.js';
import { CLASSES, dropPresets, inCommon, Lasting, lastingFaults, named, withoutClasses } from './lasting.js';
import { ownCopy, Rules } from './rules.js';
import { isPlain } from './thrown.js';

/** @import { Explanation, FetchOptions, PolicyOptions, ResolvedOptions } from './types.d.ts' */
/** @typedef {import('../pkg/dacapo.js').PolicyHandle} PolicyHandle */

/** Pairs of options of which one replaces the other when a policy is changed. */
const ALTERNATIVES = [['maxAttempts', 'maxRetries'], ['retryStatus', 'nonRetryableStatus']];

/**
 * What the runtime reads of a policy at every call, laid out once.
 *
 * @typedef {object} Settings
 * @property {FetchOptions} given The options as the caller gave them, functions included.
 * @property {boolean} once Only one attempt is possible.
 * @property {number} limitMs How long a first attempt may take; below zero is no limit.
 * @property {boolean} limitIsDeadline
 * @property {number} timeoutMs
 * @property {number} deadlineMs
 * @property {boolean} coversResponse `timeoutCovers: 'response'`
 * @property {number} redirects A number of REDIRECTS.
 * @property {boolean} inspectOk
 * @property {boolean} expectJson
 * @property {boolean} snapshotBody
 * @property {number} inspectBytes
 * @property {number} errorBytes
 * @property {number} maxReplayBytes
 * @property {boolean} holdsOpenings Whether streamed answers are held back.
 * @property {boolean} watchesStreams Whether that has a use also where nothing can be sent again.
 * @property {number} openingBytes
 * @property {number} holdOpeningMs
 * @property {number} idleTimeoutMs
 * @property {number} firstOutputTimeoutMs
 * @property {boolean} readsUsage `usage: true`
 * @property {number} hedgeAfterMs 0 is off.
 * @property {import('./guard.js').Guards | undefined} guards What calls are asked by, with a breaker or a budget.
 * @property {() => number} mono
 * @property {() => number} wall
 */

/** A validated, immutable set of options; the contract is in types.d.ts. */
export class RetryPolicy {
  /** @type {FetchOptions} */
  #given;
  #rules;
  /** @type {Settings} */
  #settings;
  /** @type {readonly ('breaker' | 'budget')[]} What nothing but this policy holds. */
  #own;
  /** @type {ResolvedOptions | undefined} */
  #options;

  /** @param {FetchOptions} [options] */
  constructor(options = {}) {
    if (typeof options !== 'object' || options === null || Array.isArray(options)) {
      throw configError(`invalid retry options: they are ${show(options)}, must be an object`);
    }
    // An object of a class that shows no options: all would silently be the defaults.
    if (!isPlain(options) && Object.keys(options).length === 0) {
      throw configError(`invalid retry options: they are ${classOf(options)}, must be an object of options; { policy } takes a RetryPolicy`);
    }
    const { policy, ...own } = options;
    const given = policy === undefined ? own : { ...givenBy(policy), ...own };
    const all = named(given);
    const copy = ownCopy(all);
    this.#rules = new Rules(withoutClasses(copy), lastingFaults(copy));
    const numbers = ask(() => this.#rules.handle.numbers());
    const lasting = new Lasting(given, all, copy, this.#rules, { breaker: numbers.at(-2) === 1, budget: numbers.at(-1) === 1 });
    this.#given = lasting.given;
    this.#own = lasting.own;
    this.#settings = settings(this.#given, numbers, lasting, this.#rules);
  }

  /** @param {FetchOptions} options */
  with(options) {
    return new RetryPolicy(merged(this.#given, options));
  }

  /** @type {ResolvedOptions} */
  get options() {
    return (this.#options ??= deepFreeze(ask(() => handleOf(this).resolved())));
  }

  /** @param {RetryPolicy} policy */
  static settings(policy) {
    return policy.#settings;
  }

  /**
   * The engine's own policy, made again when the instance that held it is gone.
   *
   * @param {RetryPolicy} policy
   */
  static handle(policy) {
    return policy.#rules.handle;
  }

  /** @param {RetryPolicy} policy */
  static given(policy) {
    return policy.#given;
  }

  /** @param {RetryPolicy} policy */
  static own(policy) {
    return policy.#own;
  }

  /**
   * The policy, which nobody else may hold, with streamed answers held back also where it
   * allows no second attempt.
   *
   * @param {RetryPolicy} policy
   */
  static holding(policy) {
    const { openingBytes, holdOpeningMs } = policy.#settings;
    policy.#settings = Object.freeze({ ...policy.#settings, holdsOpenings: openingBytes > 0 && holdOpeningMs > 0 });
    return policy;
  }
}

export const { settings: settingsOf, handle: handleOf, given: givenOf, own: ownOf, holding } = RetryPolicy;

/** @param {unknown} policy */
export function givenBy(policy) {
  if (policy instanceof RetryPolicy) return givenOf(policy);
  throw configError(`invalid retry options: policy is ${classOf(policy)}, must be a RetryPolicy`);
}

/** @param {unknown} value */
function classOf(value) {
  const text = show(value);
  return text === `a ${RetryPolicy.name}` && !(value instanceof RetryPolicy) ? `${text} of another copy of dacapo` : text;
}

/**
 * Options given later win, one by one.
 *
 * @param {FetchOptions} earlier
 * @param {FetchOptions} later
 * @returns {FetchOptions}
 */
function merged(earlier, later) {
  if (typeof later !== 'object' || later === null) return later;
  const { policy, ...own } = optionsIn(later);
  /** @type {any} */
  const all = { ...earlier };
  for (const [name, value] of Object.entries(policy === undefined ? own : { ...givenBy(policy), ...own })) {
    if (value === undefined) continue;
    for (const pair of ALTERNATIVES) {
      if (pair.includes(name)) for (const other of pair) delete all[other];
    }
    all[name] = value;
  }
  // Both of a pair given at once is a fault that must not vanish in the merge.
  for (const pair of ALTERNATIVES) {
    for (const name of pair) if (/** @type {any} */ (own)[name] !== undefined) all[name] = /** @type {any} */ (own)[name];
  }
  dropPresets(all, own, earlier);
  return all;
}

/**
 * @param {FetchOptions} given
 * @param {ArrayLike<number>} numbers
 * @param {Lasting} lasting
 * @param {Rules} rules
 * @returns {Settings}
 */
function settings(given, numbers, lasting, rules) {
  const [
    maxAttempts, limitMs, limitIsDeadline, timeoutMs, deadlineMs, coversResponse, redirects, inspectOk, expectJson,
    snapshotBody, inspectBytes, errorBytes, maxReplayBytes, openingBytes, holdOpeningMs, idleTimeoutMs, firstOutputTimeoutMs,
    hedgeAfterMs,
  ] = /** @type {Iterable<any>} */ (/** @type {unknown} */ (numbers));
  const once = maxAttempts === 1;
  const readsUsage = given.usage === true;
  const watchesStreams = idleTimeoutMs > 0 || firstOutputTimeoutMs > 0 || readsUsage;
  const { clock } = given;
  const now = clock ? () => clock.now() : () => Date.now();
  // The global is a getter, which costs more than the call.
  const { performance } = globalThis;
  const mono = clock ? () => (clock.mono ? clock.mono() : clock.now()) : () => performance.now();
  return Object.freeze({
    given,
    once,
    limitMs,
    limitIsDeadline: limitIsDeadline === 1,
    timeoutMs,
    deadlineMs,
    coversResponse: coversResponse === 1,
    redirects,
    inspectOk: inspectOk === 1,
    expectJson: expectJson === 1,
    snapshotBody: snapshotBody === 1,
    inspectBytes,
    errorBytes,
    maxReplayBytes,
    holdsOpenings: openingBytes > 0 && holdOpeningMs > 0 && (!once || watchesStreams),
    watchesStreams,
    openingBytes,
    holdOpeningMs,
    idleTimeoutMs,
    firstOutputTimeoutMs,
    hedgeAfterMs: once ? 0 : hedgeAfterMs,
    readsUsage,
    guards: lasting.guards(mono, now, clock !== undefined, rules),
    mono,
    wall: now,
  });
}

/**
 * Options, of which a policy alone may stand in the place.
 *
 * @template T
 * @param {T} given
 * @returns {T}
 */
export function optionsIn(given) {
  return given instanceof RetryPolicy ? /** @type {any} */ ({ policy: given }) : given;
}

/** @type {RetryPolicy | undefined} */
let defaults;

/**
 * The policy that these options are.
 *
 * @param {FetchOptions | RetryPolicy | undefined} options
 * @returns {RetryPolicy}
 */
export function policyOf(options) {
  if (options === undefined) return (defaults ??= new RetryPolicy());
  if (options instanceof RetryPolicy) return options;
  if (typeof options === 'object' && options !== null && !Array.isArray(options)) {
    const { policy, ...own } = options;
    const changes = Object.values(own).some((value) => value !== undefined);
    if (policy instanceof RetryPolicy) return changes ? policy.with(own) : policy;
    if (policy === undefined && isPlain(options) && Object.keys(own).length === 0) return (defaults ??= new RetryPolicy());
  }
  return new RetryPolicy(options);
}

/**
 * The policy of a single call, which holds nothing that would be forgotten with it: what only
 * its preset asks for is one for all such calls.
 *
 * @param {RetryPolicy} policy
 * @param {unknown} given The policy that the call was given, if it was.
 * @returns {RetryPolicy}
 */
export function forOneCall(policy, given) {
  const own = ownOf(policy);
  if (own.length === 0 || policy === given) return policy;
  const common = inCommon(givenOf(policy), own);
  const forgotten = own.filter((name) => common[name] === undefined);
  if (forgotten.length === 0) return policy.with(common);
  throw optionsError(forgotten.map((option) => Object.freeze({
    option,
    code: 'range',
    value: 'on for this call alone, which would forget it at its end',
    allowed: `false, or outlive the call: a ${CLASSES[option].name}, one object of options for all calls, or part of a RetryPolicy`,
  })));
}

/**
 * @param {PolicyOptions | RetryPolicy} [options]
 * @returns {Explanation}
 */
export function explain(options) {
  const policy = policyOf(options);
  return deepFreeze({ .../** @type {Explanation} */ (ask(() => handleOf(policy).explain())), options: policy.options });
}

/**
 * @param {PolicyOptions | RetryPolicy} policy
 * @param {number} n
 * @param {number} unit
 */
export function backoffDelay(policy, n, unit) {
  const most = 0xffffffff;
  if (!Number.isInteger(n) || n < 1 || n > most) {
    throw configError(`backoffDelay: n is ${show(n)}, must be a whole number from 1 to ${most}`);
  }
  if (typeof unit !== 'number' || !(unit >= 0 && unit < 1)) throw configError(`backoffDelay: unit is ${show(unit)}, must be a number in [0, 1)`);
  return ask(() => handleOf(policyOf(policy)).backoff(n, unit));
}
