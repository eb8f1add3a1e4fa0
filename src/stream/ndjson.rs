//! Lines of JSON.

use super::{Emit, MAX_FRAME, Raw};

/// Cuts bytes into lines. Empty ones are keep-alives and say nothing.
#[derive(Clone, Debug, Default)]
pub struct Splitter {
    line: Vec<u8>,
    /// The line was too large; it is dropped up to its end.
    dropping: bool,
}

impl Splitter {
    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8], emit: &mut Emit<'_>) {
        let mut lines = bytes.split(|byte| *byte == b'\n');
        let first = lines.next().unwrap_or_default();
        self.keep(first, emit);
        for next in lines {
            self.finish(emit);
            self.keep(next, emit);
        }
    }

    /// Gives the line that the stream ended in: it needs no line feed.
    pub fn finish(&mut self, emit: &mut Emit<'_>) {
        self.dropping = false;
        let text = String::from_utf8_lossy(&self.line);
        let data = text.trim();
        if !data.is_empty() {
            emit(Raw::Event { name: "", data, has_id: false });
        }
        self.line.clear();
    }

    fn keep(&mut self, part: &[u8], emit: &mut Emit<'_>) {
        if self.dropping {
            return;
        }
        if self.line.len() + part.len() > MAX_FRAME {
            self.dropping = true;
            self.line = Vec::new();
            emit(Raw::TooLarge);
        } else {
            self.line.extend_from_slice(part);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_is_one_frame_and_the_last_needs_no_end() {
        let mut splitter = Splitter::default();
        let mut lines = Vec::new();
        let mut emit = |raw: Raw<'_>| lines.push(format!("{raw:?}"));
        splitter.push(b"{\"a\":1}\r\n\n{\"b\":", &mut emit);
        splitter.push(b"2}\n{\"c\":3}", &mut emit);
        splitter.finish(&mut emit);
        let event = |data: &str| format!("{:?}", Raw::Event { name: "", data, has_id: false });
        assert_eq!(lines, [event("{\"a\":1}"), event("{\"b\":2}"), event("{\"c\":3}")]);
    }

    #[test]
    fn a_line_above_the_bound_is_dropped_and_the_next_one_is_read() {
        let mut splitter = Splitter::default();
        let mut found = Vec::new();
        for chunk in [&[b'x'; MAX_FRAME][..], b"x", b"xx\n{}\n"] {
            splitter.push(chunk, &mut |raw| found.push(format!("{raw:?}")));
        }
        assert_eq!(found, ["TooLarge", "Event { name: \"\", data: \"{}\", has_id: false }"]);
    }
}
