/**
 * @typedef {object} Contestant
 * @property {string} name
 * @property {() => PromiseLike<unknown>} call
 * @property {string} bare The name of the contestant whose cost is not its own.
 *
 * @typedef {object} Result
 * @property {string} name
 * @property {number} addedNs The median, less the median of the bare call.
 * @property {number} spreadNs Half the distance between the quartiles.
 */

/** Below the time slice of a scheduler, and long enough for a contestant's code and data to be in the caches. */
const ROUND_NS = 1_000_000;
/** Long enough for V8 to recompile the engine's WebAssembly, which it begins in a quick and slow form. */
const WARM_UP_MS = 800;

/**
 * Short rounds in turn, so that a change of the machine's speed falls on all contestants
 * alike, and rounds that were interrupted are the exception that a median does not see.
 *
 * @param {Contestant[]} contestants
 * @param {number} rounds
 * @returns {Promise<Result[]>}
 */
export async function measure(contestants, rounds) {
  /** @type {Map<string, { calls: number, ns: number[] }>} */
  const sheets = new Map();
  for (const { name, call } of contestants) sheets.set(name, { calls: await warmUp(call), ns: [] });
  for (let round = 0; round < rounds; round++) {
    for (let i = 0; i < contestants.length; i++) {
      const { name, call } = contestants[(i + round) % contestants.length];
      const sheet = /** @type {{ calls: number, ns: number[] }} */ (sheets.get(name));
      sheet.ns.push(await time(call, sheet.calls));
    }
  }
  const sorted = new Map([...sheets].map(([name, { ns }]) => [name, ns.sort((a, b) => a - b)]));
  return contestants.map(({ name, bare }) => ({
    name,
    addedNs: quantile(sorted.get(name), 0.5) - quantile(sorted.get(bare), 0.5),
    spreadNs: (quantile(sorted.get(name), 0.75) - quantile(sorted.get(name), 0.25)) / 2,
  }));
}

/**
 * Nanoseconds a call.
 *
 * @param {() => PromiseLike<unknown>} call
 * @param {number} calls
 */
async function time(call, calls) {
  const begin = process.hrtime.bigint();
  for (let i = 0; i < calls; i++) await call();
  return Number(process.hrtime.bigint() - begin) / calls;
}

/**
 * Calls until the code is hot; how many calls make a round.
 *
 * @param {() => PromiseLike<unknown>} call
 */
async function warmUp(call) {
  const end = performance.now() + WARM_UP_MS;
  let fastest = Infinity;
  while (performance.now() < end) fastest = Math.min(fastest, await time(call, 50));
  return Math.min(2_000, Math.max(3, Math.round(ROUND_NS / fastest)));
}

/**
 * @param {number[] | undefined} sorted
 * @param {number} share
 */
function quantile(sorted, share) {
  if (sorted === undefined || sorted.length === 0) throw new Error('nothing was measured');
  return sorted[Math.floor((sorted.length - 1) * share)];
}
