export { classify, parseRetryAfter, providerKind } from './classify.js';
export { findRetryError, isRetryError, RetryError } from './errors.js';
export { createFetch } from './fetch.js';
export { historyOf, matchesKind } from './history.js';
export { backoffDelay, explain, RetryPolicy } from './policy.js';
export { redactHeaders, sanitizeBaseUrl, sanitizeUrl } from './redact.js';
export { retry } from './retry.js';
export { retryStream } from './retry-stream.js';
export { withRetry } from './with-retry.js';
