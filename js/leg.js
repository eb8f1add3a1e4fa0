import { ignore } from './body.js';
import { ENDING } from './facts.js';
import { Limit } from './limit.js';
import { NEVER } from './timers.js';

/** @typedef {import('./facts.js').Facts} Facts */
/** @typedef {import('./hedge.js').HedgedCall<any>} HedgedCall */

/** What the record of the slower leg says. */
const LOST = Object.freeze({ code: 'hedge_lost', message: 'another attempt was faster' });

/** One of the two sends that an attempt may consist of, with a signal and a state of its own. */
export class Leg {
  /** @type {Facts | null | number} How it ended, as an attempt does. */
  facts = null;
  /** When it was sent, in monotonic milliseconds. */
  sentAt = 0;
  /** @type {Promise<Leg>} Itself, once it has ended. */
  ended = Promise.resolve(this);

  /**
   * @param {HedgedCall} call
   * @param {number} number The attempt's, from 1.
   * @param {HedgedCall} source What it starts from: the call, or the leg that it is sent beside.
   * @param {() => void} onSend
   */
  constructor(call, number, source, onSend) {
    this.number = number;
    // Nothing but the caller's signal and the other leg ends it.
    this.link = new Limit(call.settings, NEVER, false, call.signal);
    this.call = source.leg(this.link.signal, source !== call);
    this.call.onSend = () => {
      this.sentAt = call.settings.mono();
      onSend();
    };
  }

  /**
   * @param {number} limitMs
   * @param {boolean} byDeadline
   */
  start(limitMs, byDeadline) {
    this.ended = this.call.attempt(this.number, limitMs, byDeadline).then((facts) => {
      this.facts = facts;
      return this;
    });
    this.ended.catch(ignore);
  }

  cancel() {
    this.link.controller.abort(new DOMException(LOST.message, 'AbortError'));
  }

  /**
   * What the engine is shown of the leg that does not decide, which is then let go of.
   *
   * @param {boolean} isBeaten Whether the other one succeeded.
   * @returns {Facts | undefined} undefined where it sent nothing.
   */
  beside(isBeaten) {
    const { call, facts } = this;
    if (typeof facts === 'number') return undefined;
    let shown = facts;
    if (isBeaten && (facts === null || facts.ending === ENDING.cancelled)) {
      shown = facts ?? call.ended(ENDING.cancelled);
      if (facts === null) shown.usage = call.told();
      else shown.usageIsLowerBound = true;
      shown.raisedCode = LOST.code;
      shown.links = ['DOMException', LOST.message, ''];
    }
    call.letGo();
    this.cancel();
    return shown === null ? undefined : this.numbered(shown);
  }

  /** Readies it for a history with two sends. */
  decides() {
    const { call, facts } = this;
    if (facts === null) call.told();
    else if (typeof facts === 'object') this.numbered(facts);
    // For what may yet become of its answer.
    call.number = this.number;
  }

  /** @param {Facts} facts */
  numbered(facts) {
    facts.attempt = this.number;
    facts.sentAt = this.sentAt;
    return facts;
  }
}
