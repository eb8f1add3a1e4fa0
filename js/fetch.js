import { FetchCall } from './attempt.js';
import { isIterator } from './headers.js';
import { cancelledUnsent } from './history.js';
import { policyOf, settingsOf } from './policy.js';
import { copyOf, isRequest, platformFetch, refusesRedirects, signalOf } from './request.js';
import { LOOK, lookAt } from './response.js';

/** @import { FetchOptions, RetryingFetch } from './types.d.ts' */
/** @typedef {import('./policy.js').RetryPolicy} RetryPolicy */
/** @typedef {import('./request.js').Input} Input */

/**
 * @param {FetchOptions} [options]
 * @returns {RetryingFetch}
 */
export function createFetch(options) {
  return fetchUnder(policyOf(options));
}

/**
 * @param {RetryPolicy} policy
 * @returns {RetryingFetch}
 */
function fetchUnder(policy) {
  const settings = settingsOf(policy);
  const { given, limitMs, mono, redirects } = settings;
  // Nothing has to be prepared for an attempt under such a policy.
  const plain = limitMs < 0 && !given.idempotencyKey && given.retryCountHeader === undefined;

  /**
   * @param {Input} input
   * @param {RequestInit} [init]
   * @param {FetchOptions} [changes]
   * @returns {Promise<Response>}
   */
  function dacapo(input, init, changes) {
    // What returns a promise never throws.
    try {
      if (changes !== undefined) return fetchUnder(policy.with(changes))(input, init);
      if (plain && init?.signal == null && !isIterator(init?.headers) && !isRequest(input)) return plainly(input, init);
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
    const refuses = refusesRedirects(redirects, input, init);
    // As it is now: the caller may change what it gave while the call runs.
    const target = typeof input === 'string' ? input : String(input);
    const sent = init || refuses ? copyOf(init) : undefined;
    if (refuses) sent.redirect = 'manual';
    /** @param {unknown} error */
    const threw = (error) => new FetchCall(policy, undefined, started, target, sent, refuses).threw(error);
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
      return look === LOOK.none ? response : new FetchCall(policy, undefined, started, target, sent, refuses).received(response, look);
    }, threw);
  }

  return Object.assign(dacapo, {
    /** @param {FetchOptions} changes */
    with: (changes) => fetchUnder(policy.with(changes)),
    policy,
  });
}

/**
 * Any other call: one with a signal, a limit, a Request, or headers of ours.
 *
 * @param {RetryPolicy} policy
 * @param {Input} input
 * @param {RequestInit | undefined} init
 */
function carefully(policy, input, init) {
  const signal = signalOf(input, init);
  if (signal?.aborted) return Promise.reject(cancelledUnsent(signal));
  const settings = settingsOf(policy);
  const target = isRequest(input) ? input : String(input);
  const own = init === undefined ? undefined : copyOf(init);
  // An iterator gives its headers once, and an attempt is not the last to want them.
  if (isIterator(own?.headers)) own.headers = [...own.headers];
  const refuses = refusesRedirects(settings.redirects, target, own);
  return new FetchCall(policy, signal, settings.mono(), target, own, refuses).first();
}
