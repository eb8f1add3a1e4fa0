//! The vectors of wait hints that the Rust core and the npm package must both answer alike:
//! whole failures under the default policy. `expectMs: null` is "no hint".

use dacapo::classify::{Failure, classify};
use dacapo::clock::WallMs;
use dacapo::headers::Headers;
use dacapo::policy::Policy;
use dacapo::retry_after::{HintSource, HintSources};
use serde_json::Value;

fn vectors() -> Vec<Value> {
    let text = include_str!("vectors/wait_hints.json");
    let all = serde_json::from_str::<Value>(text).expect("the vectors are JSON");
    all["failures"].as_array().cloned().expect("the group is there")
}

/// The hint of a vector's failure when these sources are consulted: ms and source.
fn hint(vector: &Value, sources: HintSources) -> Option<(u64, &'static str)> {
    let mut fields = String::new();
    for part in vector["headers"].as_array().into_iter().flatten().flat_map(|field| [&field[0], &field[1]]) {
        fields.push_str(part.as_str().expect("names and values are strings"));
        fields.push('\n');
    }
    let status = vector["status"].as_u64().expect("status is a whole number");
    let failure = Failure {
        status: Some(u16::try_from(status).expect("a status")),
        headers: Headers::new(&fields),
        body: vector["body"].as_str().unwrap_or_default(),
        ..Failure::default()
    };
    let mut policy = Policy::default();
    policy.hints.sources = sources;
    let now = WallMs(vector["nowMs"].as_i64().expect("nowMs is a whole number"));
    classify(&failure, &policy, now).hint.map(|hint| (hint.delay.get(), hint.source.as_str()))
}

fn expected(vector: &Value) -> Option<(u64, &str)> {
    let ms = vector.get("expectMs").expect("expectMs is there, if only as null").as_u64()?;
    Some((ms, vector["expectSource"].as_str().expect("a hint has a source")))
}

#[test]
fn every_failure_gives_the_hint_of_its_vector() {
    let all = vectors();
    assert!(all.len() > 100, "{} vectors", all.len());
    let wrong = all.iter().filter_map(|vector| {
        let hint = hint(vector, HintSources::ALL);
        (hint != expected(vector)).then(|| format!("{}: gave {hint:?}", vector["name"]))
    });
    assert_eq!(wrong.collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn the_source_of_a_hint_finds_it_alone_and_no_hint_is_found_without_any() {
    for vector in vectors() {
        let Some((_, name)) = expected(&vector) else { continue };
        let source = HintSource::ALL.into_iter().find(|source| source.as_str() == name).expect("a known source");
        assert_eq!(hint(&vector, HintSources::NONE.with(source)), expected(&vector), "{}", vector["name"]);
        assert_eq!(hint(&vector, HintSources::NONE), None, "{}", vector["name"]);
    }
}

#[test]
fn no_two_vectors_have_the_same_name() {
    let all = vectors();
    let names = all.iter().map(|vector| vector["name"].as_str()).collect::<std::collections::BTreeSet<_>>();
    assert_eq!(names.len(), all.len());
}
