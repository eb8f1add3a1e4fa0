//! The rows of `tests/vectors/providers.json`.

#![allow(dead_code)] // each test binary uses a part of it

use dacapo::classify::{Failure, Verdict, classify};
use dacapo::clock::WallMs;
use dacapo::headers::Headers;
use dacapo::policy::Policy;
use serde_json::Value;
use std::sync::LazyLock;

/// The moment from which the dates in the vectors are a few seconds away.
pub const NOW: WallMs = WallMs(1_767_225_600_000);

/// What a provider sent, and what it is.
#[derive(Clone)]
pub struct Row {
    pub name: String,
    pub status: u16,
    /// In the form of [`Headers`].
    pub headers: String,
    pub body: String,
    pub kind: String,
    pub retryable: bool,
    pub retry_after_ms: Option<u64>,
    /// More than one answer can be defended, or a wrong one is documented.
    pub excused: bool,
}

/// All rows.
pub fn rows() -> &'static [Row] {
    static ROWS: LazyLock<Vec<Row>> = LazyLock::new(read);
    &ROWS
}

fn read() -> Vec<Row> {
    let text = include_str!("../vectors/providers.json");
    let all = serde_json::from_str::<Vec<Value>>(text).expect("the vectors are rows");
    assert!(all.len() > 300, "{} rows are too few to mean anything", all.len());
    all.iter().map(row).collect()
}

fn row(row: &Value) -> Row {
    let text = |value: &Value| value.as_str().unwrap_or_else(|| panic!("no text: {row}")).to_owned();
    let headers = row["headers"].as_object().expect("headers is an object");
    Row {
        name: [text(&row["provider"]), text(&row["name"])].join("/"),
        status: u16::try_from(row["status"].as_u64().expect("a status")).expect("a status"),
        headers: headers.iter().map(|(name, value)| format!("{name}\n{}\n", text(value))).collect(),
        body: text(&row["body"]),
        kind: text(&row["kind"]),
        retryable: row["retryable"].as_bool().expect("a flag"),
        retry_after_ms: row["retryAfterMs"].as_u64(),
        excused: row.get("contested").is_some() || row.get("knownMiss").is_some(),
    }
}

impl Row {
    /// What the engine says of it, or of the same failure with another body.
    pub fn verdict(&self, body: &str) -> Verdict {
        let headers = Headers::new(&self.headers);
        let failure = Failure { status: Some(self.status), headers, body, ..Failure::default() };
        classify(&failure, &Policy::default(), NOW)
    }
}
