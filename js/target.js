import { CircuitBreaker } from './breaker.js';
import { isRetryError, optionsError } from './errors.js';
import { addFault } from './faults.js';
import { givenBy, givenOf, policyOf, RetryPolicy, settingsOf } from './policy.js';
import { isPlain } from './thrown.js';

/** @import { ConfigFault, FallbackAttempt } from './types.d.ts' */

/**
 * One target of a list.
 *
 * @typedef {object} Target
 * @property {string | undefined} provider
 * @property {string | undefined} model
 * @property {RetryPolicy} policy Its own, with what all targets share.
 */

/**
 * @template {Target} T
 * @typedef {object} TargetSet
 * @property {RetryPolicy} shared
 * @property {readonly T[]} targets
 * @property {WeakMap<object, object[]>} copies What was given for a call, to each target's own of it: the same again for the same object.
 * @property {((entry: FallbackAttempt, context: { signal: AbortSignal | undefined }) => unknown) | undefined} onFallback
 */

/**
 * What a target has beside its name and its policy options, found in what was given for it.
 *
 * @template O
 * @typedef {(options: any, at: string, given: object) => { own: O, policy: any }} Take
 */

/** The options that stand for something which outlives a call. */
const LASTING = /** @type {const} */ (['breaker', 'budget']);

/**
 * The targets that these options are; what is wrong with them is told all at once.
 *
 * @template {object} O
 * @param {RetryPolicy | undefined} base
 * @param {any} options Those of all targets.
 * @param {unknown} list
 * @param {ConfigFault[]} faults Those found before.
 * @param {Take<O>} take
 * @param {boolean} areOrigins Whether calls are told apart by the origins of their URLs.
 * @returns {TargetSet<Target & O>}
 */
export function targetsOf(base, { onFallback, ...options }, list, faults, take, areOrigins) {
  const shared = collected(faults, '', () => (base === undefined ? policyOf(options) : base.with(options))) ?? policyOf(undefined);
  if (onFallback !== undefined && typeof onFallback !== 'function') addFault(faults, 'onFallback', onFallback, 'type', 'a function');
  const given = Array.isArray(list) ? list : [];
  if (given.length === 0) addFault(faults, 'targets', list, 'type', 'a list of at least one target');
  const targets = given.flatMap((target, i) => {
    const at = `targets.${i}`;
    if (typeof target !== 'object' || target === null || Array.isArray(target)) {
      addFault(faults, at, target, 'type', 'an object');
      return [];
    }
    const { provider, model, ...rest } = target;
    for (const [name, value] of Object.entries({ provider, model })) {
      if (value !== undefined && typeof value !== 'string') addFault(faults, `${at}.${name}`, value, 'type', 'a text');
    }
    const { own, policy } = take(rest, at, target);
    const key = areOrigins ? undefined : nameOf({ provider, model }, i);
    const its = collected(faults, `${at}.`, () => policyFor(shared, typeof provider === 'string' ? { ...policy, provider } : policy, key));
    return [{ provider, model, policy: its === undefined ? shared : within(shared, its), ...own }];
  });
  addSharingFault(faults, shared, targets, areOrigins);
  if (faults.length > 0) throw optionsError(faults);
  return { shared, targets, copies: new WeakMap(), onFallback };
}

/**
 * Notes a breaker that would refuse several targets together, given for all of them.
 *
 * @param {ConfigFault[]} faults
 * @param {RetryPolicy} shared
 * @param {readonly any[]} targets
 * @param {boolean} areOrigins
 */
function addSharingFault(faults, shared, targets, areOrigins) {
  const { breaker } = givenOf(shared);
  if (!(breaker instanceof CircuitBreaker)) return;
  const heirs = targets.filter(({ policy }) => givenOf(policy).breaker === breaker);
  if (areOrigins ? !isAtOneKey(breaker, heirs, targets[0]) : heirs.length === 0) return;
  addFault(faults, 'breaker', 'a CircuitBreaker', 'range', 'one for each target (true, an object of options, or one in each target): this one would refuse them all together');
}

/**
 * Whether two of these endpoints are told apart by nothing. Where a function gives the key, or
 * the URL, that is not known before a call.
 *
 * @param {CircuitBreaker} breaker
 * @param {readonly any[]} heirs
 * @param {any} first
 */
function isAtOneKey(breaker, heirs, first) {
  const { key } = CircuitBreaker.options(breaker);
  if (typeof key === 'function') return false;
  if (typeof key === 'string') return heirs.length > 1;
  // One without a URL is sent the request's own, which is the first one's where that is known.
  const urls = heirs.map(({ url }) => url ?? first.url ?? '').filter((url) => typeof url === 'string');
  return new Set(urls.map((url) => (URL.canParse(url) ? new URL(url).origin : ''))).size < urls.length;
}

/**
 * A target's policy. What outlives its calls is its own, unless it was given as an object of
 * its class.
 *
 * @param {RetryPolicy} shared
 * @param {any} options The target's.
 * @param {string | undefined} key What its state is kept under.
 */
function policyFor(shared, options, key) {
  const { policy } = options;
  const inherited = givenOf(shared);
  const own = policy === undefined ? options : { ...givenBy(policy), ...options };
  /** @type {any} */
  const apart = {};
  for (const name of LASTING) apart[name] = apartFrom(own[name] ?? inherited[name], key);
  return shared.with({ ...options, ...apart });
}

/**
 * A target's policy, with the deadline of all where its own is later.
 *
 * @param {RetryPolicy} shared
 * @param {RetryPolicy} policy
 */
function within(shared, policy) {
  const [all, own] = [settingsOf(shared).deadlineMs, settingsOf(policy).deadlineMs];
  return all > 0 && (own === 0 || own > all) ? policy.with({ deadlineMs: all }) : policy;
}

/**
 * The same options for a state of its own.
 *
 * @param {any} value
 * @param {string | undefined} key
 */
function apartFrom(value, key) {
  const options = value === true ? {} : value;
  if (typeof options !== 'object' || options === null || !isPlain(options)) return options;
  return key === undefined ? { ...options } : { ...options, key: typeof options.key === 'string' ? options.key : key };
}

/**
 * The targets under changed options. What outlives their calls stays, unless it was changed.
 *
 * @template {Target} T
 * @param {TargetSet<T>} set
 * @param {any} changes
 * @returns {TargetSet<T>}
 */
export function targetsWith(set, { onFallback = set.onFallback, ...options }) {
  const shared = set.shared.with(options);
  /** @type {ConfigFault[]} */
  const faults = [];
  if (onFallback !== undefined && typeof onFallback !== 'function') addFault(faults, 'onFallback', onFallback, 'type', 'a function');
  const targets = set.targets.map((target, i) => {
    /** @type {any} */
    const apart = {};
    for (const name of LASTING) apart[name] = ownOf(set.copies, options[name], i);
    return { ...target, policy: target.policy.with({ ...options, ...apart }) };
  });
  addSharingFault(faults, shared, targets, true);
  if (faults.length > 0) throw optionsError(faults);
  return { ...set, shared, targets, onFallback };
}

/**
 * What the target of this number has in place of options that were given for all.
 *
 * @param {WeakMap<object, object[]>} copies
 * @param {any} value
 * @param {number} i
 */
function ownOf(copies, value, i) {
  const own = apartFrom(value, undefined);
  if (own === value || value === true) return own;
  const known = copies.get(value) ?? [];
  copies.set(value, known);
  return (known[i] ??= own);
}

/**
 * The targets with policies that hide each other's secrets.
 *
 * @template {Target} T
 * @param {TargetSet<T>} set
 * @param {(target: T) => readonly string[]} [secretsOf]
 * @returns {TargetSet<T>}
 */
export function hidingSecrets(set, secretsOf = () => []) {
  const valuesOf = (/** @type {T} */ { policy }) => givenOf(policy).redact?.values ?? [];
  const values = [...new Set(set.targets.flatMap((target) => [...valuesOf(target), ...secretsOf(target)]))];
  const targets = set.targets.map((target) => {
    if (valuesOf(target).length === values.length) return target;
    return { ...target, policy: target.policy.with({ redact: { ...givenOf(target.policy).redact, values } }) };
  });
  return { ...set, targets };
}

/**
 * What a target is called in a message.
 *
 * @param {Pick<Target, 'provider' | 'model'>} target
 * @param {number} i
 */
export function nameOf({ provider, model }, i) {
  return [provider, model].filter((name) => typeof name === 'string').join('/') || `target ${i + 1}`;
}

/**
 * What `make` makes; the faults of options that it throws are noted under `prefix`.
 *
 * @template T
 * @param {ConfigFault[]} faults
 * @param {string} prefix
 * @param {() => T} make
 * @returns {T | undefined}
 */
export function collected(faults, prefix, make) {
  try {
    return make();
  } catch (error) {
    if (!isRetryError(error) || error.faults === undefined) throw error;
    for (const fault of error.faults) faults.push(Object.freeze({ ...fault, option: prefix + fault.option }));
    return undefined;
  }
}
