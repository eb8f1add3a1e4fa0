/**
 * A store in memory, which notes what it is asked in `touched`.
 *
 * @param {object} [manners]
 * @param {boolean} [manners.delayed] It answers in a later task, so that others get in between.
 * @param {boolean} [manners.refuses] It never takes a state.
 */
export function memoryStore({ delayed = false, refuses = false } = {}) {
  const states = new Map();
  const pause = () => (delayed ? new Promise((resolve) => setTimeout(resolve, 0)) : undefined);
  const store = {
    states,
    touched: [],
    conflicts: 0,
    async read(key) {
      store.touched.push('read');
      await pause();
      return structuredClone(states.get(key));
    },
    async compareAndSet(key, version, state) {
      store.touched.push('compareAndSet');
      await pause();
      if (refuses || states.get(key)?.version !== version) {
        store.conflicts += 1;
        return false;
      }
      states.set(key, structuredClone({ version: (version ?? 0) + 1, state }));
      return true;
    },
  };
  return store;
}
