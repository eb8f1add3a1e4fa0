//! Lengths of time with their units: `6m0s`, `494ms`, `1 minute and 30 seconds`.

use crate::clock::DelayMs;
use std::iter::repeat;

/// A unit is `ms` milliseconds long, or one `per_ms`th of one.
struct Unit {
    names: &'static [&'static str],
    ms: u64,
    per_ms: u64,
}

const fn unit(names: &'static [&'static str], ms: u64, per_ms: u64) -> Unit {
    Unit { names, ms, per_ms }
}

/// Longest first. Names ignore case.
const UNITS: [Unit; 7] = [
    unit(&["d", "day", "days"], 86_400_000, 1),
    unit(&["h", "hr", "hrs", "hour", "hours"], 3_600_000, 1),
    unit(&["m", "min", "mins", "minute", "minutes"], 60_000, 1),
    unit(&["s", "sec", "secs", "second", "seconds"], 1_000, 1),
    unit(&["ms", "msec", "msecs", "millisecond", "milliseconds"], 1, 1),
    unit(&["us", "\u{b5}s", "\u{3bc}s"], 1, 1_000),
    unit(&["ns"], 1, 1_000_000),
];

/// Reads a value that is nothing but a length of time, as Go's `time.Duration` writes it and
/// protobuf's JSON (`34.074824224s`); a part of a millisecond counts as a whole one.
pub(super) fn parse(value: &str) -> Option<DelayMs> {
    let (mut sum, mut last_unit, mut rest) = component(value, false)?;
    while !rest.is_empty() {
        let (part, unit, after) = component(rest, false).filter(|(_, unit, _)| *unit > last_unit)?;
        (sum, last_unit, rest) = (sum.plus(part), unit, after);
    }
    Some(sum)
}

/// Reads the length of time with which a piece of prose begins.
///
/// A unit has to follow the number: without one it could be a count, a year or a status.
pub(super) fn leading(text: &str) -> Option<DelayMs> {
    let (mut sum, mut last_unit, mut rest) = component(text, true)?;
    loop {
        // A shorter unit carries on ("1 minute and 30 seconds"); "20s, 30s" is two lengths.
        let joint = rest.strip_prefix(',').unwrap_or(rest).trim_start_matches(' ');
        let joint = joint.strip_prefix("and ").unwrap_or(joint);
        match component(joint, true) {
            Some((part, unit, after)) if unit > last_unit => (sum, last_unit, rest) = (sum.plus(part), unit, after),
            _ => break,
        }
    }
    let is_rate_or_name = rest.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '/' | '_' | '-'));
    (!is_rate_or_name).then_some(sum)
}

/// A number with its unit: the length, the unit's place in [`UNITS`], what follows.
fn component(text: &str, spaced: bool) -> Option<(DelayMs, usize, &str)> {
    let (number, rest) = split_where(text, |c| !c.is_ascii_digit() && c != '.');
    let rest = if spaced { rest.trim_start_matches(' ') } else { rest };
    let (name, after) = split_where(rest, |c| !c.is_alphabetic());
    let i = UNITS.iter().position(|unit| unit.names.iter().any(|known| known.eq_ignore_ascii_case(name)))?;
    Some((amount(number, UNITS.get(i)?)?, i, after))
}

fn split_where(text: &str, ends: impl Fn(char) -> bool) -> (&str, &str) {
    text.split_at_checked(text.find(ends).unwrap_or(text.len())).unwrap_or((text, ""))
}

/// Eleven digits of a fraction leave room in 64 bits for the milliseconds of a day.
const FRACTION_DIGITS: usize = 11;
const FRACTION_SCALE: u64 = 100_000_000_000;

fn amount(number: &str, unit: &Unit) -> Option<DelayMs> {
    let (whole, fraction) = number.split_once('.').unwrap_or((number, "0"));
    let shifted = fraction.bytes().chain(repeat(b'0')).take(FRACTION_DIGITS);
    let has_remainder = fraction.bytes().skip(FRACTION_DIGITS).any(|digit| digit != b'0');
    let part = digits(shifted)? * unit.ms + u64::from(has_remainder);
    let ms = digits(whole.bytes())?.saturating_mul(unit.ms).saturating_add(part.div_ceil(FRACTION_SCALE));
    let is_number = !whole.is_empty() && !fraction.is_empty();
    is_number.then(|| DelayMs::new(ms.div_ceil(unit.per_ms)))
}

/// A whole number, saturating; `None` when anything but a digit is among them.
fn digits(mut bytes: impl Iterator<Item = u8>) -> Option<u64> {
    bytes.try_fold(0u64, |sum, byte| {
        byte.is_ascii_digit().then(|| sum.saturating_mul(10).saturating_add(u64::from(byte - b'0')))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clock::MAX_SAFE_MS;
    use proptest::prelude::*;

    fn ms(value: &str) -> Option<u64> {
        parse(value).map(DelayMs::get)
    }

    fn first(text: &str) -> Option<u64> {
        leading(text).map(DelayMs::get)
    }

    #[test]
    fn what_go_and_protobuf_write_is_read_exactly_and_rounded_up() {
        for (value, expected) in [
            ("6m0s", 360_000),
            ("1s", 1_000),
            ("494ms", 494),
            ("1h2m3.5s", 3_723_500),
            ("2m59.56s", 179_560),
            ("17h56m32.1s", 64_592_100),
            ("34.074824224s", 34_075),
            ("0.5s", 500),
            ("0s", 0),
            ("1.0001ms", 2),
            ("494\u{b5}s", 1),
            ("1500us", 2),
            ("999999ns", 1),
            ("2000000ns", 2),
            ("1.5m", 90_000),
            ("0.00001h", 36),
            ("1d12h", 129_600_000),
        ] {
            assert_eq!(ms(value), Some(expected), "{value}");
        }
    }

    #[test]
    fn a_value_that_is_more_or_less_than_a_length_is_none() {
        for value in [
            "",
            "s",
            "5",
            "5.s",
            ".5s",
            "1.2.3s",
            "-5s",
            "+5s",
            "5 s",
            " 5s",
            "5s ",
            "5x",
            "5s3",
            "5s5m",
            "5s5s",
            "1e3s",
            "5s,",
            "\u{663}s",
            "5s\u{0}",
            "Infinitys",
            "5smurfs",
        ] {
            assert_eq!(ms(value), None, "{value:?}");
        }
    }

    #[test]
    fn prose_may_space_and_join_what_belongs_together() {
        for (text, expected) in [
            ("20 seconds. Contact us", 20_000),
            ("1 minute and 30 seconds", 90_000),
            ("1 hour, 2 minutes, 3 seconds", 3_723_000),
            ("1m 30s.", 90_000),
            ("5 MINUTES", 300_000),
            ("20s, 30s", 20_000),
            ("20s and 3 requests", 20_000),
            ("7.66s.", 7_660),
            ("3 days)", 259_200_000),
        ] {
            assert_eq!(first(text), Some(expected), "{text}");
        }
        for text in
            ["5", "5.", "5 requests", "2026-01-15", "12:00:30", "100 MB", "5s/request", "5-10 seconds", "1,000 seconds"]
        {
            assert_eq!(first(text), None, "{text}");
        }
    }

    #[test]
    fn a_length_too_large_saturates() {
        for value in [&["9".repeat(400).as_str(), "s"].concat(), "99999999999999999999d", "9007199254740.992s"] {
            assert_eq!(ms(value), Some(MAX_SAFE_MS), "{value}");
        }
        assert_eq!(ms("99999999999999999999d1h"), Some(MAX_SAFE_MS));
    }

    proptest! {
        #[test]
        fn a_length_is_the_exact_ceiling_in_every_unit(whole in 0u64..1_000_000, fraction in 0u64..100_000_000_000) {
            for unit in &UNITS {
                let value = format!("{whole}.{fraction:011}{}", unit.names[0]);
                let scale = 100_000_000_000u128;
                let exact = (u128::from(whole) * scale + u128::from(fraction)) * u128::from(unit.ms);
                let exact = exact.div_ceil(scale * u128::from(unit.per_ms));
                prop_assert_eq!(ms(&value).map(u128::from), Some(exact), "{}", value);
            }
        }

        #[test]
        fn a_later_part_only_makes_it_longer(hours in 0u64..10_000, minutes in 0u64..60, seconds in 0u64..60) {
            let whole = format!("{hours}h{minutes}m{seconds}s");
            prop_assert_eq!(ms(&whole), Some(((hours * 60 + minutes) * 60 + seconds) * 1000));
            let shorter = ms(&format!("{hours}h{minutes}m"));
            prop_assert!(shorter <= ms(&whole));
        }

        #[test]
        fn no_text_panics(text in prop_oneof![any::<String>(), "[0-9.hmsdu\u{b5} ,]{0,40}"]) {
            let whole = parse(&text);
            prop_assert!(whole.is_none() || leading(&text) == whole);
        }
    }
}
