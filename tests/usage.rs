//! The usage vectors, which the npm package must answer alike, and what holds for any text.
//!
//! `body` is JSON that is written out, `text` is read as it stands. `usage: null` is "tells
//! no usage"; a member that is absent is not reported.

use dacapo::classify::json::{Scalar, walk};
use dacapo::usage::{MAX_TOKENS, Usage, UsageReader};
use proptest::prelude::*;
use serde_json::Value;

fn vectors() -> Vec<Value> {
    let all = serde_json::from_str::<Value>(include_str!("vectors/usage.json")).expect("the vectors are JSON");
    let vectors = all["usage"].as_array().cloned().expect("the group is there");
    assert!(vectors.len() >= 50, "{} vectors are too few to mean anything", vectors.len());
    vectors
}

fn text_of(vector: &Value) -> String {
    vector["text"].as_str().map_or_else(|| vector["body"].to_string(), str::to_owned)
}

fn expected(vector: &Value) -> Option<Usage> {
    let usage = vector.get("usage").expect("usage is there, if only as null").as_object()?;
    let known = ["prompt", "completion", "total", "reasoning", "cacheRead", "cacheWrite"];
    assert!(usage.keys().all(|key| known.contains(&key.as_str())), "{}", vector["name"]);
    let count = |name: &str| usage.get(name).map(|count| count.as_u64().expect("a count"));
    Some(Usage {
        prompt: count("prompt"),
        completion: count("completion"),
        total: count("total"),
        reasoning: count("reasoning"),
        cache_read: count("cacheRead"),
        cache_write: count("cacheWrite"),
    })
}

#[test]
fn every_usage_is_read_as_its_vector_says() {
    let wrong = vectors().into_iter().filter_map(|vector| {
        let read = Usage::read(&text_of(&vector));
        (read != expected(&vector)).then(|| format!("{}: read as {read:?}", vector["name"]))
    });
    assert_eq!(wrong.collect::<Vec<_>>(), Vec::<String>::new());
}

#[test]
fn the_events_of_a_stream_are_read_one_by_one_as_they_are_together() {
    let streams: Vec<_> = vectors().into_iter().filter(|vector| vector["body"].is_array()).collect();
    assert!(streams.len() >= 3);
    for vector in streams {
        let mut reader = UsageReader::default();
        for event in vector["body"].as_array().into_iter().flatten() {
            walk(&event.to_string(), &mut |keys, scalar| reader.visit(keys, &scalar));
        }
        assert_eq!(reader.usage(), expected(&vector), "{}", vector["name"]);
    }
}

#[test]
fn white_space_and_the_order_of_keys_change_nothing() {
    fn reversed(value: &Value) -> String {
        match value {
            Value::Object(members) => {
                let members: Vec<_> =
                    members.iter().rev().map(|(key, value)| format!("\n  {key:?} : {}", reversed(value))).collect();
                format!("{{{} }}", members.join(" ,"))
            }
            Value::Array(items) => format!("[ {} ]", items.iter().map(reversed).collect::<Vec<_>>().join(" , ")),
            scalar => scalar.to_string(),
        }
    }
    for vector in vectors().iter().filter(|vector| vector["body"].is_object()) {
        assert_eq!(Usage::read(&reversed(&vector["body"])), expected(vector), "{}", vector["name"]);
    }
}

#[test]
fn a_text_or_a_flag_counts_nothing_wherever_it_stands() {
    let mut reader = UsageReader::default();
    for scalar in [Scalar::Text("7".into()), Scalar::Flag(true), Scalar::Null] {
        reader.visit(&["usage", "prompt_tokens"], &scalar);
    }
    assert_eq!(reader.usage(), None);
    reader.visit(&["usage", "prompt_tokens"], &Scalar::Number("7"));
    assert_eq!(reader.usage().and_then(|usage| usage.prompt), Some(7));
}

proptest! {
    #[test]
    fn no_text_makes_it_panic_and_no_count_is_above_the_largest(text in "\\PC*") {
        Usage::read(&text);
    }

    #[test]
    fn a_cut_anywhere_gives_no_count_that_the_whole_does_not_have(cut in 0usize..400, prompt: u64, completion: u64) {
        let prompt = prompt.min(MAX_TOKENS);
        let completion = completion.min(MAX_TOKENS);
        let whole = format!(r#"{{"id":"é","usage":{{"prompt_tokens":{prompt},"completion_tokens":{completion}}}}}"#);
        let end = (0..=cut.min(whole.len())).rev().find(|end| whole.is_char_boundary(*end)).unwrap_or(0);
        let read = Usage::read(&whole[..end]).unwrap_or_default();
        prop_assert!(read.prompt.is_none_or(|count| count == prompt));
        prop_assert!(read.completion.is_none_or(|count| count == completion));
        prop_assert!(read.total.is_none_or(|count| count <= MAX_TOKENS));
    }
}
