//! What a body says of the wait: a member made for it, or its message.

use super::reset::{self, Reset};
use super::value::{self, Unit};
use super::{duration, told};
use crate::classify::json::Scalar;
use crate::clock::{DelayMs, WallMs};

/// How a member writes its delay.
#[derive(Clone, Copy)]
enum Form {
    /// A number of this unit, or a text that names its own.
    Number(Unit),
    /// Only a text that names its unit.
    Duration,
}

/// The members that state a delay wherever they stand. Their names ignore case.
///
/// `retry_after` is Cloudflare's, in seconds; `estimated_time` Hugging Face's; `retryDelay`
/// is that of `google.rpc.RetryInfo`; the others say their unit.
const DELAYS: &[(&str, Form)] = &[
    ("retry_after", Form::Number(Unit::Seconds)),
    ("retry-after", Form::Number(Unit::Seconds)),
    ("retry_after_seconds", Form::Number(Unit::Seconds)),
    ("retryAfterSeconds", Form::Number(Unit::Seconds)),
    ("retry_after_ms", Form::Number(Unit::Milliseconds)),
    ("retry-after-ms", Form::Number(Unit::Milliseconds)),
    ("retryAfterMs", Form::Number(Unit::Milliseconds)),
    ("estimated_time", Form::Number(Unit::Seconds)),
    ("retryDelay", Form::Duration),
    ("retry_delay", Form::Duration),
    ("retryAfter", Form::Duration),
];

/// The members that hold prose.
const PROSE: [&str; 8] = ["message", "error", "detail", "details", "msg", "raw", "title", "description"];

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
    /// Takes note of a scalar and of the keys above it.
    pub fn see(&mut self, keys: &[&str], scalar: &Scalar<'_>) {
        let text = match scalar {
            Scalar::Text(text) => text.as_ref(),
            Scalar::Number(number) => number,
            Scalar::Flag(_) | Scalar::Null => return,
        };
        let is_text = matches!(scalar, Scalar::Text(_));
        let (parent, key) = match keys {
            [.., parent, "[]"] => ("", *parent),
            [.., parent, key] => (*parent, *key),
            [key] => ("", *key),
            [] => ("", "message"),
        };
        let is = |name: &str| key.eq_ignore_ascii_case(name);
        if is_text && PROSE.iter().any(|name| is(name)) {
            self.told = self.told.max(told::longest(text));
        } else if let Some((_, form)) = DELAYS.iter().find(|(name, _)| is(name)) {
            self.stated = self.stated.max(delay(text, *form, is_text));
        } else if parent.eq_ignore_ascii_case("retryDelay") || parent.eq_ignore_ascii_case("retry_delay") {
            match key {
                "seconds" => self.seconds = self.seconds.max(value::number(text, Unit::Seconds)),
                "nanos" => self.nanos = self.nanos.max(value::number(text, Unit::Milliseconds).map(nanoseconds)),
                _ => {}
            }
        } else if parent == "headers" && is("x-ratelimit-reset") {
            self.reset = Reset::parse(text);
        } else if parent == "headers" && is("x-ratelimit-remaining") {
            self.spent = reset::is_spent(text);
        }
    }

    /// Takes note of a body that is not JSON.
    pub fn see_text(&mut self, body: &str) {
        self.told = self.told.max(told::longest(body));
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

fn delay(text: &str, form: Form, is_text: bool) -> Option<DelayMs> {
    let in_unit = if let Form::Number(unit) = form { value::number(text, unit) } else { None };
    in_unit.or_else(|| duration::parse(text).filter(|_| is_text))
}

fn nanoseconds(count: DelayMs) -> DelayMs {
    DelayMs::new(count.get().div_ceil(1_000_000))
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
        page.see_text("<h1>Please wait 12 seconds</h1>");
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
