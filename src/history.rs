//! What a call went through: one record for each failed attempt, and the ledger.
//!
//! Records hold no secret of the request: messages are masked before they are cut, headers
//! that carry credentials are removed, and nothing unmasked is kept.

use crate::classify::Verdict;
use crate::clock::{DelayMs, WallMs};
use crate::decimal::decimal;
use crate::headers::Headers;
use crate::policy::WaitFrom;
use crate::redact::{Masker, Redaction};
use crate::usage::{Usage, plus};

/// How much of a message a record keeps, in characters.
pub const MESSAGE_CHARS: usize = 1000;
/// How much of a request's body a snapshot keeps, in characters.
pub const BODY_CHARS: usize = 16 * 1024;

/// What failed, as a record.
#[derive(Clone, Debug, PartialEq)]
pub struct ErrorSnapshot {
    /// At most [`MESSAGE_CHARS`] characters.
    pub message: String,
    /// The kind's name.
    pub kind: &'static str,
    /// VernLLM's name for the kind.
    pub type_: &'static str,
    /// The provider's or the runtime's code.
    pub code: Option<String>,
    /// The HTTP status.
    pub status: Option<u16>,
    /// The provider's name.
    pub provider: Option<String>,
    /// The server's wait hint; zero is a hint of zero.
    pub retry_after_ms: Option<DelayMs>,
    /// Whether it may be played again.
    pub retryable: bool,
    /// The rule that decided.
    pub rule: &'static str,
}

/// What was sent, without credentials.
#[derive(Clone, Debug, PartialEq)]
pub struct RequestSnapshot {
    /// The method.
    pub method: String,
    /// The URL, for display.
    pub url: String,
    /// The fields that carry no credentials.
    pub headers: Vec<(String, String)>,
    /// When it was sent.
    pub started_at: WallMs,
    /// The body, where the policy keeps it.
    pub body: Option<String>,
}

/// What was sent, as it was sent: not to be kept.
#[derive(Clone, Debug, Default)]
pub struct SentRequest {
    /// The method.
    pub method: String,
    /// The URL.
    pub url: String,
    /// The fields, in the form of [`Headers`].
    pub headers: String,
    /// The body's text, where the policy keeps it.
    pub body: Option<String>,
}

impl SentRequest {
    /// What can hide this request's secrets in any text, and the fields that may be kept.
    pub fn masker(&self, redaction: &Redaction) -> (Masker, Vec<(&str, &str)>) {
        Masker::and_kept(&self.url, Headers::new(&self.headers), redaction)
    }

    /// The snapshot that may be kept, with these of its fields.
    pub fn snapshot(
        &self,
        started_at: WallMs,
        kept: Vec<(&str, &str)>,
        redaction: &Redaction,
        masker: &Masker,
    ) -> RequestSnapshot {
        let mut headers: Vec<(String, String)> = Vec::with_capacity(kept.len());
        for (name, value) in kept {
            let (name, value) = (name.to_ascii_lowercase(), masker.mask(value));
            match headers.iter_mut().find(|(known, _)| *known == name) {
                Some((_, known)) => *known = [known, ", ", &value].concat(),
                None => headers.push((name, value.into_owned())),
            }
        }
        RequestSnapshot {
            method: self.method.clone(),
            url: masker.mask(&crate::redact::sanitize_url(&self.url, redaction)).into_owned(),
            headers,
            started_at,
            body: self.body.as_ref().map(|body| masker.mask_and_cut(body, BODY_CHARS)),
        }
    }
}

/// One failed attempt.
#[derive(Clone, Debug, PartialEq)]
pub struct AttemptRecord {
    /// 0-based.
    pub index: u32,
    /// 1-based.
    pub attempt: u32,
    /// When it was sent.
    pub started_at: WallMs,
    /// From the send to the verdict.
    pub duration_ms: DelayMs,
    /// elelem's reason: `rate_limited`, `server_error`, `timeout`, `transport`, or the kind.
    pub reason: &'static str,
    /// The wait after it: as planned, then as really slept; 0 on the last attempt.
    pub delay_ms: DelayMs,
    /// Where the wait came from.
    pub delay_from: Option<&'static str>,
    /// The server's wait hint.
    pub retry_after_ms: Option<DelayMs>,
    /// Whether output had begun.
    pub streamed: bool,
    /// What it cost, when the provider said so.
    pub tokens: Option<Usage>,
    /// Whether it may have cost tokens beyond these: work may have begun before it failed,
    /// and nobody reported any.
    pub may_have_cost_more: bool,
    /// What failed.
    pub error: ErrorSnapshot,
    /// What was sent.
    pub request: Option<RequestSnapshot>,
}

impl AttemptRecord {
    /// Notes the wait after this attempt.
    pub fn waits(&mut self, delay: DelayMs, from: WaitFrom) {
        self.delay_ms = delay;
        self.delay_from = Some(from.as_str());
    }
}

/// The text that a record shows for a failure that has none of its own.
pub fn message_of(verdict: &Verdict, status: Option<u16>) -> String {
    match status {
        // What is told inside a good answer says nothing by its status.
        Some(status) if status >= 300 => ["HTTP ", &decimal(status.into())].concat(),
        _ => verdict.kind.as_str().replace('_', " "),
    }
}

/// The ledger of a call.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RetryLedger {
    /// Sends made.
    pub total_attempts: u32,
    /// Every failed send, the last one included.
    pub failed_attempts: u32,
    /// Prompt tokens of failed attempts.
    pub wasted_prompt_tokens: u64,
    /// Completion tokens of failed attempts.
    pub wasted_completion_tokens: u64,
    /// All tokens of failed attempts.
    pub wasted_total_tokens: u64,
    /// A failed attempt may have cost tokens that nobody reported.
    pub waste_is_lower_bound: bool,
}

impl RetryLedger {
    /// Adds a failed attempt.
    pub fn count(&mut self, record: &AttemptRecord) {
        self.failed_attempts = self.failed_attempts.saturating_add(1);
        self.waste_is_lower_bound |= record.may_have_cost_more;
        let Some(tokens) = record.tokens else { return };
        self.wasted_prompt_tokens = plus(self.wasted_prompt_tokens, tokens.prompt.unwrap_or(0));
        self.wasted_completion_tokens = plus(self.wasted_completion_tokens, tokens.completion.unwrap_or(0));
        self.wasted_total_tokens = plus(self.wasted_total_tokens, tokens.total.unwrap_or(0));
    }
}

/// What a call went through.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct History {
    /// The failures other than the one the call ended with; absent when there are none.
    pub attempts: Vec<AttemptRecord>,
    /// The ledger.
    pub retry: RetryLedger,
    /// What the attempt that succeeded used, zeros when none did; absent where no attempt
    /// told of any tokens.
    pub usage: Option<Usage>,
    /// The failure the call ended with.
    pub last: Option<AttemptRecord>,
    /// Why the call ended without success.
    pub mark: Option<&'static str>,
}

impl History {
    /// What the provider charges for: the tokens used and the tokens wasted.
    pub fn billed_total_tokens(&self) -> u64 {
        let used = self.usage.and_then(|usage| usage.total).unwrap_or(0);
        plus(used, self.retry.wasted_total_tokens)
    }
}
