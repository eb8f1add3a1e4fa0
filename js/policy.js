import { ask } from './ask.js';
import { currentGeneration } from './engine.js';
import { configError, optionsError, show } from './errors.js';
import { deepFreeze } from './history.js';

/** @import { ConfigFault, Explanation, FetchOptions, PolicyOptions } from './types.d.ts' */
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
 * @property {() => number} mono
 * @property {() => number} wall
 */

/** A validated, immutable set of options; the contract is in types.d.ts. */
export class RetryPolicy {
  /** @type {FetchOptions} */
  #given;
  /** @type {PolicyHandle} */
  #handle;
  #generation = 0;
  /** @type {Settings} */
  #settings;
  /** @type {Readonly<Record<string, unknown>> | undefined} */
  #options;

  /** @param {FetchOptions} [options] */
  constructor(options = {}) {
    if (typeof options !== 'object' || options === null || Array.isArray(options)) {
      throw configError(`invalid retry options: they are ${show(options)}, must be an object`);
    }
    const { policy, ...own } = options;
    this.#given = ownCopy(policy === undefined ? own : { ...givenBy(policy), ...own });
    this.#handle = validated(this.#given);
    this.#generation = currentGeneration();
    this.#settings = settings(this.#given, this.#handle);
  }

  /** @param {FetchOptions} options */
  with(options) {
    return new RetryPolicy(merged(this.#given, options));
  }

  /** @type {Readonly<Record<string, unknown>>} */
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
    if (policy.#generation !== currentGeneration()) {
      policy.#handle = ask(({ PolicyHandle }) => new PolicyHandle(policy.#given));
      policy.#generation = currentGeneration();
    }
    return policy.#handle;
  }

  /** @param {RetryPolicy} policy */
  static given(policy) {
    return policy.#given;
  }
}

export const { settings: settingsOf, handle: handleOf, given: givenOf } = RetryPolicy;

/**
 * The options with lists and plain objects of their own, so that nothing changes them later.
 *
 * @template T
 * @param {T} value
 * @returns {T}
 */
function ownCopy(value) {
  if (Array.isArray(value)) return /** @type {T} */ (Object.freeze(value.map(ownCopy)));
  if (typeof value !== 'object' || value === null || Object.getPrototypeOf(value) !== Object.prototype) return value;
  /** @type {any} */
  const copy = {};
  for (const name of Object.keys(value)) {
    const inner = /** @type {any} */ (value)[name];
    // A clock is a thing with a state, and its functions want it as their receiver.
    copy[name] = name === 'clock' ? inner : ownCopy(inner);
  }
  return Object.freeze(copy);
}

/** @param {unknown} policy */
function givenBy(policy) {
  if (policy instanceof RetryPolicy) return givenOf(policy);
  throw configError(`invalid retry options: policy is ${show(policy)}, must be a RetryPolicy`);
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
  const { policy, ...own } = later;
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
  return all;
}

/**
 * @param {FetchOptions} given
 * @returns {PolicyHandle}
 */
function validated(given) {
  try {
    return ask(({ PolicyHandle }) => new PolicyHandle(given));
  } catch (faults) {
    if (!Array.isArray(faults)) throw faults;
    throw faulty(given, faults);
  }
}

/**
 * @param {FetchOptions} given
 * @param {[option: string, code: string, allowed: string][]} found
 */
function faulty(given, found) {
  /** @type {ConfigFault[]} */
  const faults = found.map(([option, code, allowed]) => {
    // What the caller calls secret is not shown, not even when it is no list; nor what is no
    // option of ours: it may be a key meant for somebody else.
    const shown = option.startsWith('redact') || code === 'unknown_option' ? 'not shown' : show(valueAt(given, option));
    const value = isCalledSecret(given, shown) ? 'not shown' : shown;
    return Object.freeze({ option, code, value, allowed });
  });
  return optionsError(faults);
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

/**
 * @param {FetchOptions} given
 * @param {PolicyHandle} handle
 * @returns {Settings}
 */
function settings(given, handle) {
  const [
    maxAttempts, limitMs, limitIsDeadline, timeoutMs, deadlineMs, coversResponse, redirects, inspectOk, expectJson,
    snapshotBody, inspectBytes, errorBytes, maxReplayBytes, openingBytes, holdOpeningMs, idleTimeoutMs, firstOutputTimeoutMs,
  ] = /** @type {Iterable<any>} */ (ask(() => handle.numbers()));
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
    readsUsage,
    mono,
    wall: now,
  });
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
    if (policy === undefined && Object.keys(own).length === 0) return (defaults ??= new RetryPolicy());
  }
  return new RetryPolicy(options);
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
