// Jobs for an LLM, worked off from a queue. When the provider asks for a longer wait than a Worker can sit out, the call
// is deferred: its token goes back into the queue with a delay, and the next delivery goes on where the call stood.

import { env } from 'cloudflare:workers';
import { createFetch, historyOf } from 'dacapo';

/** The longest delay that a queue takes: 12 hours. */
const LONGEST_DELAY_S = 43_200;

const ask = createFetch({
  maxAttempts: 6, // over all deliveries of a job
  maxRetryAfterMs: env.LONGEST_WAIT_MS, // a longer one is the queue's
  retryAfterBeyond: 'defer',
  timeoutMs: 60_000,
  idempotencyKey: true,
});

export default {
  /** `POST /jobs` with a prompt takes a job, `GET /jobs/ID` tells what became of it. */
  async fetch(request) {
    if (request.headers.get('authorization') !== `Bearer ${env.CLIENT_TOKEN}`) return new Response('who are you?', { status: 401 });
    const [, folder, id] = new URL(request.url).pathname.split('/');
    if (folder !== 'jobs') return new Response('not found', { status: 404 });
    if (request.method === 'POST') {
      const job = { id: crypto.randomUUID(), prompt: await request.text() };
      await env.JOBS.send(job);
      return Response.json({ id: job.id }, { status: 202 });
    }
    const result = await env.RESULTS.get(`job:${id}`);
    return result === null ? Response.json({ state: 'waiting' }) : new Response(result, { headers: { 'content-type': 'application/json' } });
  },

  async queue(batch) {
    await Promise.all(batch.messages.map(work));
  },
};

async function work(message) {
  const { id, prompt, resume } = message.body;
  const left = secondsUntil(resume?.notBefore);
  if (left > 0) {
    // The wait is longer than a queue's delay may be.
    await env.JOBS.send(message.body, { delaySeconds: left });
    return message.ack();
  }

  // The token has neither credentials nor a body: both are given anew.
  const response = await ask(
    env.API_URL,
    {
      method: 'POST',
      headers: { authorization: `Bearer ${env.API_KEY}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: env.MODEL, messages: [{ role: 'user', content: prompt }] }),
    },
    { resume },
  );

  const history = historyOf(response);
  if (history?.resume) {
    await response.body?.cancel();
    await env.JOBS.send({ id, prompt, resume: history.resume }, { delaySeconds: secondsUntil(history.resume.notBefore) });
    return message.ack();
  }
  const result = { state: response.ok ? 'done' : 'failed', status: response.status, answer: await response.text(), history };
  await env.RESULTS.put(`job:${id}`, JSON.stringify(result));
  return message.ack();
}

/** @param {number} [time] Epoch milliseconds. */
function secondsUntil(time = 0) {
  return Math.min(Math.max(0, Math.ceil((time - Date.now()) / 1000)), LONGEST_DELAY_S);
}
