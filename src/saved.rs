//! State as JSON text and back: an object whose members are whole numbers, lists of them, or
//! one word.

use crate::classify::json::{Scalar, Shape, walk};
use crate::clock::MAX_SAFE_MS;
use crate::decimal::push_decimal;

/// No state has more numbers than this.
const MOST_NUMBERS: usize = 4096;

/// Writes an object, member by member.
#[derive(Default)]
pub struct Saved(String);

impl Saved {
    fn key(&mut self, name: &str) {
        self.0.push_str(if self.0.is_empty() { "{\"" } else { ",\"" });
        self.0.push_str(name);
        self.0.push_str("\":");
    }

    /// A member that is a word, which needs no escapes.
    pub fn word(&mut self, name: &str, word: &str) {
        self.key(name);
        self.0.push('"');
        self.0.push_str(word);
        self.0.push('"');
    }

    /// A member that is a number.
    pub fn number(&mut self, name: &str, number: u64) {
        self.key(name);
        push_decimal(&mut self.0, number);
    }

    /// A member that is a list; absent when it is empty.
    pub fn list(&mut self, name: &str, numbers: &[u64]) {
        if numbers.is_empty() {
            return;
        }
        self.key(name);
        for (i, number) in numbers.iter().enumerate() {
            self.0.push(if i == 0 { '[' } else { ',' });
            push_decimal(&mut self.0, *number);
        }
        self.0.push(']');
    }

    /// The text.
    pub fn text(mut self) -> String {
        self.0.push('}');
        self.0
    }
}

/// What was saved.
#[derive(Debug, Default, PartialEq)]
pub struct Restored {
    /// With whether they are of a list.
    numbers: Vec<(String, bool, u64)>,
    words: Vec<(String, String)>,
}

impl Restored {
    /// Reads what [`Saved`] wrote; `None` for anything else. Members of other names do no harm.
    pub fn read(text: &str) -> Option<Restored> {
        let mut restored = Restored::default();
        let mut fits = true;
        let shape = walk(text, &mut |keys, scalar| match (keys, scalar) {
            ([name, rest @ ..], Scalar::Number(digits)) => match (digits.parse::<u64>(), rest) {
                (Ok(number), [] | ["[]"]) if number <= MAX_SAFE_MS => {
                    restored.numbers.push((String::from(*name), !rest.is_empty(), number));
                }
                _ => fits = false,
            },
            ([name], Scalar::Text(word)) => restored.words.push((String::from(*name), word.into_owned())),
            _ => fits = false,
        });
        fits &= shape == Shape::Whole && text.trim_start().starts_with('{');
        fits &= restored.numbers.len() <= MOST_NUMBERS;
        fits.then_some(restored)
    }

    /// The word of this name.
    pub fn word(&self, name: &str) -> Option<&str> {
        self.words.iter().find(|(known, _)| *known == name).map(|(_, word)| word.as_str())
    }

    /// The number of this name; `None` where there is none.
    pub fn number(&self, name: &str) -> Option<u64> {
        self.numbers_of(name, false).next()
    }

    /// The same, as a count.
    pub fn count(&self, name: &str) -> Option<u32> {
        self.number(name).map(|number| u32::try_from(number).unwrap_or(u32::MAX))
    }

    /// The list of this name, empty where it is absent; `None` where the name is of no list.
    pub fn list(&self, name: &str) -> Option<Vec<u64>> {
        let is_other = self.word(name).is_some() || self.number(name).is_some();
        (!is_other).then(|| self.numbers_of(name, true).collect())
    }

    fn numbers_of(&self, name: &str, listed: bool) -> impl Iterator<Item = u64> {
        self.numbers
            .iter()
            .filter(move |(known, of_list, _)| *of_list == listed && known == name)
            .map(|(.., number)| *number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_no_object_of_numbers_is_not_read() {
        for text in [
            "",
            "null",
            "7",
            "[1]",
            "{",
            "{\"a\":1",
            "{\"a\":-1}",
            "{\"a\":1.5}",
            "{\"a\":9007199254740992}",
            "{\"a\":{\"b\":1}}",
        ] {
            assert_eq!(Restored::read(text), None, "{text}");
        }
        assert_eq!(Restored::read(&["{\"a\":[0", &",0".repeat(MOST_NUMBERS), "]}"].concat()), None);
    }

    proptest! {
        #[test]
        fn what_was_saved_is_restored(number in 0..=MAX_SAFE_MS, list in prop::collection::vec(0..=MAX_SAFE_MS, 0..5)) {
            let mut saved = Saved::default();
            saved.word("state", "open");
            saved.number("n", number);
            saved.list("many", &list);
            let text = saved.text();
            let restored = Restored::read(&text).expect("it was saved");
            prop_assert_eq!((restored.word("state"), restored.number("n")), (Some("open"), Some(number)));
            prop_assert_eq!((restored.list("many"), restored.number("none")), (Some(list), None));
            prop_assert_eq!((restored.list("n"), restored.list("state"), restored.number("many")), (None, None, None));
        }

        #[test]
        fn no_text_makes_it_panic(text in ".{0,60}") {
            Restored::read(&text);
        }
    }
}
