import { ask } from './ask.js';
import { configError, show } from './errors.js';
import { ENDING, Facts, readError } from './facts.js';
import { blockOf } from './headers.js';
import { readVerdict } from './history.js';
import { handleOf, policyOf } from './policy.js';
import { bytesOf } from './thrown.js';

/** @import { ClassifyInput, ErrorKind, PolicyOptions, Verdict } from './types.d.ts' */
/** @typedef {import('./policy.js').RetryPolicy} RetryPolicy */

/**
 * @param {ClassifyInput} input
 * @param {PolicyOptions | RetryPolicy} [options]
 * @returns {Verdict}
 */
export function classify(input, options) {
  if (typeof input !== 'object' || input === null) throw configError(`classify: the input is ${show(input)}, must be an object`);
  const policy = policyOf(options);
  const { status, headers, body, error, signal, nowMs } = input;
  const facts = new Facts(error === undefined ? ENDING.response : ENDING.error);
  if (error !== undefined) readError(facts, error);
  if (status !== undefined && status !== null) {
    if (!Number.isInteger(status) || status < 100 || status > 999) {
      throw configError(`classify: status is ${show(status)}, must be a whole number from 100 to 999`);
    }
    facts.ending = ENDING.response;
    facts.status = status;
  }
  if (headers !== undefined) facts.headers = blockOf(headers);
  if (body !== undefined) facts.body = bytesOf(body);
  if (signal?.aborted) facts.ending = ENDING.cancelled;
  return readVerdict(ask(() => handleOf(policy).classify(/** @type {any} */ (facts), nowMs ?? Date.now())));
}

/**
 * @param {number | null | undefined} status
 * @param {string | null} [code]
 * @returns {ErrorKind | null}
 */
export function providerKind(status, code) {
  const whole = Number.isInteger(status) && /** @type {number} */ (status) > 0 && /** @type {number} */ (status) <= 999;
  const kind = ask((engine) => engine.providerKind(whole ? /** @type {number} */ (status) : 0, typeof code === 'string' ? code : undefined));
  return /** @type {ErrorKind | undefined} */ (kind) ?? null;
}

/**
 * @param {string | null | undefined} value
 * @param {{ nowMs?: number, dateHeader?: string | null }} [context]
 * @returns {number | null}
 */
export function parseRetryAfter(value, { nowMs = Date.now(), dateHeader } = {}) {
  if (typeof value !== 'string') return null;
  const ms = ask((engine) => engine.parseRetryAfter(value, nowMs, dateHeader ?? undefined));
  return ms < 0 ? null : ms;
}
