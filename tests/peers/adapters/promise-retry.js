// The API of promise-retry over `retry`.

/** What `again` throws: the attempt failed with this, and is to be made again. */
class Again {
  constructor(error) {
    this.error = error instanceof Again ? error.error : error;
  }
}

/** @param {typeof import('dacapo')} dacapo */
export const adapt = ({ retry }) =>
  async function promiseRetry(operation, options) {
    if (typeof operation === 'object') return promiseRetry(options, operation);
    const { retries = 10, factor = 2, minTimeout = 1000, maxTimeout = 2 ** 31 - 1 } = options ?? {};
    const again = (error) => {
      throw new Again(error);
    };
    let thrown;
    try {
      return await retry(
        async ({ attempt }) => {
          try {
            return await operation(again, attempt);
          } catch (error) {
            thrown = error;
            throw error;
          }
        },
        {
          maxRetries: retries,
          initialDelayMs: minTimeout,
          maxDelayMs: maxTimeout,
          factor,
          jitter: 'none',
          shouldRetry: () => thrown instanceof Again,
        },
      );
    } catch {
      throw thrown instanceof Again ? thrown.error : thrown;
    }
  };
