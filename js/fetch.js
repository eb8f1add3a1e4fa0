import { FetchCall } from './attempt.js';
import { configError } from './errors.js';
import { isIterator } from './headers.js';
import { cancelledUnsent, historiesSoFar } from './history.js';
import { forOneCall, policyOf, settingsOf } from './policy.js';
import { copyOf, isRequest, platformFetch, refusesRedirects, signalOf } from './request.js';
import { LOOK, lookAt } from './response.js';
import { resumed } from './resume.js';
import { fetchAcross } from './targets.js';

/** @import { FetchCallOptions, FetchOptions, RetryingFetch } from './types.d.ts' */
/** @typedef {import('./policy.js').RetryPolicy} RetryPolicy */
/** @typedef {import('./request.js').Input} Input */

/**
 * @param {FetchOptions} [options]
 * @returns {RetryingFetch}
 */
export function createFetch(options) {
  if (typeof options === 'string' || options instanceof URL || isRequest(options)) {
    throw configError('createFetch makes a fetch, and was called as if it were one: give what createFetch() returns');
  }
  return options?.targets === undefined ? fetchUnder(policyOf(options)) : fetchAcross(ONE, undefined, options);
}

/**
 * @param {RetryPolicy} policy
 * @returns {RetryingFetch}
 */
function fetchUnder(policy) {
  const settings = settingsOf(policy);
  const { given, guards, limitMs, mono, redirects } = settings;
  // Nothing has to be prepared for an attempt under such a policy.
  const plain = limitMs < 0 && !(settings.hedgeAfterMs > 0) && !given.idempotencyKey && given.retryCountHeader === undefined;

  /**
   * @param {Input} input
   * @param {RequestInit} [init]
   * @param {FetchCallOptions} [changes]
   * @returns {Promise<Response>}
   */
  function dacapo(input, init, changes) {
    // What returns a promise never throws.
    try {
      if (changes !== undefined) return changed(policy, changes, input, init);
      if (plain && init?.signal == null && !isIterator(init?.headers) && !isRequest(input)) {
        return guards === undefined ? plainly(input, init) : guardedly(policy, guards, input, init);
      }
      return carefully(policy, input, init);
    } catch (error) {
      return Promise.reject(error);
    }
  }

  /**
   * The happy path: nothing is prepared, and nothing is left to clean up.
   *
   * @param {string | URL} input
   * @param {RequestInit | undefined} init
   * @returns {Promise<Response>}
   */
  function plainly(input, init) {
    const started = mono();
    const before = historiesSoFar();
    const refuses = refusesRedirects(redirects, input, init);
    // As it is now: the caller may change what it gave while the call runs.
    const target = typeof input === 'string' ? input : String(input);
    const sent = init || refuses ? copyOf(init) : undefined;
    if (refuses) sent.redirect = 'manual';
    /** @param {unknown} error */
    const threw = (error) => new FetchCall(policy, undefined, started, target, sent, refuses, before).threw(error);
    let sending;
    try {
      const send = given.fetch ?? platformFetch();
      sending = Promise.resolve(send(input, refuses ? sent : init));
    } catch (error) {
      return threw(error);
    }
    // An async function would cost a call that succeeds another promise.
    return sending.then((response) => {
      const look = lookAt(response, settings, target, sent);
      return look === LOOK.none ? response : new FetchCall(policy, undefined, started, target, sent, refuses, before).received(response, look);
    }, threw);
  }

  return Object.assign(dacapo, {
    /** @param {FetchOptions} changes */
    with: (changes) => (changes?.targets === undefined ? fetchUnder(policy.with(changes)) : fetchAcross(ONE, policy, changes)),
    policy,
  });
}

/** How one target is called. */
const ONE = Object.freeze({ fetchUnder, carefully });

/**
 * The happy path under a breaker or a budget.
 *
 * @param {RetryPolicy} policy
 * @param {import('./guard.js').Guards} guards
 * @param {string | URL} input
 * @param {RequestInit | undefined} init
 * @returns {Promise<Response>}
 */
async function guardedly(policy, guards, input, init) {
  const settings = settingsOf(policy);
  const started = settings.mono();
  const before = historiesSoFar();
  const refuses = refusesRedirects(settings.redirects, input, init);
  const target = typeof input === 'string' ? input : String(input);
  const sent = init || refuses ? copyOf(init) : undefined;
  if (refuses) sent.redirect = 'manual';
  const call = () => new FetchCall(policy, undefined, started, target, sent, refuses, before);
  const guard = guards.of(target);
  const answer = guard.admit(started);
  const token = typeof answer === 'number' ? answer : await answer;
  if (token < 0) throw call().refusal(guard, token);
  let response;
  try {
    const send = settings.given.fetch ?? platformFetch();
    response = await send(input, refuses ? sent : init);
  } catch (error) {
    return call().admitted(guard, token).threw(error);
  }
  let look;
  try {
    look = lookAt(response, settings, target, sent);
  } catch (error) {
    guard.released(token);
    throw error;
  }
  if (look !== LOOK.none) return call().admitted(guard, token).received(response, look);
  guard.succeeded(token, started);
  return response;
}

/**
 * A call with options of its own.
 *
 * @param {RetryPolicy} policy
 * @param {FetchCallOptions} changes
 * @param {Input} input
 * @param {RequestInit | undefined} init
 */
function changed(policy, changes, input, init) {
  if (changes?.resume === undefined) return fetchUnder(forOneCall(policy.with(changes), policy))(input, init);
  const { resume, ...own } = changes;
  const its = forOneCall(policy.with(own), policy);
  return carefully(its, input, init, resumed(resume, its));
}

/**
 * Any other call: one with a signal, a limit, a Request, or headers of ours.
 *
 * @param {RetryPolicy} policy
 * @param {Input} input
 * @param {RequestInit | undefined} init
 * @param {import('./earlier.js').Earlier} [earlier] What was before, where the call was deferred.
 */
function carefully(policy, input, init, earlier) {
  const signal = signalOf(input, init);
  if (signal?.aborted) return Promise.reject(cancelledUnsent(signal, earlier));
  const settings = settingsOf(policy);
  const target = isRequest(input) ? input : String(input);
  const own = init === undefined ? undefined : copyOf(init);
  // An iterator gives its headers once, and an attempt is not the last to want them.
  if (isIterator(own?.headers)) own.headers = [...own.headers];
  const refuses = refusesRedirects(settings.redirects, target, own);
  const call = new FetchCall(policy, signal, settings.mono(), target, own, refuses);
  call.earlier = earlier;
  return call.first();
}
