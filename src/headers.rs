//! A list of header fields, as one text: a name, a line feed, a value, a line feed, …
//!
//! One text crosses the wasm boundary in one piece where twenty strings would cost twenty
//! crossings. Field values cannot hold a line feed (RFC 9110 section 5.5); whoever writes
//! the text must put a space where a caller's bad value has one.

use crate::scan::concat;
use std::borrow::Cow;

/// Header fields in the order they came. Names are compared without regard to case.
#[derive(Clone, Copy, Debug, Default)]
pub struct Headers<'t> {
    text: &'t str,
}

impl<'t> Headers<'t> {
    /// No fields.
    pub const EMPTY: Headers<'static> = Headers { text: "" };

    /// Reads `name LF value LF name LF value …`; the last line feed may be missing.
    pub fn new(text: &'t str) -> Headers<'t> {
        Headers { text }
    }

    /// Every field line: name and value as they stand.
    pub fn iter(self) -> impl Iterator<Item = (&'t str, &'t str)> {
        let mut rest = self.text;
        std::iter::from_fn(move || {
            let (name, after) = line(rest)?;
            let (value, after) = line(after?)?;
            rest = after.unwrap_or_default();
            Some((name, value))
        })
    }

    /// The field's value; the values of a repeated field are joined by `", "`, as
    /// `Headers.get` of the Fetch standard does.
    pub fn get(self, name: &str) -> Option<Cow<'t, str>> {
        let [found] = self.get_all([name]);
        found
    }

    /// What [`Headers::get`] gives for each of these names, in one pass.
    pub fn get_all<const N: usize>(self, names: [&str; N]) -> [Option<Cow<'t, str>>; N] {
        let mut found: [Option<Cow<'t, str>>; N] = [const { None }; N];
        for (name, value) in self.iter() {
            let mut wanted = names.iter().zip(&mut found);
            let Some((_, slot)) = wanted.find(|(n, _)| n.len() == name.len() && n.eq_ignore_ascii_case(name)) else {
                continue;
            };
            *slot = Some(match slot.take() {
                None => Cow::Borrowed(value),
                Some(first) => Cow::Owned(concat(&[&first, ", ", value])),
            });
        }
        found
    }
}

/// A line, and what follows its line feed if it has one.
fn line(text: &str) -> Option<(&str, Option<&str>)> {
    // Most lines are too short for a search by words to be worth its beginning.
    match text.bytes().position(|byte| byte == b'\n') {
        Some(end) => Some((text.get(..end)?, text.get(end + 1..))),
        None => Some((text, None)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_repeated_field_is_joined_and_names_ignore_case() {
        let headers = Headers::new("Retry-After\n5\nDate\nnow\nretry-after\n120\n");
        assert_eq!(headers.get("RETRY-AFTER").unwrap(), "5, 120");
        assert_eq!(headers.get("date").unwrap(), "now");
        assert_eq!(headers.get("age"), None);
    }

    #[test]
    fn an_empty_value_is_there_and_a_dangling_name_is_not() {
        assert_eq!(Headers::new("a\n\nb").iter().collect::<Vec<_>>(), [("a", "")]);
        assert_eq!(Headers::EMPTY.iter().count(), 0);
    }
}
