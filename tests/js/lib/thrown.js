import { retry } from 'dacapo';
import { fakeClock } from './clock.js';

/** Runs an operation that throws this, and gives what came of it. */
export async function thrownBy(thrown, options = {}) {
  let sends = 0;
  const operation = () => {
    sends += 1;
    throw thrown;
  };
  const error = await retry(operation, { clock: fakeClock(), ...options }).catch((caught) => caught);
  return { error, sends };
}
