export const NEVER = -1;

/** @typedef {ReturnType<typeof setTimeout>} Timer */

/** Timers that end together. */
export class Timers {
  /** @type {Set<Timer>} */
  #running = new Set();

  /**
   * @param {number} ms Below zero is never.
   * @param {() => void} then
   */
  after(ms, then) {
    if (ms < 0) return undefined;
    const timer = setTimeout(() => {
      this.#running.delete(timer);
      then();
    }, ms);
    this.#running.add(timer);
    return timer;
  }

  /** @param {Timer | undefined} timer */
  never(timer) {
    if (timer === undefined) return;
    clearTimeout(timer);
    this.#running.delete(timer);
  }

  /** @param {Timer} [rest] What goes on. */
  clear(rest) {
    for (const timer of this.#running) if (timer !== rest) this.never(timer);
  }
}
