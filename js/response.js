import { ask } from './ask.js';
import { methodOf } from './request.js';

/** @typedef {import('./request.js').Input} Input */

/**
 * Whether a Response is handed over at once, without the engine.
 *
 * @param {Response} response
 * @param {import('./policy.js').Settings} settings
 * @param {Input} input
 * @param {RequestInit | undefined} init
 */
export function isDelivered(response, settings, input, init) {
  if (response?.ok) return !settings.inspectOk || !isInspected(response, settings, input, init);
  return response?.status === 101 || response?.status === 304 || response?.type === 'opaque';
}

/**
 * Whether a 2xx answer is read before it is handed over.
 *
 * @param {Response} response
 * @param {import('./policy.js').Settings} settings
 * @param {Input} input
 * @param {RequestInit | undefined} init
 */
function isInspected(response, settings, input, init) {
  // The cheapest question first, and the type before the body: most answers are told apart by it.
  const asked = settings.expectJson
    || (methodOf(input, init) === 'POST' && /^application\/json\s*(;|$)/i.test(response.headers?.get('content-type') ?? ''));
  return asked && response.body !== null;
}

/**
 * The Response, marked so that an SDK does not retry it; as it is when no Response can be
 * made of its status or body.
 *
 * @param {Response} response
 */
export function finalCopy(response) {
  const Class = /** @type {typeof Response} */ (response.constructor);
  const { status, statusText } = response;
  try {
    const headers = new (/** @type {typeof Headers} */ (response.headers.constructor))(response.headers);
    headers.set(ask((engine) => engine.vetoHeader()), 'false');
    const copy = new Class(response.body, { status, statusText, headers });
    return copy.status === status ? copy : response;
  } catch {
    return response;
  }
}

/**
 * Whether it is worth a clone to look.
 *
 * @param {Response} response
 */
export function mayHaveBody(response) {
  return Boolean(response.body) && response.headers.get('content-length') !== '0';
}
