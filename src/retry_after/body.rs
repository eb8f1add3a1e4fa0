//! What a body says of the wait: a member made for it, or its message.

use super::reset::{self, Reset};
use super::value::{self, Unit};
use super::{duration, told};
use crate::classify::json::Scalar;
use crate::clock::{DelayMs, WallMs};
use crate::scan::part;

/// The members that are read, by name, wherever they stand. Names ignore case.
///
/// First those of a delay. `retry_after` is Cloudflare's, in seconds; `estimated_time`
/// Hugging Face's; `retryDelay` is that of `google.rpc.RetryInfo`; a bare number in
/// `retryAfter` could be either. Then those of prose.
const MEMBERS: [&str; 23] = [
    "retry_after_ms",
    "retryAfterMs",
    "retry-after-ms",
    "retry_after",
    "retry_after_seconds",
    "retryAfterSeconds",
    "retry-after",
    "estimated_time",
    "retryDelay",
    "retry_delay",
    "retryAfter",
    "message",
    "error",
    "detail",
    "details",
    "msg",
    "raw",
    "title",
    "description",
    "seconds",
    "nanos",
    "x-ratelimit-reset",
    "x-ratelimit-remaining",
];

// Places in `MEMBERS`: where each group ends.
const IN_MS: usize = 3;
const IN_SECONDS: usize = 8;
const WITH_UNIT: usize = 11;
const PROSE: usize = 19;
const SECONDS: usize = 19;
const NANOS: usize = 20;
const RESET: usize = 21;
const REMAINING: usize = 22;

/// What a body says of the wait, gathered while it is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BodyHints {
    stated: Option<DelayMs>,
    told: Option<DelayMs>,
    /// The two members of a protobuf `Duration`.
    seconds: Option<DelayMs>,
    nanos: Option<DelayMs>,
    /// Headers that a router passes on in the body, as OpenRouter does.
    reset: Option<Reset>,
    spent: Option<bool>,
}

impl BodyHints {
    /// Takes note of a scalar and of the keys above it; a text without keys is a body that is
    /// prose.
    pub fn see(&mut self, keys: &[&str], scalar: &Scalar<'_>) {
        let text = match scalar {
            Scalar::Text(text) => text.as_ref(),
            Scalar::Number(number) => number,
            Scalar::Flag(_) | Scalar::Null => return,
        };
        let (parent, key) = match keys {
            [.., parent, "[]"] => ("", *parent),
            [.., parent, key] => (*parent, *key),
            [key] => ("", *key),
            [] => ("", "message"),
        };
        let Some(place) = place_of(key) else { return };
        let is_text = matches!(scalar, Scalar::Text(_));
        let is_duration = || (IN_SECONDS..WITH_UNIT).contains(&place_of(parent).unwrap_or(usize::MAX));
        let of_its_own_unit = || duration::parse(text).filter(|_| is_text);
        let stated = match place {
            ..IN_MS => value::number(text, Unit::Milliseconds).or_else(of_its_own_unit),
            IN_MS..IN_SECONDS => value::number(text, Unit::Seconds).or_else(of_its_own_unit),
            IN_SECONDS..WITH_UNIT => of_its_own_unit(),
            _ => None,
        };
        self.stated = self.stated.max(stated);
        match place {
            WITH_UNIT..PROSE if is_text => self.told = self.told.max(told::longest(text)),
            SECONDS if is_duration() => self.seconds = self.seconds.max(value::number(text, Unit::Seconds)),
            NANOS if is_duration() => self.nanos = self.nanos.max(nanoseconds(text)),
            RESET if parent == "headers" => self.reset = Reset::parse(text),
            REMAINING if parent == "headers" => self.spent = reset::is_spent(text),
            _ => {}
        }
    }

    /// Takes note of the beginning of a text that was cut, which counts as prose only.
    pub fn see_begun(&mut self, keys: &[&str], text: &str) {
        // The last word may lack its end: "5m" of "5ms".
        let end = text.bytes().rposition(|byte| byte == b' ').unwrap_or(0);
        let mut seen = BodyHints::default();
        seen.see(keys, &Scalar::Text(part(text, 0, end).into()));
        self.told = self.told.max(seen.told);
    }

    /// The wait: what a member states, before what the message tells.
    ///
    /// A message rounds and speaks of other things too; a member is made for the purpose.
    pub(super) fn delay(&self) -> Option<DelayMs> {
        let duration = self.seconds.map(|seconds| seconds.plus(self.nanos.unwrap_or_default())).or(self.nanos);
        self.stated.max(duration).or(self.told)
    }

    /// The reset of a bucket that the body says is spent, or does not say is not.
    pub(super) fn reset(&self, sent_at: WallMs) -> Option<DelayMs> {
        self.reset.filter(|_| self.spent != Some(false)).map(|reset| reset.since(sent_at))
    }
}

fn place_of(key: &str) -> Option<usize> {
    let lengths = LENGTHS.get(usize::from(key.bytes().next()? & 31))?;
    // Few keys begin as one of the members does and are as long.
    if lengths >> (key.len() & 31) & 1 == 0 {
        return None;
    }
    MEMBERS.iter().position(|name| name.eq_ignore_ascii_case(key))
}

/// For each first letter, how long the members are that begin with it.
static LENGTHS: [u32; 32] = {
    let mut lengths = [0; 32];
    let mut at = 0;
    while at < MEMBERS.len() {
        let name = MEMBERS[at].as_bytes();
        lengths[(name[0] & 31) as usize] |= 1 << (name.len() & 31);
        at += 1;
    }
    lengths
};

fn nanoseconds(text: &str) -> Option<DelayMs> {
    let count = value::number(text, Unit::Milliseconds)?.get();
    Some(DelayMs::new(count.div_ceil(1_000_000)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::classify::json;
    use proptest::prelude::*;

    /// Thu, 15 Jan 2026 12:00:00 GMT
    const NOW: WallMs = WallMs(1_768_478_400_000);

    fn read(body: &str) -> BodyHints {
        let mut hints = BodyHints::default();
        json::walk(body, &mut |keys, scalar| hints.see(keys, &scalar));
        hints
    }

    fn ms(body: &str) -> Option<u64> {
        read(body).delay().map(DelayMs::get)
    }

    #[test]
    fn a_member_that_states_the_delay_is_read_in_its_unit() {
        for (body, expected) in [
            (
                r#"{"error":{"details":[{"@type":"type.googleapis.com/google.rpc.RetryInfo","retryDelay":"34s"}]}}"#,
                34_000,
            ),
            (r#"[{"error":{"details":[{"retryDelay":"34.074824224s"}]}}]"#, 34_075),
            (r#"{"error":{"details":[{"retryDelay":{"seconds":"34","nanos":74824224}}]}}"#, 34_075),
            (r#"{"error":{"details":[{"retryDelay":{"seconds":34}}]}}"#, 34_000),
            (r#"{"error":{"details":[{"retryDelay":{"nanos":500000000}}]}}"#, 500),
            (r#"{"error":{"code":429,"metadata":{"retry_after_seconds":7}}}"#, 7_000),
            (r#"{"error":{"metadata":{"retry_after_seconds":"0.5"}}}"#, 500),
            (r#"{"error":{"metadata":{"headers":{"Retry-After":"12"}}}}"#, 12_000),
            (r#"{"error":"Model m is currently loading","estimated_time":20.123456}"#, 20_124),
            (r#"{"retry_after_ms":1500}"#, 1_500),
            (r#"{"error":{"retryAfterMs":"1500.2"}}"#, 1_501),
            (r#"{"status":530,"retry_after":120}"#, 120_000),
            (r#"{"retryAfter":"20s"}"#, 20_000),
            (r#"{"retry_after":0}"#, 0),
        ] {
            assert_eq!(ms(body), Some(expected), "{body}");
        }
    }

    #[test]
    fn a_member_is_known_however_its_name_is_escaped() {
        for (body, expected) in [
            (r#"{"error":{"retry\u005fafter_ms":1500}}"#, 1_500),
            (r#"{"error":{"details":[{"\u0072etryDelay":{"second\u0073":34}}]}}"#, 34_000),
            (r#"{"error":{"messag\u0065":"try again in 5s"}}"#, 5_000),
        ] {
            assert_eq!(ms(body), Some(expected), "{body}");
        }
    }

    #[test]
    fn of_what_was_cut_only_the_whole_words_of_prose_count() {
        let cut = |body: &str| {
            let mut hints = BodyHints::default();
            let walked = json::walk_first(body, json::Dialect::Json, &mut |_, _| {});
            walked.begun(&mut |keys, text| hints.see_begun(keys, text));
            hints.delay().map(DelayMs::get)
        };
        assert_eq!(cut(r#"{"error":{"message":"Please try again in 5s. Vis"#), Some(5_000));
        for body in [
            r#"{"error":{"message":"Please try again in 5m"#,
            r#"{"error":{"message":"5s"#,
            r#"{"error":{"retryDelay":"5s"#,
            r#"{"error":{"retry_after":"12 "#,
            r#"{"error":{"retryDelay":{"seconds":"3 "#,
            r#"{"error":{"metadata":{"headers":{"X-RateLimit-Reset":"3 "#,
        ] {
            assert_eq!(cut(body), None, "{body}");
        }
    }

    #[test]
    fn a_member_whose_value_or_unit_is_unclear_is_none() {
        for body in [
            r#"{"retryAfter":20}"#,
            r#"{"retryDelay":20}"#,
            r#"{"retry_after":-1}"#,
            r#"{"retry_after":"soon"}"#,
            r#"{"retry_after":null}"#,
            r#"{"retry_after":true}"#,
            r#"{"retry_after":1e3}"#,
            r#"{"seconds":34}"#,
            r#"{"error":{"code":429,"limit":60,"created":1768478400}}"#,
            r#"{"retryable":5}"#,
        ] {
            assert_eq!(ms(body), None, "{body}");
        }
    }

    #[test]
    fn the_member_wins_over_the_message_and_the_longest_member_over_the_others() {
        assert_eq!(ms(r#"{"error":{"message":"Please retry in 36.4s.","retry_after":36}}"#), Some(36_000));
        assert_eq!(ms(r#"{"error":{"retry_after":36,"message":"Please retry in 36.4s."}}"#), Some(36_000));
        assert_eq!(ms(r#"{"retry_after":5,"retry_after_ms":7000}"#), Some(7_000));
        assert_eq!(ms(r#"{"retry_after_ms":7000,"retry_after":5}"#), Some(7_000));
        assert_eq!(ms(r#"{"error":{"message":"Please retry in 36.4s.","retry_after":"soon"}}"#), Some(36_400));
    }

    #[test]
    fn prose_is_read_where_messages_stand_and_nowhere_else() {
        for body in [
            r#"{"error":{"message":"try again in 5s"}}"#,
            r#"{"message":"try again in 5s"}"#,
            r#"{"error":"try again in 5s"}"#,
            r#"{"detail":"try again in 5s"}"#,
            r#"{"errors":[{"message":"try again in 5s"}]}"#,
            r#"{"error":["try again in 5s"]}"#,
            r#"{"error":{"metadata":{"raw":"try again in 5s"}}}"#,
            r#""try again in 5s""#,
        ] {
            assert_eq!(ms(body), Some(5_000), "{body}");
        }
        assert_eq!(ms(r#"{"choices":[{"message":{"content":"try again in 5s"}}]}"#), None);
        let mut page = BodyHints::default();
        page.see(&[], &Scalar::Text("<h1>Please wait 12 seconds</h1>".into()));
        assert_eq!(page.delay().map(DelayMs::get), Some(12_000));
    }

    #[test]
    fn headers_that_a_router_passes_on_are_a_reset() {
        let reset = |headers: &str| {
            let hints = read(&[r#"{"error":{"metadata":{"headers":{"#, headers, "}}}}"].concat());
            assert_eq!(hints.delay(), None);
            hints.reset(NOW).map(DelayMs::get)
        };
        assert_eq!(reset(r#""X-RateLimit-Remaining":"0","X-RateLimit-Reset":"1768478460000""#), Some(60_000));
        assert_eq!(reset(r#""X-RateLimit-Reset":1768478460000"#), Some(60_000));
        assert_eq!(reset(r#""X-RateLimit-Remaining":"3","X-RateLimit-Reset":"1768478460000""#), None);
    }

    #[test]
    fn each_group_of_members_begins_where_the_one_before_it_ends() {
        for (name, place) in [
            ("retry_after", IN_MS),
            ("retryDelay", IN_SECONDS),
            ("message", WITH_UNIT),
            ("seconds", SECONDS),
            ("nanos", NANOS),
            ("x-ratelimit-reset", RESET),
            ("x-ratelimit-remaining", REMAINING),
        ] {
            assert_eq!(place_of(name), Some(place), "{name}");
        }
    }

    proptest! {
        #[test]
        fn seconds_are_a_thousand_milliseconds(seconds in 0u64..1_000_000_000) {
            prop_assert_eq!(ms(&format!(r#"{{"retry_after":{seconds}}}"#)), ms(&format!(r#"{{"retry_after_ms":{seconds}000}}"#)));
        }

        #[test]
        fn no_body_panics(
            name in prop_oneof![Just("message"), Just("retryDelay"), Just("retry_after"), Just("nanos"), Just("X-RateLimit-Reset")],
            value in prop_oneof![any::<String>(), "[0-9.smh-]{0,30}"],
            number in "-?[0-9]{1,40}(\\.[0-9]{1,20})?",
        ) {
            let value = serde_json::to_string(&value).unwrap();
            for member in [&value, &number] {
                let hints = read(&format!(r#"{{"retryDelay":{{"{name}":{member}}},"headers":{{"{name}":{member}}},"{name}":{member}}}"#));
                let _ = (hints.delay(), hints.reset(NOW));
            }
        }
    }
}
