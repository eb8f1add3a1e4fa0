//! Names with a value after them, and the secret parameters of URLs among them.

use std::borrow::Cow;
use std::ops::Range;

use super::escapes::{Unit, Units, decode};
use super::{Rule, names};

/// A name and what surrounds it.
#[derive(Clone, Copy, Default)]
pub(super) struct Name {
    start: usize,
    end: usize,
    /// The character before it; 0 at the start of the text.
    before: u8,
    /// Whether a quote stands between the name and the separator.
    pub quoted: bool,
    /// Whether anything does.
    pub apart: bool,
}

impl Name {
    /// The name with its escapes undone.
    pub fn decoded<'t>(&self, text: &'t str) -> Cow<'t, [u8]> {
        decode(text.get(self.start..self.end).unwrap_or_default())
    }

    /// Whether it is the name of a parameter, the separator being `sep`.
    pub fn is_parameter(&self, sep: &Unit) -> bool {
        sep.byte == b'=' && !self.apart && matches!(self.before, b'?' | b'&' | b'#' | b';')
    }
}

/// Follows a text and holds its last name, until something other than blanks, quotes and
/// backslashes comes after it.
pub(super) struct Names {
    /// The last character.
    pub prev: u8,
    name: Option<Name>,
}

impl Names {
    /// Starts after the character `prev`. A name glued to that one counts as no name.
    pub fn after(prev: u8) -> Names {
        Names { prev, name: None }
    }

    /// Takes the next character; gives the name when it is a separator (`:` or `=`).
    #[inline]
    pub fn push(&mut self, unit: &Unit) -> Option<Name> {
        let before = std::mem::replace(&mut self.prev, unit.byte);
        if is_word(unit.byte) {
            if !is_word(before) {
                self.name = Some(Name { start: unit.start, before, ..Name::default() });
            }
            return None;
        }
        let name = self.name.as_mut()?;
        if is_word(before) {
            name.end = unit.start;
        }
        match unit.byte {
            b'"' | b'\'' | b'\\' | b' ' | b'\t' => {
                name.apart = true;
                name.quoted |= is_quote(unit.byte);
                None
            }
            b':' | b'=' => self.name.take(),
            _ => {
                self.name = None;
                None
            }
        }
    }
}

pub(super) fn is_word(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_')
}

pub(super) fn is_quote(byte: u8) -> bool {
    matches!(byte, b'"' | b'\'')
}

/// Whether no URL or other unquoted value in a free text goes on across the character.
pub(super) fn ends_bare(byte: u8) -> bool {
    byte <= b' ' || is_quote(byte) || matches!(byte, b'`' | b'<' | b'>' | b'\\')
}

/// Punctuation that belongs to the sentence when it stands at the end of a value.
pub(super) fn is_closing(byte: u8) -> bool {
    matches!(byte, b'.' | b',' | b':' | b';' | b'!' | b'?' | b')' | b']' | b'}')
}

/// Reads an unquoted value from `start` on, which ends at `&`, at a `;` before another
/// parameter, unless `in_fragment` at `#`, and `in_text` at a blank, a quote and the like.
/// Delimiters that are percent-encoded more than `layers` times are part of it.
///
/// Gives the value, `in_text` without the punctuation of the sentence around it.
pub(super) fn bare(text: &str, start: usize, layers: u8, in_fragment: bool, in_text: bool) -> Range<usize> {
    let mut end = start;
    for unit in Units::from(text, start) {
        let character = unit.at(layers);
        let ends = match character {
            b'&' => true,
            b'#' => !in_fragment,
            // A value that begins with `;` is an empty one, whatever is masked behind it.
            b';' => in_text && unit.start == start || parameter_follows(text, unit.end, layers),
            _ => in_text && ends_bare(character),
        };
        if ends {
            break;
        }
        if !in_text || !is_closing(character) {
            end = unit.end;
        }
    }
    start..end
}

/// Whether a `;` before `at` separates parameters, as it does in old query strings. In any
/// other place it may be a part of the secret.
fn parameter_follows(text: &str, at: usize, layers: u8) -> bool {
    let mut name = Units::from(text, at).take(64).map(|unit| unit.at(layers));
    name.next().is_some_and(is_word) && name.find(|&byte| !is_word(byte)) == Some(b'=')
}

/// Calls `found` with the place of every secret parameter value of a URL: in its query, its
/// fragment, its path and in URLs encoded inside it.
pub(super) fn in_url(url: &str, extra: &[String], found: &mut dyn FnMut(Range<usize>)) {
    // Every parameter has a separator, as it is or escaped.
    if !url.bytes().any(|byte| matches!(byte, b'=' | b'%' | b'\\')) {
        return;
    }
    let mut names = Names::after(0);
    let mut parameters = Rule::default();
    let mut in_fragment = false;
    for unit in Units::from(url, 0) {
        in_fragment |= unit.at(0) == b'#';
        let Some(name) = names.push(&unit).filter(|name| name.is_parameter(&unit)) else { continue };
        let value = parameters.find(&unit, || {
            let is_secret = names::is_query(&name.decoded(url), extra);
            is_secret.then(|| bare(url, unit.end, unit.layers, in_fragment, false))
        });
        value.into_iter().for_each(&mut *found);
    }
}

/// The secret value behind `sep`, the separator of a parameter, in a free text.
pub(super) fn in_text(text: &str, name: &Name, sep: &Unit, extra: &[String]) -> Option<Range<usize>> {
    names::is_query(&name.decoded(text), extra).then(|| bare(text, sep.end, sep.layers, name.before == b'#', true))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_value_of_a_parameter_ends_where_its_url_does() {
        for (text, value) in [
            ("ab&c", "ab"),
            ("ab#c", "ab"),
            ("ab;c=d", "ab"),
            ("ab;c", "ab;c"),
            ("ab;c d", "ab;c"),
            (";ab", ""),
            ("ab c", "ab"),
            ("ab\"c", "ab"),
            ("ab\\nc", "ab"),
            ("ab\\u0026c", "ab"),
            ("ab%26c", "ab%26c"),
            ("ab).", "ab"),
            ("", ""),
        ] {
            assert_eq!(&text[bare(text, 0, 0, false, true)], value, "{text}");
        }
        assert_eq!(bare("ab#c d", 0, 0, true, false), 0..6);
        assert_eq!(bare("ab%26c", 0, 1, false, true), 0..2);
        assert_eq!(bare("ab%2526c", 0, 1, false, true), 0..8);
    }

    #[test]
    fn a_url_is_searched_in_its_query_fragment_path_and_the_urls_inside() {
        let url = "https://h/p;token=a;b=c?KEY=d&%6Bey=e&u=https%3A%2F%2Fh%3Fkey%3Df%26g&keys=h#sig=i#j&auth=k";
        let mut values = Vec::new();
        in_url(url, &[], &mut |value| values.push(&url[value]));
        assert_eq!(values, ["a", "d", "e", "f", "i#j", "k"]);
    }
}
