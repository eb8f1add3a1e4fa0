import { isRetryError, optionsError, show } from './errors.js';
import { policyOf } from './policy.js';

/** @import { ConfigFault } from './types.d.ts' */

/**
 * The policy that these options are. What is wrong with them is told together with what was
 * found before.
 *
 * @param {any} options
 * @param {ConfigFault[]} found
 * @returns {import('./policy.js').RetryPolicy}
 */
export function policyWith(options, found) {
  let policy;
  let faults = found;
  try {
    policy = policyOf(options ?? undefined);
  } catch (error) {
    if (found.length === 0 || !isRetryError(error) || error.faults === undefined) throw error;
    faults = [...found, ...error.faults];
  }
  if (policy !== undefined && faults.length === 0) return policy;
  throw optionsError(faults);
}

/**
 * Notes what is wrong with an option.
 *
 * @param {ConfigFault[]} faults
 * @param {string} option
 * @param {unknown} value
 * @param {string} code
 * @param {string} allowed
 */
export function addFault(faults, option, value, code, allowed) {
  faults.push(Object.freeze({ option, code, value: show(value), allowed }));
}
