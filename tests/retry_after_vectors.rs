//! The vectors that the Rust core and the npm package must both answer alike.
//!
//! `parseRetryAfter`: one field value. `headers`: whole header sets, every source consulted.
//! `expectMs: null` is "no hint", which is never the same as a hint of 0.

use dacapo::clock::{DelayMs, WallMs};
use dacapo::headers::Headers;
use dacapo::retry_after::{HintSources, from_headers, parse_retry_after};
use serde_json::Value;

fn vectors(group: &str) -> Vec<Value> {
    let text = include_str!("vectors/retry_after.json");
    let all = serde_json::from_str::<Value>(text).expect("the vectors are JSON");
    let group = all[group].as_array().cloned().expect("the group is there");
    assert!(group.len() >= 40, "{} vectors are too few to mean anything", group.len());
    group
}

fn now(vector: &Value) -> WallMs {
    WallMs(vector["nowMs"].as_i64().expect("nowMs is a whole number"))
}

fn expected_ms(vector: &Value) -> Option<u64> {
    let expected = vector.get("expectMs").expect("expectMs is there, if only as null");
    assert!(expected.is_u64() || expected.is_null(), "expectMs: {expected}");
    expected.as_u64()
}

#[test]
fn every_value_is_read_as_its_vector_says() {
    let wrong = vectors("parseRetryAfter").into_iter().filter_map(|vector| {
        let value = vector["value"].as_str().expect("value is a string");
        let read = parse_retry_after(value, now(&vector), vector["dateHeader"].as_str());
        let read = read.map(DelayMs::get);
        (read != expected_ms(&vector)).then(|| format!("{}: read as {read:?}", vector["name"]))
    });
    assert_eq!(wrong.collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn every_header_set_gives_the_hint_of_its_vector() {
    let wrong = vectors("headers").into_iter().filter_map(|vector| {
        let fields = vector["headers"].as_array().expect("headers is an array");
        let mut text = String::new();
        for part in fields.iter().flat_map(|field| [&field[0], &field[1]]) {
            text.push_str(part.as_str().expect("names and values are strings"));
            text.push('\n');
        }
        let hint = from_headers(Headers::new(&text), HintSources::ALL, now(&vector));
        let is_right = hint.map(|hint| hint.delay.get()) == expected_ms(&vector)
            && vector["expectSource"].as_str() == hint.map(|hint| hint.source.as_str());
        (!is_right).then(|| format!("{}: gave {hint:?}", vector["name"]))
    });
    assert_eq!(wrong.collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn no_two_vectors_have_the_same_name() {
    for group in ["parseRetryAfter", "headers"] {
        let mut names = vectors(group)
            .iter()
            .map(|vector| vector["name"].as_str().expect("name is a string").to_owned())
            .collect::<Vec<_>>();
        names.sort_unstable();
        let all = names.len();
        names.dedup();
        assert_eq!(names.len(), all, "{group}");
    }
}
