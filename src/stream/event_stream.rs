//! The framing of `application/vnd.amazon.eventstream`: a prelude of two lengths with its
//! checksum, headers, a payload, and a checksum over all of it. Numbers are big-endian.

use super::{Emit, MAX_FRAME, Raw};
use crate::base64::{Alphabet, decode};
use crate::classify::json::{self, Scalar};

/// Two lengths and a checksum.
const PRELUDE: usize = 12;
/// What a message has beside headers and payload.
const OVERHEAD: usize = PRELUDE + 4;

/// Cuts bytes into messages.
#[derive(Clone, Debug, Default)]
pub struct Splitter {
    message: Vec<u8>,
    /// What is left of a message that was too large.
    to_skip: usize,
    /// A checksum failed: where the next message begins can no longer be known.
    damaged: bool,
}

impl Splitter {
    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8], emit: &mut Emit<'_>) {
        let mut rest = bytes;
        while !rest.is_empty() && !self.damaged {
            let skipped = self.to_skip.min(rest.len());
            self.to_skip -= skipped;
            rest = rest.get(skipped..).unwrap_or_default();
            // The prelude first, since it says how much more is to come.
            rest = self.fill(rest, PRELUDE);
            let Some(prelude) = Prelude::read(&self.message) else {
                if self.message.len() >= PRELUDE {
                    self.damage(emit);
                }
                continue;
            };
            if prelude.total > MAX_FRAME {
                self.to_skip = prelude.total - PRELUDE;
                self.message = Vec::new();
                emit(Raw::TooLarge);
                continue;
            }
            rest = self.fill(rest, prelude.total);
            if self.message.len() == prelude.total {
                let is_sound = emit_message(&self.message, prelude.headers, emit);
                self.message.clear();
                if !is_sound {
                    self.damage(emit);
                }
            }
        }
    }

    fn damage(&mut self, emit: &mut Emit<'_>) {
        self.damaged = true;
        self.message = Vec::new();
        emit(Raw::Damaged);
    }

    /// Fills the message up to a length, and gives what is left.
    fn fill<'b>(&mut self, bytes: &'b [u8], length: usize) -> &'b [u8] {
        let taken = length.saturating_sub(self.message.len()).min(bytes.len());
        let (part, rest) = bytes.split_at_checked(taken).unwrap_or((bytes, &[]));
        self.message.extend_from_slice(part);
        rest
    }
}

/// The first bytes of a message.
#[derive(Clone, Copy)]
pub(super) struct Prelude {
    /// The length of the whole message.
    pub total: usize,
    /// The length of its headers.
    pub headers: usize,
}

impl Prelude {
    /// `None` where the bytes are too few or cannot be a prelude.
    pub fn read(bytes: &[u8]) -> Option<Prelude> {
        let total = number(bytes, 0, 4)?;
        let headers = number(bytes, 4, 4)?;
        let fits = headers.checked_add(OVERHEAD)? <= total;
        (fits && number(bytes, 8, 4)? == crc32(bytes.get(..8)?) as usize).then_some(Prelude { total, headers })
    }
}

/// The headers of a message, as many as are whole.
#[derive(Clone, Copy)]
pub(super) struct Headers<'m>(pub &'m [u8]);

impl<'m> Headers<'m> {
    /// The header of this name, which is a string; empty for none.
    pub fn get(self, wanted: &str) -> &'m str {
        let mut rest = self.0;
        while let Some((name, value, next)) = header(rest) {
            if name == wanted.as_bytes() {
                return std::str::from_utf8(value).unwrap_or("");
            }
            rest = next;
        }
        ""
    }
}

/// The first header, its value empty unless that is a string, and what follows it.
fn header(bytes: &[u8]) -> Option<(&[u8], &[u8], &[u8])> {
    let (length, rest) = bytes.split_first()?;
    let (name, rest) = rest.split_at_checked((*length).into())?;
    let (kind, rest) = rest.split_first()?;
    let (skipped, length) = match kind {
        0 | 1 => (0, 0),
        2 => (0, 1),
        3 => (0, 2),
        4 => (0, 4),
        5 | 8 => (0, 8),
        6 | 7 => (2, number(rest, 0, 2)?),
        9 => (0, 16),
        _ => return None,
    };
    let (value, rest) = rest.get(skipped..)?.split_at_checked(length)?;
    Some((name, if *kind == 7 { value } else { &[] }, rest))
}

/// Emits a whole message; `false` when its checksum fails.
fn emit_message(message: &[u8], headers: usize, emit: &mut Emit<'_>) -> bool {
    let Some((body, sum)) = message.split_last_chunk::<4>() else { return false };
    if u32::from_be_bytes(*sum) != crc32(body) {
        return false;
    }
    let (headers, payload) = body.get(PRELUDE..).unwrap_or_default().split_at_checked(headers).unwrap_or_default();
    let headers = Headers(headers);
    let data = String::from_utf8_lossy(payload);
    let inner;
    emit(match headers.get(":message-type") {
        "exception" => Raw::Exception { name: headers.get(":exception-type"), data: &data },
        "error" => Raw::Exception { name: headers.get(":error-code"), data: headers.get(":error-message") },
        _ => {
            inner = wrapped(&data);
            let name = if inner.is_some() { "" } else { headers.get(":event-type") };
            Raw::Event { name, data: inner.as_deref().unwrap_or(&data), has_id: false }
        }
    });
    true
}

/// What InvokeModelWithResponseStream wraps as `{"bytes": base64}`.
fn wrapped(data: &str) -> Option<String> {
    let mut inner = None;
    json::walk(data, &mut |keys, scalar| {
        if let (["bytes"], Scalar::Text(text)) = (keys, scalar) {
            inner = base64(&text).map(|bytes| String::from_utf8_lossy(&bytes).into_owned());
        }
    });
    inner
}

/// `None` for what is not in the alphabet of RFC 4648 section 4.
fn base64(text: &str) -> Option<Vec<u8>> {
    let (bytes, rest) = decode(text, Alphabet::Standard);
    rest.bytes().all(|byte| byte == b'=').then_some(bytes)
}

fn number(bytes: &[u8], at: usize, length: usize) -> Option<usize> {
    let bytes = bytes.get(at..at.checked_add(length)?)?;
    Some(bytes.iter().fold(0, |number, byte| number << 8 | usize::from(*byte)))
}

/// The remainders of four bits, for CRC-32 (ISO 3309, reflected 0xedb88320).
const NIBBLES: [u32; 16] = {
    let mut table = [0; 16];
    let mut at = 0;
    while at < 16 {
        let mut rest = at as u32;
        let mut bit = 0;
        while bit < 4 {
            rest = if rest & 1 == 1 { rest >> 1 ^ 0xedb8_8320 } else { rest >> 1 };
            bit += 1;
        }
        table[at] = rest;
        at += 1;
    }
    table
};

pub(super) fn crc32(bytes: &[u8]) -> u32 {
    let step =
        |sum: u32, nibble: u32| sum >> 4 ^ NIBBLES.get(((sum ^ nibble) & 15) as usize).copied().unwrap_or_default();
    !bytes.iter().fold(!0, |sum, byte| step(step(sum, u32::from(*byte)), u32::from(*byte >> 4)))
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;

    /// A message with these headers, which are strings, and this payload.
    pub fn message(headers: &[(&str, &str)], payload: &str) -> Vec<u8> {
        let mut block = Vec::new();
        for (name, value) in headers {
            block.push(name.len() as u8);
            block.extend(name.bytes());
            block.push(7);
            block.extend((value.len() as u16).to_be_bytes());
            block.extend(value.bytes());
        }
        let mut message = ((block.len() + payload.len() + OVERHEAD) as u32).to_be_bytes().to_vec();
        message.extend((block.len() as u32).to_be_bytes());
        message.extend(crc32(&message).to_be_bytes());
        message.extend(block);
        message.extend(payload.bytes());
        message.extend(crc32(&message).to_be_bytes());
        message
    }

    fn found(bytes: &[u8]) -> Vec<String> {
        let mut splitter = Splitter::default();
        let mut found = Vec::new();
        for byte in bytes.chunks(1) {
            splitter.push(byte, &mut |raw| found.push(format!("{raw:?}")));
        }
        let mut whole = Vec::new();
        Splitter::default().push(bytes, &mut |raw| whole.push(format!("{raw:?}")));
        assert_eq!(found, whole);
        found
    }

    #[test]
    fn the_checksum_is_that_of_the_standard() {
        assert_eq!(crc32(b"123456789"), 0xcbf4_3926);
        assert_eq!(crc32(b""), 0);
    }

    #[test]
    fn a_message_is_an_event_an_exception_or_an_error() {
        let mut bytes =
            message(&[(":event-type", "messageStart"), (":message-type", "event")], "{\"role\":\"assistant\"}");
        bytes.extend(message(&[(":exception-type", "throttlingException"), (":message-type", "exception")], "{}"));
        bytes.extend(message(
            &[(":error-code", "InternalFailure"), (":error-message", "m"), (":message-type", "error")],
            "",
        ));
        assert_eq!(
            found(&bytes),
            [
                "Event { name: \"messageStart\", data: \"{\\\"role\\\":\\\"assistant\\\"}\", has_id: false }",
                "Exception { name: \"throttlingException\", data: \"{}\" }",
                "Exception { name: \"InternalFailure\", data: \"m\" }",
            ]
        );
    }

    #[test]
    fn headers_of_every_type_are_stepped_over() {
        let mut block = Vec::new();
        for (kind, length) in [(0, 0), (1, 0), (2, 1), (3, 2), (4, 4), (5, 8), (8, 8), (9, 16)] {
            block.extend([1, b'h', kind]);
            block.extend(std::iter::repeat_n(7, length));
        }
        block.extend([1, b'b', 6, 0, 2, 9, 9]);
        block.extend(b"\x0b:event-type\x07\x00\x01x");
        assert_eq!(Headers(&block).get(":event-type"), "x");
        for cut in 0..block.len() {
            assert_eq!(Headers(&block[..cut]).get(":event-type"), "");
        }
    }

    #[test]
    fn a_wrapped_payload_is_unwrapped() {
        let chunk = message(
            &[(":event-type", "chunk"), (":message-type", "event")],
            "{\"bytes\":\"eyJhIjoixJ0ifQ==\",\"p\":\"ab\"}",
        );
        assert_eq!(found(&chunk), ["Event { name: \"\", data: \"{\\\"a\\\":\\\"ĝ\\\"}\", has_id: false }"]);
        assert_eq!(base64("aGk="), Some(b"hi".to_vec()));
        assert_eq!(base64("a*"), None);
    }

    #[test]
    fn a_message_with_any_wrong_byte_is_damaged_or_waits_for_more() {
        let good = message(&[(":event-type", "messageStop")], "{\"stopReason\":\"end_turn\"}");
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 0x10;
            assert_eq!(found(&bad), ["Damaged"], "byte {at}");
        }
        for cut in 0..good.len() {
            assert_eq!(found(&good[..cut]), [""; 0]);
        }
    }

    #[test]
    fn a_message_above_the_bound_is_skipped_and_the_next_one_is_read() {
        let mut bytes = message(&[(":event-type", "a")], &"x".repeat(MAX_FRAME));
        bytes.extend(message(&[(":event-type", "b")], "{}"));
        let mut splitter = Splitter::default();
        let mut found = Vec::new();
        for chunk in bytes.chunks(1000) {
            splitter.push(chunk, &mut |raw| found.push(format!("{raw:?}")));
        }
        assert_eq!(found, ["TooLarge", "Event { name: \"b\", data: \"{}\", has_id: false }"]);
    }
}
