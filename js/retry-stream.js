import { aftermath } from './aftermath.js';
import { ignore } from './body.js';
import { LEFT, UNSENT } from './call.js';
import { configError, show } from './errors.js';
import { ENDING, Facts } from './facts.js';
import { addFault, policyWith } from './faults.js';
import { cancelledUnsent, historiesSoFar, remember } from './history.js';
import { forOneCall, optionsIn } from './policy.js';
import { Partial } from './partial.js';
import { resumed } from './resume.js';
import { OperationCall } from './retry.js';
import { callersSignal } from './signals.js';
import { StreamAttempt } from './stream-attempt.js';

/** @import { RetryStreamOptions, StopMark, StreamAttemptContext } from './types.d.ts' */
/** @typedef {import('./policy.js').RetryPolicy} RetryPolicy */

/** @type {() => IteratorReturnResult<undefined>} */
const done = () => ({ value: undefined, done: true });

/** Older runtimes have no such symbol, and nobody who would ask for it. */
const DISPOSE = /** @type {typeof Symbol.asyncDispose} */ (Symbol.asyncDispose ?? Symbol('asyncDispose'));

/**
 * What a stream is retried with, beside the policy.
 *
 * @typedef {object} StreamSetup
 * @property {AbortSignal | undefined} signal
 * @property {((chunk: any) => unknown) | undefined} isOutput
 * @property {true | number | undefined} partial
 * @property {import('./earlier.js').Earlier | undefined} [earlier]
 */

/**
 * @param {(context: StreamAttemptContext) => any} fn
 * @param {RetryStreamOptions<any>} [options]
 * @returns {RetriedStream}
 */
export function retryStream(fn, options) {
  if (typeof fn !== 'function') throw configError(`retryStream: the function is ${show(fn)}, must be a function`);
  const { signal: given, resume, ...rest } = optionsIn(options ?? {});
  const signal = callersSignal(given, 'retryStream');
  const { policy, ...setup } = streamPolicy(rest, []);
  const all = { signal, ...setup, earlier: resumed(resume, policy) };
  return new RetriedStream((stream) => new StreamCall(forOneCall(policy, rest.policy), fn, all, stream));
}

/**
 * The policy, and the options that are no policy's, checked.
 *
 * @param {any} options
 * @param {import('./types.d.ts').ConfigFault[]} faults Those found before.
 */
export function streamPolicy(options, faults) {
  if (typeof options !== 'object' || options === null) return { policy: policyWith(options, faults), isOutput: undefined, partial: undefined };
  const { own, ...setup } = streamOptions(options, faults);
  return { policy: policyWith(own, faults), ...setup };
}

/**
 * The options that are no policy's, checked, and its own.
 *
 * @param {any} options
 * @param {import('./types.d.ts').ConfigFault[]} faults
 * @param {string} [at] What stands before their names in a fault.
 */
export function streamOptions({ isOutput, partial, ...own }, faults, at = '') {
  if (isOutput !== undefined && typeof isOutput !== 'function') addFault(faults, `${at}isOutput`, isOutput, 'type', 'a function');
  if (partial !== undefined && typeof partial !== 'boolean') {
    const allowed = 'true, or a whole number of characters from 1 on';
    if (typeof partial !== 'number') addFault(faults, `${at}partial`, partial, 'type', allowed);
    else if (!Number.isSafeInteger(partial) || partial < 1) addFault(faults, `${at}partial`, partial, 'range', allowed);
  }
  return { own, isOutput, partial: partial || undefined };
}

/** The stream as its consumer has it: an async generator in all but its class. */
export class RetriedStream {
  #call;
  /** @type {Promise<void> | undefined} The `next` that is under way. */
  #turn;

  /** @param {(stream: RetriedStream) => { next(): Promise<IteratorResult<any, any>>, close(): Promise<void> }} begin */
  constructor(begin) {
    this.#call = begin(this);
  }

  [Symbol.asyncIterator]() {
    return this;
  }

  /** @returns {Promise<IteratorResult<any, any>>} */
  next() {
    const call = this.#call;
    const result = this.#turn === undefined ? call.next() : this.#turn.then(() => call.next());
    const over = () => {
      if (this.#turn === turn) this.#turn = undefined;
    };
    const turn = result.then(over, over);
    this.#turn = turn;
    return result;
  }

  /**
   * @param {any} [value]
   * @returns {Promise<IteratorResult<any, any>>}
   */
  async return(value) {
    // As a generator does, which has to wait for what it returns.
    const [returned] = await Promise.all([value, this.#call.close()]);
    return { value: returned, done: true };
  }

  /**
   * @param {unknown} error
   * @returns {Promise<IteratorResult<any, any>>}
   */
  async throw(error) {
    await this.#call.close().catch(ignore);
    throw error;
  }

  async [DISPOSE]() {
    await this.#call.close();
  }
}

/**
 * One call of a function that streams. An attempt lasts until the last chunk, so that the
 * call knows how it ended, however late.
 *
 * @extends {OperationCall<unknown>}
 */
export class StreamCall extends OperationCall {
  /**
   * @param {RetryPolicy} policy
   * @param {(context: any) => any} fn
   * @param {StreamSetup} setup
   * @param {RetriedStream} stream
   */
  constructor(policy, fn, { signal, isOutput, partial, earlier }, stream) {
    super(policy, undefined, 0, fn);
    this.earlier = earlier;
    this.stream = stream;
    this.callers = signal;
    this.isOutput = isOutput;
    this.partial = partial === undefined ? undefined : new Partial(partial);
    /** Whether chunks behind the first output are looked at for what they tell of tokens. */
    this.readsUsage = Boolean(/** @type {any} */ (this.settings.given).usage);
    /** @type {AbortController | undefined} Ends the waits and hooks of the engine. */
    this.controller = undefined;
    /** @type {StreamAttempt | undefined} The attempt that is under way. */
    this.current = undefined;
    /** @type {StreamAttempt | undefined} The one that the consumer has. */
    this.opened = undefined;
    /** @type {IteratorResult<any, any> | undefined} What the source ended with. */
    this.last = undefined;
    /** Whether the consumer has left. */
    this.isClosed = false;
    /** Whether the consumer knows how it ended, or does not want to. */
    this.isOver = false;
    /** @type {Promise<unknown> | undefined} How the call ends. */
    this.outcome = undefined;
    this.tellReady = ignore;
    /** @type {Promise<void>} Resolves when there is a stream to read, or none will be. */
    this.ready = new Promise((resolve) => {
      this.tellReady = resolve;
    });
    this.onAbort = () => {
      const { reason } = /** @type {AbortSignal} */ (this.callers);
      this.current?.cancel(reason);
      this.controller?.abort(reason);
    };
  }

  /** @returns {Promise<IteratorResult<any, any>>} */
  async next() {
    if (this.isOver) return done();
    if (this.outcome === undefined) this.start();
    if (this.opened === undefined) await this.ready;
    const result = await this.opened?.take();
    if (result !== undefined) return result;
    if (this.isOver) return done();
    this.isOver = true;
    await this.outcome;
    return this.last ?? done();
  }

  start() {
    const { callers } = this;
    if (callers?.aborted) {
      this.isOver = true;
      throw cancelledUnsent(callers, this.earlier);
    }
    this.started = this.settings.mono();
    callers?.addEventListener('abort', this.onAbort);
    this.outcome = this.run();
    const over = () => {
      callers?.removeEventListener('abort', this.onAbort);
      this.tellReady();
    };
    this.outcome.then(over, over);
  }

  async run() {
    const { guards } = this.settings;
    const claim = guards && this.admit(guards.ofOperation());
    if (claim !== undefined) await claim;
    let facts;
    try {
      facts = this.isClosed ? new Facts(ENDING.cancelled) : await this.attempt(this.firstAttempt, ...this.firstLimit());
    } finally {
      if (facts === null && !this.isClosed) this.admission?.succeeded();
      if (facts === undefined || this.isClosed) this.admission?.released();
    }
    const history = facts === null ? this.resumedHistory() : undefined;
    if (history !== undefined) remember(this.stream, history);
    // A call that succeeds at once has no history, nor has one that is left at once.
    return facts === null || this.isClosed ? undefined : this.enter(/** @type {import('./facts.js').Facts} */ (facts));
  }

  /** The consumer leaves. */
  async close() {
    if (this.isOver) return;
    this.isOver = true;
    this.isClosed = true;
    const closed = this.current?.close();
    if (this.opened === undefined) this.controller?.abort(new DOMException('the stream was closed', 'AbortError'));
    this.tellReady();
    await closed;
  }

  /** @param {StreamAttempt} attempt */
  handedOver(attempt) {
    this.opened = attempt;
    this.tellReady();
  }

  /** @override What it tells of tokens is in its chunks. */
  told() {
    return this.usage;
  }

  /** @override A stream belongs to its consumer from its first chunk on, which only one attempt can be. */
  get isHedged() {
    return false;
  }

  /**
   * @override
   * @param {number} attempt
   * @param {number} limitMs
   * @param {boolean} byDeadline
   * @returns {Promise<any>}
   */
  async attempt(attempt, limitMs, byDeadline) {
    if (this.signal?.aborted) return UNSENT.cancelled;
    this.before = historiesSoFar();
    const current = new StreamAttempt(this, attempt, limitMs, byDeadline);
    this.current = current;
    current.open();
    const facts = await current.result;
    this.current = undefined;
    if (facts === null && this.readsUsage && !this.isClosed) {
      this.usage = current.tokens.read();
      // Only a call that enters the engine has a history of its own.
      if (attempt === 1 && this.usage !== undefined) remember(this.stream, aftermath(/** @type {any} */ (this), undefined, undefined, this.usage));
    }
    return facts;
  }

  /**
   * @override
   * @param {import('./facts.js').Facts} facts
   */
  enter(facts) {
    this.controller = new AbortController();
    this.signal = this.controller.signal;
    // Since the attempt ended.
    if (this.callers?.aborted) this.controller.abort(this.callers.reason);
    else if (this.isClosed) this.controller.abort();
    return super.enter(facts);
  }

  /**
   * @override
   * @param {import('./facts.js').Facts | null | number} facts
   */
  stands(facts) {
    super.stands(facts);
    if (facts === null && this.isClosed) this.standing = LEFT;
  }

  /** @override */
  leave() {
    this.current?.close().catch(ignore);
  }

  /**
   * @override
   * @param {StopMark | undefined} mark
   * @param {import('./history.js').KeptHistory} history
   */
  settle(mark, history) {
    remember(this.stream, history);
    if (mark === 'cancelled' && this.isClosed && !this.callers?.aborted) return this.resolve(undefined);
    return super.settle(mark, history);
  }

  /**
   * @override
   * @param {(text: string) => string} mask
   */
  partialOf(mask) {
    return this.opened && this.partial?.read(mask);
  }
}
