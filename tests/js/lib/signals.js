// Signals that tell who listens to them. Nothing here is Node's.

/** The reasons that a caller may abort with. `undefined` becomes an AbortError. */
export const REASONS = Object.freeze({
  'an Error': () => new Error('stop'),
  'a string': () => 'client closed',
  null: () => null,
  zero: () => 0,
  'an object': () => ({ custom: 1 }),
  nothing: () => undefined,
});

/**
 * An AbortController whose signal counts its `abort` listeners: `now`, `most` at a time,
 * `added` in all.
 */
export function countedController() {
  const controller = new AbortController();
  const { signal } = controller;
  const listeners = new Set();
  const count = { added: 0, most: 0, get now() { return listeners.size; } };
  const { addEventListener, removeEventListener } = signal;
  Object.defineProperties(signal, {
    addEventListener: {
      value(type, listener, options) {
        if (type === 'abort') {
          listeners.add(listener);
          count.added += 1;
          count.most = Math.max(count.most, listeners.size);
          const forget = () => listeners.delete(listener);
          if (options?.once) listen(signal, forget);
          if (options?.signal) listen(options.signal, forget);
        }
        return addEventListener.call(signal, type, listener, options);
      },
    },
    removeEventListener: {
      value(type, listener, options) {
        if (type === 'abort') listeners.delete(listener);
        return removeEventListener.call(signal, type, listener, options);
      },
    },
  });
  return { controller, signal, count };
}

/** Listens without being counted, as a platform's own fetch does. */
export function listen(signal, listener) {
  EventTarget.prototype.addEventListener.call(signal, 'abort', listener, { once: true });
}

/**
 * Flags that are raised by the next macrotask of each kind that this runtime has. Ask
 * `raised()` to know whether any has run since.
 */
export function macrotaskFlags() {
  let ran;
  const raise = (kind) => () => {
    ran ??= kind;
  };
  const timer = setTimeout(raise('a timer'), 0);
  // In Next.js's edge runtime there are only timers: the others are functions that throw.
  const isEdge = 'EdgeRuntime' in globalThis;
  if (typeof setImmediate === 'function' && !isEdge) setImmediate(raise('an immediate'));
  let channel;
  if (typeof MessageChannel === 'function' && !isEdge) {
    channel = new MessageChannel();
    channel.port1.onmessage = raise('a message');
    channel.port2.postMessage(0);
  }
  return {
    raised: () => ran,
    clear() {
      clearTimeout(timer);
      channel?.port1.close();
      channel?.port2.close();
    },
  };
}
