// A Worker before an LLM API. Its isolates share one circuit breaker and one retry budget, so that a provider that is
// down is left alone by all of them.

import { env } from 'cloudflare:workers';
import { createFetch, findRetryError } from 'dacapo';
import { DacapoState, durableStore } from 'dacapo/cloudflare';

export { DacapoState };

const store = durableStore(env.DACAPO);

const ask = createFetch({
  breaker: { failures: 5, openMs: env.OPEN_MS, store },
  budget: { store },
  timeoutMs: 30_000,
});

export default {
  async fetch(request) {
    if (request.headers.get('authorization') !== `Bearer ${env.CLIENT_TOKEN}`) return new Response('who are you?', { status: 401 });
    if (request.method !== 'POST') return new Response('POST a chat completion', { status: 405, headers: { allow: 'POST' } });
    try {
      const answer = await ask(env.API_URL, {
        method: 'POST',
        headers: { authorization: `Bearer ${env.API_KEY}`, 'content-type': 'application/json' },
        body: await request.text(), // a stream could be sent only once
        signal: request.signal,
      });
      return new Response(answer.body, answer);
    } catch (error) {
      const refused = findRetryError(error);
      if (refused?.kind !== 'circuit_open') throw error;
      const seconds = Math.ceil((refused.retryAfterMs ?? 60_000) / 1000); // one that was isolated by hand gives no time
      return Response.json({ error: { message: refused.message, code: 'circuit_open' } }, { status: 503, headers: { 'retry-after': String(seconds) } });
    }
  },
};
