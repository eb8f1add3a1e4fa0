//! What providers send when a call fails, and what each of it is.

#[path = "support/vectors.rs"]
mod vectors;

use dacapo::ErrorKind;
use vectors::rows;

#[test]
fn every_recorded_failure_has_its_kind_and_is_retried_or_not() {
    let wrong = rows().iter().filter(|row| !row.excused).filter_map(|row| {
        let verdict = row.verdict(&row.body);
        let right = (verdict.kind.as_str(), verdict.retryable) == (&*row.kind, row.retryable);
        (!right).then(|| format!("{}: {} ({}), not {}", row.name, verdict.kind.as_str(), verdict.rule, row.kind))
    });
    assert_eq!(wrong.collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn every_recorded_failure_names_its_wait() {
    let wrong = rows().iter().filter(|row| !row.excused).filter_map(|row| {
        let found = row.verdict(&row.body).hint.map(|hint| hint.delay.get());
        (found != row.retry_after_ms).then(|| format!("{}: {found:?}, not {:?}", row.name, row.retry_after_ms))
    });
    assert_eq!(wrong.collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn every_row_names_a_kind_and_no_two_have_one_name() {
    let mut names = std::collections::BTreeSet::new();
    for row in rows() {
        assert!(ErrorKind::from_name(&row.kind).is_some(), "{}", row.name);
        assert!(names.insert(row.name.clone()), "{}", row.name);
    }
}
