//! The options by name: where each is kept in a policy and what form it has. Reading options
//! and showing them both go by this table.

use super::{
    Beyond, BodyCodes, BreakerMode, BreakerRules, BudgetMode, BudgetRules, Combine, HookErrors, Jitter, Policy,
    Redirects, TimeoutCovers, ZeroHint,
};
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
    /// `true`, `false`, or an object whose members are those of [`MEMBERS`] with this prefix.
    Breaker,
    Budget,
    FallbackOn,
    /// A text or a function, of the runtime's.
    Key,
    /// An object of the runtime's.
    Store,
    /// `true` or `false`, which only the runtime reads.
    RuntimeFlag,
    /// Not an option of a policy.
    OfTheCall,
    /// Not an option of a policy either.
    OfTargets,
}

/// The words for a jitter.
pub(super) const JITTERS: [(&str, Jitter); 5] = [
    ("none", Jitter::None),
    ("equal", Jitter::Equal),
    ("equal-below-cap", Jitter::EqualBelowCap),
    ("full", Jitter::Full),
    ("decorrelated", Jitter::Decorrelated),
];

/// The member's own name, where it is one of this option.
pub(super) fn member_of<'n>(option: &str, name: &'n str) -> Option<&'n str> {
    name.strip_prefix(option)?.strip_prefix('.')
}

use Slot::{Choice, Count, Delay, Flag, Function, Limit, Number, Special};

macro_rules! choice {
    ($type:ident, $names:expr, $($field:ident).+) => {
        choice!($type, $names, |policy| &mut policy.$($field).+)
    };
    ($type:ident, $names:expr, $place:expr) => {
        Choice($names, |policy, chosen| {
            let place: fn(&mut Policy) -> &mut $type = $place;
            let place = place(policy);
            if let Some(value) = chosen.and_then(|i| $type::ALL.get(i)) {
                *place = *value;
            }
            *place as usize
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
    ("throttledDelayMs", Limit(MAX_SAFE_MS, |policy| &mut policy.throttled_delay)),
    ("maxDelayMs", Delay(|policy| &mut policy.backoff.max)),
    ("factor", Number(|policy| &mut policy.backoff.factor)),
    ("firstExponent", Count(0, |policy| &mut policy.backoff.first_exponent)),
    ("jitter", Special(Form::Jitter)),
    ("respectRetryAfter", Flag(|policy| &mut policy.hints.respect)),
    ("hintSources", Special(Form::HintSources)),
    ("retryAfterCombine", choice!(Combine, &["max", "replace", "near"], hints.combine)),
    ("hintSlackMs", Delay(|policy| &mut policy.hints.slack)),
    ("maxRetryAfterMs", Delay(|policy| &mut policy.hints.max)),
    ("retryAfterBeyond", choice!(Beyond, &["stop", "clamp", "defer"], hints.beyond)),
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
    ("hedgeAfterMs", Limit(MAX_TIMER_MS, |policy| &mut policy.hedge_after)),
    ("breaker", Special(Form::Breaker)),
    ("budget", Special(Form::Budget)),
    ("fallbackOn", Special(Form::FallbackOn)),
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
    ("resume", Special(Form::OfTheCall)),
    ("isOutput", Special(Form::OfTheCall)),
    ("partial", Special(Form::OfTheCall)),
    ("policy", Special(Form::OfTheCall)),
    ("targets", Special(Form::OfTargets)),
    ("onFallback", Special(Form::OfTargets)),
];

#[inline(never)]
fn breaker(policy: &mut Policy) -> &mut BreakerRules {
    policy.breaker.get_or_insert_default()
}

#[inline(never)]
fn budget(policy: &mut Policy) -> &mut BudgetRules {
    policy.budget.get_or_insert_default()
}

/// The members of the options that are objects, as `OPTIONS` has the options.
pub(super) const MEMBERS: &[(&str, Slot)] = &[
    ("breaker.mode", choice!(BreakerMode, &["consecutive", "rolling"], |policy| &mut breaker(policy).mode)),
    ("breaker.failures", Count(1, |policy| &mut breaker(policy).failures)),
    ("breaker.windowMs", Delay(|policy| &mut breaker(policy).window)),
    ("breaker.minCalls", Count(1, |policy| &mut breaker(policy).min_calls)),
    ("breaker.failureRatio", Number(|policy| &mut breaker(policy).failure_ratio)),
    ("breaker.openMs", Delay(|policy| &mut breaker(policy).open)),
    ("breaker.maxOpenMs", Delay(|policy| &mut breaker(policy).max_open)),
    ("breaker.openJitter", Number(|policy| &mut breaker(policy).open_jitter)),
    ("breaker.probes", Count(1, |policy| &mut breaker(policy).probes)),
    ("breaker.leaseMs", Limit(MAX_SAFE_MS, |policy| &mut breaker(policy).lease)),
    ("breaker.countThrottling", Flag(|policy| &mut breaker(policy).count_throttling)),
    ("breaker.key", Special(Form::Key)),
    ("breaker.onStateChange", Function(None)),
    ("breaker.store", Special(Form::Store)),
    ("budget.mode", choice!(BudgetMode, &["tokens", "ratio"], |policy| &mut budget(policy).mode)),
    ("budget.capacity", Count(0, |policy| &mut budget(policy).capacity)),
    ("budget.initial", Count(0, |policy| &mut budget(policy).initial)),
    ("budget.transientCost", Count(0, |policy| &mut budget(policy).transient_cost)),
    ("budget.throttlingCost", Count(0, |policy| &mut budget(policy).throttling_cost)),
    ("budget.cleanCredit", Count(0, |policy| &mut budget(policy).clean_credit)),
    ("budget.ratio", Number(|policy| &mut budget(policy).ratio)),
    ("budget.windowMs", Delay(|policy| &mut budget(policy).window)),
    ("budget.reservePerSecond", Count(0, |policy| &mut budget(policy).reserve_per_second)),
    ("budget.key", Special(Form::Key)),
    ("budget.store", Special(Form::Store)),
];
