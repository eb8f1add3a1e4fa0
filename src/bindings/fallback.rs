//! What a fallback asks of a policy.

use super::policy::PolicyHandle;
use crate::fallback;
use crate::headers::Headers;
use crate::kind::ErrorKind;
use crate::redact::{Masker, credentials_removed};
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
impl PolicyHandle {
    /// Whether a call that failed so may go on to another target, a function of the caller's apart.
    #[wasm_bindgen(js_name = mayFallOver)]
    pub fn may_fall_over(&self, kind: &str) -> bool {
        let listed = &self.share().fallback_on;
        ErrorKind::from_name(kind).is_some_and(|kind| fallback::may_fall_over(kind, listed.as_deref()))
    }

    /// What another server may have of a request: the URL, then name, value, name, value, …
    #[wasm_bindgen(js_name = withoutCredentials)]
    pub fn without_credentials(&self, url: &str, headers: &str) -> Vec<String> {
        let (url, fields) = credentials_removed(url, Headers::new(headers), &self.share().redaction);
        let fields = fields.into_iter().flat_map(|(name, value)| [name.to_owned(), value.to_owned()]);
        std::iter::once(url).chain(fields).collect()
    }

    /// Every secret that a request carries.
    pub fn secrets(&self, url: &str, headers: &str) -> Vec<String> {
        Masker::for_request(url, Headers::new(headers), &self.share().redaction).secrets().to_vec()
    }
}
