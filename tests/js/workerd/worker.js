// The Worker under test: everything that needs no clock, no random number and no I/O is done at global scope.

import * as dacapo from 'dacapo';
import { runTest, watchRejections } from '../lib/suites.js';

watchRejections();
// workerd delivers a message among the microtasks: here only timers tell that a task has passed.
Object.defineProperty(globalThis, 'MessageChannel', { value: undefined });

/** How the calls of `upstream` ended. */
const outcomes = [];
const policy = new dacapo.RetryPolicy({ initialDelayMs: 20, jitter: 'none' });
const upstream = dacapo.createFetch({
  policy,
  onEvent: (event) => event.type === 'settled' && outcomes.push(event.outcome),
});
const made = {
  backoffMs: dacapo.backoffDelay(policy, 2, 0),
  maxAttempts: dacapo.explain(policy).maxAttempts,
  retryAfterMs: dacapo.parseRetryAfter('2', { nowMs: 0 }),
  kind: dacapo.classify({ status: 503, nowMs: 0 }).kind,
  raised: new dacapo.RetryError({ kind: 'schema_mismatch' }).retryable,
};

const routes = {
  '/run': async (_, query) => Response.json(await runTest(query.get('title'), dacapo, query.get('origin'))),

  '/made': () => Response.json(made),

  '/outcomes': () => Response.json(outcomes.splice(0)),

  // Asks `to`, ends with the client, and tells what it took.
  '/ask': async (request, query) => {
    const fetch = query.has('options') ? upstream.with(JSON.parse(query.get('options'))) : upstream;
    const signal = query.has('signal') ? request.signal : null;
    const response = await fetch(query.get('to'), { method: 'POST', body: '{"ask":1}', signal });
    const attempts = dacapo.historyOf(response)?.retry.totalAttempts ?? 1;
    return new Response(response.body, { status: response.status, headers: { 'x-attempts': String(attempts) } });
  },

  // Passes the client's own request on.
  '/forward': (request, query) => upstream(new Request(query.get('to'), request)),
};

export default {
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url);
    return routes[pathname]?.(request, searchParams) ?? new Response(null, { status: 404 });
  },
};
