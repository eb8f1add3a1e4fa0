// The engine comes along as text and is compiled when a call first needs it: works wherever WebAssembly may compile.
//
// Each export that needs the engine brings the loader along by itself, so a bundler that honours `sideEffects: false`
// neither loses the loader nor keeps the engine for a program that only calls, say, `isRetryError`.

import { provide } from '../engine.js';
import * as api from '../index.js';
import { unpack } from './unpack.js';

const load = () => new WebAssembly.Module(unpack());

/**
 * @template T
 * @param {T} value
 * @returns {T}
 */
const link = (value) => (provide(load), value);

export { findRetryError, historyOf, isRetryError, matchesKind } from '../index.js';
export const backoffDelay = /* @__PURE__ */ link(api.backoffDelay);
export const CircuitBreaker = /* @__PURE__ */ link(api.CircuitBreaker);
export const classify = /* @__PURE__ */ link(api.classify);
export const createFetch = /* @__PURE__ */ link(api.createFetch);
export const explain = /* @__PURE__ */ link(api.explain);
export const parseRetryAfter = /* @__PURE__ */ link(api.parseRetryAfter);
export const providerKind = /* @__PURE__ */ link(api.providerKind);
export const redactHeaders = /* @__PURE__ */ link(api.redactHeaders);
export const retry = /* @__PURE__ */ link(api.retry);
export const RetryBudget = /* @__PURE__ */ link(api.RetryBudget);
export const retryStream = /* @__PURE__ */ link(api.retryStream);
export const RetryError = /* @__PURE__ */ link(api.RetryError);
export const RetryPolicy = /* @__PURE__ */ link(api.RetryPolicy);
export const sanitizeBaseUrl = /* @__PURE__ */ link(api.sanitizeBaseUrl);
export const sanitizeUrl = /* @__PURE__ */ link(api.sanitizeUrl);
export const withFallback = /* @__PURE__ */ link(api.withFallback);
export const withRetry = /* @__PURE__ */ link(api.withRetry);
