//! HTTP dates against properties, and against the crate `httpdate` on millions of values.

use std::fmt::Write;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use dacapo::clock::WallMs;
use dacapo::retry_after::http_date::{format, parse};
use proptest::prelude::*;

const YEAR_0_MS: i64 = -62_167_219_200_000;
const YEAR_10000_MS: i64 = 253_402_300_800_000;
const FIFTY_YEARS_MS: i64 = 50 * 365 * 86_400_000;

/// With this `now` the 50-year rule gives the years 1970 to 2069, as `httpdate` always does.
const END_OF_2019: WallMs = WallMs(1_577_836_799_000);

const LONG_WEEKDAYS: [&str; 7] = ["Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"];
const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/// The three forms of RFC 9110 section 5.6.7, from an IMF-fixdate.
fn three_forms(imf: &str) -> [String; 3] {
    let [day, month, year] = [&imf[5..7], &imf[8..11], &imf[12..16]];
    let (weekday, time) = (&imf[..3], &imf[17..25]);
    let long = LONG_WEEKDAYS.iter().find(|long| long.starts_with(weekday)).unwrap();
    let day_padded = day.strip_prefix('0').map_or(day.to_owned(), |digit| format!(" {digit}"));
    [
        imf.to_owned(),
        format!("{long}, {day}-{month}-{} {time} GMT", &year[2..]),
        format!("{weekday} {month} {day_padded} {time} {year}"),
    ]
}

proptest! {
    #[test]
    fn a_date_that_was_written_is_read_as_its_second(
        at in YEAR_0_MS..YEAR_10000_MS,
        now: i64,
    ) {
        let second = at.div_euclid(1000) * 1000;
        prop_assert_eq!(parse(&format(WallMs(at)).unwrap(), WallMs(now)), Some(WallMs(second)));
    }

    #[test]
    fn every_form_of_a_moment_within_fifty_years_of_now_is_read_as_that_moment(
        now in YEAR_0_MS + FIFTY_YEARS_MS..YEAR_10000_MS - FIFTY_YEARS_MS,
        offset in -FIFTY_YEARS_MS..FIFTY_YEARS_MS,
    ) {
        let at = (now + offset).div_euclid(1000) * 1000;
        for text in three_forms(&format(WallMs(at)).unwrap()) {
            prop_assert_eq!(parse(&text, WallMs(now)), Some(WallMs(at)), "{}", text);
        }
    }

    #[test]
    fn no_text_panics(text: String, now: i64) {
        let _ = parse(&text, WallMs(now));
    }

    #[test]
    fn no_bytes_panic(bytes: Vec<u8>, now: i64) {
        let _ = parse(&String::from_utf8_lossy(&bytes), WallMs(now));
    }

    /// Of all texts near a valid date, only those that are one themselves are read.
    #[test]
    fn a_changed_date_is_read_only_if_it_is_what_the_new_moment_is_written_as(
        at in YEAR_0_MS..YEAR_10000_MS,
        form in 0usize..3,
        position in 0usize..40,
        delete in 0usize..3,
        insert in prop_oneof![any::<String>(), "[ -~]{0,2}", "[0-9]"],
    ) {
        let text = &three_forms(&format(WallMs(at)).unwrap())[form];
        let mut chars = text.chars().collect::<Vec<_>>();
        let start = position.min(chars.len());
        let end = (start + delete).min(chars.len());
        chars.splice(start..end, insert.chars());
        let changed = chars.into_iter().collect::<String>();
        if let Some(read) = parse(&changed, WallMs(at)) {
            let imf = format(read).unwrap();
            let canonical = three_forms(&imf);
            let same = |text: &str| canonical.iter().any(|form| form == text);
            // Two texts are read and never written: second 60, and asctime's `Nov 06`.
            let second_before = three_forms(&format(WallMs(read.0 - 1000)).unwrap())
                .map(|form| form.replace(":59 ", ":60 "));
            let zero_padded = canonical[2].replace("  ", " 0");
            prop_assert!(
                same(&changed) || second_before.contains(&changed) || changed == zero_padded,
                "{:?} was read as {}", changed, imf
            );
        }
    }

    #[test]
    fn second_60_is_the_second_after_59(at in YEAR_0_MS..YEAR_10000_MS) {
        let text = format(WallMs(at - at.rem_euclid(60_000) + 59_000)).unwrap();
        for text in three_forms(&text) {
            let before = parse(&text, WallMs(at)).unwrap();
            let second_60 = text.replace(":59 ", ":60 ");
            prop_assert_ne!(&second_60, &text);
            prop_assert_eq!(parse(&second_60, WallMs(at)), Some(WallMs(before.0 + 1000)));
        }
    }
}

#[test]
fn a_date_that_is_nearly_right_is_refused() {
    for text in [
        "",
        "Sun",
        "Sun,",
        "Sun, 06 Nov 1994 08:49:37",
        "Sun, 06 Nov 1994 08:49:37 ",
        "Sun, 06 Nov 1994 08:49:37 gmt",
        "Sun, 06 Nov 1994 08:49:37 UTC",
        "Sun, 06 Nov 1994 08:49:37 Z",
        "Sun, 06 Nov 1994 08:49:37 +0000",
        "Sun, 06 Nov 1994 08:49:37 GMT+0",
        "Sun, 06 Nov 1994 08:49:37 GMT ",
        " Sun, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 08:49:37.5 GMT",
        "Sun, 06 Nov 1994 08:49 GMT",
        "Sun, 6 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 94 08:49:37 GMT",
        "Sun, 06 Nov 01994 08:49:37 GMT",
        "Sun, 06-Nov-94 08:49:37 GMT",
        "Sun, 06-Nov-1994 08:49:37 GMT",
        "Sunday, 06 Nov 1994 08:49:37 GMT",
        "Sunday, 06-Nov-1994 08:49:37 GMT",
        "Sunday 06-Nov-94 08:49:37 GMT",
        "sun, 06 Nov 1994 08:49:37 GMT",
        "Sun, 06 nov 1994 08:49:37 GMT",
        "Sun, 06 November 1994 08:49:37 GMT",
        "06 Nov 1994 08:49:37 GMT",
        "Mon, 06 Nov 1994 08:49:37 GMT",
        "Monday, 06-Nov-94 08:49:37 GMT",
        "Mon Nov  6 08:49:37 1994",
        "Sun Nov 6 08:49:37 1994",
        "Sun Nov  6 08:49:37 1994 GMT",
        "Sun Nov  6 08:49:37 GMT 1994",
        "Sun Nov  6 08:49:37 94",
        "Sun, 00 Nov 1994 08:49:37 GMT",
        "Sun, 06 Nov 1994 24:00:00 GMT",
        "Sun, 06 Nov 1994 08:60:00 GMT",
        "Sun, 06 Nov 1994 08:49:61 GMT",
        "Sun, 06 Nov 1994 08:49:+7 GMT",
        "Sun, \u{0660}\u{0666} Nov 1994 08:49:37 GMT",
        "Sun,\u{00a0}06 Nov 1994 08:49:37 GMT",
        "1994-11-06T08:49:37Z",
        "784111777",
    ] {
        assert_eq!(parse(text, WallMs(784_111_777_000)), None, "{text:?}");
    }
}

/// Every day that exists and every day 0 to 31 that does not, under every weekday, in one
/// full period of the calendar; the oracle counts days one by one.
#[test]
fn in_four_hundred_years_every_real_day_is_read_and_no_other() {
    let mut text = String::new();
    let mut days = (2000 - 1970) * 365 + 7;
    for year in 2000..2400 {
        let leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
        let lengths = [31, if leap { 29 } else { 28 }, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
        for (month, length) in MONTHS.iter().zip(lengths) {
            for day in 0..=31 {
                let exists = (1..=length).contains(&day);
                let today = WallMs(days * 86_400_000);
                // 1 January 1970 was a Thursday: day 4 of a week that begins on Sunday.
                let weekday = (days + 4) as usize % 7;
                // A day that does not exist is tried under two weekdays: the one that it would
                // have if its month were longer, and another.
                for (try_weekday, right) in [(weekday, true), ((weekday + 3) % 7, false)] {
                    let name = &LONG_WEEKDAYS[try_weekday][..3];
                    text.clear();
                    write!(text, "{name}, {day:02} {month} {year} 00:00:00 GMT").unwrap();
                    let expected = (exists && right).then_some(today);
                    assert_eq!(parse(&text, WallMs(0)), expected, "{text}");
                    if expected.is_some() {
                        assert_eq!(format(today).as_deref(), Some(text.as_str()));
                    }
                }
                days += i64::from(exists);
            }
        }
    }
    assert_eq!(format(WallMs(days * 86_400_000)).unwrap(), "Sat, 01 Jan 2400 00:00:00 GMT");
}

// ---- the oracle ----

/// SplitMix64: the same values in every run, and no dependency.
struct Numbers(u64);

impl Numbers {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, limit: u64) -> u64 {
        self.next() % limit
    }

    fn pick<'t>(&mut self, from: &[&'t str]) -> &'t str {
        from[self.below(from.len() as u64) as usize]
    }
}

fn ms_since_epoch(time: SystemTime) -> i64 {
    i64::try_from(time.duration_since(UNIX_EPOCH).unwrap().as_millis()).unwrap()
}

fn httpdate_parse(text: &str) -> Option<i64> {
    httpdate::parse_http_date(text).ok().map(ms_since_epoch)
}

/// What `httpdate` says, brought to our rules where the module's table says that they
/// differ. White space around a date is the difference that is left: no text here has any.
fn oracle(text: &str) -> Option<i64> {
    let rfc850 = text.split_once("day, ").map(|(_, date_and_time)| date_and_time);
    if rfc850.is_some_and(|date_and_time| date_and_time.as_bytes().get(9) != Some(&b' ')) {
        return None;
    }
    httpdate_parse(text).or_else(|| {
        if text.contains(":60 ") {
            return Some(oracle(&text.replacen(":60 ", ":59 ", 1))? + 1000);
        }
        // The calendar repeats every 400 years, weekdays included.
        let at = if text.ends_with(" GMT") { 12..16 } else { 20..24 };
        let year = text.get(at.clone())?;
        let before_1970 = year.bytes().all(|byte| byte.is_ascii_digit()) && year < "1970";
        let year = year.parse::<u64>().ok().filter(|_| before_1970)?;
        let mut later = text.to_owned();
        later.replace_range(at, &(year + 2000).to_string());
        Some(httpdate_parse(&later)? - 5 * 146_097 * 86_400_000)
    })
}

/// A date in one of the three forms, each field of which is now and then just beyond its
/// limit, under a weekday that is right one time in seven; one text in four has one byte
/// replaced.
fn write_candidate(text: &mut String, numbers: &mut Numbers) {
    const PRINTABLE: std::ops::Range<u8> = b'!'..b'~';
    let form = numbers.below(3);
    let day = numbers.below(33);
    let month = numbers.pick(&MONTHS);
    let year = numbers.below(10_000);
    let hour = numbers.below(25);
    let minute = numbers.below(61);
    let second = numbers.below(62);
    let weekday = numbers.pick(&LONG_WEEKDAYS);
    let short = &weekday[..3];
    text.clear();
    match form {
        0 => write!(text, "{short}, {day:02} {month} {year:04} {hour:02}:{minute:02}:{second:02} GMT"),
        1 => write!(text, "{weekday}, {day:02}-{month}-{:02} {hour:02}:{minute:02}:{second:02} GMT", year % 100),
        _ => write!(text, "{short} {month} {day:2} {hour:02}:{minute:02}:{second:02} {year:04}"),
    }
    .unwrap();
    if numbers.below(4) == 0 {
        let position = numbers.below(text.len() as u64) as usize;
        let span = u64::from(PRINTABLE.end - PRINTABLE.start);
        let byte = PRINTABLE.start + numbers.below(span) as u8;
        text.replace_range(position..=position, char::from(byte).encode_utf8(&mut [0; 4]));
    }
}

#[test]
fn httpdate_writes_and_reads_a_million_moments_as_we_do() {
    let mut numbers = Numbers(1);
    for _ in 0..1_000_000 {
        let at = numbers.below(YEAR_10000_MS as u64);
        let ours = format(WallMs(at as i64)).unwrap();
        let time = UNIX_EPOCH + Duration::from_millis(at);
        assert_eq!(ours, httpdate::fmt_http_date(time));
        assert_eq!(parse(&ours, WallMs(0)), httpdate_parse(&ours).map(WallMs), "{ours}");
    }
}

#[test]
fn httpdate_accepts_and_refuses_a_million_texts_as_we_do() {
    let mut numbers = Numbers(2);
    let mut text = String::new();
    let mut accepted = 0;
    for _ in 0..1_000_000 {
        write_candidate(&mut text, &mut numbers);
        let ours = parse(&text, END_OF_2019);
        assert_eq!(ours, oracle(&text).map(WallMs), "{text:?}");
        accepted += u32::from(ours.is_some());
    }
    assert!(accepted > 75_000, "{accepted} accepted: the texts are too far from dates to tell");
}

#[test]
fn httpdate_differs_from_us_where_the_module_says_so_and_agrees_on_weekdays() {
    for (text, ours, theirs) in [
        ("Sat, 31 Dec 2016 23:59:60 GMT", Some(1_483_228_800_000), None),
        ("Wed, 31 Dec 1969 23:59:59 GMT", Some(-1_000), None),
        ("Sat, 01 Jan 0000 00:00:00 GMT", Some(YEAR_0_MS), None),
        (" Thu, 01 Jan 1970 00:00:00 GMT\n", None, Some(0)),
        ("Fri, 01 Jan 1970 00:00:00 GMT", None, None),
        ("Friday, 01-Jan-70 00:00:00 GMT", None, None),
        ("Fri Jan  1 00:00:00 1970", None, None),
        ("Thursday, 01-Jan-70T00:00:00 GMT", None, Some(0)),
        ("Wed, 31 Feb 2027 00:00:00 GMT", None, None),
        // Seen from 2026, the year 70 is 44 years ahead.
        ("Wednesday, 15-Jan-70 12:00:00 GMT", Some(3_157_012_800_000), None),
        ("Thursday, 15-Jan-70 12:00:00 GMT", None, Some(1_252_800_000)),
    ] {
        let now = WallMs(1_768_478_400_000);
        assert_eq!(parse(text, now), ours.map(WallMs), "ours: {text:?}");
        assert_eq!(httpdate_parse(text), theirs, "httpdate: {text:?}");
    }
}
