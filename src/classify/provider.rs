//! What a provider says in the body: its own code, more exact than any status.

use super::json::{self, Scalar, Shape};
use crate::kind::ErrorKind;

/// What a failed body, or the body of a 200 that failed in band, says of the failure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BodyFacts {
    /// The provider's codes, the most specific first.
    pub codes: Vec<String>,
    /// The provider's message, unmasked.
    pub message: Option<String>,
    /// Whether the body has an error in it.
    pub failed: bool,
}

/// Where a code can stand, the most specific place first.
const CODE_PLACES: &[&[&str]] = &[
    &["error", "details", "error_code"],
    &["error", "innererror", "code"],
    &["error", "code"],
    &["error", "type"],
    &["error", "status"],
    &["code"],
    &["type"],
];

/// Where a message can stand.
const MESSAGE_PLACES: &[&[&str]] = &[&["error", "message"], &["message"], &["error"], &["detail"]];

/// Codes that have one meaning wherever they are sent.
const CODES: &[(ErrorKind, &[&str])] = &[
    (ErrorKind::ContextExceeded, &["context_length_exceeded", "string_above_max_length"]),
    (ErrorKind::QuotaExhausted, &["insufficient_quota", "billing_hard_limit_reached", "billing_error"]),
    (ErrorKind::SpendLimitReached, &["enforced_spend_limit_reached", "contract_spend_limit_reached"]),
    (ErrorKind::ContentFiltered, &["content_filter", "content_policy_violation"]),
    (ErrorKind::ModelNotFound, &["model_not_found"]),
    (ErrorKind::RateLimited, &["rate_limit_exceeded", "rate_limit_error"]),
    (ErrorKind::Overloaded, &["overloaded_error"]),
    (ErrorKind::Auth, &["invalid_api_key", "authentication_error"]),
    (ErrorKind::Permission, &["permission_error"]),
    (ErrorKind::NotFound, &["not_found_error"]),
    (ErrorKind::RequestTooLarge, &["request_too_large"]),
    (ErrorKind::ServerError, &["server_error", "api_error"]),
    (ErrorKind::Timeout, &["timeout_error"]),
];

/// How messages begin whose cause has no code of its own.
const OPENINGS: &[(ErrorKind, &str)] =
    &[(ErrorKind::SpendLimitReached, "You have reached your specified API usage limits")];

/// The kind that a code names; `None` for a code that says nothing of its own.
pub fn kind_of_code(code: &str) -> Option<ErrorKind> {
    CODES.iter().find(|(_, codes)| codes.contains(&code)).map(|(kind, _)| *kind)
}

impl BodyFacts {
    /// Reads a body, which may be cut short or anything but JSON.
    pub fn read(body: &str) -> BodyFacts {
        let mut facts = BodyFacts::default();
        let mut codes: [Option<String>; CODE_PLACES.len()] = Default::default();
        let mut messages: [Option<String>; MESSAGE_PLACES.len()] = Default::default();
        json::walk(body, &mut |keys, scalar| {
            // Some gateways put the one error in an array.
            let keys = if let ["[]", inner @ ..] = keys { inner } else { keys };
            facts.failed |= keys.first() == Some(&"error") && says_something(keys, &scalar);
            let place_of = |places: &[&[&str]]| places.iter().position(|place| *place == keys);
            let text = match scalar {
                Scalar::Text(text) => text.into_owned(),
                Scalar::Number(number) => number.to_owned(),
                Scalar::Flag(_) | Scalar::Null => return,
            };
            if let Some(slot) = place_of(MESSAGE_PLACES).and_then(|i| messages.get_mut(i)) {
                slot.get_or_insert_with(|| text.clone());
            }
            if let Some(slot) = place_of(CODE_PLACES).and_then(|i| codes.get_mut(i)) {
                slot.get_or_insert(text);
            }
        });
        facts.codes = codes.into_iter().flatten().filter(|code| !code.is_empty()).collect();
        facts.message = messages.into_iter().flatten().next();
        facts
    }

    /// The kind that the body names, and the code that named it.
    pub fn kind(&self) -> Option<(ErrorKind, Option<&str>)> {
        let coded = self.codes.iter().find_map(|code| kind_of_code(code).map(|kind| (kind, Some(code.as_str()))));
        coded.or_else(|| {
            let message = self.message.as_deref()?;
            OPENINGS.iter().find(|(_, opening)| message.starts_with(opening)).map(|(kind, _)| (*kind, None))
        })
    }

    /// The first code that is a number an HTTP status can be.
    pub fn numeric(&self) -> Option<u16> {
        self.codes.iter().find_map(|code| code.parse().ok().filter(|status| (100..600).contains(status)))
    }
}

/// Whether a scalar at or below `error` states a failure: `null`, flags and empty texts do not.
fn says_something(keys: &[&str], scalar: &Scalar<'_>) -> bool {
    match scalar {
        Scalar::Text(text) => !text.is_empty(),
        Scalar::Number(_) => keys.len() > 1,
        Scalar::Flag(_) | Scalar::Null => false,
    }
}

/// What the body of a 2xx JSON answer turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inspection {
    /// An answer.
    Fine,
    /// A failure, told in band.
    Failed,
    /// The beginning of an answer.
    CutShort,
    /// Not JSON.
    NotJson,
}

/// Inspects the body of a 2xx JSON answer.
///
/// A JSON-RPC answer is fine whatever it says: its errors are the application's.
pub fn inspect(body: &str) -> Inspection {
    let mut rpc = false;
    let mut failed = false;
    let shape = json::walk(body, &mut |keys, scalar| match keys {
        ["jsonrpc"] => rpc = true,
        ["error", ..] => failed |= says_something(keys, &scalar),
        _ => {}
    });
    match shape {
        Shape::NotJson => Inspection::NotJson,
        _ if failed && !rpc => Inspection::Failed,
        Shape::CutShort => Inspection::CutShort,
        Shape::Whole => Inspection::Fine,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(body: &str) -> Option<&'static str> {
        BodyFacts::read(body).kind().map(|(kind, _)| kind.as_str())
    }

    #[test]
    fn a_code_is_found_wherever_it_stands() {
        assert_eq!(
            kind(r#"{"error":{"message":"m","type":"insufficient_quota","code":null}}"#),
            Some("quota_exhausted")
        );
        assert_eq!(kind(r#"{"type":"error","error":{"type":"overloaded_error","message":"m"}}"#), Some("overloaded"));
        assert_eq!(kind(r#"[{"error":{"code":"context_length_exceeded"}}]"#), Some("context_exceeded"));
        assert_eq!(kind(r#"{"code":"rate_limit_exceeded","message":"m"}"#), Some("rate_limited"));
    }

    #[test]
    fn the_most_specific_code_wins_and_an_unknown_one_says_nothing() {
        let body = r#"{"error":{"type":"rate_limit_error","details":{"error_code":"enforced_spend_limit_reached"}}}"#;
        assert_eq!(kind(body), Some("spend_limit_reached"));
        assert_eq!(kind(r#"{"error":{"code":"brand_new","type":"rate_limit_error"}}"#), Some("rate_limited"));
        assert_eq!(kind(r#"{"error":{"code":"brand_new","type":"invalid_request_error"}}"#), None);
    }

    #[test]
    fn a_message_tells_what_has_no_code() {
        let body = r#"{"type":"error","error":{"type":"invalid_request_error","message":"You have reached your specified API usage limits. You will regain access on 2026-09-01."}}"#;
        assert_eq!(kind(body), Some("spend_limit_reached"));
    }

    #[test]
    fn messages_and_numbers_are_read_from_any_shape() {
        let read = BodyFacts::read;
        assert_eq!(read(r#"{"error":"model is loading"}"#).message.as_deref(), Some("model is loading"));
        assert_eq!(read(r#"{"detail":"no"}"#).message.as_deref(), Some("no"));
        assert_eq!(read(r#"{"error":{"code":502,"message":"x"}}"#).numeric(), Some(502));
        assert_eq!(read(r#"{"error":{"code":"429"}}"#).numeric(), Some(429));
        assert_eq!(read(r#"{"error":{"code":-32601}}"#).numeric(), None);
        assert_eq!(read("<html>502 Bad Gateway</html>"), BodyFacts::default());
        assert_eq!(read(r#"{"error":{"message":"cut he"#).message, None);
    }

    #[test]
    fn a_2xx_body_fails_only_when_it_says_so() {
        for (body, expected) in [
            (r#"{"error":{"code":502,"message":"m"}}"#, Inspection::Failed),
            (r#"{"error":{"code":"429"}}"#, Inspection::Failed),
            (r#"{"error":"loading"}"#, Inspection::Failed),
            (r#"{"error":null,"choices":[{}]}"#, Inspection::Fine),
            (r#"{"error":{}}"#, Inspection::Fine),
            (r#"{"error":""}"#, Inspection::Fine),
            (r#"{"error":false}"#, Inspection::Fine),
            (r#"{"error":0}"#, Inspection::Fine),
            (r#"{"choices":[]}"#, Inspection::Fine),
            (r#"{"choices":[{"message":{"error":{"code":1}}}]}"#, Inspection::Fine),
            (r#"{"jsonrpc":"2.0","error":{"code":-32601,"message":"m"}}"#, Inspection::Fine),
            (r#"{"choices":[{"mess"#, Inspection::CutShort),
            (r#"{"error":{"code":500},"x"#, Inspection::Failed),
            ("", Inspection::NotJson),
            ("<html>", Inspection::NotJson),
        ] {
            assert_eq!(inspect(body), expected, "{body}");
        }
    }
}
