//! Streams: the opening that is held back, the end that is looked for, chunks of clients.

use super::host::{Facts, into_text};
use super::policy::PolicyHandle;
use super::{drive, json};
use crate::call::{Call, Event, Outcome};
use crate::stream::judge::{Frame, Sender};
use crate::stream::{self, Format, judge, tail};
use crate::usage::{Usage, UsageReader};
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

/// Whether a stream that was passed through had come to its end: 0 no, 1 yes, 2 with a
/// failure told in band. `head` is the beginning of the frame that `tail` begins inside of, if it does. `open` is twice
/// the open brackets of a JSON array, and one more for a text.
#[wasm_bindgen(js_name = streamEnded)]
pub fn stream_ended(format: u8, head: &[u8], tail: &[u8], open: u32) -> u8 {
    tail::Tail { format: Format::from_number(format), head, bytes: tail, open }.ended() as u8
}

/// The failure's body as JSON that the last bytes tell of which `streamEnded` says 2; undefined
/// where it is not whole.
#[wasm_bindgen(js_name = streamFailure)]
pub fn stream_failure(format: u8, head: &[u8], tail: &[u8], open: u32) -> Option<Vec<u8>> {
    let tail = tail::Tail { format: Format::from_number(format), head, bytes: tail, open };
    tail.failure().map(String::into_bytes)
}

/// The history, as JSON, of a call whose answer was delivered and has ended since, without
/// the attempts before the delivered one. `failed` shows how it broke, else `usage` as JSON
/// what it used. `numbers` are `js/aftermath.js`'s: when the attempt was sent and when it
/// ended, by both clocks, and the ledger at the delivery.
#[wasm_bindgen(js_name = streamHistory)]
pub fn stream_history(policy: &PolicyHandle, numbers: &[f64], failed: Option<Facts>, usage: Option<Vec<u8>>) -> String {
    let number = |at: usize| numbers.get(at).copied().unwrap_or_default();
    let started = drive::now(number(0), number(1));
    let mut call = Call::new(policy.share(), started);
    call.resume(drive::ledger(numbers.get(4..).unwrap_or_default()));
    let outcome = match failed {
        Some(facts) => Outcome::Failed(Box::new(facts.observed())),
        None => Outcome::Succeeded(usage.and_then(|told| Usage::read(&into_text(told)))),
    };
    call.step(Event::Ended { started, outcome }, drive::now(number(2), number(3)), &mut || 0.0);
    json::history(&call.into_history())
}

/// What a client's chunk is, from its JSON: 0 nothing, 1 output, 2 failure, 3 end, 4 unknown;
/// plus 8 where its shape is known, 16 where it says that the answer is over, 32 where it is
/// a provider's own shape, of which it is known that an end follows, 64 where the reason for
/// the end names a failure.
#[wasm_bindgen(js_name = judgeChunk)]
pub fn judge_chunk(json: &str) -> u8 {
    let judge = |sender| judge::judge("", json, sender, &mut UsageReader::default());
    let judged = judge(Sender::Client);
    let frame = match judged.frame {
        Frame::Nothing => 0,
        Frame::Output => 1,
        Frame::Failure => 2,
        Frame::Ended { .. } => 3,
        Frame::Unknown => 4,
    };
    let flag = |set: bool, bit: u8| if set { bit } else { 0 };
    let of_provider = judged.recognised && judge(Sender::Provider).recognised;
    let failed_end = matches!(judged.frame, Frame::Ended { failed: true, .. });
    frame | flag(judged.recognised, 8) | flag(judged.ended, 16) | flag(of_provider, 32) | flag(failed_end, 64)
}
