//! A validated policy, held by a `RetryPolicy` of JavaScript.

use super::host::Facts;
use super::json;
use super::options::{explained, faults_array, object, read};
use crate::classify::classify;
use crate::clock::{DelayMs, WallMs};
use crate::headers::Headers;
use crate::policy::{Policy, TimeoutCovers};
use crate::redact::Masker;
use std::sync::Arc;
use wasm_bindgen::prelude::*;

/// A validated policy.
#[wasm_bindgen]
pub struct PolicyHandle(Arc<Policy>);

#[wasm_bindgen]
impl PolicyHandle {
    /// Throws an array of `[option, code, allowed]`, one for each fault.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &JsValue) -> Result<PolicyHandle, JsValue> {
        read(options).map(|policy| PolicyHandle(Arc::new(policy))).map_err(faults_array)
    }

    /// The options in force, by their JavaScript names.
    pub fn resolved(&self) -> JsValue {
        object(&self.0.resolved())
    }

    /// What one attempt needs of the policy, as numbers: `js/policy.js` names them. One array
    /// is cheaper than the options by name, which a policy made for one call never shows.
    pub fn numbers(&self) -> Vec<f64> {
        let policy = &self.0;
        let first = policy.allowance(DelayMs::ZERO);
        let ms = |limit: Option<DelayMs>| limit.map_or(0.0, DelayMs::as_f64);
        vec![
            policy.max_attempts.into(),
            first.map_or(-1.0, |allowance| allowance.limit.as_f64()),
            f64::from(first.is_some_and(|allowance| allowance.by_deadline)),
            ms(policy.timeout),
            ms(policy.deadline),
            f64::from(policy.timeout_covers == TimeoutCovers::Response),
            f64::from(policy.redirects as u8),
            f64::from(policy.inspect_ok),
            f64::from(policy.expect_json),
            f64::from(policy.snapshot_body),
            policy.inspect_bytes.into(),
            policy.error_bytes.into(),
            policy.max_replay_bytes.into(),
            policy.opening_bytes.into(),
            ms(policy.hold_opening),
            ms(policy.idle_timeout),
            ms(policy.first_output_timeout),
            ms(policy.hedge_after),
            f64::from(policy.breaker.is_some()),
            f64::from(policy.budget.is_some()),
        ]
    }

    /// How long a hedge may take, below zero for no limit, and whether that is by the deadline;
    /// empty where none may be made: see [`Policy::hedge`].
    pub fn hedge(&self, sends: u32, method: &str, elapsed_ms: f64) -> Vec<f64> {
        let allowance = self.0.hedge(sends, method, DelayMs::from_f64(elapsed_ms));
        allowance.map_or_else(Vec::new, |allowance| super::drive::limit_of(allowance).to_vec())
    }

    /// What the rules say of a failure, at `wall` epoch milliseconds, as JSON. Its texts are masked.
    pub fn classify(&self, facts: &Facts, wall: f64) -> String {
        let observed = facts.observed();
        let mut verdict = classify(&observed.failure(), &self.0, WallMs(wall as i64));
        let masker = observed.request.unwrap_or_default().masker(&self.0.redaction).0;
        verdict.code = verdict.code.map(|code| masker.mask_and_cut(&code, crate::history::MESSAGE_CHARS));
        json::verdict(&verdict)
    }

    /// The backoff before retry `n`, for a random `unit`.
    pub fn backoff(&self, n: u32, unit: f64) -> f64 {
        self.0.backoff.delay_in_sequence(n, unit).as_f64()
    }

    /// What the policy will do.
    pub fn explain(&self) -> JsValue {
        explained(&self.0.explain())
    }

    /// What hides the secrets of this request in any text.
    pub fn masker(&self, url: &str, headers: &str) -> MaskerHandle {
        MaskerHandle(Masker::for_request(url, Headers::new(headers), &self.0.redaction))
    }
}

impl PolicyHandle {
    /// The policy, for a call.
    pub fn share(&self) -> Arc<Policy> {
        Arc::clone(&self.0)
    }
}

/// What hides the secrets of one request.
#[wasm_bindgen]
pub struct MaskerHandle(Masker);

#[wasm_bindgen]
impl MaskerHandle {
    /// The text without the secrets; undefined when it held none.
    pub fn mask(&self, text: &str) -> Option<String> {
        match self.0.mask(text) {
            std::borrow::Cow::Borrowed(_) => None,
            std::borrow::Cow::Owned(masked) => Some(masked),
        }
    }
}
