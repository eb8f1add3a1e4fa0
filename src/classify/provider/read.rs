//! Where codes and messages stand in a body, whatever form the body has.

use super::BodyFacts;
use super::inspect::Signs;
use crate::classify::json::{self, Dialect, Scalar, Shape};
use std::borrow::Cow;

/// More codes than this are in no error.
const MOST_CODES: usize = 24;
const MOST_MESSAGES: usize = 8;
/// What is quoted inside a quote is not read.
const DEEPEST_QUOTE: u8 = 2;
/// What an outer place adds to the rank: a quoted error is the one that happened.
const OUTER: u8 = 32;
/// What a place outside of `error` adds.
const BESIDE: u8 = 16;

/// What a scalar is to us by the place where it stands.
enum Role {
    /// A code; the lower the rank, the more specific.
    Code(u8),
    /// A message.
    Message,
    /// Why an answer ended.
    Finish,
    /// The name of a quota.
    Quota,
    /// Nothing, but it tells whose the body is.
    Of(&'static str),
    /// Nothing.
    None,
}

/// The role of a scalar below the keys that only wrap an error.
fn role(place: &[&str], scalar: &Scalar<'_>) -> Role {
    match place {
        ["details", "error_code"] => Role::Code(0),
        ["details", "[]", "reason"] | ["metadata", "reason" | "error_type" | "limit_source"] => Role::Code(1),
        ["innererror" | "inner_error" | "innerError", "code"] => Role::Code(2),
        ["internalCode" | "error_code" | "errorCode"] => Role::Code(3),
        ["code" | "Code"] | ["base_resp", "status_code"] => Role::Code(4),
        ["type" | "error_type" | "errorType" | "Type" | "__type"] | ["Output", "__type"] => Role::Code(5),
        ["status" | "reason" | "name" | "http_status_code" | "statusCode" | "status_code"] => Role::Code(6),
        ["message" | "Message" | "msg" | "error_message" | "errorMessage" | "details" | "detail" | "title"]
        | ["metadata", "raw"]
        | ["delta", "error"]
        | ["base_resp", "status_msg"] => Role::Message,
        ["details", "[]", "violations", "[]", "quotaId"] | ["details", "[]", "metadata", "quota_limit"] => Role::Quota,
        ["choices", "[]", "finish_reason"]
        | ["candidates", "[]", "finishReason"]
        | ["delta", "finish_reason" | "stop_reason"]
        | ["stopReason" | "stop_reason" | "finish_reason"]
        | ["messageStop", "stopReason"]
        | ["incomplete_details", "reason"]
        | ["promptFeedback", "blockReason"] => Role::Finish,
        ["choices", "[]", "delta" | "message", "refusal"] if matches!(scalar, Scalar::Text(_)) => Role::Of("refusal"),
        ["details", "[]", "@type"] => Role::Of("google"),
        ["metadata", "provider_name"] => Role::Of("openrouter"),
        ["cloudflare_error"] => Role::Of("cloudflare"),
        ["raw_status_code"] => Role::Of("mistral"),
        ["request_id"] if matches!(scalar, Scalar::Text(id) if id.starts_with("req_")) => Role::Of("anthropic"),
        _ => Role::None,
    }
}

impl<'t> BodyFacts<'t> {
    /// Reads a body of any form: JSON (whole or cut short, in an array, in a string), lines of
    /// JSON, the text of an event stream, plain text, HTML.
    pub fn read(body: &'t str) -> BodyFacts<'t> {
        read_quoted(body, 0)
    }

    /// Takes the codes that stand in header fields, and whose response it is by their names.
    pub(super) fn add_code(&mut self, rank: u8, code: Cow<'t, str>) {
        let at = self.ranks.iter().position(|known| *known > rank).unwrap_or(self.ranks.len());
        if !code.is_empty() && self.codes.len() < MOST_CODES {
            self.ranks.insert(at, rank);
            self.codes.insert(at, code);
        }
    }

    fn visit(&mut self, signs: &mut Signs, keys: &[&'t str], scalar: Scalar<'t>) {
        signs.visit(keys, &scalar);
        let mut place = keys;
        let mut beside = BESIDE;
        while let [first, inner @ ..] = place {
            match *first {
                "error" | "errors" | "Error" => beside = 0,
                "[]" | "response" | "detail" | "x_groq" => {}
                // An object where the text should be.
                "message" if !inner.is_empty() => {}
                // The name of an exception over what it says, as Bedrock's unions have it.
                name if !inner.is_empty() && name.len() > 9 && name.ends_with("Exception") => {
                    beside = 0;
                    if !self.codes.iter().any(|code| *code == name) {
                        self.add_code(5, Cow::Borrowed(name));
                    }
                }
                _ => break,
            }
            place = inner;
        }
        if let (["retryable"], Scalar::Flag(flag)) = (place, &scalar) {
            self.says_retryable = Some(*flag);
        }
        let role = if place.is_empty() { Role::Message } else { role(place, &scalar) };
        let text = match (scalar, &role) {
            (_, Role::None) => return,
            (Scalar::Text(text), _) => text,
            (Scalar::Number(number), Role::Code(_)) => Cow::Borrowed(number),
            (_, Role::Of(family)) if *family != "google" => {
                self.family.get_or_insert(family);
                return;
            }
            _ => return,
        };
        match role {
            Role::Code(rank) => self.code_at(rank + beside, keys, text),
            Role::Message if self.messages.len() < MOST_MESSAGES && !text.is_empty() => self.messages.push(text),
            Role::Finish => self.finish = Some(text),
            Role::Quota if is_daily(&text) => self.daily = true,
            Role::Of("refusal") => {
                if !text.is_empty() {
                    self.finish = Some(Cow::Borrowed("refusal"));
                }
            }
            Role::Of(family) => {
                self.family.get_or_insert(family);
            }
            _ => {}
        }
    }

    fn code_at(&mut self, rank: u8, keys: &[&str], text: Cow<'t, str>) {
        let text = after_namespace(text);
        let four_digits = text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit());
        let status_name = || text.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_');
        // Shapes that only one provider has.
        let own = match keys {
            ["errors" | "error", "[]", "code"] | ["internalCode"] if four_digits => Some("cloudflare"),
            ["code"] if four_digits => Some("mistral"),
            ["error", "code"] if four_digits => Some("zhipu"),
            ["base_resp", ..] => Some("minimax"),
            [.., "__type"] => Some("bedrock"),
            ["error", "innererror", "code"] => Some("azure"),
            [.., "error", "status"] if text.len() > 3 && status_name() => Some("google"),
            ["error", "metadata", "limit_source"] => Some("openrouter"),
            _ => None,
        };
        if let Some(own) = own {
            self.family.get_or_insert(own);
        }
        self.add_code(rank, text);
    }

    /// Takes in what an error says that was quoted in this one.
    fn take_quoted(&mut self, quoted: BodyFacts<'_>) {
        for rank in &mut self.ranks {
            *rank = rank.saturating_add(OUTER);
        }
        for (rank, code) in quoted.ranks.into_iter().zip(quoted.codes) {
            self.add_code(rank, Cow::Owned(code.into_owned()));
        }
        let messages = quoted.messages.into_iter().map(|message| Cow::Owned(message.into_owned()));
        let room = MOST_MESSAGES.saturating_sub(self.messages.len());
        self.messages.extend(messages.take(room));
        self.daily |= quoted.daily;
        self.failed |= quoted.failed;
        self.family = self.family.or(quoted.family);
    }
}

fn read_quoted(body: &str, depth: u8) -> BodyFacts<'_> {
    let text = body.trim_start_matches('\u{feff}').trim_start();
    let mut facts = match text.as_bytes().first() {
        Some(b'{' | b'[' | b'"') => read_values(text),
        Some(b'<') | None => BodyFacts::default(),
        _ if is_event_stream(text) => read_events(text),
        _ => read_text(text),
    };
    if depth < DEEPEST_QUOTE {
        for at in 0..facts.messages.len() {
            let quote = facts.messages.get(at).and_then(|message| quoted_in(message));
            if let Some(quote) = quote.map(str::to_owned) {
                let quoted = if quote.starts_with(['{', '[']) {
                    read_one(&quote, Dialect::Repr).0
                } else {
                    BodyFacts::default()
                };
                if !quoted.codes.is_empty() || !quoted.messages.is_empty() {
                    facts.take_quoted(quoted);
                }
            }
        }
    }
    facts
}

/// Where a message quotes an error: JSON, or what Python prints of it.
fn quoted_in(message: &str) -> Option<&str> {
    let at = message.find("{\"").or_else(|| message.find("{'")).or_else(|| {
        let at = message.find(['{', '['])?;
        let inside = message.get(at + 1..)?.trim_start();
        inside.starts_with(['"', '\'', '{']).then_some(at)
    })?;
    message.get(at..)
}

/// One value of JSON, and what follows it.
fn read_one(text: &str, dialect: Dialect) -> (BodyFacts<'_>, &str) {
    let mut facts = BodyFacts::default();
    let mut signs = Signs::default();
    let (shape, rest) = json::walk_first(text, dialect, &mut |keys, scalar| facts.visit(&mut signs, keys, scalar));
    facts.failed = signs.failed();
    facts.cut_short = shape == Shape::CutShort;
    (facts, rest)
}

/// A value of JSON, or lines of them: the first that failed, else the last.
fn read_values(text: &str) -> BodyFacts<'_> {
    let (mut facts, mut rest) = read_one(text, Dialect::Json);
    while !facts.failed && rest.starts_with(['{', '[']) {
        (facts, rest) = read_one(rest, Dialect::Json);
    }
    // "[ERROR] out of memory" only looks like JSON.
    if facts == BodyFacts::default() { read_text(text) } else { facts }
}

fn read_text(text: &str) -> BodyFacts<'_> {
    let mut facts = BodyFacts::default();
    if text.starts_with('{') {
        return facts;
    }
    // What Cloudflare's edge sends to clients that want no HTML.
    if let Some(code) = text.strip_prefix("error code: ") {
        let code = code.trim_end();
        if code.len() == 4 {
            facts.family = Some("cloudflare");
        }
        facts.add_code(4, Cow::Borrowed(code));
    }
    facts.messages.push(Cow::Borrowed(text.trim_end()));
    facts
}

fn is_event_stream(text: &str) -> bool {
    text.starts_with(':') || ["data:", "event:", "id:", "retry:"].iter().any(|field| text.starts_with(field))
}

/// The text of an event stream: the first event that failed, else the last.
fn read_events(text: &str) -> BodyFacts<'_> {
    let mut last = BodyFacts::default();
    let mut names_error = false;
    for line in text.split(['\n', '\r']) {
        if line.is_empty() {
            names_error = false;
        } else if let Some(name) = line.strip_prefix("event:") {
            names_error = matches!(name.trim(), "error" | "exception");
        }
        let data = line.strip_prefix("data:").unwrap_or(line).trim_start();
        let mut facts = match data.as_bytes().first() {
            Some(b'{' | b'[') if !data.starts_with("[DONE") => read_one(data, Dialect::Json).0,
            _ if names_error && line.starts_with("data:") => read_text(data),
            _ => continue,
        };
        facts.failed |= names_error;
        if facts.failed {
            return facts;
        }
        last = facts;
    }
    last
}

/// AWS writes `namespace#Name`, and `Name:http://…` in a header.
pub(super) fn after_namespace(code: Cow<'_, str>) -> Cow<'_, str> {
    let start = code.rfind('#').map_or(0, |at| at + 1);
    let end = code.find(":http").unwrap_or(code.len());
    match code {
        Cow::Borrowed(code) => Cow::Borrowed(code.get(start..end).unwrap_or(code)),
        Cow::Owned(code) => Cow::Owned(code.get(start..end).map(str::to_owned).unwrap_or(code)),
    }
}

/// Whether the name of a quota says that its window is a day.
pub(super) fn is_daily(quota: &str) -> bool {
    ["perday", "byday"].iter().any(|window| {
        quota.as_bytes().windows(window.len()).any(|part| part.eq_ignore_ascii_case(window.as_bytes()))
    })
}
