//! A text read as its reader sees it: an escape sequence counts as the one character it
//! stands for.
//!
//! Providers quote requests percent-encoded and inside JSON strings, in any mixture. Every
//! rule looks at these characters, so `%3Fkey%3D` and `?key=` are one case; and what is
//! masked always begins and ends between two of them, so no escape sequence (and no UTF-8
//! character) is ever cut in half.

use std::borrow::Cow;

/// A run of backslashes before a number is read so far: that of JSON in JSON in JSON.
const MOST_BACKSLASHES: usize = 4;

/// One character and where it stands in the text.
#[derive(Clone, Copy)]
pub(super) struct Unit {
    pub start: usize,
    pub end: usize,
    /// The character if it is ASCII, else a byte above 127.
    pub byte: u8,
    /// How often it is percent-encoded: 0 for `&`, 1 for `%26`, 2 for `%2526` and deeper.
    pub layers: u8,
    /// Whether it is written as a backslash escape, such as `\"` or `\u0026`.
    pub escaped: bool,
}

impl Unit {
    /// The bytes that the character stands for; one alone may be no valid UTF-8.
    pub fn decoded<'b>(&self, text: &'b str, buffer: &'b mut [u8; 4]) -> &'b [u8] {
        let raw = self.raw(text);
        match backslash(raw).filter(|_| self.escaped) {
            Some((character, _)) => character.encode_utf8(buffer).as_bytes(),
            None if self.layers > 0 => {
                *buffer = [self.byte; 4];
                buffer.get(..1).unwrap_or_default()
            }
            None => raw,
        }
    }

    /// The bytes that it is written with.
    pub fn raw<'t>(&self, text: &'t str) -> &'t [u8] {
        text.as_bytes().get(self.start..self.end).unwrap_or_default()
    }

    /// The character as a reader sees it who undoes `layers` layers of percent-encoding.
    /// One that is encoded more deeply belongs to a value and delimits nothing.
    pub fn at(&self, layers: u8) -> u8 {
        if self.layers <= layers { self.byte } else { 0xFF }
    }
}

#[cfg(test)]
std::thread_local! {
    /// How many characters were read: what the time is made of.
    pub(super) static READ: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// Iterates over the characters of a text.
pub(super) struct Units<'t> {
    text: &'t str,
    at: usize,
}

impl<'t> Units<'t> {
    /// The characters from the byte offset `at` on, where one must begin.
    pub fn from(text: &'t str, at: usize) -> Units<'t> {
        Units { text, at }
    }
}

impl Iterator for Units<'_> {
    type Item = Unit;

    #[inline]
    fn next(&mut self) -> Option<Unit> {
        #[cfg(test)]
        READ.with(|read| read.set(read.get() + 1));
        let start = self.at;
        let byte = *self.text.as_bytes().get(start)?;
        // Put together here, not in memory: this loop is most of what masking costs.
        let (byte, width, layers, escaped) = match byte {
            b'%' | b'\\' | 0x80.. => read_long(self.text, start, byte),
            _ => (byte, 1, 0, false),
        };
        self.at = start + width;
        Some(Unit { start, end: self.at, byte, layers, escaped })
    }
}

/// Reads what may take more than one byte: the byte, the width, the layers, and whether it
/// is a backslash escape. What is no escape sequence stands for itself.
fn read_long(text: &str, start: usize, first: u8) -> (u8, usize, u8, bool) {
    let rest = text.get(start..).unwrap_or_default();
    let long = match first {
        b'%' => percent(rest.as_bytes()).map(|(byte, width, layers)| (byte, width, layers, false)),
        b'\\' => backslash(rest.as_bytes())
            .map(|(character, width)| (u8::try_from(character).unwrap_or(0xFF), width, 0, true)),
        _ => rest.chars().next().map(|character| (first, character.len_utf8(), 0, false)),
    };
    long.unwrap_or((first, 1, 0, false))
}

/// Undoes every layer: the byte, the width of the sequence, the layers.
fn percent(rest: &[u8]) -> Option<(u8, usize, u8)> {
    let (mut at, mut layers) = (1, 1);
    while rest.get(at..at + 2) == Some(b"25") && hex(rest, at + 2, 2).is_some() {
        (at, layers) = (at + 2, 2);
    }
    hex(rest, at, 2).map(|byte| (byte as u8, at + 2, layers))
}

/// The escapes of JSON (RFC 8259 section 7), and `\'` and `\x26` of other languages; the
/// character and the width of the sequence. JSON that stands in JSON has more than one
/// backslash before a number: such a sequence is one character as well.
fn backslash(rest: &[u8]) -> Option<(char, usize)> {
    let more = rest.iter().take(MOST_BACKSLASHES).skip(1).take_while(|&&byte| byte == b'\\').count();
    if more > 0
        && let Some(numbered) = rest.get(more..).and_then(numbered)
    {
        return Some((numbered.0, numbered.1 + more));
    }
    Some(match *rest.get(1)? {
        b'n' => ('\n', 2),
        b'r' => ('\r', 2),
        b't' => ('\t', 2),
        byte @ (b'"' | b'\'' | b'\\' | b'/') => (char::from(byte), 2),
        _ => return numbered(rest),
    })
}

/// `\u0026` or `\x26`.
fn numbered(rest: &[u8]) -> Option<(char, usize)> {
    let (value, width) = match *rest.get(1)? {
        b'x' => (hex(rest, 2, 2)?, 4),
        b'u' => (hex(rest, 2, 4)?, 6),
        _ => return None,
    };
    Some((char::from_u32(value)?, width))
}

fn hex(bytes: &[u8], at: usize, digits: usize) -> Option<u32> {
    let digits = bytes.get(at..at + digits)?;
    digits.iter().try_fold(0, |sum, &digit| Some(sum << 4 | char::from(digit).to_digit(16)?))
}

/// Whether the text may hold an escape sequence.
pub(super) fn may_be_escaped(text: &str) -> bool {
    text.bytes().any(|byte| matches!(byte, b'%' | b'\\'))
}

/// The bytes that the text stands for.
pub(super) fn decode(text: &str) -> Cow<'_, [u8]> {
    if !may_be_escaped(text) {
        return Cow::Borrowed(text.as_bytes());
    }
    let mut bytes = Vec::with_capacity(text.len());
    Units::from(text, 0).for_each(|unit| bytes.extend_from_slice(unit.decoded(text, &mut [0; 4])));
    Cow::Owned(bytes)
}

/// The text with other bytes for each of its own.
pub(super) fn rewrite(text: &str, byte: fn(u8, &mut Vec<u8>)) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(text.len());
    text.bytes().for_each(|own| byte(own, &mut bytes));
    bytes
}

/// As `encodeURIComponent` does.
pub(super) fn percent_encode(byte: u8, bytes: &mut Vec<u8>) {
    if byte.is_ascii_alphanumeric() || b"-_.!~*'()".contains(&byte) {
        bytes.push(byte);
    } else {
        let digit = |half: u8| if half < 10 { half + b'0' } else { half - 10 + b'A' };
        bytes.extend([b'%', digit(byte >> 4), digit(byte & 15)]);
    }
}

/// As `JSON.stringify` does, for what a header value may hold.
pub(super) fn json_escape(byte: u8, bytes: &mut Vec<u8>) {
    match byte {
        b'"' | b'\\' => bytes.extend([b'\\', byte]),
        b'\t' => bytes.extend(*b"\\t"),
        _ => bytes.push(byte),
    }
}

/// As a text in HTML has it.
pub(super) fn html_escape(byte: u8, bytes: &mut Vec<u8>) {
    match byte {
        b'&' => bytes.extend(*b"&amp;"),
        b'<' => bytes.extend(*b"&lt;"),
        b'>' => bytes.extend(*b"&gt;"),
        b'"' => bytes.extend(*b"&quot;"),
        b'\'' => bytes.extend(*b"&#39;"),
        _ => bytes.push(byte),
    }
}

/// As HTML forms write a blank.
pub(super) fn form_encode(byte: u8, bytes: &mut Vec<u8>) {
    bytes.push(if byte == b' ' { b'+' } else { byte });
}

/// Undoes one layer of percent-encoding. What is no UTF-8 then is left as it is.
pub(super) fn percent_decode(text: &str) -> Cow<'_, str> {
    let raw = text.as_bytes();
    let mut bytes = Vec::with_capacity(raw.len());
    let mut at = 0;
    while let Some(&byte) = raw.get(at) {
        let encoded = hex(raw, at + 1, 2).filter(|_| byte == b'%');
        bytes.push(encoded.map_or(byte, |byte| byte as u8));
        at += if encoded.is_some() { 3 } else { 1 };
    }
    String::from_utf8(bytes).map_or(Cow::Borrowed(text), Cow::Owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> Vec<(&str, u8, u8)> {
        Units::from(text, 0).map(|unit| (&text[unit.start..unit.end], unit.byte, unit.layers)).collect()
    }

    #[test]
    fn an_escape_sequence_is_one_character() {
        for (text, byte, layers) in [
            ("a", b'a', 0),
            ("%26", b'&', 1),
            ("%3d", b'=', 1),
            ("%2526", b'&', 2),
            ("%25252526", b'&', 2),
            ("%25", b'%', 1),
            ("%E4", 0xE4, 1),
            ("\\n", b'\n', 0),
            ("\\\\", b'\\', 0),
            ("\\/", b'/', 0),
            ("\\u0026", b'&', 0),
            ("\\x3D", b'=', 0),
            ("\\\\u003d", b'=', 0),
            ("\\\\\\\\u003d", b'=', 0),
            ("\\u00E4", 0xE4, 0),
            ("ä", 0xC3, 0),
            ("漢", 0xE6, 0),
        ] {
            assert_eq!(read(text), [(text, byte, layers)]);
        }
    }

    #[test]
    fn what_is_no_escape_sequence_stands_for_itself() {
        for text in ["%", "%2", "%2G", "%+1", "\\", "\\q", "\\u12", "\\uD83D", "\\x4", "%ä"] {
            let characters = text.chars().map(|c| c.to_string());
            assert!(read(text).into_iter().map(|(unit, ..)| unit.to_string()).eq(characters), "{text}");
        }
        assert_eq!(read("%25%26"), [("%25", b'%', 1), ("%26", b'&', 1)]);
    }

    #[test]
    fn decoding_undoes_both_encodings() {
        for text in ["", "plain", "a b&c=d/e+f", "päß 漢", "100%", "\"", "%2", "~!*'()"] {
            let encoded = String::from_utf8(rewrite(text, percent_encode)).unwrap();
            assert_eq!(percent_decode(&encoded), text);
            assert_eq!(decode(&encoded), decode(text));
            assert!(encoded.bytes().all(|byte| byte.is_ascii_graphic()));
        }
        assert_eq!(percent_decode("%FF"), "%FF");
        assert_eq!(*decode("\\u00e4%C3%A4ä"), *"äää".as_bytes());
    }
}
