//! What a failure is and whether it may be played again, before any count or clock is asked.
//!
//! The steps are asked in order, and the first that has an opinion decides: cancelled,
//! raised by the caller, transport, the server's veto, the provider's own code, the HTTP
//! status, nothing known. The verdict's `rule` names the step.

pub mod client;
pub mod json;
pub mod provider;
pub mod status;
pub mod transport;

use crate::clock::WallMs;
use crate::headers::Headers;
use crate::kind::ErrorKind;
use crate::policy::{BodyCodes, Policy};
use crate::retry_after::{self, Hint};
use crate::usage::Usage;
use provider::{BodyFacts, Given};

/// The header by which a server says whether to retry: OpenAI's and Anthropic's SDKs obey it.
pub const SHOULD_RETRY: &str = "x-should-retry";

/// Where an error came from.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Source {
    /// Our own call of `fetch`: an error of no known shape is presumed to be the connection's.
    Fetch,
    /// An operation of the caller's, which can fail in any way.
    #[default]
    Operation,
}

/// One error of a cause chain.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Link {
    /// The class or `name`.
    pub name: String,
    /// The message, unmasked.
    pub message: String,
    /// The runtime's code, such as `ECONNRESET`; empty for none.
    pub code: String,
    /// workerd: `retryable === true`.
    pub retryable: bool,
    /// workerd: `overloaded === true`.
    pub overloaded: bool,
}

/// A failure that the caller raised with a kind of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Raised {
    /// The kind.
    pub kind: ErrorKind,
    /// Where the caller overrides the kind's row of the table.
    pub retryable: Option<bool>,
}

impl Raised {
    /// What an error says that gives itself one of VernLLM's two types for a response that
    /// could not be used: the same response would be read the same way again.
    pub fn by_type(error_type: &str) -> Option<Raised> {
        let kind = match error_type {
            "parse" => ErrorKind::MalformedResponse,
            "validation" => ErrorKind::SchemaMismatch,
            _ => return None,
        };
        Some(Raised { kind, retryable: Some(false) })
    }
}

/// How an attempt that failed ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Ending {
    /// With a response, or an error that carries a response's status.
    #[default]
    Response,
    /// With an error and no verdict of a server.
    Error,
    /// By its own timeout.
    TimedOut,
    /// By the call's deadline.
    DeadlinePassed,
    /// With a 2xx whose body was cut short.
    Truncated,
    /// With a 2xx that is not what was asked for.
    Malformed,
    /// Because the caller's own signal aborted.
    Cancelled,
}

/// What is known of a failure.
#[derive(Clone, Debug, Default)]
pub struct Failure<'f> {
    /// How the attempt ended.
    pub ending: Ending,
    /// Where an error came from.
    pub source: Source,
    /// The HTTP status; `None` where no response came, or an opaque redirect.
    pub status: Option<u16>,
    /// The response was an opaque redirect.
    pub opaque_redirect: bool,
    /// The response's header fields.
    pub headers: Headers<'f>,
    /// The response's body, as far as it was read.
    pub body: &'f str,
    /// The error and its causes, outermost first.
    pub links: &'f [Link],
    /// What the caller says it is.
    pub raised: Option<Raised>,
}

/// What a failure is.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Verdict {
    /// Its kind.
    pub kind: ErrorKind,
    /// Whether it may be played again.
    pub retryable: bool,
    /// The provider's or the runtime's code.
    pub code: Option<String>,
    /// The server's wait hint, also when the failure is not retryable.
    pub hint: Option<Hint>,
    /// The step that decided.
    pub rule: &'static str,
    /// The provider, where the response gives it away or the policy names it.
    pub provider: Option<String>,
    /// The provider's message, unmasked.
    pub message: Option<String>,
    /// What the body says that it cost.
    pub usage: Option<Usage>,
}

/// Classifies a failure. `now` measures HTTP dates.
pub fn classify(failure: &Failure<'_>, policy: &Policy, now: WallMs) -> Verdict {
    let mut body = BodyFacts::read_behind(failure.status, failure.body);
    body.read_headers(failure.headers);
    let (kind, retryable, code, rule) = decide(failure, &body, policy);
    Verdict {
        kind,
        retryable,
        code: code.or_else(|| body.code()).map(str::to_owned),
        hint: retry_after::hint(failure.headers, &body.hints, kind, policy.hints.sources, now),
        rule,
        provider: policy.provider.as_deref().or(body.provider()).map(str::to_owned),
        usage: body.usage.usage(),
        // Without a response the error's own message says no less.
        message: body.message().filter(|_| failure.status.is_some() || failure.links.is_empty()).map(str::to_owned),
    }
}

type Decision<'d> = (ErrorKind, bool, Option<&'d str>, &'static str);

fn decide<'d>(failure: &'d Failure<'_>, body: &'d BodyFacts, policy: &Policy) -> Decision<'d> {
    match failure.ending {
        Ending::Cancelled => return (ErrorKind::Cancelled, false, None, "cancelled"),
        Ending::TimedOut => return (ErrorKind::Timeout, true, None, "timeout"),
        Ending::DeadlinePassed => return (ErrorKind::DeadlineExceeded, false, None, "deadline"),
        Ending::Truncated => return (ErrorKind::Transport, true, Some("truncated"), "transport"),
        Ending::Malformed => return (ErrorKind::MalformedResponse, true, None, "malformed"),
        Ending::Response | Ending::Error => {}
    }
    if let Some(raised) = failure.raised {
        let retryable = raised.retryable.unwrap_or(raised.kind.properties().retryable);
        return (raised.kind, retryable, raised_code(failure.links), "raised");
    }
    match failure.status {
        Some(status) => by_response(status, failure, body, policy),
        None if failure.opaque_redirect => (ErrorKind::Redirected, false, None, "status"),
        None => by_error(failure, body, policy),
    }
}

/// The code that a raised failure has itself, or that of the connection which broke under it.
fn raised_code(links: &[Link]) -> Option<&str> {
    let own = links.iter().find(|link| link.name == "RetryError" && !link.code.is_empty());
    own.map(|link| link.code.as_str()).or_else(|| transport::code(links))
}

/// An error without a status. Clients throw such ones also for a failure that a 200 told in
/// band: then the provider's code is there, or the headers beside what the body said.
fn by_error<'d>(failure: &'d Failure<'_>, body: &'d BodyFacts, policy: &Policy) -> Decision<'d> {
    if let Some(kind) = client::kind(failure.links) {
        return (kind, kind.properties().retryable, None, "raised");
    }
    if let Some(coded) = by_code(0, body, policy) {
        return coded;
    }
    if body.failed && failure.headers.iter().next().is_some() {
        return (ErrorKind::ServerError, true, None, "in_band");
    }
    match transport::finding(failure.links, failure.source, policy.permanent_transport) {
        Some((kind, code)) => (kind, kind.properties().retryable, code, "transport"),
        None => (ErrorKind::Unknown, policy.retry_unknown, None, "unknown"),
    }
}

/// An error that a client threw over a 2xx: its body broke off, or was not what it should be.
fn by_success<'d>(failure: &'d Failure<'_>) -> Decision<'d> {
    // Such classes quote the answer, whose words say nothing of a connection.
    let found = match client::kind(failure.links) {
        None => transport::finding(failure.links, failure.source, true),
        Some(_) => None,
    };
    match found {
        Some((kind @ (ErrorKind::Transport | ErrorKind::Timeout), code)) => (kind, true, code, "transport"),
        _ => (ErrorKind::MalformedResponse, true, None, "malformed"),
    }
}

/// Steps 2 to 4: veto, provider's code, status.
fn by_response<'d>(status: u16, failure: &'d Failure<'_>, body: &'d BodyFacts, policy: &Policy) -> Decision<'d> {
    let coded = by_code(status, body, policy);
    let decision = coded.unwrap_or_else(|| by_status(status, body, failure, policy));
    let says = if policy.should_retry_header { failure.headers.get(SHOULD_RETRY) } else { None };
    match says.as_deref().map(str::trim) {
        Some(says) if says.eq_ignore_ascii_case("false") => (decision.0, false, decision.2, "server_veto"),
        // A server that allows a retry overrules its status, never its own permanent code.
        Some(says) if says.eq_ignore_ascii_case("true") && coded.is_none() && status >= 400 => {
            (decision.0, true, decision.2, "server_allows")
        }
        _ => decision,
    }
}

fn by_code<'d>(status: u16, body: &'d BodyFacts, policy: &Policy) -> Option<Decision<'d>> {
    if policy.body_codes == BodyCodes::Ignore {
        return None;
    }
    let in_band = status < 300;
    if let Some(cause) = body.cause(Given { status, provider: policy.provider.as_deref() }) {
        let kind = cause.kind;
        let spent = matches!(kind, ErrorKind::QuotaExhausted | ErrorKind::SpendLimitReached);
        let by_row = cause.retryable.unwrap_or(kind.properties().retryable);
        let by_kind = by_row || (spent && policy.retry_quota);
        let by_status = in_band || policy.body_codes == BodyCodes::First || policy.statuses.retries(status);
        return Some((kind, by_kind && by_status, cause.code, "provider"));
    }
    if let Some(retryable) = body.says_retryable().filter(|_| status >= 400) {
        return Some((status::kind(status, false), retryable, None, "provider"));
    }
    // A number is a status only where the real one says nothing: 200 and the gateway's 5xx.
    let numeric = body.numeric().filter(|_| in_band || status >= 500)?;
    Some((status::kind(numeric, false), policy.statuses.retries(numeric), None, "provider"))
}

fn by_status<'d>(status: u16, body: &BodyFacts, failure: &'d Failure<'_>, policy: &Policy) -> Decision<'d> {
    if status < 300 && !body.failed && !failure.links.is_empty() {
        return by_success(failure);
    }
    if status < 300 && body.cut_short && !body.failed {
        return (ErrorKind::Transport, true, Some("truncated"), "transport");
    }
    if status < 300 {
        return (ErrorKind::ServerError, true, None, "in_band");
    }
    let kind = status::kind(status, failure.headers.get("location").is_some());
    match kind {
        ErrorKind::Unknown => (kind, policy.retry_unknown, None, "unknown"),
        ErrorKind::Redirected => (kind, false, None, "status"),
        _ => (kind, policy.statuses.retries(status), None, "status"),
    }
}

#[cfg(all(test, not(feature = "sabotage")))]
mod tests {
    use super::*;
    use crate::policy::Preset;

    const NOW: WallMs = WallMs(1_768_478_400_000);

    fn response(status: u16, headers: &str, body: &str) -> (&'static str, bool, &'static str) {
        under(&Policy::default(), status, headers, body)
    }

    fn under(policy: &Policy, status: u16, headers: &str, body: &str) -> (&'static str, bool, &'static str) {
        let failure = Failure { status: Some(status), headers: Headers::new(headers), body, ..Failure::default() };
        let verdict = classify(&failure, policy, NOW);
        (verdict.kind.as_str(), verdict.retryable, verdict.rule)
    }

    #[test]
    fn a_cancelled_call_is_cancelled_whatever_else_is_known() {
        let failure = Failure { ending: Ending::Cancelled, status: Some(503), ..Failure::default() };
        let verdict = classify(&failure, &Preset::VernLlm.policy(), NOW);
        assert_eq!((verdict.kind, verdict.retryable, verdict.rule), (ErrorKind::Cancelled, false, "cancelled"));
    }

    #[test]
    fn the_servers_veto_changes_retryable_and_not_the_kind() {
        assert_eq!(response(429, "x-should-retry\nFALSE", ""), ("rate_limited", false, "server_veto"));
        assert_eq!(response(400, "x-should-retry\ntrue", ""), ("bad_request", true, "server_allows"));
        let quota = r#"{"error":{"code":"insufficient_quota"}}"#;
        assert_eq!(response(429, "x-should-retry\ntrue", quota), ("quota_exhausted", false, "provider"));
        assert_eq!(response(429, "x-should-retry\nmaybe", ""), ("rate_limited", true, "status"));
        assert_eq!(under(&Preset::Elelem.policy(), 429, "x-should-retry\nfalse", ""), ("rate_limited", true, "status"));
    }

    #[test]
    fn a_permanent_code_stops_behind_any_status_and_an_unknown_one_falls_through() {
        let overflow = r#"{"error":{"code":"context_length_exceeded"}}"#;
        for status in [400, 429, 500, 503] {
            assert_eq!(response(status, "", overflow), ("context_exceeded", false, "provider"), "{status}");
        }
        assert_eq!(response(503, "", r#"{"error":{"code":"brand_new"}}"#), ("overloaded", true, "status"));
        assert_eq!(response(429, "", r#"{"error":{"type":"tokens","code":null}}"#), ("rate_limited", true, "status"));
        assert_eq!(response(429, "", "not json"), ("rate_limited", true, "status"));
    }

    #[test]
    fn body_codes_can_come_after_the_status_or_not_at_all() {
        let limited = r#"{"error":{"type":"rate_limit_error"}}"#;
        let quota = r#"{"error":{"code":"insufficient_quota"}}"#;
        assert_eq!(response(400, "", limited), ("rate_limited", true, "provider"));
        assert_eq!(under(&Preset::OneLlm.policy(), 400, "", limited), ("rate_limited", false, "provider"));
        assert_eq!(under(&Preset::OneLlm.policy(), 429, "", quota), ("quota_exhausted", false, "provider"));
        assert_eq!(under(&Preset::VernLlm.policy(), 429, "", quota), ("rate_limited", true, "status"));
    }

    #[test]
    fn a_failure_inside_a_200_is_classified_by_its_code_or_is_a_server_error() {
        assert_eq!(response(200, "", r#"{"error":{"code":502}}"#), ("server_error", true, "provider"));
        assert_eq!(response(200, "", r#"{"error":{"code":"429"}}"#), ("rate_limited", true, "provider"));
        assert_eq!(response(200, "", r#"{"error":{"code":400}}"#), ("bad_request", false, "provider"));
        assert_eq!(response(200, "", r#"{"error":{"message":"m"}}"#), ("server_error", true, "in_band"));
    }

    #[test]
    fn a_number_that_is_no_failed_status_is_an_unknown_code() {
        for code in ["0", "101", "200", "204", "302", "399", "600"] {
            let body = format!(r#"{{"error":{{"code":{code},"message":"m"}}}}"#);
            assert_eq!(response(503, "", &body), ("overloaded", true, "status"), "{code}");
            assert_eq!(response(500, "", &body), ("server_error", true, "status"), "{code}");
            assert_eq!(response(200, "", &body), ("server_error", true, "in_band"), "{code}");
        }
        assert_eq!(response(503, "", r#"{"code":"101"}"#), ("overloaded", true, "status"));
        assert_eq!(response(500, "", r#"{"error":{"code":400}}"#), ("bad_request", false, "provider"));
    }

    #[test]
    fn a_body_that_breaks_off_in_its_message_is_truncated_behind_a_200_and_told_by_its_words_elsewhere() {
        let cut = r#"{"error":{"message":"Your credit balance is too low. Try again in 5s or"#;
        assert_eq!(response(200, "", cut), ("transport", true, "transport"));
        assert_eq!(response(500, "", cut), ("quota_exhausted", false, "provider"));
        assert_eq!(response(429, "", cut), ("quota_exhausted", false, "provider"));
        let quoting = r#"{"error":{"message":"upstream: {\"error\":{\"code\":\"insufficient_quota\"}} and"#;
        assert_eq!(response(200, "", quoting), ("transport", true, "transport"));
        assert_eq!(response(502, "", quoting), ("quota_exhausted", false, "provider"));
        let coded = r#"{"error":{"code":502,"message":"Your credit balance is too low"#;
        assert_eq!(response(200, "", coded), ("server_error", true, "provider"));
        let of_exception = r#"{"throttlingException":{"message":"Rate exceeded for"#;
        assert_eq!(response(200, "", of_exception), ("transport", true, "transport"));
        assert_eq!(response(400, "", of_exception), ("rate_limited", true, "provider"));
        let failure = |status| Failure { status: Some(status), body: cut, ..Failure::default() };
        let read = |status| classify(&failure(status), &Policy::default(), NOW);
        assert_eq!((read(200).message, read(200).code.as_deref()), (None, Some("truncated")));
        assert_eq!(read(429).hint.map(|hint| hint.delay.get()), Some(5000));
    }

    #[test]
    fn a_number_in_the_body_counts_behind_200_and_5xx_only() {
        let body = r#"{"error":{"code":400}}"#;
        assert_eq!(response(502, "", body), ("bad_request", false, "provider"));
        assert_eq!(response(429, "", body), ("rate_limited", true, "status"));
    }

    fn thrown(
        status: Option<u16>,
        headers: &str,
        body: &str,
        name: &str,
        message: &str,
    ) -> (&'static str, &'static str) {
        let links = [Link { name: name.to_owned(), message: message.to_owned(), ..Link::default() }];
        let headers = Headers::new(headers);
        let failure = Failure { status, headers, body, links: &links, ending: Ending::Error, ..Failure::default() };
        let verdict = classify(&failure, &Policy::default(), NOW);
        (verdict.kind.as_str(), verdict.rule)
    }

    #[test]
    fn an_error_without_a_status_is_judged_by_its_class_then_its_code_then_the_connection() {
        let quota = r#"{"error":{"code":"insufficient_quota"}}"#;
        let error = |body, name, message| thrown(None, "", body, name, message);
        assert_eq!(error(quota, "AI_TypeValidationError", "fetch failed"), ("schema_mismatch", "raised"));
        assert_eq!(error(quota, "Error", "fetch failed"), ("quota_exhausted", "provider"));
        assert_eq!(error(r#"{"error":{"code":429}}"#, "Error", ""), ("rate_limited", "provider"));
        assert_eq!(error(r#"{"error":{"code":211}}"#, "Error", "fetch failed"), ("transport", "transport"));
        assert_eq!(error(r#"{"error":{"code":"brand_new"}}"#, "Error", ""), ("unknown", "unknown"));
    }

    #[test]
    fn an_unknown_failure_beside_headers_is_one_inside_a_stream_that_began_with_200() {
        let body = r#"{"error":{"code":"brand_new"}}"#;
        assert_eq!(thrown(None, "date\nx", body, "Error", ""), ("server_error", "in_band"));
        assert_eq!(thrown(None, "date\nx", "", "Error", ""), ("unknown", "unknown"));
    }

    #[test]
    fn an_error_over_a_2xx_is_what_broke_it_off_or_a_malformed_answer() {
        let error = |body, name, message| thrown(Some(200), "", body, name, message);
        assert_eq!(error("", "Error", "terminated"), ("transport", "transport"));
        assert_eq!(error("{}", "TypeError", "x is not a function"), ("malformed_response", "malformed"));
        assert_eq!(error("{}", "AI_JSONParseError", "terminated"), ("malformed_response", "malformed"));
        assert_eq!(error(r#"{"error":{"message":"m"}}"#, "Error", "terminated"), ("server_error", "in_band"));
    }

    #[test]
    fn a_redirect_is_never_retried() {
        let policy = Preset::VernLlm.policy();
        assert_eq!(under(&policy, 307, "location\nhttps://other.example/", ""), ("redirected", false, "status"));
        let opaque = Failure { opaque_redirect: true, ..Failure::default() };
        assert_eq!(classify(&opaque, &policy, NOW).kind, ErrorKind::Redirected);
    }

    #[test]
    fn what_the_caller_raises_follows_the_table_unless_it_says_otherwise() {
        let raised = |kind, retryable| {
            let failure = Failure { raised: Some(Raised { kind, retryable }), ..Failure::default() };
            classify(&failure, &Policy::default(), NOW).retryable
        };
        assert!(raised(ErrorKind::Overloaded, None));
        assert!(!raised(ErrorKind::SchemaMismatch, None));
        assert!(raised(ErrorKind::SchemaMismatch, Some(true)));
        assert!(!raised(ErrorKind::Timeout, Some(false)));
        for (name, kind) in [("parse", ErrorKind::MalformedResponse), ("validation", ErrorKind::SchemaMismatch)] {
            assert_eq!(Raised::by_type(name), Some(Raised { kind, retryable: Some(false) }));
        }
        assert_eq!(Raised::by_type("api"), None);
    }

    #[test]
    fn what_the_caller_raises_keeps_its_code_or_that_of_the_connection_under_it() {
        let link = |name: &str, code: &str| Link { name: name.to_owned(), code: code.to_owned(), ..Link::default() };
        let code = |links: &[Link]| {
            let raised = Some(Raised { kind: ErrorKind::Transport, retryable: None });
            classify(&Failure { raised, links, ..Failure::default() }, &Policy::default(), NOW).code
        };
        let reset = link("Error", "ECONNRESET");
        let wrapped = [link("AppError", "ERR_APP"), link("RetryError", "own"), reset.clone()];
        assert_eq!(code(&wrapped).as_deref(), Some("own"));
        assert_eq!(code(&[link("RetryError", ""), reset]).as_deref(), Some("ECONNRESET"));
        assert_eq!(code(&[link("RetryError", ""), link("AppError", "ERR_APP")]), None);
    }

    #[test]
    fn a_hint_is_reported_beside_any_verdict() {
        let failure = Failure { status: Some(401), headers: Headers::new("retry-after\n0"), ..Failure::default() };
        let verdict = classify(&failure, &Policy::default(), NOW);
        assert_eq!(verdict.hint.map(|hint| hint.delay.get()), Some(0));
        assert!(!verdict.retryable);
    }

    #[test]
    fn each_preset_retries_the_statuses_of_its_page() {
        let retried = |policy: &Policy| (400..600).filter(|s| under(policy, *s, "", "").1).collect::<Vec<_>>();
        assert_eq!(retried(&Preset::OneLlm.policy()), [408, 429, 500, 502, 503, 504, 529]);
        let elelem: Vec<u16> = std::iter::once(429).chain(500..600).collect();
        assert_eq!(retried(&Preset::Elelem.policy()), elelem);
        let vernllm: Vec<u16> = (400..600).filter(|s| ![400, 401, 403, 404, 422].contains(s)).collect();
        assert_eq!(retried(&Preset::VernLlm.policy()), vernllm);
        let ours: Vec<u16> = [408, 409, 425, 429]
            .into_iter()
            .chain((500..600).filter(|s| ![501, 505, 506, 510, 511, 525, 526].contains(s)))
            .collect();
        assert_eq!(retried(&Policy::default()), ours);
    }
}
