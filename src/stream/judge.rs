//! What one frame is, by the shapes that providers send. All shapes are in one set of tables:
//! no two of them mean different things by the same place.

use super::shapes::{NO_CONTENT, ROOTS, Sort, is_at, sort_of};
use crate::classify::json::{self, Scalar, Shape};
use crate::classify::provider::{Signs, breaks_off, meaning_at};
use crate::usage::UsageReader;

/// What a frame is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Frame {
    /// Nothing that a user could see: an opening, a ping, an empty delta, usage.
    Nothing,
    /// A part of the answer.
    Output,
    /// The report of a failure.
    Failure,
    /// The answer is over.
    Ended {
        /// Its reason names a failure.
        failed: bool,
        /// No frame can follow; else there may be usage, or another choice.
        closed: bool,
    },
    /// Of no known shape.
    Unknown,
}

/// A frame, judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judged {
    /// What it is.
    pub frame: Frame,
    /// It has a shape of which it is known how such streams end.
    pub recognised: bool,
    /// It says that the answer is over, beside whatever else it is.
    pub ended: bool,
    /// What its text is, as JSON.
    pub shape: Shape,
}

/// Who sends the frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Sender {
    /// A provider, over the network.
    #[default]
    Provider,
    /// A client library, as objects: a plain string is output, and parts have types of their own.
    Client,
}

/// Judges one frame: the name that stands beside it (empty for none) and its text. What it
/// tells of tokens goes to `usage`.
pub fn judge(name: &str, text: &str, sender: Sender, usage: &mut UsageReader) -> Judged {
    let text = text.trim();
    let mut seen = Seen { sort: sort_of(name, sender), sender, ..Seen::default() };
    if text == "[DONE]" {
        let frame = Frame::Ended { failed: false, closed: true };
        return Judged { frame, recognised: true, ended: true, shape: Shape::NotJson };
    }
    let shape = json::walk(text, &mut |keys, scalar| {
        usage.visit(keys, &scalar);
        seen.visit(keys, &scalar);
    });
    let frame = match shape {
        // The name alone speaks, and an empty frame without one is a keep-alive.
        Shape::NotJson => match seen.sort {
            Some(Sort::Failure) => Frame::Failure,
            None if !text.is_empty() || !name.is_empty() => Frame::Unknown,
            _ => Frame::Nothing,
        },
        _ => seen.frame(),
    };
    Judged { frame, recognised: seen.recognised(), ended: seen.is_over(), shape }
}

/// Judges a chunk that a client library gives as an object, or as a plain string, from its
/// JSON. What is of no known shape is [`Frame::Unknown`], to be taken for output.
pub fn judge_chunk(json: &str) -> Frame {
    judge("", json, Sender::Client, &mut UsageReader::default()).frame
}

/// What was seen of a frame.
#[derive(Default)]
struct Seen {
    sort: Option<Sort>,
    sender: Sender,
    signs: Signs,
    /// The messages of JSON-RPC are an application's.
    rpc: bool,
    shaped: bool,
    content: bool,
    reason: Reason,
    done: bool,
}

/// Why an answer is over. Of several choices the worst counts.
#[derive(Clone, Copy, Default, PartialEq, Eq, PartialOrd, Ord)]
enum Reason {
    #[default]
    None,
    Good,
    /// A failure of an answer without output.
    Failure,
    /// A failure of any answer.
    Broken,
}

impl Seen {
    fn visit(&mut self, keys: &[&str], scalar: &Scalar<'_>) {
        self.signs.visit(keys, scalar);
        // Clients and gateways wrap what the provider sent.
        let keys = match keys {
            ["data" | "output" | "[]", inner @ ..] if !inner.is_empty() => inner,
            _ => keys,
        };
        let Some(first) = keys.first() else {
            if let (Sender::Client, Scalar::Text(text)) = (self.sender, scalar) {
                self.shaped = true;
                self.content = !text.is_empty();
            }
            return;
        };
        let root = ROOTS.iter().find(|root| root.key == *first);
        self.shaped |= root.is_some_and(|root| root.known);
        match (keys, scalar) {
            (["jsonrpc"], _) => self.rpc = true,
            (["done"], Scalar::Flag(done)) => {
                self.shaped = true;
                self.done |= *done;
            }
            (["type" | "object"], Scalar::Text(name)) => self.sort = sort_of(name, self.sender).or(self.sort),
            // A union's member that is an exception, of which a client shows no message.
            ([name, _, ..], Scalar::Text(_)) if name.len() > 9 && name.ends_with("Exception") => {
                self.sort = Some(Sort::Failure);
            }
            (["amazon-bedrock-invocationMetrics", ..], _) => self.reason = self.reason.max(Reason::Good),
            ([_, place @ ..], Scalar::Text(text)) if !text.is_empty() && text != "null" => {
                let Some(root) = root else { return };
                if is_at(root.reasons, place) {
                    self.reason = self.reason.max(match meaning_at("finish", text) {
                        None => Reason::Good,
                        Some(meaning) if breaks_off(meaning.kind) => Reason::Broken,
                        Some(_) => Reason::Failure,
                    });
                } else if is_at(root.content, place) {
                    self.content |= !keys.iter().any(|key| NO_CONTENT.contains(key));
                }
            }
            _ => {}
        }
    }

    fn recognised(&self) -> bool {
        !self.rpc && (self.shaped || self.sort.is_some())
    }

    fn frame(&self) -> Frame {
        match self.sort {
            _ if self.rpc => Frame::Unknown,
            _ if self.signs.failed() => Frame::Failure,
            _ if self.reason == Reason::Broken && self.sort != Some(Sort::Step) => Frame::Failure,
            Some(Sort::Failure) => Frame::Failure,
            // What ends a stream repeats what it was.
            Some(Sort::Closed) => self.ended(),
            _ if self.content && !cfg!(feature = "sabotage") => Frame::Output,
            _ if self.is_over() => self.ended(),
            None if !self.shaped => Frame::Unknown,
            _ => Frame::Nothing,
        }
    }

    fn is_over(&self) -> bool {
        self.done || self.reason != Reason::None || matches!(self.sort, Some(Sort::Closed | Sort::Finished))
    }

    fn ended(&self) -> Frame {
        let closed = self.done || self.sort == Some(Sort::Closed);
        Frame::Ended { failed: self.reason >= Reason::Failure, closed }
    }
}

#[cfg(all(test, not(feature = "sabotage")))]
#[path = "judge_tests.rs"]
mod tests;
