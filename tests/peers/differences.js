// Where dacapo, under a peer's API, does not do what the peer's own suite says, and why. A test that fails and is not
// listed is a fault, and so is a listed one that passes.

/** @type {Record<string, { because: string, tests: string[] }[]>} */
export const differences = {
  'fetch-retry': [
    {
      because: 'an answer that is a success is delivered: no hook is asked about it, so none can have it fetched again or fail it',
      tests: [
        'when first attempt is resolved when #retryOn() returns true after specified delay calls fetch again',
        'when first attempt is resolved when #retryOn() returns true after specified delay when second call is resolved invokes the #retryOn function with the response',
        'when first attempt is resolved with Promise when #retryOn() returns Promise with true resolve after specified delay calls fetch again',
        'when first attempt is resolved with Promise when #retryOn() returns Promise with true resolve after specified delay when second call is resolved invokes the #retryOn function with the response',
        'when first attempt is resolved with Promise when #retryOn() throws an error when resolved retryOn called only once',
        'when first attempt is resolved with Promise when #retryOn() throws an error when resolved invokes the catch callback',
        'when first attempt is resolved with Promise when #retryOn() returns a Promise that rejects when resolved retryOn called only once',
        'when first attempt is resolved with Promise when #retryOn() returns a Promise that rejects when resolved invokes the catch callback',
      ].map((title) => `fetch-retry #init.retryOn when #init.retryOn is a function ${title}`),
    },
  ],
  'retry-as-promised': [
    {
      because: 'jitter is a share of the wait, not milliseconds in both directions, so there is no function that adds such',
      tests: ['applies randomized offsets to base delay', 'never returns values less than zero'].map(
        (title) => `Global Promise options.backoffJitter fn:applyJitter ${title}`,
      ),
    },
  ],
};
