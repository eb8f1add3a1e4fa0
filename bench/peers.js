// Each contestant, set up as its own documentation says, for the same job: up to three attempts, a 10 ms wait between
// them, retried on the same statuses. A contestant that has no time limit of its own gets the platform's idiom; one that
// retries only what was thrown throws.

import * as smithy from '@smithy/util-retry';
import * as cockatiel from 'cockatiel';
import { backOff } from 'exponential-backoff';
import fetchRetry from 'fetch-retry';
import ky from 'ky';
import pRetry from 'p-retry';
import { fromFetch, VernLLM } from 'vern-llm';
import { createFetch } from '../js/load/inline.js';
import { ATTEMPTS, init, isRetried, RETRIED_LIST, TIMEOUT_MS, url, WAIT_MS } from './world.js';

/**
 * @typedef {object} Job
 * @property {(url: string, init: RequestInit) => Promise<Response>} fetch
 * @property {AbortSignal} [signal] The caller's. With it goes a limit for each attempt.
 * @property {boolean} reads Whether the answer is JSON that is read and looked at.
 */

/** @typedef {(job: Job) => () => PromiseLike<unknown>} Peer */

/** What an operation throws where throwing is the only way to be retried. */
class Refused extends Error {
  /** @param {number} status */
  constructor(status) {
    super(`HTTP ${status}`);
    this.status = status;
  }
}

/** @param {any} data What a provider's answer must not have. */
const failsInBand = (data) => 'error' in data;

/**
 * The call that nobody helps.
 *
 * @type {Peer}
 */
export const bare = ({ fetch, signal, reads }) => {
  const sent = signal ? { ...init, signal } : init;
  return reads ? async () => (await fetch(url, sent)).json() : () => fetch(url, sent);
};

/**
 * One attempt under the caller's signal and a limit, as the platform offers it.
 *
 * @param {Job} job
 */
function attemptOf({ fetch, signal }) {
  if (signal === undefined) return () => fetch(url, init);
  return () => fetch(url, { ...init, signal: AbortSignal.any([signal, AbortSignal.timeout(TIMEOUT_MS)]) });
}

/**
 * An operation that throws what is to be retried.
 *
 * @param {Job} job
 */
function throwing(job) {
  const attempt = attemptOf(job);
  if (!job.reads) {
    return async () => {
      const response = await attempt();
      if (isRetried(response.status)) throw new Refused(response.status);
      return response;
    };
  }
  return async () => {
    const response = await attempt();
    if (isRetried(response.status)) throw new Refused(response.status);
    const data = await response.json();
    if (failsInBand(data)) throw new Refused(response.status);
    return data;
  };
}

/** @type {Peer} */
const handWritten = ({ fetch, signal, reads }) => {
  const sleep = () => new Promise((resolve) => setTimeout(resolve, WAIT_MS));
  if (signal !== undefined) {
    return async () => {
      for (let attempt = 1; ; attempt++) {
        const controller = new AbortController();
        const abort = () => controller.abort(signal.reason);
        signal.addEventListener('abort', abort);
        const timer = setTimeout(() => controller.abort(new DOMException('too slow', 'TimeoutError')), TIMEOUT_MS);
        try {
          const response = await fetch(url, { ...init, signal: controller.signal });
          if (!isRetried(response.status) || attempt === ATTEMPTS) return response;
        } catch (error) {
          if (signal.aborted || attempt === ATTEMPTS) throw error;
        } finally {
          clearTimeout(timer);
          signal.removeEventListener('abort', abort);
        }
        await sleep();
      }
    };
  }
  return async () => {
    for (let attempt = 1; ; attempt++) {
      try {
        const response = await fetch(url, init);
        if (!isRetried(response.status) || attempt === ATTEMPTS) {
          if (!reads) return response;
          const data = await response.json();
          if (!failsInBand(data) || attempt === ATTEMPTS) return data;
        }
      } catch (error) {
        if (attempt === ATTEMPTS) throw error;
      }
      await sleep();
    }
  };
};

/** @type {Peer} */
const fetchRetryPeer = (job) => {
  const options = { retries: ATTEMPTS - 1, retryDelay: WAIT_MS };
  const request = /** @type {any} */ (init);
  if (!job.reads) {
    const attempt = attemptOf(job);
    const retrying = fetchRetry(/** @type {any} */ (job.signal ? attempt : job.fetch), { ...options, retryOn: RETRIED_LIST });
    return () => retrying(url, request);
  }
  const retrying = fetchRetry(/** @type {any} */ (job.fetch), {
    ...options,
    retryOn: async (attempt, error, response) => {
      if (attempt >= ATTEMPTS - 1) return false;
      if (error !== null || response === null || isRetried(response.status)) return true;
      return failsInBand(await response.clone().json());
    },
  });
  return async () => (await retrying(url, request)).json();
};

/** @type {Peer} */
const pRetryPeer = (job) => {
  const operation = throwing(job);
  const options = { retries: ATTEMPTS - 1, minTimeout: WAIT_MS, maxTimeout: WAIT_MS, signal: job.signal };
  return () => pRetry(operation, options);
};

/** @type {Peer} */
const cockatielPeer = ({ fetch, signal, reads }) => {
  const backoff = new cockatiel.ConstantBackoff(WAIT_MS);
  const maxAttempts = ATTEMPTS - 1;
  const { handleAll, retry, timeout, TimeoutStrategy, wrap } = cockatiel;
  if (reads) {
    const policy = retry(handleAll.orWhenResult(failsInBand), { maxAttempts, backoff });
    return () => policy.execute(async () => {
      const response = await fetch(url, init);
      if (isRetried(response.status)) throw new Refused(response.status);
      return response.json();
    });
  }
  const policy = retry(handleAll.orWhenResult((response) => isRetried(/** @type {Response} */ (response).status)), { maxAttempts, backoff });
  if (signal === undefined) return () => policy.execute(() => fetch(url, init));
  const limited = wrap(policy, timeout(TIMEOUT_MS, TimeoutStrategy.Cooperative));
  return () => limited.execute((context) => fetch(url, { ...init, signal: context.signal }), signal);
};

/** @type {Peer} */
const kyPeer = ({ fetch, signal, reads }) => {
  const client = ky.create({
    fetch: /** @type {any} */ (fetch),
    timeout: signal ? TIMEOUT_MS : false,
    retry: { limit: ATTEMPTS - 1, methods: ['post'], statusCodes: RETRIED_LIST, delay: () => WAIT_MS },
  });
  const options = signal ? { ...init, signal } : init;
  if (!reads) return () => client(url, options);
  return async () => {
    const data = await client(url, options).json();
    if (failsInBand(data)) throw new Refused(200);
    return data;
  };
};

/** @type {Peer} */
const exponentialBackoff = (job) => {
  const operation = throwing(job);
  const options = { numOfAttempts: ATTEMPTS, startingDelay: WAIT_MS, timeMultiple: 1 };
  return () => backOff(operation, options);
};

/** @type {Peer} */
const smithyPeer = (job) => {
  const attempt = attemptOf(job);
  const strategy = new smithy.StandardRetryStrategy(ATTEMPTS);
  return async () => {
    let token = await strategy.acquireInitialRetryToken('bench');
    for (;;) {
      const response = await attempt();
      if (!isRetried(response.status)) {
        const data = job.reads ? await response.json() : undefined;
        if (data === undefined || !failsInBand(data)) {
          strategy.recordSuccess(token);
          return job.reads ? data : response;
        }
      }
      token = await strategy.refreshRetryTokenForRetry(token, { errorType: 'TRANSIENT' });
    }
  };
};

/** @type {Peer} */
const vernLlm = ({ fetch, signal }) => {
  const client = fromFetch({
    url,
    headers: init.headers,
    request: /** @type {any} */ (fetch),
    mapRequest: (params) => ({ model: params.model, messages: params.messages }),
    mapResponse: (/** @type {any} */ json) => ({ content: json.choices[0].message.content }),
  });
  const llm = new VernLLM({
    client, model: 'bench', maxRetries: ATTEMPTS - 1, baseDelayMs: WAIT_MS, timeoutMs: TIMEOUT_MS, logger: 'silent',
  });
  return () => llm.call({ userContent: 'x'.repeat(40), jsonMode: false, ...(signal && { signal }) });
};

/**
 * @param {import('../js/types.d.ts').FetchOptions} [options]
 * @returns {Peer}
 */
export const dacapoWith = (options) => ({ fetch, signal, reads }) => {
  const retrying = createFetch({
    fetch, maxAttempts: ATTEMPTS, initialDelayMs: WAIT_MS, maxDelayMs: WAIT_MS, ...(signal && { timeoutMs: TIMEOUT_MS }), ...options,
  });
  const sent = signal ? { ...init, signal } : init;
  return reads ? async () => (await retrying(url, sent)).json() : () => retrying(url, sent);
};

/** By the name of its package; the version is in `package.json`. @type {Record<string, Peer>} */
export const peers = {
  'hand-written loop': handWritten,
  'fetch-retry': fetchRetryPeer,
  '@smithy/util-retry': smithyPeer,
  cockatiel: cockatielPeer,
  'p-retry': pRetryPeer,
  'exponential-backoff': exponentialBackoff,
  ky: kyPeer,
  'vern-llm': vernLlm,
};

/** Those that have a circuit breaker as well. @type {Record<string, Peer>} */
export const breakers = {
  cockatiel({ fetch }) {
    const { circuitBreaker, ConsecutiveBreaker, ConstantBackoff, handleAll, retry, wrap } = cockatiel;
    const failures = handleAll.orWhenResult((response) => isRetried(/** @type {Response} */ (response).status));
    const policy = wrap(
      retry(failures, { maxAttempts: ATTEMPTS - 1, backoff: new ConstantBackoff(WAIT_MS) }),
      circuitBreaker(failures, { halfOpenAfter: 30_000, breaker: new ConsecutiveBreaker(5) }),
    );
    return () => policy.execute(() => fetch(url, init));
  },
};

/** Those that always read the answer as JSON. */
export const readers = new Set(['vern-llm']);

/** Those that leave so much garbage that its collection would be charged to the others. */
export const heavies = new Set(['ky', 'vern-llm']);
