//! The options by name: where each is kept in a policy and what form it has. Reading options
//! and showing them both go by this table.

use super::{Beyond, BodyCodes, Combine, HookErrors, Policy, Redirects, TimeoutCovers, ZeroHint};
use crate::clock::{DelayMs, MAX_SAFE_MS, MAX_TIMER_MS};

/// Where an option is kept, by the form it has.
pub(super) enum Slot {
    /// `true` or `false`.
    Flag(fn(&mut Policy) -> &mut bool),
    /// Whole milliseconds.
    Delay(fn(&mut Policy) -> &mut DelayMs),
    /// Whole milliseconds up to so many, of which zero is off.
    Limit(u64, fn(&mut Policy) -> &mut Option<DelayMs>),
    /// A whole number from this one on.
    Count(u64, fn(&mut Policy) -> &mut u32),
    /// Any number.
    Number(fn(&mut Policy) -> &mut f64),
    /// One of these words: sets the chosen one if there is one, and gives the one in force.
    Choice(&'static [&'static str], fn(&mut Policy, Option<usize>) -> usize),
    /// A function of the runtime's, or of a hook that the core is told of.
    Function(Option<fn(&mut Policy) -> &mut bool>),
    /// A form of its own: `read.rs` knows it.
    Special(Form),
}

/// The forms that one option has, or two.
pub(super) enum Form {
    Preset,
    MaxRetries,
    Jitter,
    HintSources,
    RetryStatus,
    NonRetryableStatus,
    Methods,
    Provider,
    Expect,
    Redact,
    Clock,
    IdempotencyKey,
    Usage,
    FieldName,
    /// `true` or `false`, which only the runtime reads.
    RuntimeFlag,
    /// Not an option of a policy.
    OfTheCall,
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
    ("preset", Special(Form::Preset)),
    ("maxAttempts", Count(1, |policy| &mut policy.max_attempts)),
    ("maxRetries", Special(Form::MaxRetries)),
    ("initialDelayMs", Delay(|policy| &mut policy.backoff.initial)),
    ("maxDelayMs", Delay(|policy| &mut policy.backoff.max)),
    ("factor", Number(|policy| &mut policy.backoff.factor)),
    ("firstExponent", Count(0, |policy| &mut policy.backoff.first_exponent)),
    ("jitter", Special(Form::Jitter)),
    ("respectRetryAfter", Flag(|policy| &mut policy.hints.respect)),
    ("hintSources", Special(Form::HintSources)),
    ("retryAfterCombine", choice!(Combine, &["max", "replace"], hints.combine)),
    ("maxRetryAfterMs", Delay(|policy| &mut policy.hints.max)),
    ("retryAfterBeyond", choice!(Beyond, &["stop", "clamp"], hints.beyond)),
    ("hintJitter", Number(|policy| &mut policy.hints.jitter)),
    ("zeroHint", choice!(ZeroHint, &["floor", "backoff", "now"], hints.zero)),
    ("retryStatus", Special(Form::RetryStatus)),
    ("nonRetryableStatus", Special(Form::NonRetryableStatus)),
    ("retryUnknown", Flag(|policy| &mut policy.retry_unknown)),
    ("permanentTransport", Flag(|policy| &mut policy.permanent_transport)),
    ("retryQuota", Flag(|policy| &mut policy.retry_quota)),
    ("bodyCodes", choice!(BodyCodes, &["first", "override", "ignore"], body_codes)),
    ("shouldRetryHeader", Flag(|policy| &mut policy.should_retry_header)),
    ("timeoutMs", Limit(MAX_TIMER_MS, |policy| &mut policy.timeout)),
    ("timeoutCovers", choice!(TimeoutCovers, &["headers", "response"], timeout_covers)),
    ("deadlineMs", Limit(MAX_SAFE_MS, |policy| &mut policy.deadline)),
    ("hookErrors", choice!(HookErrors, &["throw", "swallow"], hook_errors)),
    ("redirects", choice!(Redirects, &["auto", "refuse", "platform"], redirects)),
    ("inspectOk", Flag(|policy| &mut policy.inspect_ok)),
    ("snapshotBody", Flag(|policy| &mut policy.snapshot_body)),
    ("methods", Special(Form::Methods)),
    ("maxReplayBytes", Count(0, |policy| &mut policy.max_replay_bytes)),
    ("inspectBytes", Count(0, |policy| &mut policy.inspect_bytes)),
    ("errorBytes", Count(0, |policy| &mut policy.error_bytes)),
    ("openingBytes", Count(0, |policy| &mut policy.opening_bytes)),
    ("holdOpeningMs", Limit(MAX_TIMER_MS, |policy| &mut policy.hold_opening)),
    ("idleTimeoutMs", Limit(MAX_TIMER_MS, |policy| &mut policy.idle_timeout)),
    ("firstOutputTimeoutMs", Limit(MAX_TIMER_MS, |policy| &mut policy.first_output_timeout)),
    ("provider", Special(Form::Provider)),
    ("expect", Special(Form::Expect)),
    ("redact", Special(Form::Redact)),
    ("unref", Special(Form::RuntimeFlag)),
    ("shouldRetry", Function(Some(|policy| &mut policy.hooks.should_retry))),
    ("onRetry", Function(Some(|policy| &mut policy.hooks.on_retry))),
    ("onEvent", Function(Some(|policy| &mut policy.hooks.on_event))),
    ("clock", Special(Form::Clock)),
    ("random", Function(None)),
    ("fetch", Function(None)),
    ("bodyFactory", Function(None)),
    ("usage", Special(Form::Usage)),
    ("idempotencyKey", Special(Form::IdempotencyKey)),
    ("retryCountHeader", Special(Form::FieldName)),
    ("markFinal", Special(Form::RuntimeFlag)),
    ("signal", Special(Form::OfTheCall)),
    ("isOutput", Special(Form::OfTheCall)),
    ("partial", Special(Form::OfTheCall)),
    ("policy", Special(Form::OfTheCall)),
];
