//! Whether a stream that was passed through had come to its end, by its last bytes alone:
//! nothing is judged while it flows.

use super::event_stream::{self, Prelude};
use super::judge::{Frame, Sender, judge};
use super::shapes::closes;
use super::{Emit, Format, Raw, sse, text};
use crate::classify::json::Shape;
use crate::scan::cut;
use crate::usage::UsageReader;

/// How a stream ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub enum Ended {
    /// Without the end marker of its format: cut short.
    #[default]
    No = 0,
    /// With its end marker, or in a format that has none.
    Yes = 1,
    /// With a failure that it told in band, which says more than the end that follows it.
    Failed = 2,
}

/// What is kept of a stream.
#[derive(Clone, Copy, Debug, Default)]
pub struct Tail<'t> {
    /// How it is cut into frames; [`Format::Unknown`] for a stream of which no frame was recognised.
    pub format: Format,
    /// The beginning of the frame that the last bytes begin inside of; empty where it is in them, or not known.
    pub head: &'t [u8],
    /// Its last bytes, with the frame that the last few kilobytes begin in if that is not too large.
    pub bytes: &'t [u8],
    /// Of a JSON array twice the brackets that are still open, and one more for a text: its last bytes do not tell.
    /// Objects without an array around them count as in one.
    pub open: u32,
}

impl Tail<'_> {
    /// How the stream ended.
    pub fn ended(&self) -> Ended {
        match self.format {
            Format::Unknown => Ended::Yes,
            Format::JsonArray if self.open == 0 && self.bytes.trim_ascii_end().ends_with(b"]") => {
                self.last().ended.max(Ended::Yes)
            }
            _ => self.last().ended,
        }
    }

    /// The body of the failure that it tells, for the classification of a 200: JSON. `None` where no frame with one
    /// is whole or begins in what is kept.
    pub fn failure(&self) -> Option<String> {
        self.last().failure
    }

    fn last(&self) -> Last {
        let mut last = Last::default();
        match self.format {
            Format::Unknown => {}
            Format::Sse => {
                last.events(self.head);
                last.events(self.bytes);
            }
            Format::Ndjson => {
                last.frame(self.head);
                let text = String::from_utf8_lossy(self.bytes);
                let mut lines = &*text;
                while let Some(line) = cut(&mut lines, b'\n') {
                    last.judge("", line);
                }
            }
            Format::JsonArray => {
                let is_between = |byte: &u8| matches!(byte, b'[' | b',') || byte.is_ascii_whitespace();
                let begin = self.head.iter().position(|byte| !is_between(byte)).unwrap_or_default();
                last.frame(self.head.get(begin..).unwrap_or_default());
                elements(self.bytes, self.open).iter().rev().for_each(|element| last.frame(element));
            }
            Format::EventStream => {
                last.message_head(self.head);
                each_message(self.bytes, &mut |raw| last.raw(raw));
            }
        }
        last
    }
}

/// What the last frames tell.
#[derive(Default)]
struct Last {
    ended: Ended,
    failure: Option<String>,
}

impl Last {
    fn ends(&mut self, ended: Ended) {
        self.ended = self.ended.max(ended);
    }

    fn raw(&mut self, raw: Raw<'_>) {
        match raw {
            Raw::Exception { name, data } => {
                self.ends(Ended::Failed);
                self.failure = Some(text::exception(name, data));
            }
            Raw::Event { name, data, .. } => {
                if is_last(name) {
                    self.ends(Ended::Yes);
                }
                self.judge(name, data);
            }
            _ => {}
        }
    }

    /// Events of `text/event-stream`. What is no field is data too: a line that lacks its beginning, or what a server
    /// wrote without the framing when it broke down.
    fn events(&mut self, part: &[u8]) {
        let text = String::from_utf8_lossy(part);
        let mut rest = Some(&*text);
        let mut name = "";
        let mut data = String::new();
        let mut is_first = true;
        while let Some(line) = sse::cut_line(&mut rest) {
            let value = line.strip_prefix("data:");
            let lacks_beginning = is_first && value.is_none();
            is_first = false;
            if let Some(event) = line.strip_prefix("event:") {
                name = event.trim();
            } else if !line.is_empty() && (lacks_beginning || !NO_DATA.iter().any(|field| line.starts_with(field))) {
                data.push_str(value.unwrap_or(line));
                data.push('\n');
            }
            if line.is_empty() || lacks_beginning && name.is_empty() || rest.is_none() {
                self.event(name, &data);
                name = "";
                data.clear();
            }
        }
    }

    fn event(&mut self, name: &str, data: &str) {
        if data.is_empty() {
            // Its name tells of an end, but no client is given an error without data.
            if closes(name) {
                self.ends(Ended::Yes);
            }
        } else if !self.judge(name, data) {
            // Events without an empty line between them.
            let mut data = data;
            while let Some(line) = cut(&mut data, b'\n') {
                self.judge(name, line);
            }
        }
    }

    fn frame(&mut self, data: &[u8]) {
        self.judge("", &String::from_utf8_lossy(data));
    }

    /// Gives whether the frame is a failure, or at least JSON.
    fn judge(&mut self, name: &str, data: &str) -> bool {
        let data = data.trim();
        let judged = judge(name, data, Sender::Provider, &mut UsageReader::default());
        let is_failure = judged.frame == Frame::Failure;
        if is_failure {
            self.ends(Ended::Failed);
            self.failure = Some(text::failure(data));
        } else if judged.ended || MARKERS.iter().any(|marker| marker.is_in(data)) {
            self.ends(Ended::Yes);
        }
        is_failure || judged.shape != Shape::NotJson
    }

    /// The beginning of a message of an event stream.
    fn message_head(&mut self, head: &[u8]) {
        let Some(prelude) = Prelude::read(head) else { return };
        let headers = head.get(12..).unwrap_or_default();
        let headers = event_stream::Headers(headers.get(..prelude.headers).unwrap_or(headers));
        if matches!(headers.get(":message-type"), "exception" | "error") {
            self.ends(Ended::Failed);
        } else if is_last(headers.get(":event-type")) {
            self.ends(Ended::Yes);
        }
    }
}

/// How lines begin that say nothing here.
const NO_DATA: [&str; 3] = [":", "id:", "retry:"];

/// The objects at the top of a JSON array in its last bytes, the last one first. That may lack its end, and the
/// first its beginning. They are found from the end, of which alone it is known what is open.
fn elements(tail: &[u8], open: u32) -> Vec<&[u8]> {
    let (mut depth, mut in_text) = (open / 2, open % 2 == 1);
    let mut end = tail.len();
    let mut found = Vec::new();
    let mut rest = tail;
    while let [before @ .., byte] = rest {
        match byte {
            b'"' if in_text => {
                let escapes = before.iter().rev().take_while(|byte| **byte == b'\\').count();
                in_text = escapes % 2 == 1;
            }
            b'"' => in_text = true,
            _ if in_text => {}
            b'}' | b']' => {
                if depth == 1 {
                    end = rest.len();
                }
                depth = depth.saturating_add(1);
            }
            b'{' | b'[' => {
                depth = depth.saturating_sub(1);
                if depth == 1 {
                    found.extend(tail.get(before.len()..end));
                    end = before.len();
                }
            }
            _ => {}
        }
        rest = before;
    }
    if depth > 1 || in_text {
        found.extend(tail.get(..end));
    }
    found
}

/// A member and how its value begins: all that a frame tells of its end that lacks its beginning. Quotes inside of a
/// JSON text are escaped, so that nothing that a model writes looks like a member.
struct Marker(&'static str, &'static [&'static str]);

const MARKERS: &[Marker] = &[
    Marker("\"finish_reason\"", &["\""]),
    Marker("\"finishReason\"", &["\""]),
    Marker("\"stop_reason\"", &["\""]),
    Marker("\"stopReason\"", &["\""]),
    Marker("\"blockReason\"", &["\""]),
    Marker("\"done\"", &["true"]),
    Marker("\"done_reason\"", &["\""]),
    Marker("\"total_duration\"", &["0", "1", "2", "3", "4", "5", "6", "7", "8", "9"]),
    Marker("\"type\"", &["\"message_stop\"", "\"message-end\"", "\"response.completed\"", "\"response.incomplete\""]),
];

impl Marker {
    fn is_in(&self, data: &str) -> bool {
        data.match_indices(self.0).any(|(at, member)| {
            let value = data.get(at + member.len()..).unwrap_or("").trim_start();
            value.strip_prefix(':').is_some_and(|value| {
                let value = value.trim_start();
                self.1.iter().any(|begins| value.starts_with(begins))
            })
        })
    }
}

/// Messages are found by the checksum of their prelude, since the tail may begin inside a large one.
fn each_message(tail: &[u8], emit: &mut Emit<'_>) {
    let starts = (0..tail.len()).find(|at| Prelude::read(tail.get(*at..).unwrap_or_default()).is_some());
    let rest = starts.and_then(|at| tail.get(at..)).unwrap_or_default();
    event_stream::Splitter::default().push(rest, emit);
}

/// The metadata of a whole answer come behind its end.
fn is_last(event: &str) -> bool {
    event == "metadata" || closes(event)
}
