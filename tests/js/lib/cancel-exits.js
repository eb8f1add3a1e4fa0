// The ways out of a call that nobody cancels. Nothing here is Node's.

import { answering, jsonOver, never, POST, with503 } from './cancel-cases.js';
import { failed, URL_, watchedBody } from './stub.js';

const GIVES_UP = { maxAttempts: 2 };
const fails = (error) => () => {
  throw error;
};

/** Every way out of a call that is not cancelled: each starts a call under `signal`. */
export const EXITS = {
  'a success at once': (api, signal, wait, run) => api.createFetch({ ...wait.short(), fetch: answering(run, () => failed(200)) })(URL_, { signal }),
  'a success after a retry': (api, signal, wait, run) => api.createFetch({
    ...wait.short(), fetch: answering(run, with503, () => failed(200)),
  })(URL_, { signal }),
  'a success that was inspected': (api, signal, wait, run) => api.createFetch({
    ...wait.short(), fetch: answering(run, () => jsonOver('{}')),
  })(URL_, { ...POST, signal }),
  'a success under a timeout': (api, signal, wait, run) => api.createFetch({
    ...wait.short(), timeoutMs: 90_000, fetch: answering(run, with503, () => failed(200)),
  })(URL_, { signal }),
  'a status that is not retried': (api, signal, wait, run) => api.createFetch({ ...wait.short(), fetch: answering(run, () => failed(404)) })(URL_, { signal }),
  'attempts that are used up': (api, signal, wait, run) => api.createFetch({ ...wait.short(), ...GIVES_UP, fetch: answering(run, with503) })(URL_, { signal }),
  'a transport failure': (api, signal, wait, run) => api.createFetch({
    ...wait.short(), ...GIVES_UP, fetch: answering(run, fails(new TypeError('fetch failed'))),
  })(URL_, { signal }),
  'a timeout': (api, signal, wait, run) => api.createFetch({ ...wait.short(), ...GIVES_UP, timeoutMs: 5, fetch: answering(run, never) })(URL_, { signal }),
  'a deadline in flight': (api, signal, wait, run) => api.createFetch({ ...wait.short(), deadlineMs: 8, fetch: answering(run, never) })(URL_, { signal }),
  'a deadline before a wait': (api, signal, wait, run) => api.createFetch({
    deadlineMs: 50_000, initialDelayMs: 60_000, maxDelayMs: 60_000, jitter: 'none', fetch: answering(run, with503),
  })(URL_, { signal }),
  'an onRetry that throws': (api, signal, wait, run) => api.createFetch({
    ...wait.short(), fetch: answering(run, with503), onRetry: fails(new Error('hook')),
  })(URL_, { signal }),
  'a shouldRetry that throws': (api, signal, wait, run) => api.createFetch({
    ...wait.short(), fetch: answering(run, with503), shouldRetry: fails(new Error('hook')),
  })(URL_, { signal }),
  'a veto': (api, signal, wait, run) => api.createFetch({ ...wait.short(), fetch: answering(run, with503), shouldRetry: () => false })(URL_, { signal }),
  'a refused redirect': (api, signal, wait, run) => api.createFetch({
    ...wait.short(), fetch: answering(run, () => failed(307, { location: '/' })),
  })(URL_, { ...POST, signal }),
  'a body that can be sent only once': (api, signal, wait, run) => api.createFetch({ ...wait.short(), fetch: answering(run, with503) })(URL_, {
    method: 'POST', body: watchedBody().stream, duplex: 'half', signal,
  }),
  'waits that do not keep a process alive': (api, signal, wait, run) => api.createFetch({
    initialDelayMs: 1, maxDelayMs: 2, unref: true, fetch: answering(run, with503),
  })(URL_, { signal }),
  'an operation that succeeds': (api, signal, wait) => api.retry(async () => 1, { ...wait.short(), signal }),
  'an operation that fails': (api, signal, wait) => api.retry(fails(Object.assign(new Error('x'), { code: 'EPIPE' })), { ...wait.short(), signal }),
  'an operation that times out': (api, signal, wait) => api.retry(never, { ...wait.short(), ...GIVES_UP, timeoutMs: 5, signal }),
};
