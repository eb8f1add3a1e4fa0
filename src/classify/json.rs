//! A tolerant walk over JSON: it reports scalars with the keys above them, and whether the
//! text is whole, cut short or not JSON. It builds no tree, so a bound on the text bounds
//! the work, and a body that was cut at a limit still gives what came before the cut.

use crate::scan::{either, find, from, part};
use std::borrow::Cow;

/// What a text turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shape {
    /// One JSON value and nothing else.
    Whole,
    /// The beginning of a JSON object or array.
    CutShort,
    /// Anything else.
    NotJson,
}

/// A scalar in the text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scalar<'t> {
    /// A string, unescaped.
    Text(Cow<'t, str>),
    /// A number, as it is spelled.
    Number(&'t str),
    /// `true` or `false`.
    Flag(bool),
    /// `null`.
    Null,
}

/// Keys deeper than this are not reported; what they hold is still checked.
const DEPTH_REPORTED: usize = 8;
/// Deeper nesting than this is not JSON that any provider sends.
const DEPTH_ALLOWED: usize = 512;

/// Walks `text`. `visit` is given the keys from the top (an array's members have the key
/// `"[]"`) and the scalar they lead to.
pub fn walk<'t>(text: &'t str, visit: &mut dyn FnMut(&[&'t str], Scalar<'t>)) -> Shape {
    match walk_first(text, Dialect::Json, visit) {
        (Shape::Whole, rest) if !rest.is_empty() => Shape::NotJson,
        (shape, _) => shape,
    }
}

/// How strict a walk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// JSON.
    Json,
    /// JSON as well as what Python prints of the same value: `'` for quotes, `None`, `True`,
    /// `False`. Proxies quote their provider's error so.
    Repr,
}

/// Walks the first value of `text`, and gives what follows it, without leading space; nothing
/// where the value is not whole.
pub fn walk_first<'t>(
    text: &'t str,
    dialect: Dialect,
    visit: &mut dyn FnMut(&[&'t str], Scalar<'t>),
) -> (Shape, &'t str) {
    let text = text.trim_start_matches('\u{feff}');
    Walker { text, dialect, at: 0, keys: Vec::new(), open: Vec::new() }.run(visit)
}

struct Walker<'t> {
    text: &'t str,
    dialect: Dialect,
    at: usize,
    keys: Vec<&'t str>,
    /// For each open container, whether it is an object.
    open: Vec<bool>,
}

/// The walk ended early.
enum Stop {
    Cut,
    Wrong,
}

impl<'t> Walker<'t> {
    fn run(mut self, visit: &mut dyn FnMut(&[&'t str], Scalar<'t>)) -> (Shape, &'t str) {
        match self.value(visit) {
            Ok(()) => {
                self.space();
                (Shape::Whole, from(self.text, self.at))
            }
            // A cut scalar at the top ("tru", a lone quote) is no sign of JSON.
            Err(Stop::Cut) if !self.open.is_empty() => (Shape::CutShort, ""),
            Err(_) => (Shape::NotJson, ""),
        }
    }

    /// Whether a string begins here.
    fn quoted(&self) -> Result<bool, Stop> {
        let byte = self.peek()?;
        Ok(byte == b'"' || (byte == b'\'' && self.dialect == Dialect::Repr))
    }

    /// One value with all that is in it. Containers are kept on a stack of our own, so that
    /// no text can exhaust the machine's.
    fn value(&mut self, visit: &mut dyn FnMut(&[&'t str], Scalar<'t>)) -> Result<(), Stop> {
        loop {
            self.space();
            match self.peek()? {
                b'{' => self.enter(true)?,
                b'[' => self.enter(false)?,
                _ => {
                    let scalar = self.scalar()?;
                    if self.keys.len() <= DEPTH_REPORTED {
                        visit(&self.keys, scalar);
                    }
                }
            }
            if self.next_member()? {
                return Ok(());
            }
        }
    }

    fn enter(&mut self, object: bool) -> Result<(), Stop> {
        if self.open.len() >= DEPTH_ALLOWED {
            return Err(Stop::Wrong);
        }
        self.at += 1;
        self.open.push(object);
        self.keys.push("");
        Ok(())
    }

    /// Steps to the next member's value; `true` when the outermost value has ended.
    fn next_member(&mut self) -> Result<bool, Stop> {
        loop {
            let Some(&object) = self.open.last() else { return Ok(true) };
            self.space();
            let first = self.keys.last().is_some_and(|key| key.is_empty());
            match (self.peek()?, object) {
                (b'}', true) | (b']', false) => {
                    self.at += 1;
                    self.open.pop();
                    self.keys.pop();
                    continue;
                }
                (b',', _) if !first => {
                    self.at += 1;
                    self.space();
                }
                _ if first => {}
                _ => return Err(Stop::Wrong),
            }
            let key = if object { self.key()? } else { "[]" };
            if let Some(slot) = self.keys.last_mut() {
                // An empty key would look like "no member yet".
                *slot = if key.is_empty() { "\"\"" } else { key };
            }
            return Ok(false);
        }
    }

    fn key(&mut self) -> Result<&'t str, Stop> {
        if !self.quoted()? {
            return Err(Stop::Wrong);
        }
        let (key, _) = self.raw_string()?;
        self.space();
        if self.peek()? != b':' {
            return Err(Stop::Wrong);
        }
        self.at += 1;
        Ok(key)
    }

    fn scalar(&mut self) -> Result<Scalar<'t>, Stop> {
        if self.quoted()? {
            let (raw, is_escaped) = self.raw_string()?;
            return Ok(Scalar::Text(if is_escaped { Cow::Owned(unescape(raw)) } else { Cow::Borrowed(raw) }));
        }
        let rest = from(self.text, self.at);
        let ends = |byte: u8| matches!(byte, b',' | b'}' | b']' | b' ' | b'\t' | b'\r' | b'\n');
        let end = rest.bytes().position(ends);
        let word = part(rest, 0, end.unwrap_or(rest.len()));
        self.at += word.len();
        // A word that runs to the end of the text may have lost its tail.
        let cut = end.is_none() && !self.open.is_empty();
        if is_number(word) {
            return if cut { Err(Stop::Cut) } else { Ok(Scalar::Number(word)) };
        }
        let of_dialect = if self.dialect == Dialect::Json { JSON_NAMES } else { NAMES.len() };
        let mut names = NAMES.iter().take(of_dialect);
        match names.find(|(name, _)| *name == word) {
            Some((_, Some(flag))) => Ok(Scalar::Flag(*flag)),
            Some((_, None)) => Ok(Scalar::Null),
            None if cut && is_begun(word) => Err(Stop::Cut),
            None => Err(Stop::Wrong),
        }
    }

    /// What stands between two quotes, escapes included, and whether there are any.
    fn raw_string(&mut self) -> Result<(&'t str, bool), Stop> {
        let quote = self.peek()?;
        self.at += 1;
        let start = self.at;
        let mut is_escaped = false;
        let bytes = self.text.as_bytes();
        loop {
            let rest = bytes.get(self.at..).ok_or(Stop::Cut)?;
            self.at += either(rest, quote, b'\\').ok_or(Stop::Cut)?;
            if bytes.get(self.at) == Some(&quote) {
                break;
            }
            is_escaped = true;
            self.at += 2;
        }
        let raw = part(self.text, start, self.at);
        self.at += 1;
        Ok((raw, is_escaped))
    }

    fn peek(&self) -> Result<u8, Stop> {
        self.text.as_bytes().get(self.at).copied().ok_or(Stop::Cut)
    }

    fn space(&mut self) {
        while matches!(self.text.as_bytes().get(self.at), Some(b' ' | b'\t' | b'\r' | b'\n')) {
            self.at += 1;
        }
    }
}

/// What is spelled out, in JSON and then in Python; `None` is null.
const NAMES: [(&str, Option<bool>); 6] = [
    ("true", Some(true)),
    ("false", Some(false)),
    ("null", None),
    ("True", Some(true)),
    ("False", Some(false)),
    ("None", None),
];
const JSON_NAMES: usize = 3;

/// Whether a word may go on to be a number or one of JSON's names.
fn is_begun(word: &str) -> bool {
    word == "-" || NAMES.iter().take(JSON_NAMES).any(|(name, _)| name.starts_with(word))
}

/// Loose on purpose: a number begins like one and holds nothing that a number cannot.
fn is_number(word: &str) -> bool {
    let digits = word.strip_prefix("-").unwrap_or(word).as_bytes();
    digits.first().is_some_and(u8::is_ascii_digit)
        && digits.iter().all(|b| b.is_ascii_digit() || matches!(b, b'.' | b'e' | b'E' | b'+' | b'-'))
}

fn unescape(raw: &str) -> String {
    let mut text = String::with_capacity(raw.len());
    let mut rest = raw;
    while let Some(at) = find(rest, b'\\') {
        text.push_str(part(rest, 0, at));
        rest = from(rest, at + 1);
        let (point, length) = match rest.as_bytes().first() {
            Some(b'u') => numbered(rest),
            Some(b'n') => (0x0a, 1),
            Some(b't') => (0x09, 1),
            Some(b'r') => (0x0d, 1),
            Some(b'b') => (0x08, 1),
            Some(b'f') => (0x0c, 1),
            Some(b'\\') => (0x5c, 1),
            // It stands for itself.
            _ => continue,
        };
        text.push(char::from_u32(point).unwrap_or(char::REPLACEMENT_CHARACTER));
        rest = from(rest, length);
    }
    text.push_str(rest);
    text
}

/// The code point that begins behind a backslash as `u00e9`, and the length of its escapes:
/// those beyond 16 bits are written as two, a high surrogate and a low one.
fn numbered(rest: &str) -> (u32, usize) {
    let unit = |at: usize| u32::from_str_radix(rest.get(at..at + 4)?, 16).ok();
    let Some(high) = unit(1) else { return (u32::MAX, 1) };
    if let Some(low @ 0xdc00..=0xdfff) =
        unit(7).filter(|_| matches!(high, 0xd800..=0xdbff) && part(rest, 5, 7) == "\\u")
    {
        return (0x10000 + ((high - 0xd800) << 10) + (low - 0xdc00), 11);
    }
    (high, 5)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(text: &str) -> (Vec<String>, Shape) {
        let mut seen = Vec::new();
        let shape = walk(text, &mut |keys, scalar| {
            let value = match scalar {
                Scalar::Text(text) => text.into_owned(),
                Scalar::Number(number) => number.to_owned(),
                Scalar::Flag(flag) => flag.to_string(),
                Scalar::Null => "null".to_owned(),
            };
            seen.push([keys.join("."), "=".to_owned(), value].concat());
        });
        (seen, shape)
    }

    #[test]
    fn scalars_come_with_the_keys_above_them() {
        let text = r#" {"a":{"b":"x","c":[1,-2.5e3,{"d":null}]},"e":true, "f":{},"g":[] } "#;
        let expected = ["a.b=x", "a.c.[]=1", "a.c.[]=-2.5e3", "a.c.[].d=null", "e=true"];
        assert_eq!(seen(text), (expected.map(str::to_owned).to_vec(), Shape::Whole));
    }

    #[test]
    fn strings_are_unescaped() {
        let (found, shape) = seen(r#"{"a":"q\"\\n\n\u00e9\ud83d\ude00\ud83d!\/","b":"\\"}"#);
        assert_eq!(found, ["a=q\"\\n\n\u{e9}\u{1f600}\u{fffd}!/".to_owned(), "b=\\".to_owned()]);
        assert_eq!(shape, Shape::Whole);
    }

    #[test]
    fn every_prefix_of_an_object_is_cut_short_and_keeps_what_came_before() {
        let text = r#"{"error":{"code":"x","n":[1,2,{"y":false}]},"z":"é\n"}"#;
        for end in (1..text.len()).filter(|end| text.is_char_boundary(*end)) {
            let (found, shape) = seen(&text[..end]);
            assert_eq!(shape, Shape::CutShort, "{}", &text[..end]);
            assert_eq!(end > 19, found.contains(&"error.code=x".to_owned()), "{}", &text[..end]);
        }
    }

    #[test]
    fn a_number_that_may_have_lost_its_tail_is_not_reported() {
        assert_eq!(seen(r#"{"a":1,"b":42"#), (vec!["a=1".to_owned()], Shape::CutShort));
        assert_eq!(seen("42"), (vec!["=42".to_owned()], Shape::Whole));
    }

    #[test]
    fn what_is_not_json_is_told_from_what_is_cut() {
        for text in [
            "",
            "  ",
            "<html>",
            "upstream error",
            "tru",
            "\"abc",
            "{]",
            "{\"a\" 1}",
            "[1 2]",
            "{}x",
            "{,}",
            "[1,,2]",
            "nul",
        ] {
            assert_eq!(seen(text).1, Shape::NotJson, "{text:?}");
        }
        for text in ["null", "1", "\"a\"", "[]", "{}", "\u{feff}{}", "[[[]]]", "{\"\":{\"\":1}}"] {
            assert_eq!(seen(text).1, Shape::Whole, "{text:?}");
        }
        assert_eq!(seen("{\"a\":tru").1, Shape::CutShort);
        assert_eq!(seen("{\"a\":\"b\\").1, Shape::CutShort);
    }

    #[test]
    fn what_python_prints_is_read_as_json_is_only_where_it_may_be() {
        let text = r#"{'error': {"code": '429', 'n': [None, True, False], 'm': "it's", 'q': 'it\'s'}} tail"#;
        let mut found = Vec::new();
        let read = walk_first(text, Dialect::Repr, &mut |keys, scalar| found.push((keys.join("."), scalar)));
        let text = |text: &'static str| Scalar::Text(Cow::Borrowed(text));
        let (none, yes, no) = (Scalar::Null, Scalar::Flag(true), Scalar::Flag(false));
        assert_eq!(read, (Shape::Whole, "tail"));
        assert_eq!(
            found.iter().map(|(_, scalar)| scalar.clone()).collect::<Vec<_>>(),
            [text("429"), none, yes, no, text("it's"), text("it's"),]
        );
        assert_eq!(found.first().map(|(keys, _)| keys.as_str()), Some("error.code"));
        for strict in ["{'a':1}", "{\"a\":None}", "['a']"] {
            assert_eq!(walk(strict, &mut |_, _| {}), Shape::NotJson, "{strict}");
        }
    }

    #[test]
    fn nesting_without_end_is_refused_without_recursion() {
        assert_eq!(seen(&"[".repeat(100_000)).1, Shape::NotJson);
        assert_eq!(seen(&"[".repeat(500)).1, Shape::CutShort);
    }
}
