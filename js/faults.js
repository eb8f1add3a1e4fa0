import { configError, isRetryError } from './errors.js';
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
  const texts = faults.map(({ option, code, value, allowed }) => (
    code === 'unknown_option' ? `${option}: ${allowed}` : `${option} is ${value}, must be ${allowed}`
  ));
  throw configError(`invalid retry options: ${texts.join('; ')}`, Object.freeze(faults));
}
