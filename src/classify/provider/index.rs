//! The catalogue's codes, found by their letters and digits alone.
//!
//! The tables are texts, which is the smallest form they can be shipped in. The first failure
//! of a process reads them into a hash table.

use super::families::{FAMILIES, Family};
use crate::kind::ErrorKind;
use std::sync::OnceLock;

/// How much a code says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Weight {
    /// One cause.
    Cause,
    /// A class of failures: a wording that names a cause says more.
    Class,
    /// Put on everything: it has an opinion only where there is no status, inside a 200.
    Anything,
}

/// What the catalogue says of a code.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Meaning {
    /// The kind.
    pub kind: ErrorKind,
    /// How much it says.
    pub weight: Weight,
    /// Whether it is retried, where not as the kind's row says.
    pub retryable: Option<bool>,
}

struct Row {
    /// The place of the family whose own code it is, from 1; 0 for everybody's.
    family: u8,
    code: &'static str,
    meaning: Meaning,
}

/// Open addressing, at most half full.
struct Index {
    rows: Vec<Row>,
    /// The place of a row, from 1; 0 is free.
    slots: Vec<u16>,
}

const SLOTS: usize = 2048;
/// No code of the catalogue is longer.
const LONGEST: usize = 100;

/// What a code means that stands for the same wherever it is sent.
pub fn meaning(code: &str) -> Option<Meaning> {
    index().find(0, code)
}

/// What a code means at this provider, by the name of its family.
pub fn meaning_at(family: &str, code: &str) -> Option<Meaning> {
    index().find(place(family)?, code)
}

/// Every code with the name of the family that lists it, and whether it is that family's own.
pub fn all_codes() -> impl Iterator<Item = (&'static str, bool, &'static str, Meaning)> {
    FAMILIES.iter().flat_map(|family| {
        let of = |own: bool, codes| lines(codes).map(move |(code, meaning)| (family.name, own, code, meaning));
        of(false, family.codes).chain(of(true, family.own))
    })
}

/// The family that a caller means by the name of a provider.
pub fn family_named(name: &str) -> Option<&'static Family> {
    let name = name.to_ascii_lowercase();
    FAMILIES.iter().find(|family| family.aliases.split(' ').any(|alias| name.contains(alias)))
}

fn place(family: &str) -> Option<u8> {
    FAMILIES.iter().position(|known| known.name == family).map(|at| at as u8 + 1)
}

fn index() -> &'static Index {
    static INDEX: OnceLock<Index> = OnceLock::new();
    INDEX.get_or_init(|| {
        let mut index = Index { rows: Vec::new(), slots: vec![0; SLOTS] };
        for (at, family) in FAMILIES.iter().enumerate() {
            index.add(0, family.codes);
            index.add(at as u8 + 1, family.own);
        }
        index
    })
}

/// The codes of a table with what they mean.
fn lines(table: &'static str) -> impl Iterator<Item = (&'static str, Meaning)> {
    table.lines().filter_map(|line| line.split_once(' ')).flat_map(|(kind, codes)| {
        let (weight, kind) = match kind.as_bytes().first() {
            Some(b'?') => (Weight::Class, kind.get(1..).unwrap_or("")),
            Some(b'~') => (Weight::Anything, kind.get(1..).unwrap_or("")),
            _ => (Weight::Cause, kind),
        };
        let retryable = kind.ends_with(['+', '-']).then(|| kind.ends_with('+'));
        let kind = ErrorKind::from_name(kind.trim_end_matches(['+', '-']));
        let meaning = kind.map(|kind| Meaning { kind, weight, retryable });
        codes.split(' ').filter_map(move |code| Some((code, meaning?)))
    })
}

impl Index {
    fn add(&mut self, family: u8, table: &'static str) {
        for (code, meaning) in lines(table) {
            let mut at = hash(family, code);
            while let Some(slot) = self.slots.get_mut(at % SLOTS) {
                if *slot == 0 {
                    self.rows.push(Row { family, code, meaning });
                    *slot = self.rows.len() as u16;
                    break;
                }
                at += 1;
            }
        }
    }

    fn find(&self, family: u8, code: &str) -> Option<Meaning> {
        if code.len() > LONGEST {
            return None;
        }
        let mut at = hash(family, code);
        loop {
            let slot = *self.slots.get(at % SLOTS)?;
            // An empty slot ends the search: nothing is ever taken out.
            let row = self.rows.get(usize::from(slot).checked_sub(1)?)?;
            if row.family == family && letters(row.code).eq(letters(code)) {
                return Some(row.meaning);
            }
            at += 1;
        }
    }
}

/// Letters and digits in lower case: `RateLimitExceeded`, `RATE_LIMIT_EXCEEDED` and
/// `rate-limit-exceeded` are one code.
fn letters(code: &str) -> impl Iterator<Item = u8> {
    code.bytes().filter(u8::is_ascii_alphanumeric).map(|byte| byte.to_ascii_lowercase())
}

/// FNV-1a.
fn hash(family: u8, code: &str) -> usize {
    let start = 0x811c_9dc5 ^ u32::from(family);
    letters(code).fold(start, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)) as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_catalogue_names_a_kind_and_is_found_by_any_spelling() {
        let mut codes = 0;
        for family in FAMILIES {
            for (own, line) in [family.codes, family.own].iter().enumerate().flat_map(|(own, table)| table.lines().map(move |line| (own, line))) {
                let (kind, listed) = line.split_once(' ').expect(line);
                let kind = ErrorKind::from_name(kind.trim_matches(['?', '~', '+', '-'])).expect(line);
                for code in listed.split(' ') {
                    codes += 1;
                    let camel: String = code.split('_').map(|part| part[..1].to_uppercase() + &part[1..]).collect();
                    for spelling in [code, &code.to_uppercase(), &code.replace('_', "-"), &code.replace('_', " "), &camel] {
                        let found = if own == 1 { meaning_at(family.name, spelling) } else { meaning(spelling) };
                        assert_eq!(found.map(|found| found.kind), Some(kind), "{}: {spelling}", family.name);
                    }
                }
            }
        }
        assert!(codes > 300 && codes < SLOTS / 2, "{codes}");
    }

    #[test]
    fn no_code_is_listed_twice_or_longer_than_is_looked_up() {
        let mut seen = std::collections::BTreeMap::new();
        for (family, own, code, _) in all_codes() {
            let key = (if own { family } else { "" }, letters(code).collect::<Vec<_>>());
            assert!(!key.1.is_empty() && code.len() <= LONGEST, "{code}");
            assert_eq!(seen.insert(key, family), None, "{code} in {family}");
        }
    }

    #[test]
    fn what_is_in_no_table_means_nothing() {
        for code in ["", "_", "new_code", "429", "tokens", "é", &"rate_limit_error".repeat(40)] {
            assert_eq!(meaning(code), None, "{code}");
        }
        assert_eq!(meaning("1300"), None, "a number is one provider's own");
        assert_eq!(meaning_at("nobody", "1300"), None);
    }

    #[test]
    fn callers_may_name_a_provider_in_their_own_way() {
        for (name, family) in [
            ("azure-openai", "azure"),
            ("OpenAI", "openai"),
            ("google-vertex", "google"),
            ("anthropic-vertex", "anthropic"),
            ("cloudflare-workers-ai", "cloudflare"),
            ("ollama", "ollama"),
            ("openrouter", "openrouter"),
        ] {
            assert_eq!(family_named(name).map(|family| family.name), Some(family), "{name}");
        }
        assert!(family_named("acme").is_none());
    }
}
