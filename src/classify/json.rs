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

/// Walks `text`. `visit` is given the keys from the top, unescaped (an array's members have the
/// key `"[]"`), and the scalar they lead to.
pub fn walk<'t>(text: &'t str, visit: Visit<'_, 't>) -> Shape {
    let walked = walk_first(text, Dialect::Json, visit);
    if walked.rest().is_empty() { walked.shape } else { Shape::NotJson }
}

/// What is told of each scalar.
pub type Visit<'v, 't> = &'v mut dyn FnMut(&[&str], Scalar<'t>);

/// How strict a walk is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Dialect {
    /// JSON.
    Json,
    /// JSON as well as what Python prints of the same value: `'` for quotes, `None`, `True`,
    /// `False`. Proxies quote their provider's error so.
    Repr,
}

/// Walks the first value of `text`.
pub fn walk_first<'t>(text: &'t str, dialect: Dialect, visit: Visit<'_, 't>) -> Walked<'t> {
    let text = text.trim_start_matches('\u{feff}');
    let (keys, escaped, open) = (Vec::new(), Vec::new(), Vec::new());
    let mut walker = Walker { text, dialect, at: 0, keys, escaped, open, escape: 0, begun: None };
    let shape = walker.run(visit);
    Walked { shape, walker }
}

/// What is known after a walk.
pub struct Walked<'t> {
    /// What the value turned out to be.
    pub shape: Shape,
    walker: Walker<'t>,
}

impl<'t> Walked<'t> {
    /// What follows the value, without leading space; nothing where the value is not whole.
    pub fn rest(&self) -> &'t str {
        if self.shape == Shape::Whole { from(self.walker.text, self.walker.at) } else { "" }
    }

    /// What there is of a member's text in which `text` was cut, unescaped, and without what was
    /// cut in halves: an escape, or a character.
    pub fn begun(&self, visit: &mut dyn FnMut(&[&str], &str)) {
        let walker = &self.walker;
        let Some(start) = walker.begun.filter(|_| walker.keys.len() <= DEPTH_REPORTED) else { return };
        let escape = from(walker.text, walker.escape.max(start));
        let is_half = escape == "\\" || escape.len() < 6 && escape.starts_with("\\u");
        let end = walker.text.len() - if is_half { escape.len() } else { 0 };
        let text = unescape(part(walker.text, start, end));
        visit(&walker.unescaped(), text.strip_suffix("\u{fffd}").unwrap_or(&text));
    }
}

struct Walker<'t> {
    text: &'t str,
    dialect: Dialect,
    at: usize,
    /// As they are written, see `escaped`.
    keys: Vec<&'t str>,
    /// Those of them that are written with escapes, without them, and their places.
    escaped: Vec<(usize, String)>,
    /// For each open container, whether it is an object.
    open: Vec<bool>,
    /// Where the last escape began.
    escape: usize,
    /// Where the string begins in which the text was cut, if it is a value.
    begun: Option<usize>,
}

/// The walk ended early.
enum Stop {
    Cut,
    Wrong,
}

impl<'t> Walker<'t> {
    fn run(&mut self, visit: Visit<'_, 't>) -> Shape {
        match self.value(visit) {
            Ok(()) => {
                self.space();
                Shape::Whole
            }
            // A cut scalar at the top ("tru", a lone quote) is no sign of JSON.
            Err(Stop::Cut) if !self.open.is_empty() => Shape::CutShort,
            Err(_) => Shape::NotJson,
        }
    }

    /// The keys without escapes.
    #[cold]
    #[inline(never)]
    fn unescaped(&self) -> Vec<&str> {
        let mut keys = self.keys.clone();
        for (at, name) in &self.escaped {
            if let Some(key) = keys.get_mut(*at) {
                *key = name;
            }
        }
        keys
    }

    /// Whether a string begins here.
    fn quoted(&self) -> Result<bool, Stop> {
        let byte = self.peek()?;
        Ok(byte == b'"' || (byte == b'\'' && self.dialect == Dialect::Repr))
    }

    /// One value with all that is in it. Containers are kept on a stack of our own, so that
    /// no text can exhaust the machine's.
    fn value(&mut self, visit: Visit<'_, 't>) -> Result<(), Stop> {
        loop {
            self.space();
            match self.peek()? {
                b'{' => self.enter(true)?,
                b'[' => self.enter(false)?,
                _ => {
                    let scalar = self.scalar()?;
                    let unescaped;
                    let keys = if self.escaped.is_empty() {
                        &self.keys
                    } else {
                        unescaped = self.unescaped();
                        &unescaped
                    };
                    if keys.len() <= DEPTH_REPORTED {
                        visit(keys, scalar);
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
            // Those of the members that came before.
            while self.escaped.last().is_some_and(|(at, _)| at + 1 >= self.keys.len()) {
                self.escaped.pop();
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
        let (key, is_escaped) = self.raw_string()?;
        if is_escaped && self.keys.len() <= DEPTH_REPORTED {
            self.escaped.push((self.keys.len().saturating_sub(1), unescape(key)));
        }
        self.space();
        if self.peek()? != b':' {
            return Err(Stop::Wrong);
        }
        self.at += 1;
        Ok(key)
    }

    fn scalar(&mut self) -> Result<Scalar<'t>, Stop> {
        if self.quoted()? {
            let start = self.at + 1;
            let (raw, is_escaped) = self.raw_string().inspect_err(|_| self.begun = Some(start))?;
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
            self.escape = self.at;
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
    fn names_are_unescaped_wherever_they_stand() {
        let text = r#"{"\u0061":{"b\u0062":"x","c":[{"\"":1,"d":2},3]},"e":4,"":{"\u0066":5,"g":6}}"#;
        let expected = ["a.bb=x", "a.c.[].\"=1", "a.c.[].d=2", "a.c.[]=3", "e=4", "\"\".f=5", "\"\".g=6"];
        assert_eq!(seen(text), (expected.map(str::to_owned).to_vec(), Shape::Whole));
        let deep = [&r#"{"\u0061":"#.repeat(DEPTH_REPORTED), "1,\"b\":{\"c\":2}", &"}".repeat(DEPTH_REPORTED)].concat();
        assert_eq!(seen(&deep), (vec!["a.a.a.a.a.a.a.a=1".to_owned()], Shape::Whole));
    }

    /// What is told of the string in which a text is cut.
    fn begun(text: &str) -> Option<(String, String)> {
        let mut begun = None;
        let walked = walk_first(text, Dialect::Json, &mut |_, _| {});
        walked.begun(&mut |keys, text| begun = Some((keys.join("."), text.to_owned())));
        begun
    }

    #[test]
    fn a_string_that_was_cut_is_told_up_to_the_last_whole_character() {
        let whole = r#"{"error":[{"m\u0065":"q\"\\n\\\né\u00e9\ud83d\ude00z"}]}"#;
        let value = "q\"\\n\\\né\u{e9}\u{1f600}z";
        let start = whole.find("q").unwrap();
        let mut longest = 0;
        for end in (start..=whole.len() - 4).filter(|end| whole.is_char_boundary(*end)) {
            let (keys, text) = begun(&whole[..end]).expect("it is cut in the string");
            assert_eq!(keys, "error.[].me");
            assert!(value.starts_with(&text) && text.len() >= longest, "{text:?} of {}", &whole[..end]);
            longest = text.len();
        }
        assert_eq!(longest, value.len());
        assert_eq!(begun("{\"a\":\"b\u{fffd}"), Some(("a".to_owned(), "b".to_owned())));
        assert_eq!(begun("\"a"), Some((String::new(), "a".to_owned())));
    }

    #[test]
    fn nothing_else_that_was_cut_is_told() {
        for text in ["{\"a\":1,\"b", "{\"a\":tru", "{\"a\":12", "{\"a\":\"b\"", "{\"a\" \"b", "abc"] {
            assert_eq!(begun(text), None, "{text}");
        }
        let deep = ["{\"a\":".repeat(DEPTH_REPORTED + 1), "\"b".to_owned()].concat();
        assert_eq!(begun(&deep), None);
        assert_eq!(seen("{\"a\":\"b"), (vec![], Shape::CutShort));
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
        assert_eq!((read.shape, read.rest()), (Shape::Whole, "tail"));
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
