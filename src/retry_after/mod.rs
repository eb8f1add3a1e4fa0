//! How long the server asks a client to wait.
//!
//! One source answers, the first whose value can be read, in the order of [`HintSource`]:
//! the headers that count milliseconds, `Retry-After`, the body, the reset of a spent rate
//! limit. A value that cannot be read is as good as absent, so the next source is asked; it
//! is never read as zero. Zero is a hint of zero. What a policy makes of a hint (its limit,
//! its jitter) is not decided here.
//!
//! - `value`: the grammar of one field value;
//! - [`http_date`] and `rfc3339`: the calendar; `duration`: lengths with their units;
//! - `body` and `told`: the body's members, and its prose;
//! - `reset`: rate limits that say when they are full again;
//! - `source`: the sources, their names, their order, and sets of them.

mod body;
mod duration;
pub mod http_date;
mod reset;
mod rfc3339;
mod source;
mod told;
mod value;

pub use body::BodyHints;
pub use source::{HintSource, HintSources};

use crate::clock::{DelayMs, WallMs};
use crate::headers::Headers;
use crate::kind::ErrorKind;
use source::MS_HEADERS;
use std::borrow::Cow;
use value::Unit;

/// A wait that the server asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hint {
    /// How long, from the moment the response came; zero for a date that has passed.
    pub delay: DelayMs,
    /// Where it was found.
    pub source: HintSource,
}

/// The hint of a failure: the first of `sources` that can be read.
///
/// A body is asked unless the failure is that it is cut short or not what was asked for:
/// then it is no provider's error. Resets are asked when the failure is a limit's, for a
/// bucket can be spent while something else fails.
pub fn hint(
    headers: Headers<'_>,
    body: &BodyHints,
    kind: ErrorKind,
    sources: HintSources,
    now: WallMs,
) -> Option<Hint> {
    let named = Named::of(headers);
    if let Some(hint) = named.hint(sources, now) {
        return Some(hint);
    }
    let from_body = |delay| sources.contains(HintSource::Body).then_some(Hint { delay, source: HintSource::Body });
    let body_speaks = !matches!(kind, ErrorKind::Transport | ErrorKind::MalformedResponse);
    if let Some(hint) = body.delay().filter(|_| body_speaks).and_then(from_body) {
        return Some(hint);
    }
    if !matches!(kind, ErrorKind::RateLimited | ErrorKind::Overloaded) {
        return None;
    }
    let sent_at = value::sent_at(named.date(), now);
    body.reset(sent_at).and_then(from_body).or_else(|| {
        let source = HintSource::Reset;
        let delay = sources.contains(source).then(|| reset::from_headers(headers, sent_at))??;
        Some(Hint { delay, source })
    })
}

/// The hint in header fields that are made for it: the first of `sources` that can be read,
/// of those up to [`HintSource::RetryAfter`].
///
/// A date is measured against the response's own `Date`, so a local clock that is wrong
/// changes no wait, unless the response has an `Age`: a cache stored it, and its `Date` is
/// when the origin answered, not now. Then, and when `Date` is missing or unreadable, it is
/// measured against `now`.
pub fn from_headers(headers: Headers<'_>, sources: HintSources, now: WallMs) -> Option<Hint> {
    Named::of(headers).hint(sources, now)
}

/// The fields that are known by name.
struct Named<'t> {
    ms: [Option<Cow<'t, str>>; MS_HEADERS.len()],
    retry_after: Option<Cow<'t, str>>,
    date: Option<Cow<'t, str>>,
    age: Option<Cow<'t, str>>,
}

impl<'t> Named<'t> {
    fn of(headers: Headers<'t>) -> Named<'t> {
        let [(_, a), (_, b), (_, c), (_, d)] = MS_HEADERS;
        let [a, b, c, d, retry_after, date, age] = headers.get_all([a, b, c, d, "retry-after", "date", "age"]);
        Named { ms: [a, b, c, d], retry_after, date, age }
    }

    /// The `Date` that says when the response was sent; none where a cache stored it.
    fn date(&self) -> Option<&str> {
        self.date.as_deref().filter(|_| self.age.is_none())
    }

    fn hint(&self, sources: HintSources, now: WallMs) -> Option<Hint> {
        let mut ms_fields = MS_HEADERS.iter().zip(&self.ms).filter(|((source, _), _)| sources.contains(*source));
        let in_ms = ms_fields.find_map(|((source, _), value)| {
            let delay = value::number_or_list(value.as_deref()?, Unit::Milliseconds)?;
            Some(Hint { delay, source: *source })
        });
        in_ms.or_else(|| {
            let source = HintSource::RetryAfter;
            let value = self.retry_after.as_deref().filter(|_| sources.contains(source))?;
            Some(Hint { delay: value::retry_after(value, now, self.date())?, source })
        })
    }
}

/// Reads the value of a `Retry-After` field (RFC 9110 section 10.2.3); `None` when it is
/// not one.
///
/// Accepted, with optional white space around: whole seconds of any length, saturating at
/// [`DelayMs::MAX`]; seconds with a decimal fraction, which the RFC does not have and
/// providers send, rounded up to the millisecond; a comma-separated list of whole seconds,
/// which is what a header set twice looks like, as its longest member; and an HTTP-date as
/// [`http_date::parse`] reads it, zero when it has passed.
///
/// A date is measured against `date_header`, the response's own `Date`, when given and
/// readable, else against `now`. Give none for a response that has an `Age`.
///
/// ```
/// use dacapo::clock::WallMs;
/// use dacapo::retry_after::parse_retry_after;
///
/// let now = WallMs(784_111_777_000); // Sun, 06 Nov 1994 08:49:37 GMT
/// let ms = |value| parse_retry_after(value, now, None).map(|delay| delay.get());
/// assert_eq!(ms("120"), Some(120_000));
/// assert_eq!(ms("Sun, 06 Nov 1994 08:50:07 GMT"), Some(30_000));
/// assert_eq!(ms("soon"), None);
/// ```
pub fn parse_retry_after(value: &str, now: WallMs, date_header: Option<&str>) -> Option<DelayMs> {
    value::retry_after(value, now, date_header)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classify::json;

    /// Thu, 15 Jan 2026 12:00:00 GMT
    const NOW: WallMs = WallMs(1_768_478_400_000);

    fn body(text: &str) -> BodyHints {
        let mut hints = BodyHints::default();
        json::walk(text, &mut |keys, scalar| hints.see(keys, &scalar));
        hints
    }

    fn of_a_failure(fields: &str, text: &str, kind: ErrorKind, sources: HintSources) -> Option<(u64, &'static str)> {
        let hint = super::hint(Headers::new(fields), &body(text), kind, sources, NOW)?;
        Some((hint.delay.get(), hint.source.as_str()))
    }

    fn hint(text: &str, sources: HintSources) -> Option<(u64, &'static str)> {
        of_a_failure(text, "", ErrorKind::RateLimited, sources)
    }

    #[test]
    fn each_source_answers_only_when_those_before_it_cannot_be_read() {
        let names = MS_HEADERS.map(|(_, name)| (name, "4000")).into_iter().chain([("retry-after", "4")]);
        let names: Vec<_> = names.collect();
        for (first_readable, source) in HintSource::ALL.map(HintSource::as_str).into_iter().enumerate() {
            let mut fields = String::from("x-ratelimit-reset\n4s\n");
            for (i, (name, value)) in names.iter().enumerate() {
                let value = if i < first_readable { "soon" } else { value };
                fields.push_str(&[name, "\n", value, "\n"].concat());
            }
            let text = if first_readable <= names.len() { r#"{"retry_after":4}"# } else { r#"{"retry_after":"soon"}"# };
            let hint = of_a_failure(&fields, text, ErrorKind::RateLimited, HintSources::ALL);
            assert_eq!(hint, Some((4000, source)));
        }
    }

    #[test]
    fn the_body_and_the_resets_are_asked_only_when_chosen() {
        let (fields, text) = ("x-ratelimit-reset\n2", r#"{"retry_after":1}"#);
        let passed_on = r#"{"headers":{"X-RateLimit-Reset":"3"}}"#;
        let hint =
            |text, sources: &[HintSource]| of_a_failure(fields, text, ErrorKind::RateLimited, HintSources::of(sources));
        assert_eq!(hint(text, &HintSource::ALL), Some((1_000, "body")));
        assert_eq!(hint(text, &[HintSource::Reset]), Some((2_000, "reset")));
        assert_eq!(hint(passed_on, &HintSource::ALL), Some((3_000, "body")));
        assert_eq!(hint(passed_on, &[HintSource::Reset]), Some((2_000, "reset")));
        assert_eq!(hint("", &[HintSource::Body]), None);
        assert_eq!(hint(text, &[HintSource::RetryAfter, HintSource::RetryAfterMs]), None);
    }

    #[test]
    fn a_reset_is_a_hint_only_of_a_failure_of_a_limit() {
        for kind in ErrorKind::ALL {
            let expected = matches!(kind, ErrorKind::RateLimited | ErrorKind::Overloaded).then_some((2_000, "reset"));
            assert_eq!(of_a_failure("x-ratelimit-reset\n2", "", *kind, HintSources::ALL), expected, "{kind:?}");
        }
    }

    #[test]
    fn a_body_is_a_hint_behind_every_kind_but_those_of_a_body_that_broke() {
        let text = r#"{"error":{"message":"try again in 2s"}}"#;
        for kind in ErrorKind::ALL {
            let broke = matches!(kind, ErrorKind::Transport | ErrorKind::MalformedResponse);
            let expected = (!broke).then_some((2_000, "body"));
            assert_eq!(of_a_failure("", text, *kind, HintSources::ALL), expected, "{kind:?}");
        }
    }

    #[test]
    fn the_moment_of_a_reset_is_measured_as_a_date_is() {
        let bucket =
            "anthropic-ratelimit-tokens-remaining\n0\nanthropic-ratelimit-tokens-reset\n2026-01-15T12:01:00Z\n";
        let passed_on = r#"{"headers":{"X-RateLimit-Remaining":"0","X-RateLimit-Reset":"1768478460000"}}"#;
        let date = "date\nThu, 15 Jan 2026 12:00:20 GMT\n";
        for (date, age, expected) in [("", "", 60_000), (date, "", 40_000), (date, "age\n0", 60_000)] {
            for (fields, text) in [(bucket, ""), ("", passed_on)] {
                let fields = [fields, date, age].concat();
                let hint = of_a_failure(&fields, text, ErrorKind::RateLimited, HintSources::ALL);
                assert_eq!(hint.unwrap().0, expected, "{fields} {text}");
            }
        }
    }

    #[test]
    fn a_source_that_is_not_consulted_counts_as_absent() {
        let all = "x-ms-retry-after-ms\n1\nretry-after\n2\nretry-after-ms\n3";
        assert_eq!(hint(all, HintSources::ALL), Some((3, "retry_after_ms")));
        assert_eq!(hint(all, HintSources::RETRY_AFTER_AND_MS), Some((3, "retry_after_ms")));
        assert_eq!(hint(all, HintSources::RETRY_AFTER), Some((2000, "retry_after")));
        let x_ms_only = HintSources::NONE.with(HintSource::XMsRetryAfterMs);
        assert_eq!(hint(all, x_ms_only), Some((1, "x_ms_retry_after_ms")));
        assert_eq!(hint(all, HintSources::NONE), None);
        assert_eq!(hint("x-amz-retry-after\n5", HintSources::RETRY_AFTER_AND_MS), None);
    }

    #[test]
    fn a_date_is_measured_against_the_responses_own_date_unless_a_cache_stored_it() {
        let value = "Retry-After\nThu, 15 Jan 2026 13:00:30 GMT\n";
        let date = "Date\nThu, 15 Jan 2026 13:00:00 GMT\n";
        let measured = |fields: &[&str]| hint(&fields.concat(), HintSources::ALL).unwrap().0;
        assert_eq!(measured(&[value, date]), 30_000);
        assert_eq!(measured(&[value]), 3_630_000);
        assert_eq!(measured(&[value, date, "Age\n0\n"]), 3_630_000);
        assert_eq!(measured(&[value, "Date\nyesterday\n"]), 3_630_000);
        assert_eq!(measured(&[value, date, date]), 3_630_000);
    }

    #[test]
    fn a_two_digit_year_is_near_the_servers_clock_when_the_local_one_was_never_set() {
        let measured = |date| parse_retry_after("Thursday, 15-Jan-26 12:00:30 GMT", WallMs(0), date).map(DelayMs::get);
        assert_eq!(measured(Some("Thu, 15 Jan 2026 12:00:00 GMT")), Some(30_000));
        assert_eq!(measured(None), None, "1926 began its 15 January on a Friday");
    }
}
