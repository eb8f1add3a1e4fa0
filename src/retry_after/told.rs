//! Waits told in prose: `Please try again in 1m30.5s.`
//!
//! The search is anchored at the numbers, which are few: one counts when a unit of time
//! follows it, and when the words before it lead, over nothing but words that fit, to one
//! that speaks of coming back. "60 requests in 60 seconds" has no such word, "retry after
//! your request has ended" no number.

use super::duration::{self, is_in};
use crate::clock::DelayMs;
use crate::scan;

/// How much of one text is searched. Providers' messages are shorter, error pages are not.
const SEARCHED_BYTES: usize = 8 * 1024;
/// How many words back the telling one may be: "retry your request again in about".
const WORDS_BACK: usize = 6;

/// That the number counts from now.
const FROM_NOW: &str = "in after";
/// What makes a wait of the number.
const WAIT: &str = "wait retryafter retrydelay";
/// What makes a wait of a number that counts from now.
const RETURN: &str = "again retry retrying available resets only try back";
/// What changes nothing.
const FILLERS: &str =
    "the your this request requests it at least about approximately around roughly another for later less than";

/// The longest wait that a text tells a client to make.
pub(super) fn longest(text: &str) -> Option<DelayMs> {
    let mut longest = None;
    let mut from = 0;
    let searched = text.as_bytes().get(..SEARCHED_BYTES).unwrap_or(text.as_bytes());
    while let Some(ahead) = searched.get(from..).and_then(|rest| rest.iter().position(u8::is_ascii_digit)) {
        let (before, number) = text.split_at_checked(from + ahead)?;
        let length = duration::number_length(number);
        from += ahead + length;
        if may_be_unit(scan::from(number, length))
            && let Some(delay) = duration::leading(number)
            && leads_to_a_wait(before)
        {
            longest = longest.max(Some(delay));
        }
    }
    longest
}

/// Whether a unit of time may follow, by its first letter: a quick look, since most numbers in
/// a long text are no lengths of time.
fn may_be_unit(after: &str) -> bool {
    let initial = after.bytes().find(|byte| !matches!(byte, b' ' | b'\''));
    initial.is_some_and(|byte| matches!(byte | 0x20, b'd' | b'h' | b'm' | b's' | b'u' | b'n') || !byte.is_ascii())
}

fn leads_to_a_wait(before: &str) -> bool {
    let mut rest = trim_end(before, is_between);
    let mut counts_from_now = false;
    for _ in 0..WORDS_BACK {
        let word;
        (word, rest) = last_word(rest);
        let is = |list| is_in(list, word);
        if is(FROM_NOW) {
            counts_from_now = true;
        } else if is(WAIT) {
            return true;
        } else if is(RETURN) {
            return counts_from_now;
        } else if is("reset") {
            // Connections are reset after a time too.
            return counts_from_now && last_word(rest).0.eq_ignore_ascii_case("will");
        } else if !is(FILLERS) {
            return false;
        }
    }
    false
}

/// The word at the end of a text, empty where there is none, and what stands before it.
fn last_word(text: &str) -> (&str, &str) {
    let rest = trim_end(text, |byte| byte.is_ascii_alphabetic());
    let word = text.get(rest.len()..).unwrap_or("");
    // `retry-after` and `retry_after` are two words.
    (word, trim_end(rest, |byte| is_between(byte) || matches!(byte, b'-' | b'_')))
}

/// What may stand between the words, and before the number; other marks end a phrase.
fn is_between(byte: u8) -> bool {
    byte.is_ascii_whitespace() || matches!(byte, b':' | b'=' | b'"' | b'\'' | b'`' | b'(' | b'~' | b'*' | b'\\')
}

fn trim_end(text: &str, belongs: fn(u8) -> bool) -> &str {
    let length = text.bytes().rev().take_while(|byte| belongs(*byte)).count();
    text.get(..text.len() - length).unwrap_or("")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn ms(text: &str) -> Option<u64> {
        longest(text).map(DelayMs::get)
    }

    #[test]
    fn a_wait_is_found_in_any_of_the_usual_wordings() {
        for (text, expected) in [
            ("Rate limit reached. Please try again in 1m30.5s. Visit https://example.com/limits.", 90_500),
            ("Please try again in 494ms.", 494),
            ("try again in 20s", 20_000),
            ("Please try again in 6m0s.", 360_000),
            ("Try again in 1h2m3s", 3_723_000),
            ("PLEASE TRY AGAIN IN 7.66S.", 7_660),
            ("Please retry after 6 seconds. For improved latency", 6_000),
            ("limit: 20, model: m\nPlease retry in 34.074824224s.", 34_075),
            ("Please try again after 23 seconds", 23_000),
            ("Please wait 12 seconds before retrying.", 12_000),
            ("wait for 20 seconds", 20_000),
            ("Please wait at least 2 minutes", 120_000),
            ("You can retry your request in about 2 minutes", 120_000),
            ("Retry the request after approximately 1 minute and 30 seconds", 90_000),
            ("Retrying in 5s", 5_000),
            ("Your limit resets in 3 hours", 10_800_000),
            ("Your quota will reset after 2h30m7s.", 9_007_000),
            ("The model will be available in 20 seconds", 20_000),
            ("Retry-After: 30 seconds", 30_000),
            ("retry_after=5s", 5_000),
            (r#"VertexAIException - b'{"details": [{"retryDelay": "38s"}]}'"#, 38_000),
            (r#"{\"retryDelay\": \"38s\"}"#, 38_000),
            ("Error code: 429 - {'message': 'Please retry after 86400 seconds.'}", 86_400_000),
            ("try again in `5s`", 5_000),
            ("try again later (in 5s)", 5_000),
            ("Please try again after '17' seconds after additional tokens are available.", 17_000),
            ("Please try again after '6' minute(s).", 360_000),
            ("You must wait 30 more seconds before making another request.", 30_000),
            ("you can only request this after 51 seconds", 51_000),
            ("Please try after 40 seconds", 40_000),
            ("The window is full, come back in 3 hours", 10_800_000),
            ("Please try again in less than 2 minutes", 120_000),
        ] {
            assert_eq!(ms(text), Some(expected), "{text}");
        }
    }

    #[test]
    fn of_several_waits_the_longest_counts_and_no_other_length() {
        let text =
            "Limit 60 per 3600 seconds. Try again in 20s, or retry after 35 seconds; requests expire in 90 days.";
        assert_eq!(ms(text), Some(35_000));
    }

    #[test]
    fn no_other_number_is_a_wait() {
        for text in [
            "",
            "Please retry after your request has ended.",
            "Please try again in a few seconds.",
            "Limit 10000, Used 8554, Requested 3082",
            "You sent 60 requests in 60 seconds. Please try again later.",
            "Rate limit of 50 per 86400s exceeded for UserByModelByDay.",
            "Requests per minute: 60. Try again in 2026",
            "Try again at 2026-01-15T12:00:30Z",
            "You will regain access on 2026-09-01 at 00:00 UTC.",
            "retry after 2026-01-15 12:00:30",
            "Retry in 5",
            "retry after 5 requests",
            "retry after 3 failures",
            "Please wait for 5 more messages",
            "Answers in less than 2 seconds",
            "Valid only for 60 seconds",
            "Try again in 5-10 seconds",
            "Try again in -5 seconds",
            "Retry-After: -5 seconds",
            "Timed out waiting 20 seconds for a response",
            "Request timed out after 600 seconds",
            "Request exceeded the maximum wait time of 60 seconds",
            "The connection was reset after 30 seconds",
            "No response in 30 seconds, try again",
            "It awaits 5s",
            "Sorry. In 5s we are back.",
            "retry for 30 seconds",
            "not available for 30 days",
            "gpt-5 s",
            "again in v5s",
        ] {
            assert_eq!(ms(text), None, "{text}");
        }
    }

    #[test]
    fn a_long_text_is_searched_at_its_beginning_only() {
        let padding = |bytes: usize| "é ".repeat(bytes / 3);
        assert_eq!(ms(&[&padding(6_000), "retry in 5s"].concat()), Some(5_000));
        assert_eq!(ms(&[&padding(9_000), "retry in 5s"].concat()), None);
    }

    proptest! {
        #[test]
        fn what_stands_around_a_wait_changes_nothing(
            before in "[A-Za-z ,:`0-9]{0,60}[.!;] ",
            after in "[.!)] ([A-Za-z ,:`]{0,60})?",
            seconds in 0u64..100_000,
            millis in 0u64..1000,
        ) {
            let text = format!("{before}Please try again in {seconds}.{millis:03}s{after}");
            prop_assume!(longest(&before).is_none());
            prop_assert_eq!(ms(&text), Some(seconds * 1000 + millis), "{}", text);
        }

        #[test]
        fn no_text_panics(text in prop_oneof![any::<String>(), "(retry|wait|again|will reset|in|after|5|1\\.5|s|m| |-|é){0,30}"]) {
            let _ = longest(&text);
        }

        #[test]
        fn another_wait_never_makes_it_shorter(first in 0u64..1_000_000, second in 0u64..1_000_000) {
            let one = format!("Retry in {first}ms.");
            let both = format!("{one} Please wait {second} ms.");
            prop_assert_eq!(ms(&both), Some(first.max(second)));
            prop_assert!(ms(&both) >= ms(&one));
        }
    }
}
