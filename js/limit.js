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
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    this.timer = undefined;
    this.signal = callers === undefined ? this.controller.signal : either(callers, this.controller);
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
    const { deadlineMs } = this.settings;
    if (this.coversBody || deadlineMs === 0) return;
    this.byDeadline = true;
    this.limitMs = deadlineMs - (this.sentAt - started);
  }

  /** Lets the limit run on while the caller reads the body. */
  watchBody() {
    if (this.byDeadline || !this.settings.coversResponse) return;
    this.timer = setTimeout(() => this.reached(), this.leftMs());
    // Of most bodies nobody can tell when the caller has read them, so the timer must not keep Node alive.
    /** @type {any} */ (this.timer).unref?.();
  }

  /** The body has ended. */
  unwatch() {
    clearTimeout(this.timer);
  }

  /** Ends the attempt, and says which option did. */
  reached() {
    const { deadlineMs, timeoutMs, coversResponse } = this.settings;
    const text = this.byDeadline
      ? `deadlineMs: the call did not end within ${deadlineMs} ms`
      : `timeoutMs: the attempt did not ${coversResponse ? 'end' : 'answer'} within ${timeoutMs} ms`;
    const error = new DOMException(text, 'TimeoutError');
    this.controller.abort(error);
    return error;
  }
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

/**
 * A signal that follows two. `AbortSignal.any` holds both weakly, so the link lives as long
 * as the body that is read under it, and leaves no listener on the caller's.
 *
 * @param {AbortSignal} callers
 * @param {AbortController} ours
 * @returns {AbortSignal}
 */
function either(callers, ours) {
  try {
    if (callers instanceof AbortSignal) return AbortSignal.any([callers, ours.signal]);
  } catch {
    // An older runtime: as with a signal of another library, it is followed by hand.
  }
  callers.addEventListener('abort', () => ours.abort(callers.reason), { once: true, signal: ours.signal });
  return ours.signal;
}
