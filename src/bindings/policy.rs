//! A validated policy, held by a `RetryPolicy` of JavaScript.

use super::drive::verdict_object;
use super::host::Facts;
use super::options::{faults_array, read, resolved};
use crate::classify::{Failure, classify};
use crate::clock::{DelayMs, WallMs};
use crate::headers::Headers;
use crate::policy::Policy;
use crate::redact::Masker;
use std::rc::Rc;
use wasm_bindgen::prelude::*;

/// A validated policy.
#[wasm_bindgen]
pub struct PolicyHandle(Rc<Policy>);

#[wasm_bindgen]
impl PolicyHandle {
    /// Throws an array of `{option, code, allowed}`, one for each fault.
    #[wasm_bindgen(constructor)]
    pub fn new(options: &JsValue) -> Result<PolicyHandle, JsValue> {
        read(options).map(|policy| PolicyHandle(Rc::new(policy))).map_err(faults_array)
    }

    /// The options in force, by their JavaScript names.
    pub fn resolved(&self) -> JsValue {
        resolved(&self.0)
    }

    /// How long the first attempt may take; below zero is no limit.
    pub fn limit(&self) -> f64 {
        self.0.allowance(DelayMs::ZERO).map_or(-1.0, |allowance| allowance.limit.as_f64())
    }

    /// Whether the deadline set that limit.
    #[wasm_bindgen(js_name = limitIsDeadline)]
    pub fn limit_is_deadline(&self) -> bool {
        self.0.allowance(DelayMs::ZERO).is_some_and(|allowance| allowance.by_deadline)
    }

    /// What the rules say of a failure, at `wall` epoch milliseconds. Its texts are masked.
    pub fn classify(&self, facts: &Facts, wall: f64) -> JsValue {
        let observed = facts.observed();
        let failure = Failure {
            ending: observed.ending,
            source: observed.source,
            status: observed.status,
            opaque_redirect: observed.opaque_redirect,
            headers: Headers::new(&observed.headers),
            body: &observed.body,
            links: &observed.links,
            raised: observed.raised,
        };
        let mut verdict = classify(&failure, &self.0, WallMs(wall as i64));
        let masker = observed.request.unwrap_or_default().masker(&self.0.redaction);
        verdict.code = verdict.code.map(|code| masker.mask_and_cut(&code, crate::history::MESSAGE_CHARS));
        verdict_object(&verdict)
    }

    /// The backoff before retry `n`, for a random `unit`.
    pub fn backoff(&self, n: u32, unit: f64) -> f64 {
        self.0.backoff.delay_in_sequence(n, unit).as_f64()
    }

    /// What the policy will do.
    pub fn explain(&self) -> JsValue {
        super::to_object_with_nulls(&self.0.explain())
    }

    /// What hides the secrets of this request in any text.
    pub fn masker(&self, url: &str, headers: &str) -> MaskerHandle {
        MaskerHandle(Masker::for_request(url, Headers::new(headers), &self.0.redaction))
    }
}

impl PolicyHandle {
    /// The policy, for a call.
    pub fn share(&self) -> Rc<Policy> {
        Rc::clone(&self.0)
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
