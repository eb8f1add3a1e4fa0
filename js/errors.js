import { engine, Unavailable } from './engine.js';
import { maskText } from './mask.js';

/** @import { AttemptRecord, ConfigFault, ErrorKind, ErrorType, ResumeToken, RetryErrorInit, RetryLedger, StopMark, StreamPartial } from './types.d.ts' */

const BRAND = Symbol.for('dacapo.RetryError');
const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/** How many errors of a cause chain or an AggregateError are looked at. */
const ERRORS_VISITED = 64;

/**
 * What only the library itself gives to a RetryError.
 *
 * @typedef {object} Internals
 * @property {readonly AttemptRecord[]} [attempts]
 * @property {RetryLedger} [retry]
 * @property {StopMark} [mark]
 * @property {readonly ConfigFault[]} [faults]
 * @property {StreamPartial} [partial]
 * @property {ResumeToken} [resume]
 * @property {ErrorType} [type]
 * @property {string} [causeText] The cause, masked.
 */

/** What a RetryError may be given beside its kind and message. */
export const GIVEN = /** @type {const} */ ([
  'code', 'status', 'provider', 'retryAfterMs', 'issues', 'budgetKind', 'capability', 'file', 'line', 'column',
]);
const OWN = /** @type {const} */ (['faults', 'attempts', 'retry', 'mark', 'partial', 'resume']);

/** A failure with a kind; the contract is in types.d.ts. */
export class RetryError extends Error {
  #causeText = '';

  /**
   * @param {RetryErrorInit} init
   * @param {Internals} [internals]
   */
  constructor(init, internals = {}) {
    if (typeof init !== 'object' || init === null) throw new TypeError(`RetryError: init is ${show(init)}, must be an object with a kind`);
    const { kind } = init;
    const row = rowOf(kind, internals);
    const message = init.message ?? kind.replaceAll('_', ' ');
    super(maskText(message), 'cause' in init ? { cause: init.cause } : undefined);
    /** @type {ErrorKind} */
    this.kind = kind;
    /** @type {ErrorType} */
    this.type = row.type;
    /** @type {boolean} */
    this.retryable = init.retryable ?? row.retryable;
    for (const name of GIVEN) {
      const value = init[name];
      if (value !== undefined) /** @type {any} */ (this)[name] = typeof value === 'string' ? maskText(value) : value;
    }
    for (const name of OWN) {
      if (internals[name] !== undefined) /** @type {any} */ (this)[name] = internals[name];
    }
    this.#causeText = internals.causeText ?? '';
  }

  toJSON() {
    /** @type {Record<string, unknown>} */
    const json = { name: this.name, message: this.message, kind: this.kind, type: this.type, retryable: this.retryable };
    for (const name of [...GIVEN, ...OWN]) {
      const value = /** @type {any} */ (this)[name];
      if (value !== undefined) json[name] = value;
    }
    return json;
  }

  /**
   * @param {number} depth
   * @param {object} options
   * @param {(value: unknown, options: object) => string} [inspect]
   */
  [INSPECT](depth, options, inspect) {
    if (depth < 0 || inspect === undefined) return `[${this.name}: ${this.message}]`;
    const { name, message, ...fields } = this.toJSON();
    const cause = this.cause === undefined ? '' : `\n  [cause]: ${this.#causeText || describe(this.cause)}`;
    return `${this.stack} ${inspect(fields, options)}${cause}`;
  }
}
Object.defineProperty(RetryError.prototype, 'name', { value: 'RetryError', configurable: true, writable: true });
Object.defineProperty(RetryError.prototype, BRAND, { value: true });

/**
 * @param {ErrorKind} kind
 * @param {Internals} internals
 * @returns {{ type: ErrorType, retryable: boolean }}
 */
function rowOf(kind, internals) {
  // A fault of the configuration may be that the engine cannot run.
  if (internals.type !== undefined) return { type: internals.type, retryable: false };
  if (typeof kind !== 'string') throw new TypeError(`RetryError: kind is ${show(kind)}, must be an ErrorKind`);
  try {
    const row = engine().kindRow(kind);
    if (row !== undefined) return { type: /** @type {ErrorType} */ (row.replace('!', '')), retryable: row.endsWith('!') };
    const nearest = engine().nearestKind(kind);
    const meant = nearest ? `; did you mean '${nearest}'?` : '';
    throw new TypeError(`RetryError: kind is ${show(kind)}, must be an ErrorKind${meant}`);
  } catch (error) {
    throw error instanceof Unavailable ? configError(error.message, undefined, error.cause) : error;
  }
}

/**
 * An `invalid_config` error.
 *
 * @param {string} message
 * @param {readonly ConfigFault[]} [faults]
 * @param {unknown} [cause]
 */
export function configError(message, faults, cause) {
  /** @type {RetryErrorInit} */
  const init = { kind: 'invalid_config', message };
  if (cause !== undefined) init.cause = cause;
  return new RetryError(init, { type: 'invalid_params', ...(faults && { faults }) });
}

/**
 * The `invalid_config` error that tells of every fault of some options.
 *
 * @param {readonly ConfigFault[]} faults
 */
export function optionsError(faults) {
  const texts = faults.map(({ option, code, value, allowed }) => (
    code === 'unknown_option' ? `${option}: ${allowed}` : `${option} is ${value}, must be ${allowed}`
  ));
  return configError(`invalid retry options: ${texts.join('; ')}`, Object.freeze(faults));
}

/**
 * A value in an error message: short, and without secrets of a known shape.
 *
 * @param {unknown} value
 */
export function show(value) {
  let text;
  if (typeof value === 'string') text = JSON.stringify(value);
  else if (typeof value === 'function') text = 'a function';
  else if (typeof value === 'bigint') text = `${value}n`;
  else if (typeof value === 'object' && value !== null) text = objectText(value);
  else text = String(value);
  text = maskText(text);
  return text.length > 80 ? `${text.slice(0, 79)}${ELLIPSIS}` : text;
}

/**
 * An object in an error message: what it is an instance of, or its members.
 *
 * @param {object} value
 */
function objectText(value) {
  const name = read(read(value, 'constructor'), 'name');
  if (typeof name === 'string' && !['', 'Object', 'Array'].includes(name)) return `${/^[AEIO]/.test(name) ? 'an' : 'a'} ${name}`;
  let text = 'an object';
  try {
    if (Array.isArray(value)) text = 'a list';
    const json = JSON.stringify(value, (_, inner) => (typeof inner === 'number' && !Number.isFinite(inner) ? String(inner) : inner));
    if (typeof json === 'string' && json.length <= 240) text = json;
  } catch {
    // A cycle or a throwing getter: its type has to do.
  }
  return text;
}

/** Written so that a script stays ASCII: in a page of another charset the sign itself may swallow what follows it. */
export const ELLIPSIS = String.fromCharCode(0x2026);

/**
 * Whether it is an Error, of this realm or another.
 *
 * @param {unknown} value
 * @returns {value is Error}
 */
export function isError(value) {
  try {
    return value instanceof Error || Object.prototype.toString.call(value) === '[object Error]';
  } catch {
    return false;
  }
}

/**
 * An error and its causes as one masked text, with the frames of their stacks.
 *
 * @param {unknown} error
 * @param {(text: string) => string} [mask]
 */
export function describe(error, mask = maskText) {
  return [...linked(error)].map((one) => mask(textOf(one))).join('\n  [cause]: ');
}

/** @param {unknown} error */
function textOf(error) {
  try {
    if (typeof error !== 'object' || error === null) return String(error);
    const { name, message, code, stack } = /** @type {any} */ (error);
    const text = message === undefined || message === '' ? String(name ?? 'object') : `${name ?? 'Error'}: ${message}`;
    const frames = typeof stack === 'string' ? stack.split('\n').filter((line) => /^\s+at /.test(line)) : [];
    return [typeof code === 'string' ? `${text} (${code})` : text, ...frames].join('\n');
  } catch {
    return 'an error that cannot be read';
  }
}

/**
 * An error, its causes and the members of AggregateErrors, each once, outermost first.
 *
 * @param {unknown} error
 * @returns {Generator<unknown, void, undefined>}
 */
export function* linked(error) {
  const queue = [error];
  const seen = new Set();
  while (queue.length > 0 && seen.size < ERRORS_VISITED) {
    const one = queue.shift();
    if (seen.has(one)) continue;
    seen.add(one);
    yield one;
    if (typeof one !== 'object' || one === null) continue;
    const cause = read(one, 'cause');
    if (cause !== undefined && cause !== null) queue.push(cause);
    queue.push(...membersOf(one));
  }
}

/**
 * The errors of an AggregateError.
 *
 * @param {object} error
 * @returns {unknown[]}
 */
export function membersOf(error) {
  const members = read(error, 'errors');
  try {
    return Array.isArray(members) ? members.slice(0, ERRORS_VISITED) : [];
  } catch {
    return [];
  }
}

/**
 * A member of an object that may be hostile.
 *
 * @param {any} object
 * @param {string} name
 * @returns {any}
 */
export function read(object, name) {
  try {
    return object[name];
  } catch {
    return undefined;
  }
}

/**
 * @param {any} x
 * @returns {x is import('./types.d.ts').RetryError}
 */
export function isRetryError(x) {
  try {
    return typeof x === 'object' && x !== null && x[BRAND] === true && typeof x.kind === 'string';
  } catch {
    return false;
  }
}

/**
 * @param {unknown} x
 * @returns {import('./types.d.ts').RetryError | undefined}
 */
export function findRetryError(x) {
  for (const one of linked(x)) {
    if (isRetryError(one)) return one;
  }
  return undefined;
}
