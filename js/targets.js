import { ask } from './ask.js';
import { discard } from './body.js';
import { Chain } from './chain.js';
import { addFault } from './faults.js';
import { blockOf, fieldsOf, isIterator } from './headers.js';
import { historyOf } from './history.js';
import { forOneCall, handleOf, holding } from './policy.js';
import { copyOf, isRequest, signalOf } from './request.js';
import { resumed } from './resume.js';
import { rewrites, TargetRequest } from './target-request.js';
import { hidingSecrets, targetsOf, targetsWith } from './target.js';

/** @import { ConfigFault, FetchCallOptions, FetchOptions, RetryingFetch } from './types.d.ts' */
/** @typedef {import('./policy.js').RetryPolicy} RetryPolicy */
/** @typedef {import('./request.js').Input} Input */

/**
 * A target that is an endpoint.
 *
 * @typedef {import('./target.js').Target & {
 *   url: string | ((url: URL) => string | URL | null | undefined) | undefined,
 *   headers: readonly [string, string][],
 *   body: ((json: any) => unknown) | undefined,
 * }} EndpointTarget
 * @typedef {import('./target.js').TargetSet<EndpointTarget>} Endpoints
 */

/**
 * What calls one target.
 *
 * @typedef {object} One
 * @property {(policy: RetryPolicy) => RetryingFetch} fetchUnder A fetch of its own.
 * @property {(policy: RetryPolicy, input: Input, init: RequestInit | undefined, earlier?: import('./earlier.js').Earlier) => Promise<Response>} carefully One call.
 */

/**
 * A fetch over targets.
 *
 * @param {One} one
 * @param {RetryPolicy | undefined} base
 * @param {FetchOptions} options With targets.
 * @returns {RetryingFetch}
 */
export function fetchAcross(one, base, { targets, ...shared }) {
  /** @type {ConfigFault[]} */
  const faults = [];
  return across(one, readied(targetsOf(base, shared, targets, faults, ({ url, headers, body, ...policy }, at) => {
    if (typeof url === 'string' ? !URL.canParse(url) : url !== undefined && typeof url !== 'function') {
      addFault(faults, `${at}.url`, url, 'type', 'an absolute URL, or a function of a URL');
    } else if (typeof url === 'string' && hasLogin(url)) addFault(faults, `${at}.url`, 'not shown', 'range', 'one without user and password, which go in headers');
    if (headers !== undefined && (typeof headers !== 'object' || headers === null)) addFault(faults, `${at}.headers`, 'not shown', 'type', 'headers as fetch takes them');
    if (body !== undefined && typeof body !== 'function') addFault(faults, `${at}.body`, body, 'type', 'a function of the parsed body');
    return { own: { url, headers: Object.freeze(fieldsOf(headers)), body }, policy };
  }, true)));
}

/**
 * The targets with policies that are ready for calls.
 *
 * @param {Endpoints} given
 * @returns {Endpoints}
 */
function readied(given) {
  const set = hidingSecrets(given, ({ url, headers, policy }) => {
    return ask(() => handleOf(policy).secrets(typeof url === 'string' ? url : '', blockOf(headers)));
  });
  // A stream that fails before its output may be another target's.
  if (set.targets.length > 1) for (const { policy } of set.targets) holding(policy);
  return set;
}

/** @param {string} url */
function hasLogin(url) {
  const { username, password } = new URL(url);
  return username !== '' || password !== '';
}

/**
 * @param {One} one
 * @param {Endpoints} set
 * @returns {RetryingFetch}
 */
function across(one, set) {
  const [target] = /** @type {[EndpointTarget]} */ (set.targets);
  const first = rewrites(target) ? undefined : one.fetchUnder(target.policy);

  /**
   * @param {Input} input
   * @param {RequestInit} [init]
   * @param {FetchCallOptions} [changes]
   * @returns {Promise<Response>}
   */
  async function dacapo(input, init, changes) {
    if (changes === undefined) return send(one, set, input, init, first);
    const { resume, ...own } = changes;
    const { shared, targets, ...changed } = targetsWith(set, own);
    const ofOneCall = (/** @type {RetryPolicy} */ policy) => forOneCall(policy, own.policy);
    const its = readied({ ...changed, shared: ofOneCall(shared), targets: targets.map((target) => ({ ...target, policy: ofOneCall(target.policy) })) });
    return send(one, its, input, init, undefined, resumed(resume, /** @type {EndpointTarget} */ (its.targets[0]).policy));
  }

  return Object.assign(dacapo, {
    /** @param {FetchOptions} changes */
    with: (changes) => (changes?.targets === undefined ? across(one, readied(targetsWith(set, changes))) : fetchAcross(one, set.shared, changes)),
    policy: set.shared,
  });
}

/**
 * @param {One} one
 * @param {Endpoints} set
 * @param {Input} input
 * @param {RequestInit | undefined} init
 * @param {RetryingFetch} [first] What calls the first target, if that gets the request as it is.
 * @param {import('./earlier.js').Earlier} [before] What was before, where the call was deferred.
 */
async function send(one, set, input, init, first, before) {
  const own = init === undefined ? undefined : copyOf(init);
  if (isIterator(own?.headers)) own.headers = [...own.headers];
  const signal = signalOf(input, own);
  const given = isRequest(input) ? input : String(input);
  const [asked] = /** @type {[EndpointTarget]} */ (set.targets);
  const request = new TargetRequest(given, own, set.targets);
  const chain = new Chain(set, signal);
  try {
    for (;;) {
      const { target, policy, earlier = before } = chain.turn(() => request.secrets);
      let response;
      try {
        if (first !== undefined && target === asked) response = await first(input, own);
        else {
          const prepared = await chain.prepared(() => request.for(target));
          // Only the first is called without having been asked about: the request is sent as it was made.
          if (prepared === undefined) chain.end();
          const [url, sent] = prepared ?? [given, own];
          response = await one.carefully(prepared ? holding(request.policyFor(target, policy)) : policy, url, sent, earlier);
        }
        if (historyOf(response)?.mark === undefined) return response;
      } catch (error) {
        if (await fellOver(chain, request, signal, error)) continue;
        throw error;
      }
      let isOurs = true;
      try {
        isOurs = await fellOver(chain, request, signal, response);
      } finally {
        if (isOurs) discard(response);
      }
      if (!isOurs) return response;
    }
  } finally {
    request.release();
  }
}

/**
 * Whether the next target is to be asked: not without a body to send it.
 *
 * @param {Chain} chain
 * @param {TargetRequest} request
 * @param {AbortSignal | undefined} signal
 * @param {unknown} failure
 */
async function fellOver(chain, request, signal, failure) {
  const { next } = chain;
  if (next !== undefined && !(await request.isFit(next, signal))) return false;
  return chain.fellOver(failure, signal, (target) => chain.prepared(async () => request.addressOf(target) !== undefined));
}
