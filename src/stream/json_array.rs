//! The elements of one JSON array that is sent piece by piece, as Gemini streams without SSE.

use super::{Emit, MAX_FRAME, Raw};

/// Cuts bytes into the objects of the outermost array. Objects without an array around them
/// are taken as well.
#[derive(Clone, Debug, Default)]
pub struct Splitter {
    element: Vec<u8>,
    /// Open brackets inside the element.
    depth: u32,
    in_string: bool,
    escaped: bool,
    in_array: bool,
    /// The element is too large and no longer kept.
    dropping: bool,
    /// What came is no such array, or has ended.
    closed: bool,
}

impl Splitter {
    /// Takes the next bytes.
    pub fn push(&mut self, bytes: &[u8], emit: &mut Emit<'_>) {
        for byte in bytes {
            if self.closed {
                return;
            }
            if self.depth == 0 {
                self.between(*byte, emit);
            } else {
                self.inside(*byte, emit);
            }
        }
    }

    /// Gives what there is of the element that the stream ended in.
    pub fn finish(&mut self, emit: &mut Emit<'_>) {
        if self.depth > 0 && !self.dropping {
            let text = String::from_utf8_lossy(&self.element);
            emit(Raw::Event { name: "", data: &text, has_id: false });
        }
        self.closed = true;
    }

    fn between(&mut self, byte: u8, emit: &mut Emit<'_>) {
        match byte {
            b' ' | b'\t' | b'\r' | b'\n' | b',' => {}
            b'[' if !self.in_array => self.in_array = true,
            b'{' => {
                self.depth = 1;
                self.element.push(byte);
            }
            b']' if self.in_array => {
                self.closed = true;
                emit(Raw::Closed);
            }
            _ => {
                self.closed = true;
                emit(Raw::Foreign);
            }
        }
    }

    fn inside(&mut self, byte: u8, emit: &mut Emit<'_>) {
        if !self.dropping && self.element.len() >= MAX_FRAME {
            self.dropping = true;
            self.element = Vec::new();
            emit(Raw::TooLarge);
        }
        if !self.dropping {
            self.element.push(byte);
        }
        if self.in_string {
            match byte {
                _ if self.escaped => self.escaped = false,
                b'\\' => self.escaped = true,
                b'"' => self.in_string = false,
                _ => {}
            }
            return;
        }
        match byte {
            b'"' => self.in_string = true,
            b'{' | b'[' => self.depth = self.depth.saturating_add(1),
            b'}' | b']' => self.depth -= 1,
            _ => {}
        }
        if self.depth == 0 {
            self.end_element(emit);
        }
    }

    fn end_element(&mut self, emit: &mut Emit<'_>) {
        if !self.dropping {
            let text = String::from_utf8_lossy(&self.element);
            emit(Raw::Event { name: "", data: &text, has_id: false });
        }
        self.dropping = false;
        self.element.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Vec<String> {
        let mut splitter = Splitter::default();
        let mut found = Vec::new();
        for byte in text.bytes() {
            splitter.push(&[byte], &mut |raw| {
                found.push(match raw {
                    Raw::Event { data, .. } => data.to_owned(),
                    other => format!("{other:?}"),
                });
            });
        }
        found
    }

    #[test]
    fn every_object_of_the_array_is_one_frame() {
        let text = "[{\"a\":[{}]}\n,\r\n{\"b\":\"}]\\\"{\"}]\n";
        assert_eq!(found(text), ["{\"a\":[{}]}", "{\"b\":\"}]\\\"{\"}", "Closed"]);
        assert_eq!(found("[]"), ["Closed"]);
        assert_eq!(found("{\"a\":\n{}}\n{}"), ["{\"a\":\n{}}", "{}"]);
        assert_eq!(found("[1]"), ["Foreign"]);
    }

    #[test]
    fn an_object_above_the_bound_is_dropped_and_the_next_one_is_read() {
        let text = format!("[{{\"a\":\"{}\"}},{{}}]", "x".repeat(MAX_FRAME));
        assert_eq!(found(&text), ["TooLarge", "{}", "Closed"]);
    }
}
