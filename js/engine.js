import * as glue from '../pkg/dacapo.js';

/** @typedef {typeof glue} Engine */

/** @type {(() => WebAssembly.Module) | undefined} */
let compile;
/** @type {WebAssembly.Module | undefined} */
let module;
let running = false;
let generation = 0;

/**
 * The one place where the wasm comes in: called by the loaders in `load/`.
 *
 * @param {() => WebAssembly.Module} getModule Called at the first use.
 */
export function provide(getModule) {
  compile = getModule;
}

/**
 * The engine, started at the first use.
 *
 * @returns {Engine}
 */
export function engine() {
  if (!running) start();
  return glue;
}

/** Whether the engine has been started, so that using it cannot fail. */
export function isRunning() {
  return running;
}

/** Which instance is running; handles made by an earlier one are void. */
export function currentGeneration() {
  return generation;
}

function start() {
  if (compile === undefined) throw new Error('no loader');
  module ??= compile();
  glue.initSync({ module });
  running = true;
  generation += 1;
}

/** Drops an instance that has trapped; the next use starts a fresh one. */
export function dropEngine() {
  running = false;
  glue.__wbg_reset_state();
}

/**
 * Whether this is the engine's own breakdown and not an error of a caller.
 *
 * @param {unknown} error
 */
export function isTrap(error) {
  return error instanceof WebAssembly.RuntimeError;
}
