import { DurableObject, waitUntil } from 'cloudflare:workers';

/** @typedef {import('./types.d.ts').StateStore} StateStore */

const STATE = 'state';

/** Holds the state of one key. The contract is in cloudflare.d.ts. */
export class DacapoState extends DurableObject {
  /** @returns {Promise<{ version: number, state: Record<string, unknown> } | undefined>} */
  read() {
    return this.ctx.storage.get(STATE);
  }

  /**
   * @param {number | undefined} version
   * @param {Readonly<Record<string, unknown>>} state
   */
  async compareAndSet(version, state) {
    // While storage is awaited, no other request comes in between.
    const found = await this.ctx.storage.get(STATE);
    if (found?.version !== version) return false;
    await this.ctx.storage.put(STATE, { version: (version ?? 0) + 1, state });
    return true;
  }
}

/**
 * @param {import('./cloudflare.d.ts').StateNamespace} namespace
 * @returns {StateStore}
 */
export function durableStore(namespace) {
  const of = (/** @type {string} */ key) => namespace.get(namespace.idFromName(key));
  return {
    read: (key) => of(key).read(),
    compareAndSet: (key, version, state) => of(key).compareAndSet(version, state),
    waitUntil,
  };
}
