import { ask } from './ask.js';
import { RetryError } from './errors.js';
import { ENDING } from './facts.js';
import { KeptHistory, remember } from './history.js';
import { handleOf } from './policy.js';

/** @import { RetryErrorInit } from './types.d.ts' */
/** @typedef {import('./attempt.js').FetchCall} FetchCall */
/** @typedef {import('./facts.js').Facts} Facts */

/** The ledger of an answer that came at once. */
const CLEAN = Object.freeze({
  totalAttempts: 1, failedAttempts: 0, wastedPromptTokens: 0, wastedCompletionTokens: 0, wastedTotalTokens: 0, wasteIsLowerBound: false,
});

/**
 * The facts of a stream that ended before its end.
 *
 * @param {FetchCall} call
 */
export function cutShort(call) {
  const facts = call.answered(/** @type {Response} */ (call.response), ENDING.truncated);
  facts.links = ['RetryError', 'the stream was cut short', ''];
  return facts;
}

/**
 * The facts of a stream that was too slow.
 *
 * @param {FetchCall} call
 * @param {unknown} error
 */
export function tooSlow(call, error) {
  return call.about(call.errorFacts(error, call.index, ENDING.timedOut));
}

/**
 * The history of a call whose streamed answer has ended after it was delivered.
 *
 * @param {FetchCall} call
 * @param {KeptHistory | undefined} earlier The history at the delivery, if there was one.
 * @param {Facts | undefined} facts How the stream broke; `undefined` for its end.
 * @param {Uint8Array | undefined} usage What the stream told of tokens, as JSON.
 */
export function aftermath(call, earlier, facts, usage) {
  const { attempts, fallback, retry = CLEAN } = earlier?.read() ?? {};
  const { sentAt } = call;
  const [mono, wall] = [call.mono(), call.wall()];
  const numbers = [
    sentAt, wall - (mono - sentAt), mono, wall, retry.totalAttempts, retry.failedAttempts, retry.wastedPromptTokens,
    retry.wastedCompletionTokens, retry.wastedTotalTokens, Number(retry.wasteIsLowerBound),
  ];
  const text = ask(({ streamHistory }) => streamHistory(handleOf(call.policy), new Float64Array(numbers), /** @type {any} */ (facts), usage));
  return KeptHistory.of({ ...(attempts && { attempts }), ...(fallback && { fallback }), ...new KeptHistory(text, call.raised).read() });
}

/**
 * What a stream errors with that ended before its end.
 *
 * @param {KeptHistory} history
 */
export function cutShortError(history) {
  const { attempts, retry, mark, last } = history.read();
  const { kind, message, retryable, code, status, provider } = /** @type {import('./types.d.ts').AttemptRecord} */ (last).error;
  /** @type {RetryErrorInit} */
  const init = { kind, message, retryable };
  for (const [name, value] of Object.entries({ code, status, provider })) if (value !== undefined) /** @type {any} */ (init)[name] = value;
  const error = new RetryError(init, { retry, ...(mark && { mark }), ...(attempts && { attempts }) });
  remember(error, history);
  return error;
}
