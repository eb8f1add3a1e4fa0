import { ask } from './ask.js';
import { configError, isError, read, show } from './errors.js';
import { ENDING, Facts, readError } from './facts.js';
import { blockOf } from './headers.js';
import { readVerdict } from './history.js';
import { handleOf, policyOf, settingsOf } from './policy.js';
import { callersSignal } from './signals.js';
import { bytesOf, FIELDS } from './thrown.js';

/** @import { ClassifyInput, ErrorKind, PolicyOptions, Verdict } from './types.d.ts' */
/** @typedef {import('./policy.js').RetryPolicy} RetryPolicy */

/**
 * @param {ClassifyInput | Error} input
 * @param {PolicyOptions | RetryPolicy} [options]
 * @returns {Verdict}
 */
export function classify(input, options) {
  if (typeof input !== 'object' || input === null) throw configError(`classify: the input is ${show(input)}, must be an object`);
  const policy = policyOf(options);
  const given = isError(input) ? { error: input } : input;
  const status = optionOf(given, 'status');
  const signal = callersSignal(optionOf(given, 'signal'), 'classify');
  const nowMs = epochMs(optionOf(given, 'nowMs'), 'classify');
  const error = read(given, 'error');
  const facts = new Facts(error === undefined ? ENDING.response : ENDING.error);
  if (error !== undefined) readError(facts, error);
  if (status !== undefined && status !== null) {
    if (!Number.isInteger(status) || status < 100 || status > 999) {
      throw configError(`classify: status is ${show(status)}, must be a whole number from 100 to 999`);
    }
    facts.ending = ENDING.response;
    facts.status = status;
  }
  const headers = read(given, 'headers');
  if (headers !== undefined) facts.headers = blockOf(headers, FIELDS);
  const body = read(given, 'body');
  const { errorBytes, inspectBytes } = settingsOf(policy);
  if (body !== undefined) facts.body = bytesOf(body, Math.max(errorBytes, inspectBytes));
  if (signal !== undefined && read(signal, 'aborted') === true) facts.ending = ENDING.cancelled;
  return readVerdict(ask(() => handleOf(policy).classify(/** @type {any} */ (facts), nowMs)));
}

/**
 * @param {any} input
 * @param {string} name
 */
function optionOf(input, name) {
  try {
    return input[name];
  } catch {
    throw configError(`classify: ${name} cannot be read`);
  }
}

/**
 * @param {unknown} nowMs
 * @param {string} name Of the function that was given it.
 */
function epochMs(nowMs, name) {
  if (nowMs === undefined || nowMs === null) return Date.now();
  if (typeof nowMs === 'number') return nowMs;
  throw configError(`${name}: nowMs is ${show(nowMs)}, must be a number of epoch milliseconds`);
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
 * @param {{ nowMs?: number | undefined, dateHeader?: string | null | undefined }} [context]
 * @returns {number | null}
 */
export function parseRetryAfter(value, context) {
  const nowMs = epochMs(context?.nowMs, 'parseRetryAfter');
  if (typeof value !== 'string') return null;
  const dateHeader = context?.dateHeader;
  const ms = ask((engine) => engine.parseRetryAfter(value, nowMs, typeof dateHeader === 'string' ? dateHeader : undefined));
  return ms < 0 ? null : ms;
}
