//! A streamed answer, judged while its opening is held back: bytes in, what to do out.
//!
//! A retry is allowed only before the first output, so the question at every frame is whether
//! a user could have seen something of it. The splitters ([`sse`], [`ndjson`], [`json_array`],
//! [`event_stream`]) cut bytes into frames wherever the network cut them; [`judge`] says what
//! one frame is; [`opening`] what follows for the attempt; [`tail`] whether a stream that was
//! passed through had come to its end.

pub mod event_stream;
pub mod json_array;
pub mod judge;
pub mod ndjson;
pub mod opening;
mod shapes;
pub mod sse;
pub mod tail;
mod text;

/// A frame larger than this is no longer kept, in bytes: nobody sends one without output.
pub const MAX_FRAME: usize = 1 << 20;

/// What a splitter found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Raw<'f> {
    /// A frame with data.
    Event {
        /// The name beside the data, `event:` or `:event-type`; empty for none.
        name: &'f str,
        /// The data, mostly JSON.
        data: &'f str,
        /// An `id:` came with it, by which a client may resume: such streams are not an LLM's.
        has_id: bool,
    },
    /// A frame that is itself the report of a failure, with its name outside of the data.
    Exception {
        /// The exception's name or the error's code.
        name: &'f str,
        /// JSON or a message, as it was sent.
        data: &'f str,
    },
    /// The framing itself says that nothing follows.
    Closed,
    /// A frame above [`MAX_FRAME`].
    TooLarge,
    /// Bytes that the format does not have where they stand.
    Foreign,
    /// A frame of which a checksum fails or a length cannot be.
    Damaged,
}

/// Where frames go.
pub type Emit<'e> = dyn FnMut(Raw<'_>) + 'e;

/// How a stream is cut into frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Format {
    /// Not known.
    #[default]
    Unknown = 0,
    /// `text/event-stream`.
    Sse = 1,
    /// One JSON value a line.
    Ndjson = 2,
    /// The elements of one JSON array: Gemini's `streamGenerateContent` without `alt=sse`.
    JsonArray = 3,
    /// `application/vnd.amazon.eventstream`.
    EventStream = 4,
}

/// The formats by the media type that declares them, parameters apart.
const MEDIA_TYPES: &[(&str, Format)] = &[
    ("text/event-stream", Format::Sse),
    ("application/x-ndjson", Format::Ndjson),
    ("application/ndjson", Format::Ndjson),
    ("application/jsonl", Format::Ndjson),
    ("application/x-jsonlines", Format::Ndjson),
    ("application/stream+json", Format::Ndjson),
    ("application/vnd.amazon.eventstream", Format::EventStream),
];

impl Format {
    /// The format that a `Content-Type` declares; of a list, for a header that was sent several
    /// times, the last type does, as in "extract a MIME type" of the Fetch standard. JSON is one
    /// only where the request was for a streamed array, which the caller knows.
    pub fn declared(content_type: Option<&str>, streams_array: bool) -> Format {
        let last = content_type.unwrap_or("").rsplit(',').find(|member| member.contains('/'));
        let media_type = last.unwrap_or("").split(';').next().unwrap_or("").trim();
        if streams_array && media_type.eq_ignore_ascii_case("application/json") {
            return Format::JsonArray;
        }
        let declares = |(known, _): &&(&str, Format)| known.eq_ignore_ascii_case(media_type);
        MEDIA_TYPES.iter().find(declares).map_or(Format::Unknown, |(_, format)| *format)
    }

    /// The format by its number; [`Format::Unknown`] for one that is none.
    pub fn from_number(number: u8) -> Format {
        let all = [Format::Sse, Format::Ndjson, Format::JsonArray, Format::EventStream];
        all.into_iter().find(|format| *format as u8 == number).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_content_type_declares_a_format_whatever_its_case_and_parameters() {
        let declared = |text| Format::declared(Some(text), false);
        assert_eq!(declared("text/event-stream"), Format::Sse);
        assert_eq!(declared("Text/Event-Stream; charset=utf-8"), Format::Sse);
        assert_eq!(declared("application/x-ndjson"), Format::Ndjson);
        assert_eq!(declared("application/vnd.amazon.eventstream"), Format::EventStream);
        assert_eq!(declared("application/json"), Format::Unknown);
        assert_eq!(declared("text/event-streams"), Format::Unknown);
        assert_eq!(declared("text/event-stream; a=\"b,c\""), Format::Sse);
        assert_eq!(declared("text/event-stream, text/event-stream;charset=utf-8"), Format::Sse);
        assert_eq!(declared("text/event-stream, text/html"), Format::Unknown);
        assert_eq!(Format::declared(None, true), Format::Unknown);
        assert_eq!(Format::declared(Some("application/json; charset=UTF-8"), true), Format::JsonArray);
    }

    #[test]
    fn a_format_is_found_by_its_number() {
        for format in [Format::Unknown, Format::Sse, Format::Ndjson, Format::JsonArray, Format::EventStream] {
            assert_eq!(Format::from_number(format as u8), format);
        }
        assert_eq!(Format::from_number(5), Format::Unknown);
    }
}
