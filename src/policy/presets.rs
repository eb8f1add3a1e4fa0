//! The defaults, and the rules of documented systems.

use super::{
    Backoff, Beyond, BodyCodes, BudgetRules, Combine, HintRules, HookErrors, Hooks, Jitter, Policy, Redirects,
    StatusRule, TimeoutCovers, ZeroHint,
};
use crate::clock::DelayMs;
use crate::redact::Redaction;
use crate::retry_after::{HintSource, HintSources};

/// A named set of rules to start from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Preset {
    /// dacapo's own.
    Default,
    /// elelem's page "Retries and errors" (Go).
    Elelem,
    /// VernLLM's page "Retries" (TypeScript).
    VernLlm,
    /// OneLLM's page "Errors and retries" (.NET).
    OneLlm,
    /// The standard retry mode of the AWS SDKs, version 2.1.
    Aws,
}

const KIB: u32 = 1024;

impl Preset {
    /// The presets by the names that the option `preset` takes.
    pub const NAMED: [(&'static str, Preset); 4] =
        [("elelem", Preset::Elelem), ("vernllm", Preset::VernLlm), ("onellm", Preset::OneLlm), ("aws", Preset::Aws)];

    /// The policy that the preset is, before any option changes it.
    pub fn policy(self) -> Policy {
        match self {
            Preset::Default => default(),
            Preset::Elelem => elelem(),
            Preset::VernLlm => vernllm(),
            Preset::OneLlm => onellm(),
            Preset::Aws => aws(),
        }
    }
}

// Once in the module, not once for every preset.
#[inline(never)]
fn default() -> Policy {
    Policy {
        max_attempts: 3,
        backoff: Backoff {
            initial: DelayMs::new(500),
            max: DelayMs::new(8000),
            factor: 2.0,
            first_exponent: 0,
            jitter: Jitter::Equal,
        },
        throttled_delay: None,
        hints: HintRules {
            respect: true,
            sources: HintSources::ALL,
            combine: Combine::Max,
            max: DelayMs::new(60_000),
            beyond: Beyond::Stop,
            jitter: 0.1,
            zero: ZeroHint::Floor,
            slack: DelayMs::new(5000),
        },
        statuses: StatusRule::Default,
        retry_unknown: false,
        permanent_transport: true,
        retry_quota: false,
        body_codes: BodyCodes::First,
        should_retry_header: true,
        timeout: None,
        timeout_covers: TimeoutCovers::Headers,
        deadline: None,
        hook_errors: HookErrors::Throw,
        redirects: Redirects::Auto,
        inspect_ok: true,
        snapshot_body: false,
        methods: None,
        max_replay_bytes: 16 * KIB * KIB,
        inspect_bytes: KIB * KIB,
        error_bytes: 64 * KIB,
        opening_bytes: 256 * KIB,
        hold_opening: Some(DelayMs::new(120_000)),
        idle_timeout: None,
        first_output_timeout: None,
        provider: None,
        expect_json: false,
        breaker: None,
        budget: None,
        hedge_after: None,
        fallback_on: None,
        redaction: Redaction::default(),
        hooks: Hooks::default(),
    }
}

fn elelem() -> Policy {
    let mut policy = default();
    policy.backoff.jitter = Jitter::EqualBelowCap;
    policy.hints.sources = HintSources::RETRY_AFTER;
    policy.hints.combine = Combine::Replace;
    policy.hints.max = policy.backoff.max; // follows `maxDelayMs` when options are read
    policy.hints.beyond = Beyond::Clamp;
    policy.hints.jitter = 0.0;
    policy.hints.zero = ZeroHint::Backoff;
    policy.statuses = StatusRule::ThrottledOrServer;
    policy.permanent_transport = false;
    policy.should_retry_header = false;
    policy.redirects = Redirects::Platform;
    policy
}

fn vernllm() -> Policy {
    let mut policy = default();
    policy.max_attempts = 2;
    policy.backoff.max = DelayMs::new(10_000);
    policy.backoff.first_exponent = 1;
    policy.hints.sources = HintSources::RETRY_AFTER;
    policy.hints.combine = Combine::Replace;
    policy.hints.max = DelayMs::new(10_000);
    policy.hints.beyond = Beyond::Clamp;
    policy.hints.jitter = 0.0;
    policy.hints.zero = ZeroHint::Now;
    policy.statuses = StatusRule::AllBut(vec![400, 401, 403, 404, 422]);
    policy.retry_unknown = true;
    policy.permanent_transport = false;
    policy.retry_quota = true;
    policy.body_codes = BodyCodes::Ignore;
    policy.should_retry_header = false;
    policy.timeout = Some(DelayMs::new(25_000));
    policy.timeout_covers = TimeoutCovers::Response;
    policy.hook_errors = HookErrors::Swallow;
    policy.redirects = Redirects::Platform;
    policy.snapshot_body = true;
    policy
}

fn onellm() -> Policy {
    let mut policy = default();
    policy.backoff.max = DelayMs::new(30_000);
    policy.backoff.jitter = Jitter::Additive(0.25);
    policy.hints.sources = HintSources::RETRY_AFTER_AND_MS;
    policy.hints.jitter = 0.0;
    policy.statuses = StatusRule::Only(vec![408, 429, 500, 502, 503, 504, 529]);
    policy.permanent_transport = false;
    policy.body_codes = BodyCodes::Override;
    policy.should_retry_header = false;
    policy.redirects = Redirects::Refuse;
    policy
}

fn aws() -> Policy {
    let mut policy = default();
    policy.backoff.initial = DelayMs::new(50);
    policy.backoff.max = DelayMs::new(20_000);
    policy.backoff.jitter = Jitter::Full;
    policy.throttled_delay = Some(DelayMs::new(1000));
    policy.hints.sources = HintSources::of(&[HintSource::XAmzRetryAfter]);
    policy.hints.combine = Combine::Near;
    policy.hints.jitter = 0.0;
    policy.statuses = StatusRule::Only(vec![429, 500, 502, 503, 504]);
    policy.budget = Some(BudgetRules::default());
    policy
}
