//! Lengths of time with their units: `6m0s`, `494ms`, `1 minute and 30 seconds`.

use super::value;
use crate::clock::DelayMs;
use crate::scan::from;

/// The names of each unit, longest first, and its length in nanoseconds. Names ignore case.
const UNITS: [(&str, u64); 7] = [
    ("d day days", 86_400_000_000_000),
    ("h hr hrs hour hours", 3_600_000_000_000),
    ("m min mins minute minutes", 60_000_000_000),
    ("s sec secs second seconds", 1_000_000_000),
    ("ms msec msecs millisecond milliseconds", 1_000_000),
    ("us \u{b5}s \u{3bc}s", 1_000),
    ("ns", 1),
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
        let joint = without_spaces(rest.strip_prefix(",").unwrap_or(rest));
        let joint = joint.strip_prefix("and ").unwrap_or(joint);
        match component(joint, true) {
            Some((part, unit, after)) if unit > last_unit => (sum, last_unit, rest) = (sum.plus(part), unit, after),
            _ => break,
        }
    }
    let is_rate_or_name = matches!(rest.as_bytes().first(), Some(b'0'..=b'9' | b'/' | b'_' | b'-'));
    (!is_rate_or_name).then_some(sum)
}

/// A number with its unit: the length, the unit's place in [`UNITS`], what follows.
fn component(text: &str, spaced: bool) -> Option<(DelayMs, usize, &str)> {
    let (number, rest) = text.split_at_checked(number_length(text))?;
    let rest = if spaced { before_unit(rest) } else { rest };
    let name_length = rest.bytes().take_while(|byte| byte.is_ascii_alphabetic() || !byte.is_ascii()).count();
    let (name, after) = rest.split_at_checked(name_length)?;
    let initial = name.bytes().next()?.to_ascii_lowercase();
    // All names of a unit begin alike, but for the signs of the micro.
    let may_be = |names: &str| !initial.is_ascii() || names.bytes().next() == Some(initial);
    let i = UNITS.iter().position(|(names, _)| may_be(names) && is_in(names, name))?;
    let (_, unit_ns) = UNITS.get(i)?;
    // Thousandths of the unit, rounded up: nobody writes a fraction of a minute any finer.
    let thousandths = value::number(number, value::Unit::Seconds)?.get();
    let ms = if *unit_ns < NS_PER_MS {
        thousandths.div_ceil(1_000 * (NS_PER_MS / unit_ns))
    } else {
        thousandths.saturating_mul(unit_ns / NS_PER_MS).div_ceil(1_000)
    };
    Some((DelayMs::new(ms), i, after))
}

const NS_PER_MS: u64 = 1_000_000;

/// Whether a word is in a list that is separated by spaces, whatever its case.
pub(super) fn is_in(list: &str, word: &str) -> bool {
    let mut words = list.as_bytes().split(|byte| *byte == b' ');
    words.any(|known| known.eq_ignore_ascii_case(word.as_bytes()))
}

/// How long the digits and points are with which a text begins.
pub(super) fn number_length(text: &str) -> usize {
    text.bytes().take_while(|byte| byte.is_ascii_digit() || *byte == b'.').count()
}

/// What follows a number in prose: `'5' seconds`, `5 more seconds`.
fn before_unit(text: &str) -> &str {
    let text = without_spaces(text.strip_prefix('\'').unwrap_or(text));
    text.strip_prefix("more ").unwrap_or(text)
}

fn without_spaces(text: &str) -> &str {
    from(text, text.bytes().take_while(|byte| *byte == b' ').count())
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
            ("0.001h", 3_600),
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
        fn a_length_is_exact_to_a_thousandth_of_its_unit_and_never_too_short(
            whole in 0u64..1_000_000,
            thousandths in 0u64..1000,
            finer in 0u64..1_000_000,
        ) {
            for (names, unit_ns) in UNITS {
                let unit = names.split(' ').next().unwrap();
                let units = u128::from(whole * 1000 + thousandths);
                let exact = |units: u128| Some((units * u128::from(unit_ns)).div_ceil(1_000_000_000));
                let read = |value: &str| ms(value).map(u128::from);
                prop_assert_eq!(read(&format!("{whole}.{thousandths:03}{unit}")), exact(units));
                let longer = if finer == 0 { units } else { units + 1 };
                prop_assert_eq!(read(&format!("{whole}.{thousandths:03}{finer:06}{unit}")), exact(longer));
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
