//! A set of secret values, all found in one pass over a text (Aho and Corasick, 1975).
//!
//! Only the first [`PREFIX`] bytes of a value are held, with its length: where those occur,
//! as many bytes as the whole value has are masked. So what is kept of a request stays small,
//! and the time is linear in the text whatever the values are.

use super::escapes::{Units, decode, form_encode, html_escape, json_escape, percent_encode, rewrite};
use super::{Marks, pieces};
use std::cell::OnceCell;

/// Bytes of a value that are held.
const PREFIX: usize = 64;

/// Shorter values, in characters, are not looked for in a free text: masking every `1` or
/// `en` of a message would leave none of it.
const MIN_CHARS: usize = 4;

/// Nor are these, which flags in cookies and parameters have for their values.
const WORDS: [&str; 5] = ["true", "false", "null", "none", "undefined"];

/// Whether the value is too short or too common to be looked for.
pub(super) fn is_common(value: &str) -> bool {
    value.chars().nth(MIN_CHARS - 1).is_none() || WORDS.iter().any(|word| word.eq_ignore_ascii_case(value))
}

/// A form that is escaped otherwise than its value has one of these; `+` stands for a blank.
fn may_escape(byte: u8) -> bool {
    matches!(byte, b'%' | b'\\' | b'+')
}

/// A text that was cut may end inside a secret. So many bytes of its beginning are masked
/// there, and before one of [`OMISSIONS`].
const MIN_CUT: u8 = 8;

/// What a server writes in the place of the rest of a secret, or of a text.
const OMISSIONS: [&str; 4] = ["***", "...", "…", "\\u2026"];

fn is_omission(rest: Option<&str>) -> bool {
    rest.is_some_and(|rest| OMISSIONS.iter().any(|omission| rest.starts_with(omission)))
}

/// At most this many bytes of prefixes are held: 256 long values, or thousands of short
/// ones. See [`Secrets::overflowed`].
const MAX_NODES: usize = 16_384;

/// The first four bytes.
fn head(value: &[u8]) -> u32 {
    value.iter().take(4).fold(0, |head, &byte| head << 8 | u32::from(byte))
}

/// A longer text is not worth a quick look, which asks for every value at every byte.
const MAX_QUICK: usize = 4096;

#[derive(Clone, Copy, Default)]
struct Node {
    byte: u8,
    /// Bytes from the root to here.
    depth: u8,
    /// Node 0, the root, is nobody's child or sibling, and stands for none.
    child: u16,
    sibling: u16,
    /// Where the longest proper suffix stands that is the beginning of a value.
    fail: u16,
    /// The nearest node on the way of `fail`, this one included, where a value ends.
    hit: u16,
    /// The length of the value whose prefix ends here; 0 if none does.
    length: u32,
}

/// The values. What finds them is built for the first text that may hold one: most are short
/// and hold none.
#[derive(Clone, Default)]
pub(super) struct Secrets {
    values: Vec<String>,
    /// The first four bytes of each value.
    heads: Vec<u32>,
    /// A value has a character that may be written otherwise.
    is_escaped: bool,
    automaton: OnceCell<Automaton>,
}

impl Secrets {
    /// Adds a value.
    pub fn add(&mut self, value: &str) {
        // What holds a replacement is quoted with one: what is around that is the secret.
        for part in pieces(value).map(|(_, part)| part.trim_ascii()) {
            if !is_common(part) && self.values.iter().all(|known| known != part) {
                self.heads.push(head(part.as_bytes()));
                if part.bytes().take(4).any(|byte| b"&<>\"'".contains(&byte)) {
                    self.heads.push(head(&rewrite(part, html_escape)));
                }
                self.is_escaped |= part.bytes().any(may_escape);
                self.values.push(part.to_owned());
            }
        }
    }

    /// The values, none of them common.
    pub fn values(&self) -> &[String] {
        &self.values
    }

    /// Whether the text may hold a value, in any form: a quick look, wrong on one side only.
    pub fn may_occur(&self, text: &str) -> bool {
        if self.values.is_empty() {
            return false;
        }
        if self.is_escaped || text.len() > MAX_QUICK {
            return true;
        }
        let mut last = 0;
        text.bytes().any(|byte| {
            last = last << 8 | u32::from(byte);
            may_escape(byte) || self.heads.contains(&last)
        })
    }

    /// More was added than is held.
    pub fn overflowed(&self) -> bool {
        self.automaton().overflowed
    }

    /// Marks every value in the text, see [`Automaton::mark`].
    pub fn mark(&self, text: &str, decoded: bool, is_end: bool, marks: &mut Marks) {
        self.automaton().mark(text, decoded, is_end, marks);
    }

    fn automaton(&self) -> &Automaton {
        self.automaton.get_or_init(|| {
            let mut automaton = Automaton::default();
            self.values.iter().for_each(|value| automaton.add_forms(value));
            automaton.link();
            automaton
        })
    }
}

/// All values in all forms, found in one pass.
#[derive(Clone, Default)]
struct Automaton {
    nodes: Vec<Node>,
    /// More was added than is held.
    overflowed: bool,
}

impl Automaton {
    /// Adds a value in the forms it may be quoted in; [`Automaton::link`] must follow.
    fn add_forms(&mut self, value: &str) {
        // Decoding the text finds every other mixture of escapes; but where a stray `%` or
        // backslash before the value seems to begin one, only its exact forms are found.
        self.insert(value.as_bytes());
        self.insert(&decode(value));
        for encode in [percent_encode, json_escape, form_encode, html_escape] {
            self.insert(&rewrite(value, encode));
        }
    }

    fn insert(&mut self, value: &[u8]) {
        if self.nodes.is_empty() {
            self.nodes.push(Node::default());
        }
        let mut at = 0;
        for (depth, &byte) in (1..).zip(value.iter().take(PREFIX)) {
            let mut next = self.child(at, byte);
            if next == 0 {
                if self.nodes.len() >= MAX_NODES {
                    self.overflowed = true;
                    return;
                }
                next = self.nodes.len() as u16;
                let sibling = self.node(at).child;
                self.nodes.push(Node { byte, depth, sibling, ..Node::default() });
                self.change(at, |node| node.child = next);
            }
            at = next;
        }
        let length = u32::try_from(value.len()).unwrap_or(u32::MAX);
        self.change(at, |node| node.length = node.length.max(length));
    }

    /// Computes the failure links, level by level.
    fn link(&mut self) {
        let mut queue = vec![0];
        let mut done = 0;
        while let Some(&parent) = queue.get(done) {
            done += 1;
            let mut child = self.node(parent).child;
            while child != 0 {
                let Node { byte, length, sibling, .. } = self.node(child);
                let fail = if parent == 0 { 0 } else { self.step(self.node(parent).fail, byte) };
                let hit = if length > 0 { child } else { self.node(fail).hit };
                self.change(child, |node| (node.fail, node.hit) = (fail, hit));
                queue.push(child);
                child = sibling;
            }
        }
    }

    /// Marks every value in the text. With `decoded`, the escape sequences of the text are
    /// undone first. With `is_end`, the text may have been cut where it ends.
    fn mark(&self, text: &str, decoded: bool, is_end: bool, marks: &mut Marks) {
        if self.nodes.is_empty() {
            return;
        }
        // Where the last bytes stand, and how many of a long value are still to come.
        let (mut starts, mut read, mut to_come) = ([0; PREFIX], 0_usize, 0_u32);
        let start_of = |starts: &[usize; PREFIX], read: usize, depth: u8| {
            starts.get(read.wrapping_sub(depth.into()) % PREFIX).copied().unwrap_or_default()
        };
        let mut state = 0;
        for unit in Units::from(text, 0) {
            let mut buffer = [0; 4];
            for &byte in if decoded { unit.decoded(text, &mut buffer) } else { unit.raw(text) } {
                let next = self.child(state, byte);
                if next == 0 && state != 0 {
                    let Node { depth, child, .. } = self.node(state);
                    // A value goes on behind a line break that a server put into it.
                    if child != 0 && matches!(byte, b'\n' | b'\r') {
                        continue;
                    }
                    if depth >= MIN_CUT && is_omission(text.get(unit.start..)) {
                        marks.mark(start_of(&starts, read, depth)..unit.start);
                    }
                }
                state = if next != 0 || state == 0 { next } else { self.step(self.node(state).fail, byte) };
                if to_come > 0 {
                    to_come -= 1;
                    marks.mark(unit.start..unit.end);
                }
                if state == 0 {
                    continue;
                }
                if let Some(start) = starts.get_mut(read % PREFIX) {
                    *start = unit.start;
                }
                read = read.wrapping_add(1);
                let hit = self.node(self.node(state).hit);
                if hit.length > 0 {
                    to_come = to_come.max(hit.length.saturating_sub(hit.depth.into()));
                    marks.mark(start_of(&starts, read, hit.depth)..unit.end);
                }
            }
        }
        let depth = self.node(state).depth;
        if is_end && depth >= MIN_CUT {
            marks.mark(start_of(&starts, read, depth)..text.len());
        }
    }

    fn step(&self, mut state: u16, byte: u8) -> u16 {
        loop {
            let child = self.child(state, byte);
            if child != 0 || state == 0 {
                return child;
            }
            state = self.node(state).fail;
        }
    }

    /// The child for the byte, or 0.
    fn child(&self, parent: u16, byte: u8) -> u16 {
        let mut child = self.node(parent).child;
        while child != 0 && self.node(child).byte != byte {
            child = self.node(child).sibling;
        }
        child
    }

    fn node(&self, at: u16) -> Node {
        self.nodes.get(usize::from(at)).copied().unwrap_or_default()
    }

    fn change(&mut self, at: u16, change: impl FnOnce(&mut Node)) {
        if let Some(node) = self.nodes.get_mut(usize::from(at)) {
            change(node);
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::headers::Headers;
    use crate::redact::{Masker, Redaction};

    fn masker(values: &[&str]) -> Masker {
        let values = values.iter().map(|value| value.to_string()).collect();
        Masker::for_request("", Headers::EMPTY, &Redaction { values, ..Redaction::default() })
    }

    #[test]
    fn a_value_longer_than_what_is_held_is_masked_to_its_end() {
        let letter = |n: u32| char::from(b'a' + (n.wrapping_mul(0x9E37_79B9) >> 20) as u8 % 26);
        let long: String = (0..3000).map(letter).collect();
        let escaped = long.replace('b', "%62");
        let text = format!("<{long}> {escaped}, {}!", &long[1..]);
        let masked = format!("<REDACTED> REDACTED, {}!", &long[1..]);
        assert_eq!(masker(&[&long]).mask(&text), masked);
        // Another value inside it does not end it.
        let inner = &long[100..110];
        assert_eq!(masker(&[&long, inner]).mask(&text), masked.replace(inner, "REDACTED"));
    }

    #[test]
    fn values_that_overlap_leave_no_half() {
        let masker = masker(&["abcd", "bcdefg", "cdef", "fghi"]);
        for (text, masked) in [
            ("abcdefghi", "REDACTED"),
            ("xabcdex", "xREDACTEDex"),
            ("bcdef", "bREDACTED"),
            ("abcabcd", "abcREDACTED"),
            ("abcd.abcd", "REDACTED.REDACTED"),
        ] {
            assert_eq!(masker.mask(text), masked);
        }
    }

    #[test]
    fn the_beginning_of_a_value_is_masked_where_the_text_was_cut() {
        let masker = masker(&["0123456789abcdef"]);
        assert_eq!(masker.mask("key 0123456789a"), "key REDACTED");
        assert_eq!(masker.mask("key 0123456789a "), "key 0123456789a ");
        assert_eq!(masker.mask("key 0123456"), "key 0123456");
    }

    #[test]
    fn the_beginning_of_a_value_is_masked_before_an_omission() {
        let masker = masker(&["0123456789abcdef"]);
        for (text, masked) in [
            ("key 01234567********cdef.", "key REDACTED********cdef."),
            ("key 0123456789..., and", "key REDACTED..., and"),
            ("\"0123456789…\"", "\"REDACTED…\""),
            ("\"01234567\\u2026\"", "\"REDACTED\\u2026\""),
            ("0123456789. And", "0123456789. And"),
            ("0123456...", "0123456..."),
        ] {
            assert_eq!(masker.mask(text), masked);
            assert_eq!(masker.mask(masked), masked);
        }
    }

    #[test]
    fn a_line_break_inside_a_value_does_not_hide_it() {
        let masker = masker(&["0123456789abcdef", "ab\ncd"]);
        assert_eq!(masker.mask("<01234\n56789\r\nabcd\nef\n>"), "<REDACTED\n>");
        assert_eq!(masker.mask("{\"a\":\"01234\\n56789\\nabcdef\"}"), "{\"a\":\"REDACTED\"}");
        assert_eq!(masker.mask("<ab\ncd> abcd"), "<REDACTED> abcd");
        assert_eq!(masker.mask("01234\n56789"), "REDACTED");
    }

    #[test]
    fn a_value_is_found_as_html_has_it() {
        let masker = masker(&["a&b\"c<d", "plain"]);
        assert_eq!(masker.mask("<p>a&amp;b&quot;c&lt;d</p>"), "<p>REDACTED</p>");
    }

    #[test]
    fn common_values_are_let_be() {
        assert_eq!(masker(&["abc", " ab ", ""]).mask("abc ab"), "abc ab");
        assert_eq!(masker(&["true", "NULL", "falsey"]).mask("true null falsey"), "true null REDACTED");
        assert_eq!(masker(&["äöü!"]).mask("äöü!"), "REDACTED");
    }

    #[test]
    fn with_too_many_values_to_hold_every_text_that_may_hold_one_is_masked_as_a_whole() {
        let many = |count: u32| (0..count).map(|n| format!("{n:064}")).collect::<Vec<_>>();
        let held = many(200);
        let held = masker(&held.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(held.mask("anything: at all"), "anything: at all");
        let full: Vec<_> = (0..2000_u32).map(|n| format!("{:08x}{n:056}", n.wrapping_mul(0x9E37_79B9))).collect();
        let full = masker(&full.iter().map(String::as_str).collect::<Vec<_>>());
        assert_eq!(full.mask("anything: 100 %"), "REDACTED");
        assert_eq!(full.mask("anything: at all"), "anything: at all", "nothing in it begins like a secret");
        assert_eq!(full.mask(""), "");
    }
}
