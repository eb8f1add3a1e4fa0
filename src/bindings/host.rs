//! The JavaScript side of one call, as the engine sees it.

use crate::call::{Leg, Observed, Replay};
use crate::classify::{Ending, Link, Raised, Source};
use crate::clock::{MAX_SAFE_MS, MonoMs};
use crate::decimal::decimal;
use crate::history::SentRequest;
use crate::kind::ErrorKind;
use crate::scan::{concat, find, from, part};
use js_sys::{Array, Promise};
use wasm_bindgen::prelude::*;
use web_sys::AbortSignal;

#[wasm_bindgen]
extern "C" {
    /// The call's host: `js/host.js` and `js/call.js`. Its promises never reject, and all of them end when
    /// the caller's signal aborts.
    pub type Host;

    /// The caller's signal.
    #[wasm_bindgen(method, getter)]
    pub fn signal(this: &Host) -> Option<AbortSignal>;
    /// What the call does in a way of its own: see `drive.rs`.
    #[wasm_bindgen(method, getter)]
    pub fn ways(this: &Host) -> u8;
    /// The caller's own random number.
    #[wasm_bindgen(method)]
    pub fn unit(this: &Host) -> f64;
    /// Begins an attempt, and polls when it has ended. `limit_ms` below zero is no limit.
    #[wasm_bindgen(method)]
    pub fn begin(this: &Host, attempt: u32, limit_ms: f64, by_deadline: bool);
    /// What tells of the tokens of the attempt that succeeded, as JSON.
    #[wasm_bindgen(method, getter)]
    pub fn usage(this: &Host) -> Option<Vec<u8>>;
    /// What the attempt showed that failed.
    #[wasm_bindgen(method, getter)]
    pub fn facts(this: &Host) -> Facts;
    /// What one of its two sends showed that did not decide it; only once.
    #[wasm_bindgen(method, js_name = takeBeside)]
    pub fn take_beside(this: &Host) -> Option<Facts>;
    /// Resolves to whether the sleep was slept through.
    #[wasm_bindgen(method)]
    pub fn sleep(this: &Host, ms: f64) -> Promise;
    /// Resolves to true, false or undefined, to null when the hook threw, to 0 when cancelled.
    #[wasm_bindgen(method)]
    pub fn ask(this: &Host, record: String, verdict: String) -> Promise;
    /// Resolves as `ask` does.
    #[wasm_bindgen(method)]
    pub fn announce(this: &Host, record: String) -> Promise;
    /// Tells `onEvent` of a failure.
    #[wasm_bindgen(method, js_name = tellFailed)]
    pub fn tell_failed(this: &Host, record: String, verdict: String);
    /// Tells `onEvent` of a wait.
    #[wasm_bindgen(method, js_name = tellWaiting)]
    pub fn tell_waiting(this: &Host, record: String, delay_ms: f64, from: &str);
    /// The call has ended: without a mark it is a success.
    #[wasm_bindgen(method)]
    pub fn finish(this: &Host, mark: Option<&str>, history: String);
    /// Asks for a poll, soon.
    #[wasm_bindgen(method)]
    pub fn wake(this: &Host);
}

#[wasm_bindgen]
extern "C" {
    /// What a failed attempt showed: `js/facts.js`. Every member is always there.
    pub type Facts;

    /// The numbers and flags, see `bits` below.
    #[wasm_bindgen(method, getter)]
    fn bits(this: &Facts) -> u32;
    /// What was sent and the headers that came, in one text: it is the crossing that costs.
    /// First method, URL and headers, one line each, unless requests are not ours to see.
    #[wasm_bindgen(method, getter)]
    fn text(this: &Facts) -> Vec<u8>;
    /// How long the first part of it is, in UTF-16 units.
    #[wasm_bindgen(method, getter, js_name = requestLength)]
    fn request_length(this: &Facts) -> u32;
    /// The wait that an error without headers names.
    #[wasm_bindgen(method, getter, js_name = retryAfterMs)]
    fn retry_after_ms(this: &Facts) -> f64;
    #[wasm_bindgen(method, getter)]
    fn body(this: &Facts) -> Option<Vec<u8>>;
    /// What tells of tokens where that is not the body, as JSON.
    #[wasm_bindgen(method, getter)]
    fn usage(this: &Facts) -> Option<Vec<u8>>;
    /// name, message, code, name, message, code, …
    #[wasm_bindgen(method, getter)]
    fn links(this: &Facts) -> Option<Array>;
    /// What an error says of itself: its kind, code, provider and `type`, and whether it may be
    /// retried.
    #[wasm_bindgen(method, getter)]
    fn raised(this: &Facts) -> Array;
    #[wasm_bindgen(method, getter, js_name = requestBody)]
    fn request_body(this: &Facts) -> Option<String>;
    /// Of one of an attempt's two sends: its number.
    #[wasm_bindgen(method, getter)]
    fn attempt(this: &Facts) -> u32;
    /// When it was sent, in monotonic milliseconds.
    #[wasm_bindgen(method, getter, js_name = sentAt)]
    fn sent_at(this: &Facts) -> f64;
}

/// Where things stand in `Facts.bits`.
mod bits {
    pub const ENDING: u32 = 7;
    pub const IN_BAND: u32 = 7;
    pub const FROM_FETCH: u32 = 1 << 3;
    pub const OPAQUE_REDIRECT: u32 = 1 << 4;
    pub const ONE_SHOT: u32 = 1 << 5;
    /// workerd's flags of the first link that has any.
    pub const RETRYABLE: u32 = 1 << 6;
    pub const OVERLOADED: u32 = 1 << 7;
    /// Ten bits; 0 for none.
    pub const STATUS_SHIFT: u32 = 8;
    pub const STATUS: u32 = 0x3ff;
    pub const HAS_BODY: u32 = 1 << 18;
    pub const HAS_LINKS: u32 = 1 << 19;
    pub const HAS_REQUEST_BODY: u32 = 1 << 20;
    pub const HAS_WAIT: u32 = 1 << 21;
    pub const HAS_USAGE: u32 = 1 << 22;
    pub const USAGE_IS_LOWER_BOUND: u32 = 1 << 23;
    pub const STREAMED: u32 = 1 << 24;
    pub const LEG: u32 = 1 << 25;
}

impl Facts {
    /// Copies what JavaScript shows into what the core takes.
    pub fn observed(&self) -> Observed {
        let bits = self.bits();
        let has = |bit: u32| bits & bit != 0;
        // What the chunks of a stream tell stands in a response that had begun well.
        let in_band = bits & bits::ENDING == bits::IN_BAND;
        let status = if in_band { 200 } else { (bits >> bits::STATUS_SHIFT & bits::STATUS) as u16 };
        // Only an error can say what a caller raised, and a leg that lost has a code.
        let said = if has(bits::HAS_LINKS | bits::LEG) { Some(self.raised()) } else { None };
        let text = |i| said.as_ref()?.get(i).as_string();
        let retryable = || said.as_ref()?.get(4).as_bool();
        let raised = text(0)
            .and_then(|name| ErrorKind::from_name(&name))
            .map(|kind| Raised { kind, retryable: retryable() })
            // Over a failed status it is more likely a member of the body that the client copied.
            .or_else(|| if status < 300 { Raised::by_type(&text(3)?) } else { None });
        let body = if has(bits::HAS_BODY) { self.body() } else { None };
        let usage = if has(bits::HAS_USAGE) { self.usage() } else { None };
        let mut sent = into_text(self.text());
        let headers = sent.split_off(byte_at(&sent, self.request_length() as usize));
        Observed {
            ending: match bits & bits::ENDING {
                0 => Ending::Response,
                1 => Ending::Error,
                2 => Ending::TimedOut,
                3 => Ending::DeadlinePassed,
                4 => Ending::Truncated,
                5 => Ending::Malformed,
                6 => Ending::Cancelled,
                _ => Ending::Response,
            },
            source: if has(bits::FROM_FETCH) { Source::Fetch } else { Source::Operation },
            status: if status == 0 { None } else { Some(status) },
            opaque_redirect: has(bits::OPAQUE_REDIRECT),
            headers: if has(bits::HAS_WAIT) { self.named_wait() } else { headers },
            body: body.map(into_text).unwrap_or_default(),
            usage: usage.map(into_text).unwrap_or_default(),
            usage_is_lower_bound: has(bits::USAGE_IS_LOWER_BOUND),
            streamed: has(bits::STREAMED),
            links: if has(bits::HAS_LINKS) { self.read_links(bits) } else { Vec::new() },
            // A leg that lost has a code, and nothing that was raised.
            raised_code: if raised.is_some() || has(bits::LEG) { text(1) } else { None },
            raised_provider: raised.and_then(|_| text(2)),
            raised,
            request: as_sent(sent, if has(bits::HAS_REQUEST_BODY) { self.request_body() } else { None }),
            leg: has(bits::LEG).then(|| Leg { attempt: self.attempt(), sent: MonoMs(self.sent_at() as u64) }),
            replay: if has(bits::ONE_SHOT) { Replay::OneShotBody } else { Replay::Possible },
        }
    }

    /// What an error names as its wait, as the header that would have said it.
    fn named_wait(&self) -> String {
        let ms = self.retry_after_ms();
        if !(0.0..=MAX_SAFE_MS as f64).contains(&ms) {
            return String::new();
        }
        let ms = ms as u64;
        // A one before the milliseconds keeps their zeros, and goes.
        let (seconds, mut fraction) = (decimal(ms / 1000), decimal(1000 + ms % 1000));
        fraction.remove(0);
        concat(&["retry-after\n", &seconds, ".", &fraction, "\n"])
    }

    fn read_links(&self, bits: u32) -> Vec<Link> {
        let texts = self.links().unwrap_or_default();
        let text = |i| texts.get(i).as_string().unwrap_or_default();
        let mut links: Vec<_> = (0..texts.length() / 3)
            .map(|i| Link { name: text(3 * i), message: text(3 * i + 1), code: text(3 * i + 2), ..Link::default() })
            .collect();
        if let Some(first) = links.first_mut() {
            first.retryable = bits & bits::RETRYABLE != 0;
            first.overloaded = bits & bits::OVERLOADED != 0;
        }
        links
    }
}

fn as_sent(mut text: String, body: Option<String>) -> Option<SentRequest> {
    let method_ends = find(&text, b'\n')?;
    let url_ends = method_ends + 1 + find(from(&text, method_ends + 1), b'\n')?;
    let (method, url) = (part(&text, 0, method_ends).to_owned(), part(&text, method_ends + 1, url_ends).to_owned());
    let headers = text.split_off(url_ends + 1);
    Some(SentRequest { method, url, headers, body })
}

/// Where the byte stands that JavaScript counts as this one of its own units.
fn byte_at(text: &str, mut units: usize) -> usize {
    if text.is_ascii() {
        return units.min(text.len());
    }
    for (at, character) in text.char_indices() {
        if units == 0 {
            return at;
        }
        units = units.saturating_sub(character.len_utf16());
    }
    text.len()
}

/// UTF-8 as the Encoding standard decodes it: what is not UTF-8 becomes U+FFFD.
pub fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
