// A stand-in for fetch. Nothing here is Node's.

export const URL_ = 'https://api.example/v1/chat';

/**
 * A fetch that gives its answers one after the other, the last one again and again.
 * An answer is a status, a Response, an error to reject with, or a function of
 * `(input, init, n)` that gives one of these; `n` counts from 1.
 */
export function stubFetch(...answers) {
  const calls = [];
  async function fetch(input, init) {
    const n = calls.push({ input, init });
    const given = answers[Math.min(n, answers.length) - 1];
    const answer = typeof given === 'function' ? await given(input, init, n) : given;
    if (typeof answer === 'number') return failed(answer);
    if (answer instanceof Response) return answer;
    throw answer;
  }
  return Object.assign(fetch, { calls });
}

/** A Response with this status, a short body and these headers. */
export function failed(status, headers = {}, body = `status ${status}`) {
  return new Response([101, 204, 205, 304].includes(status) ? null : body, { status, headers });
}

export function json(body, init = {}) {
  const text = typeof body === 'string' ? body : JSON.stringify(body);
  return new Response(text, { ...init, headers: { 'content-type': 'application/json', ...init.headers } });
}

/** A Response that the constructor refuses to make: of another type, or with another status. */
export function unusual(members, body = null) {
  const response = new Response(body);
  for (const [name, value] of Object.entries(members)) Object.defineProperty(response, name, { value });
  return response;
}

/**
 * A body that tells what becomes of it. `chunks` are given first; then it ends, or with
 * `stuck` stays open. `cancel` may be a function, for a cancel that hangs or rejects.
 */
export function watchedBody({ chunks = ['some bytes'], stuck = false, cancel = () => undefined } = {}) {
  const encoder = new TextEncoder();
  const seen = { cancelled: 0, pulled: 0 };
  const left = [...chunks];
  const stream = new ReadableStream({
    pull(controller) {
      seen.pulled += 1;
      const chunk = left.shift();
      if (chunk !== undefined) controller.enqueue(typeof chunk === 'string' ? encoder.encode(chunk) : chunk);
      else if (stuck) return new Promise(() => {});
      else controller.close();
    },
    cancel(reason) {
      seen.cancelled += 1;
      return cancel(reason);
    },
  }, { highWaterMark: 0 });
  return { stream, seen };
}

/** A request body stream with the given text. */
export function textStream(text) {
  return new ReadableStream({
    start(controller) {
      controller.enqueue(new TextEncoder().encode(text));
      controller.close();
    },
  });
}
