import { answered, ask } from './ask.js';
import { currentGeneration } from './engine.js';
import { RetryError } from './errors.js';
import { unsentWith } from './history.js';
import { beforePath, keyFor, originOf } from './keys.js';

/** @typedef {import('./breaker.js').BreakerCell} BreakerCell */
/** @typedef {import('./budget.js').BudgetCell} BudgetCell */
/** @typedef {import('./cells.js').Clocks} Clocks */
/** @typedef {import('./keys.js').KeyOption} KeyOption */
/** @typedef {import('../pkg/dacapo.js').GuardHandle} GuardHandle */

/** How a call ended that the engine does not drive, as it numbers that. */
const OUTCOME = Object.freeze({ success: 0, neutral: 1 });

/** So many guards are remembered. */
const MOST = 1024;

/** What a URL has that may hold a secret, which is not to be kept. */
const MAY_BE_SECRET = /[?#@]/;

/**
 * What stands behind an option: where its states are, and by what they are told apart.
 *
 * @template {import('./cells.js').Cell<any>} C
 * @typedef {{ readonly cells: import('./cells.js').Cells<C>, readonly key: KeyOption }} Kept
 */

/** The guards of a policy that has a breaker, a budget or both. */
export class Guards {
  #breaker;
  #budget;
  #mono;
  #isByOrigin;
  #shown;
  /** @type {Map<string, Guard>} By their keys; where these are origins a URL has the same in front. */
  #known = new Map();
  /** @type {string | undefined} The last call's, since the next one's is mostly the same. */
  #url = undefined;
  /** @type {Guard | undefined} */
  #last = undefined;

  /**
   * @param {Kept<BreakerCell> | undefined} breaker
   * @param {Kept<BudgetCell> | undefined} budget
   * @param {() => number} mono
   * @param {(url: string) => string} shown The URL without what a key must not be made of.
   */
  constructor(breaker, budget, mono, shown) {
    this.#breaker = breaker;
    this.#budget = budget;
    this.#mono = mono;
    this.#shown = shown;
    this.#isByOrigin = breaker?.key === undefined && budget?.key === undefined;
  }

  /**
   * What a call of a URL is asked by.
   *
   * @param {string} url
   */
  of(url) {
    if (!this.#isByOrigin) return this.#under(this.#breaker && keyFor(this.#breaker.key, url, this.#shown), this.#budget && keyFor(this.#budget.key, url, this.#shown));
    if (url === this.#url && this.#last?.isKept) return this.#last;
    const origin = beforePath(url);
    // What has a scheme and is known can only be an origin.
    const known = origin === undefined ? undefined : this.#known.get(origin);
    const guard = known?.isKept ? known.touched() : this.#ofOrigin(originOf(url));
    this.#url = MAY_BE_SECRET.test(url) ? undefined : url;
    this.#last = guard;
    return guard;
  }

  /** @param {string} origin */
  #ofOrigin(origin) {
    return this.#under(this.#breaker && origin, this.#budget && origin);
  }

  /** What a call is asked by whose URL is not ours to see. */
  ofOperation() {
    return this.#under(nameOf(this.#breaker), nameOf(this.#budget));
  }

  /**
   * @param {string | undefined} breakerKey
   * @param {string | undefined} budgetKey
   */
  #under(breakerKey, budgetKey) {
    const isOne = breakerKey === undefined || budgetKey === undefined || breakerKey === budgetKey;
    const name = isOne ? breakerKey ?? budgetKey ?? '' : `${breakerKey}\n${budgetKey}`;
    const known = this.#known.get(name);
    if (known?.isKept) return known.touched();
    if (this.#known.size >= MOST) this.#known.clear();
    const guard = new Guard(
      breakerKey === undefined ? undefined : this.#breaker?.cells.of(breakerKey),
      budgetKey === undefined ? undefined : this.#budget?.cells.of(budgetKey),
      this.#mono,
    );
    this.#known.set(name, guard);
    return guard;
  }
}

/** @param {Kept<any> | undefined} kept */
function nameOf(kept) {
  return kept && (typeof kept.key === 'string' ? kept.key : '');
}

/** What the calls of one key are asked by. */
export class Guard {
  /** @type {GuardHandle | undefined} */
  #handle = undefined;
  #generation = 0;

  /**
   * @param {BreakerCell | undefined} breaker
   * @param {BudgetCell | undefined} budget
   * @param {() => number} mono
   */
  constructor(breaker, budget, mono) {
    this.breaker = breaker;
    this.budget = budget;
    this.mono = mono;
  }

  /** Whether its states are still those of their keys. */
  get isKept() {
    return this.breaker?.isKept !== false && this.budget?.isKept !== false;
  }

  touched() {
    this.breaker?.touch();
    this.budget?.touch();
    return this;
  }

  get handle() {
    if (this.#handle === undefined || this.#generation !== currentGeneration()) {
      const { breaker, budget } = this;
      this.#handle = ask(({ GuardHandle }) => new GuardHandle(breaker?.handle.share(), budget?.handle.share()));
      this.#generation = currentGeneration();
    }
    return this.#handle;
  }

  /**
   * Asks for a call.
   *
   * @param {number} mono
   * @returns {number | Promise<number>} A token to report it with; below zero it is refused.
   */
  admit(mono) {
    const { breaker, handle } = this;
    let token;
    try {
      token = handle.admit(mono);
    } catch (error) {
      throw answered(error);
    }
    if (breaker === undefined || token === breaker.calm) return token;
    if (token >= 0) return breaker.admitted(token, mono);
    breaker.refused();
    return token;
  }

  /**
   * A call succeeded that the engine has not seen.
   *
   * @param {number} token
   * @param {number} started When it was admitted, in monotonic milliseconds.
   */
  succeeded(token, started) {
    const { breaker } = this;
    // Reading a clock costs as much as the report, which mostly needs none.
    const isTimeless = breaker === undefined || (token === breaker.calm && !breaker.isRolling);
    this.#report(token, OUTCOME.success, isTimeless ? started : this.#now());
  }

  /**
   * A call that the engine has not seen ended in a way that says nothing of the target.
   *
   * @param {number} token
   */
  released(token) {
    this.#report(token, OUTCOME.neutral, this.#now());
  }

  /**
   * @param {number} token
   * @param {number} outcome
   * @param {number} mono
   */
  #report(token, outcome, mono) {
    const { breaker, handle } = this;
    try {
      handle.report(token, outcome, mono);
    } catch (error) {
      throw answered(error);
    }
    if (breaker !== undefined && token !== breaker.calm) breaker.noticed();
  }

  /** A clock of the caller's that throws must not keep a call from its report. */
  #now() {
    try {
      return this.mono();
    } catch {
      return 0;
    }
  }

  /** The engine has reported a call. */
  settled() {
    this.breaker?.noticed();
    this.budget?.noticed();
  }

  /** Whether one more send beside another may be made, which is then paid for. */
  affordsHedge() {
    if (this.breaker?.isClosed === false) return false;
    return ask(() => this.handle.withdraw(false, this.#now()));
  }

  /**
   * What a call is rejected with that was refused.
   *
   * @param {number} token
   * @param {(text: string) => string} mask
   * @param {import('./earlier.js').Earlier} [earlier]
   */
  refusal(token, mask, earlier) {
    const retryAfterMs = -1 - token;
    const of = this.breaker?.key ? ` of ${mask(this.breaker.key)}` : '';
    const isIsolated = retryAfterMs === Infinity;
    const message = `the circuit breaker${of} lets no call pass ${isIsolated ? 'until it is closed' : `for another ${retryAfterMs} ms`}; nothing was sent`;
    return new RetryError(
      { kind: 'circuit_open', message, ...(!isIsolated && { retryAfterMs }) },
      unsentWith('circuit_open', earlier),
    );
  }
}

/** The leave that a call was given, to be reported once. */
export class Admission {
  #isReported = false;

  /**
   * @param {Guard} guard
   * @param {number} token
   * @param {number} started In monotonic milliseconds.
   */
  constructor(guard, token, started) {
    this.guard = guard;
    this.token = token;
    this.started = started;
  }

  succeeded() {
    if (this.#isReported) return;
    this.#isReported = true;
    this.guard.succeeded(this.token, this.started);
  }

  released() {
    if (this.#isReported) return;
    this.#isReported = true;
    this.guard.released(this.token);
  }

  /** The call broke off in the engine, or on the way there. */
  brokeOff() {
    this.released();
    this.guard.settled();
  }

  /** For the engine, which reports from now on. */
  handedOver() {
    const share = this.guard.handle.share();
    this.#isReported = true;
    return share;
  }
}
