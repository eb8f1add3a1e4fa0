// The API of retry-as-promised over `retry`.

class TimeoutError extends Error {
  name = 'TimeoutError';
}

const isMatch = (match, error) => {
  if (match instanceof RegExp) return match.test(error.message) || match.test(String(error));
  if (typeof match !== 'function') return match === String(error) || match === error.message;
  // An arrow function has no prototype to be an instance of.
  return match.prototype === undefined ? Boolean(match(error)) : error instanceof match;
};

/** @param {typeof import('dacapo')} dacapo */
export function adapt({ retry, matchesKind }) {
  async function retryAsPromised(operation, given) {
    const options = typeof given === 'number' ? { max: given } : given;
    const { max, timeout = 0, backoffBase = 100, backoffExponent = 1.1, report = () => undefined } = options;
    const matches = [options.match ?? []].flat();
    let thrown;
    try {
      return await retry(
        async ({ attempt }) => {
          report(`Trying #${attempt}`, options);
          try {
            return await operation({ current: attempt });
          } catch (error) {
            thrown = error;
            report(String(error), options, error);
            throw error;
          }
        },
        {
          maxAttempts: max,
          timeoutMs: timeout,
          initialDelayMs: backoffBase,
          maxDelayMs: 2 ** 31 - 1,
          factor: backoffExponent,
          jitter: 'none',
          shouldRetry: ({ error }) => error.kind !== 'timeout' && (matches.length === 0 || matches.some((match) => isMatch(match, thrown))),
          onRetry: ({ attempt, delayMs }) => {
            report(`Retrying (${attempt + 1})`, options);
            if (delayMs > 0) report(`Delaying retry by ${delayMs}`, options);
          },
        },
      );
    } catch (error) {
      throw matchesKind(error, 'timeout') ? new TimeoutError('timed out') : thrown;
    }
  }
  return { default: retryAsPromised, retryAsPromised, TimeoutError };
}
