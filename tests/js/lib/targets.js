// Targets of a fallback under a test's control. Nothing here is Node's.

import { withFallback } from 'dacapo';
import { fakeClock } from './clock.js';

/** What a client throws for this status. */
export const status = (code, more = {}) => Object.assign(new Error(`status ${code}`), { status: code, ...more });

/**
 * A target that gives its answers one after the other, the last one again and again. An Error is thrown, a function is
 * called with what the target was called with. `calls` are the inputs and contexts it got.
 */
export function target(answers, options = {}) {
  const calls = [];
  async function call(input, context) {
    const given = answers[Math.min(calls.push({ input, context, self: this }), answers.length) - 1];
    const answer = typeof given === 'function' ? await given(input, context) : given;
    if (answer instanceof Error) throw answer;
    return answer;
  }
  // What is no option of a target's is a fault, if it shows.
  return Object.defineProperty({ call, ...options }, 'calls', { value: calls });
}

/** A call over these targets, whose waits take no time. */
export function over(targets, options = {}) {
  return withFallback(targets, { clock: fakeClock(), random: () => 0, jitter: 'none', ...options });
}

/** What a promise came to. */
export async function outcome(promise) {
  try {
    return { value: await promise };
  } catch (error) {
    return { error };
  }
}

/** The entries of failed targets, in short. */
export const brief = (entries) => entries?.map(({ index, provider, model, error }) => [index, provider ?? model, error.kind, error.attempts?.length ?? 0]);
