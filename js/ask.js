import { engine, reset, running, Unavailable } from './engine.js';
import { configError, RetryError } from './errors.js';
import { vacated } from './seats.js';

/**
 * What the engine answers. An instance that traps is dropped with all its calls, and the
 * next question goes to a fresh one.
 *
 * @template T
 * @param {(engine: import('./engine.js').Engine) => T} question
 * @returns {T}
 */
export function ask(question) {
  try {
    return question(engine());
  } catch (error) {
    throw answered(error);
  }
}

/**
 * What to throw for what a question threw, on the ways that cannot afford a function for it.
 *
 * @param {unknown} error
 */
export function answered(error) {
  if (error instanceof Unavailable) return configError(error.message, undefined, error.cause);
  return error instanceof WebAssembly.RuntimeError ? broken(error) : error;
}

/** @param {unknown} trap */
function broken(trap) {
  const error = new RetryError({ kind: 'unknown', message: 'the retry engine broke down, which is a bug in dacapo', cause: trap });
  try {
    reset(error);
  } catch {
    // There is no memory for another one, say. The calls of this one are lost all the same.
  }
  for (const call of [...running, ...vacated()]) call.broke(error);
  return error;
}
