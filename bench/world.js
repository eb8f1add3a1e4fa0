// What every contestant meets: the same request, the same answers, the same timers.

/** Attempts in all, for every contestant. */
export const ATTEMPTS = 3;
/** The wait between attempts that every contestant is told to make. */
export const WAIT_MS = 10;
/** The time limit of one attempt, where a scenario has one. */
export const TIMEOUT_MS = 30_000;
/** Timers longer than this are limits and stay real; shorter ones are waits. */
const LONGEST_WAIT_MS = 1_000;

const RETRIED = new Set([408, 425, 429, 500, 502, 503, 504, 529]);

/** @param {number} status */
export const isRetried = (status) => RETRIED.has(status);
export const RETRIED_LIST = [...RETRIED];

export const url = 'https://api.example.com/v1/chat/completions';

/** 100 bytes. */
const body = JSON.stringify({ model: 'bench', messages: [{ role: 'user', content: 'x'.repeat(40) }] }).padEnd(100);

/** A POST with five headers. */
export const init = {
  method: 'POST',
  headers: {
    accept: 'application/json',
    authorization: 'Bearer sk-bench-0123456789abcdefghij',
    'content-type': 'application/json',
    'user-agent': 'bench/1.0',
    'x-request-id': '3f0c2b6e',
  },
  body,
};

const headers = (/** @type {string} */ type, /** @type {number} */ length) => ({
  'content-type': type,
  'content-length': String(length),
  date: 'Thu, 15 Jan 2026 12:00:00 GMT',
  server: 'bench',
  'x-request-id': '3f0c2b6e',
});

const answer = JSON.stringify({
  id: 'chatcmpl-1',
  object: 'chat.completion',
  choices: [{ index: 0, message: { role: 'assistant', content: 'Hello there, how can I help you today?' }, finish_reason: 'stop' }],
  usage: { prompt_tokens: 9, completion_tokens: 12, total_tokens: 21 },
});

/** One Response for all calls: nobody reads its body. */
const text = new Response('hello', { headers: headers('text/plain', 5) });
export const textAnswer = () => text;

/** A fresh Response for each call, to be read. */
export const jsonAnswer = () => new Response(answer, { headers: headers('application/json', answer.length) });

const empty = new Response(null, { status: 503, headers: headers('application/json', 0) });

/** @param {number} bytes The size of the error body; 0 is one Response without a body for all calls. */
export function overloaded(bytes) {
  if (bytes === 0) return () => empty;
  const error = errorOf(bytes);
  return () => new Response(error, { status: 503, headers: headers('application/json', error.length) });
}

/**
 * What a provider says of a failure: a message of 240 characters, and the rest in details.
 *
 * @param {number} bytes
 */
function errorOf(bytes) {
  const message = 'The model is overloaded. Please try again later. If this goes on, see the status page. '.repeat(3).slice(0, 240);
  const detail = (/** @type {number} */ n) => ({ '@type': 'type.googleapis.com/google.rpc.DebugInfo', detail: `backend ${n} is unavailable` });
  const body = { error: { code: 503, message, status: 'UNAVAILABLE', details: [detail(0)] } };
  while (JSON.stringify(body).length < bytes - 100) body.error.details.push(detail(body.error.details.length));
  return JSON.stringify(body).padEnd(bytes);
}

/** Where a fetch is in its answers, and how often it was called. */
export const fetched = { count: 0 };

/**
 * A fetch that gives its answers in turn, over and over.
 *
 * @param {(() => Response)[]} answers
 * @returns {(url: string, init: RequestInit) => Promise<Response>}
 */
export function answering(...answers) {
  const { length } = answers;
  const [first] = answers;
  if (length === 1) {
    return () => {
      fetched.count += 1;
      return Promise.resolve(first());
    };
  }
  return () => Promise.resolve(answers[fetched.count++ % length]());
}

/**
 * From now on a wait ends in a microtask: for contestants that have no seam of their own,
 * and so for all of them.
 */
export function stubWaits() {
  const real = globalThis.setTimeout;
  const done = { ref: () => done, unref: () => done, hasRef: () => false, [Symbol.toPrimitive]: () => 0 };
  /** @type {any} */
  const stub = (/** @type {(...args: any[]) => void} */ callback, /** @type {number} */ ms, /** @type {any[]} */ ...args) => {
    if (ms > LONGEST_WAIT_MS) return real(callback, ms, ...args);
    queueMicrotask(() => callback(...args));
    return done;
  };
  globalThis.setTimeout = stub;
}
