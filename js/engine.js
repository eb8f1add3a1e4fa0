import * as glue from '../pkg/dacapo.js';
import { refusal } from './load/refusal.js';

/** @typedef {typeof glue} Engine */

/** @type {(() => WebAssembly.Module) | undefined} */
let compile;
/** Not named `module`: Parcel may wrap this file in a function with a parameter of that name. @type {WebAssembly.Module | undefined} */
let compiled;
let started = false;
/** Whether an instance has trapped and none has taken its place yet. */
let isLost = false;
let generation = 1;
/** @type {unknown} What calls of an instance that trapped are rejected with. */
let breakdown;

/** The calls that are in the engine and not on a seat, so that none hangs when it breaks down. @type {Set<{ broke(error: unknown): void }>} */
export const running = new Set();

/**
 * The one place where the wasm comes in: called by the loaders in `load/`.
 *
 * @param {() => WebAssembly.Module} getModule Called at the first use.
 */
export function provide(getModule) {
  compile = getModule;
}

/** Why there is no engine to ask. */
export class Unavailable extends Error {}

/**
 * The engine, started at the first use. All but `errors.js` ask it through `ask.js`.
 *
 * @returns {Engine}
 */
export function engine() {
  if (!started) start();
  return glue;
}

/** Whether the engine has been started, so that asking it cannot fail. */
export function isStarted() {
  return started;
}

/** Which instance is running; handles made by an earlier one are void. */
export function currentGeneration() {
  return generation;
}

function start() {
  if (compile === undefined) throw new Unavailable('dacapo/slim has no engine yet: call init(module) first');
  try {
    compiled ??= compile();
    if (isLost) renew();
    else glue.initSync({ module: compiled });
  } catch (cause) {
    const error = refusal(cause);
    throw new Unavailable(error instanceof Error ? error.message : String(error), { cause: error });
  }
  started = true;
}

/** What the calls of the last instance that trapped are rejected with. */
export function lastBreakdown() {
  return breakdown;
}

/**
 * Drops an instance that has trapped, for a fresh one. Throws where the platform has none; the next use tries again.
 *
 * @param {unknown} error What its calls are rejected with.
 */
export function reset(error) {
  started = false;
  generation += 1;
  breakdown = error;
  isLost = true;
  renew();
}

function renew() {
  glue.__wbg_reset_state();
  isLost = false;
}
