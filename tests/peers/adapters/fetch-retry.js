// The API of fetch-retry over `createFetch`.

class ArgumentError {
  name = 'ArgumentError';

  constructor(message) {
    this.message = message;
  }
}

const isCount = (value) => Number.isInteger(value) && value >= 0;

function checked({ retries, retryDelay, retryOn }) {
  if (retries !== undefined && !isCount(retries)) throw new ArgumentError('retries must be a positive integer');
  if (retryDelay !== undefined && !isCount(retryDelay) && typeof retryDelay !== 'function') {
    throw new ArgumentError('retryDelay must be a positive integer or a function returning a positive integer');
  }
  if (retryOn !== undefined && !Array.isArray(retryOn) && typeof retryOn !== 'function') {
    throw new ArgumentError('retryOn property expects an array or function');
  }
}

/** @param {typeof import('dacapo')} dacapo */
export const adapt = ({ createFetch }) =>
  function fetchBuilder(fetch, defaults = {}) {
    if (typeof fetch !== 'function') throw new ArgumentError('fetch must be a function');
    if (typeof defaults !== 'object') throw new ArgumentError('defaults must be an object');
    checked(defaults);

    return function fetchRetry(input, init) {
      checked(init ?? {});
      const { retries = 3, retryDelay = 1000, retryOn = [] } = { ...defaults, ...init };
      const asks = typeof retryOn === 'function';
      /** What the last attempt came to: an error and an answer, one of them null. */
      let last = [null, null];
      const originals = new WeakMap();
      const retrying = createFetch({
        // The suite's answers are objects with a status.
        fetch: async () => {
          try {
            const answer = await fetch(input, init);
            const response = new Response(null, { status: answer.status });
            originals.set(response, answer);
            last = [null, answer];
            return response;
          } catch (error) {
            last = [error, null];
            throw error;
          }
        },
        maxAttempts: asks ? 2 ** 31 : retries + 1,
        retryStatus: asks ? 'default' : retryOn,
        // Without a function the peer retries whatever fetch rejects with.
        shouldRetry: asks ? async ({ index }) => Boolean(await retryOn(index, ...last)) : () => last[1] === null || undefined,
        // A function gives the wait when there is one to come: it is waited in the hook then.
        ...(typeof retryDelay === 'function'
          ? { initialDelayMs: 0, onRetry: ({ index }) => new Promise((done) => setTimeout(done, retryDelay(index, ...last))) }
          : { initialDelayMs: retryDelay, maxDelayMs: retryDelay, jitter: 'none' }),
        respectRetryAfter: false,
      });
      return retrying(input, init).then((response) => originals.get(response));
    };
  };
