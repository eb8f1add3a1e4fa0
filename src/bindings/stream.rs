//! Streams: the opening that is held back, the end that is looked for, chunks of clients.

use crate::stream::{self, Format, judge, tail};
use wasm_bindgen::prelude::*;

/// The opening of a streamed answer.
#[wasm_bindgen]
pub struct Opening(stream::opening::Opening);

#[wasm_bindgen]
impl Opening {
    /// `streams_array` says that the request was for a streamed JSON array.
    #[wasm_bindgen(constructor)]
    pub fn new(content_type: Option<String>, streams_array: bool) -> Opening {
        Opening(stream::opening::Opening::new(content_type.as_deref(), streams_array))
    }

    /// Takes the next bytes: 0 hold, 1 output, 2 failed, 3 complete, 4 unknown, 5 truncated.
    pub fn push(&mut self, bytes: &[u8]) -> u8 {
        self.0.push(bytes) as u8
    }

    /// The same when no bytes follow; never 0 or 1.
    pub fn end(&mut self) -> u8 {
        self.0.end() as u8
    }

    /// The failure's body as JSON, to be classified with status 200; empty unless failed.
    pub fn failure(&self) -> Vec<u8> {
        self.0.failure().as_bytes().to_vec()
    }

    /// What `streamEnded` is to be given: 0 while no frame was recognised.
    pub fn format(&self) -> u8 {
        if self.0.recognised() { self.0.format() as u8 } else { Format::Unknown as u8 }
    }

    /// What the frames so far told of tokens, as JSON; undefined for nothing.
    pub fn usage(&self) -> Option<Vec<u8>> {
        self.0.usage_text().map(String::into_bytes)
    }
}

/// The format that a `Content-Type` declares; 0 for one that is no stream of a known format.
#[wasm_bindgen(js_name = streamFormat)]
pub fn stream_format(content_type: Option<String>, streams_array: bool) -> u8 {
    Format::declared(content_type.as_deref(), streams_array) as u8
}

/// Whether a stream that was passed through had come to its end: 0 no, 1 yes, 2 with a
/// failure told in band.
#[wasm_bindgen(js_name = streamEnded)]
pub fn stream_ended(format: u8, head: &[u8], tail: &[u8]) -> u8 {
    tail::has_ended(Format::from_number(format), head, tail) as u8
}

/// What a client's chunk is, from its JSON: 0 nothing, 1 output, 2 failure, 3 end, 4 unknown.
#[wasm_bindgen(js_name = judgeChunk)]
pub fn judge_chunk(json: &str) -> u8 {
    match judge::judge_chunk(json) {
        judge::Frame::Nothing => 0,
        judge::Frame::Output => 1,
        judge::Frame::Failure | judge::Frame::Ended { failed: true, .. } => 2,
        judge::Frame::Ended { failed: false, .. } => 3,
        judge::Frame::Unknown => 4,
    }
}
