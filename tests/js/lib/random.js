/** Numbers that are the same at every run: mulberry32. */
export function randomFrom(seed) {
  let state = seed;
  const unit = () => {
    state = (state + 0x6d2b79f5) | 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (n) => Math.floor(unit() * n);
  return { unit, below, pick: (list) => list[below(list.length)] };
}
