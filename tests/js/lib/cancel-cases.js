// Where a call can be cancelled, and what has to hold wherever it is. Nothing here is
// Node's: the browser and workerd suites run the same cases.
//
// Each point is a function that starts a call of `api` (the package) under `run.signal` and
// sees to it that `run.abort()` is called at the point. It returns the `call`, and
// - `attempts`: how many failures its history has, where that is certain;
// - `listeners`: how many listeners the signal may have got in all;
// - `late`: what happens when all is over, and must do no harm;
// - `then`: says at the very end what is wrong, if anything is.

import { deferred, fakeClock, stoppedClock } from './clock.js';
import { listen } from './signals.js';
import { failed, URL_, watchedBody } from './stub.js';

export const POST = { method: 'POST', body: '{}' };
export const never = () => new Promise(() => {});

/** A fetch that answers in turn and counts; each answer gets `(init, run)`. */
export function answering(run, ...answers) {
  return async (input, init) => {
    run.sends += 1;
    return answers[Math.min(run.sends, answers.length) - 1](init, run);
  };
}

export const with503 = () => failed(503);

/** Waits that would outlast every test, and short ones to get past. */
export function waits(clockKind) {
  return {
    injected: { endless: () => ({ clock: stoppedClock() }), short: () => ({ clock: fakeClock() }) },
    real: {
      endless: () => ({ initialDelayMs: 100_000, maxDelayMs: 100_000 }),
      short: () => ({ initialDelayMs: 1, maxDelayMs: 2 }),
    },
  }[clockKind];
}

/** Aborts from outside of anything the call runs: a fresh macrotask, a little later. */
async function abortSoon(run) {
  await new Promise((resolve) => setTimeout(resolve, 3));
  run.abort();
}

/** Hooks that abort a little after a wait has begun, however long the attempt before it took. */
function abortInWait(run) {
  return { onEvent: ({ type }) => void (type === 'waiting' && abortSoon(run)) };
}

/** What is wrong when the attempt's own signal did not abort with the caller's. */
function notPassedOn({ signal, attemptSignal }) {
  if (!attemptSignal.aborted || !Object.is(attemptSignal.reason, signal.reason)) return "the attempt's signal did not abort with the reason";
}

export function jsonOver(stream) {
  return new Response(stream, { status: 200, headers: { 'content-type': 'application/json' } });
}

/** Every point of a call at which its signal may abort. */
export const POINTS = {
  'before the call': (api, run, wait) => {
    run.abort();
    const call = api.createFetch({ ...wait.short(), fetch: answering(run, with503) })(URL_, { signal: run.signal });
    return { call, attempts: 0, listeners: 0 };
  },

  'before the call, with a Request': (api, run, wait) => {
    run.abort();
    const request = new Request(URL_, { ...POST, signal: run.signal });
    return { call: api.createFetch({ ...wait.short(), fetch: answering(run, with503) })(request), attempts: 0 };
  },

  'in flight, of a fetch that takes no notice and answers late': (api, run, wait) => {
    const answer = deferred();
    const { stream, seen } = watchedBody({ stuck: true });
    const call = api.createFetch({ ...wait.short(), fetch: answering(run, () => answer.promise) })(URL_, { signal: run.signal });
    abortSoon(run);
    const late = () => answer.resolve(new Response(stream));
    return { call, late, then: () => (seen.cancelled === 1 ? undefined : 'the late Response was not cancelled') };
  },

  'in flight, of a fetch that takes no notice and rejects late': (api, run, wait) => {
    const answer = deferred();
    const call = api.createFetch({ ...wait.short(), fetch: answering(run, () => answer.promise) })(URL_, { signal: run.signal });
    abortSoon(run);
    return { call, late: () => answer.reject(new Error('much too late')) };
  },

  'in flight, of a fetch that rejects when its signal aborts': (api, run, wait) => {
    const obedient = (init) => new Promise((_, reject) => {
      listen(init.signal, () => reject(init.signal.reason));
    });
    const call = api.createFetch({ ...wait.short(), fetch: answering(run, obedient) })(URL_, { signal: run.signal });
    abortSoon(run);
    return { call };
  },

  'in flight, under a timeout': (api, run, wait) => {
    const passedOn = (init) => {
      run.attemptSignal = init.signal;
      return never();
    };
    const call = api.createFetch({ ...wait.short(), timeoutMs: 100_000, fetch: answering(run, passedOn) })(URL_, { signal: run.signal });
    abortSoon(run);
    return { call, then: () => notPassedOn(run) };
  },

  'in the middle of calling fetch': (api, run, wait) => {
    const { stream, seen } = watchedBody({ stuck: true });
    const aborting = () => {
      run.abort();
      return new Response(stream);
    };
    const call = api.createFetch({ ...wait.short(), fetch: answering(run, aborting) })(URL_, { signal: run.signal });
    return { call, then: () => (seen.cancelled === 1 ? undefined : 'the Response was not cancelled') };
  },

  'in flight of the second attempt': (api, run, wait) => {
    const second = () => {
      abortSoon(run);
      return never();
    };
    const call = api.createFetch({ ...wait.short(), fetch: answering(run, with503, second) })(URL_, { signal: run.signal });
    return { call, attempts: 1 };
  },

  'while a 2xx body is inspected': (api, run, wait) => {
    const { stream, seen } = watchedBody({ chunks: ['{"a":'], stuck: true });
    const call = api.createFetch({ ...wait.short(), fetch: answering(run, () => jsonOver(stream)) })(URL_, { ...POST, signal: run.signal });
    abortSoon(run);
    return { call, then: () => (seen.cancelled === 1 ? undefined : 'the inspected body was not cancelled') };
  },

  'while a failed body is read': (api, run, wait) => {
    const { stream, seen } = watchedBody({ chunks: ['part'], stuck: true });
    const call = api.createFetch({ ...wait.short(), fetch: answering(run, () => new Response(stream, { status: 503 })) })(URL_, { signal: run.signal });
    abortSoon(run);
    return { call, then: () => (seen.cancelled === 1 ? undefined : 'the failed body was not cancelled') };
  },

  'in the wait': (api, run, wait) => {
    const call = api.createFetch({ ...wait.endless(), ...abortInWait(run), fetch: answering(run, with503) })(URL_, { signal: run.signal });
    return { call, attempts: 1 };
  },

  'in a wait that the server asked for': (api, run, wait) => {
    const limited = () => failed(429, { 'retry-after': '50' });
    const call = api.createFetch({ ...wait.endless(), ...abortInWait(run), fetch: answering(run, limited) })(URL_, { signal: run.signal });
    return { call, attempts: 1 };
  },

  'in a wait of a call with an unread failed body': (api, run, wait) => {
    const { stream, seen } = watchedBody({ chunks: Array(70).fill('k'.repeat(1024)), stuck: true });
    const call = api.createFetch({ ...wait.endless(), ...abortInWait(run), fetch: answering(run, () => new Response(stream, { status: 503 })) })(URL_, { signal: run.signal });
    return { call, attempts: 1, then: () => (seen.cancelled === 1 ? undefined : 'the failed body was not cancelled') };
  },

  'inside onRetry': (api, run, wait) => {
    const call = api.createFetch({ ...wait.short(), fetch: answering(run, with503), onRetry: () => run.abort() })(URL_, { signal: run.signal });
    return { call, attempts: 1 };
  },

  'inside an onRetry that takes its time': (api, run, wait) => {
    const hook = deferred();
    const onRetry = () => {
      abortSoon(run);
      return hook.promise;
    };
    const call = api.createFetch({ ...wait.short(), fetch: answering(run, with503), onRetry })(URL_, { signal: run.signal });
    return { call, attempts: 1, late: () => hook.reject(new Error('much too late')) };
  },

  'inside an onRetry that then throws': (api, run, wait) => {
    const onRetry = () => {
      run.abort();
      throw new Error('a hook that throws after the abort');
    };
    const call = api.createFetch({ ...wait.short(), fetch: answering(run, with503), onRetry })(URL_, { signal: run.signal });
    return { call, attempts: 1 };
  },

  'inside a shouldRetry that allows another attempt': (api, run, wait) => {
    const shouldRetry = () => {
      run.abort();
      return true;
    };
    return { call: api.createFetch({ ...wait.short(), fetch: answering(run, with503), shouldRetry })(URL_, { signal: run.signal }), attempts: 1 };
  },

  'inside a shouldRetry that takes its time': (api, run, wait) => {
    const hook = deferred();
    const shouldRetry = () => {
      abortSoon(run);
      return hook.promise;
    };
    const call = api.createFetch({ ...wait.short(), fetch: answering(run, with503), shouldRetry })(URL_, { signal: run.signal });
    return { call, attempts: 1, late: () => hook.reject(new Error('much too late')) };
  },

  'inside onEvent, at a failure': (api, run, wait) => {
    const onEvent = ({ type }) => type === 'failed' && run.abort();
    return { call: api.createFetch({ ...wait.short(), fetch: answering(run, with503), onEvent })(URL_, { signal: run.signal }), attempts: 1 };
  },

  'inside onEvent, as a wait begins': (api, run, wait) => {
    const onEvent = ({ type }) => type === 'waiting' && run.abort();
    return { call: api.createFetch({ ...wait.short(), fetch: answering(run, with503), onEvent })(URL_, { signal: run.signal }), attempts: 1 };
  },

  'between two attempts, while a fresh body is made': (api, run, wait) => {
    const bodyFactory = () => {
      run.abort();
      return 'fresh';
    };
    const call = api.createFetch({ ...wait.short(), fetch: answering(run, with503), bodyFactory })(URL_, { ...POST, signal: run.signal });
    return { call, attempts: 1 };
  },

  'between two attempts, while a fresh body does not come': (api, run, wait) => {
    const body = deferred();
    const bodyFactory = () => {
      abortSoon(run);
      return body.promise;
    };
    const call = api.createFetch({ ...wait.short(), fetch: answering(run, with503), bodyFactory })(URL_, { ...POST, signal: run.signal });
    return { call, attempts: 1, late: () => body.reject(new Error('much too late')) };
  },

  "between two attempts, while a Request's body is still being uploaded": (api, run, wait) => {
    const upload = new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(1)) });
    const request = new Request(URL_, { method: 'POST', body: upload, duplex: 'half' });
    const call = api.createFetch({ ...wait.short(), fetch: answering(run, with503) })(request, { signal: run.signal });
    setTimeout(() => run.abort(), 20);
    return { call };
  },

  'before the first attempt, while an idempotency key is made': (api, run, wait) => {
    const idempotencyKey = () => {
      run.abort();
      return 'key';
    };
    const call = api.createFetch({ ...wait.short(), fetch: answering(run, with503), idempotencyKey })(URL_, { ...POST, signal: run.signal });
    return { call, attempts: 0 };
  },

  'inside an operation that then throws': (api, run, wait) => {
    const operation = () => {
      run.sends += 1;
      run.abort();
      throw new TypeError('fetch failed');
    };
    return { call: api.retry(operation, { ...wait.short(), signal: run.signal }), attempts: 0 };
  },

  'in flight of an operation that takes no notice': (api, run) => {
    const answer = deferred();
    const call = api.retry(() => (run.sends += 1) && answer.promise, { signal: run.signal });
    abortSoon(run);
    return { call, late: () => answer.reject(new Error('much too late')) };
  },

  'in flight of an operation, under a timeout': (api, run) => {
    const operation = ({ signal }) => {
      run.sends += 1;
      run.attemptSignal = signal;
      return never();
    };
    const call = api.retry(operation, { signal: run.signal, timeoutMs: 100_000 });
    abortSoon(run);
    return { call, then: () => notPassedOn(run) };
  },

  'before an operation': (api, run) => {
    run.abort();
    return { call: api.retry(() => (run.sends += 1), { signal: run.signal }), attempts: 0, listeners: 0 };
  },

  'in the wait of an operation': (api, run, wait) => {
    const operation = () => {
      run.sends += 1;
      throw Object.assign(new Error('socket hang up'), { code: 'ECONNRESET' });
    };
    const call = api.retry(operation, { ...wait.endless(), ...abortInWait(run), signal: run.signal });
    return { call, attempts: 1 };
  },
};
