import { ask } from './ask.js';
import { ignore } from './body.js';
import { Cell, Cells, keyGiven, optionsGiven, storeFaults } from './cells.js';
import { ownCopy, Rules } from './rules.js';
import { SharedBreaker } from './store.js';

/** @import { BreakerOptions, BreakerState, SavedStates } from './types.d.ts' */
/** @typedef {import('../pkg/dacapo.js').BreakerHandle} BreakerHandle */

/** By the engine's numbers. */
const STATES = Object.freeze(/** @type {const} */ (['closed', 'open', 'half_open', 'isolated']));
const [CLOSED, HALF_OPEN, ISOLATED] = [0, 2, 3];

/** What is shown of a key that nobody has called. */
const WELL = Object.freeze({ state: STATES[CLOSED], retryAfterMs: 0, failures: 0, trips: 0 });
const SHUT = Object.freeze({ ...WELL, state: STATES[ISOLATED], retryAfterMs: Infinity });

/** A circuit breaker, whose states are told apart by keys; the contract is in types.d.ts. */
export class CircuitBreaker {
  /** @type {BreakerOptions} */
  #options;
  /** @type {Cells<BreakerCell>} */
  #cells;
  /** Whether keys that come later are isolated, too. */
  #isIsolated = false;

  /**
   * @param {BreakerOptions} [options]
   * @param {Rules} [rules] Those that the options are part of, where they have been read.
   */
  constructor(options, rules) {
    const own = ownCopy(optionsGiven(options, 'CircuitBreaker'));
    const held = rules ?? new Rules({ breaker: own }, storeFaults('breaker', own));
    this.#options = own;
    this.#cells = new Cells((key) => new BreakerCell(this.#cells, key, own, held, () => this.#isIsolated));
  }

  /** @param {string} [key] */
  state(key) {
    const cell = this.#cells.find(keyGiven(key, this.#options.key, this.#cells));
    if (cell !== undefined) return cell.shown();
    return this.#isIsolated ? SHUT : WELL;
  }

  /** @param {string} [key] */
  isolate(key) {
    this.#set(key, true);
  }

  /** @param {string} [key] */
  close(key) {
    this.#set(key, false);
  }

  /**
   * @param {string | undefined} key Without one all there are, unless there can only be one.
   * @param {boolean} isIsolated
   */
  #set(key, isIsolated) {
    const option = this.#options.key;
    const isAll = key === undefined && typeof option !== 'string';
    if (isAll) this.#isIsolated = isIsolated;
    for (const cell of isAll ? this.#cells.all : [this.#cells.of(keyGiven(key, option, this.#cells))]) {
      ask(() => (isIsolated ? cell.handle.isolate() : cell.handle.close()));
      cell.noticed();
    }
  }

  keys() {
    return this.#cells.keys;
  }

  export() {
    return this.#cells.export();
  }

  /** @param {SavedStates} saved */
  import(saved) {
    this.#cells.import(saved, 'CircuitBreaker');
  }

  /** @param {CircuitBreaker} breaker */
  static options(breaker) {
    return breaker.#options;
  }

  /** @param {CircuitBreaker} breaker */
  static cells(breaker) {
    return breaker.#cells;
  }
}

/**
 * The breaker of one key.
 *
 * @extends {Cell<BreakerHandle>}
 */
export class BreakerCell extends Cell {
  /**
   * The token of the calls of a closed period, while a success can change nothing and nobody
   * is to be told of it.
   */
  calm = Number.NaN;

  /**
   * @param {Cells<any>} cells
   * @param {string} key
   * @param {BreakerOptions} options
   * @param {Rules} rules
   * @param {() => boolean} isBornIsolated
   */
  constructor(cells, key, { mode, onStateChange, store }, rules, isBornIsolated) {
    super(cells, key);
    this.rules = rules;
    this.isBornIsolated = isBornIsolated;
    /** Whether it is isolated, which outlives the engine's state: nobody but who said so may end it. */
    this.isIsolated = isBornIsolated();
    this.isBegun = false;
    this.onStateChange = onStateChange;
    /** Whether it matters when a call succeeds. */
    this.isRolling = mode === 'rolling';
    this.shared = store && new SharedBreaker(store, `breaker:${key}`, this.source);
  }

  /** @override */
  fresh() {
    return ask(({ BreakerHandle }) => new BreakerHandle(this.rules.handle));
  }

  /**
   * @override
   * @param {BreakerHandle} handle
   */
  begun(handle) {
    this.calm = Number.NaN;
    const { isBegun, isIsolated } = this;
    this.isBegun = true;
    // In the place of a state that was lost it is no news, to an observer or to the store.
    if (isIsolated && isBegun) {
      handle.isolate();
      handle.takeChange();
    }
    if (this.shared !== undefined) handle.follow();
    if (isIsolated && !isBegun) handle.isolate();
  }

  /**
   * A call was admitted, by another token than that of calm times.
   *
   * @param {number} token
   * @param {number} mono
   * @returns {number | Promise<number>} As a guard's `admit`.
   */
  admitted(token, mono) {
    this.changed();
    const { handle, shared } = this;
    const state = ask(() => handle.state());
    if (state === HALF_OPEN && shared !== undefined) return shared.claim(token);
    const isCalm = state === CLOSED && (shared === undefined || ask(() => handle.failures(mono)) === 0);
    if (isCalm) this.calm = token;
    return token;
  }

  refused() {
    this.changed();
    this.shared?.refused();
  }

  /** @override */
  noticed() {
    this.changed();
    this.shared?.after();
  }

  /**
   * Tells of the changes of its state.
   *
   * @override
   */
  changed() {
    this.calm = Number.NaN;
    const { handle, onStateChange } = this;
    for (let change = takeChange(handle); change > 0; change = takeChange(handle)) {
      const [from, to] = [STATES[(change - 1) >> 2], STATES[(change - 1) & 3]];
      this.isIsolated = to === STATES[ISOLATED];
      if (onStateChange === undefined || from === undefined || to === undefined) continue;
      try {
        const event = Object.freeze({ key: this.key, from, to, retryAfterMs: this.shown().retryAfterMs });
        Promise.resolve(onStateChange(event)).catch(ignore);
      } catch {
        // An observer never fails a call.
      }
    }
  }

  /** @returns {BreakerState} */
  shown() {
    const { handle } = this;
    const mono = this.cells.clocks.mono();
    return ask(() => Object.freeze({
      state: /** @type {BreakerState['state']} */ (STATES[handle.state()]),
      retryAfterMs: handle.retryAfter(mono),
      failures: handle.failures(mono),
      trips: handle.trips(),
    }));
  }

  /** @override */
  get worth() {
    // Made anew it would be what all are that nobody has called.
    if (this.isIsolated !== this.isBornIsolated()) return Infinity;
    const { state, failures } = this.shown();
    return 2 * STATES.indexOf(state) + (failures > 0 ? 1 : 0);
  }

  /** Whether calls pass without being probes. */
  get isClosed() {
    return ask(() => this.handle.state()) === CLOSED;
  }
}

/** @param {BreakerHandle} handle */
function takeChange(handle) {
  return ask(() => handle.takeChange());
}
