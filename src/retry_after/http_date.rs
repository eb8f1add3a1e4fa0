//! HTTP-date (RFC 9110 section 5.6.7): all three forms are read, IMF-fixdate is written.
//!
//! Reading is strict. A date that is nearly right (a numeric offset, no zone, `gmt`, a
//! weekday that is another day's) can only be read by guessing, and a wrong guess is a wait
//! that is hours off; the caller's own backoff is the better answer.
//!
//! Where this differs from the crate `httpdate`, which the tests use as an oracle:
//!
//! | | here | `httpdate` |
//! |---|---|---|
//! | second `60` (a leap second, which the grammar allows) | the next second | refused |
//! | the two-digit year of RFC 850 | RFC 9110's 50-year rule, from `now` | 1970 to 2069, always |
//! | years 0000 to 1969 | read | refused |
//! | what stands between date and time in RFC 850 | a space | any one byte |
//! | white space around the date | refused: trimming is the field parser's part | trimmed |
//!
//! Both refuse a wrong weekday, a day that its month does not have, and any zone but `GMT`.

use crate::clock::WallMs;

const MS_PER_SECOND: i64 = 1_000;
const SECONDS_PER_DAY: i64 = 86_400;

/// Day 0 of the Unix epoch was a Thursday.
const WEEKDAYS: [&str; 7] = ["Thu", "Fri", "Sat", "Sun", "Mon", "Tue", "Wed"];
/// What RFC 850 writes after the three letters of [`WEEKDAYS`].
const WEEKDAY_ENDINGS: [&str; 7] = ["rsday", "day", "urday", "day", "day", "sday", "nesday"];
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// Reads an HTTP-date: IMF-fixdate (`Sun, 06 Nov 1994 08:49:37 GMT`), RFC 850
/// (`Sunday, 06-Nov-94 08:49:37 GMT`) or asctime (`Sun Nov  6 08:49:37 1994`, in GMT too).
///
/// Of the years that an RFC 850 date can mean, it means the last one that is not more than
/// 50 years after `now`; `now` matters for nothing else. Second 60 is the next second.
/// `None` for everything that RFC 9110 section 5.6.7 does not allow, which includes other
/// letter case, white space around the date, a wrong weekday and an impossible day.
pub fn parse(value: &str, now: WallMs) -> Option<WallMs> {
    let mut rest = Rest(value.as_bytes());
    let weekday = rest.one_of(&WEEKDAYS)?;
    let (date, second_of_day) = if rest.skip(", ").is_some() {
        rest.imf_fixdate()?
    } else if rest.skip(" ").is_some() {
        rest.asctime()?
    } else {
        rest.skip(WEEKDAY_ENDINGS.get(weekday)?)?;
        rest.skip(", ")?;
        rest.rfc850(now)?
    };
    let is_its_weekday = weekday_of(date.to_days()) == weekday;
    date.at(second_of_day).filter(|_| rest.0.is_empty() && is_its_weekday)
}

/// Writes `at` as an IMF-fixdate; milliseconds are dropped, so the date is never later.
///
/// `None` outside the years 0000 to 9999, for which the format has no room.
pub fn format(at: WallMs) -> Option<String> {
    let (days, second_of_day) = split_days(at);
    let Date { year, month, day } = Date::from_days(days);
    if !(0..=9999).contains(&year) {
        return None;
    }
    let (weekday, month) = (WEEKDAYS.get(weekday_of(days))?, MONTHS.get(month)?);
    let (hour, minute, second) = (second_of_day / 3600, second_of_day / 60 % 60, second_of_day % 60);
    Some(format!("{weekday}, {day:02} {month} {year:04} {hour:02}:{minute:02}:{second:02} GMT"))
}

/// Whole days since the epoch, and the seconds since midnight.
fn split_days(at: WallMs) -> (i64, i64) {
    let seconds = at.0.div_euclid(MS_PER_SECOND);
    (seconds.div_euclid(SECONDS_PER_DAY), seconds.rem_euclid(SECONDS_PER_DAY))
}

/// The index into [`WEEKDAYS`].
fn weekday_of(days: i64) -> usize {
    days.rem_euclid(7) as usize
}

/// A day of the proleptic Gregorian calendar. The order of the fields is the order in time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Date {
    pub(super) year: i64,
    /// Counted from 0: the index into [`MONTHS`].
    pub(super) month: usize,
    /// Counted from 1.
    pub(super) day: i64,
}

/// The calendar repeats every 400 years. Counted in years that begin on 1 March, a leap day
/// is the last day of its year, and the months before it follow one linear formula (both
/// conversions are Howard Hinnant's "chrono-Compatible Low-Level Date Algorithms").
const DAYS_PER_ERA: i64 = 146_097;
/// From 1 March of the year 0 to the Unix epoch.
const DAYS_BEFORE_EPOCH: i64 = 719_468;

impl Date {
    fn from_days(days: i64) -> Date {
        let days = days + DAYS_BEFORE_EPOCH;
        let day_of_era = days.rem_euclid(DAYS_PER_ERA);
        let leap_days = day_of_era / 1_460 - day_of_era / 36_524 + day_of_era / 146_096;
        let year_of_era = (day_of_era - leap_days) / 365;
        let day_of_year = day_of_era - days_before_year(year_of_era);
        let month_from_march = (5 * day_of_year + 2) / 153;
        let month = (month_from_march as usize + 2) % 12;
        let year = days.div_euclid(DAYS_PER_ERA) * 400 + year_of_era + i64::from(month < 2);
        Date { year, month, day: day_of_year - days_before_month(month_from_march) + 1 }
    }

    /// The moment `second_of_day` seconds into this day; `None` for a day that its month
    /// does not have.
    pub(super) fn at(self, second_of_day: i64) -> Option<WallMs> {
        let days = self.to_days();
        let seconds = days.saturating_mul(SECONDS_PER_DAY).saturating_add(second_of_day);
        (Date::from_days(days) == self).then(|| WallMs(seconds.saturating_mul(MS_PER_SECOND)))
    }

    fn to_days(self) -> i64 {
        let year = self.year - i64::from(self.month < 2);
        let month_from_march = (self.month as i64 + 10) % 12;
        year.div_euclid(400) * DAYS_PER_ERA
            + days_before_year(year.rem_euclid(400))
            + days_before_month(month_from_march)
            + self.day
            - 1
            - DAYS_BEFORE_EPOCH
    }
}

fn days_before_year(year_of_era: i64) -> i64 {
    year_of_era * 365 + year_of_era / 4 - year_of_era / 100
}

fn days_before_month(month_from_march: i64) -> i64 {
    (153 * month_from_march + 2) / 5
}

/// What is left to read. Every method takes its piece off the front or gives `None`.
pub(super) struct Rest<'v>(pub(super) &'v [u8]);

impl Rest<'_> {
    /// `06 Nov 1994 08:49:37 GMT`
    fn imf_fixdate(&mut self) -> Option<(Date, i64)> {
        let day = self.number(2)?;
        self.skip(" ")?;
        let month = self.one_of(&MONTHS)?;
        self.skip(" ")?;
        let year = self.number(4)?;
        self.skip(" ")?;
        let second_of_day = self.time()?;
        self.skip(" GMT")?;
        Some((Date { year, month, day }, second_of_day))
    }

    /// `06-Nov-94 08:49:37 GMT`
    fn rfc850(&mut self, now: WallMs) -> Option<(Date, i64)> {
        let day = self.number(2)?;
        self.skip("-")?;
        let month = self.one_of(&MONTHS)?;
        self.skip("-")?;
        let last_two_digits = self.number(2)?;
        self.skip(" ")?;
        let second_of_day = self.time()?;
        self.skip(" GMT")?;

        let (today, now_second) = split_days(now);
        let mut limit = Date::from_days(today);
        limit.year += 50;
        let year = limit.year - (limit.year - last_two_digits).rem_euclid(100);
        let mut date = Date { year, month, day };
        if (date, second_of_day) > (limit, now_second) {
            date.year -= 100;
        }
        Some((date, second_of_day))
    }

    /// `Nov  6 08:49:37 1994`: a day below 10 has a space or a zero before it.
    fn asctime(&mut self) -> Option<(Date, i64)> {
        let month = self.one_of(&MONTHS)?;
        self.skip(" ")?;
        let day = if self.skip(" ").is_some() { self.number(1)? } else { self.number(2)? };
        self.skip(" ")?;
        let second_of_day = self.time()?;
        self.skip(" ")?;
        let year = self.number(4)?;
        Some((Date { year, month, day }, second_of_day))
    }

    /// `08:49:37` as seconds since midnight.
    pub(super) fn time(&mut self) -> Option<i64> {
        let hour = self.number(2)?;
        self.skip(":")?;
        let minute = self.number(2)?;
        self.skip(":")?;
        let second = self.number(2)?;
        (hour < 24 && minute < 60 && second <= 60).then_some(hour * 3600 + minute * 60 + second)
    }

    pub(super) fn number(&mut self, digits: usize) -> Option<i64> {
        let (number, rest) = self.0.split_at_checked(digits)?;
        let digits = |sum, byte: &u8| byte.is_ascii_digit().then(|| sum * 10 + i64::from(byte - b'0'));
        let number = number.iter().try_fold(0, digits)?;
        self.0 = rest;
        Some(number)
    }

    fn one_of(&mut self, names: &[&str]) -> Option<usize> {
        names.iter().position(|name| self.skip(name).is_some())
    }

    pub(super) fn skip(&mut self, literal: &str) -> Option<()> {
        self.0 = self.0.strip_prefix(literal.as_bytes())?;
        Some(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sun, 06 Nov 1994 08:49:37 GMT: the example of RFC 9110.
    const EXAMPLE: WallMs = WallMs(784_111_777_000);

    #[test]
    fn the_three_forms_of_one_moment_are_read_as_that_moment() {
        for text in [
            "Sun, 06 Nov 1994 08:49:37 GMT",
            "Sunday, 06-Nov-94 08:49:37 GMT",
            "Sun Nov  6 08:49:37 1994",
            "Sun Nov 06 08:49:37 1994",
        ] {
            assert_eq!(parse(text, EXAMPLE), Some(EXAMPLE), "{text}");
        }
    }

    #[test]
    fn milliseconds_are_dropped_towards_the_past_on_both_sides_of_the_epoch() {
        for (at, text) in [
            (999, "Thu, 01 Jan 1970 00:00:00 GMT"),
            (-1, "Wed, 31 Dec 1969 23:59:59 GMT"),
            (-1_000, "Wed, 31 Dec 1969 23:59:59 GMT"),
            (-1_001, "Wed, 31 Dec 1969 23:59:58 GMT"),
        ] {
            assert_eq!(format(WallMs(at)).as_deref(), Some(text));
        }
    }

    #[test]
    fn only_years_of_four_digits_are_written() {
        let (first, last) = (-62_167_219_200_000, 253_402_300_799_999);
        assert_eq!(format(WallMs(first)).unwrap(), "Sat, 01 Jan 0000 00:00:00 GMT");
        assert_eq!(format(WallMs(last)).unwrap(), "Fri, 31 Dec 9999 23:59:59 GMT");
        for at in [first - 1, last + 1, i64::MIN, i64::MAX] {
            assert_eq!(format(WallMs(at)), None);
        }
    }

    #[test]
    fn a_two_digit_year_is_the_last_one_not_more_than_fifty_years_ahead() {
        let year_of = |text, now| {
            let now = parse(now, WallMs(0)).unwrap();
            format(parse(text, now).unwrap()).unwrap().get(12..16).map(str::to_owned).unwrap()
        };
        let now = "Thu, 15 Jan 2026 12:00:00 GMT";
        assert_eq!(year_of("Wednesday, 15-Jan-76 12:00:00 GMT", now), "2076");
        assert_eq!(year_of("Thursday, 15-Jan-76 12:00:01 GMT", now), "1976");
        assert_eq!(year_of("Friday, 16-Jan-76 00:00:00 GMT", now), "1976");
        assert_eq!(year_of("Saturday, 01-Jan-77 00:00:00 GMT", now), "1977");
        let turn_of_the_century = "Thu, 31 Dec 2099 23:59:59 GMT";
        assert_eq!(year_of("Friday, 01-Jan-00 00:00:00 GMT", turn_of_the_century), "2100");
    }

    #[test]
    fn the_years_at_the_ends_of_time_overflow_nothing() {
        for now in [i64::MIN, i64::MAX] {
            for day in WEEKDAYS.into_iter().zip(WEEKDAY_ENDINGS) {
                for year in 0..100 {
                    let text = format!("{}{}, 29-Feb-{year:02} 23:59:60 GMT", day.0, day.1);
                    let _ = parse(&text, WallMs(now));
                }
            }
        }
    }
}
