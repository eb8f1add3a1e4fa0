// The API of @vercel/fetch-retry over `createFetch`.

import nodeFetch from 'node-fetch';

class ResponseError extends Error {
  constructor({ message, status }) {
    super(message);
    this.status = status;
  }
}

/** @param {typeof import('dacapo')} dacapo */
export function adapt({ createFetch }) {
  function setup(fetch = nodeFetch) {
    return (url, options = {}) => {
      const { retries = 5, minTimeout = 10, factor = 6, maxRetryAfter = 20 } = options.retry ?? {};
      const retrying = createFetch({
        fetch,
        maxRetries: retries,
        initialDelayMs: minTimeout,
        factor,
        maxRetryAfterMs: maxRetryAfter * 1000,
        // The peer waits its backoff after the wait that the server asked for; here that is spread at random, held still.
        hintJitter: 0.1,
        random: () => 0.5,
        onRetry: ({ error }) => options.onRetry?.(error.status === undefined ? error : new ResponseError(error), options),
      });
      return retrying(url, options);
    };
  }
  return Object.assign(setup, { ResponseError });
}
