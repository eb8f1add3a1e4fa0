import { ignore } from './body.js';
import { judge, mayFail } from './chunks.js';
import { isError, read } from './errors.js';
import { ENDING, Facts } from './facts.js';
import { streamTimeout } from './limit.js';
import { iteratorOf, release, releaseLate } from './source.js';
import { bytesOf } from './thrown.js';
import { NEVER, Timers } from './timers.js';
import { ToldTokens, usageOf } from './usage.js';

/** @typedef {import('./retry-stream.js').StreamCall} StreamCall */

/** What a step ends with when the attempt ended, or was handed over, before it. */
const GONE = Symbol('gone');

/** How many chunks may be held back, whatever their size. */
const HELD = 1000;
/** How many of the last chunks are looked at for the end: behind its reason may come usage and the like. */
const LAST = 6;
/** How long the consumer who leaves waits for the source to let go. */
const CLOSE_MS = 1000;

/** One attempt of a stream: from the call of the function until the last chunk. */
export class StreamAttempt {
  /**
   * @param {StreamCall} call
   * @param {number} attempt
   * @param {number} limitMs
   * @param {boolean} byDeadline
   */
  constructor(call, attempt, limitMs, byDeadline) {
    this.call = call;
    this.attempt = attempt;
    this.limitMs = limitMs;
    this.byDeadline = byDeadline;
    this.controller = new AbortController();
    /** @type {import('./source.js').Source | undefined} */
    this.source = undefined;
    /** @type {Promise<any> | undefined} What the source was asked for and has not given yet. */
    this.asked = undefined;
    /** @type {((gone: typeof GONE) => void) | undefined} Ends the step that is under way. */
    this.leave = undefined;
    this.timers = new Timers();
    /** @type {unknown[]} */
    this.held = [];
    this.heldChars = 0;
    /** How many of them the consumer has had. */
    this.given = 0;
    /** Whether the consumer has it. */
    this.handedOver = false;
    this.over = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.limit = undefined;
    /** @type {{ chunk: unknown, judged: import('./chunks.js').Judged } | undefined} The end that names a failure. */
    this.failedEnd = undefined;
    /** @type {IteratorResult<any, any> | undefined} What the source ended with before the consumer had all of it. */
    this.final = undefined;
    this.hasEnd = false;
    this.isKnown = false;
    this.ended = false;
    /** @type {unknown[]} */
    this.last = [];
    this.tokens = new ToldTokens(call.extract);
    /** @type {(facts: Facts | null) => void} */
    this.settle = ignore;
    /** @type {Promise<Facts | null>} */
    this.result = new Promise((resolve) => {
      this.settle = resolve;
    });
  }

  /** Reads until the first output, or to the end where there is none. */
  async open() {
    const { call, attempt, controller: { signal } } = this;
    const { settings } = call;
    const { firstOutputTimeoutMs } = settings;
    this.limit = this.timers.after(this.limitMs, () => this.timedOut());
    this.timers.after(firstOutputTimeoutMs || NEVER, () => this.tooSlow(streamTimeout('firstOutputTimeoutMs', firstOutputTimeoutMs)));
    try {
      /** @type {any} */
      const given = call.operation({ attempt, signal });
      const stream = typeof given?.then === 'function' ? await this.step(given, releaseLate) : given;
      if (stream === GONE) return;
      if (this.over) return releaseLate(stream);
      this.source = iteratorOf(stream);
      this.timers.after(settings.holdOpeningMs || NEVER, () => this.handOver());
      for (;;) {
        const result = await this.pull();
        if (result === GONE || this.over) return;
        if (result.done) return this.endedUnheard(result);
        this.held.push(result.value);
        if (this.opens(result.value) || this.over) return;
      }
    } catch (error) {
      this.threw(error);
    }
  }

  /**
   * What a chunk of the opening means: true when it was handed over.
   *
   * @param {unknown} chunk
   */
  opens(chunk) {
    const { isOutput, settings } = this.call;
    this.tokens.see(chunk);
    const isHeard = isOutput === undefined ? false : Boolean(isOutput(chunk));
    if (this.over) return false;
    const judged = judge(chunk);
    this.hasEnd ||= judged.hasEnd;
    this.isKnown ||= judged.isKnown;
    this.ended ||= judged.isEnd;
    if (isHeard || (isOutput === undefined && judged.isOutput)) return this.handOver();
    if (judged.isFailure) return this.failed(chunk, judged);
    if (judged.isFailedEnd) this.failedEnd = { chunk, judged };
    this.heldChars += judged.text?.length ?? 0;
    return this.held.length >= HELD || this.heldChars >= settings.openingBytes || settings.holdOpeningMs === 0 ? this.handOver() : false;
  }

  handOver() {
    this.handedOver = true;
    // Where the limit is for the whole answer it goes on.
    const goesOn = this.call.settings.coversResponse && !this.byDeadline;
    this.timers.clear(goesOn ? this.limit : undefined);
    this.leave?.(GONE);
    this.call.handedOver(this);
    return true;
  }

  /**
   * The next chunk for the consumer, who has been handed the stream; `undefined` once the
   * attempt is over.
   *
   * @returns {Promise<IteratorResult<any, any> | undefined>}
   */
  async take() {
    if (this.over) return undefined;
    const { held, call } = this;
    if (this.given < held.length) {
      const value = held[this.given];
      held[this.given++] = undefined;
      return this.heard(value);
    }
    if (this.final !== undefined) {
      call.last = this.final;
      this.finish(null);
      return undefined;
    }
    try {
      const result = await this.pull();
      if (result === GONE || this.over) return undefined;
      if (result.done) {
        this.endedHeard(result);
        return undefined;
      }
      const { value } = result;
      if (call.readsUsage) this.tokens.see(value);
      if (mayFail(value) && !call.isOutput?.(value) && !this.over) {
        const judged = judge(value);
        if (judged.isFailure) {
          this.last.push(value);
          this.failed(value, judged);
          return undefined;
        }
      }
      return this.over ? undefined : this.heard(value);
    } catch (error) {
      this.threw(error);
      return undefined;
    }
  }

  /** @param {unknown} value */
  heard(value) {
    if (this.last.push(value) > LAST) this.last.shift();
    this.call.partial?.see(value);
    return { value, done: false };
  }

  /** What the source gives next. */
  async pull() {
    const { idleTimeoutMs } = this.call.settings;
    const idle = idleTimeoutMs > 0
      ? this.timers.after(idleTimeoutMs, () => this.tooSlow(streamTimeout('idleTimeoutMs', idleTimeoutMs)))
      : undefined;
    this.asked ??= Promise.resolve(/** @type {import('./source.js').Source} */ (this.source).next());
    try {
      const result = await this.step(this.asked);
      if (result === GONE) return GONE;
      this.asked = undefined;
      if (typeof result === 'object' && result !== null) return result;
      throw new TypeError('retryStream: the iterator gave what is no result');
    } catch (error) {
      this.asked = undefined;
      throw error;
    } finally {
      this.timers.never(idle);
    }
  }

  /**
   * Ends as `promise` does, or with GONE when the attempt is gone before.
   *
   * @param {unknown} promise
   * @param {(value: any) => void} [late]
   * @returns {Promise<any>}
   */
  step(promise, late = ignore) {
    return new Promise((resolve, reject) => {
      const leave = (/** @type {typeof GONE} */ gone) => {
        this.leave = undefined;
        resolve(gone);
      };
      const isHere = () => this.leave === leave && ((this.leave = undefined), true);
      this.leave = leave;
      Promise.resolve(promise).then(
        (value) => (isHere() ? resolve(value) : late(value)),
        (error) => (isHere() ? reject(error) : undefined),
      );
      if (this.over) leave(GONE);
    });
  }

  /** @param {IteratorResult<any, any>} result */
  endedUnheard(result) {
    this.asked = this.source = undefined;
    if (this.failedEnd !== undefined) return this.failed(this.failedEnd.chunk, this.failedEnd.judged);
    if (this.isKnown && !this.ended && this.call.isOutput === undefined) return this.brokeOff();
    this.final = result;
    return this.handOver();
  }

  /** @param {IteratorResult<any, any>} result */
  endedHeard(result) {
    this.asked = this.source = undefined;
    const hasEnded = () => this.ended || this.last.findLast((chunk) => {
      const { isEnd, isFailure } = judge(chunk);
      return isEnd || isFailure;
    }) !== undefined;
    if (this.hasEnd && this.call.isOutput === undefined && !hasEnded()) return this.brokeOff();
    this.call.last = result;
    return this.finish(null);
  }

  /** A stream of a known shape is over without its end. */
  brokeOff() {
    this.call.error = new Error('the stream ended without a finish reason or the end marker of its format; where it has neither, give isOutput');
    return this.fails(this.call.errorFacts(this.call.error, this.attempt - 1, ENDING.truncated));
  }

  /** @param {unknown} error */
  threw(error) {
    if (this.over) return;
    this.asked = undefined;
    this.fails(this.call.thrownFacts(error, this.attempt - 1));
  }

  /**
   * @param {any} chunk
   * @param {import('./chunks.js').Judged} judged
   */
  failed(chunk, judged) {
    const error = read(chunk, 'error');
    let facts;
    if (isError(error)) facts = this.call.thrownFacts(error, this.attempt - 1);
    else {
      this.call.error = chunk;
      facts = new Facts(ENDING.inBand);
    }
    // An error that says nothing of a response is one that was told in the stream.
    if (facts.status === 0 && facts.raisedKind === undefined) {
      facts.ending = ENDING.inBand;
      facts.body = bytesOf(judged.text, Infinity);
    }
    // The tokens of an answer may come behind the reason for its end.
    this.ended = judged.isEnd && (this.source === undefined || usageOf(chunk, this.call.extract) !== undefined);
    this.fails(facts);
    return false;
  }

  timedOut() {
    const { deadlineMs, timeoutMs } = this.call.settings;
    const text = this.byDeadline
      ? `deadlineMs: the call had no output within ${deadlineMs} ms`
      : `timeoutMs: the attempt ${this.handedOver ? 'did not end' : 'had no output'} within ${timeoutMs} ms`;
    this.tooSlow(new DOMException(text, 'TimeoutError'), this.byDeadline ? ENDING.deadlinePassed : ENDING.timedOut);
  }

  /**
   * @param {DOMException} error
   * @param {number} [ending]
   */
  tooSlow(error, ending = ENDING.timedOut) {
    if (this.over) return;
    this.call.error = error;
    this.fails(this.call.errorFacts(error, this.attempt - 1, ending), () => this.controller.abort(error));
  }

  /** @param {unknown} reason */
  cancel(reason) {
    if (!this.over) this.fails(new Facts(ENDING.cancelled), () => this.controller.abort(reason));
  }

  /**
   * @param {Facts} facts
   * @param {() => void} [stop]
   */
  fails(facts, stop = ignore) {
    // A function of the caller's may have ended it meanwhile.
    if (this.over) return;
    if (this.handedOver) for (const chunk of this.last) this.tokens.see(chunk);
    facts.streamed = this.handedOver;
    const told = this.tokens.read();
    facts.usage ??= told;
    // Where output had begun it cost more than anybody can have told yet.
    facts.usageIsLowerBound ||= !this.ended && (this.handedOver || facts.usage === told && told !== undefined);
    this.finish(facts);
    stop();
    this.release(new DOMException('the attempt failed', 'AbortError'));
  }

  /**
   * Lets go of the source without waiting for it.
   *
   * @param {unknown} reason
   */
  release(reason) {
    const { source, asked } = this;
    if (source !== undefined) asked?.catch(ignore);
    const released = source && release(source);
    // An iterator that has been asked for a chunk lets go only when it has that one.
    if (asked !== undefined || released === undefined) this.controller.abort(reason);
    return released;
  }

  /**
   * The consumer leaves. Ends when the source has let go, or a second later.
   *
   * @returns {Promise<void>}
   */
  async close() {
    if (this.over) return;
    this.finish(this.handedOver ? null : new Facts(ENDING.cancelled));
    const reason = new DOMException('the stream was closed', 'AbortError');
    const released = this.release(reason);
    if (released === undefined) return;
    let timer;
    const patience = new Promise((resolve) => {
      timer = setTimeout(() => {
        this.controller.abort(reason);
        resolve(undefined);
      }, CLOSE_MS);
    });
    try {
      await Promise.race([released, patience]);
    } finally {
      clearTimeout(timer);
    }
  }

  /** @param {Facts | null} facts */
  finish(facts) {
    this.over = true;
    this.timers.clear();
    this.leave?.(GONE);
    this.settle(facts);
  }
}
