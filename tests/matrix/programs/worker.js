// A Worker for the package that it is given: it makes all that a program can make at global scope, where workerd has no
// random number, no timer and no I/O.

import { watchRejections } from './tests/js/lib/suites.js';
import { runColumns } from './tests/matrix/lib/columns.js';

watchRejections();
// workerd delivers a message among the microtasks: the columns tell by timers that a task has passed.
Object.defineProperty(globalThis, 'MessageChannel', { value: undefined });

/** What is refused here, to show that the rules are in force. */
const refused = await attempts({
  random: () => crypto.getRandomValues(new Uint8Array(1)),
  timer: () => setTimeout(() => undefined, 1),
  fetch: () => fetch('http://127.0.0.1/'),
});

/** @param {Record<string, () => unknown>} acts */
async function attempts(acts) {
  const failed = [];
  for (const [name, act] of Object.entries(acts)) {
    try {
      await act();
    } catch {
      failed.push(name);
    }
  }
  return failed;
}

/** The Worker of a package; each export is used once before the first request. */
export async function workerOf(dacapo) {
  const policy = new dacapo.RetryPolicy({ initialDelayMs: 1 });
  const breaker = new dacapo.CircuitBreaker({ failures: 5 });
  const budget = new dacapo.RetryBudget();
  const upstream = dacapo.createFetch({ policy, breaker, budget, hedgeAfterMs: 60_000 });
  const error = new dacapo.RetryError({ kind: 'schema_mismatch', message: 'made at global scope' });
  const uses = {
    backoffDelay: () => dacapo.backoffDelay(policy, 1, 0.5),
    CircuitBreaker: () => breaker.state('https://api.example.com'),
    classify: () => dacapo.classify({ status: 503, headers: { 'retry-after': '2' } }),
    createFetch: () => upstream.with({ maxAttempts: 2 }),
    explain: () => dacapo.explain(policy),
    findRetryError: () => dacapo.findRetryError(error),
    historyOf: () => dacapo.historyOf(error),
    isRetryError: () => dacapo.isRetryError(error),
    matchesKind: () => dacapo.matchesKind(error, 'schema_mismatch'),
    parseRetryAfter: () => dacapo.parseRetryAfter('2'),
    providerKind: () => dacapo.providerKind('openai'),
    redactHeaders: () => dacapo.redactHeaders({ authorization: 'Bearer none' }),
    retry: () => dacapo.retry(() => 1, { policy }),
    RetryBudget: () => budget.tokens,
    RetryError: () => error.retryable,
    RetryPolicy: () => policy.with({ maxAttempts: 2 }),
    retryStream: () => dacapo.retryStream(async function* () {}, { policy }),
    sanitizeBaseUrl: () => dacapo.sanitizeBaseUrl('https://api.example.com/v1?key=none'),
    sanitizeUrl: () => dacapo.sanitizeUrl('https://api.example.com/v1?key=none'),
    withFallback: () => dacapo.withFallback([{ provider: 'one', model: 'm', call: () => 1 }]),
    withRetry: () => dacapo.withRetry({ complete: async () => 1 }, { methods: { complete: 'promise' } }),
  };
  const failed = await attempts(uses);
  const unused = Object.keys(dacapo).filter((name) => !(name in uses) && name !== 'init');

  const routes = {
    '/globals': async () => ({ refused, failed, unused }),
    '/columns': (query) => runColumns(dacapo, query.get('origin')),
    '/upstream': async (query) => {
      const response = await upstream(query.get('to'));
      return { status: response.status, attempts: dacapo.historyOf(response)?.retry.totalAttempts };
    },
  };
  return {
    async fetch(request) {
      const { pathname, searchParams } = new URL(request.url);
      return Response.json(await routes[pathname](searchParams));
    },
  };
}
