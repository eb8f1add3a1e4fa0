//! The JavaScript side of one call, as the engine sees it.

use crate::call::{Observed, Replay};
use crate::classify::{Ending, Link, Raised, Source};
use crate::clock::MAX_SAFE_MS;
use crate::history::SentRequest;
use crate::kind::ErrorKind;
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
    /// What the attempt showed that failed.
    #[wasm_bindgen(method, getter)]
    pub fn facts(this: &Host) -> Facts;
    /// Resolves to whether the sleep was slept through.
    #[wasm_bindgen(method)]
    pub fn sleep(this: &Host, ms: f64) -> Promise;
    /// Resolves to true, false or undefined, to null when the hook threw, to 0 when cancelled.
    #[wasm_bindgen(method)]
    pub fn ask(this: &Host, record: String, verdict: JsValue) -> Promise;
    /// Resolves as `ask` does.
    #[wasm_bindgen(method)]
    pub fn announce(this: &Host, record: String) -> Promise;
    /// Tells `onEvent` of a failure.
    #[wasm_bindgen(method, js_name = tellFailed)]
    pub fn tell_failed(this: &Host, record: String, verdict: JsValue);
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

    #[wasm_bindgen(method, getter)]
    fn ending(this: &Facts) -> u8;
    #[wasm_bindgen(method, getter, js_name = fromFetch)]
    fn from_fetch(this: &Facts) -> bool;
    /// 0 for none.
    #[wasm_bindgen(method, getter)]
    fn status(this: &Facts) -> u16;
    #[wasm_bindgen(method, getter, js_name = opaqueRedirect)]
    fn opaque_redirect(this: &Facts) -> bool;
    #[wasm_bindgen(method, getter)]
    fn headers(this: &Facts) -> Option<String>;
    /// The wait that an error without headers names; below zero or NaN for none.
    #[wasm_bindgen(method, getter, js_name = retryAfterMs)]
    fn retry_after_ms(this: &Facts) -> f64;
    #[wasm_bindgen(method, getter)]
    fn body(this: &Facts) -> Option<Vec<u8>>;
    /// name, message, code, name, message, code, …
    #[wasm_bindgen(method, getter)]
    fn links(this: &Facts) -> Option<Array>;
    /// workerd's flags of the first link that has any: 1 retryable, 2 overloaded.
    #[wasm_bindgen(method, getter)]
    fn flags(this: &Facts) -> u8;
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
    #[wasm_bindgen(method, getter, js_name = oneShot)]
    fn one_shot(this: &Facts) -> bool;
    /// Absent where requests are not ours to see.
    #[wasm_bindgen(method, getter)]
    fn method(this: &Facts) -> Option<String>;
    #[wasm_bindgen(method, getter)]
    fn url(this: &Facts) -> Option<String>;
    #[wasm_bindgen(method, getter, js_name = requestHeaders)]
    fn request_headers(this: &Facts) -> Option<String>;
    #[wasm_bindgen(method, getter, js_name = requestBody)]
    fn request_body(this: &Facts) -> Option<String>;
}

impl Facts {
    /// Copies what JavaScript shows into what the core takes.
    pub fn observed(&self) -> Observed {
        let status = self.status();
        let links = self.links();
        // Only an error can say what a caller raised.
        let raised = links.as_ref().and_then(|_| self.raised());
        Observed {
            ending: match self.ending() {
                0 => Ending::Response,
                1 => Ending::Error,
                2 => Ending::TimedOut,
                3 => Ending::DeadlinePassed,
                4 => Ending::Truncated,
                5 => Ending::Malformed,
                _ => Ending::Cancelled,
            },
            source: if self.from_fetch() { Source::Fetch } else { Source::Operation },
            status: if status == 0 { None } else { Some(status) },
            opaque_redirect: self.opaque_redirect(),
            headers: self.headers().unwrap_or_else(|| self.named_wait()),
            body: self.body().map(into_text).unwrap_or_default(),
            links: links.map(|links| self.read_links(&links)).unwrap_or_default(),
            raised_code: raised.and_then(|_| self.raised_code()),
            raised_provider: raised.and_then(|_| self.raised_provider()),
            raised,
            request: self.method().map(|method| SentRequest {
                method,
                url: self.url().unwrap_or_default(),
                headers: self.request_headers().unwrap_or_default(),
                body: self.request_body(),
            }),
            replay: if self.one_shot() { Replay::OneShotBody } else { Replay::Possible },
        }
    }

    /// What an error names as its wait, as the header that would have said it.
    fn named_wait(&self) -> String {
        let ms = self.retry_after_ms();
        if !(0.0..=MAX_SAFE_MS as f64).contains(&ms) {
            return String::new();
        }
        let ms = ms as u64;
        format!("retry-after\n{}.{:03}\n", ms / 1000, ms % 1000)
    }

    fn raised(&self) -> Option<Raised> {
        let kind = self.raised_kind().and_then(|name| ErrorKind::from_name(&name));
        kind.map(|kind| Raised { kind, retryable: self.raised_retryable() })
            .or_else(|| Raised::by_type(&self.error_type()?))
    }

    fn read_links(&self, texts: &Array) -> Vec<Link> {
        let flags = self.flags();
        let text = |i| texts.get(i).as_string().unwrap_or_default();
        let mut links: Vec<_> = (0..texts.length() / 3)
            .map(|i| Link { name: text(3 * i), message: text(3 * i + 1), code: text(3 * i + 2), ..Link::default() })
            .collect();
        if let Some(first) = links.first_mut() {
            first.retryable = flags & 1 != 0;
            first.overloaded = flags & 2 != 0;
        }
        links
    }
}

/// UTF-8 as the Encoding standard decodes it: what is not UTF-8 becomes U+FFFD.
pub fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes).unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}
