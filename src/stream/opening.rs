//! The opening of a streamed answer: held back until it is known what it opens.

use super::judge::{Frame, Judged, Sender, judge};
use super::{Format, Raw, event_stream, json_array, ndjson, sse, text};
use crate::classify::json::Shape;
use crate::usage::{Usage, UsageReader};

/// What to do with the stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Step {
    /// Hold what came, and ask again.
    #[default]
    Hold = 0,
    /// Output has begun: deliver, and never play again.
    Output = 1,
    /// The provider reported a failure before any output: [`Opening::failure`] tells it.
    Failed = 2,
    /// The stream is whole and has no output: deliver it as it is.
    Complete = 3,
    /// No LLM's stream, or one of no known shape: deliver.
    Unknown = 4,
    /// Cut short, damaged or empty.
    Truncated = 5,
}

/// Reads a streamed answer from its first byte.
///
/// Once decided, [`Opening::push`] keeps its answer. After [`Step::Output`] it may still be
/// fed, for [`Opening::usage`] and for [`Opening::end`] to know whether the end was reached.
#[derive(Debug, Default)]
pub struct Opening {
    format: Format,
    splitter: Splitter,
    state: State,
}

#[derive(Debug, Default)]
enum Splitter {
    /// The first byte is still to come.
    #[default]
    None,
    Sse(sse::Splitter),
    Ndjson(ndjson::Splitter),
    JsonArray(json_array::Splitter),
    EventStream(event_stream::Splitter),
}

#[derive(Debug, Default)]
struct State {
    step: Step,
    usage: UsageReader,
    recognised: bool,
    /// An end marker was seen.
    ended: bool,
    /// After output, something was seen after which no end marker is missed.
    excused: bool,
    failure: String,
}

impl Opening {
    /// For an answer with this `Content-Type`. `streams_array` says that the request was for a
    /// streamed JSON array, which no header of the answer tells.
    pub fn new(content_type: Option<&str>, streams_array: bool) -> Opening {
        Opening { format: Format::declared(content_type, streams_array), ..Opening::default() }
    }

    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8]) -> Step {
        let mut bytes = bytes;
        if matches!(self.splitter, Splitter::None) {
            // Neither a byte order mark nor an empty line is part of any frame.
            let is_lead = |byte: &u8| matches!(byte, b'\r' | b'\n' | 0xef | 0xbb | 0xbf) && self.is_text();
            let Some(at) = bytes.iter().position(|byte| !is_lead(byte)) else { return self.state.step };
            bytes = bytes.get(at..).unwrap_or_default();
            self.choose(bytes.first().copied().unwrap_or_default());
        }
        let state = &mut self.state;
        if matches!(state.step, Step::Hold | Step::Output) {
            let emit = &mut |raw: Raw<'_>| state.take(raw);
            match &mut self.splitter {
                Splitter::None => {}
                Splitter::Sse(splitter) => splitter.push(bytes, emit),
                Splitter::Ndjson(splitter) => splitter.push(bytes, emit),
                Splitter::JsonArray(splitter) => splitter.push(bytes, emit),
                Splitter::EventStream(splitter) => splitter.push(bytes, emit),
            }
        }
        self.state.step
    }

    /// Says that no bytes follow. Never [`Step::Hold`]; after output it is [`Step::Truncated`]
    /// where the end marker of a known format was missed, else [`Step::Complete`].
    pub fn end(&mut self) -> Step {
        let state = &mut self.state;
        let emit = &mut |raw: Raw<'_>| state.take_last(raw);
        match &mut self.splitter {
            Splitter::Sse(splitter) => splitter.finish(emit),
            Splitter::Ndjson(splitter) => splitter.finish(emit),
            Splitter::JsonArray(splitter) => splitter.finish(emit),
            Splitter::None | Splitter::EventStream(_) => {}
        }
        state.step = match state.step {
            Step::Hold if !state.ended => Step::Truncated,
            Step::Hold => state.over(),
            Step::Output if state.recognised && !state.ended && !state.excused => Step::Truncated,
            Step::Output => Step::Complete,
            decided => decided,
        };
        state.step
    }

    /// The failure's body, for the classification of a 200: JSON. Empty before [`Step::Failed`].
    pub fn failure(&self) -> &str {
        if self.state.step == Step::Failed { &self.state.failure } else { "" }
    }

    /// How the stream is cut into frames, as declared and as its first byte shows.
    pub fn format(&self) -> Format {
        self.format
    }

    /// Whether a frame had a shape of which it is known how such streams end.
    pub fn recognised(&self) -> bool {
        self.state.recognised
    }

    /// What the frames so far told of tokens.
    pub fn usage(&self) -> Option<Usage> {
        self.state.usage.usage()
    }

    /// The same as JSON, as [`Usage::read`] reads it.
    pub fn usage_text(&self) -> Option<String> {
        self.usage().map(|usage| text::usage(&usage))
    }

    fn is_text(&self) -> bool {
        !matches!(self.format, Format::EventStream | Format::Unknown)
    }

    /// Goes by the first byte where that contradicts what was declared: gateways answer a
    /// streaming request with plain JSON and leave the type as it was.
    fn choose(&mut self, first: u8) {
        self.format = match (self.format, first) {
            (Format::Unknown, _) => Format::Unknown,
            // Lines of objects, or one that is spread over lines: to this splitter both are the same.
            (Format::Sse | Format::EventStream, b'{') => Format::JsonArray,
            (Format::Ndjson | Format::JsonArray, b'd' | b'e' | b'i' | b'r' | b':') => Format::Sse,
            (declared, _) => declared,
        };
        self.splitter = match self.format {
            Format::Unknown => {
                self.state.step = Step::Unknown;
                Splitter::None
            }
            Format::Sse => Splitter::Sse(Default::default()),
            Format::Ndjson => Splitter::Ndjson(Default::default()),
            Format::JsonArray => Splitter::JsonArray(Default::default()),
            Format::EventStream => Splitter::EventStream(Default::default()),
        };
    }
}

impl State {
    fn take(&mut self, raw: Raw<'_>) {
        let held = self.step == Step::Hold;
        match raw {
            _ if !held && self.step != Step::Output => {}
            Raw::Event { name, data, has_id } => {
                let judged = judge(name, data, Sender::Provider, &mut self.usage);
                // What opens a stream that can be resumed is an event of its own.
                let resumable = has_id && data.is_empty() && !self.recognised;
                let frame = if resumable { Frame::Unknown } else { judged.frame };
                self.judged(Judged { frame, ..judged }, data);
            }
            Raw::Exception { name, data } if held => {
                self.failure = text::exception(name, data);
                self.step = Step::Failed;
            }
            Raw::Closed => {
                self.ended = true;
                if held {
                    self.step = self.over();
                }
            }
            Raw::TooLarge | Raw::Foreign if held => self.step = Step::Unknown,
            Raw::Damaged if held => self.step = Step::Truncated,
            Raw::Exception { .. } | Raw::TooLarge | Raw::Foreign | Raw::Damaged => self.excused = true,
        }
    }

    fn judged(&mut self, judged: Judged, data: &str) {
        let held = self.step == Step::Hold;
        self.recognised |= judged.recognised;
        self.ended |= judged.ended;
        match judged.frame {
            Frame::Failure if held => {
                self.failure = text::failure(data);
                self.step = Step::Failed;
            }
            Frame::Failure => self.excused = true,
            Frame::Output if held => self.step = Step::Output,
            Frame::Unknown if held => self.step = Step::Unknown,
            Frame::Ended { failed, closed } => {
                // It is not told before the end: usage may follow, or another choice.
                if failed && held && self.failure.is_empty() {
                    self.failure = text::failure(data);
                }
                if closed && held {
                    self.step = self.over();
                }
            }
            Frame::Nothing | Frame::Output | Frame::Unknown => {}
        }
    }

    /// The frame that the stream ended in, which no client sees if its grammar wants an end.
    fn take_last(&mut self, raw: Raw<'_>) {
        let Raw::Event { name, data, .. } = raw else { return };
        if !matches!(self.step, Step::Hold | Step::Output) {
            return;
        }
        let judged = judge(name, data, Sender::Provider, &mut self.usage);
        match judged.frame {
            Frame::Output => self.ended |= judged.ended,
            Frame::Unknown if judged.shape == Shape::CutShort || self.recognised => {}
            _ => self.judged(judged, data),
        }
    }

    fn over(&self) -> Step {
        if self.failure.is_empty() { Step::Complete } else { Step::Failed }
    }
}
