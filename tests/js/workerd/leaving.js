// A Worker whose clients leave: it tells what of their calls is still there.

import { createFetch, retry, RetryPolicy } from 'dacapo';
import { running } from '../../../js/engine.js';
import { places, seated } from '../../../js/seats.js';

const policy = new RetryPolicy({ maxAttempts: 3, maxRetryAfterMs: 600_000, jitter: 'none' });
const never = () => new Promise(() => {});
const ways = {
  wait: createFetch({ policy }),
  attempt: createFetch({ policy, timeoutMs: 600_000 }),
  hedge: createFetch({ policy, hedgeAfterMs: 50, idempotencyKey: true }),
  hook: createFetch({ policy, onRetry: never }),
  clock: createFetch({ policy, clock: { now: () => Date.now(), sleep: never } }),
};

export default {
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url);
    const to = searchParams.get('to');
    if (pathname === '/held') {
      gc();
      return Response.json({ calls: running.size + seated().length, places: places() });
    }
    if (pathname === '/operation') {
      const operation = async () => {
        const response = await fetch(to);
        await response.body?.cancel();
        if (!response.ok) throw Object.assign(new Error('not yet'), { status: response.status, headers: response.headers });
        return response.status;
      };
      return Response.json(await retry(operation, { policy }));
    }
    const ask = ways[pathname.slice(1)];
    const response = await ask(to, { method: 'POST', body: 'x'.repeat(20_000), ...(searchParams.has('signal') && { signal: request.signal }) });
    return Response.json(response.status);
  },
};
