//! The JavaScript side of one call, as the engine sees it.

use crate::call::{Observed, Replay};
use crate::classify::{Ending, Link, Raised, Source};
use crate::clock::MAX_SAFE_MS;
use crate::decimal::decimal;
use crate::history::SentRequest;
use crate::kind::ErrorKind;
use crate::scan::{concat, find};
use js_sys::{Array, Promise};
use wasm_bindgen::prelude::*;
use web_sys::AbortSignal;

#[wasm_bindgen]
extern "C" {
    /// The call's host: `js/driver.js`. Its promises never reject, and all of them end when
    /// the caller's signal aborts.
    #[derive(Clone)]
    pub type Host;

    /// The caller's signal.
    #[wasm_bindgen(method, getter)]
    pub fn signal(this: &Host) -> Option<AbortSignal>;
    /// Whether waits go through `sleep` below and not through a timer of our own.
    #[wasm_bindgen(method, getter, js_name = sleepsItself)]
    pub fn sleeps_itself(this: &Host) -> bool;
    /// Monotonic milliseconds.
    #[wasm_bindgen(method)]
    pub fn mono(this: &Host) -> f64;
    /// Epoch milliseconds.
    #[wasm_bindgen(method)]
    pub fn wall(this: &Host) -> f64;
    /// The caller's own random number, if it has any.
    #[wasm_bindgen(method)]
    pub fn unit(this: &Host) -> Option<f64>;
    /// Begins an attempt, and polls when it has ended. `limit_ms` below zero is no limit.
    #[wasm_bindgen(method)]
    pub fn begin(this: &Host, attempt: u32, limit_ms: f64, by_deadline: bool);
    /// How the attempt stands: 0 running, 1 succeeded, 2 failed, 3 not sent because the
    /// caller's signal aborted, 4 not sent because its body could not be had again, 5
    /// because the deadline passed before.
    #[wasm_bindgen(method, getter)]
    pub fn standing(this: &Host) -> u8;
    /// What tells of the tokens of the attempt that succeeded, as JSON.
    #[wasm_bindgen(method, getter)]
    pub fn usage(this: &Host) -> Option<Vec<u8>>;
    /// What the attempt showed that failed.
    #[wasm_bindgen(method, getter)]
    pub fn facts(this: &Host) -> Facts;
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
    /// The call has ended: an empty mark is a success.
    #[wasm_bindgen(method)]
    pub fn finish(this: &Host, mark: &str, history: String);
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
    #[wasm_bindgen(method, getter)]
    fn headers(this: &Facts) -> String;
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
    #[wasm_bindgen(method, getter, js_name = raisedKind)]
    fn raised_kind(this: &Facts) -> Option<String>;
    #[wasm_bindgen(method, getter, js_name = raisedRetryable)]
    fn raised_retryable(this: &Facts) -> Option<bool>;
    #[wasm_bindgen(method, getter, js_name = raisedCode)]
    fn raised_code(this: &Facts) -> Option<String>;
    #[wasm_bindgen(method, getter, js_name = raisedProvider)]
    fn raised_provider(this: &Facts) -> Option<String>;
    /// The `type` that an error gives itself.
    #[wasm_bindgen(method, getter, js_name = errorType)]
    fn error_type(this: &Facts) -> Option<String>;
    /// Method, URL and headers, one line each; empty where requests are not ours to see.
    #[wasm_bindgen(method, getter)]
    fn request(this: &Facts) -> String;
    #[wasm_bindgen(method, getter, js_name = requestBody)]
    fn request_body(this: &Facts) -> Option<String>;
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
}

impl Facts {
    /// Copies what JavaScript shows into what the core takes.
    pub fn observed(&self) -> Observed {
        let bits = self.bits();
        let has = |bit: u32| bits & bit != 0;
        // What the chunks of a stream tell stands in a response that had begun well.
        let in_band = bits & bits::ENDING == bits::IN_BAND;
        let status = if in_band { 200 } else { (bits >> bits::STATUS_SHIFT & bits::STATUS) as u16 };
        // Only an error can say what a caller raised.
        let raised = if has(bits::HAS_LINKS) { self.raised() } else { None };
        let body = if has(bits::HAS_BODY) { self.body() } else { None };
        let usage = if has(bits::HAS_USAGE) { self.usage() } else { None };
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
            headers: if has(bits::HAS_WAIT) { self.named_wait() } else { self.headers() },
            body: body.map(into_text).unwrap_or_default(),
            usage: usage.map(into_text).unwrap_or_default(),
            usage_is_lower_bound: has(bits::USAGE_IS_LOWER_BOUND),
            streamed: has(bits::STREAMED),
            links: if has(bits::HAS_LINKS) { self.read_links(bits) } else { Vec::new() },
            raised_code: raised.and_then(|_| self.raised_code()),
            raised_provider: raised.and_then(|_| self.raised_provider()),
            raised,
            request: self.sent(if has(bits::HAS_REQUEST_BODY) { self.request_body() } else { None }),
            replay: if has(bits::ONE_SHOT) { Replay::OneShotBody } else { Replay::Possible },
        }
    }

    fn sent(&self, body: Option<String>) -> Option<SentRequest> {
        let mut text = self.request();
        let mut line = || {
            let mut line = text.split_off(find(&text, b'\n')? + 1);
            std::mem::swap(&mut line, &mut text);
            line.pop();
            Some(line)
        };
        let (method, url) = (line()?, line()?);
        Some(SentRequest { method, url, headers: text, body })
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

    fn raised(&self) -> Option<Raised> {
        let kind = self.raised_kind().and_then(|name| ErrorKind::from_name(&name));
        kind.map(|kind| Raised { kind, retryable: self.raised_retryable() })
            .or_else(|| Raised::by_type(&self.error_type()?))
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

/// UTF-8 as the Encoding standard decodes it: what is not UTF-8 becomes U+FFFD.
pub fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
