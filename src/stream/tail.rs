//! Whether a stream that was passed through had come to its end, by its last bytes alone:
//! nothing is scanned while it flows.

use super::event_stream::{self, Prelude};
use super::judge::{Frame, Sender, judge};
use super::shapes::closes;
use super::{Emit, Format, Raw, sse, text};
use crate::usage::UsageReader;

/// How a stream ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ended {
    /// Without the end marker of its format: cut short.
    No = 0,
    /// With its end marker, or in a format that has none.
    Yes = 1,
    /// With a failure that it told in band.
    Failed = 2,
}

impl Ended {
    /// A failure says more than the end that follows it.
    fn or(self, other: Ended) -> Ended {
        if self as u8 >= other as u8 { self } else { other }
    }
}

/// Looks for the end marker in the beginning of the last frame, where that is known, and in
/// the last bytes of the stream. [`Format::Unknown`] is to be given for a stream of which no
/// frame was recognised. `is_open` says whether brackets of a JSON array are still open, which
/// its last bytes do not tell: a `]` may close an inner array.
pub fn has_ended(format: Format, frame_head: &[u8], tail: &[u8], is_open: bool) -> Ended {
    match format {
        Format::Unknown => Ended::Yes,
        Format::EventStream => in_messages(frame_head, tail),
        Format::JsonArray if !is_open && tail.trim_ascii_end().ends_with(b"]") => in_text(tail).or(Ended::Yes),
        _ => in_text(frame_head).or(in_text(tail)),
    }
}

/// The body of the failure that the last bytes of a stream tell, for the classification of a
/// 200: JSON. `None` where no frame with one is whole.
pub fn told_failure(format: Format, tail: &[u8]) -> Option<String> {
    let mut told = None;
    if format == Format::EventStream {
        each_message(tail, &mut |raw| {
            if let Raw::Exception { name, data } = raw {
                told = Some(text::exception(name, data));
            }
        });
        return told;
    }
    each_frame(tail, &mut |name, data| {
        if data.is_empty() {
            return;
        }
        let frame = judge(name, data, Sender::Provider, &mut UsageReader::default()).frame;
        if matches!(frame, Frame::Failure | Frame::Ended { failed: true, .. }) {
            told = Some(text::failure(data));
        }
    });
    told
}

fn in_text(part: &[u8]) -> Ended {
    let mut ended = Ended::No;
    each_frame(part, &mut |name, data| {
        ended = ended.or(match data {
            "" if closes(name) => Ended::Yes,
            "" => Ended::No,
            data => in_frame(name, data),
        });
    });
    ended
}

/// Gives each line of data with the name before it, and each name with empty data first.
fn each_frame(part: &[u8], take: &mut dyn FnMut(&str, &str)) {
    let mut name = String::new();
    for line in sse::lines(part) {
        if let Some(event) = line.strip_prefix("event:") {
            name = event.trim().to_owned();
            take(&name, "");
            continue;
        }
        let data = line.strip_prefix("data:").unwrap_or(&line).trim();
        if !data.is_empty() {
            take(&name, data);
        } else {
            name.clear();
        }
    }
}

fn in_frame(name: &str, data: &str) -> Ended {
    let judged = judge(name, data, Sender::Provider, &mut UsageReader::default());
    match judged.frame {
        Frame::Failure => Ended::Failed,
        Frame::Ended { .. } => Ended::Yes,
        // A frame that begins before the part or ends behind it, or has a part of the answer
        // beside the reason for its end.
        _ if MARKERS.iter().any(|marker| marker.is_in(data)) => Ended::Yes,
        _ if ERROR.is_in(data) => Ended::Failed,
        _ => Ended::No,
    }
}

/// A member and how its value begins. Quotes inside of a JSON text are escaped, so that
/// nothing that a model writes looks like a member.
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
const ERROR: Marker = Marker("\"error\"", &["{\"", "\""]);

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

/// Messages are found by the checksum of their prelude, since the tail may begin inside one.
fn each_message(tail: &[u8], emit: &mut Emit<'_>) {
    let starts = (0..tail.len()).find(|at| Prelude::read(tail.get(*at..).unwrap_or_default()).is_some());
    let rest = starts.and_then(|at| tail.get(at..)).unwrap_or_default();
    event_stream::Splitter::default().push(rest, emit);
}

fn in_messages(head: &[u8], tail: &[u8]) -> Ended {
    let mut ended = Ended::No;
    each_message(tail, &mut |raw| match raw {
        Raw::Exception { .. } => ended = Ended::Failed,
        Raw::Event { name, .. } if is_last(name) => ended = ended.or(Ended::Yes),
        Raw::Event { data, .. } => ended = ended.or(in_frame("", data)),
        _ => {}
    });
    if let Some(prelude) = Prelude::read(head) {
        let headers = head.get(12..).unwrap_or_default();
        let headers = event_stream::Headers(headers.get(..prelude.headers).unwrap_or(headers));
        if matches!(headers.get(":message-type"), "exception" | "error") {
            ended = Ended::Failed;
        } else if is_last(headers.get(":event-type")) {
            ended = ended.or(Ended::Yes);
        }
    }
    ended
}

/// The metadata of a whole answer come behind its end.
fn is_last(event: &str) -> bool {
    event == "metadata" || closes(event)
}
