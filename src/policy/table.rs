//! The options by name: where each is kept in a policy and what form it has. Reading options
//! and showing them both go by this table.

use super::{Beyond, BodyCodes, Combine, HookErrors, Policy, Redirects, TimeoutCovers, ZeroHint};
use crate::clock::DelayMs;

/// Where an option is kept, by the form it has.
pub(super) enum Slot {
    /// `true` or `false`.
    Flag(fn(&mut Policy) -> &mut bool),
    /// Whole milliseconds.
    Delay(fn(&mut Policy) -> &mut DelayMs),
    /// Whole milliseconds, of which zero is off.
    Limit(fn(&mut Policy) -> &mut Option<DelayMs>),
    /// A whole number.
    Count(fn(&mut Policy) -> &mut u32),
    /// Any number.
    Number(fn(&mut Policy) -> &mut f64),
    /// One of these words: sets the chosen one if there is one, and gives the one in force.
    Choice(&'static [&'static str], fn(&mut Policy, Option<usize>) -> usize),
    /// A function of the runtime's, or of a hook that the core is told of.
    Function(Option<fn(&mut Policy) -> &mut bool>),
    /// A form of its own: `read.rs` knows it.
    Special,
}

use Slot::{Choice, Count, Delay, Flag, Function, Limit, Number, Special};

macro_rules! choice {
    ($type:ident, $names:expr, $($field:ident).+) => {
        Choice($names, |policy, chosen| {
            if let Some(value) = chosen.and_then(|i| $type::ALL.get(i)) {
                policy.$($field).+ = *value;
            }
            policy.$($field).+ as usize
        })
    };
}

/// Every option there is, those of the runtimes included, so that a wrong name or form is
/// found in one place.
pub(super) const OPTIONS: &[(&str, Slot)] = &[
    ("preset", Special),
    ("maxAttempts", Count(|policy| &mut policy.max_attempts)),
    ("maxRetries", Special),
    ("initialDelayMs", Delay(|policy| &mut policy.backoff.initial)),
    ("maxDelayMs", Delay(|policy| &mut policy.backoff.max)),
    ("factor", Number(|policy| &mut policy.backoff.factor)),
    ("firstExponent", Count(|policy| &mut policy.backoff.first_exponent)),
    ("jitter", Special),
    ("respectRetryAfter", Flag(|policy| &mut policy.hints.respect)),
    ("hintSources", Special),
    ("retryAfterCombine", choice!(Combine, &["max", "replace"], hints.combine)),
    ("maxRetryAfterMs", Delay(|policy| &mut policy.hints.max)),
    ("retryAfterBeyond", choice!(Beyond, &["stop", "clamp"], hints.beyond)),
    ("hintJitter", Number(|policy| &mut policy.hints.jitter)),
    ("zeroHint", choice!(ZeroHint, &["floor", "backoff", "now"], hints.zero)),
    ("retryStatus", Special),
    ("nonRetryableStatus", Special),
    ("retryUnknown", Flag(|policy| &mut policy.retry_unknown)),
    ("permanentTransport", Flag(|policy| &mut policy.permanent_transport)),
    ("retryQuota", Flag(|policy| &mut policy.retry_quota)),
    ("bodyCodes", choice!(BodyCodes, &["first", "override", "ignore"], body_codes)),
    ("shouldRetryHeader", Flag(|policy| &mut policy.should_retry_header)),
    ("timeoutMs", Limit(|policy| &mut policy.timeout)),
    ("timeoutCovers", choice!(TimeoutCovers, &["headers", "response"], timeout_covers)),
    ("deadlineMs", Limit(|policy| &mut policy.deadline)),
    ("hookErrors", choice!(HookErrors, &["throw", "swallow"], hook_errors)),
    ("redirects", choice!(Redirects, &["auto", "refuse", "platform"], redirects)),
    ("inspectOk", Flag(|policy| &mut policy.inspect_ok)),
    ("snapshotBody", Flag(|policy| &mut policy.snapshot_body)),
    ("methods", Special),
    ("maxReplayBytes", Count(|policy| &mut policy.max_replay_bytes)),
    ("inspectBytes", Count(|policy| &mut policy.inspect_bytes)),
    ("errorBytes", Count(|policy| &mut policy.error_bytes)),
    ("provider", Special),
    ("expect", Special),
    ("redact", Special),
    ("unref", Special),
    ("shouldRetry", Function(Some(|policy| &mut policy.hooks.should_retry))),
    ("onRetry", Function(Some(|policy| &mut policy.hooks.on_retry))),
    ("onEvent", Function(Some(|policy| &mut policy.hooks.on_event))),
    ("clock", Special),
    ("random", Function(None)),
    ("fetch", Function(None)),
    ("bodyFactory", Function(None)),
    ("usage", Function(None)),
    ("idempotencyKey", Special),
    ("retryCountHeader", Special),
    ("markFinal", Special),
    ("signal", Special),
    ("policy", Special),
];
