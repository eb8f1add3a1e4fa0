//! Keys that are known by their shape, whoever they belong to.
//!
//! A shape must begin where no letter or digit stands before it (`task-force` holds no
//! `sk-force`), be long enough, and not read like a word (`sk-learn` is none either).

use std::ops::Range;

use super::escapes::Units;
use super::fields::LONG;
use super::pairs::is_word;

/// A prefix, the shortest rest that makes it a key, and what the rest is made of.
type Shape = (&'static str, usize, fn(u8) -> bool);

/// `sk-` is that of OpenAI, Anthropic (`sk-ant-`), OpenRouter (`sk-or-`), DeepSeek and others;
/// `AQ.`, `ABSK` and `bedrock-api-key-` are the newer ones of Google and Bedrock.
#[rustfmt::skip]
const SHAPES: &[Shape] = &[
    ("sk-", 8, is_key), ("sk_", 24, is_key), ("csk-", 24, is_key), ("xai-", 24, is_key),
    ("pplx-", 24, is_key), ("nvapi-", 24, is_key), ("gsk_", 20, is_key), ("hf_", 20, is_key),
    ("r8_", 24, is_key), ("fw_", 20, is_key), ("tgp_", 20, is_key), ("jina_", 24, is_key),
    ("vck_", 24, is_key), ("sess-", 24, is_key), ("dapi", 32, is_key),
    ("cfut_", 24, is_key), ("cfat_", 24, is_key), ("cfk_", 24, is_key),
    ("AIza", 20, is_key), ("AQ.", 24, is_dotted), ("ya29.", 20, is_dotted),
    ("ABSK", 40, is_token), ("bedrock-api-key-", 40, is_token),
    ("ghp_", 20, is_key), ("gho_", 20, is_key), ("ghu_", 20, is_key), ("ghs_", 20, is_key),
    ("ghr_", 20, is_key), ("github_pat_", 20, is_key),
    ("AKIA", 16, is_upper), ("ASIA", 16, is_upper),
];

const SCHEMES: [&str; 2] = ["bearer", "basic"];
const JSON_WEB_TOKEN: &str = "eyJ";

/// OpenAI quotes a wrong key with stars in the middle.
fn is_key(byte: u8) -> bool {
    is_word(byte) || byte == b'*'
}

fn is_dotted(byte: u8) -> bool {
    is_word(byte) || byte == b'.'
}

/// The `token68` of RFC 9110 section 11.2, and stars.
fn is_token(byte: u8) -> bool {
    is_key(byte) || b".~+/=".contains(&byte)
}

fn is_upper(byte: u8) -> bool {
    byte.is_ascii_uppercase() || byte.is_ascii_digit()
}

/// A run of characters and what it is made of.
#[derive(Default)]
struct Run {
    /// Without full stops at the end.
    end: usize,
    len: usize,
    digits: usize,
    /// Capitals behind another letter.
    inner_capitals: usize,
    /// Capitals behind a small letter.
    humps: usize,
}

impl Run {
    fn at(text: &str, start: usize, set: fn(u8) -> bool) -> Run {
        let mut run = Run { end: start, ..Run::default() };
        let mut last = 0_u8;
        for unit in Units::from(text, start).take_while(|unit| set(unit.byte)) {
            if unit.byte != b'.' {
                run.end = unit.end;
            }
            run.len += 1;
            run.digits += usize::from(unit.byte.is_ascii_digit() || unit.byte == b'*');
            if unit.byte.is_ascii_uppercase() {
                run.inner_capitals += usize::from(last.is_ascii_alphabetic());
                run.humps += usize::from(last.is_ascii_lowercase());
            }
            last = unit.byte;
        }
        run
    }
}

/// Whether a shape may begin with the character: a quick look before [`in_text`].
pub(super) fn may_begin(first: u8, second: Option<u8>) -> bool {
    let seconds = BEGINNINGS.get(usize::from(first & 31));
    seconds.zip(second).is_some_and(|(seconds, second)| seconds >> (second & 31) & 1 != 0)
}

/// For the first letter of a shape, those that may be the second: in five bits, which tell letters apart.
static BEGINNINGS: [u32; 32] = {
    let mut beginnings = [0; 32];
    let mut at = 0;
    while at < SHAPES.len() + SCHEMES.len() + 1 {
        let begins = match at.checked_sub(SHAPES.len()) {
            None => SHAPES[at].0,
            Some(scheme) if scheme < SCHEMES.len() => SCHEMES[scheme],
            Some(_) => JSON_WEB_TOKEN,
        };
        let bytes = begins.as_bytes();
        beginnings[(bytes[0] & 31) as usize] |= 1 << (bytes[1] & 31);
        at += 1;
    }
    beginnings
};

/// The part to mask of the shape that begins at `start`, behind the character `before`.
pub(super) fn in_text(text: &str, start: usize, before: u8) -> Option<Range<usize>> {
    let rest = text.get(start..)?;
    let first = rest.bytes().next()?;
    // Most words part from every shape at their first letter.
    let begins = |prefix: &str| prefix.bytes().next() == Some(first) && rest.starts_with(prefix);
    if let Some(shape) = SHAPES.iter().find(|(prefix, ..)| begins(prefix)) {
        let &(prefix, min, set) = shape;
        let run = Run::at(text, start + prefix.len(), set);
        let is_random = run.digits > 0 || run.inner_capitals > 0 || run.len >= LONG;
        return (run.len >= min && is_random).then_some(start..run.end);
    }
    match first {
        b'e' if !is_word(before) && rest.starts_with(JSON_WEB_TOKEN) => json_web_token(text, start),
        b'B' | b'b' => scheme_value(text, start, rest),
        _ => None,
    }
}

/// The value behind the word `Bearer` or `Basic`. Prose has a plain word there, and a
/// challenge (RFC 9110 section 11.6.1) the name of a parameter.
fn scheme_value(text: &str, start: usize, rest: &str) -> Option<Range<usize>> {
    let scheme = SCHEMES
        .into_iter()
        .find(|scheme| rest.get(..scheme.len()).is_some_and(|word| word.eq_ignore_ascii_case(scheme)))?;
    let gap = start + scheme.len();
    let from = Units::from(text, gap).find(|unit| !b" \t+:".contains(&unit.byte))?.start;
    let run = Run::at(text, from, is_token);
    // No word that follows a scheme in prose ("Basic authentication") is so long, and a
    // parameter of a challenge is one with a value.
    let found = text.get(from..).unwrap_or_default();
    let is_parameter = found.get(..run.end - from + 1).is_some_and(|found| found.ends_with("=\""));
    let is_random = run.digits > 0 || run.humps > 1 || run.len >= 16 && !is_parameter;
    (from > gap && run.len >= 8 && is_random).then_some(from..run.end)
}

/// A JWT (RFC 7519): parts in base64url between dots, of which an encrypted one may be empty.
fn json_web_token(text: &str, start: usize) -> Option<Range<usize>> {
    let header = Run::at(text, start, is_word);
    // Asked first: a row of short ones would have the rest read again at each.
    if header.len < 10 {
        return None;
    }
    let rest = Run::at(text, header.end, is_dotted);
    (rest.end >= header.end + 5).then_some(start..rest.end)
}

#[cfg(test)]
mod tests {
    use crate::redact::Masker;

    #[test]
    fn every_known_key_is_masked_wherever_a_word_may_begin() {
        for key in [
            "sk-abcdefghijklmnopqrstuvwx1234",
            "sk-SECRET-1",
            "sk-proj-Ab_9-xyz",
            "sk-ant-api03-abcdefghij",
            "sk-or-v1-0123456789abcdef",
            "sk-proj-********wxyz",
            "AIzaSyA0123456789abcdefghijklmnopqrstu",
            "xai-abcdefghij0123456789abcd",
            "gsk_abcdefghij0123456789",
            "hf_abcdefghijKLMNOPqrst",
            "pplx-abcdefghij0123456789abcd",
            "sk-svcacct-abcdefghij0123456789",
            "sk_abcdefghij0123456789abcd",
            "fw_abcdefghij0123456789",
            "tgp_v1_abcdefghij0123456789",
            "jina_abcdefghij0123456789abcd",
            "vck_abcdefghij0123456789abcd",
            "sess-abcdefghij0123456789abcd",
            "dapi0123456789abcdef0123456789abcdef",
            "cfut_abcdefghij0123456789abcd",
            "nvapi-abcdefghij0123456789abcd",
            "r8_abcdefghij0123456789abcd",
            "AQ.Ab8RN6abcdefghij0123456789",
            "ABSKQmVkcm9ja0FQSUtleS1hYmNkZWZnaGlqMDEyMzQ1Njc4OQ+/==",
            "bedrock-api-key-YmVkcm9jay5hbWF6b25hd3MuY29tLz9BY3Rpb249Q2Fsb",
            "ghp_abcdefghij0123456789",
            "github_pat_11ABCDEFG0abcdefghij",
            "ya29.a0AfH6SMBx.yz-0123456789",
            "AKIAIOSFODNN7EXAMPLE",
            "ASIAIOSFODNN7EXAMPLE",
            "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.dBjftJeZ4CVP",
            "eyJhbGciOiJkaXIifQ..iv_0.cipher.tag",
        ] {
            for (before, after) in [("", ""), ("key ", "."), ("(", ")"), ("\"", "\""), ("%3D", "%26"), ("\\n", "\\n")] {
                let masked = Masker::default().mask(&[before, key, after].concat()).into_owned();
                assert_eq!(masked, [before, "REDACTED", after].concat(), "{key}");
            }
            let glued = ["x", key].concat();
            assert_eq!(Masker::default().mask(&glued) == glued, !key.contains(".eyJ"), "{key}");
        }
    }

    #[test]
    fn the_value_of_a_scheme_is_masked_and_the_scheme_is_kept() {
        for (text, masked) in [
            ("Bearer SECRET-2", "Bearer REDACTED"),
            ("sent Bearer abcdefghijklmnop.", "sent Bearer REDACTED."),
            ("bearer%20abc%2Bdef123%3D failed", "bearer%20REDACTED failed"),
            ("BASIC  dXNlcjpwYXNzd29y.", "BASIC  REDACTED."),
            ("Basic Zm9vOmJhcg==, x", "Basic REDACTED, x"),
        ] {
            assert_eq!(Masker::default().mask(text), masked);
        }
    }

    #[test]
    fn words_that_begin_like_a_key_are_kept() {
        for text in [
            "sk-learn and scikit-learn",
            "sk-learn-contrib",
            "task-force1234567",
            "risk-free",
            "hf_transformers_lib",
            "pplx-70b-chat",
            "fw_bar and tgp_",
            "dapi-version",
            "sess-ion",
            "sk_learn_model_selection",
            "bedrock-api-key-rotation",
            "AKIA",
            "ASIA-PACIFIC-REGION-2024",
            "Asian markets",
            "eyJust.a.word",
            "eyJhbGciOiJIUzI1NiJ9",
            "bearer of news",
            "Basic authentication required",
            "BASIC AUTHENTICATION",
            "a Bearer token is needed",
            "Bearer realm=\"api\", error=\"invalid_token\"",
            "Bearer authorization_uri=\"https://login.example\"",
            "basic JavaScript",
            "Bearer <token>",
            "Bearer $API_KEY",
        ] {
            assert_eq!(Masker::default().mask(text), text);
        }
    }
}
