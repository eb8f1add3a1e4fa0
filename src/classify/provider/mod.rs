//! What a provider says in the body: its own code, more exact than any status.
//!
//! Three things are kept apart: where in a body codes and messages stand ([`BodyFacts::read`]),
//! what each code means (`families`, one file a provider), and which causes without a code
//! are told by the wording of a message (`wording`).

mod families;
mod index;
mod inspect;
mod read;
mod wording;

pub use index::{Meaning, Weight, all_codes, meaning, meaning_at};
pub use inspect::{Inspection, Signs, breaks_off, inspect};

use crate::headers::Headers;
use crate::kind::ErrorKind;
use crate::retry_after::BodyHints;
use crate::scan;
use crate::usage::UsageReader;
use families::FAMILIES;

/// What a failed body, or the body of a 200 that failed in band, says of the failure.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BodyFacts {
    /// The provider's codes, the most specific first.
    pub codes: Vec<String>,
    /// How specific each of them is.
    ranks: Vec<u8>,
    /// What it says in words, unmasked, without the errors that it quotes.
    pub messages: Vec<String>,
    /// The whole of a message that quotes another error.
    quoting: Option<String>,
    /// What it says of the wait.
    pub hints: BodyHints,
    /// What it says of tokens.
    pub usage: UsageReader,
    /// Whether the body has an error in it.
    pub failed: bool,
    /// Whether it is the beginning of a JSON value.
    pub cut_short: bool,
    /// Whether it is the body of a 2xx.
    of_answer: bool,
    /// The family that its shape or the response's headers give away.
    family: Option<&'static str>,
    /// Why the answer ended.
    finish: Option<String>,
    /// Whether a quota is spent whose window is a day.
    daily: bool,
    /// The body's own word for whether to retry.
    says_retryable: Option<bool>,
}

/// What decides beside the body.
#[derive(Clone, Copy, Debug, Default)]
pub struct Given<'g> {
    /// The HTTP status.
    pub status: u16,
    /// The provider's name, where the caller gives one.
    pub provider: Option<&'g str>,
}

/// What a failure comes from, as its provider tells it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cause<'c> {
    /// The kind.
    pub kind: ErrorKind,
    /// The code that named it; `None` where words did.
    pub code: Option<&'c str>,
    /// Whether it is retried, where not as the kind's row says.
    pub retryable: Option<bool>,
}

/// The kind that a code names; `None` for a code that says nothing of its own.
pub fn kind_of_code(code: &str) -> Option<ErrorKind> {
    match meaning(code) {
        Some(meaning) => Some(meaning.kind).filter(|_| meaning.weight != Weight::Anything),
        None => {
            let mut reader = wording::Reader::new(false, false, false);
            reader.read(code, true);
            reader.kind()
        }
    }
}

/// What a code of no table says by a word in it that only speaks of the request: nothing where a
/// status speaks.
fn of_request(code: &str) -> Option<Meaning> {
    let speaks = ["invalid", "unsupported", "image"].iter().any(|word| scan::contains(code, word));
    speaks.then_some(Meaning { kind: ErrorKind::BadRequest, weight: Weight::Anything, retryable: None })
}

/// Header fields in which a code stands, the last two in frames of an event stream.
const CODE_FIELDS: [&str; 3] = ["x-amzn-errortype", ":exception-type", ":error-code"];
/// The field in which GitHub names the quota that is spent.
const QUOTA_FIELD: &str = "x-ratelimit-type";

impl BodyFacts {
    /// Takes what header fields say: a code, and by their names whose response it is.
    pub fn read_headers(&mut self, headers: Headers<'_>) {
        let mut best = FAMILIES.len();
        for (name, value) in headers.iter() {
            let is = |field: &str| name.len() == field.len() && name.eq_ignore_ascii_case(field);
            if CODE_FIELDS.iter().any(|field| is(field)) {
                self.add_code(3, value);
            } else if is(QUOTA_FIELD) {
                self.daily |= read::is_daily(value);
            }
            let mut rest = name;
            let mut start = scan::cut(&mut rest, b'-').unwrap_or("");
            if start.eq_ignore_ascii_case("x") {
                start = scan::part(name, 0, 2 + scan::find(rest, b'-').unwrap_or(rest.len()));
            }
            if let Some(at) = index::value(index::HEADER, &[start]) {
                best = best.min(usize::from(at));
            }
        }
        if let Some(family) = FAMILIES.get(best) {
            self.family = Some(family.name);
        }
    }

    /// The provider, where the body's shape or the response's headers give it away.
    pub fn provider(&self) -> Option<&'static str> {
        self.family
    }

    /// The provider's message, unmasked.
    pub fn message(&self) -> Option<&str> {
        let told = self.messages.iter().find(|message| !message.is_empty());
        self.quoting.as_ref().or(told).map(String::as_str)
    }

    /// The code to show: the most specific that is more than a number.
    pub fn code(&self) -> Option<&str> {
        let named = self.codes.iter().find(|code| !code.bytes().all(|byte| byte.is_ascii_digit()));
        named.or(self.codes.first()).map(String::as_str)
    }

    /// What the failure comes from, if codes or words tell it.
    ///
    /// A code that names one cause comes first, then words that do, then the class that a
    /// code names, and inside a 200, where no status speaks, what is put on everything.
    pub fn cause(&self, given: Given<'_>) -> Option<Cause<'_>> {
        let in_band = given.status < 300;
        let family = given.provider.and_then(index::family_named).map(|family| family.name).or(self.family);
        if self.daily {
            return Some(Cause { kind: ErrorKind::QuotaExhausted, code: self.code(), retryable: None });
        }
        let meaning_of = |code: &str| family.and_then(|family| meaning_at(family, code)).or_else(|| meaning(code));
        let mut class: Option<Cause<'_>> = None;
        let mut anything: Option<Cause<'_>> = None;
        for code in &self.codes {
            let Some(meaning) = meaning_of(code).or_else(|| of_request(code).filter(|_| in_band)) else { continue };
            let cause = Cause { kind: meaning.kind, code: Some(&**code), retryable: meaning.retryable };
            match meaning.weight {
                Weight::Cause => return Some(cause),
                Weight::Class => class = class.or(Some(cause)),
                Weight::Anything => anything = anything.or(Some(cause)),
            }
        }
        let lookup = given.status == 404 || class.is_some_and(|class| class.kind == ErrorKind::NotFound);
        // Google says "current quota" of a minute's as well, also where a router quotes it.
        let google = family == Some("google") || self.codes.iter().any(|code| code == "RESOURCE_EXHAUSTED");
        let mut reader = wording::Reader::new(lookup, in_band, google);
        // A code of no table is made of words too.
        for code in self.codes.iter().filter(|code| meaning_of(code).is_none()) {
            reader.read(code, true);
        }
        let named = reader.kind();
        for message in &self.messages {
            reader.read(message, false);
        }
        let of = |kind: ErrorKind, code, retryable| Cause { kind, code, retryable };
        let is_class = |kind| class.is_some_and(|class| class.kind == kind);
        let limited = given.status == 429 || is_class(ErrorKind::RateLimited);
        // Where words of a cause stand innocently: advice beside a limit or an empty balance,
        // the names and texts that a faulty request is told of, a stack trace.
        let is_likely = |kind: &ErrorKind| match kind {
            ErrorKind::ContextExceeded => !limited && given.status != 402,
            ErrorKind::Overloaded => in_band || given.status == 429 || given.status >= 498,
            ErrorKind::ModelNotFound => given.status < 500 && !is_class(ErrorKind::Permission),
            _ => true,
        };
        let worded = reader.kind().filter(is_likely).or(named).map(|kind| of(kind, None, None));
        let quoted = reader.class.map(|meaning| of(meaning.kind, None, meaning.retryable));
        let says_more = |cause: &Cause<'_>| match cause.kind {
            // Any failed status says more than "server error".
            ErrorKind::ServerError => in_band,
            // A rate limit that answers with 413 is one that no waiting satisfies.
            ErrorKind::RateLimited => given.status != 413,
            _ => true,
        };
        if let Some(cause) = [worded, class, quoted].into_iter().flatten().find(says_more) {
            return Some(cause);
        }
        if !in_band {
            // The one status that means something of its own at two providers.
            let own = meaning_at(family.filter(|_| given.status == 498)?, "498")?;
            return Some(of(own.kind, None, own.retryable));
        }
        let finish = self.finish.as_deref();
        let ended = finish.and_then(|reason| meaning_at("finish", reason));
        ended.map(|meaning| of(meaning.kind, finish, meaning.retryable)).or(anything)
    }

    /// The first code that is a number the HTTP status of a failure can be.
    pub fn numeric(&self) -> Option<u16> {
        self.codes.iter().find_map(|code| code.parse().ok().filter(|status| (400..600).contains(status)))
    }

    /// The body's own word for whether to retry: Cloudflare's edge gives it.
    pub fn says_retryable(&self) -> Option<bool> {
        self.says_retryable.filter(|_| self.family == Some("cloudflare"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kind(body: &str) -> Option<&'static str> {
        at(400, body)
    }

    fn at(status: u16, body: &str) -> Option<&'static str> {
        BodyFacts::read(body).cause(Given { status, provider: None }).map(|cause| cause.kind.as_str())
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
    fn a_body_of_any_form_is_read() {
        let error = r#"{"error":{"code":"insufficient_quota","message":"m"}}"#;
        let quoted = error.replace('"', "\\\"");
        for body in [
            error.to_owned(),
            format!("\u{feff}\r\n {error}"),
            format!("[{error}]"),
            format!("\"{quoted}\""),
            format!("{{\"error\":\"{quoted}\"}}"),
            format!("{{\"error\":{{\"message\":\"upstream said {quoted}\",\"code\":500}}}}"),
            format!("{{\"detail\":{error}}}"),
            format!("data: {error}\n\n"),
            format!(": comment\n\nevent: error\ndata: {error}\n\ndata: [DONE]\n\n"),
            format!("data: {{\"choices\":[]}}\r\n\r\ndata: {error}\r\n\r\n"),
            format!("{{\"done\":false}}\n{error}\n"),
            format!("Error code: 429 - {}", "{'error': {'code': 'insufficient_quota', 'param': None}}"),
            error[..error.len() - 15].to_owned(),
        ] {
            assert_eq!(kind(&body), Some("quota_exhausted"), "{body}");
        }
        for body in ["", "<html>insufficient_quota</html>", "{\"error\":{\"code\":\"insufficient_quo", "[DONE]", "null"]
        {
            assert_eq!(kind(body), None, "{body}");
        }
    }

    #[test]
    fn a_code_may_stand_where_others_have_the_message_and_in_xml() {
        assert_eq!(at(200, r#"{"ok":false,"error":"ratelimited"}"#), Some("rate_limited"));
        assert_eq!(at(200, r#"{"ok":false,"error":"invalid_auth"}"#), Some("auth"));
        assert_eq!(at(200, r#"{"ok":false,"error":"invalid_of_a_new_kind"}"#), Some("bad_request"));
        assert_eq!(at(200, r#"{"errors":[{"message":"m","extensions":{"code":"UNAUTHENTICATED"}}]}"#), Some("auth"));
        assert_eq!(at(200, r#"{"Response":{"Error":{"Code":"RequestLimitExceeded"}}}"#), Some("rate_limited"));
        assert_eq!(at(200, r#"{"error_code":17,"error_msg":"daily request limit reached"}"#), Some("quota_exhausted"));
        let xml =
            |code: &str| format!("<?xml version=\"1.0\"?>\n<Error><Code>{code}</Code><Message>m</Message></Error>");
        assert_eq!(at(400, &xml("Throttling")), Some("rate_limited"));
        for page in ["<html><code>Throttling</code></html>", "<Error><Code>", "<Error>", "<error><code></error>"] {
            assert_eq!(at(400, page), None, "{page}");
        }
    }

    #[test]
    fn a_name_is_known_however_it_is_escaped() {
        for body in [
            r#"{"error":{"\u0063ode":"insufficient_quota"}}"#,
            r#"{"\u0065rror":{"co\u0064e":"insufficient\u005fquota"}}"#,
            r#"{"error":{"messag\u0065":"Your credit balance is too low"}}"#,
            r#"{"error":{"message":"upstream: {\"\\u0063ode\":\"insufficient_quota\"}"}}"#,
        ] {
            assert_eq!(kind(body), Some("quota_exhausted"), "{body}");
        }
        let groq = BodyFacts::read(r#"{"x_gro\u0071":{"error":{"code":"new"}}}"#);
        assert_eq!((groq.codes, groq.failed), (vec!["new".to_owned()], true));
    }

    #[test]
    fn words_of_a_message_that_was_cut_count_and_a_code_that_was_does_not() {
        let words = "Your credit balance is too low";
        for body in [
            format!(r#"{{"error":{{"message":"{words}"#),
            format!(r#"{{"error":"{words}. Please top\u0"#),
            format!(r#"[{{"error":{{"type":"brand_new","message":"{words}, caf\u00e"#),
            format!("data: {{\"error\":{{\"message\":\"{words}"),
            format!("\"{words}"),
            format!(r#"{{"error":{{"message":"upstream said {{\"error\":{{\"message\":\"{words}"#),
            r#"{"error":{"message":"upstream said {\"code\":\"insufficient_quota\",\"mess"#.to_owned(),
        ] {
            assert_eq!(kind(&body), Some("quota_exhausted"), "{body}");
        }
        for body in [
            r#"{"error":{"code":"insufficient_quota"#,
            r#"{"error":{"code":"credit balance too low"#,
            r#"{"error":{"details":[{"violations":[{"quotaId":"RequestsPerDay"#,
            r#"{"error":{"message":"m"},"Your credit balance is too low"#,
            r#"{"user":"Your credit balance is too low"#,
        ] {
            assert_eq!((kind(body), BodyFacts::read(body).codes.len()), (None, 0), "{body}");
        }
        // A code that goes on is another one at the provider of that shape.
        assert_eq!(at(400, r#"{"object":"error","code":"1500"#), None);
        assert_eq!(BodyFacts::read(r#"{"message":"m","request_id":"req_1"#).provider(), None);
    }

    #[test]
    fn the_most_specific_code_wins_and_an_unknown_one_says_nothing() {
        let body = r#"{"error":{"type":"rate_limit_error","details":{"error_code":"enforced_spend_limit_reached"}}}"#;
        assert_eq!(kind(body), Some("spend_limit_reached"));
        assert_eq!(kind(r#"{"error":{"code":"brand_new","type":"rate_limit_error"}}"#), Some("rate_limited"));
        assert_eq!(kind(r#"{"error":{"code":"brand_new","type":"invalid_request_error"}}"#), None);
    }

    #[test]
    fn words_say_more_than_a_class_and_less_than_a_cause() {
        let body =
            |code: &str| format!(r#"{{"error":{{"code":"{code}","message":"Your credit balance is too low"}}}}"#);
        assert_eq!(kind(&body("permission_error")), Some("quota_exhausted"));
        assert_eq!(kind(&body("content_filter")), Some("content_filtered"));
    }

    #[test]
    fn what_is_put_on_everything_counts_only_inside_a_200() {
        let body = r#"{"error":{"type":"invalid_request_error","message":"m"}}"#;
        assert_eq!(at(200, body), Some("bad_request"));
        assert_eq!(at(429, body), None);
        assert_eq!(at(500, r#"{"error":{"type":"server_error"}}"#), None, "the status says more");
        assert_eq!(at(200, r#"{"error":{"type":"server_error"}}"#), Some("server_error"));
        assert_eq!(at(413, r#"{"error":{"code":"rate_limit_exceeded"}}"#), None);
    }

    #[test]
    fn words_of_a_cause_do_not_count_where_they_stand_innocently() {
        let advice = r#"{"error":{"type":"rate_limit_error","message":"Reduce the prompt length or the maximum."}}"#;
        assert_eq!(at(429, advice), Some("rate_limited"));
        assert_eq!(at(200, advice), Some("rate_limited"));
        assert_eq!(at(402, r#"{"error":{"message":"Prompt tokens limit exceeded: 9 > 7"}}"#), None);
        let overloaded = r#"{"error":{"message":"overloaded functions have no schema"}}"#;
        assert_eq!((at(400, overloaded), at(503, overloaded)), (None, Some("overloaded")));
        let missing = r#"{"error":{"message":"model not found in the registry"}}"#;
        assert_eq!((at(500, missing), at(400, missing)), (None, Some("model_not_found")));
        let denied = r#"{"error":{"status":"PERMISSION_DENIED","message":"Denied on models/m, or it may not exist"}}"#;
        assert_eq!(at(403, denied), Some("permission"));
    }

    #[test]
    fn a_code_of_no_table_is_read_by_its_words() {
        for (code, kind) in [
            ("team_spend_limit_reached", "spend_limit_reached"),
            ("user_credits_exhausted", "quota_exhausted"),
            ("prompt_too_long", "context_exceeded"),
            ("backend_overloaded", "overloaded"),
        ] {
            for status in [400, 429, 500] {
                assert_eq!(at(status, &format!(r#"{{"error":{{"code":"{code}"}}}}"#)), Some(kind), "{code}");
            }
            assert_eq!(kind_of_code(code).map(ErrorKind::as_str), Some(kind), "{code}");
        }
        assert_eq!(kind_of_code("ProvisionedThroughputExceededException"), Some(ErrorKind::RateLimited));
        assert_eq!(kind_of_code("InputTextSensitiveContentDetected"), Some(ErrorKind::ContentFiltered));
        assert_eq!(kind_of_code("Throttling.Api.OfATenant"), Some(ErrorKind::RateLimited));
        assert_eq!(kind_of_code("Throttling.AllocationQuota"), Some(ErrorKind::RateLimited));
        assert_eq!(kind_of_code("AllocationQuota.FreeTierOnly"), Some(ErrorKind::QuotaExhausted));
        assert_eq!(kind_of_code("BrandNew.Throttling"), None);
        assert_eq!(at(200, r#"{"error":{"code":"image_of_a_new_kind"}}"#), Some("bad_request"));
        assert_eq!(at(500, r#"{"error":{"code":"image_of_a_new_kind"}}"#), None);
    }

    #[test]
    fn a_number_means_what_the_provider_of_that_shape_means() {
        assert_eq!(at(429, r#"{"errors":[{"code":3036}],"success":false}"#), Some("quota_exhausted"));
        assert_eq!(at(400, r#"{"object":"error","code":"1500","message":"m"}"#), Some("model_not_found"));
        assert_eq!(at(429, r#"{"error":{"code":"1113","message":"m"}}"#), Some("quota_exhausted"));
        assert_eq!(at(200, r#"{"base_resp":{"status_code":1008}}"#), Some("quota_exhausted"));
        assert_eq!(at(429, r#"{"error":{"code":3036}}"#), None);
    }

    #[test]
    fn the_callers_word_decides_what_one_code_means_at_two_providers() {
        let of = |provider| {
            let given = Given { status: 498, provider: Some(provider) };
            BodyFacts::read(r#"{"message":"m"}"#).cause(given).map(|cause| cause.kind.as_str())
        };
        assert_eq!(of("cohere"), Some("auth"));
        assert_eq!(of("groq"), Some("overloaded"));
        assert_eq!(of("acme"), None);
    }

    #[test]
    fn a_provider_is_named_only_where_it_is_unmistakable() {
        let by = |headers: &'static str, body: &'static str| {
            let mut facts = BodyFacts::read(body);
            facts.read_headers(Headers::new(headers));
            facts.provider()
        };
        assert_eq!(by("X-Groq-Region\nx", ""), Some("groq"));
        assert_eq!(by("openai-version\n1\napim-request-id\n1", ""), Some("azure"));
        assert_eq!(by("cf-ray\n1", r#"{"error":{"code":"invalid_api_key","message":"m"}}"#), None);
        assert_eq!(by("", r#"{"error":{"code":429,"status":"RESOURCE_EXHAUSTED"}}"#), Some("google"));
        assert_eq!(by("", r#"{"type":"error","error":{"type":"x"},"request_id":"req_1"}"#), Some("anthropic"));
        assert_eq!(by("", r#"{"type":"error","error":{"type":"x"},"request_id":"07"}"#), None);
    }

    #[test]
    fn a_code_in_a_header_counts() {
        let mut facts = BodyFacts::read(r#"{"message":"Rate exceeded"}"#);
        facts.read_headers(Headers::new("x-amzn-ErrorType\nThrottlingException:http://internal.amazon.com/coral/\n"));
        let cause = facts.cause(Given { status: 400, provider: None });
        assert_eq!(
            cause.map(|cause| (cause.kind, cause.code)),
            Some((ErrorKind::RateLimited, Some("ThrottlingException")))
        );
        assert_eq!(facts.provider(), Some("bedrock"));
    }

    #[test]
    fn messages_and_numbers_are_read_from_any_shape() {
        let read = BodyFacts::read;
        assert_eq!(read(r#"{"error":"model is loading"}"#).message(), Some("model is loading"));
        assert_eq!(read(r#"{"detail":"no"}"#).message(), Some("no"));
        assert_eq!(read(r#"{"error":{"code":502,"message":"x"}}"#).numeric(), Some(502));
        assert_eq!(read(r#"{"error":{"code":"429"}}"#).numeric(), Some(429));
        assert_eq!(read(r#"{"error":{"code":-32601}}"#).numeric(), None);
        assert_eq!(read(r#"{"error":{"code":110}}"#).numeric(), None);
        assert_eq!(read("<html>502 Bad Gateway</html>"), BodyFacts::default());
        assert_eq!(read(r#"{"error":{"message":"cut he"#).message(), Some("cut he"));
    }
}
