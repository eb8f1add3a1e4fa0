import { ask } from './ask.js';
import { ignore } from './body.js';
import { Call } from './call.js';
import { Facts } from './facts.js';
import { Leg } from './leg.js';
import { handleOf } from './policy.js';

const SLOW = Symbol('slow');
/**
 * A call whose attempts may consist of two sends, which are calls of their own: its legs.
 *
 * @abstract
 * @template T
 * @extends {Call<T>}
 */
export class HedgedCall extends Call {
  /**
   * @param {import('./policy.js').RetryPolicy} policy
   * @param {AbortSignal | undefined} signal
   * @param {number} started
   */
  constructor(policy, signal, started) {
    super(policy, signal, started);
    /** @type {(() => void) | undefined} A leg: tells that it is sent. */
    this.onSend = undefined;
    /** A leg that another ran beside: the attempt's number; else 0, and the engine counts. */
    this.number = 0;
    /** @type {Facts | undefined} What the leg showed that did not decide the attempt. */
    this.beside = undefined;
    /** @type {Facts | null | undefined} What the first attempt came to, for an engine that is to begin it. */
    this.made = undefined;
    /** @type {(() => void) | undefined} Ends the legs that are under way. */
    this.abandon = undefined;
    /** @type {import('./limit.js').Limit | undefined} Of the leg whose answer the call has. */
    this.link = undefined;
  }

  /** Whether slow attempts get a second send. */
  get isHedged() {
    return this.settings.hedgeAfterMs > 0;
  }

  /**
   * @override
   * @param {number} attempt
   * @param {number} limitMs
   * @param {boolean} byDeadline
   */
  make(attempt, limitMs, byDeadline) {
    return this.isHedged ? hedged(this, attempt, limitMs, byDeadline) : this.attempt(attempt, limitMs, byDeadline);
  }

  /**
   * Hands a call to the engine whose first attempt failed, or one of its legs.
   *
   * @override
   * @param {Facts | null | undefined} facts
   */
  enter(facts) {
    if (this.beside === undefined) return super.enter(facts);
    this.made = facts;
    return super.enter(undefined);
  }

  /**
   * @override
   * @param {number} attempt
   * @param {number} limitMs
   * @param {boolean} byDeadline
   */
  begin(attempt, limitMs, byDeadline) {
    const { made } = this;
    if (made === undefined) return super.begin(attempt, limitMs, byDeadline);
    this.made = undefined;
    this.stands(made);
    this.wake();
  }

  /** Called by the engine. */
  takeBeside() {
    const { beside } = this;
    this.beside = undefined;
    return beside;
  }

  /** @override */
  leave() {
    this.abandon?.();
  }

  /**
   * A call in the same state, to make one send in this one's place.
   *
   * @abstract
   * @param {AbortSignal} signal
   * @param {boolean} isHedge Whether another leg is under way.
   * @returns {HedgedCall<T>}
   */
  leg(signal, isHedge) {
    throw new Error(`${signal} ${isHedge}`);
  }

  /**
   * Takes over what a leg came to.
   *
   * @abstract
   * @param {any} leg
   * @param {import('./limit.js').Limit} link What the leg's signal follows the caller's by.
   */
  adopt(leg, link) {
    throw new Error(`${leg} ${link}`);
  }

  /** Whether the request cannot be sent again. */
  get isOneShot() {
    return false;
  }

  /** The request's method; empty where requests are not ours to see. */
  get method() {
    return '';
  }

  /** Whether an answer is kept that may yet be read. */
  get holdsAnswer() {
    return false;
  }

  /** Whether what calls share lets another send be made, which is then paid for. */
  affordsHedge() {
    return this.admission === undefined || this.admission.guard.affordsHedge();
  }

  /** What tells of the tokens of what the last attempt brought, as JSON. */
  told() {
    return this.usage;
  }

  /** Lets go of what the last attempt brought. */
  letGo() {}

  /** @param {number} ending */
  ended(ending) {
    return new Facts(ending);
  }
}

/**
 * Makes an attempt, and a second one beside it when it has not been decided `hedgeAfterMs`
 * after its send. The first good answer is the attempt's; what the other one came to goes to
 * `call.beside`.
 *
 * @param {HedgedCall<any>} call
 * @param {number} attempt
 * @param {number} limitMs
 * @param {boolean} byDeadline
 * @returns {Promise<Facts | null | number>} As an attempt does.
 */
export async function hedged(call, attempt, limitMs, byDeadline) {
  /** @type {ReturnType<typeof setTimeout> | undefined} */
  let timer;
  /** @type {(slow: typeof SLOW) => void} */
  let tellSlow = ignore;
  /** @type {Promise<typeof SLOW>} */
  const slow = new Promise((resolve) => {
    tellSlow = resolve;
  });
  const first = new Leg(call, attempt, call, () => {
    call.letGo();
    timer = setTimeout(tellSlow, call.settings.hedgeAfterMs, SLOW);
  });
  const legs = [first];
  call.abandon = () => {
    clearTimeout(timer);
    for (const leg of legs) leg.cancel();
  };
  try {
    first.start(limitMs, byDeadline);
    const limit = (await Promise.race([first.ended, slow])) === SLOW ? hedgeLimit(call, first) : undefined;
    if (limit === undefined) return adopted(call, await first.ended);
    const second = new Leg(call, attempt + 1, first.call, () => {
      call.begun = attempt + 1;
    });
    legs.push(second);
    second.start(...limit);
    return adopted(call, await decided(call, first, second));
  } catch (error) {
    call.abandon?.();
    throw error;
  } finally {
    clearTimeout(timer);
    call.abandon = undefined;
  }
}

/**
 * How long a hedge may take; `undefined` where none is made.
 *
 * @param {HedgedCall<any>} call
 * @param {Leg} first
 * @returns {[limitMs: number, byDeadline: boolean] | undefined}
 */
function hedgeLimit(call, { number, call: leg }) {
  if (leg.isOneShot) return undefined;
  const elapsedMs = call.settings.mono() - call.started;
  const [limitMs, byDeadline] = ask(() => handleOf(call.policy).hedge(number, call.method, elapsedMs));
  if (limitMs === undefined || !call.affordsHedge()) return undefined;
  return [limitMs, byDeadline === 1];
}

/**
 * The leg that decides: the first that succeeds, or else the last that failed.
 *
 * @param {HedgedCall<any>} call
 * @param {Leg} first
 * @param {Leg} second
 */
async function decided(call, first, second) {
  const one = await Promise.race([first.ended, second.ended]);
  const other = one === first ? second : first;
  if (one.facts === null) other.cancel();
  await other.ended;
  // One of which nothing was sent decides nothing.
  const goesToOther = typeof one.facts === 'number' || (one.facts !== null && typeof other.facts !== 'number');
  const [decisive, beaten] = goesToOther ? [other, one] : [one, other];
  call.beside = beaten.beside(decisive.facts === null);
  if (call.beside !== undefined) decisive.decides();
  return decisive;
}

/**
 * The call goes on with what a leg came to.
 *
 * @param {HedgedCall<any>} call
 * @param {Leg} leg
 */
function adopted(call, { facts, call: its, link }) {
  // Nothing was sent: what the attempt before came to stays.
  if (typeof facts === 'number') return facts;
  call.adopt(its, link);
  // An answer may yet be read.
  if (facts === null || its.holdsAnswer) call.link = link;
  else link.controller.abort();
  return facts;
}
