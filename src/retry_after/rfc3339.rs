//! Timestamps as RFC 3339 writes them: `2026-01-15T12:00:30Z`.

use super::http_date::{Date, Rest};
use crate::clock::WallMs;

const MS_PER_MINUTE: i64 = 60_000;

/// Reads a `date-time` (RFC 3339 section 5.6): a `T` in either case or a space between date
/// and time, a fraction of any length rounded up to the millisecond, `Z` in either case or
/// an offset. Second 60 is the next second.
///
/// `None` for everything else, which includes a time without a zone: it could be any hour.
pub(super) fn parse(value: &str) -> Option<WallMs> {
    let mut rest = Rest(value.as_bytes());
    let year = rest.number(4)?;
    rest.skip("-")?;
    let month = usize::try_from(rest.number(2)?).ok()?.checked_sub(1).filter(|month| *month < 12)?;
    rest.skip("-")?;
    let day = rest.number(2)?;
    ["T", "t", " "].iter().find_map(|separator| rest.skip(separator))?;
    let at = Date { year, month, day }.at(rest.time()?)?;
    let fraction_ms = if rest.skip(".").is_some() { fraction_ms(&mut rest)? } else { 0 };
    let offset_ms = offset_ms(&mut rest)?;
    rest.0.is_empty().then(|| WallMs(at.0.saturating_add(fraction_ms).saturating_sub(offset_ms)))
}

fn fraction_ms(rest: &mut Rest<'_>) -> Option<i64> {
    let mut ms = rest.number(1)? * 100;
    let mut place = 10;
    let mut has_remainder = false;
    while let Some(digit) = rest.number(1) {
        ms += digit * place;
        has_remainder |= place == 0 && digit != 0;
        place /= 10;
    }
    Some(ms + i64::from(has_remainder))
}

/// What the zone is ahead of UTC.
fn offset_ms(rest: &mut Rest<'_>) -> Option<i64> {
    if rest.skip("Z").or_else(|| rest.skip("z")).is_some() {
        return Some(0);
    }
    let sign = if rest.skip("+").is_some() { 1 } else { rest.skip("-").map(|()| -1)? };
    let hours = rest.number(2).filter(|hours| *hours < 24)?;
    rest.skip(":")?;
    let minutes = rest.number(2).filter(|minutes| *minutes < 60)?;
    Some(sign * (hours * 60 + minutes) * MS_PER_MINUTE)
}

#[cfg(test)]
mod tests {
    use super::super::http_date;
    use super::*;
    use proptest::prelude::*;

    /// Thu, 15 Jan 2026 12:00:30 GMT
    const AT: i64 = 1_768_478_430_000;

    #[test]
    fn every_spelling_of_one_moment_is_that_moment() {
        for text in [
            "2026-01-15T12:00:30Z",
            "2026-01-15t12:00:30z",
            "2026-01-15 12:00:30Z",
            "2026-01-15T12:00:30.000000000Z",
            "2026-01-15T12:00:30+00:00",
            "2026-01-15T12:00:30-00:00",
            "2026-01-15T13:30:30+01:30",
            "2026-01-14T23:00:30-13:00",
        ] {
            assert_eq!(parse(text), Some(WallMs(AT)), "{text}");
        }
        assert_eq!(parse("2026-01-15T11:59:60Z"), Some(WallMs(AT - 30_000)), "a leap second");
    }

    #[test]
    fn a_fraction_is_rounded_up_to_the_millisecond() {
        for (fraction, ms) in
            [(".5", 500), (".05", 50), (".123", 123), (".1230", 123), (".1230001", 124), (".9991", 1000)]
        {
            assert_eq!(parse(&["2026-01-15T12:00:30", fraction, "Z"].concat()), Some(WallMs(AT + ms)), "{fraction}");
        }
    }

    #[test]
    fn what_is_nearly_a_timestamp_is_none() {
        for text in [
            "",
            "2026-01-15",
            "2026-01-15T12:00:30",
            "2026-01-15T12:00Z",
            "2026-01-15T12:00:30.Z",
            "2026-01-15T12:00:30,5Z",
            "2026-01-15T12:00:30 Z",
            "2026-01-15T12:00:30ZZ",
            "2026-01-15T12:00:30+0000",
            "2026-01-15T12:00:30+24:00",
            "2026-01-15T12:00:30+01:60",
            "2026-01-15T24:00:00Z",
            "2026-00-15T12:00:30Z",
            "2026-13-15T12:00:30Z",
            "2026-02-29T12:00:30Z",
            "2026-01-00T12:00:30Z",
            "26-01-15T12:00:30Z",
            "+2026-01-15T12:00:30Z",
            "\u{ff12}026-01-15T12:00:30Z",
        ] {
            assert_eq!(parse(text), None, "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn what_the_calendar_of_http_dates_writes_is_read_back(
            second in -62_167_219_200i64..=253_402_300_799,
            ms in 0i64..1000,
            offset_minutes in -1439i64..=1439,
        ) {
            let local = WallMs((second * 1000).saturating_add(offset_minutes * 60_000));
            let Some(date) = http_date::format(local) else { return Ok(()) };
            let (day, month, year) = (&date[5..7], &date[8..11], &date[12..16]);
            let names = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
            let month = names.iter().position(|name| *name == month).unwrap() + 1;
            let sign = if offset_minutes < 0 { '-' } else { '+' };
            let (hours, minutes) = (offset_minutes.abs() / 60, offset_minutes.abs() % 60);
            let time = &date[17..25];
            let text = format!("{year}-{month:02}-{day}T{time}.{ms:03}{sign}{hours:02}:{minutes:02}");
            prop_assert_eq!(parse(&text), Some(WallMs(second * 1000 + ms)), "{}", text);
        }

        #[test]
        fn no_text_panics(text in prop_oneof![any::<String>(), "[0-9TtZz:. +-]{0,40}"]) {
            let _ = parse(&text);
        }
    }
}
