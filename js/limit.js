/** @type {FinalizationRegistry<() => void> | undefined} Ends links whose answer nobody can read any more. */
let unread;

/** The limit of one attempt: its signal, and what is left of it for the body. */
export class Limit {
  /**
   * @param {import('./policy.js').Settings} settings
   * @param {number} limitMs
   * @param {boolean} byDeadline
   * @param {AbortSignal | undefined} callers
   */
  constructor(settings, limitMs, byDeadline, callers) {
    this.settings = settings;
    this.limitMs = limitMs;
    this.byDeadline = byDeadline;
    this.sentAt = settings.mono();
    this.controller = new AbortController();
    /** @type {number | undefined} What is left for reading the answer; `undefined` where that is not limited. */
    this.readingMs = undefined;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    /** Whether the answer's body may have more to come. */
    this.isOpen = false;
    /** @type {(() => void) | undefined} Ends the link to the caller's signal, where it was made by hand. */
    this.unlink = undefined;
    this.signal = callers === undefined ? this.controller.signal : this.either(callers);
  }

  /** Whether running out of time while a body is read is a failure. */
  get coversBody() {
    return this.byDeadline || this.settings.coversResponse;
  }

  /** What is left of it. */
  leftMs() {
    return Math.max(0, this.limitMs - (this.settings.mono() - this.sentAt));
  }

  /**
   * The headers of a streamed answer have come: where the limit was for them, only the call's
   * deadline counts from now on.
   *
   * @param {number} started When the call began.
   */
  headersCame(started) {
    this.isOpen = true;
    const { deadlineMs } = this.settings;
    if (this.coversBody || deadlineMs === 0) return;
    this.byDeadline = true;
    this.limitMs = deadlineMs - (this.sentAt - started);
  }

  /**
   * The attempt is over, and its body is not: what is left of `timeoutMs` is for reading that,
   * whatever time hooks and waits take until the caller has it. The deadline ends at the delivery.
   *
   * @param {Response} response
   */
  keepForBody(response) {
    this.isOpen = response.body !== null;
    const { coversResponse, timeoutMs } = this.settings;
    if (!coversResponse || timeoutMs === 0 || !this.isOpen) return;
    this.byDeadline = false;
    this.limitMs = timeoutMs;
    this.readingMs = this.leftMs();
  }

  /**
   * The caller reads the body from now on.
   *
   * @param {(error: DOMException) => void} [then] Told of the end of time.
   */
  watchBody(then) {
    if (this.readingMs === undefined) return;
    this.timer = setTimeout(() => {
      const error = this.reached();
      then?.(error);
    }, this.readingMs);
    // Of most bodies nobody can tell when the caller has read them, so the timer must not keep Node alive.
    /** @type {any} */ (this.timer).unref?.();
  }

  /** The body has ended. */
  end() {
    clearTimeout(this.timer);
    this.unlink?.();
  }

  /**
   * Nobody will read what is left of the body. Firefox closes the connection of one that stalls when its signal aborts, and
   * not when it is cancelled; until then a GET of the same URL waits for it.
   */
  drop() {
    this.end();
    if (this.isOpen) this.controller.abort();
  }

  /**
   * The attempt succeeded with this. A link that was made by hand lasts as long as it can be read, so that an abort
   * still ends that.
   *
   * @param {any} answer
   */
  lasts(answer) {
    const { unlink } = this;
    if (unlink === undefined) return;
    const read = answer?.body === undefined ? answer : answer.body;
    if (Object(read) !== read) unlink();
    else if (globalThis.FinalizationRegistry) (unread ??= new FinalizationRegistry((end) => end())).register(read, unlink);
  }

  /** Ends the attempt, and says which option did. */
  reached() {
    const { deadlineMs, timeoutMs, coversResponse } = this.settings;
    const text = `timeoutMs: the attempt did not ${coversResponse ? 'end' : 'answer'} within ${timeoutMs} ms`;
    const error = this.byDeadline ? deadlineReached(deadlineMs) : new DOMException(text, 'TimeoutError');
    this.controller.abort(error);
    return error;
  }

  /**
   * A signal that follows the caller's and ours. `AbortSignal.any` holds both weakly, so the
   * link lives as long as the body that is read under it, and leaves no listener on the caller's.
   *
   * @param {AbortSignal} callers
   * @returns {AbortSignal}
   */
  either(callers) {
    const ours = this.controller;
    try {
      // Throws for all but a platform's signal, which may be another realm's: Node would take anything, and not follow it.
      Reflect.get(AbortSignal.prototype, 'aborted', callers);
      return AbortSignal.any([callers, ours.signal]);
    } catch {
      // An older runtime: as with a signal of another library, it is followed by hand.
    }
    const follow = () => ours.abort(callers.reason);
    const unlink = () => callers.removeEventListener('abort', follow);
    callers.addEventListener('abort', follow);
    // Another library may know no options of addEventListener.
    ours.signal.addEventListener('abort', unlink);
    this.unlink = unlink;
    return ours.signal;
  }
}

/** @param {number} deadlineMs */
export function deadlineReached(deadlineMs) {
  return new DOMException(`deadlineMs: the call did not end within ${deadlineMs} ms`, 'TimeoutError');
}

/**
 * The error of a stream that was too slow.
 *
 * @param {'idleTimeoutMs' | 'firstOutputTimeoutMs'} option
 * @param {number} ms
 */
export function streamTimeout(option, ms) {
  const text = option === 'idleTimeoutMs' ? `the stream sent nothing for ${ms} ms` : `there was no output within ${ms} ms`;
  return new DOMException(`${option}: ${text}`, 'TimeoutError');
}
