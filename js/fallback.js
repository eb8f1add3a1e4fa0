import { Chain } from './chain.js';
import { configError, show } from './errors.js';
import { addFault } from './faults.js';
import { remember, historyOf, KeptHistory } from './history.js';
import { retry } from './retry.js';
import { RetriedStream, StreamCall, streamOptions } from './retry-stream.js';
import { callersSignal } from './signals.js';
import { hidingSecrets, targetsOf } from './target.js';

/** @import { AttemptContext, ConfigFault, FallbackOptions, FallbackTarget } from './types.d.ts' */

const MODES = ['promise', 'iterable'];

/**
 * A target that is a function.
 *
 * @typedef {import('./target.js').Target & { call: Function, given: object, isOutput?: (chunk: any) => unknown, partial?: true | number }} CallTarget
 * @typedef {import('./target.js').TargetSet<CallTarget>} CallTargets
 */

/**
 * @param {readonly FallbackTarget<any, any>[]} targets
 * @param {FallbackOptions} [options]
 * @returns {(input: any, context?: { signal?: AbortSignal | null }) => any}
 */
export function withFallback(targets, options = {}) {
  if (typeof options !== 'object' || options === null) throw configError(`withFallback: the options are ${show(options)}, must be an object`);
  const { mode = 'promise', ...rest } = options;
  /** @type {ConfigFault[]} */
  const faults = [];
  if (!MODES.includes(mode)) addFault(faults, 'mode', mode, 'choice', "'promise' or 'iterable'");
  const isStream = mode === 'iterable';
  // Only what streams has options of that kind.
  const split = (/** @type {any} */ given, /** @type {string} */ at) => (
    isStream ? streamOptions(given, faults, at) : { own: given, isOutput: undefined, partial: undefined }
  );
  const shared = split(rest, '');
  const set = hidingSecrets(targetsOf(undefined, shared.own, targets, faults, ({ call, ...options }, at, given) => {
    if (typeof call !== 'function') addFault(faults, `${at}.call`, call, 'type', 'a function');
    const { own, isOutput = shared.isOutput, partial = shared.partial } = split(options, `${at}.`);
    return { own: { call, given, isOutput, partial }, policy: own };
  }, false));
  return isStream ? (input, context) => streamed(set, input, context) : (input, context) => answered(set, input, context);
}

/**
 * What is run of a target.
 *
 * @param {CallTarget} target
 * @param {any} input
 */
function operationOf({ call, given, provider, model }, input) {
  return (/** @type {AttemptContext} */ context) => Reflect.apply(call, given, [input, {
    attempt: context.attempt,
    // Made for who asks.
    get signal() {
      return context.signal;
    },
    provider,
    model,
  }]);
}

/**
 * @param {CallTargets} set
 * @param {any} input
 * @param {{ signal?: AbortSignal | null }} [context]
 */
async function answered(set, input, context) {
  const signal = callersSignal(context?.signal, 'withFallback');
  const chain = new Chain(set, signal);
  for (;;) {
    const { target, policy, earlier } = chain.turn();
    try {
      return await retry(operationOf(target, input), { policy, signal, resume: /** @type {any} */ (earlier) });
    } catch (error) {
      if (!(await chain.fellOver(error))) throw error;
    }
  }
}

/**
 * @param {CallTargets} set
 * @param {any} input
 * @param {{ signal?: AbortSignal | null }} [context]
 */
function streamed(set, input, context) {
  const signal = callersSignal(context?.signal, 'withFallback');
  return new RetriedStream((stream) => new StreamChain(set, input, signal, stream));
}

/** One call over targets that stream. The first that gives a chunk, or ends, is the one that the consumer has. */
class StreamChain {
  /** @type {Chain | undefined} */
  #chain;
  /** @type {StreamCall | undefined} The call of the target whose turn it is. */
  #call;
  #isHeard = false;
  /** Whether the consumer knows how it ended, or does not want to. */
  #isOver = false;
  /** @type {AbortController | undefined} Ends the hooks between two targets. */
  #between;

  /**
   * @param {CallTargets} set
   * @param {any} input
   * @param {AbortSignal | undefined} signal
   * @param {RetriedStream} stream
   */
  constructor(set, input, signal, stream) {
    this.set = set;
    this.input = input;
    this.signal = signal;
    this.stream = stream;
  }

  /** @returns {Promise<IteratorResult<any, any>>} */
  async next() {
    if (this.#isHeard) return /** @type {StreamCall} */ (this.#call).next();
    const chain = (this.#chain ??= new Chain(this.set, this.signal));
    while (!this.#isOver) {
      this.#call = this.#callOf(chain);
      try {
        const result = await this.#call.next();
        this.#isHeard = true;
        return result;
      } catch (error) {
        if ((await this.#fellOver(chain, error)) || this.#isOver) continue;
        this.#isOver = true;
        throw error;
      }
    }
    return { value: undefined, done: true };
  }

  /** @param {Chain} chain */
  #callOf(chain) {
    const { target, policy, earlier } = chain.turn();
    const { isOutput, partial } = target;
    return new StreamCall(policy, operationOf(target, this.input), { signal: this.signal, isOutput, partial, earlier }, this.stream);
  }

  /**
   * Whether the next target is to be asked, if the consumer has not left.
   *
   * @param {Chain} chain
   * @param {unknown} failure
   */
  async #fellOver(chain, failure) {
    const { signal, stream } = this;
    const between = (this.#between = new AbortController());
    const onAbort = () => between.abort(signal?.reason);
    if (signal?.aborted) onAbort();
    else signal?.addEventListener('abort', onAbort);
    try {
      const goesOn = await chain.fellOver(failure, between.signal);
      if (goesOn) remember(stream, KeptHistory.of(chain.soFar));
      return goesOn;
    } catch (error) {
      // Who has left is told of nothing.
      if (this.#isOver) return false;
      this.#isOver = true;
      const history = historyOf(error);
      if (history !== undefined) remember(stream, KeptHistory.of(history));
      throw error;
    } finally {
      signal?.removeEventListener('abort', onAbort);
    }
  }

  async close() {
    this.#isOver = true;
    this.#between?.abort(new DOMException('the stream was closed', 'AbortError'));
    await this.#call?.close();
  }
}
