//! When a spent bucket is full again: `x-ratelimit-reset-tokens` and its relatives.
//!
//! A reset says when its bucket is full, not that a client has to wait. It is a hint only of
//! a bucket that is known to be spent, and even then the last resort: a bucket that refills
//! all the time has room long before it is full.

use super::value::{self, Unit};
use super::{duration, rfc3339};
use crate::clock::{DelayMs, WallMs};
use crate::headers::Headers;
use crate::scan::{either, from, part, place_of, split_once, trim};

/// A bare number from here on counts seconds since 1970 (in 2001), a smaller one seconds
/// from now: 31 years.
const FIRST_EPOCH_SECOND_MS: u64 = 1_000_000_000_000;
/// From here on it counts milliseconds since 1970 (in 1973), a smaller one seconds (in 5138).
const FIRST_EPOCH_MILLISECOND_MS: u64 = 100_000_000_000_000;

/// A reset as it is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Reset {
    In(DelayMs),
    At(WallMs),
}

impl Reset {
    /// Reads a Go duration, a number or an RFC 3339 timestamp. A number is a delay in
    /// seconds or an epoch in seconds or milliseconds, as its magnitude says.
    pub(super) fn parse(text: &str) -> Option<Reset> {
        let text = trim(text);
        let Some(seconds) = value::number_or_list(text, Unit::Seconds) else {
            return duration::parse(text).map(Reset::In).or_else(|| rfc3339::parse(text).map(Reset::At));
        };
        let at = |ms: DelayMs| Some(Reset::At(WallMs(ms.get() as i64)));
        match seconds.get() {
            ..FIRST_EPOCH_SECOND_MS => Some(Reset::In(seconds)),
            FIRST_EPOCH_SECOND_MS..FIRST_EPOCH_MILLISECOND_MS => at(seconds),
            _ => at(value::number_or_list(text, Unit::Milliseconds)?),
        }
    }

    /// How long it is until then.
    pub(super) fn since(self, now: WallMs) -> DelayMs {
        match self {
            Reset::In(delay) => delay,
            Reset::At(at) => at.since(now),
        }
    }
}

/// Whether what remains of a bucket is nothing; `None` when the value does not say: `-1` is
/// what some gateways write for unknown.
pub(super) fn is_spent(remaining: &str) -> Option<bool> {
    value::number_or_list(remaining, Unit::Milliseconds).map(|left| left == DelayMs::ZERO)
}

/// A bucket: what its fields are called but for the word `reset` or `remaining`.
#[derive(Clone, Copy, Default)]
struct Bucket<'t> {
    name: (&'t str, &'t str),
    spent: Option<bool>,
    reset: Option<DelayMs>,
}

/// How many buckets are told apart; no provider has more than eight.
const BUCKETS: usize = 12;

/// The longest reset of a bucket that is spent. Moments are measured against `sent_at`.
///
/// `x-ratelimit-reset` counts without its `x-ratelimit-remaining` too, since Together sends
/// it so, but not beside one that says that something is left.
pub(super) fn from_headers(headers: Headers<'_>, sent_at: WallMs) -> Option<DelayMs> {
    let mut buckets = [Bucket::default(); BUCKETS];
    let mut longest = None;
    for (field, value) in headers.iter().filter(|(field, _)| without(field, "limit").is_some()) {
        if field.eq_ignore_ascii_case("ratelimit") {
            longest = longest.max(structured(value));
            continue;
        }
        // Symfony's `x-ratelimit-retry-after` is a reset by another name.
        let reset = without(field, "reset").or_else(|| without(field, "retry-after"));
        let (is_reset, name) = match (reset, without(field, "remaining")) {
            (Some(name), _) => (true, name),
            (None, Some(name)) => (false, name),
            (None, None) => continue,
        };
        let mut known = buckets.iter_mut();
        let Some(bucket) = known.find(|bucket| bucket.name.0.is_empty() || is_same(bucket.name, name)) else {
            continue;
        };
        bucket.name = name;
        if is_reset {
            bucket.reset = bucket.reset.max(Reset::parse(value).map(|reset| reset.since(sent_at)));
        } else if let Some(spent) = is_spent(value) {
            // A field that was sent twice is spent when all of it is.
            bucket.spent = Some(spent && bucket.spent != Some(false));
        }
    }
    let counts = |bucket: &&Bucket<'_>| bucket.spent.unwrap_or_else(|| is_same(bucket.name, ("x-ratelimit-", "")));
    longest.max(buckets.iter().filter(counts).filter_map(|bucket| bucket.reset).max())
}

fn is_same(one: (&str, &str), other: (&str, &str)) -> bool {
    one.0.eq_ignore_ascii_case(other.0) && one.1.eq_ignore_ascii_case(other.1)
}

/// What stands before and after `word`, which is given in lower case.
fn without<'t>(field: &'t str, word: &str) -> Option<(&'t str, &'t str)> {
    let at = place_of(field, word)?;
    Some((part(field, 0, at), from(field, at + word.len())))
}

/// The field `RateLimit` of the IETF's drafts: `"burst";r=0;t=30, "daily";r=9;t=3600`, or as
/// it was before, `limit=100, remaining=0, reset=30`.
fn structured(field: &str) -> Option<DelayMs> {
    let mut longest = None;
    let (mut spent, mut reset) = (None, None);
    let mut rest = field;
    while !rest.is_empty() {
        let end = either(rest.as_bytes(), b',', b';').unwrap_or(rest.len());
        let item = trim(part(rest, 0, end));
        rest = from(rest, end + 1);
        let Some((key, number)) = split_once(item, b'=') else {
            (spent, reset) = (None, None);
            continue;
        };
        match key {
            "r" | "remaining" => spent = is_spent(number),
            "t" | "reset" => reset = value::number(number, Unit::Seconds),
            _ => {}
        }
        if spent == Some(true) {
            longest = longest.max(reset);
        }
    }
    longest
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::MAX_SAFE_MS;
    use proptest::prelude::*;

    /// Thu, 15 Jan 2026 12:00:00 GMT
    const NOW: WallMs = WallMs(1_768_478_400_000);

    fn ms(fields: &[(&str, &str)]) -> Option<u64> {
        let text: String = fields.iter().flat_map(|(name, value)| [*name, "\n", *value, "\n"]).collect();
        from_headers(Headers::new(&text), NOW).map(DelayMs::get)
    }

    fn until(text: &str) -> Option<u64> {
        Reset::parse(text).map(|reset| reset.since(NOW).get())
    }

    #[test]
    fn only_a_spent_bucket_counts_and_the_longest_of_them() {
        let tokens = [("x-ratelimit-remaining-tokens", "0"), ("x-ratelimit-reset-tokens", "6m0s")];
        let requests = [("X-RateLimit-Reset-Requests", "1h2m3s"), ("X-RateLimit-Remaining-Requests", "14")];
        assert_eq!(ms(&tokens), Some(360_000));
        assert_eq!(ms(&requests), None);
        assert_eq!(ms(&[requests, tokens].concat()), Some(360_000));
        assert_eq!(ms(&tokens[1..]), None, "not known to be spent");
        let day = [("x-ratelimit-reset-requests-day", "3600.5"), ("x-ratelimit-remaining-requests-day", "0")];
        assert_eq!(ms(&[tokens, day].concat()), Some(3_600_500));
        assert_eq!(ms(&[("x-ratelimit-reset-tokens", "1s"), ("x-ratelimit-remaining-requests", "0")]), None);
    }

    #[test]
    fn minus_one_is_unknown_and_not_zero() {
        assert_eq!(ms(&[("x-ratelimit-remaining-tokens", "-1"), ("x-ratelimit-reset-tokens", "0")]), None);
        assert_eq!(ms(&[("x-ratelimit-remaining-tokens", "0"), ("x-ratelimit-reset-tokens", "-1")]), None);
    }

    #[test]
    fn the_bare_reset_needs_no_remaining_but_is_refuted_by_one() {
        assert_eq!(ms(&[("x-ratelimit-reset", "2")]), Some(2_000));
        assert_eq!(ms(&[("X-RateLimit-Retry-After", "1768478420")]), Some(20_000));
        assert_eq!(ms(&[("x-ratelimit-reset", "2"), ("x-ratelimit-remaining", "0")]), Some(2_000));
        assert_eq!(ms(&[("x-ratelimit-reset", "2"), ("x-ratelimit-remaining", "999")]), None);
        assert_eq!(ms(&[("ratelimit-reset", "2")]), None);
        assert_eq!(ms(&[("ratelimit-reset", "2"), ("ratelimit-remaining", "0")]), Some(2_000));
    }

    #[test]
    fn anthropics_resets_are_moments() {
        let fields = [
            ("anthropic-ratelimit-requests-remaining", "49"),
            ("anthropic-ratelimit-requests-reset", "2026-01-15T13:00:00Z"),
            ("anthropic-ratelimit-tokens-remaining", "0"),
            ("anthropic-ratelimit-tokens-reset", "2026-01-15T12:00:42Z"),
        ];
        assert_eq!(ms(&fields), Some(42_000));
        assert_eq!(ms(&[fields[2], ("anthropic-ratelimit-tokens-reset", "2026-01-15T11:00:42Z")]), Some(0));
    }

    #[test]
    fn a_number_is_a_delay_or_an_epoch_by_its_magnitude() {
        for (text, expected) in [
            ("0", 0),
            ("2", 2_000),
            ("33011.382867", 33_011_383),
            ("999999999", 999_999_999_000),
            ("1768478430", 30_000),
            ("1768478430.5", 30_500),
            ("1768478430000", 30_000),
            ("1000000000", 0),
            ("5, 120", 120_000),
            ("99999999999999999999", MAX_SAFE_MS - NOW.0 as u64),
        ] {
            assert_eq!(until(text), Some(expected), "{text}");
        }
        for text in ["", "-1", "soon", "1e3", "2026-01-15", "5 s", "NaN"] {
            assert_eq!(until(text), None, "{text:?}");
        }
    }

    #[test]
    fn both_forms_of_the_ietfs_field_are_read() {
        for (value, expected) in [
            ("\"api\";r=0;t=30", Some(30_000)),
            ("\"burst\";r=0;t=30, \"daily\";r=0;t=3600", Some(3_600_000)),
            ("\"burst\";r=5;t=30, \"daily\";t=3600;r=0", Some(3_600_000)),
            ("\"burst\";r=0;t=30, \"daily\";r=9;t=3600", Some(30_000)),
            ("\"burst\";r=0, \"daily\";r=9;t=3600", None),
            ("limit=100, remaining=0, reset=30", Some(30_000)),
            ("limit=100, remaining=50, reset=30", None),
            ("r=0", None),
            ("", None),
        ] {
            assert_eq!(ms(&[("RateLimit", value)]), expected, "{value}");
        }
    }

    #[test]
    fn more_buckets_than_fit_are_left_out_and_the_first_ones_kept() {
        let names: Vec<_> = (0..40).map(|i| format!("x-ratelimit-remaining-b{i}")).collect();
        let mut fields: Vec<_> = names.iter().map(|name| (name.as_str(), "0")).collect();
        fields.extend([("x-ratelimit-reset-b0", "7"), ("x-ratelimit-reset-b39", "9")]);
        assert_eq!(ms(&fields), Some(7_000));
    }

    proptest! {
        #[test]
        fn a_later_reset_is_no_shorter_wait(first in 0u64..1_000_000_000, second in 0u64..1_000_000_000) {
            let (sooner, later) = (first.min(second), first.max(second));
            prop_assert!(until(&sooner.to_string()) <= until(&later.to_string()));
            prop_assert_eq!(until(&sooner.to_string()), Some(sooner * 1000));
        }

        #[test]
        fn epochs_in_seconds_and_milliseconds_agree(seconds in 1_000_000_000u64..100_000_000_000) {
            prop_assert_eq!(until(&seconds.to_string()), until(&format!("{seconds}000")));
        }

        #[test]
        fn no_header_panics(
            name in prop_oneof![any::<String>(), "(x-|anthropic-)?ratelimit(-reset|-remaining|-tokens|é){0,3}"],
            value in prop_oneof![any::<String>(), "[0-9rt=;,.TZhms\" -]{0,30}"],
            now: i64,
        ) {
            let text = [&name, "\n", &value, "\n", "x-ratelimit-reset\n", &value].concat();
            let _ = from_headers(Headers::new(&text), WallMs(now));
        }
    }
}
