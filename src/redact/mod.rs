//! Redaction: what is shown of a request, a response or an error holds no secret.
//!
//! Three things are shown, and each has its rule. Header fields: sensitive ones are removed
//! ([`Masker::and_kept`]). URLs: users, passwords and secret parameters go ([`sanitize_url`]).
//! Free text, which may quote either in any form: [`Masker`].
//!
//! In a free text every rule only *marks* characters of the original; each unbroken row of
//! marked ones then becomes one `REDACTED`. So rules that overlap leave no half of a secret
//! behind, whatever their order. A `REDACTED` that is already there is never touched; it ends
//! every match, and counts as a letter for what comes behind it. Hence a second masking finds
//! nothing that the first did not, and changes nothing.

use std::fmt;
use std::ops::Range;

use self::escapes::Unit;
use crate::headers::Headers;

mod credentials;
mod escapes;
mod fields;
mod names;
mod pairs;
mod secrets;
mod shapes;
mod text;
mod url;

pub use names::{is_sensitive_header, is_sensitive_query};
pub use text::Masker;
pub use url::{sanitize_base_url, sanitize_url};

/// What another server may have of a request: the URL without user, password and secret
/// parameters, and the header fields that are not sensitive and quote no secret.
pub fn credentials_removed<'t>(
    url: &str,
    headers: Headers<'t>,
    redaction: &Redaction,
) -> (String, Vec<(&'t str, &'t str)>) {
    let (masker, mut fields) = Masker::and_kept(url, headers, redaction);
    fields.retain(|(_, value)| masker.mask(value) == *value);
    (url::without_credentials(url, &redaction.query), fields)
}

/// What stands in the place of a secret.
const REDACTED: &str = "REDACTED";

/// A build that is wrong on purpose redacts nothing.
const OFF: bool = cfg!(feature = "sabotage");

/// What the user has redacted beyond what is known to be secret. Default: nothing.
#[derive(Clone, Default, PartialEq, Eq)]
pub struct Redaction {
    /// Names of header fields, in any letter case.
    pub headers: Vec<String>,
    /// Names of query parameters, in any letter case.
    pub query: Vec<String>,
    /// Secret values, wherever they occur. Blanks around them are ignored, and so are values
    /// of fewer than 4 characters and the words `true`, `false`, `null`, `none` and `undefined`.
    pub values: Vec<String>,
}

/// Shows how many values there are, not which.
impl fmt::Debug for Redaction {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (headers, query) = (&self.headers, &self.query);
        write!(f, "Redaction({headers:?}, {query:?}, {} values)", self.values.len())
    }
}

/// What stands between the replacements in a text, and where. No text search of the standard
/// library: it would be a tenth of the compiled size of this module.
fn pieces(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut next = Some(0);
    std::iter::from_fn(move || {
        let start = next?;
        let rest = text.get(start..)?;
        let mut starts = rest.bytes().enumerate().filter(|&(_, byte)| byte == b'R').map(|(at, _)| at);
        let len = starts.find(|&at| rest.get(at..).is_some_and(|rest| rest.starts_with(REDACTED)));
        next = len.map(|len| start + len + REDACTED.len());
        rest.get(..len.unwrap_or(rest.len())).map(|piece| (start, piece))
    })
}

/// Which bytes of a text are to be replaced. Allocates at the first.
struct Marks {
    marked: Vec<bool>,
    len: usize,
    /// Where the piece of the text begins that the ranges to mark are counted in.
    base: usize,
}

impl Marks {
    fn new(text: &str) -> Marks {
        Marks { marked: Vec::new(), len: text.len(), base: 0 }
    }

    fn mark(&mut self, range: impl Into<Option<Range<usize>>>) {
        let Some(range) = range.into().filter(|range| !range.is_empty()) else { return };
        if self.marked.is_empty() {
            self.marked.resize(self.len, false);
        }
        if let Some(marks) = self.marked.get_mut(self.base + range.start..self.base + range.end) {
            marks.fill(true);
        }
    }

    /// The text with its marked parts replaced; `None` when there are none.
    fn replaced(&self, text: &str) -> Option<String> {
        let mut replaced = String::new();
        let mut start = 0;
        for row in self.marked.chunk_by(|a, b| a == b) {
            let end = start + row.len();
            let kept = text.get(start..end).filter(|_| row.first() == Some(&false));
            replaced.push_str(kept.unwrap_or(REDACTED));
            start = end;
        }
        (!self.marked.is_empty()).then_some(replaced)
    }
}

/// How far a rule has read a text, by layers of percent-encoding.
///
/// What begins inside a value ends where that ends: reading it again would make a text of
/// nothing but `?key=` quadratic.
#[derive(Clone, Copy, Default)]
struct Rule {
    read_to: [usize; 3],
}

impl Rule {
    /// The value that the rule finds at `unit`, unless that lies in one it has found before.
    fn find(&mut self, unit: &Unit, find: impl FnOnce() -> Option<Range<usize>>) -> Option<Range<usize>> {
        let read_to = self.read_to.get_mut(usize::from(unit.layers))?;
        let value = if unit.start < *read_to { None } else { find() };
        *read_to = value.as_ref().map_or(*read_to, |value| value.end);
        value
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::headers::Headers;

    #[test]
    fn sensitive_fields_are_removed_and_the_rest_keeps_its_order() {
        let fields = "Accept\n*/*\nAUTHORIZATION\nKey a\nX-Tenant\nb\ncookie\nc\ndate\nnow\nauthorization\nd";
        let redaction = Redaction { headers: vec!["x-tenant".into()], ..Redaction::default() };
        let kept = Masker::and_kept("", Headers::new(fields), &redaction).1;
        assert_eq!(kept, [("Accept", "*/*"), ("date", "now")]);
    }

    #[test]
    fn nothing_secret_is_shown_by_debug() {
        let redaction = Redaction { values: vec!["qwerty".into()], ..Redaction::default() };
        let masker = Masker::for_request("https://u:qwerty@h", Headers::EMPTY, &redaction);
        assert!(!format!("{redaction:?} {masker:?}").contains("qwerty"));
    }
}
