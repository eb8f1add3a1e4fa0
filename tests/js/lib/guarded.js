// Calls under a circuit breaker, to a provider that does as it is told.

import { CircuitBreaker, createFetch } from 'dacapo';
import { fakeClock } from './clock.js';
import { failed, URL_ } from './stub.js';

export const OPEN_MS = 30_000;
export const ORIGIN = new URL(URL_).origin;

/**
 * A fetch under a breaker that opens after two failed calls.
 *
 * @param {object} [options] More for the breaker.
 * @param {object} [more] More for the fetch.
 */
export function guarded(options = {}, more = {}) {
  const clock = fakeClock();
  const changes = [];
  const breaker = new CircuitBreaker({
    failures: 2, openMs: OPEN_MS, openJitter: 0, onStateChange: ({ from, to }) => changes.push(`${from} > ${to}`), ...options,
  });
  const sends = [];
  const world = { clock, breaker, changes, sends, answer: 200 };
  async function send(input, init) {
    sends.push({ input, init });
    const { answer } = world;
    const given = typeof answer === 'function' ? await answer(input, init, sends.length) : answer;
    if (given instanceof Error) throw given;
    return typeof given === 'number' ? failed(given) : given;
  }
  const fetch = createFetch({ breaker, clock, random: () => 0, maxAttempts: 1, fetch: send, ...more });

  /** One call and how it ended: a status, or a kind or name of an error. */
  async function call(answer = world.answer, init = undefined, url = URL_) {
    world.answer = answer;
    try {
      return (await fetch(url, init)).status;
    } catch (error) {
      return error?.kind ?? error?.name ?? error;
    }
  }

  return Object.assign(world, {
    fetch,
    call,
    state: (key = ORIGIN) => breaker.state(key).state,
    /** Fails until the breaker is open, and waits until its cool-down is over. */
    async cooledDown() {
      while (breaker.state(ORIGIN).state === 'closed') await call(503);
      clock.advance(breaker.state(ORIGIN).retryAfterMs);
      world.answer = 200;
      sends.length = 0;
      changes.length = 0;
    },
  });
}
