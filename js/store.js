import { ignore } from './body.js';
import { ask } from './ask.js';
import { read } from './errors.js';

/** @import { StateStore } from './types.d.ts' */
/** @typedef {import('../pkg/dacapo.js').BreakerHandle} BreakerHandle */
/** @typedef {import('../pkg/dacapo.js').BudgetHandle} BudgetHandle */

/** How often a state is read again that somebody else has changed meanwhile. */
const TRIES = 3;

/** How often one exchange begins the next: in a Worker all of them are the work of one request, which has to end. */
const LINKS = 3;

/** How long a call waits for the leave to be a probe. */
const CLAIM_MS = 1000;

/** After so long the store is taken for one that will not answer. */
const STUCK_MS = 10_000;

/** How often a breaker that refuses calls looks whether others know better. */
const REFRESH_MS = 5000;

/** After so long without news the failures that a closed breaker has counted are forgotten. */
const STALE_MS = 60_000;

/** So many characters are more than any state has: the engine would keep the memory that it copies them into. */
const MOST_TEXT = 16 * 1024;

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
    /** @type {{ version: unknown, ageMs: number, mono: number } | undefined} What was last read. */
    this.last = undefined;
  }

  /**
   * Tells the store what it does not know yet, and takes over what others told.
   *
   * @param {number} [links] How many exchanges may follow this one.
   */
  exchange(links = LINKS) {
    const now = this.source.mono();
    if (this.running !== undefined && now - this.begunAt < STUCK_MS) {
      this.again = true;
      return;
    }
    const running = {};
    this.running = running;
    this.begunAt = now;
    this.again = false;
    this.keepAlive(this.#exchanged(running, links));
  }

  /**
   * @param {object} running
   * @param {number} links
   */
  async #exchanged(running, links) {
    const isCurrent = () => this.running === running;
    try {
      await this.#agree(isCurrent);
    } catch {
      // The next call that has something to tell tries again.
      this.again = false;
    }
    if (!isCurrent()) return;
    this.running = undefined;
    // Otherwise the next call that has something to tell begins one.
    if (this.again && links > 0) this.exchange(links - 1);
  }

  /** @param {() => boolean} isCurrent Whether it has not been given up on. */
  async #agree(isCurrent) {
    /** @type {Found | undefined} */
    let found;
    for (let tries = 0; tries < TRIES; tries++) {
      found = await this.find();
      if (!isCurrent()) return;
      const state = found;
      const agreed = ask(() => this.merged(state, this.source.mono()));
      if (agreed === undefined) return;
      if (agreed.isNews && !(await this.write(found, agreed.text))) continue;
      if (!isCurrent()) return;
      ask(() => agreed.adopt(this.source.mono()));
      this.source.adopted();
      return;
    }
    const theirs = found;
    if (!isCurrent() || theirs === undefined) return;
    // They were quicker each time. What they told counts all the same; what is to be told waits.
    ask(() => this.learned(theirs, this.source.mono()));
    this.source.adopted();
  }

  /**
   * Takes over what others told, and nothing of it is said to be told.
   *
   * @param {Found} _found
   * @param {number} _mono
   */
  learned(_found, _mono) {}

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
    const text = textOf(state);
    // One that cannot be read is written over.
    if (typeof at !== 'number' || text === undefined || text.length > MOST_TEXT) return { version, text: '', ageMs: 0 };
    const mono = this.source.mono();
    const { last } = this;
    // By the clock of whoever wrote it, which may be ahead; but it grows no younger here.
    const atLeastMs = last !== undefined && last.version === version ? last.ageMs + mono - last.mono : 0;
    const ageMs = Math.max(atLeastMs, this.source.wall() - at);
    this.last = { version, ageMs, mono };
    return { version, text, ageMs };
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
      Promise.resolve(this.store.waitUntil?.(work)).catch(ignore);
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
    const { text, isNews } = this.#withDeeds(found, mono) ?? { text: done > 0 ? handle.export(mono) : undefined, isNews: true };
    if (text === undefined) return undefined;
    return { text, isNews: done > 0 && isNews, adopt: (/** @type {number} */ now) => this.source.handle().adopt(text, done, now, now - mono) };
  }

  /**
   * @override
   * @param {Found} found
   * @param {number} mono
   */
  learned(found, mono) {
    this.source.handle().adopt(found.text, 0, mono, found.ageMs);
  }

  /**
   * The state with what happened here, and whether that makes a difference: to one that is open a failure makes none.
   *
   * @param {Found | undefined} found
   * @param {number} mono
   */
  #withDeeds(found, mono) {
    return found && this.scratch((shared) => {
      if (!shared.import(found.text, mono, found.ageMs)) return undefined;
      const before = shared.export(mono);
      if (shared.state() === CLOSED && found.ageMs >= STALE_MS) shared.close();
      this.source.handle().redo(shared, mono);
      const text = shared.export(mono);
      return { text, isNews: text !== before };
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
    const text = this.#withDeeds(found, mono)?.text;
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

/** @param {unknown} state */
function textOf(state) {
  try {
    return JSON.stringify(state);
  } catch {
    return undefined;
  }
}
