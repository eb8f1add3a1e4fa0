//! The defaults, and the rules of three documented systems.

use super::{
    Backoff, Beyond, BodyCodes, Combine, HintRules, HookErrors, Hooks, Jitter, Policy, Redirects, StatusRule,
    TimeoutCovers, ZeroHint,
};
use crate::clock::DelayMs;
use crate::redact::Redaction;
use crate::retry_after::HintSources;

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
}

const KIB: u32 = 1024;

impl Preset {
    /// The presets by the names that the option `preset` takes.
    pub const NAMED: [(&'static str, Preset); 3] =
        [("elelem", Preset::Elelem), ("vernllm", Preset::VernLlm), ("onellm", Preset::OneLlm)];

    /// The policy that the preset is, before any option changes it.
    pub fn policy(self) -> Policy {
        match self {
            Preset::Default => default(),
            Preset::Elelem => elelem(),
            Preset::VernLlm => vernllm(),
            Preset::OneLlm => onellm(),
        }
    }
}

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
        hints: HintRules {
            respect: true,
            sources: HintSources::ALL,
            combine: Combine::Max,
            max: DelayMs::new(60_000),
            beyond: Beyond::Stop,
            jitter: 0.1,
            zero: ZeroHint::Floor,
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
        provider: None,
        expect_json: false,
        redaction: Redaction::default(),
        hooks: Hooks::default(),
    }
}

fn elelem() -> Policy {
    let base = default();
    Policy {
        backoff: Backoff { jitter: Jitter::EqualBelowCap, ..base.backoff },
        hints: HintRules {
            sources: HintSources::RETRY_AFTER,
            combine: Combine::Replace,
            max: base.backoff.max, // follows `maxDelayMs` when options are read
            beyond: Beyond::Clamp,
            jitter: 0.0,
            zero: ZeroHint::Backoff,
            ..base.hints
        },
        statuses: StatusRule::ThrottledOrServer,
        permanent_transport: false,
        should_retry_header: false,
        redirects: Redirects::Platform,
        ..base
    }
}

fn vernllm() -> Policy {
    let base = default();
    Policy {
        max_attempts: 2,
        backoff: Backoff { max: DelayMs::new(10_000), first_exponent: 1, ..base.backoff },
        hints: HintRules {
            sources: HintSources::RETRY_AFTER,
            combine: Combine::Replace,
            max: DelayMs::new(10_000),
            beyond: Beyond::Clamp,
            jitter: 0.0,
            zero: ZeroHint::Now,
            ..base.hints
        },
        statuses: StatusRule::AllBut(vec![400, 401, 403, 404, 422]),
        retry_unknown: true,
        permanent_transport: false,
        retry_quota: true,
        body_codes: BodyCodes::Ignore,
        should_retry_header: false,
        timeout: Some(DelayMs::new(25_000)),
        timeout_covers: TimeoutCovers::Response,
        hook_errors: HookErrors::Swallow,
        redirects: Redirects::Platform,
        snapshot_body: true,
        ..base
    }
}

fn onellm() -> Policy {
    let base = default();
    Policy {
        backoff: Backoff { max: DelayMs::new(30_000), jitter: Jitter::Additive(0.25), ..base.backoff },
        hints: HintRules { sources: HintSources::RETRY_AFTER_AND_MS, jitter: 0.0, ..base.hints },
        statuses: StatusRule::Only(vec![408, 429, 500, 502, 503, 504, 529]),
        permanent_transport: false,
        body_codes: BodyCodes::Override,
        should_retry_header: false,
        redirects: Redirects::Refuse,
        ..base
    }
}
