import { ask } from './ask.js';
import { Cell, Cells, keyGiven, optionsGiven, storeFaults } from './cells.js';
import { ownCopy, Rules } from './rules.js';
import { SharedBudget } from './store.js';

/** @import { BudgetOptions, SavedStates } from './types.d.ts' */
/** @typedef {import('../pkg/dacapo.js').BudgetHandle} BudgetHandle */

/** A retry budget, whose states are told apart by keys; the contract is in types.d.ts. */
export class RetryBudget {
  /** @type {BudgetOptions} */
  #options;
  /** @type {Cells<BudgetCell>} */
  #cells;
  #rules;

  /**
   * @param {BudgetOptions} [options]
   * @param {Rules} [rules] Those that the options are part of, where they have been read.
   */
  constructor(options, rules) {
    const own = ownCopy(optionsGiven(options, 'RetryBudget'));
    const held = rules ?? new Rules({ budget: own }, storeFaults('budget', own));
    this.#options = own;
    this.#rules = held;
    this.#cells = new Cells((key) => new BudgetCell(this.#cells, key, own, held));
  }

  /** @param {string} [key] */
  tokens(key) {
    const cells = this.#cells;
    const name = keyGiven(key, this.#options.key, cells);
    return (cells.find(name) ?? new BudgetCell(cells, name, {}, this.#rules)).left;
  }

  keys() {
    return this.#cells.keys;
  }

  export() {
    return this.#cells.export();
  }

  /** @param {SavedStates} saved */
  import(saved) {
    this.#cells.import(saved, 'RetryBudget');
  }

  /** @param {RetryBudget} budget */
  static options(budget) {
    return budget.#options;
  }

  /** @param {RetryBudget} budget */
  static cells(budget) {
    return budget.#cells;
  }
}

/**
 * The budget of one key.
 *
 * @extends {Cell<BudgetHandle>}
 */
export class BudgetCell extends Cell {
  /**
   * @param {Cells<any>} cells
   * @param {string} key
   * @param {BudgetOptions} options
   * @param {Rules} rules
   */
  constructor(cells, key, { store }, rules) {
    super(cells, key);
    this.rules = rules;
    this.shared = store && new SharedBudget(store, `budget:${key}`, this.source);
  }

  /** @override */
  fresh() {
    return ask(({ BudgetHandle }) => new BudgetHandle(this.rules.handle));
  }

  /** @override */
  noticed() {
    this.shared?.after();
  }

  get left() {
    return ask(() => this.handle.tokens(this.cells.clocks.mono()));
  }

  /** @override */
  get worth() {
    const fresh = this.fresh();
    const full = ask(() => fresh.tokens(this.cells.clocks.mono()));
    fresh.free();
    return this.left < full ? 1 : 0;
  }
}
