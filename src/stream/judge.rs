//! What one frame is, by the shapes that providers send. All shapes are in one set of tables:
//! no two of them mean different things by the same place.

use crate::classify::json::{self, Scalar, Shape};
use crate::classify::provider::{Signs, meaning_at};
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
    /// It is the beginning of a JSON value.
    pub cut: bool,
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

/// What the name of an event, or a frame's `type` or `object`, says.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sort {
    Nothing,
    Finished,
    Closed,
    Failure,
}

/// Names of events and types of frames. Content in a frame says more than its name.
const SORTS: &[(Sort, &[&str])] = &[
    (
        Sort::Nothing,
        &[
            "message_start",
            "content_block_start",
            "content_block_delta",
            "content_block_stop",
            "message_delta",
            "ping",
            "keepalive",
            "keep-alive",
            "heartbeat",
            "message-start",
            "content-start",
            "content-delta",
            "content-end",
            "tool-plan-delta",
            "tool-call-start",
            "tool-call-end",
            "citation-start",
            "citation-end",
            "messageStart",
            "contentBlockStart",
            "contentBlockDelta",
            "contentBlockStop",
            "initial-response",
            "chat.completion.chunk",
            "text_completion",
        ],
    ),
    (Sort::Finished, &["message-end", "messageStop"]),
    (Sort::Closed, &["message_stop", "response.completed", "response.incomplete"]),
    (Sort::Failure, &["error", "exception", "response.failed"]),
];

/// The types of the AI SDK's parts, and LangChain's. They are too general for other streams.
const CLIENT_SORTS: &[(Sort, &[&str])] = &[
    (
        Sort::Nothing,
        &[
            "start",
            "stream-start",
            "start-step",
            "step-start",
            "response-metadata",
            "message-metadata",
            "text-start",
            "text-delta",
            "text-end",
            "reasoning",
            "reasoning-start",
            "reasoning-delta",
            "reasoning-end",
            "reasoning-signature",
            "tool-input-delta",
            "tool-input-end",
            "tool-call-delta",
            "finish-step",
            "step-finish",
            "raw",
            "constructor",
        ],
    ),
    (Sort::Closed, &["finish", "abort"]),
];

/// What is known of a frame's members at the top.
struct Root {
    key: &'static str,
    /// Only shapes have it of which it is known how their streams end.
    known: bool,
    /// The places below it where a text is a part of the answer: `**` is any number of keys,
    /// `=` the member itself.
    content: &'static str,
    /// The places below it where the reason stands for which an answer is over.
    reasons: &'static str,
}

const fn root(key: &'static str, known: bool, content: &'static str, reasons: &'static str) -> Root {
    Root { key, known, content, reasons }
}

const ROOTS: &[Root] = &[
    // OpenAI's chat and completions, and all that speak alike.
    root("choices", true, "[].delta.** [].message.** [].text", "[].finish_reason [].finishReason"),
    root("usage", true, "", ""),
    root("prompt_filter_results", true, "", ""),
    root("x_groq", true, "", ""),
    // Anthropic, Cohere, and the Responses API, where `delta` is a text.
    root("delta", false, "**", "stop_reason finish_reason finishReason"),
    root("content_block", true, "text thinking data content.**", ""),
    root("item", false, "content.** arguments summary.** result input code", ""),
    root("part", false, "**", ""),
    root("annotation", false, "**", ""),
    root("refusal", false, "=", ""),
    root("arguments", false, "=", ""),
    root("partial_image_b64", false, "=", ""),
    root("response", false, "=", "incomplete_details.reason"),
    // Gemini.
    root("candidates", true, "[].content.parts.**", "[].finishReason"),
    root("promptFeedback", true, "", "blockReason"),
    root("usageMetadata", true, "", ""),
    // Ollama, which has its text in `response` too.
    root("message", false, "content.** thinking tool_calls.** images.**", ""),
    root("thinking", false, "=", ""),
    root("done_reason", true, "", "="),
    // Bedrock's Converse, and the models' own shapes in what it invokes.
    root("messageStart", true, "", ""),
    root("contentBlockStart", true, "", ""),
    root("contentBlockDelta", true, "delta.**", ""),
    root("contentBlockStop", true, "", ""),
    root("messageStop", true, "", "stopReason"),
    root("stopReason", false, "", "="),
    root("stop_reason", false, "", "="),
    root("outputText", true, "=", ""),
    root("completionReason", false, "", "="),
    root("generation", true, "=", ""),
    root("outputs", false, "[].text", "[].stop_reason"),
    root("completion", false, "=", ""),
    root("amazon-bedrock-invocationMetrics", true, "", ""),
    // Servers of open models.
    root("token", false, "text", ""),
    root("generated_text", false, "=", ""),
    root("details", false, "", "finish_reason"),
    root("finish_reason", false, "", "="),
    root("content", false, "**", ""),
    // Clients: the AI SDK, LangChain.
    root("text", false, "=", ""),
    root("textDelta", false, "=", ""),
    root("argsTextDelta", false, "=", ""),
    root("inputTextDelta", false, "=", ""),
    root("finishReason", false, "", "= unified"),
    root(
        "kwargs",
        true,
        "content.** tool_call_chunks.** tool_calls.** additional_kwargs.**",
        "response_metadata.finish_reason response_metadata.stop_reason",
    ),
];

/// Keys below which nothing is a part of the answer, wherever they stand.
const NO_CONTENT: &[&str] = &[
    "role",
    "type",
    "id",
    "index",
    "format",
    "object",
    "status",
    "signature",
    "thoughtSignature",
    "thought_signature",
    "stop_reason",
    "stop_sequence",
    "stop_details",
    "finish_reason",
    "finishReason",
    "container",
    "usage",
    "service_tier",
    "mimeType",
    "tool_id",
    "call_id",
];

/// Judges one frame: the name that stands beside it (empty for none) and its text. What it
/// tells of tokens goes to `usage`.
pub fn judge(name: &str, text: &str, sender: Sender, usage: &mut UsageReader) -> Judged {
    let text = text.trim();
    let mut seen = Seen { sort: sort_of(name, sender), sender, ..Seen::default() };
    if text == "[DONE]" {
        let frame = Frame::Ended { failed: false, closed: true };
        return Judged { frame, recognised: true, ended: true, cut: false };
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
    Judged { frame, recognised: seen.recognised(), ended: seen.is_over(), cut: shape == Shape::CutShort }
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

/// Why an answer is over.
#[derive(Clone, Copy, Default, PartialEq, Eq)]
enum Reason {
    #[default]
    None,
    Good,
    Failure,
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
            (["amazon-bedrock-invocationMetrics", ..], _) => self.reason = self.reason.or(Reason::Good),
            ([_, place @ ..], Scalar::Text(text)) if !text.is_empty() && text != "null" => {
                let Some(root) = root else { return };
                if is_at(root.reasons, place) {
                    let failed = meaning_at("finish", text).is_some();
                    self.reason = self.reason.or(if failed { Reason::Failure } else { Reason::Good });
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
        Frame::Ended { failed: self.reason == Reason::Failure, closed }
    }
}

impl Reason {
    /// Of several choices, one that failed counts.
    fn or(self, other: Reason) -> Reason {
        if self == Reason::Failure { self } else { other }
    }
}

fn sort_of(name: &str, sender: Sender) -> Option<Sort> {
    let client = if sender == Sender::Client { CLIENT_SORTS } else { &[] };
    let listed = SORTS.iter().chain(client).find(|(_, names)| names.contains(&name)).map(|(sort, _)| *sort);
    // The Responses API has an event for every step, most of them without content.
    listed.or_else(|| name.starts_with("response.").then_some(Sort::Nothing))
}

/// Whether the name of an event or the type of a frame says that nothing can follow.
pub(super) fn closes(name: &str) -> bool {
    matches!(sort_of(name, Sender::Provider), Some(Sort::Closed | Sort::Finished))
}

fn is_at(places: &str, keys: &[&str]) -> bool {
    places.split_ascii_whitespace().any(|place| {
        let mut keys = keys.iter();
        place == "=" && keys.len() == 0
            || place.split('.').all(|step| match step {
                "**" => {
                    keys = [].iter();
                    true
                }
                step => keys.next().is_some_and(|key| *key == step),
            }) && keys.next().is_none()
    })
}

#[cfg(all(test, not(feature = "sabotage")))]
#[path = "judge_tests.rs"]
mod tests;
