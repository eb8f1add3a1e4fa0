/**
 * A check that needs no assertion library, for cases that every runtime runs.
 *
 * @param {unknown} truth
 * @param {string} claim What is wrong when it does not hold.
 */
export function check(truth, claim) {
  if (!truth) throw new Error(claim);
}
