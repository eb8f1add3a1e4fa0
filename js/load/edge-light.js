// Edge runtimes, such as Vercel's, refuse to compile from bytes but import modules compiled; see inline.js for the exports.

import module from '../../pkg/dacapo_bg.wasm?module';
import { provide } from '../engine.js';
import * as api from '../index.js';
import { ownModule } from './own-module.js';

const load = () => ownModule(module) ?? module;

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
