//! What a failure is: the taxonomy, and the table of what follows from each kind.

use crate::names::nearest;

/// Who states that a failure is of this kind.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RaisedBy {
    /// The server, by status, code or silence.
    Provider,
    /// The code around the call, with `new RetryError({kind})`.
    Caller,
    /// This library.
    Engine,
}

impl RaisedBy {
    /// The name in the docs table.
    pub const fn as_str(self) -> &'static str {
        match self {
            RaisedBy::Provider => "provider",
            RaisedBy::Caller => "caller",
            RaisedBy::Engine => "engine",
        }
    }
}

/// What follows from a kind, and what three documented systems call it.
#[derive(Clone, Copy, Debug)]
pub struct Properties {
    /// The stable snake_case name.
    pub name: &'static str,
    /// Whether a call that failed so may be played again, by default.
    pub retryable: bool,
    /// Whether it tells a circuit breaker that the target is unwell.
    pub counts_for_breaker: bool,
    /// Whether another provider may do better.
    pub may_fall_over: bool,
    /// Who states it.
    pub raised_by: RaisedBy,
    /// The sentinel of elelem; empty where it has none.
    pub elelem: &'static str,
    /// The `type` of VernLLM.
    pub vernllm: &'static str,
    /// The exception of OneLLM; empty where it has none.
    pub onellm: &'static str,
}

macro_rules! kinds {
    ($($(#[$doc:meta])* $variant:ident $name:literal $retry:literal $breaker:literal $fall:literal $by:ident $elelem:literal $vernllm:literal $onellm:literal;)*) => {
        /// What a failure is. Names are stable; [`ErrorKind::properties`] has what follows.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        pub enum ErrorKind { $($(#[$doc])* $variant,)* }

        impl ErrorKind {
            /// Every kind, in the order of the table.
            pub const ALL: &'static [ErrorKind] = &[$(ErrorKind::$variant,)*];

            const TABLE: &'static [Properties] = &[$(Properties {
                name: $name, retryable: $retry, counts_for_breaker: $breaker, may_fall_over: $fall,
                raised_by: RaisedBy::$by, elelem: $elelem, vernllm: $vernllm, onellm: $onellm,
            },)*];
        }
    };
}

kinds! {
    // variant, name, retryable, breaker, fallback, raised by, elelem, VernLLM, OneLLM
    /// The caller's own signal aborted, or (status 499) the provider gave up on the caller.
    Cancelled "cancelled" false false false Caller "" "aborted" "OperationCanceled";
    /// No answer in time.
    Timeout "timeout" true true true Provider "" "timeout" "Transport";
    /// The connection failed before a verdict, or broke in the middle of one.
    Transport "transport" true true true Provider "" "network" "Transport";
    /// Too many requests or tokens for now.
    RateLimited "rate_limited" true false true Provider "ErrRateLimited" "rate_limited" "RateLimit";
    /// The provider has no capacity for now.
    Overloaded "overloaded" true true true Provider "" "api" "Overloaded";
    /// The provider failed.
    ServerError "server_error" true true true Provider "" "api" "Provider";
    /// A quota, balance or plan is spent: waiting does not help.
    QuotaExhausted "quota_exhausted" false false true Provider "ErrQuotaExhausted" "quota_exceeded" "Provider";
    /// The account's own spending limit was reached.
    SpendLimitReached "spend_limit_reached" false false true Provider "ErrQuotaExhausted" "quota_exceeded" "SpendLimitReached";
    /// The key is missing or wrong.
    Auth "auth" false false true Provider "ErrNotAuthenticated" "api" "Auth";
    /// The key may not do this.
    Permission "permission" false false true Provider "ErrNotAuthenticated" "api" "Auth";
    /// There is nothing at this address.
    NotFound "not_found" false false true Provider "ErrNotFound" "api" "BadRequest";
    /// There is no such model.
    ModelNotFound "model_not_found" false false true Provider "ErrNotFound" "api" "ModelNotFound";
    /// The request is wrong.
    BadRequest "bad_request" false false false Provider "" "api" "BadRequest";
    /// The request conflicts with another.
    Conflict "conflict" true false false Provider "" "api" "BadRequest";
    /// The request's body is too large.
    RequestTooLarge "request_too_large" false false true Provider "" "api" "BadRequest";
    /// The request is larger than the model's context window.
    ContextExceeded "context_exceeded" false false true Provider "ErrContextExceeded" "api" "ContextOverflow";
    /// A safety filter blocked the request or the answer.
    ContentFiltered "content_filtered" false false true Provider "" "api" "ContentFilter";
    /// The model declined to answer.
    Refused "refused" false false true Provider "" "api" "Refused";
    /// A 200 that is not what was asked for.
    MalformedResponse "malformed_response" true false true Provider "" "api" "MalformedResponse";
    /// Structured output was cut off by the token limit.
    ResponseTruncated "response_truncated" false false false Caller "ErrResponseTruncated" "parse" "MalformedResponse";
    /// Structured output did not validate.
    SchemaMismatch "schema_mismatch" false false false Caller "ErrResponseSchemaMismatch" "validation" "MalformedResponse";
    /// The transcript is malformed.
    InvalidTranscript "invalid_transcript" false false false Caller "ErrInvalidTranscript" "invalid_params" "BadRequest";
    /// The request asks for something the model cannot do.
    InvalidRequest "invalid_request" false false false Caller "ErrInvalidRequest" "invalid_params" "BadRequest";
    /// The tool loop reached its limit.
    MaxRoundsExceeded "max_rounds_exceeded" false false false Caller "ErrMaxRoundsExceeded" "unknown" "";
    /// The tool calls of one answer were run already.
    ToolCallsAlreadyExecuted "tool_calls_already_executed" false false false Caller "ErrToolCallsAlreadyExecuted" "invalid_params" "";
    /// The output limit leaves no room for the prompt.
    MaxOutputExceedsContext "max_output_exceeds_context" false false false Caller "ErrMaxOutputExceedsContext" "invalid_params" "";
    /// A spend or token cap of the caller was reached.
    BudgetExceeded "budget_exceeded" false false false Caller "" "quota_exceeded" "BudgetExceeded";
    /// A feature needs something that is not there.
    CapabilityMissing "capability_missing" false false true Caller "" "invalid_params" "CapabilityMissing";
    /// A definition file is invalid.
    BadDefinition "bad_definition" false false false Caller "" "invalid_params" "BadDefinition";
    /// The answer is a redirect, which could carry credentials to another host.
    Redirected "redirected" false false false Engine "" "api" "Transport";
    /// The circuit breaker is open.
    CircuitOpen "circuit_open" false false true Engine "" "circuit_open" "";
    /// The retry budget is spent.
    RetryBudgetExhausted "retry_budget_exhausted" false false true Engine "" "api" "";
    /// The call's deadline does not allow another attempt.
    DeadlineExceeded "deadline_exceeded" false false false Engine "" "timeout" "";
    /// Every target failed.
    FallbackExhausted "fallback_exhausted" false false false Engine "" "fallback_exhausted" "";
    /// The policy's options are invalid.
    InvalidConfig "invalid_config" false false false Engine "ErrRetryMaxAttempts, ErrRetryDelays, ErrRetryDelayOrder" "invalid_params" "";
    /// Defensive only: never seen.
    RetryLoopExhausted "retry_loop_exhausted" false false false Engine "ErrRetryLoopExhausted" "unknown" "";
    /// Nothing is known of it.
    Unknown "unknown" false false false Engine "" "unknown" "Provider";
}

impl ErrorKind {
    /// The kind's row of the table.
    pub const fn properties(self) -> &'static Properties {
        // Variants are numbered from 0 in the order of the table.
        &Self::TABLE[self as usize]
    }

    /// The stable snake_case name.
    pub const fn as_str(self) -> &'static str {
        self.properties().name
    }

    /// The kind of this name.
    pub fn from_name(name: &str) -> Option<ErrorKind> {
        Self::ALL.iter().copied().find(|kind| kind.as_str() == name)
    }

    /// The name most like a wrong one, for an error message.
    pub fn nearest_name(name: &str) -> Option<&'static str> {
        nearest(name, Self::TABLE.iter().map(|row| row.name))
    }

    /// An attempt's `reason` in elelem's words: one of its four, or the kind.
    pub fn reason(self) -> &'static str {
        match self {
            ErrorKind::Overloaded => ErrorKind::ServerError.as_str(),
            kind => kind.as_str(),
        }
    }
}

/// The kind of a provider failure by its code, else by four statuses; otherwise `None`.
///
/// elelem's `ProviderSentinel`: cross-provider checks work without knowing which provider
/// served the request.
pub fn provider_kind(status: Option<u16>, code: Option<&str>) -> Option<ErrorKind> {
    code.and_then(crate::classify::provider::kind_of_code).or(match status {
        Some(429) => Some(ErrorKind::RateLimited),
        Some(401) => Some(ErrorKind::Auth),
        Some(403) => Some(ErrorKind::Permission),
        Some(404) => Some(ErrorKind::NotFound),
        _ => None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_is_found_by_its_name_and_no_name_serves_two() {
        for &kind in ErrorKind::ALL {
            assert_eq!(ErrorKind::from_name(kind.as_str()), Some(kind));
        }
        assert_eq!(ErrorKind::ALL.len(), 37);
        assert_eq!(ErrorKind::from_name("nope"), None);
        assert_eq!(ErrorKind::nearest_name("rate_limit"), Some("rate_limited"));
    }

    #[test]
    fn seven_kinds_are_retryable_by_default() {
        let retryable: Vec<_> =
            ErrorKind::ALL.iter().filter(|kind| kind.properties().retryable).map(|kind| kind.as_str()).collect();
        assert_eq!(
            retryable,
            ["timeout", "transport", "rate_limited", "overloaded", "server_error", "conflict", "malformed_response"]
        );
    }

    #[test]
    fn provider_kind_asks_the_code_before_the_status() {
        assert_eq!(provider_kind(Some(429), Some("insufficient_quota")), Some(ErrorKind::QuotaExhausted));
        assert_eq!(provider_kind(Some(429), Some("new_code")), Some(ErrorKind::RateLimited));
        assert_eq!(provider_kind(Some(401), None), Some(ErrorKind::Auth));
        assert_eq!(provider_kind(Some(403), None), Some(ErrorKind::Permission));
        assert_eq!(provider_kind(Some(404), None), Some(ErrorKind::NotFound));
        assert_eq!(provider_kind(Some(500), None), None);
        assert_eq!(provider_kind(None, None), None);
    }
}
