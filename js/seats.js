// Calls that a runtime may forget, and that nothing here may hold for it.
//
// When a client leaves, workerd drops what its request had in hand, timers and continuations among it, and tells
// nobody. A call that nothing else holds is then collected; its place in the engine is found empty here. A WeakRef for
// each call would be dear, so each points to a seat, which one call after the other takes.

/** @typedef {import('./call.js').Call<any>} Call */

/** Whether this runtime does that: only workerd has this, under any compatibility date. */
export const forgets = 'WebSocketPair' in globalThis;

/** Fewer places are not worth a look. */
const FEW = 64;

/** Held by the call that sits on it alone. */
export class Seat {
  /** @type {Call | undefined} */
  call = undefined;
}

/** Each by the number of its place in the engine. @type {(WeakRef<Seat> | undefined)[]} */
const seats = [];
/** The seats that are free. @type {(Seat | undefined)[]} */
const free = [];
/** How many places are looked through before there is one more. */
let enough = FEW;

/**
 * A call has come into the engine, to stay there for a while.
 *
 * @param {Call} call
 * @param {import('./engine.js').Engine} engine
 */
export function take(call, engine) {
  // Workers whose compatibility date is before 2025-05-05 have none.
  if (typeof WeakRef === 'undefined') return;
  const { drive } = call;
  let seat = free[drive];
  if (seat === undefined) {
    if (drive >= enough && drive >= seats.length) clear(engine);
    seat = new Seat();
    seats[drive] = new WeakRef(seat);
  }
  free[drive] = undefined;
  seat.call = call;
  call.seat = seat;
}

/**
 * It has left.
 *
 * @param {Call} call
 * @param {number} drive
 * @param {boolean} isCurrent Whether the engine is still that one.
 */
export function leave(call, drive, isCurrent) {
  const { seat } = call;
  if (seat === undefined) return;
  call.seat = undefined;
  seat.call = undefined;
  if (isCurrent) free[drive] = seat;
}

/**
 * Frees the places of calls that have been collected. As often as the places in use have doubled, so that a call pays
 * for a few places in the long run.
 *
 * @param {import('./engine.js').Engine} engine
 */
function clear(engine) {
  let taken = 0;
  for (const [drive, seat] of seats.entries()) {
    if (seat === undefined || free[drive] !== undefined) continue;
    if (seat.deref() === undefined) {
      // Not twice: the engine may give the place away before its next call has a seat.
      seats[drive] = undefined;
      engine.driveDrop(drive);
    } else taken += 1;
  }
  enough = Math.max(FEW, 2 * taken);
}

/** How many places there are. */
export function places() {
  return seats.length;
}

/** The calls that are seated. */
export function seated() {
  return seats.flatMap((seat) => seat?.deref()?.call ?? []);
}

/** The engine has broken down, and its places with it: the calls that had one. */
export function vacated() {
  const calls = seated();
  seats.length = 0;
  free.length = 0;
  enough = FEW;
  return calls;
}
