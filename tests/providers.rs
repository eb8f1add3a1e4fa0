//! What a failure is does not hang on what may change in it: the vectors, changed in every
//! way that leaves the failure the same, keep their verdict.

#[path = "support/vectors.rs"]
mod vectors;

use dacapo::classify::{Failure, classify};
use dacapo::clock::WallMs;
use dacapo::policy::Policy;
use proptest::prelude::*;
use serde_json::{Map, Value};
use vectors::{Row, rows};

/// The rows whose verdict changes when `change` changes their body; it gives `None` where it
/// does not apply.
fn changed_by(change: impl Fn(&Row) -> Option<String>) -> Vec<String> {
    let mut applied = 0;
    let mut wrong = Vec::new();
    for row in rows() {
        let Some(body) = change(row) else { continue };
        applied += 1;
        let (before, after) = (row.verdict(&row.body), row.verdict(&body));
        if (before.kind, before.retryable) != (after.kind, after.retryable) {
            wrong.push(format!("{}: {} became {}\n    {body}", row.name, before.kind.as_str(), after.kind.as_str()));
        }
    }
    assert!(applied > 100, "only {applied} rows were changed");
    wrong
}

fn parsed(row: &Row) -> Option<Value> {
    serde_json::from_str(&row.body).ok().filter(Value::is_object)
}

/// Every message in a body, with the key it stands under.
fn change_messages(value: &mut Value, change: &dyn Fn(&str) -> String) {
    const MESSAGES: [&str; 6] = ["message", "error", "detail", "details", "msg", "raw"];
    match value {
        Value::Object(members) => {
            for (key, inner) in members {
                match inner {
                    // What is JSON, or quotes it, is no prose, nor is an `error` of one word.
                    Value::String(text)
                        if MESSAGES.contains(&key.as_str())
                            && !text.contains(['{', '['])
                            && (key != "error" || text.contains(' ')) =>
                    {
                        *text = change(text);
                    }
                    inner => change_messages(inner, change),
                }
            }
        }
        Value::Array(items) => items.iter_mut().for_each(|item| change_messages(item, change)),
        _ => {}
    }
}

fn with_messages(row: &Row, change: &dyn Fn(&str) -> String) -> Option<String> {
    let mut value = parsed(row)?;
    change_messages(&mut value, change);
    Some(value.to_string())
}

#[test]
fn other_numbers_in_messages_change_nothing() {
    let other = |text: &str| text.chars().map(|c| if c.is_ascii_digit() { '7' } else { c }).collect();
    assert_eq!(changed_by(|row| with_messages(row, &other)), Vec::<String>::new());
}

#[test]
fn other_ids_and_names_of_models_in_messages_change_nothing() {
    let other = |text: &str| {
        let words = text.split(' ').map(|word| {
            let named = word.contains(|c: char| c.is_ascii_digit()) && word.contains(|c: char| c.is_ascii_alphabetic());
            let quoted =
                word.len() > 2 && word.starts_with(['`', '\'', '"']) && !word.contains("tokens") && word != "`inputs`";
            match word {
                _ if word.contains("limit")
                    || word.contains("max_")
                    || word.contains("Day")
                    || word.contains("hour") =>
                {
                    word
                }
                _ if quoted => "`some-lab/other-9b-instruct`",
                _ if named => "acme-4o-2031-01-01",
                _ => word,
            }
        });
        words.collect::<Vec<_>>().join(" ")
    };
    assert_eq!(changed_by(|row| with_messages(row, &other)), Vec::<String>::new());
}

#[test]
fn a_sentence_that_is_added_to_a_message_changes_nothing() {
    for more in [
        " For more information, see https://docs.example.com/errors#more and contact support@example.com.",
        " Please try again later, or reach out to our team with the ID req_0123456789abcdef.",
        " This incident has been logged.",
    ] {
        // What has no end of its own gets one.
        let added = |text: &str| format!("{}.{more}", text.trim_end_matches(['.', '\n', ' ']));
        assert_eq!(changed_by(|row| with_messages(row, &added)), Vec::<String>::new(), "{more}");
        let before = |text: &str| format!("{} {text}", more.trim());
        assert_eq!(changed_by(|row| with_messages(row, &before)), Vec::<String>::new(), "{more}");
    }
}

#[test]
fn capitals_and_spaces_in_messages_change_nothing() {
    let spaced = |text: &str| text.replace(' ', "  ");
    assert_eq!(changed_by(|row| with_messages(row, &spaced)), Vec::<String>::new());
    let upper = |text: &str| text.to_uppercase();
    let plain = |row: &Row| !row.body.contains("_error:") && !row.body.contains("litellm");
    assert_eq!(changed_by(|row| with_messages(row, &upper).filter(|_| plain(row))), Vec::<String>::new());
}

fn reversed(value: &Value) -> Value {
    match value {
        Value::Object(members) => {
            Value::Object(members.iter().map(|(key, inner)| (key.clone(), reversed(inner))).collect::<Map<_, _>>())
        }
        Value::Array(items) => Value::Array(items.iter().map(reversed).collect()),
        other => other.clone(),
    }
}

/// JSON with its members the other way round.
fn backwards(value: &Value) -> String {
    match value {
        Value::Object(members) => {
            let members: Vec<_> =
                members.iter().map(|(key, inner)| format!("{:?}:{}", key, backwards(inner))).collect();
            format!("{{{}}}", members.into_iter().rev().collect::<Vec<_>>().join(","))
        }
        Value::Array(items) => format!("[{}]", items.iter().map(backwards).collect::<Vec<_>>().join(",")),
        other => other.to_string(),
    }
}

#[test]
fn the_order_of_members_changes_nothing() {
    assert_eq!(changed_by(|row| Some(reversed(&parsed(row)?).to_string())), Vec::<String>::new());
    assert_eq!(changed_by(|row| Some(backwards(&parsed(row)?))), Vec::<String>::new());
}

#[test]
fn white_space_a_byte_order_mark_and_members_that_say_nothing_change_nothing() {
    assert_eq!(changed_by(|row| serde_json::to_string_pretty(&parsed(row)?).ok()), Vec::<String>::new());
    assert_eq!(changed_by(|row| Some(format!("\u{feff}\n\t {}\r\n ", row.body))), Vec::<String>::new());
    let more = |row: &Row| {
        let mut value = parsed(row)?;
        let members = value.as_object_mut()?;
        for (key, text) in [("trace", "abc"), ("documentation_url", "https://docs.example.com"), ("host", "eu-1")] {
            members.insert(key.to_owned(), text.into());
        }
        members.insert("latency".to_owned(), serde_json::json!({"ms": 12, "hops": [1, 2, 3]}));
        Some(value.to_string())
    };
    assert_eq!(changed_by(more), Vec::<String>::new());
}

#[test]
fn an_array_around_the_error_changes_nothing() {
    // Lists of errors are one provider's shape, and in an array they are another's.
    assert_eq!(changed_by(|row| Some(format!("[{}]", parsed(row).map(|_| &row.body)?))), Vec::<String>::new());
}

#[test]
fn an_error_that_was_encoded_twice_keeps_its_verdict() {
    assert_eq!(changed_by(|row| Some(Value::String(parsed(row)?.to_string()).to_string())), Vec::<String>::new());
}

#[test]
fn the_form_of_an_event_or_of_a_line_keeps_the_verdict() {
    let one_line = |row: &Row| parsed(row).map(|value| value.to_string());
    let failed = |row: &Row| row.status != 200 || row.kind != "transport";
    let changes: [&dyn Fn(String) -> String; 3] = [
        &|line| format!(": ping\n\ndata: {line}\n\ndata: [DONE]\n\n"),
        &|line| format!("event: error\r\ndata: {line}\r\n\r\n"),
        &|line| format!("event: error\rdata:{line}\r\r"),
    ];
    for change in changes {
        assert_eq!(changed_by(|row| one_line(row).filter(|_| failed(row)).map(change)), Vec::<String>::new());
    }
}

#[test]
fn a_body_that_is_cut_after_its_last_text_keeps_its_verdict() {
    let cut = |row: &Row| {
        parsed(row)?;
        // Inside a 200 an answer that broke off is another failure.
        let end = row.body.rfind('"').filter(|_| row.status != 200)?;
        Some(row.body[..=end].to_owned())
    };
    assert_eq!(changed_by(cut), Vec::<String>::new());
}

#[test]
fn a_wrong_content_type_changes_nothing() {
    let wrong = rows().iter().filter_map(|row| {
        let before = row.verdict(&row.body);
        let wrong = Row { headers: row.headers.replace("application/json", "text/html"), ..row.clone() };
        let after = wrong.verdict(&row.body);
        ((before.kind, before.retryable) != (after.kind, after.retryable)).then_some(&row.name)
    });
    assert_eq!(wrong.collect::<Vec<_>>(), Vec::<&String>::new());
}

fn of(status: u16, body: &str) -> (&'static str, bool, &'static str) {
    let failure = Failure { status: Some(status), body, ..Failure::default() };
    let verdict = classify(&failure, &Policy::default(), WallMs(0));
    (verdict.kind.as_str(), verdict.retryable, verdict.rule)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn any_text_is_classified(status in 100_u16..999, body in r#"(\PC|["\[\]{}:,\\'#\n]|data:|error|code|Exception){0,60}"#) {
        of(status, &body);
    }

    #[test]
    fn a_code_of_no_table_never_decides(
        status in 400_u16..600,
        code in "[a-z]{3,8}zq[a-z]{0,8}",
        place in prop::sample::select(vec!["code", "type", "status"]),
    ) {
        let bodies = [
            format!(r#"{{"error":{{"{place}":"{code}","message":"(none)"}}}}"#),
            format!(r#"{{"{place}":"{code}"}}"#),
            format!(r#"{{"error":{{"details":{{"error_code":"{code}"}}}}}}"#),
        ];
        for body in bodies {
            prop_assert_eq!(of(status, &body), of(status, ""), "{}", body);
        }
    }

    #[test]
    fn a_changed_byte_in_a_vector_does_no_harm(at in any::<prop::sample::Index>(), byte in any::<char>(), place in any::<prop::sample::Index>()) {
        let row = at.get(rows());
        let mut body: Vec<char> = row.body.chars().collect();
        if !body.is_empty() {
            *place.get_mut(&mut body) = byte;
        }
        row.verdict(&body.into_iter().collect::<String>());
    }
}

#[test]
fn a_body_of_64_kib_is_read_whatever_it_is() {
    let size = 64 * 1024;
    for part in [
        "{\"error\":",
        "[",
        "{\"a\":{\"b\":1},\"error\":\"",
        "data: {}\n\n",
        "{}\n",
        "\\",
        "\"{",
        "prompt is too long. ",
        "{'",
        "é",
        "{\"error\":{\"message\":\"{\\\"error\\\":",
    ] {
        let body: String = part.chars().cycle().take(size / part.chars().count() * part.chars().count()).collect();
        for status in [200, 429, 500] {
            of(status, &body);
        }
    }
}
