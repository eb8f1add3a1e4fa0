//! How long the server asks a client to wait.
//!
//! One source answers, the first whose value can be read, in the order of [`HintSource`]:
//! the headers that count milliseconds, then `Retry-After`. A value that cannot be read is
//! as good as absent, so the next source is asked; it is never read as zero. Zero is a hint
//! of zero. What a policy makes of a hint (its limit, its jitter) is not decided here.
//!
//! - `value`: the grammar of one field value;
//! - [`http_date`]: the calendar;
//! - `source`: the sources, their names, their order, and sets of them.

pub mod http_date;
mod source;
mod value;

pub use source::{HintSource, HintSources};

use crate::clock::{DelayMs, WallMs};
use crate::headers::Headers;
use source::MS_HEADERS;
use value::Unit;

/// A wait that the server asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Hint {
    /// How long, from the moment the response came; zero for a date that has passed.
    pub delay: DelayMs,
    /// Where it was found.
    pub source: HintSource,
}

/// The hint in a response's header fields: the first of `sources` that can be read.
///
/// A date is measured against the response's own `Date`, so a local clock that is wrong
/// changes no wait, unless the response has an `Age`: a cache stored it, and its `Date` is
/// when the origin answered, not now. Then, and when `Date` is missing or unreadable, it is
/// measured against `now`.
pub fn from_headers(headers: Headers<'_>, sources: HintSources, now: WallMs) -> Option<Hint> {
    let mut ms_headers = MS_HEADERS.iter().filter(|(source, _)| sources.contains(*source));
    let in_ms = ms_headers.find_map(|&(source, name)| {
        let delay = value::number_or_list(&headers.get(name)?, Unit::Milliseconds)?;
        Some(Hint { delay, source })
    });
    in_ms.or_else(|| {
        let source = HintSource::RetryAfter;
        if !sources.contains(source) {
            return None;
        }
        let value = headers.get("retry-after")?;
        let date = if headers.get("age").is_none() { headers.get("date") } else { None };
        let delay = parse_retry_after(&value, now, date.as_deref())?;
        Some(Hint { delay, source })
    })
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

    /// Thu, 15 Jan 2026 12:00:00 GMT
    const NOW: WallMs = WallMs(1_768_478_400_000);

    fn hint(text: &str, sources: HintSources) -> Option<(u64, &'static str)> {
        let hint = from_headers(Headers::new(text), sources, NOW)?;
        Some((hint.delay.get(), hint.source.as_str()))
    }

    #[test]
    fn each_source_answers_only_when_those_before_it_cannot_be_read() {
        let names = MS_HEADERS.map(|(_, name)| name);
        let order = HintSource::ALL.map(HintSource::as_str);
        for (first_readable, source) in order.into_iter().enumerate() {
            let mut text = String::from("retry-after\n4\n");
            for (i, name) in names.into_iter().enumerate() {
                let value = if i < first_readable { "soon" } else { "4000" };
                text.push_str(&[name, "\n", value, "\n"].concat());
            }
            assert_eq!(hint(&text, HintSources::ALL), Some((4000, source)));
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
