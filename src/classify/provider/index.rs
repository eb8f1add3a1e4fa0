//! The tables of the catalogue, found by letters and digits alone.
//!
//! They are texts, which is the smallest form they can be shipped in. The first failure of a
//! process reads them into one hash table.

use super::families::{FAMILIES, Family};
use super::read::PLACES;
use super::wording::WORDS;
use crate::kind::ErrorKind;
use crate::scan::{contains, cut, from, split_once};
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

/// Which table a row is of: everybody's codes, or one of these, or the own codes of the family
/// at this place from `OWN`.
pub type Table = u8;
const CODES: Table = 0;
/// Where codes and messages stand; the value is the line.
pub const PLACE: Table = 1;
/// Members that give a family away; the value is its place and the condition's byte.
pub const SHAPE: Table = 2;
/// Words of messages; the value is the line.
pub const WORD: Table = 3;
/// How the names of header fields begin; the value is the family's place.
pub const HEADER: Table = 4;
const OWN: Table = 5;

struct Row {
    table: Table,
    hash: u32,
    name: &'static str,
    value: u16,
    meaning: Option<Meaning>,
}

/// Open addressing, at most half full.
struct Index {
    rows: Vec<Row>,
    /// The place of a row, from 1, and above it the upper half of its hash; 0 is free.
    slots: Vec<u32>,
    /// For the ends of the last keys of members (see `ends_of`), bits for how many keys such a
    /// member has.
    last_keys: [[u8; 32]; 32],
}

const SLOTS: usize = 2048;
const PLACE_BITS: u32 = 16;

/// What a code means that stands for the same wherever it is sent. Of a code with a point in it
/// (`Throttling.RateQuota`) the first part says it less exactly.
pub fn meaning(code: &str) -> Option<Meaning> {
    let general = || find(CODES, &[split_once(code, b'.')?.0]);
    find(CODES, &[code]).or_else(general)?.meaning
}

/// What a code means at this provider, by the name of its family.
pub fn meaning_at(family: &str, code: &str) -> Option<Meaning> {
    let at = FAMILIES.iter().position(|known| known.name == family)?;
    let table = OWN + at as u8;
    find(table, &[code])?.meaning
}

/// The value of a name that is given in parts.
pub fn value(table: Table, parts: &[&str]) -> Option<u16> {
    Some(find(table, parts)?.value)
}

/// The value of a word whose letters went into the hash one by one.
pub fn value_of_word(word: &str, hash: WordHash) -> Option<u16> {
    Some(index().find(WORD, &[word], hash.0)?.value)
}

/// Whether `PLACE` or `SHAPE` may have this member: a quick look at its last key, wrong on one
/// side only.
pub fn may_have(keys: &[&str]) -> bool {
    let Some(ends) = keys.last().and_then(|key| ends_of(key)) else { return true };
    index().last_key(ends).is_some_and(|bits| bits >> keys.len().min(7) & 1 != 0)
}

/// The first and the last of the signs of a key that the search does not pass over.
fn ends_of(key: &str) -> Option<(u8, u8)> {
    let (first, last) = (key.bytes().find_map(significant)?, key.bytes().rev().find_map(significant)?);
    Some((first & 31, last & 31))
}

#[inline(never)]
fn find(table: Table, parts: &[&str]) -> Option<&'static Row> {
    index().find(table, parts, hash(table, parts))
}

/// The hash of a word, for a reader that sees each of its letters anyway.
#[derive(Clone, Copy)]
pub struct WordHash(u32);

impl WordHash {
    /// Of no letters.
    pub const START: WordHash = WordHash(start(WORD));

    /// With one more letter.
    pub fn and(self, letter: u8) -> WordHash {
        WordHash(add(self.0, letter | 0x20))
    }
}

/// Every code with the name of the family that lists it, and whether it is that family's own.
pub fn all_codes() -> impl Iterator<Item = (&'static str, bool, &'static str, Meaning)> {
    let rows = FAMILIES.iter().flat_map(|family| [(family.name, false, family.codes), (family.name, true, family.own)]);
    rows.flat_map(|(family, own, table)| {
        table.lines().flat_map(move |line| {
            let meaning = line.split(' ').next().and_then(meaning_of);
            let codes = line.split(' ').skip(1);
            codes.filter_map(move |code| Some((family, own, code, meaning?)))
        })
    })
}

/// The family that a caller means by the name of a provider.
pub fn family_named(name: &str) -> Option<&'static Family> {
    FAMILIES.iter().find(|family| {
        let mut aliases = family.aliases;
        std::iter::from_fn(|| cut(&mut aliases, b' ')).any(|alias| contains(name, alias))
    })
}

fn index() -> &'static Index {
    static INDEX: OnceLock<Index> = OnceLock::new();
    INDEX.get_or_init(Index::new)
}

/// What the first word of a line says of the codes that follow.
fn meaning_of(spec: &str) -> Option<Meaning> {
    let (weight, name) = match spec.as_bytes().first()? {
        b'?' => (Weight::Class, spec.get(1..)?),
        b'~' => (Weight::Anything, spec.get(1..)?),
        _ => (Weight::Cause, spec),
    };
    let (retryable, end) = match name.as_bytes().last()? {
        b'+' => (Some(true), name.len() - 1),
        b'-' => (Some(false), name.len() - 1),
        _ => (None, name.len()),
    };
    Some(Meaning { kind: ErrorKind::from_name(name.get(..end)?)?, weight, retryable })
}

impl Index {
    #[cold]
    #[inline(never)]
    fn new() -> Index {
        let mut index = Index { rows: Vec::new(), slots: vec![0; SLOTS], last_keys: [[0; 32]; 32] };
        index.add_lines(PLACE, PLACES);
        index.add_lines(WORD, WORDS);
        for (at, family) in FAMILIES.iter().enumerate() {
            index.add_lines(CODES, family.codes);
            index.add_lines(OWN + at as u8, family.own);
            for (table, mut names) in [(HEADER, family.headers), (SHAPE, family.shapes)] {
                while let Some(name) = cut(&mut names, b' ') {
                    let condition = name.bytes().next().filter(u8::is_ascii_punctuation).unwrap_or(0);
                    index.add(table, name, u16::from(condition) << 8 | at as u16, None);
                }
            }
        }
        index
    }

    fn last_key(&self, (first, last): (u8, u8)) -> Option<u8> {
        self.last_keys.get(usize::from(first))?.get(usize::from(last)).copied()
    }

    /// Each line: what it is about, then names.
    fn add_lines(&mut self, table: Table, mut lines: &'static str) {
        let mut at = 0;
        while let Some(mut line) = cut(&mut lines, b'\n') {
            let meaning = cut(&mut line, b' ').and_then(meaning_of);
            while let Some(name) = cut(&mut line, b' ') {
                self.add(table, name, at, meaning);
            }
            at += 1;
        }
    }

    fn add(&mut self, table: Table, name: &'static str, value: u16, meaning: Option<Meaning>) {
        // A condition before the keys is none of them.
        let end = name.bytes().rev().take_while(|byte| !matches!(byte, b'.' | b'@' | b'^' | b'#' | b'&')).count();
        if matches!(table, PLACE | SHAPE)
            && let Some((first, last)) = ends_of(from(name, name.len() - end))
            && let Some(bits) =
                self.last_keys.get_mut(usize::from(first)).and_then(|row| row.get_mut(usize::from(last)))
        {
            *bits |= 1 << (1 + name.bytes().filter(|byte| *byte == b'.').count()).min(7);
        }
        let hash = hash(table, &[name]);
        let mut at = hash as usize;
        while let Some(slot) = self.slots.get_mut(at % SLOTS) {
            if *slot == 0 {
                self.rows.push(Row { table, hash, name, value, meaning });
                *slot = hash >> PLACE_BITS << PLACE_BITS | self.rows.len() as u32;
                return;
            }
            at += 1;
        }
    }

    #[inline(never)]
    fn find(&self, table: Table, parts: &[&str], hash: u32) -> Option<&Row> {
        let mut at = hash as usize;
        loop {
            // An empty slot ends the search: nothing is ever taken out.
            let slot = *self.slots.get(at % SLOTS).filter(|slot| **slot != 0)?;
            if (slot ^ hash) >> PLACE_BITS == 0 {
                let place = slot & ((1 << PLACE_BITS) - 1);
                let row = self.rows.get((place as usize).checked_sub(1)?)?;
                if row.hash == hash && row.table == table && is_spelled(row.name, parts) {
                    return Some(row);
                }
            }
            at += 1;
        }
    }
}

/// What counts of a byte: letters and digits in lower case, so that `RateLimitExceeded`,
/// `RATE_LIMIT_EXCEEDED` and `rate-limit-exceeded` are one code, and in a path the sign of an
/// array and the dot between keys.
fn significant(byte: u8) -> Option<u8> {
    const KEPT: [u8; 256] = {
        let mut kept = [0; 256];
        let mut byte = 0;
        while byte < 128 {
            if (byte as u8).is_ascii_alphanumeric() || byte == b'[' as usize || byte == b'.' as usize {
                kept[byte] = byte as u8 | 0x20;
            }
            byte += 1;
        }
        kept
    };
    KEPT.get(usize::from(byte)).copied().filter(|kept| *kept != 0)
}

/// Whether a name of a table is made of these parts.
fn is_spelled(name: &str, parts: &[&str]) -> bool {
    // Most are written as the table has them.
    if matches!(parts, [part] if part.eq_ignore_ascii_case(name)) {
        return true;
    }
    let mut name = name.bytes().filter_map(significant);
    for (at, part) in parts.iter().enumerate() {
        if at > 0 && name.next() != significant(b'.') {
            return false;
        }
        if !part.bytes().filter_map(significant).all(|byte| name.next() == Some(byte)) {
            return false;
        }
    }
    name.next().is_none()
}

/// FNV-1a.
fn hash(table: Table, parts: &[&str]) -> u32 {
    let mut hash = start(table);
    for (at, part) in parts.iter().enumerate() {
        if at > 0 {
            hash = add(hash, b'.' | 0x20);
        }
        hash = part.bytes().filter_map(significant).fold(hash, add);
    }
    hash
}

const fn start(table: Table) -> u32 {
    0x811c_9dc5 ^ table as u32
}

const fn add(hash: u32, byte: u8) -> u32 {
    (hash ^ byte as u32).wrapping_mul(0x0100_0193)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_code_of_the_catalogue_has_its_kind_in_any_spelling() {
        let lines = FAMILIES.iter().flat_map(|family| family.codes.lines().chain(family.own.lines()));
        let listed: usize = lines.map(|line| line.split(' ').count() - 1).sum();
        assert_eq!(all_codes().count(), listed, "every line names a kind");
        assert!(listed > 200 && index().rows.len() < SLOTS / 2, "{listed}");
        for (family, own, code, meant) in all_codes() {
            let camel: String = code.split('_').map(|part| part[..1].to_uppercase() + &part[1..]).collect();
            for spelling in [code, &code.to_uppercase(), &code.replace('_', "-"), &code.replace('_', " "), &camel] {
                let found = if own { meaning_at(family, spelling) } else { meaning(spelling) };
                assert_eq!(found, Some(meant), "{family}: {spelling}");
            }
        }
    }

    #[test]
    fn nothing_is_listed_twice_in_a_table() {
        let mut seen = std::collections::BTreeSet::new();
        for row in &index().rows {
            let key = (row.table, row.name.bytes().filter_map(significant).collect::<Vec<_>>());
            assert!(!key.1.is_empty(), "{}", row.name);
            assert!(seen.insert(key), "{} in {}", row.name, row.table);
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
