// Streams for retryStream. Nothing here is Node's.

import { retryStream } from 'dacapo';
import { deferred, fakeClock } from './clock.js';

/** What a provider says that has too much to do, as a client throws it. */
export const overloaded = () => Object.assign(new Error('too much to do'), { status: 503 });

/** Chunks of OpenAI's chat API, as its client gives them. */
export const chat = Object.freeze({
  start: { choices: [{ index: 0, delta: { role: 'assistant', content: '' }, finish_reason: null }] },
  text: (content) => ({ choices: [{ index: 0, delta: { content }, finish_reason: null }] }),
  stop: { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  usage: (prompt, completion) => ({ choices: [], usage: { prompt_tokens: prompt, completion_tokens: completion, total_tokens: prompt + completion } }),
  error: { error: { message: 'too much to do', code: 503 } },
});

/**
 * A source that gives these chunks one after the other, each time it is opened, and tells what becomes of it. An Error
 * is thrown, a promise waited for; after the last it ends, or with `stuck` hangs.
 */
export function source(chunks, { stuck = false, letGo = () => undefined } = {}) {
  const seen = { asked: 0, returned: 0, open: 0 };
  let left = [];
  return {
    seen,
    [Symbol.asyncIterator]() {
      seen.open += 1;
      left = [...chunks];
      return this;
    },
    async next() {
      seen.asked += 1;
      if (left.length === 0) return stuck ? new Promise(() => {}) : { value: undefined, done: true };
      const chunk = await left.shift();
      if (chunk instanceof Error) throw chunk;
      return { value: chunk, done: false };
    },
    async return(value) {
      seen.returned += 1;
      await letGo();
      return { value, done: true };
    },
  };
}

/** Calls that give these sources one after the other, the last one again and again; and what they were called with. */
export function calls(...sources) {
  const made = [];
  const fn = (context) => {
    const given = sources[Math.min(made.push(context), sources.length) - 1];
    if (given instanceof Error) throw given;
    return given;
  };
  return Object.assign(fn, { made });
}

/** retryStream over these sources, whose waits take no time. */
export function over(sources, options = {}) {
  const fn = calls(...sources);
  return Object.assign(retryStream(fn, { clock: fakeClock(), ...options }), { made: fn.made });
}

/** Reads a stream: its chunks, and what it was ended with if that was an error. */
export async function readAll(stream) {
  const chunks = [];
  try {
    for await (const chunk of stream) chunks.push(chunk);
  } catch (error) {
    return { chunks, error, failed: true };
  }
  return { chunks, failed: false };
}

/** A function whose promise is given by hand, and that tells when it was called. */
export function gate() {
  const called = deferred();
  const given = deferred();
  return { fn: () => (called.resolve(), given.promise), called: called.promise, ...given };
}
