//! The grammar of one field value: a number, a list of a doubled header, an HTTP-date.
//!
//! A value is read whole or not at all. Reading the front of one (`120junk` as 120, the
//! first of `5, 120`) is how clients come back too soon.

use super::http_date;
use crate::clock::{DelayMs, WallMs};
use crate::scan::{find, split, split_once, trim};

/// How many decimal digits of the unit make up one millisecond: how far to shift the point.
#[derive(Clone, Copy)]
pub(super) enum Unit {
    Milliseconds = 0,
    Seconds = 3,
}

/// Reads a `Retry-After` value (RFC 9110 section 10.2.3): seconds, a list of them, or an
/// HTTP-date, measured against `date_header` when that can be read, else against `now`.
pub(super) fn retry_after(value: &str, now: WallMs, date_header: Option<&str>) -> Option<DelayMs> {
    number_or_list(value, Unit::Seconds).or_else(|| {
        // The server's two-digit years too are years near the moment it answered.
        let sent_at = sent_at(date_header, now);
        Some(http_date::parse(trim(value), sent_at)?.since(sent_at))
    })
}

/// The moment from which a response's moments are measured: its `Date`, else `now`.
pub(super) fn sent_at(date_header: Option<&str>, now: WallMs) -> WallMs {
    date_header.and_then(|date| http_date::parse(trim(date), now)).unwrap_or(now)
}

/// Reads a number, or the longest of several joined by commas.
///
/// A field that two layers have set arrives as one list (RFC 9110 section 5.2); its longest
/// member is the only one that suits both. Members are whole numbers: with a fraction, an
/// empty member or anything else among them, the value is no list of delays.
pub(super) fn number_or_list(value: &str, unit: Unit) -> Option<DelayMs> {
    let is_list = find(value, b',').is_some() && find(value, b'.').is_none();
    if !is_list {
        return number(trim(value), unit);
    }
    split(value, b',').try_fold(DelayMs::ZERO, |longest, member| Some(longest.max(number(trim(member), unit)?)))
}

/// Reads `1*DIGIT` or `1*DIGIT "." 1*DIGIT`, of any length: too large a number saturates,
/// and a part of a millisecond counts as a whole one, since early is worse than late.
pub(super) fn number(text: &str, unit: Unit) -> Option<DelayMs> {
    let shift = unit as usize;
    let (whole, fraction) = split_once(text, b'.').unwrap_or((text, "0"));
    if !is_digits(whole) || !is_digits(fraction) {
        return None;
    }
    let mut ms = 0u64;
    let mut push = |digit: u8| ms = ms.saturating_mul(10).saturating_add(u64::from(digit - b'0'));
    whole.bytes().for_each(&mut push);
    let mut digits = fraction.bytes();
    for _ in 0..shift {
        push(digits.next().unwrap_or(b'0'));
    }
    let has_remainder = digits.any(|digit| digit != b'0');
    Some(DelayMs::new(ms.saturating_add(u64::from(has_remainder))))
}

fn is_digits(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::MAX_SAFE_MS;
    use proptest::prelude::*;

    fn ms(text: &str, unit: Unit) -> Option<u64> {
        number(text, unit).map(DelayMs::get)
    }

    #[test]
    fn a_part_of_a_millisecond_is_rounded_up_in_either_unit() {
        for (text, unit, expected) in [
            ("1500.2", Unit::Milliseconds, 1501),
            ("1500.0", Unit::Milliseconds, 1500),
            ("0.0000000000000000000000001", Unit::Milliseconds, 1),
            ("0.0004", Unit::Seconds, 1),
            ("1.5", Unit::Seconds, 1500),
            ("1.0010", Unit::Seconds, 1001),
            ("1.00100000000000000000000001", Unit::Seconds, 1002),
            ("0.1", Unit::Seconds, 100),
            ("7", Unit::Seconds, 7000),
        ] {
            assert_eq!(ms(text, unit), Some(expected), "{text}");
        }
    }

    #[test]
    fn a_number_too_large_saturates_just_above_the_last_exact_one() {
        for (text, unit) in [
            ("9007199254740991", Unit::Milliseconds),
            ("9007199254740990.1", Unit::Milliseconds),
            ("9007199254740992", Unit::Milliseconds),
            ("9007199254740.991", Unit::Seconds),
            ("9007199254740.992", Unit::Seconds),
            ("9007199254741", Unit::Seconds),
            ("18446744073709551615", Unit::Milliseconds),
            ("18446744073709551616", Unit::Milliseconds),
            ("18446744073709551615.9", Unit::Milliseconds),
        ] {
            assert_eq!(ms(text, unit), Some(MAX_SAFE_MS), "{text}");
        }
        assert_eq!(ms("9007199254740.990", Unit::Seconds), Some(MAX_SAFE_MS - 1));
        assert_eq!(ms(&"9".repeat(100_000), Unit::Seconds), Some(MAX_SAFE_MS));
        assert_eq!(ms(&format!("{}1", "0".repeat(100_000)), Unit::Seconds), Some(1000));
    }

    #[test]
    fn nothing_but_digits_and_one_inner_point_is_a_number() {
        for text in [
            "", ".", "1.", ".5", "1..5", "1.5.2", "+3", "-3", "-0", "1e3", "0x10", "1_000", "1 000", " 1", "1s",
            "120junk", "NaN", "Infinity", "\u{0663}", "\u{ff13}", "1\u{0}", "1\n",
        ] {
            assert_eq!(ms(text, Unit::Seconds), None, "{text:?}");
            assert_eq!(ms(text, Unit::Milliseconds), None, "{text:?}");
        }
    }

    #[test]
    fn a_list_of_whole_numbers_is_its_longest_member_and_any_other_list_is_nothing() {
        let list = |text| number_or_list(text, Unit::Seconds).map(DelayMs::get);
        assert_eq!(list("5, 120"), Some(120_000));
        assert_eq!(list("120,5"), Some(120_000));
        assert_eq!(list("0, 0"), Some(0));
        assert_eq!(list("1 \t,\t 2 , 3"), Some(3000));
        for text in [",", "5,", ",5", "5,,120", "5, x", "5, -1", "5, 1.5", "1.5, 5", "5; 120", "5 120"] {
            assert_eq!(list(text), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn a_number_is_the_exact_ceiling(
            whole in 0u128..=u128::from(u64::MAX),
            fraction in 0u128..1_000_000_000,
            width in 9usize..12,
        ) {
            let text = format!("{whole}.{fraction:0width$}");
            let scale = 10u128.pow(width as u32);
            for (unit, per_unit) in [(Unit::Milliseconds, 1), (Unit::Seconds, 1000)] {
                let exact = ((whole * scale + fraction) * per_unit).div_ceil(scale);
                prop_assert_eq!(
                    ms(&text, unit).map(u128::from),
                    Some(exact.min(u128::from(MAX_SAFE_MS)))
                );
            }
        }

        #[test]
        fn no_value_panics(
            value in prop_oneof![any::<String>(), "[0-9., \t+-]{0,40}"],
            date in proptest::option::of(any::<String>()),
            now: i64,
        ) {
            let _ = retry_after(&value, WallMs(now), date.as_deref());
            let _ = number_or_list(&value, Unit::Milliseconds);
        }
    }
}
