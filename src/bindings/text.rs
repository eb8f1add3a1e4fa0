//! The functions that take and give texts and numbers.

use super::host::into_text;
use crate::classify::provider;
use crate::clock::WallMs;
use crate::headers::Headers;
use crate::kind::{self, ErrorKind};
use crate::redact::{self, Masker, Redaction};
use crate::retry_after;
use crate::scan::concat;
use wasm_bindgen::prelude::*;

/// What the body of a 2xx JSON answer is: 0 an answer, 1 a failure told in band, 2 cut
/// short, 3 not JSON.
#[wasm_bindgen]
pub fn inspect(body: Vec<u8>) -> u8 {
    match provider::inspect(&into_text(body)) {
        provider::Inspection::Fine => 0,
        provider::Inspection::Failed => 1,
        provider::Inspection::CutShort => 2,
        provider::Inspection::NotJson => 3,
    }
}

/// The header by which a server says whether to retry.
#[wasm_bindgen(js_name = vetoHeader)]
pub fn veto_header() -> String {
    crate::classify::SHOULD_RETRY.to_owned()
}

/// VernLLM's name for a kind, with a `!` behind it where the kind is retryable; undefined for
/// a name that is none.
#[wasm_bindgen(js_name = kindRow)]
pub fn kind_row(name: &str) -> Option<String> {
    let row = ErrorKind::from_name(name)?.properties();
    Some(concat(&[row.vernllm, if row.retryable { "!" } else { "" }]))
}

/// The kind's name that a wrong one was probably meant to be.
#[wasm_bindgen(js_name = nearestKind)]
pub fn nearest_kind(name: &str) -> Option<String> {
    ErrorKind::nearest_name(name).map(str::to_owned)
}

/// The kind of a provider failure; status 0 is none.
#[wasm_bindgen(js_name = providerKind)]
pub fn provider_kind(status: u16, code: Option<String>) -> Option<String> {
    let status = if status == 0 { None } else { Some(status) };
    kind::provider_kind(status, code.as_deref()).map(|kind| kind.as_str().to_owned())
}

/// A `Retry-After` value in milliseconds; below zero when it is none.
#[wasm_bindgen(js_name = parseRetryAfter)]
pub fn parse_retry_after(value: &str, now: f64, date: Option<String>) -> f64 {
    retry_after::parse_retry_after(value, WallMs(now as i64), date.as_deref()).map_or(-1.0, |delay| delay.as_f64())
}

/// The text without secrets of a known shape; undefined when it held none.
#[wasm_bindgen(js_name = maskText)]
pub fn mask_text(text: &str) -> Option<String> {
    match Masker::default().mask(text) {
        std::borrow::Cow::Borrowed(_) => None,
        std::borrow::Cow::Owned(masked) => Some(masked),
    }
}

/// The URL for display.
#[wasm_bindgen(js_name = sanitizeUrl)]
pub fn sanitize_url(url: &str) -> String {
    redact::sanitize_url(url, &Redaction::default())
}

/// The URL for use; undefined when it has no userinfo.
#[wasm_bindgen(js_name = sanitizeBaseUrl)]
pub fn sanitize_base_url(url: &str) -> Option<String> {
    let (url, removed) = redact::sanitize_base_url(url);
    if removed { Some(url) } else { None }
}

/// Header fields without the sensitive ones, values masked: name, value, name, value, …
#[wasm_bindgen(js_name = redactHeaders)]
pub fn redact_headers(fields: &str, headers: Vec<String>, query: Vec<String>, values: Vec<String>) -> Vec<String> {
    let redaction = Redaction { headers, query, values };
    let fields = Headers::new(fields);
    let (masker, kept) = Masker::and_kept("", fields, &redaction);
    kept.into_iter().flat_map(|(name, value)| [name.to_ascii_lowercase(), masker.mask(value).into_owned()]).collect()
}

/// A random UUID (RFC 9562 version 4); undefined where the runtime has no randomness.
#[wasm_bindgen]
pub fn uuid() -> Option<String> {
    let mut bytes = [0u8; 16];
    getrandom::fill(&mut bytes).ok()?;
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let mut text = String::with_capacity(36);
    for (i, byte) in bytes.iter().enumerate() {
        if matches!(i, 4 | 6 | 8 | 10) {
            text.push('-');
        }
        for nibble in [byte >> 4, byte & 15] {
            text.push(char::from_digit(nibble.into(), 16).unwrap_or('0'));
        }
    }
    Some(text)
}
