//! The vectors of redaction that the Rust core and the npm package must both answer alike.
//!
//! `text` is masked for a request with the given `url`, `headers` and `values` (what the user
//! redacts); without any of them nothing is known of a request.

use dacapo::headers::Headers;
use dacapo::redact::{Masker, Redaction, is_sensitive_header, sanitize_base_url, sanitize_url};
use serde_json::Value;

fn vectors(group: &str, at_least: usize) -> Vec<Value> {
    let text = include_str!("vectors/redaction.json");
    let all = serde_json::from_str::<Value>(text).expect("the vectors are JSON");
    let group = all[group].as_array().cloned().expect("the group is there");
    assert!(group.len() >= at_least, "{} vectors are too few to mean anything", group.len());
    group
}

fn text<'v>(vector: &'v Value, key: &str) -> &'v str {
    vector[key].as_str().unwrap_or_else(|| panic!("{key} is a string in {vector}"))
}

/// Every vector's answer that is not what the vector expects.
fn assert_all(vectors: Vec<Value>, answer: impl Fn(&Value) -> Option<String>) {
    let wrong = vectors.iter().filter_map(|vector| Some(format!("{vector}\n  gave {:?}", answer(vector)?)));
    let wrong: Vec<_> = wrong.collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_header_is_judged_as_its_vector_says() {
    assert_all(vectors("sensitiveHeaders", 60), |vector| {
        let judged = is_sensitive_header(text(vector, "name"), &[]);
        (vector["sensitive"] != judged).then(|| judged.to_string())
    });
}

#[test]
fn every_url_is_shown_as_its_vector_says() {
    assert_all(vectors("sanitizeUrl", 40), |vector| {
        let shown = sanitize_url(text(vector, "url"), &Redaction::default());
        (shown != text(vector, "expect")).then_some(shown)
    });
}

#[test]
fn every_base_url_is_used_as_its_vector_says() {
    assert_all(vectors("sanitizeBaseUrl", 20), |vector| {
        let (url, removed) = sanitize_base_url(text(vector, "url"));
        let right = url == text(vector, "expect") && vector["removed"] == removed;
        (!right).then(|| format!("{url}, {removed}"))
    });
}

#[test]
fn every_text_is_masked_as_its_vector_says_and_stays_so() {
    assert_all(vectors("text", 60), |vector| {
        let list = |key: &str| vector[key].as_array().cloned().unwrap_or_default();
        let fields = list("headers").iter().fold(String::new(), |fields, field| {
            let [name, value] = [0, 1].map(|at| field[at].as_str().expect("a field is a pair of strings"));
            fields + name + "\n" + value + "\n"
        });
        let values = list("values").iter().map(|value| value.as_str().expect("a value is a string").into()).collect();
        let redaction = Redaction { values, ..Redaction::default() };
        let url = vector["url"].as_str().unwrap_or_default();
        let masker = Masker::for_request(url, Headers::new(&fields), &redaction);
        let masked = masker.mask(text(vector, "text")).into_owned();
        let right = masked == text(vector, "expect") && masker.mask(&masked) == masked;
        (!right).then_some(masked)
    });
}
