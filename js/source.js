import { ignore } from './body.js';
import { read, show } from './errors.js';

/**
 * What streams are read through. A missing `return` is one with nothing to let go of.
 *
 * @typedef {{ next(): unknown, return?(): unknown }} Source
 */

/**
 * @param {any} stream
 * @returns {Source}
 */
export function iteratorOf(stream) {
  if (typeof stream === 'object' && stream !== null) {
    if (typeof stream[Symbol.asyncIterator] === 'function') return iteratorIn(stream[Symbol.asyncIterator]());
    // Some browsers' streams are no async iterables.
    if (typeof stream.getReader === 'function') return readerOf(stream.getReader());
    if (typeof stream[Symbol.iterator] === 'function') return awaiting(iteratorIn(stream[Symbol.iterator]()));
  }
  throw new TypeError(`retryStream: the function (in withRetry, a method named 'iterable') gave ${show(stream)}, must give an async iterable, an iterable or a ReadableStream`);
}

/** @param {any} iterator */
function iteratorIn(iterator) {
  if (typeof iterator?.next === 'function') return iterator;
  throw new TypeError("retryStream: what the function (in withRetry, a method named 'iterable') gave has no iterator");
}

/**
 * @param {ReadableStreamDefaultReader<unknown>} reader
 * @returns {Source}
 */
function readerOf(reader) {
  return {
    next: () => reader.read(),
    async return() {
      await reader.cancel();
      reader.releaseLock();
    },
  };
}

/**
 * An iterable's promises are waited for, as `for await` does.
 *
 * @param {Iterator<unknown>} iterator
 * @returns {Source}
 */
function awaiting(iterator) {
  return {
    async next() {
      const { done, value } = iterator.next();
      return { done, value: await value };
    },
    return: () => iterator.return?.(),
  };
}

/**
 * Asks an iterator to let go. Never throws.
 *
 * @param {Source} iterator
 * @returns {Promise<unknown> | undefined} undefined where there is nothing to ask.
 */
export function release(iterator) {
  const letGo = read(iterator, 'return');
  if (typeof letGo !== 'function') return undefined;
  const released = new Promise((resolve) => resolve(letGo.call(iterator)));
  // Whether anybody waits for it or not.
  released.catch(ignore);
  return released;
}

/**
 * Lets go of a stream that came too late.
 *
 * @param {unknown} stream
 */
export function releaseLate(stream) {
  try {
    release(iteratorOf(stream));
  } catch {
    // No stream after all.
  }
}
