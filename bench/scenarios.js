import { ATTEMPTS, answering, jsonAnswer, overloaded, textAnswer } from './world.js';
import { bare, breakers, dacapoWith, peers, readers } from './peers.js';

/** @typedef {import('./peers.js').Peer} Peer */

/**
 * @typedef {object} Scenario
 * @property {string} title
 * @property {string} text What the call is.
 * @property {number} fetches How often fetch is called for one call.
 * @property {string} against The contestant that ratios are taken against.
 * @property {boolean} [waits] Whether a wait is part of it.
 * @property {() => { name: string, bare: string, call: () => PromiseLike<unknown> }[]} contestants
 */

/**
 * Every peer and the bare call, in one world.
 *
 * @param {object} world
 * @param {(() => Response)[]} world.before The answers that are retried.
 * @param {boolean} [world.reads]
 * @param {boolean} [world.limited] With the caller's signal and a limit for each attempt.
 * @param {Record<string, Peer>} [world.others]
 * @param {Record<string, Peer>} world.dacapo
 */
function field({ before, reads = false, limited = false, others = peers, dacapo }) {
  // Two bare calls: one whose answer is not read, and one for those that always read it.
  const worlds = [reads].concat(reads ? [] : [true]).map((reads) => {
    const answers = [...before, reads ? jsonAnswer : textAnswer];
    const job = { fetch: answering(...answers), reads, ...(limited && { signal: new AbortController().signal }) };
    const once = bare(job);
    const name = reads ? 'the bare call, read' : 'the bare call';
    const call = async () => {
      for (const _ of before) await job.fetch('', {});
      return once();
    };
    return { name, job, call: before.length === 0 ? once : call };
  });
  const all = worlds.map(({ name, call }) => ({ name, bare: name, call }));
  for (const [name, make] of Object.entries({ ...others, ...dacapo })) {
    const world = worlds.find((one) => one.job.reads === (reads || readers.has(name)));
    if (world !== undefined) all.push({ name, bare: world.name, call: make(world.job) });
  }
  return all;
}

const retried = (/** @type {number} */ bytes) => () => field({
  before: [overloaded(bytes)],
  dacapo: { dacapo: dacapoWith() },
});

/** @type {Record<string, Scenario>} */
export const scenarios = {
  a: {
    title: '(a) A POST that succeeds at once, not inspected',
    text: `\`f(url, {method, headers, body})\`, answered with a 200 of plain text; up to ${ATTEMPTS} attempts would have been possible. By default dacapo reads an answer's type, to find one that streams or is JSON; with \`inspectOk: false, holdOpeningMs: 0\` it looks into none, as its peers do`,
    fetches: 1,
    against: 'fetch-retry',
    contestants: () => field({
      before: [],
      dacapo: {
        dacapo: dacapoWith(),
        'dacapo, looks into nothing': dacapoWith({ inspectOk: false, holdOpeningMs: 0 }),
      },
    }),
  },
  b: {
    title: "(b) The same with the caller's signal and a limit for each attempt",
    text: 'the caller\'s `AbortSignal` and 30 s for each attempt; a library without such a limit gets `AbortSignal.any([signal, AbortSignal.timeout(ms)])` in each attempt',
    fetches: 1,
    against: 'fetch-retry',
    contestants: () => field({ before: [], limited: true, dacapo: { dacapo: dacapoWith() } }),
  },
  c: {
    title: '(c) A JSON POST whose answer is looked at',
    text: 'a 200 of 260 bytes of JSON, read and parsed by the caller, in which an in-band `error` would be retried; what is added to fetch and `json()`',
    fetches: 1,
    against: 'fetch-retry',
    contestants: () => field({ before: [], reads: true, dacapo: { dacapo: dacapoWith() } }),
  },
  e: {
    title: '(e) The call of (a) under a circuit breaker and a retry budget',
    text: "both in the state in which they mostly are, closed and full; beside cockatiel's retry around its circuit breaker, which has no budget",
    fetches: 1,
    against: 'cockatiel',
    contestants: () => field({
      before: [],
      others: breakers,
      dacapo: { dacapo: dacapoWith({ breaker: true, budget: true }), 'dacapo, without them': dacapoWith() },
    }),
  },
  d: {
    title: '(d) One retry: an empty 503, then a 200',
    text: '5 request headers, 100 bytes of body, waits stubbed',
    fetches: 2,
    against: 'p-retry',
    waits: true,
    contestants: retried(0),
  },
  d2: {
    title: '(d) with an error body of 2 KB',
    text: 'as before, and the 503 brings 2,048 bytes of JSON (dacapo reads them; most others leave them unread)',
    fetches: 2,
    against: 'p-retry',
    waits: true,
    contestants: retried(2048),
  },
  d16: {
    title: '(d) with an error body of 16 KB',
    text: 'as before with 16,384 bytes',
    fetches: 2,
    against: 'p-retry',
    waits: true,
    contestants: retried(16384),
  },
};
