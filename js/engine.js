import * as glue from '../pkg/dacapo.js';
import { configError, RetryError } from './errors.js';

/** @typedef {typeof glue} Engine */

/** @type {(() => WebAssembly.Module) | undefined} */
let compile;
/** @type {WebAssembly.Module | undefined} */
let module;
let started = false;
let generation = 0;

/** The calls that are in the engine, so that none hangs when it breaks down. @type {Set<{ broke(error: unknown): void }>} */
export const running = new Set();

/**
 * The one place where the wasm comes in: called by the loaders in `load/`.
 *
 * @param {() => WebAssembly.Module} getModule Called at the first use.
 */
export function provide(getModule) {
  compile = getModule;
}

/**
 * What the engine answers; it is started at the first use. An instance that traps is
 * dropped with all its calls, and the next use starts a fresh one.
 *
 * @template T
 * @param {(engine: Engine) => T} question
 * @returns {T}
 */
export function ask(question) {
  if (!started) start();
  try {
    return question(glue);
  } catch (error) {
    throw error instanceof WebAssembly.RuntimeError ? drop(error) : error;
  }
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
  if (compile === undefined) throw configError('dacapo/slim has no engine yet: call init(module) first');
  try {
    module ??= compile();
  } catch (error) {
    throw configError(error instanceof Error ? error.message : String(error), undefined, error);
  }
  glue.initSync({ module });
  started = true;
  generation += 1;
}

/** @param {unknown} trap */
function drop(trap) {
  started = false;
  glue.__wbg_reset_state();
  const error = new RetryError({ kind: 'unknown', message: 'the retry engine broke down, which is a bug in dacapo', cause: trap });
  for (const call of [...running]) call.broke(error);
  return error;
}
