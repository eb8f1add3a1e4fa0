//! The name that a wrong name was probably meant to be.

/// The candidate with the fewest edits from `name`, if few enough to be a slip.
pub fn nearest(name: &str, candidates: impl Iterator<Item = &'static str>) -> Option<&'static str> {
    let name: Vec<u8> = name.bytes().take(64).map(|byte| byte.to_ascii_lowercase()).collect();
    candidates
        .map(|candidate| (edits(&name, candidate), candidate))
        .filter(|(edits, candidate)| *edits * 3 <= candidate.len().max(name.len()))
        .min_by_key(|(edits, _)| *edits)
        .map(|(_, candidate)| candidate)
}

/// Levenshtein's distance, without regard to case.
fn edits(from: &[u8], to: &str) -> usize {
    let mut row: Vec<usize> = (0..=from.len()).collect();
    for (i, b) in to.bytes().map(|byte| byte.to_ascii_lowercase()).enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (cell, a) in row.iter_mut().skip(1).zip(from) {
            let substituted = diagonal + usize::from(*a != b);
            diagonal = *cell;
            left = substituted.min(left + 1).min(*cell + 1);
            *cell = left;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slip_finds_its_name_and_a_stranger_finds_none() {
        let names = || ["maxAttempts", "maxRetries", "jitter"].into_iter();
        assert_eq!(nearest("maxAttempt", names()), Some("maxAttempts"));
        assert_eq!(nearest("maxretrys", names()), Some("maxRetries"));
        assert_eq!(nearest("Jitter", names()), Some("jitter"));
        assert_eq!(nearest("colour", names()), None);
        assert_eq!(nearest("", names()), None);
        assert_eq!(nearest(&"x".repeat(10_000), names()), None);
    }

    #[test]
    fn the_distance_is_levenshteins() {
        assert_eq!(edits(b"kitten", "sitting"), 3);
        assert_eq!(edits(b"", "abc"), 3);
        assert_eq!(edits(b"abc", "abc"), 0);
    }
}
