//! The streams of `tests/vectors/streams.json`.
//!
//! `frames` are the bytes, of an event stream in base64. `opening` is what is decided before
//! anything is delivered; with `firstOutput` or `decidedAt` exactly at that frame. `end` is
//! how the last bytes look. `usage` is what the whole stream tells.

#![allow(dead_code)] // each test binary uses a part of it

#[path = "base64.rs"]
mod base64;

use base64::base64;
use dacapo::stream::Format;
use dacapo::stream::opening::{Opening, Step};
use dacapo::stream::tail::{Ended, Tail};
use serde_json::Value;
use std::sync::LazyLock;

/// A stream, and what it is.
pub struct Stream {
    pub name: String,
    pub content_type: String,
    pub streams_array: bool,
    pub frames: Vec<Vec<u8>>,
    pub first_output: Option<usize>,
    pub decided_at: Option<usize>,
    pub row: Value,
}

/// All of them.
pub static STREAMS: LazyLock<Vec<Stream>> = LazyLock::new(|| {
    let text = include_str!("../vectors/streams.json");
    let rows = serde_json::from_str::<Vec<Value>>(text).expect("the vectors are rows");
    assert!(rows.len() >= 95, "{} streams are too few to mean anything", rows.len());
    rows.into_iter().map(Stream::new).collect()
});

impl Stream {
    fn new(row: Value) -> Stream {
        let text = |value: &Value| value.as_str().unwrap_or_else(|| panic!("no text: {row}")).to_owned();
        let content_type = text(&row["contentType"]);
        let is_binary = content_type.contains("amazon");
        let frames = row["frames"].as_array().expect("frames is an array");
        let index = |name: &str| row[name].as_u64().map(|index| index as usize);
        Stream {
            name: [text(&row["provider"]), text(&row["name"])].join("/"),
            frames: frames
                .iter()
                .map(|frame| if is_binary { base64(&text(frame)) } else { text(frame).into_bytes() })
                .collect(),
            streams_array: row["streamsArray"].as_bool().unwrap_or(false),
            first_output: index("firstOutput"),
            decided_at: index("decidedAt").or(index("firstOutput")),
            content_type,
            row,
        }
    }

    pub fn opening(&self) -> Opening {
        Opening::new(Some(&self.content_type), self.streams_array)
    }

    pub fn bytes(&self) -> Vec<u8> {
        self.frames.concat()
    }

    pub fn expected(&self) -> Step {
        match self.row["opening"].as_str().expect("opening is there") {
            "output" => Step::Output,
            "failed" => Step::Failed,
            "complete" => Step::Complete,
            "unknown" => Step::Unknown,
            "truncated" => Step::Truncated,
            other => panic!("{other} is no step"),
        }
    }
}

/// The step at which the holding ends, after all of it was pushed in these pieces.
pub fn decide<'p>(opening: &mut Opening, pieces: impl IntoIterator<Item = &'p [u8]>) -> Step {
    for piece in pieces {
        let step = opening.push(piece);
        if step != Step::Hold {
            return step;
        }
    }
    opening.end()
}

/// The least that JavaScript keeps of a stream: the beginning of its last frame, its last bytes, what is open.
pub fn tail<'t>(format: Format, last: &'t [u8], all: &'t [u8], tail_bytes: usize) -> Tail<'t> {
    let open = if format == Format::JsonArray { open(all) } else { 0 };
    Tail { format, head: &last[..last.len().min(512)], bytes: &all[all.len().saturating_sub(tail_bytes)..], open }
}

/// As `js/brackets.js` counts.
fn open(bytes: &[u8]) -> u32 {
    let (mut depth, mut in_text, mut is_escaped) = (0, false, false);
    for byte in bytes {
        match byte {
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = in_text,
            b'"' => in_text = !in_text,
            b'{' if depth == 0 => depth = 2,
            b'{' | b'[' if !in_text => depth += 1,
            b'}' | b']' if !in_text => depth -= 1,
            _ => {}
        }
    }
    2 * depth + u32::from(in_text)
}

/// The word of the vectors.
pub fn word(ended: Ended) -> &'static str {
    match ended {
        Ended::No => "no",
        Ended::Yes => "yes",
        Ended::Failed => "failed",
    }
}
