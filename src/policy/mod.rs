//! The policy: what is retried, how often and how long is waited, as a validated value.

mod across;
pub mod backoff;
mod check;
pub mod explain;
mod hints;
pub mod presets;
mod read;
mod show;
mod table;

pub use across::{BreakerMode, BreakerRules, BudgetMode, BudgetRules};
pub use backoff::{Backoff, Jitter};
pub use check::{ConfigFaults, Fault};
pub use hints::{Beyond, Combine, HintRules, Planned, WaitFrom, ZeroHint};
pub use presets::Preset;
pub use read::Value;

use crate::clock::{DelayMs, MAX_TIMER_MS};
use crate::kind::ErrorKind;
use crate::redact::Redaction;

/// Which failed statuses are retried.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum StatusRule {
    /// 408, 409, 425, 429 and 5xx except 501, 505, 506, 510, 511, 525 and 526.
    Default,
    /// 429 and every 5xx (elelem).
    ThrottledOrServer,
    /// These and no others.
    Only(Vec<u16>),
    /// Every failed status but these.
    AllBut(Vec<u16>),
}

impl StatusRule {
    /// Whether a failure with this status is retried.
    pub fn retries(&self, status: u16) -> bool {
        if cfg!(feature = "sabotage") && status == 429 {
            return false;
        }
        match self {
            StatusRule::Default => match status {
                408 | 409 | 425 | 429 => true,
                501 | 505 | 506 | 510 | 511 | 525 | 526 => false,
                _ => (500..600).contains(&status),
            },
            StatusRule::ThrottledOrServer => status == 429 || (500..600).contains(&status),
            StatusRule::Only(list) => list.contains(&status),
            StatusRule::AllBut(list) => status >= 400 && !list.contains(&status),
        }
    }
}

/// What the provider's own code in a body may decide.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BodyCodes {
    /// It is asked before the status.
    First,
    /// The status is asked first; a recognised code then names the kind and may forbid a retry.
    Override,
    /// It is not asked.
    Ignore,
}

impl BodyCodes {
    pub(super) const ALL: &'static [BodyCodes] = &[BodyCodes::First, BodyCodes::Override, BodyCodes::Ignore];
}

/// What a per-attempt timeout covers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimeoutCovers {
    /// Until the response headers.
    Headers,
    /// Until the end of the body as well.
    Response,
}

impl TimeoutCovers {
    pub(super) const ALL: &'static [TimeoutCovers] = &[TimeoutCovers::Headers, TimeoutCovers::Response];
}

/// What a throwing hook does to the call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HookErrors {
    /// It ends the call with the hook's error.
    Throw,
    /// Nothing.
    Swallow,
}

impl HookErrors {
    pub(super) const ALL: &'static [HookErrors] = &[HookErrors::Throw, HookErrors::Swallow];
}

/// What becomes of a redirect when the request does not say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Redirects {
    /// Refused for methods other than GET and HEAD.
    Auto,
    /// Refused: it could carry credentials to another host (OneLLM).
    Refuse,
    /// As the platform does.
    Platform,
}

impl Redirects {
    pub(super) const ALL: &'static [Redirects] = &[Redirects::Auto, Redirects::Refuse, Redirects::Platform];
}

/// A policy. Its fields are the options; defaults and presets: `docs/options.md`.
///
/// ```
/// use dacapo::{Policy, Preset};
///
/// let ours = Policy { max_attempts: 5, ..Policy::default() }.checked()?;
/// let elelems = Policy { retry_unknown: true, ..Preset::Elelem.policy() }.checked()?;
/// assert_eq!((ours.max_attempts, elelems.max_attempts), (5, 3));
/// # Ok::<(), dacapo::ConfigFaults>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Policy {
    /// Sends in all, at least 1.
    pub max_attempts: u32,
    /// How long to wait when the server says nothing.
    pub backoff: Backoff,
    /// The first base after throttling, at most the backoff's cap; `None` is the backoff's own.
    pub throttled_delay: Option<DelayMs>,
    /// What the server's wait hints are worth.
    pub hints: HintRules,
    /// Which statuses are retried.
    pub statuses: StatusRule,
    /// Whether failures of an unknown kind are retried.
    pub retry_unknown: bool,
    /// Whether some faults that only look like transport failures are permanent.
    pub permanent_transport: bool,
    /// Whether a spent quota is retried.
    pub retry_quota: bool,
    /// What the provider's own code may decide.
    pub body_codes: BodyCodes,
    /// Whether `x-should-retry` is obeyed.
    pub should_retry_header: bool,
    /// The longest time for one attempt.
    pub timeout: Option<DelayMs>,
    /// What `timeout` covers.
    pub timeout_covers: TimeoutCovers,
    /// From the start to the delivery: all attempts and waits.
    pub deadline: Option<DelayMs>,
    /// What a throwing hook does.
    pub hook_errors: HookErrors,
    /// What becomes of redirects.
    pub redirects: Redirects,
    /// Whether a 2xx JSON answer to a POST is read before it is delivered.
    pub inspect_ok: bool,
    /// Whether request bodies are kept in snapshots.
    pub snapshot_body: bool,
    /// The methods that are retried; `None` is all.
    pub methods: Option<Vec<String>>,
    /// How much of a request's body may be kept for a replay.
    pub max_replay_bytes: u32,
    /// How much of a 2xx JSON answer is inspected.
    pub inspect_bytes: u32,
    /// How much of a failed answer's body is read.
    pub error_bytes: u32,
    /// How much of a streamed answer may be held back before its first output; 0 holds none.
    pub opening_bytes: u32,
    /// How long it may be held back; `None` holds none.
    pub hold_opening: Option<DelayMs>,
    /// The longest time in which a streamed answer sends no byte.
    pub idle_timeout: Option<DelayMs>,
    /// The longest time from the send to the first output of a streamed answer.
    pub first_output_timeout: Option<DelayMs>,
    /// The provider's name, for records.
    pub provider: Option<String>,
    /// Whether a 2xx answer that is not JSON is malformed.
    pub expect_json: bool,
    /// The circuit breaker's options; `None` is none.
    pub breaker: Option<BreakerRules>,
    /// The retry budget's options; `None` is none.
    pub budget: Option<BudgetRules>,
    /// When an attempt that is not decided gets a second one beside it; `None` is never.
    pub hedge_after: Option<DelayMs>,
    /// The kinds of failure that fall over to another target; `None` is those of the taxonomy.
    pub fallback_on: Option<Vec<ErrorKind>>,
    /// What else is secret.
    pub redaction: Redaction,
    /// Which hooks are there to be called.
    pub hooks: Hooks,
}

/// Which hooks a policy has. The functions themselves live with the runtime.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Hooks {
    /// `shouldRetry`
    pub should_retry: bool,
    /// `onRetry`
    pub on_retry: bool,
    /// `onEvent`
    pub on_event: bool,
}

/// How long one attempt may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Allowance {
    /// The time from the send on.
    pub limit: DelayMs,
    /// Whether the deadline set it, not the attempt's own timeout.
    pub by_deadline: bool,
}

impl Policy {
    /// The backoff after a failure of this kind.
    pub fn backoff_after(&self, kind: ErrorKind) -> Backoff {
        self.backoff_if(kind == ErrorKind::RateLimited)
    }

    /// The backoff after throttling, or after any other failure.
    pub(crate) fn backoff_if(&self, throttled: bool) -> Backoff {
        let initial = self.throttled_delay.filter(|_| throttled).unwrap_or(self.backoff.initial);
        Backoff { initial, ..self.backoff }
    }

    /// How long an attempt may take that starts `elapsed` after the call did.
    ///
    /// `None` where nothing limits it, or nothing that a timer can hold.
    pub fn allowance(&self, elapsed: DelayMs) -> Option<Allowance> {
        let own = self.timeout.map(|limit| Allowance { limit, by_deadline: false });
        let left = self.deadline.map(|deadline| Allowance { limit: deadline.minus(elapsed), by_deadline: true });
        let shortest = match (own, left) {
            (Some(own), Some(left)) => Some(if left.limit < own.limit { left } else { own }),
            (own, left) => own.or(left),
        };
        shortest.filter(|allowance| allowance.limit.get() <= MAX_TIMER_MS)
    }

    /// How long a hedge may take that is made `elapsed` after the call began, beside the send
    /// number `sends` of a request of this method (empty where that is not known); `None` where
    /// none may be made.
    pub fn hedge(&self, sends: u32, method: &str, elapsed: DelayMs) -> Option<Option<Allowance>> {
        let is_late = self.deadline.is_some_and(|deadline| elapsed >= deadline);
        let is_allowed = self.hedge_after.is_some() && sends < self.max_attempts && !is_late;
        (is_allowed && (method.is_empty() || self.retries_method(method))).then(|| self.allowance(elapsed))
    }

    /// Whether a request of this method may be sent again.
    pub fn retries_method(&self, method: &str) -> bool {
        self.methods.as_ref().is_none_or(|list| list.iter().any(|m| m.eq_ignore_ascii_case(method)))
    }
}

impl Default for Policy {
    fn default() -> Policy {
        Preset::Default.policy()
    }
}
