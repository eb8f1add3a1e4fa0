//! Texts taken apart by bytes: shared, and a fraction of the compiled size that the patterns
//! of the standard library have at every use.

/// The part of a text between two places; empty where there is no such part.
#[inline(never)]
pub fn part(text: &str, start: usize, end: usize) -> &str {
    text.get(start..end).unwrap_or("")
}

/// The text from a place on; empty where there is none.
pub fn from(text: &str, start: usize) -> &str {
    part(text, start, text.len())
}

/// Where the first of either byte stands.
#[inline(never)]
pub fn either(bytes: &[u8], a: u8, b: u8) -> Option<usize> {
    const ONES: u64 = u64::MAX / 0xff;
    const HIGHS: u64 = ONES << 7;
    // Eight bytes at a time: the byte is where the difference is zero, and a zero byte is one
    // that borrows when one is taken from it.
    let has_zero = |word: u64| word.wrapping_sub(ONES) & !word & HIGHS != 0;
    let has = |word: u64, byte: u8| has_zero(word ^ ONES.wrapping_mul(byte.into()));
    let (words, _) = bytes.as_chunks();
    let without =
        words.iter().map(|word| u64::from_le_bytes(*word)).take_while(|word| !has(*word, a) && !has(*word, b));
    let start = without.count() * 8;
    let rest = bytes.get(start..)?.iter().position(|byte| *byte == a || *byte == b)?;
    Some(start + rest)
}

/// Where the first such byte stands.
pub fn find(text: &str, byte: u8) -> Option<usize> {
    either(text.as_bytes(), byte, byte)
}

/// What stands before and after the first such ASCII character.
pub fn split_once(text: &str, byte: u8) -> Option<(&str, &str)> {
    let at = find(text, byte)?;
    Some((part(text, 0, at), from(text, at + 1)))
}

/// Cuts `text` at the next such ASCII character and gives what came before it; `None` at the end.
#[inline(never)]
pub fn cut<'t>(text: &mut &'t str, byte: u8) -> Option<&'t str> {
    if text.is_empty() {
        return None;
    }
    let (before, after) = split_once(text, byte).unwrap_or((text, ""));
    *text = after;
    Some(before)
}

/// The parts between such ASCII characters: one more than there are of these.
pub fn split(text: &str, byte: u8) -> impl Iterator<Item = &str> {
    let mut rest = Some(text);
    std::iter::from_fn(move || {
        let (part, after) = split_once(rest?, byte).map_or((rest?, None), |(part, after)| (part, Some(after)));
        rest = after;
        Some(part)
    })
}

/// Without the spaces and tabs around it.
#[inline(never)]
pub fn trim(text: &str) -> &str {
    let is_blank = |byte: &u8| matches!(byte, b' ' | b'\t');
    let start = text.bytes().take_while(is_blank).count();
    let rest = from(text, start);
    part(rest, 0, rest.len() - rest.bytes().rev().take_while(is_blank).count())
}

/// Whether `text` has `part` (in lower case) in it, in any case.
#[inline(never)]
pub fn contains(text: &str, part: &str) -> bool {
    place_of(text, part).is_some()
}

/// Where `part` (in lower case, not empty) begins in `text`, in any case.
#[inline(never)]
pub fn place_of(text: &str, part: &str) -> Option<usize> {
    let part = part.as_bytes();
    let first = *part.first()?;
    // Most places differ in the first letter already.
    let mut places = text.as_bytes().windows(part.len());
    places.position(|place| {
        place.first().is_some_and(|byte| byte.to_ascii_lowercase() == first) && place.eq_ignore_ascii_case(part)
    })
}

/// The texts one behind the other.
#[inline(never)]
pub fn concat(parts: &[&str]) -> String {
    let mut text = String::with_capacity(parts.iter().map(|part| part.len()).sum());
    parts.iter().for_each(|part| text.push_str(part));
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_byte_is_found_where_the_standard_library_finds_it(text in "[ab\u{80}\u{7f}é-]{0,40}") {
            let text = text.as_str();
            let either_of = text.bytes().position(|byte| byte == b'a' || byte == b'\x7f');
            prop_assert_eq!(either(text.as_bytes(), b'a', b'\x7f'), either_of);
            prop_assert_eq!(split(text, b'a').collect::<Vec<_>>(), text.split('a').collect::<Vec<_>>());
            prop_assert_eq!(split_once(text, b'b'), text.split_once('b'));
        }

        #[test]
        fn blanks_are_spaces_and_tabs(text in "[ \t\na\u{a0}]{0,12}") {
            prop_assert_eq!(trim(&text), text.trim_matches([' ', '\t']));
        }

        #[test]
        fn a_part_is_found_in_any_case(text in "[aAbB é]{0,12}", part in "[ab]{1,3}") {
            prop_assert_eq!(place_of(&text, &part), text.to_ascii_lowercase().find(&part));
        }
    }
}
