const INSPECT = Symbol.for('nodejs.util.inspect.custom');

/** @typedef {(this: unknown, ...args: any[]) => any} Method */

/**
 * The driver, seen with some of its methods retried. The proxy stands before an object of its
 * own, so that what it shows of a frozen driver may differ from that; whatever the rules for
 * proxies want that object to have is mirrored there.
 *
 * @template {object} D
 * @param {D} driver
 * @param {Map<string | symbol, string>} modes
 * @param {(method: Method, mode: string, itself: (self: unknown) => unknown) => Method} retried
 * @returns {D}
 */
export function view(driver, modes, retried) {
  const mirror = mirrorOf(driver);
  /** @type {Map<string | symbol, WeakMap<Function, Function>>} */
  const shown = new Map();
  /** @type {WeakMap<Function, Function>} */
  const originals = new WeakMap();
  /** Private members are the driver's, and what its methods call there is not retried once more. */
  const itself = (/** @type {unknown} */ self) => (self === proxy || self === undefined ? driver : self);

  /**
   * @param {string | symbol} key
   * @param {any} value
   */
  const seenAs = (key, value) => {
    if (typeof value !== 'function' || key === 'constructor' || key === 'prototype') return value;
    const mode = modes.get(key);
    // The same function under two names is one, unless it is retried under one of them.
    const place = mode === undefined ? '' : key;
    let seen = shown.get(place);
    if (seen === undefined) shown.set(place, (seen = new WeakMap()));
    let one = seen.get(value);
    if (one === undefined) {
      one = mode === undefined ? bound(value, itself) : retried(value, mode, itself);
      seen.set(value, one);
      originals.set(one, value);
    }
    return one;
  };
  const hidden = (/** @type {any} */ value) => originals.get(value) ?? value;

  const describe = (/** @type {string | symbol} */ key) => {
    const descriptor = Reflect.getOwnPropertyDescriptor(driver, key);
    if (descriptor !== undefined && 'value' in descriptor) descriptor.value = seenAs(key, descriptor.value);
    if (descriptor?.configurable === false) Reflect.defineProperty(mirror, key, descriptor);
    return descriptor;
  };
  const mirrorAll = () => {
    if (Reflect.isExtensible(driver) || !Reflect.isExtensible(mirror)) return;
    Reflect.deleteProperty(mirror, INSPECT);
    for (const key of Reflect.ownKeys(driver)) Reflect.defineProperty(mirror, key, /** @type {PropertyDescriptor} */ (describe(key)));
    Reflect.setPrototypeOf(mirror, Reflect.getPrototypeOf(driver));
    Reflect.preventExtensions(mirror);
  };

  /** @type {any} */
  const proxy = new Proxy(mirror, {
    get: (_, key, receiver) => seenAs(key, Reflect.get(driver, key, itself(receiver))),
    set: (_, key, value, receiver) => Reflect.set(driver, key, hidden(value), itself(receiver)),
    has: (_, key) => Reflect.has(driver, key),
    deleteProperty: (_, key) => Reflect.deleteProperty(driver, key) && Reflect.deleteProperty(mirror, key),
    ownKeys() {
      mirrorAll();
      return Reflect.ownKeys(driver);
    },
    getOwnPropertyDescriptor: (_, key) => describe(key),
    defineProperty(_, key, descriptor) {
      const own = 'value' in descriptor ? { ...descriptor, value: hidden(descriptor.value) } : descriptor;
      const isDefined = Reflect.defineProperty(driver, key, own);
      if (isDefined) describe(key);
      return isDefined;
    },
    getPrototypeOf: () => Reflect.getPrototypeOf(driver),
    setPrototypeOf: (_, prototype) => Reflect.setPrototypeOf(driver, prototype),
    isExtensible() {
      mirrorAll();
      return Reflect.isExtensible(driver);
    },
    preventExtensions() {
      const isPrevented = Reflect.preventExtensions(driver);
      mirrorAll();
      return isPrevented;
    },
    apply: (_, self, args) => Reflect.apply(/** @type {Method} */ (driver), self === proxy ? driver : self, args),
    construct: (_, args, target) => Reflect.construct(/** @type {any} */ (driver), args, target === proxy ? /** @type {any} */ (driver) : target),
  });
  return proxy;
}

/**
 * A function that has the driver for its `this`, where it had the proxy. All else of it shows.
 *
 * @param {Function} method
 * @param {(self: unknown) => unknown} itself
 * @returns {Function}
 */
function bound(method, itself) {
  return new Proxy(method, { apply: (_, self, args) => Reflect.apply(method, self === undefined ? self : itself(self), args) });
}

/**
 * What stands behind the proxy: a function where the driver is one, with the members that no
 * function of its sort can be without.
 *
 * @param {object} driver
 * @returns {any}
 */
function mirrorOf(driver) {
  /** @type {any} */
  let mirror = {};
  if (typeof driver === 'function') {
    mirror = Object.hasOwn(driver, 'prototype') ? function () {} : () => {};
    for (const name of ['name', 'length']) Reflect.deleteProperty(mirror, name);
  }
  // Node's console looks behind a proxy.
  mirror[INSPECT] = (/** @type {unknown} */ _, /** @type {unknown} */ options, /** @type {any} */ inspect) => inspect?.(driver, options) ?? String(driver);
  return mirror;
}
