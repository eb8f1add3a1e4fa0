//! Header fields in a free text: `{"x-api-key": "…"}`, `Cookie: …`, `Authorization:[…]`.
//! Providers and proxies echo in their errors what they were sent.

use std::ops::Range;

use super::escapes::{Unit, Units};
use super::names::{self, Field};
use super::pairs::{self, Name, is_closing, is_quote};

/// The shortest unquoted value that is masked behind a colon.
const MIN_BARE: usize = 6;

/// The shortest quoted value that is masked behind a plain English word.
const MIN_QUOTED: usize = 4;

/// A run this long is no prose, whatever it is made of.
pub(super) const LONG: usize = 32;

/// The value behind the separator `sep` of a sensitive field in a free text. Prose has none.
pub(super) fn in_text(
    text: &str,
    name: &Name,
    sep: &Unit,
    headers: &[String],
    query: &[String],
) -> Option<Range<usize>> {
    let field = names::field(&name.decoded(text), headers, query)?;
    let mut in_list = false;
    let first = Units::from(text, sep.end).find(|unit| {
        let is_arrow = unit.byte == b'>' && unit.start == sep.end;
        let is_bracket = unit.byte == b'[' && !in_list;
        in_list |= is_bracket;
        let is_gap = matches!(unit.byte, b' ' | b'\t' | b'\\') || name.quoted && matches!(unit.byte, b'\n' | b'\r');
        !(is_gap || is_arrow || is_bracket)
    })?;
    // An object, `==`, and the `::` of programs.
    if matches!(first.byte, b'{' | b'=' | b':') {
        return None;
    }
    let is_quoted = is_quote(first.byte);
    if in_list && (is_quoted || field != Field::Word) {
        return Some(up_to(text, first.start, sep.layers, b"]"));
    }
    if is_quoted {
        let value = quoted(text, &first);
        return (name.quoted || field != Field::Word || value.len() >= MIN_QUOTED).then_some(value);
    }
    if field == Field::Line && !name.quoted {
        return Some(up_to(text, first.start, sep.layers, b"\"<\\\n\r"));
    }
    let value = pairs::bare(text, first.start, sep.layers, true, true);
    let is_glued = sep.byte == b'=' && !name.apart && first.start == sep.end;
    let run = text.get(value.clone()).unwrap_or_default();
    (is_glued || is_random(run, field)).then_some(value)
}

/// What follows the opening quote, up to the closing one, the end of the line or that of a
/// text that was cut.
fn quoted(text: &str, open: &Unit) -> Range<usize> {
    let (start, depth) = (open.end, quote_depth(text, open));
    for unit in Units::from(text, start) {
        if unit.byte == open.byte && quote_depth(text, &unit) <= depth {
            // Backslashes before an escaped quote are a part of its escape.
            let value = text.get(start..unit.start).unwrap_or_default();
            let escape = if unit.escaped { backslashes_behind(value) } else { 0 };
            return start..unit.start - escape;
        }
        if unit.byte == b'\n' && unit.layers == 0 && !unit.escaped {
            return start..unit.start;
        }
    }
    start..text.len()
}

/// How deeply a quote is escaped. One that is escaped more deeply than the opening quote
/// stands inside the value.
fn quote_depth(text: &str, quote: &Unit) -> usize {
    let before = text.get(..quote.end - 1).filter(|_| quote.escaped).unwrap_or_default();
    usize::from(quote.layers) + backslashes_behind(before)
}

/// How many backslashes a text ends with.
fn backslashes_behind(text: &str) -> usize {
    text.bytes().rev().take_while(|byte| *byte == b'\\').count()
}

/// The value up to one of `stops`, without the blanks and the punctuation at its end.
fn up_to(text: &str, start: usize, layers: u8, stops: &[u8]) -> Range<usize> {
    let value = Units::from(text, start).take_while(|unit| !stops.contains(&unit.at(layers)));
    let closing = |unit: &Unit| is_closing(unit.at(layers)) || unit.at(layers) == b' ';
    start..value.filter(|unit| !closing(unit)).last().map_or(start, |unit| unit.end)
}

/// Whether an unquoted value is no prose. A value that begins with one that is none is none
/// either: that keeps masking idempotent.
fn is_random(value: &str, field: Field) -> bool {
    let digits = value.bytes().filter(u8::is_ascii_digit).count();
    let dense = digits > 0 || field != Field::Word || value.len() >= LONG;
    value.len() >= MIN_BARE && digits < value.len() && dense
}

#[cfg(test)]
mod tests {
    use crate::redact::Masker;

    fn assert_masked(cases: &[(&str, &str)]) {
        for (text, masked) in cases {
            assert_eq!(Masker::default().mask(text), *masked);
        }
    }

    #[test]
    fn a_quoted_value_ends_at_the_quote_that_opened_it() {
        assert_masked(&[
            (r#"{"x-api-key":"abc","a":1}"#, r#"{"x-api-key":"REDACTED","a":1}"#),
            (r#"{"X-Api-Key" : "a\"b", "a": 1}"#, r#"{"X-Api-Key" : "REDACTED", "a": 1}"#),
            (r#"{\"password\":\"a\\\"b\",\"a\":1}"#, r#"{\"password\":\"REDACTED\",\"a\":1}"#),
            (r"{ authorization: 'Key ab\'c', accept: '*/*' }", r"{ authorization: 'REDACTED', accept: '*/*' }"),
            ("%22cookie%22%3A%22a%3Db%22%2C%22a%22", "%22cookie%22%3A%22REDACTED%22%2C%22a%22"),
            ("{'my_secret': 'ab' }", "{'my_secret': 'REDACTED' }"),
            (r#""authorization"=>"Key abc", "a""#, r#""authorization"=>"REDACTED", "a""#),
            (r#"{"token":"ab"}"#, r#"{"token":"REDACTED"}"#),
            (r#"{"token":"cut he"#, r#"{"token":"REDACTED"#),
        ]);
    }

    #[test]
    fn a_list_is_masked_as_a_whole() {
        assert_masked(&[
            (r#"{"authorization":["S8", "S9"],"a":["b"]}"#, r#"{"authorization":[REDACTED],"a":["b"]}"#),
            (
                "map[Accept:[*/*] Authorization:[Key abc] X-Api-Key:[abc]]",
                "map[Accept:[*/*] Authorization:[REDACTED] X-Api-Key:[REDACTED]]",
            ),
        ]);
    }

    #[test]
    fn an_unquoted_value_is_a_run_or_a_line() {
        assert_masked(&[
            ("> Authorization: Digest a=b, c=d\n> Accept: */*", "> Authorization: REDACTED\n> Accept: */*"),
            ("set-cookie: sid=abc; Path=/\r\nage: 5", "set-cookie: REDACTED\r\nage: 5"),
            (r#"{"log":"Cookie: a=b; c=d\nHost: h"}"#, r#"{"log":"Cookie: REDACTED\nHost: h"}"#),
            ("x-api-key: abcdef (see docs)", "x-api-key: REDACTED (see docs)"),
            ("client_secret=abc&a=b", "client_secret=REDACTED&a=b"),
            ("(token=ab1).", "(token=REDACTED)."),
            ("password: hunter2, again", "password: REDACTED, again"),
        ]);
    }

    #[test]
    fn prose_and_plain_json_are_kept() {
        for text in [
            "Unexpected token: foo in JSON at position 4",
            "invalid session: expired",
            "password: at least 12 characters",
            "Missing Authorization header. Cookie consent is off.",
            r#"{"error":{"code":"invalid_api_key","param":"api_key","session":null}}"#,
            r#"{"token_count":12,"max_token": 4096,"next_page_token": true,"credential":{"a":"b"}}"#,
            "if (token == null || token==nil) passwd::check_it(), cookie: { secure: true }",
            "prompt_tokens: 123456, code: 429, key: value, error code=overloaded_error",
        ] {
            assert_masked(&[(text, text)]);
        }
    }
}
