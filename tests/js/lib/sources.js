// Streamed answers under a test's control. Nothing here is Node's.

import { createFetch } from 'dacapo';
import { fakeClock } from './clock.js';
import { TYPES } from './stream-frames.js';

export const POST = { method: 'POST', body: '{}' };

const encoder = new TextEncoder();

/** @param {string | Uint8Array} chunk */
export const bytesOf = (chunk) => (typeof chunk === 'string' ? encoder.encode(chunk) : chunk);

/** A fetch of ours over this one, with a clock that never waits. */
export function over(fetch, options = {}) {
  return createFetch({ fetch, clock: fakeClock(), random: () => 0, ...options });
}

/**
 * A body that gives what it is told to. `seen` tells what becomes of it: how often it was
 * asked for more, and the reasons it was cancelled with.
 */
export function source({ isBytes = false } = {}) {
  const seen = { pulled: 0, cancelled: [] };
  let controller;
  const stream = new ReadableStream({
    ...(isBytes && { type: 'bytes' }),
    start: (own) => { controller = own; },
    pull: () => { seen.pulled += 1; },
    cancel: (reason) => { seen.cancelled.push(reason); },
  }, { highWaterMark: 0 });
  return {
    stream,
    seen,
    push: (...chunks) => chunks.forEach((chunk) => controller.enqueue(bytesOf(chunk))),
    close: () => controller.close(),
    error: (error) => controller.error(error),
  };
}

/** A 200 that streams this body. */
export function streamed(body, headers = TYPES.sse) {
  return new Response(body, { headers });
}

/** A 200 that streams these chunks, each once it is asked for, and then ends or breaks. */
export function answer(chunks, { headers = TYPES.sse, error = undefined } = {}) {
  const left = chunks.map(bytesOf);
  return streamed(new ReadableStream({
    pull(controller) {
      const chunk = left.shift();
      if (chunk !== undefined) controller.enqueue(chunk);
      else if (error !== undefined) controller.error(error);
      else controller.close();
    },
  }, { highWaterMark: 0 }), headers);
}

/** Everything that a Response gives until its end or its error. */
export async function readAll(response) {
  const reader = response.body.getReader();
  const chunks = [];
  const decoder = new TextDecoder();
  let text = '';
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) return { chunks, text };
      chunks.push(value);
      text += decoder.decode(value, { stream: true });
    }
  } catch (error) {
    return { chunks, text, error };
  }
}
