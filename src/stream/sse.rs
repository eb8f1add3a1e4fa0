//! The events of `text/event-stream`, by the grammar of WHATWG HTML section 9.2.6.

use super::{Emit, MAX_FRAME, Raw};
use crate::scan::{either, from, part};

/// Cuts bytes into events. Comments and `retry` are no events and say nothing here.
#[derive(Clone, Debug, Default)]
pub struct Splitter {
    /// The line that has begun, as bytes: a chunk may end inside a character.
    line: Vec<u8>,
    name: String,
    data: String,
    has_data: bool,
    has_id: bool,
    /// A line feed now belongs to the carriage return before it.
    after_cr: bool,
    /// The first line has ended, so that no byte order mark can follow.
    started: bool,
    /// The event was too large; it is dropped up to its end.
    dropping: bool,
}

impl Splitter {
    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8], emit: &mut Emit<'_>) {
        let mut rest = bytes;
        if self.after_cr && !rest.is_empty() {
            self.after_cr = false;
            rest = rest.strip_prefix(b"\n").unwrap_or(rest);
        }
        while let Some(at) = rest.iter().position(|byte| matches!(byte, b'\r' | b'\n')) {
            let (line, end) = rest.split_at(at);
            self.end_line(line, emit);
            rest = match end {
                [b'\r', b'\n', rest @ ..] | [b'\n', rest @ ..] => rest,
                [b'\r'] => {
                    self.after_cr = true;
                    &[]
                }
                [_, rest @ ..] => rest,
                [] => &[],
            };
        }
        self.keep(rest, emit);
    }

    /// Gives the event that the stream ended in. The grammar discards it; it still tells
    /// whether the stream was cut short.
    pub fn finish(&mut self, emit: &mut Emit<'_>) {
        self.end_line(b"", emit);
        self.dispatch(emit);
    }

    fn keep(&mut self, part: &[u8], emit: &mut Emit<'_>) {
        if !self.dropping && self.line.len() + part.len() + self.data.len() > MAX_FRAME {
            self.drop_event(emit);
        }
        // Of a dropped line only that it is not empty matters.
        let kept = if self.dropping { part.get(..usize::from(self.line.is_empty())).unwrap_or_default() } else { part };
        self.line.extend_from_slice(kept);
    }

    fn drop_event(&mut self, emit: &mut Emit<'_>) {
        self.dropping = true;
        self.data = String::new();
        self.line = Vec::new();
        emit(Raw::TooLarge);
    }

    fn end_line(&mut self, end: &[u8], emit: &mut Emit<'_>) {
        let kept;
        let mut line = end;
        if !self.line.is_empty() {
            self.keep(end, emit);
            kept = std::mem::take(&mut self.line);
            line = &kept;
        } else if !self.dropping && line.len() + self.data.len() > MAX_FRAME {
            self.drop_event(emit);
        }
        if !self.started {
            self.started = true;
            line = line.strip_prefix("\u{feff}".as_bytes()).unwrap_or(line);
        }
        match line {
            [] => self.dispatch(emit),
            _ if self.dropping => {}
            _ => self.field(&String::from_utf8_lossy(line)),
        }
    }

    fn field(&mut self, line: &str) {
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "event" => self.name = value.to_owned(),
            "data" => {
                if self.has_data {
                    self.data.push('\n');
                }
                self.has_data = true;
                self.data.push_str(value);
            }
            "id" => self.has_id |= !value.contains('\0'),
            _ => {}
        }
    }

    fn dispatch(&mut self, emit: &mut Emit<'_>) {
        if self.has_data && !self.dropping {
            emit(Raw::Event { name: &self.name, data: &self.data, has_id: self.has_id });
        }
        self.dropping = false;
        self.has_data = false;
        self.has_id = false;
        self.name.clear();
        self.data.clear();
    }
}

/// Cuts the first line off a part of a stream; `None` behind the last.
pub(super) fn cut_line<'t>(text: &mut Option<&'t str>) -> Option<&'t str> {
    let all = (*text)?;
    let end = either(all.as_bytes(), b'\r', b'\n');
    let line = part(all, 0, end.unwrap_or(all.len()));
    let rest = from(all, line.len());
    let rest = rest.strip_prefix("\r\n").unwrap_or_else(|| from(rest, 1));
    *text = end.map(|_| rest);
    Some(line)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn events(chunks: &[&[u8]]) -> Vec<String> {
        let mut splitter = Splitter::default();
        let mut events = Vec::new();
        for chunk in chunks {
            splitter.push(chunk, &mut |raw| {
                events.push(match raw {
                    Raw::Event { name, data, has_id } => [name, if has_id { "#" } else { "|" }, data].concat(),
                    other => format!("{other:?}"),
                });
            });
        }
        events
    }

    fn event(text: &str) -> Vec<String> {
        events(&[text.as_bytes()])
    }

    #[test]
    fn a_line_ends_with_cr_lf_or_both_also_across_chunks() {
        let chunks: [&[u8]; 6] = [b"data: A\r\n", b"data: B\r", b"\n", b"data: C\r\n", b"\r", b"\n"];
        assert_eq!(events(&chunks), ["|A\nB\nC"]);
        assert_eq!(event("data: x\r\rdata: y\n\ndata: z\r\n\r\n"), ["|x", "|y", "|z"]);
    }

    #[test]
    fn fields_are_read_as_the_grammar_says() {
        assert_eq!(event("data:x\n\n"), ["|x"]);
        assert_eq!(event("\u{feff}data: x\n\n"), ["|x"]);
        assert_eq!(event("\ndata: x\n\n\u{feff}data: y\n\n"), ["|x"], "one mark, at the beginning alone");
        assert_eq!(event("data\n\n"), ["|"]);
        assert_eq!(event("data:  two\n\n"), ["| two"]);
        assert_eq!(event(":c\ndata: x\n\n"), ["|x"]);
        assert_eq!(event("event: error\r\ndata: {}\r\n\r\n"), ["error|{}"]);
        assert_eq!(event("event: a\n\ndata: x\n\n"), ["|x"], "a name without data is forgotten");
        assert_eq!(event("id: 1\nretry: 5\ndatax: no\n data: no\ndata: x\n\n"), ["#x"]);
        assert_eq!(event("id: a\0b\ndata: x\n\n"), ["|x"]);
    }

    #[test]
    fn a_character_across_chunks_is_whole_and_invalid_bytes_keep_the_framing() {
        assert_eq!(events(&[b"data:\xe4\xbd", b"\xa0\xe5\xa5\xbd\r\n\r\n"]), ["|\u{4f60}\u{597d}"]);
        assert_eq!(events(&[b"data: \xff\xe4\xbd\ndata: y\n\n"]), ["|\u{fffd}\u{fffd}\ny"]);
    }

    #[test]
    fn the_last_event_without_a_blank_line_is_seen_only_at_the_end() {
        let mut splitter = Splitter::default();
        let mut seen = 0;
        splitter.push(b"data: x\n\ndata: [DONE]", &mut |_| seen += 1);
        assert_eq!(seen, 1);
        splitter.finish(&mut |raw| {
            seen += 1;
            assert_eq!(raw, Raw::Event { name: "", data: "[DONE]", has_id: false });
        });
        assert_eq!(seen, 2);
    }

    #[test]
    fn an_event_above_the_bound_is_dropped_and_the_next_one_is_read() {
        let filler = vec![b'x'; MAX_FRAME / 2];
        let mut splitter = Splitter::default();
        let mut events = Vec::new();
        splitter.push(b"data: ", &mut |_| {});
        for _ in 0..100 {
            splitter.push(&filler, &mut |raw| events.push(format!("{raw:?}")));
            assert!(splitter.line.len() <= MAX_FRAME);
        }
        splitter.push(b"\ndata: more\n\ndata: y\n\n", &mut |raw| events.push(format!("{raw:?}")));
        assert_eq!(events, ["TooLarge", "Event { name: \"\", data: \"y\", has_id: false }"]);
    }
}
