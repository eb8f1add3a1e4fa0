import { configError, read, show } from './errors.js';
import { addFault } from './faults.js';
import { hasMembers } from './masked.js';
import { settingsOf } from './policy.js';
import { RetriedStream, StreamCall, streamPolicy } from './retry-stream.js';
import { retry } from './retry.js';
import { isSignal } from './signals.js';
import { isPlain } from './thrown.js';
import { view } from './view.js';

/** @import { ConfigFault, WithRetryOptions } from './types.d.ts' */
/** @typedef {import('./view.js').Method} Method */

const MODES = ['promise', 'iterable'];

/**
 * @template {object} D
 * @param {D} driver
 * @param {WithRetryOptions<D>} options
 * @returns {D}
 */
export function withRetry(driver, options) {
  if (!hasMembers(driver)) throw configError(`withRetry: the driver is ${show(driver)}, must be an object`);
  if (!hasMembers(options)) throw configError(`withRetry: the options are ${show(options)}, must be an object with methods`);
  const { methods, ...rest } = /** @type {any} */ (options);
  /** @type {ConfigFault[]} */
  const faults = [];
  const modes = modesOf(driver, methods, faults);
  const { policy, ...setup } = streamPolicy(rest, faults);
  const { limitMs, idleTimeoutMs, firstOutputTimeoutMs, hedgeAfterMs } = settingsOf(policy);
  const isTimed = limitMs >= 0 || idleTimeoutMs > 0 || firstOutputTimeoutMs > 0 || hedgeAfterMs > 0;

  /**
   * @param {Method} method
   * @param {string} mode
   * @param {(self: unknown) => unknown} itself
   * @returns {Method}
   */
  function retried(method, mode, itself) {
    // The method's name and length stay readable, and whatever else it carries.
    return new Proxy(method, {
      apply(_, self, args) {
        const receiver = itself(self);
        const at = signalAt(args);
        const signal = at < 0 ? undefined : args[at].signal;
        const attempt = (/** @type {{ signal: AbortSignal }} */ context) => (
          Reflect.apply(method, receiver, isTimed && at >= 0 && context.signal !== signal ? withSignal(args, at, context.signal) : args)
        );
        return mode === 'promise' ? retry(attempt, { policy, signal }) : new RetriedStream((stream) => new StreamCall(policy, attempt, { ...setup, signal }, stream));
      },
    });
  }
  return view(driver, modes, retried);
}

/**
 * @param {any} driver
 * @param {any} methods
 * @param {ConfigFault[]} faults
 * @returns {Map<string | symbol, string>}
 */
function modesOf(driver, methods, faults) {
  /** @type {Map<string | symbol, string>} */
  const modes = new Map();
  if (typeof methods !== 'object' || methods === null || Array.isArray(methods)) {
    addFault(faults, 'methods', methods, 'type', "an object of method names and 'promise' or 'iterable'");
    return modes;
  }
  for (const name of Reflect.ownKeys(methods)) {
    const option = `methods.${String(name)}`;
    const mode = methods[name];
    if (mode === undefined) continue;
    if (!MODES.includes(mode)) addFault(faults, option, mode, 'choice', "'promise' or 'iterable'");
    const method = read(driver, /** @type {string} */ (name));
    if (typeof method !== 'function') addFault(faults, option, method, 'type', 'the name of a method of the driver');
    modes.set(name, mode);
  }
  return modes;
}

/**
 * Where the caller's signal is: in the last argument that has one.
 *
 * @param {any[]} args
 */
function signalAt(args) {
  return args.findLastIndex((arg) => typeof arg === 'object' && arg !== null && isSignal(read(arg, 'signal')));
}

/**
 * The arguments with the attempt's signal for the caller's. An object of a class stays as it
 * is: a copy would not be of that class in all it does.
 *
 * @param {any[]} args
 * @param {number} at
 * @param {AbortSignal} signal
 */
function withSignal(args, at, signal) {
  return isPlain(args[at]) ? args.with(at, { ...args[at], signal }) : args;
}
