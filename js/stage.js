import { ignore } from './body.js';

/** @typedef {import('./call.js').Call<any>} Call */

/**
 * The host of all calls that the engine must not hold: it stands for the one that is in the engine right now. Such a
 * call waits by itself and says itself when to go on, so the engine needs neither its signal nor a way to wake it.
 */
export const stage = {
  /** @type {any} */
  call: undefined,
  signal: undefined,
  wake: ignore,
  get ways() {
    return this.call.ways;
  },
  get usage() {
    return this.call.usage;
  },
  get facts() {
    return this.call.facts;
  },
  unit() {
    return this.call.unit();
  },
  /**
   * @param {number} attempt
   * @param {number} limitMs
   * @param {boolean} byDeadline
   */
  begin(attempt, limitMs, byDeadline) {
    this.call.begin(attempt, limitMs, byDeadline);
  },
  takeBeside() {
    return this.call.takeBeside();
  },
  /** @param {number} ms */
  sleep(ms) {
    return this.call.sleep(ms);
  },
  /**
   * @param {string} record
   * @param {string} verdict
   */
  ask(record, verdict) {
    return this.call.ask(record, verdict);
  },
  /** @param {string} record */
  announce(record) {
    return this.call.announce(record);
  },
  /**
   * @param {string} record
   * @param {string} verdict
   */
  tellFailed(record, verdict) {
    this.call.tellFailed(record, verdict);
  },
  /**
   * @param {string} record
   * @param {number} delayMs
   * @param {string} from
   */
  tellWaiting(record, delayMs, from) {
    this.call.tellWaiting(record, delayMs, from);
  },
  /**
   * @param {string | undefined} mark
   * @param {string} text
   */
  finish(mark, text) {
    this.call.finish(mark, text);
  },
};
