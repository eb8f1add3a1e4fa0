//! The shapes of the frames that providers send and clients give: by which names, types and
//! members they are known, where their content stands and where the reason for their end.

use super::judge::Sender;

/// What the name of an event, or a frame's `type` or `object`, says.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Sort {
    /// No output by itself.
    Nothing,
    /// A step of the answer is over: what it was is said again at the end.
    Step,
    /// The answer is over; more may follow.
    Finished,
    /// The stream is over.
    Closed,
    /// A failure.
    Failure,
}

/// Names of events and types of frames. Content in a frame says more than its name.
pub const SORTS: &[(Sort, &[&str])] = &[
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
pub const CLIENT_SORTS: &[(Sort, &[&str])] = &[
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
            "raw",
            "constructor",
        ],
    ),
    (Sort::Step, &["finish-step", "step-finish"]),
    (Sort::Closed, &["finish", "abort"]),
];

/// What is known of a frame's members at the top.
pub struct Root {
    /// Its key.
    pub key: &'static str,
    /// Only shapes have it of which it is known how their streams end.
    pub known: bool,
    /// The places below it where a text is a part of the answer: `**` is any number of keys,
    /// `=` the member itself.
    pub content: &'static str,
    /// The places below it where the reason stands for which an answer is over.
    pub reasons: &'static str,
}

const fn root(key: &'static str, known: bool, content: &'static str, reasons: &'static str) -> Root {
    Root { key, known, content, reasons }
}

/// The members that are looked at.
pub const ROOTS: &[Root] = &[
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
        false,
        "content.** tool_call_chunks.** tool_calls.** additional_kwargs.**",
        "response_metadata.finish_reason response_metadata.stop_reason",
    ),
];

/// Keys below which nothing is a part of the answer, wherever they stand.
pub const NO_CONTENT: &[&str] = &[
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

/// What a name says; `None` for one of no known shape.
pub fn sort_of(name: &str, sender: Sender) -> Option<Sort> {
    let client = if sender == Sender::Client { CLIENT_SORTS } else { &[] };
    let listed = SORTS.iter().chain(client).find(|(_, names)| names.contains(&name)).map(|(sort, _)| *sort);
    // The Responses API has an event for every step, most of them without content.
    listed.or_else(|| name.starts_with("response.").then_some(Sort::Nothing))
}

/// Whether the name of an event or the type of a frame says that nothing can follow.
pub fn closes(name: &str) -> bool {
    matches!(sort_of(name, Sender::Provider), Some(Sort::Closed | Sort::Finished))
}

/// Whether the keys below a member lead to one of these places.
pub fn is_at(places: &str, keys: &[&str]) -> bool {
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
