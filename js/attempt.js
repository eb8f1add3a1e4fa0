import { discard, peek } from './body.js';
import { UNSENT } from './call.js';
import { ask } from './ask.js';
import { configError, read, RetryError, show } from './errors.js';
import { ENDING } from './facts.js';
import { blockOf } from './headers.js';
import { HedgedCall } from './hedge.js';
import { cancelledUnsent, historiesSoFar, remember } from './history.js';
import { examineBody } from './inspection.js';
import { Limit } from './limit.js';
import { masked, maskWith } from './masked.js';
import { holdOpening } from './opening.js';
import { handleOf } from './policy.js';
import { CANCELLED, isPromise, race, TIMED_OUT } from './race.js';
import { bringsBody, copyOf, headersOf, isEmptyInit, isOneShot, isRequest, methodOf, platformFetch, readRequest, referrerOf, Replay, urlOf, withFields } from './request.js';
import { finalCopy, LOOK, lookAt, mayHaveBody } from './response.js';

/** @import { History, StopMark } from './types.d.ts' */
/** @typedef {import('./facts.js').Facts} Facts */
/** @typedef {import('./request.js').Input} Input */
/** @typedef {import('./history.js').KeptHistory} KeptHistory */
/** @typedef {import('./delivery.js').Delivery} Delivery */

/**
 * One call of a fetch.
 *
 * @extends {HedgedCall<Response>}
 */
export class FetchCall extends HedgedCall {
  /**
   * @param {import('./policy.js').RetryPolicy} policy
   * @param {AbortSignal | undefined} signal
   * @param {number} started
   * @param {Input} input
   * @param {RequestInit | undefined} init The call's own copy.
   * @param {boolean} refuses Whether redirects are refused.
   * @param {number} [before] How many histories there were when the first attempt began, where that is under way.
   */
  constructor(policy, signal, started, input, init, refuses, before) {
    super(policy, signal, started);
    if (before !== undefined) this.before = before;
    this.input = input;
    this.init = init;
    /** @type {any} What the last attempt sent. */
    this.sent = this.init;
    this.refuses = refuses;
    this.oneShot = isOneShot(init?.body) && this.settings.given.bodyFactory === undefined;
    /** @type {Replay | undefined} */
    this.replay = undefined;
    /** @type {Response | undefined} What the last attempt brought. */
    this.response = undefined;
    /** @type {unknown} What the last attempt failed with when it brought no Response. */
    this.error = undefined;
    /** @type {string | undefined} */
    this.idempotencyKey = undefined;
    this.index = 0;
    /** When the last attempt was sent, in monotonic milliseconds. */
    this.sentAt = started;
    /** @type {Delivery | undefined} The last attempt's answer where that streams. */
    this.delivery = undefined;
    /** @type {Limit | undefined} The last attempt's. */
    this.limit = undefined;
  }

  /** Makes the first attempt, and goes on from there. */
  async first() {
    const { input, init, settings } = this;
    const { guards } = settings;
    const claim = guards && this.admit(guards.of(urlOf(input)));
    if (claim !== undefined) await claim;
    try {
      if (bringsBody(input, init)) {
        if (input.bodyUsed) return this.threw(new TypeError('the body of the given Request was already used'));
        if (!settings.once) this.replay = new Replay(input, settings.maxReplayBytes);
      }
      return this.goOn(await this.make(this.firstAttempt, ...this.firstLimit()));
    } catch (error) {
      throw this.brokenOff(error);
    }
  }

  /**
   * The call ends with an error before the engine has it.
   *
   * @param {unknown} error
   */
  brokenOff(error) {
    this.admission?.released();
    return error;
  }

  /**
   * A call that was cancelled before its first attempt was sent.
   *
   * @returns {Promise<Response>}
   */
  unsent() {
    this.admission?.released();
    this.replay?.cancel();
    return Promise.reject(cancelledUnsent(this.signal, this.earlier));
  }

  /**
   * Goes on from a first attempt that threw.
   *
   * @param {unknown} error
   */
  threw(error) {
    return this.enter(this.failedWith(error));
  }

  /**
   * Goes on from a first attempt that brought a Response.
   *
   * @param {Response} response
   * @param {number} look What is to be looked at, one of LOOK.
   */
  received(response, look) {
    try {
      const facts = this.examine(response, look);
      if (!isPromise(facts)) return this.goOn(facts);
      return facts.then((facts) => this.goOn(facts), (error) => {
        throw this.brokenOff(error);
      });
    } catch (error) {
      throw this.brokenOff(error);
    }
  }

  /** @param {Facts | null | number} facts */
  goOn(facts) {
    if (typeof facts === 'number') return this.unsent();
    if (facts !== null || this.beside !== undefined) return this.enter(facts);
    this.admission?.succeeded();
    this.replay?.cancel();
    const history = this.resumedHistory();
    if (history !== undefined) remember(this.response, history);
    this.handOver(history);
    return /** @type {Response} */ (this.response);
  }

  /**
   * @override
   * @param {number} attempt
   * @param {number} limitMs
   * @param {boolean} byDeadline
   */
  async attempt(attempt, limitMs, byDeadline) {
    const { settings, signal } = this;
    const limit = limitMs < 0 ? undefined : new Limit(settings, limitMs, byDeadline, signal);
    let response;
    let fromFetch = false;
    try {
      const prepared = this.prepared(attempt, limit);
      const input = isPromise(prepared) ? await prepared : prepared;
      if (signal?.aborted) return UNSENT.cancelled;
      if (input === undefined) {
        limit?.end();
        return byDeadline ? UNSENT.deadlineExceeded : UNSENT.oneShotBody;
      }
      this.letGo();
      this.limit = limit;
      this.index = attempt - 1;
      if (attempt > 1) {
        this.before = historiesSoFar();
        this.sentAt = settings.mono();
      }
      this.onSend?.();
      fromFetch = true;
      const send = settings.given.fetch ?? platformFetch();
      response = await race(send(input, this.sent), signal, limitMs, discard);
    } catch (error) {
      limit?.end();
      if (signal?.aborted) return this.ended(ENDING.cancelled);
      this.letGo();
      return this.failedWith(error, fromFetch);
    }
    if (response === CANCELLED) {
      limit?.controller.abort(signal?.reason);
      return this.ended(ENDING.cancelled);
    }
    if (response === TIMED_OUT) return this.timedOut();
    return this.examine(response);
  }

  /**
   * The input of an attempt, `undefined` when its body could not be had again; its init
   * goes to `this.sent`.
   *
   * @param {number} attempt
   * @param {Limit | undefined} limit
   * @returns {Input | Promise<Input | undefined>}
   */
  prepared(attempt, limit) {
    const { given } = this.settings;
    const { idempotencyKey: key } = given;
    const { input } = this;
    const init = copyOf(this.init);
    if (this.refuses) init.redirect = 'manual';
    if (limit !== undefined) init.signal = limit.signal;
    else if (this.onSend !== undefined) init.signal = this.signal;
    /** @type {[string, string][]} */
    const more = [];
    if (key) {
      this.idempotencyKey ??= key === true ? this.earlier?.idempotencyKey ?? randomKey() : givenKey(key());
      more.push(['Idempotency-Key', this.idempotencyKey]);
    }
    if (given.retryCountHeader !== undefined) more.push([given.retryCountHeader, String(attempt - 1)]);
    if (more.length > 0) init.headers = withFields(headersOf(input, init), more);
    if (isRequest(input) && isEmptyInit(this.init) && (this.replay !== undefined || !isEmptyInit(init))) Object.assign(init, referrerOf(input));
    if (attempt > this.firstAttempt && (given.bodyFactory !== undefined || this.replay !== undefined)) return this.withBody(init, limit);
    this.sent = this.init === undefined && Object.keys(init).length === 0 ? undefined : init;
    return input;
  }

  /**
   * The input of an attempt whose body has to be had again.
   *
   * @param {any} init
   * @param {Limit | undefined} limit
   * @returns {Promise<Input | undefined>}
   */
  async withBody(init, limit) {
    const { input, replay, settings: { given: { bodyFactory } } } = this;
    if (bodyFactory !== undefined) discard({ body: this.sent?.body });
    const again = bodyFactory === undefined ? replay?.bytes() : Promise.resolve(bodyFactory());
    const body = await race(/** @type {Promise<any>} */ (again), this.signal, limit?.limitMs, (late) => discard({ body: late }));
    if (body === CANCELLED || body === TIMED_OUT) return undefined;
    this.sent = init;
    if (bodyFactory === undefined) return body && new /** @type {Replay} */ (replay).Class(input, { body });
    init.body = body;
    if (isOneShot(body)) init.duplex = 'half';
    return input;
  }

  /**
   * What a Response is: a success (null), or the facts of a failure.
   *
   * @param {Response} response
   * @param {number} [known] What is to be looked at, where that was asked before.
   * @returns {Facts | null | Promise<Facts | null>}
   */
  examine(response, known) {
    const { settings, limit } = this;
    if (typeof response?.status !== 'number' || typeof response.headers?.get !== 'function') {
      return this.failedWith(new TypeError('what fetch resolved with is not a Response'));
    }
    this.response = response;
    const look = known ?? lookAt(response, settings, this.input, this.sent);
    const isHeld = look === LOOK.opening && (settings.watchesStreams || !this.isOneShot);
    if (isHeld) return holdOpening(this, response);
    if (look === LOOK.body) {
      const reader = response.ok || mayHaveBody(response) ? peek(response) : undefined;
      if (reader !== undefined) return examineBody(this, response, reader);
    }
    limit?.keepForBody(response);
    return look === LOOK.body && !response.ok ? this.respondedWith(response, undefined) : null;
  }

  /**
   * @param {Response} response
   * @param {Uint8Array | undefined} body
   */
  respondedWith(response, body) {
    const facts = this.answered(response, ENDING.response);
    facts.opaqueRedirect = response.type === 'opaqueredirect';
    facts.headers = blockOf(response.headers);
    facts.body = body;
    return facts;
  }

  /**
   * @param {unknown} error
   * @param {boolean} [fromFetch] Whether fetch threw it, and no function of the caller's.
   */
  failedWith(error, fromFetch = true) {
    this.error = error;
    const facts = this.errorFacts(error, this.index);
    facts.fromFetch = fromFetch;
    return this.about(facts);
  }

  /**
   * @override
   * @param {AbortSignal} signal
   * @param {boolean} isHedge
   */
  leg(signal, isHedge) {
    const leg = new FetchCall(this.policy, signal, this.started, this.input, this.init, this.refuses);
    leg.replay = this.replay;
    leg.earlier = this.earlier;
    leg.raised = this.raised ??= [];
    leg.idempotencyKey = this.idempotencyKey;
    // A body that the other leg may be sending is not to be let go of.
    leg.sent = isHedge ? undefined : this.sent;
    return leg;
  }

  /**
   * @override
   * @param {FetchCall} leg
   */
  adopt(leg) {
    this.letGo();
    const { sent, response, error, index, sentAt, delivery, limit, usage, idempotencyKey } = leg;
    Object.assign(this, { sent, response, error, index, sentAt, delivery, limit, usage, idempotencyKey });
  }

  /** @override */
  get holdsAnswer() {
    return this.response !== undefined;
  }

  /** @override */
  letGo() {
    this.link?.controller.abort();
    this.link = undefined;
    discard(this.response);
    this.response = undefined;
    this.delivery = undefined;
    this.error = undefined;
    this.limit?.drop();
    this.limit = undefined;
  }

  timedOut() {
    const limit = /** @type {Limit} */ (this.limit);
    const error = limit.reached();
    this.letGo();
    this.error = error;
    return this.about(this.errorFacts(this.error, this.index, limit.byDeadline ? ENDING.deadlinePassed : ENDING.timedOut));
  }

  /**
   * @param {Response} response
   * @param {number} ending
   */
  answered(response, ending) {
    const facts = this.ended(ending);
    facts.status = response.status;
    this.givenUp(facts, response);
    return facts;
  }

  /**
   * @override
   * @param {number} ending
   */
  ended(ending) {
    return this.about(super.ended(ending));
  }

  /** @override */
  get method() {
    return methodOf(this.input, this.init);
  }

  /** @override */
  get isOneShot() {
    return this.oneShot || this.replay?.lost === true;
  }

  /** @param {Facts} facts */
  about(facts) {
    facts.oneShot = this.isOneShot;
    facts.attempt = this.number;
    facts.sentAt = this.sentAt;
    readRequest(facts, this.input, this.sent, this.settings.snapshotBody);
    return facts;
  }

  /**
   * @override
   * @param {StopMark | undefined} mark
   * @param {KeptHistory} history
   */
  settle(mark, history) {
    this.replay?.cancel();
    const interruption = this.interruption(mark);
    if (interruption !== undefined) return this.rejected(interruption.error, history);
    const { response } = this;
    if (response === undefined) return this.rejected(this.presentable(this.error), history);
    if (mark !== undefined && this.refuses && history.read().last?.error.kind === 'redirected') {
      return this.rejected(this.redirected(response, history.read()), history);
    }
    const delivered = mark !== undefined && this.settings.given.markFinal ? finalCopy(response) : response;
    remember(delivered, history);
    this.handOver(history);
    this.resolve(delivered);
  }

  /**
   * The answer is the caller's from now on.
   *
   * @param {KeptHistory | undefined} history
   */
  handOver(history) {
    this.link?.lasts(this.response);
    if (this.delivery !== undefined) return this.delivery.begin(history);
    this.limit?.lasts(this.response);
    this.limit?.watchBody();
  }

  /** @override */
  masker() {
    return ask(() => handleOf(this.policy).masker(urlOf(this.input), blockOf(headersOf(this.input, this.sent))));
  }

  /** @override */
  leave() {
    super.leave();
    this.replay?.cancel();
    this.letGo();
  }

  /**
   * @param {unknown} error
   * @param {KeptHistory} history
   */
  rejected(error, history) {
    discard(this.response);
    remember(error, history);
    this.reject(error);
  }

  /**
   * The platform's error as it may leave: without secrets, and no AbortError that the
   * caller did not cause.
   *
   * @param {unknown} error
   */
  presentable(error) {
    const masker = this.masker();
    const clean = masked(error, maskWith(masker));
    masker.free();
    if (typeof clean !== 'object' || clean === null || read(clean, 'name') !== 'AbortError') return clean;
    return new TypeError('fetch was aborted, but not by the caller', { cause: clean });
  }

  /**
   * @param {Response} response
   * @param {History} history
   */
  redirected(response, history) {
    const { last, attempts, retry, mark } = history;
    const status = response.type === 'opaqueredirect' ? '' : ` (HTTP ${response.status})`;
    const message = `${last?.request?.method} ${last?.request?.url} was answered with a redirect${status}, which could carry `
      + "credentials to another host; to follow it set redirects: 'platform' or init.redirect";
    return new RetryError(
      { kind: 'redirected', message, ...(last?.error.status !== undefined && { status: last.error.status }) },
      { retry, ...(attempts && { attempts }), ...(mark && { mark }) },
    );
  }
}

/** @param {unknown} key */
function givenKey(key) {
  if (typeof key === 'string') return key;
  throw configError(`idempotencyKey: the function returned ${show(key)}, must return a text`);
}

function randomKey() {
  const uuid = ask((engine) => engine.uuid());
  if (uuid === undefined) throw configError('idempotencyKey: this platform has no randomness; give a function');
  return uuid;
}
