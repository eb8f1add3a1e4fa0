import { ignore } from './body.js';
import { ask } from './ask.js';
import { read } from './errors.js';

/** @import { StateStore } from './types.d.ts' */
/** @typedef {import('../pkg/dacapo.js').BreakerHandle} BreakerHandle */
/** @typedef {import('../pkg/dacapo.js').BudgetHandle} BudgetHandle */

/** How often a state is read again that somebody else has changed meanwhile. */
const TRIES = 3;

/** How long a call waits for the leave to be a probe. */
const CLAIM_MS = 1000;

/** After so long the store is taken for one that will not answer. */
const STUCK_MS = 10_000;

/** How often a breaker that refuses calls looks whether others know better. */
const REFRESH_MS = 5000;

/** After so long without news the failures that a closed breaker has counted are forgotten. */
const STALE_MS = 60_000;

/** What `state()` of a breaker says. */
const CLOSED = 0;

/** A state as the store had it. @typedef {{ version: unknown, text: string, ageMs: number }} Found */

/**
 * Where the state of one key is, and what makes another of the same rules.
 *
 * @template H
 * @typedef {object} Source
 * @property {() => H} handle
 * @property {() => H} make
 * @property {() => number} mono
 * @property {() => number} wall
 * @property {() => void} adopted Told when the state may have become another.
 */

/** @param {unknown} value */
export function isStore(value) {
  return typeof read(value, 'read') === 'function' && typeof read(value, 'compareAndSet') === 'function';
}

/**
 * The state of one key that several isolates have, each in its own memory. What happened here
 * is told in the background; whatever the store does, no call fails for it.
 *
 * @abstract
 * @template {BreakerHandle | BudgetHandle} H
 */
class Shared {
  /**
   * @param {StateStore} store
   * @param {string} key
   * @param {Source<H>} source
   */
  constructor(store, key, source) {
    this.store = store;
    this.key = key;
    this.source = source;
    /** @type {object | undefined} The exchange with the store that is under way. */
    this.running = undefined;
    /** When the last one began, in monotonic milliseconds. */
    this.begunAt = Number.NEGATIVE_INFINITY;
    /** Whether something happened meanwhile. */
    this.again = false;
  }

  /** Tells the store what it does not know yet, and takes over what others told. */
  exchange() {
    const now = this.source.mono();
    if (this.running !== undefined && now - this.begunAt < STUCK_MS) {
      this.again = true;
      return;
    }
    const running = {};
    this.running = running;
    this.begunAt = now;
    this.again = false;
    this.keepAlive(this.#exchanged(running));
  }

  /** @param {object} running */
  async #exchanged(running) {
    const isCurrent = () => this.running === running;
    try {
      await this.#agree(isCurrent);
    } catch {
      // The next call that has something to tell tries again.
      this.again = false;
    }
    if (!isCurrent()) return;
    this.running = undefined;
    if (this.again) this.exchange();
  }

  /** @param {() => boolean} isCurrent Whether it has not been given up on. */
  async #agree(isCurrent) {
    for (let tries = 0; tries < TRIES; tries++) {
      const found = await this.find();
      if (!isCurrent()) return;
      const agreed = ask(() => this.merged(found, this.source.mono()));
      if (agreed === undefined) return;
      if (agreed.isNews && !(await this.write(found, agreed.text))) continue;
      if (!isCurrent()) return;
      ask(() => agreed.adopt(this.source.mono()));
      this.source.adopted();
      return;
    }
  }

  /**
   * What the state is by both, the store and this isolate; `undefined` where that is as it was.
   *
   * @abstract
   * @param {Found | undefined} found
   * @param {number} mono
   * @returns {{ text: string, isNews: boolean, adopt: (mono: number) => unknown } | undefined}
   */
  merged(found, mono) {
    throw new Error(`${found} ${mono}`);
  }

  /** @returns {Promise<Found | undefined>} */
  async find() {
    const found = await this.store.read(this.key);
    if (found === undefined || found === null) return undefined;
    const { version, state } = found;
    const at = read(state, 'at');
    // One that cannot be read is written over.
    if (typeof at !== 'number') return { version, text: '', ageMs: 0 };
    return { version, text: JSON.stringify(state) ?? '', ageMs: Math.max(0, this.source.wall() - at) };
  }

  /**
   * @param {Found | undefined} found What it is to replace.
   * @param {string} text
   */
  async write(found, text) {
    const state = { at: Math.round(this.source.wall()), ...JSON.parse(text) };
    return (await this.store.compareAndSet(this.key, found?.version, state)) === true;
  }

  /** @param {Promise<unknown>} work */
  keepAlive(work) {
    work.catch(ignore);
    try {
      this.store.waitUntil?.(work);
    } catch {
      // There is no request whose end it could outlast.
    }
  }

  /**
   * What is done with a state that was exported.
   *
   * @template T
   * @param {(handle: H) => T} use
   */
  scratch(use) {
    const handle = this.source.make();
    try {
      return use(handle);
    } finally {
      handle.free();
    }
  }
}

/**
 * A breaker that several isolates share.
 *
 * @extends {Shared<BreakerHandle>}
 */
export class SharedBreaker extends Shared {
  /** A call has ended, or somebody has set the state. */
  after() {
    if (this.source.handle().deeds() > 0) this.exchange();
  }

  /** A call was refused. */
  refused() {
    if (this.source.mono() - this.begunAt >= REFRESH_MS) this.exchange();
  }

  /**
   * @override
   * @param {Found | undefined} found
   * @param {number} mono
   */
  merged(found, mono) {
    const handle = this.source.handle();
    const done = handle.deeds();
    const text = this.#withDeeds(found, mono) ?? (done > 0 ? handle.export(mono) : undefined);
    if (text === undefined) return undefined;
    return { text, isNews: done > 0, adopt: (/** @type {number} */ now) => this.source.handle().adopt(text, done, now, now - mono) };
  }

  /**
   * @param {Found | undefined} found
   * @param {number} mono
   */
  #withDeeds(found, mono) {
    return found && this.scratch((shared) => {
      if (!shared.import(found.text, mono, found.ageMs)) return undefined;
      if (shared.state() === CLOSED && found.ageMs >= STALE_MS) shared.close();
      this.source.handle().redo(shared, mono);
      return shared.export(mono);
    });
  }

  /**
   * Asks for leave for a call that this isolate has admitted as a probe. The store is the only
   * one that knows of the probes of others; if it does not answer, the call goes on all the same.
   *
   * @param {number} token
   * @returns {Promise<number>} As a guard's `admit`.
   */
  async claim(token) {
    let isOver = false;
    /** @type {ReturnType<typeof setTimeout> | undefined} */
    let timer;
    const claim = this.#claimed(token, () => isOver).catch(() => token);
    this.keepAlive(claim);
    const patience = new Promise((resolve) => {
      timer = setTimeout(resolve, CLAIM_MS, token);
    });
    const admission = await Promise.race([claim, /** @type {Promise<number>} */ (patience)]);
    isOver = true;
    clearTimeout(timer);
    return admission;
  }

  /**
   * @param {number} token
   * @param {() => boolean} isOver Whether the call has gone on without it.
   */
  async #claimed(token, isOver) {
    const { source } = this;
    for (let tries = 0; tries < TRIES; tries++) {
      const found = await this.find();
      if (isOver()) return token;
      const mono = source.mono();
      const { text, admission, done } = ask(() => this.#admitted(found, token, mono));
      if (text === undefined) {
        source.adopted();
        return admission;
      }
      const isWritten = await this.write(found, text);
      if (isOver()) return token;
      if (!isWritten) continue;
      ask(() => source.handle().adopt(text, done, source.mono(), source.mono() - mono));
      source.adopted();
      return admission;
    }
    return token;
  }

  /**
   * What the shared state says to a probe; `text` is it with the probe, where one is let pass.
   *
   * @param {Found | undefined} found
   * @param {number} token
   * @param {number} mono
   */
  #admitted(found, token, mono) {
    const handle = this.source.handle();
    const done = handle.deeds();
    const text = this.#withDeeds(found, mono);
    if (found === undefined || text === undefined) return { text: handle.export(mono), admission: token, done };
    return this.scratch((shared) => {
      shared.import(text, mono, 0);
      if (shared.state() !== CLOSED) {
        const admission = shared.admitAs(token, mono);
        if (admission >= 0) return { text: shared.export(mono), admission, done };
      }
      // Another isolate's probe runs, or has ended.
      handle.adopt(found.text, 0, mono, found.ageMs);
      return { text: undefined, admission: handle.admitAs(token, mono), done: 0 };
    });
  }
}

/**
 * A budget that several isolates share.
 *
 * @extends {Shared<BudgetHandle>}
 */
export class SharedBudget extends Shared {
  /** @type {{ text: string, mono: number } | undefined} The state when it was last agreed on. */
  #base = undefined;
  /** @type {number | undefined} What was left then. */
  #left = undefined;

  /** A call has ended that did not succeed at once. */
  after() {
    const mono = this.source.mono();
    this.#left ??= this.scratch((full) => full.tokens(mono));
    if (this.source.handle().tokens(mono) !== this.#left) this.exchange();
  }

  /**
   * @override
   * @param {Found | undefined} found
   * @param {number} mono
   */
  merged(found, mono) {
    const mine = this.source.handle().export(mono);
    const text = found === undefined ? mine : this.#rebased(found, mine, mono);
    const adopt = (/** @type {number} */ now) => this.scratch((then) => this.scratch((shared) => {
      then.import(mine, now, now - mono);
      shared.import(text, now, now - mono);
      this.source.handle().rebase(then, shared, now);
      this.#base = { text, mono };
      this.#left = shared.tokens(now);
    }));
    return { text, isNews: true, adopt };
  }

  /**
   * @param {Found} found
   * @param {string} mine
   * @param {number} mono
   */
  #rebased(found, mine, mono) {
    return this.scratch((base) => this.scratch((shared) => this.scratch((own) => {
      if (!shared.import(found.text, mono, found.ageMs)) return mine;
      if (this.#base !== undefined) base.import(this.#base.text, mono, mono - this.#base.mono);
      own.import(mine, mono, 0);
      own.rebase(base, shared, mono);
      return own.export(mono);
    })));
  }
}
