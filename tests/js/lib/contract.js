/** What the claims of the contract are made with. No `node:` import. */

import { fakeClock } from './clock.js';
import { between, same } from './expect.js';
import { seen } from './play.js';

/**
 * @typedef {object} Env
 * @property {any} dacapo The package.
 * @property {string} origin The scripted server's.
 * @property {'injected' | 'real'} clock
 */

/** A list of claims, and the function that adds one: `claim(name, run(env), clocks)`. */
export function claimList() {
  const claims = [];
  const claim = (name, run, clocks = ['injected', 'real']) => void claims.push({ name, run, clocks });
  return { claims, claim };
}

/** Half of the random part: waits of 60 and 120 ms from an initial delay of 80. */
export const UNIT = 0.5;
export const QUICK = { initialDelayMs: 80, random: () => UNIT };
export const JSON_HEADERS = { 'content-type': 'application/json' };
export const ASK = { method: 'POST', headers: JSON_HEADERS, body: '{"ask":1}' };
export const OK = { json: { answer: 42 } };

/**
 * A fetch under the case's clock.
 *
 * @param {Env} env
 * @param {object} [options]
 */
export function quickFetch({ dacapo, clock }, options) {
  return dacapo.createFetch({ ...QUICK, ...(clock === 'injected' && { clock: fakeClock() }), ...options });
}

/**
 * That the waits of a history were these, and on the real clock that the server saw them.
 *
 * @param {Env} env
 * @param {any} history
 * @param {string} url
 * @param {[number, number][]} waits The least and the most of each.
 */
export async function waited({ clock }, history, url, waits) {
  const requests = await seen(url);
  same(history.attempts.length, waits.length, 'the number of waits');
  waits.forEach(([least, most], i) => {
    // A real timer may be late on a busy machine, and early by its rounding.
    const late = clock === 'real' ? 400 : 0;
    between(history.attempts[i].delayMs, least - (late && 2), most + late, `wait ${i + 1}`);
    if (clock === 'real') between(requests[i + 1].atMs - requests[i].atMs, least - 2, most + 1000, `the gap after request ${i + 1}`);
  });
}
