// Clocks for the tests. Nothing here is Node's: the browser and workerd suites use it too.

/** Thu, 15 Jan 2026 12:00:00 GMT */
export const NOON = 1_768_478_400_000;

/**
 * A clock whose sleeps end at once and move its time on. `waits` lists them. `wallMs` and
 * `monoMs` may be set, to make a clock jump or a laptop sleep.
 */
export function fakeClock({ wallMs = NOON, monoMs = 5000 } = {}) {
  return {
    wallMs,
    monoMs,
    /** @type {number[]} */
    waits: [],
    now() {
      return this.wallMs;
    },
    mono() {
      return this.monoMs;
    },
    async sleep(ms) {
      this.waits.push(ms);
      this.advance(ms);
    },
    advance(ms) {
      this.wallMs += ms;
      this.monoMs += ms;
    },
  };
}

/** A clock whose sleeps last for ever and take no notice of the signal. */
export function stoppedClock() {
  const clock = fakeClock();
  const { promise, resolve } = deferred();
  return Object.assign(clock, {
    /** Resolves once a sleep has begun. */
    asleep: promise,
    sleep(ms) {
      clock.waits.push(ms);
      resolve();
      return new Promise(() => {});
    },
  });
}

/** A promise and its two ends. */
export function deferred() {
  let resolve;
  let reject;
  const promise = new Promise((yes, no) => {
    resolve = yes;
    reject = no;
  });
  return { promise, resolve, reject };
}

/** Lets everything that is due happen, macrotasks included. */
export async function settled(turns = 5) {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setTimeout(resolve, 0));
}
