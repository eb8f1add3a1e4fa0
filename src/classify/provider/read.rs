//! Where codes and messages stand in a body, whatever form the body has.

use super::BodyFacts;
use super::families::FAMILIES;
use super::index;
use super::inspect::Signs;
use crate::classify::json::{self, Dialect, Scalar, Shape};
use crate::scan::{contains, either, find, from, part, place_of};

/// More codes than this are in no error.
const MOST_CODES: usize = 24;
const MOST_MESSAGES: usize = 8;
/// Quotes are looked for in the first messages.
const DEEPEST_QUOTE: usize = 4;
/// What an outer place adds to the rank: a quoted error is the one that happened.
const OUTER: u8 = 32;
/// What a place outside of `error` adds.
const BESIDE: u8 = 16;

/// Where codes and messages stand below the keys that only wrap an error, the most specific
/// code first.
pub const PLACES: &str = "\
code details.error_code
code details.[].reason metadata.reason metadata.error_type metadata.limit_source
code innererror.code
code internalCode error_code
code code base_resp.status_code extensions.code
code type error_type Output.__type
code status reason name http_status_code statusCode
message message msg error_message error_msg err_msg details detail title metadata.raw delta.error base_resp.status_msg
finish choices.[].finish_reason candidates.[].finishReason delta.finish_reason delta.stop_reason stopReason finish_reason messageStop.stopReason incomplete_details.reason promptFeedback.blockReason
quota details.[].violations.[].quotaId details.[].metadata.quota_limit
refusal choices.[].delta.refusal choices.[].message.refusal";

/// The lines of `PLACES`; those before are of codes.
const MESSAGE: u16 = 7;
/// That of the reasons for which an answer ended.
pub const FINISH: u16 = 8;
const QUOTA: u16 = 9;
const REFUSAL: u16 = 10;
/// The rank of a code in the name of a member.
const IN_NAME: u8 = 5;

impl BodyFacts {
    /// Reads a body of any form: JSON (whole or cut short, in an array, in a string), lines of
    /// JSON, the text of an event stream, plain text, HTML.
    pub fn read(body: &str) -> BodyFacts {
        BodyFacts::read_behind(None, body)
    }

    /// As [`BodyFacts::read`], behind a status. Of a 2xx the text in which the body was cut says
    /// no more than that it was cut.
    pub fn read_behind(status: Option<u16>, body: &str) -> BodyFacts {
        let of_answer = status.is_some_and(|status| status < 300);
        let mut facts = BodyFacts { of_answer, ..BodyFacts::default() };
        let text = body.strip_prefix('\u{feff}').unwrap_or(body).trim_ascii_start();
        match text.as_bytes().first() {
            Some(b'{' | b'[' | b'"') => facts.read_values(text),
            Some(b'<') => facts.read_markup(text),
            None => {}
            _ if is_event_stream(text) => facts.read_events(text),
            _ => facts.read_text(text),
        }
        facts.read_quotes();
        facts
    }

    /// Takes a code; of two in equal places the first counts.
    pub(super) fn add_code(&mut self, rank: u8, code: &str) {
        let code = after_namespace(code);
        if !code.is_empty() && self.codes.len() < MOST_CODES {
            let at = self.ranks.iter().position(|known| *known > rank).unwrap_or(self.ranks.len());
            self.ranks.insert(at, rank);
            self.codes.insert(at, code.to_owned());
        }
    }

    /// Of a text that is not whole only words count: the beginning of a code is another code, or
    /// none.
    fn visit(&mut self, keys: &[&str], scalar: &Scalar<'_>, is_whole: bool) {
        if is_whole {
            self.hints.see(keys, scalar);
            self.usage.visit(keys, scalar);
        }
        let mut place = keys;
        let mut rank = BESIDE;
        while let [first, inner @ ..] = place {
            match *first {
                "error" | "errors" | "Error" => rank = 0,
                "[]" | "response" | "Response" | "detail" | "x_groq" => {}
                // An object where the text should be.
                "message" if !inner.is_empty() => {}
                // The name of an exception over what it says, as Bedrock's unions have it.
                name if !inner.is_empty() && name.ends_with("Exception") => {
                    if rank != 0 {
                        self.add_code(IN_NAME, name);
                    }
                    rank = 0;
                }
                _ => break,
            }
            place = inner;
        }
        let text = match scalar {
            Scalar::Text(text) => &**text,
            Scalar::Number(number) => number,
            Scalar::Flag(flag) => {
                if *place == ["retryable"] {
                    self.says_retryable = Some(*flag);
                }
                ""
            }
            Scalar::Null => return,
        };
        let whole = if let ["[]", inner @ ..] = keys { inner } else { keys };
        if is_whole
            && self.family.is_none()
            && index::may_have(whole)
            && let Some(shape) = index::value(index::SHAPE, whole)
            && is_of_shape(shape >> 8, text)
        {
            self.family = FAMILIES.get(usize::from(shape & 0xff)).map(|family| family.name);
        }
        let role = match place {
            [] => Some(MESSAGE),
            _ if !index::may_have(place) => None,
            _ => index::value(index::PLACE, place),
        };
        let Some(role) = role else { return };
        let is_text = matches!(scalar, Scalar::Text(_)) && !text.is_empty();
        match role {
            MESSAGE if is_text && self.messages.len() < MOST_MESSAGES => {
                // Slack, OAuth 2 and others have the code where others have the message.
                if is_whole && place.is_empty() && rank == 0 && is_name(text) {
                    self.add_code(IN_NAME, text);
                }
                self.messages.push(text.to_owned());
            }
            _ if !is_whole => {}
            ..MESSAGE => self.add_code(rank + role as u8, text),
            FINISH if is_text => self.finish = Some(text.to_owned()),
            REFUSAL if is_text => self.finish = Some("refusal".to_owned()),
            QUOTA => self.daily |= is_daily(text),
            _ => {}
        }
    }

    #[inline(never)]
    fn forget(&mut self) {
        *self = BodyFacts { of_answer: self.of_answer, ..BodyFacts::default() };
    }

    /// One value of JSON; gives what follows it.
    #[inline(never)]
    fn read_value<'t>(&mut self, text: &'t str, dialect: Dialect) -> &'t str {
        let mut signs = Signs::default();
        let walked = json::walk_first(text, dialect, &mut |keys, scalar| {
            signs.visit(keys, &scalar);
            self.visit(keys, &scalar, true);
        });
        if !self.of_answer {
            walked.begun(&mut |keys, text| {
                self.hints.see_begun(keys, text);
                self.visit(keys, &Scalar::Text(text.into()), false);
            });
        }
        self.failed |= signs.failed();
        self.cut_short = walked.shape == Shape::CutShort;
        walked.rest()
    }

    /// A value of JSON, or lines of them: the first that failed, else the last.
    fn read_values(&mut self, text: &str) {
        let mut rest = self.read_value(text, Dialect::Json);
        while !self.failed && opens(rest) {
            self.forget();
            rest = self.read_value(rest, Dialect::Json);
        }
        // "[ERROR] out of memory" only looks like JSON.
        if self.codes.is_empty() && self.messages.is_empty() && !self.cut_short && text.starts_with("[") {
            self.read_text(text);
        }
    }

    /// A page names no code, but it may say when to come back; AWS, Azure and Google Cloud answer
    /// in XML as well.
    fn read_markup(&mut self, text: &str) {
        self.hints.see(&[], &Scalar::Text(text.into()));
        let error = place_of(text, "<error").map_or("", |at| from(text, at));
        let code = place_of(error, "<code>").map_or("", |at| from(error, at + "<code>".len()));
        self.add_code(0, part(code, 0, find(code, b'<').unwrap_or(code.len())));
    }

    #[inline(never)]
    fn read_text(&mut self, text: &str) {
        let text = text.trim_ascii_end();
        // What Cloudflare's edge sends to clients that want no HTML.
        if let Some(code) = text.strip_prefix("error code: ") {
            self.family = Some("cloudflare").filter(|_| code.len() == 4);
            self.add_code(0, code);
        }
        self.visit(&[], &Scalar::Text(text.into()), true);
    }

    /// The text of an event stream: the first event that failed, else the last.
    fn read_events(&mut self, text: &str) {
        let mut names_error = false;
        let mut rest = text;
        while !rest.is_empty() {
            let end = either(rest.as_bytes(), b'\n', b'\r').unwrap_or(rest.len());
            let line = part(rest, 0, end);
            rest = from(rest, end + 1);
            if let Some(name) = line.strip_prefix("event:") {
                names_error = matches!(name.trim_ascii(), "error" | "exception");
            }
            let data = line.strip_prefix("data:");
            let value = data.unwrap_or(line).trim_ascii_start();
            if opens(value) && value != "[DONE]" {
                self.forget();
                self.read_value(value, Dialect::Json);
            } else if names_error && data.is_some() {
                self.read_text(value);
            } else {
                continue;
            }
            self.failed |= names_error;
            if self.failed {
                return;
            }
        }
    }

    /// What messages quote of another error, which is the one that happened.
    fn read_quotes(&mut self) {
        // What is quoted in a quote is read as well, since it is a message too.
        for at in 0..DEEPEST_QUOTE {
            let Some(message) = self.messages.get_mut(at).map(std::mem::take) else { return };
            let quote = quoted_in(&message).unwrap_or("");
            let (codes, messages, failed, cut_short) =
                (self.codes.len(), self.messages.len(), self.failed, self.cut_short);
            if !quote.is_empty() {
                for rank in &mut self.ranks {
                    *rank = rank.saturating_add(OUTER);
                }
                self.read_value(quote, Dialect::Repr);
                (self.failed, self.cut_short) = (self.failed || failed, cut_short);
            }
            let said = (self.codes.len(), self.messages.len()) != (codes, messages);
            let Some(place) = self.messages.get_mut(at) else { return };
            // What was read is not read again as prose.
            let prose = message.strip_suffix(quote).filter(|_| said).unwrap_or(&message).trim_ascii();
            *place = prose.to_owned();
            if said && !prose.is_empty() && self.quoting.is_none() {
                self.quoting = Some(message);
            }
        }
    }
}

/// Whether an object or an array begins.
fn opens(text: &str) -> bool {
    matches!(text.as_bytes().first(), Some(b'{' | b'['))
}

/// Whether a text is one word, as codes are.
fn is_name(text: &str) -> bool {
    text.bytes().all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'-' | b'.'))
}

fn is_of_shape(condition: u16, text: &str) -> bool {
    match condition as u8 {
        b'#' => text.len() == 4 && text.bytes().all(|byte| byte.is_ascii_digit()),
        b'^' => text.len() > 3 && text.bytes().all(|byte| byte.is_ascii_uppercase() || byte == b'_'),
        b'@' => text.starts_with("req_"),
        b'&' => find(text, b'#').is_some(),
        _ => true,
    }
}

/// Where a message quotes an error: JSON, or what Python prints of it.
fn quoted_in(message: &str) -> Option<&str> {
    let bytes = message.as_bytes();
    let mut at = 0;
    loop {
        at += either(bytes.get(at..)?, b'{', b'[')?;
        let inside = bytes.get(at + 1..)?.trim_ascii_start().first()?;
        let of_object = bytes.get(at) == Some(&b'{');
        if if of_object { matches!(inside, b'"' | b'\'') } else { *inside == b'{' } {
            return message.get(at..);
        }
        at += 1;
    }
}

fn is_event_stream(text: &str) -> bool {
    [":", "data:", "event:", "id:", "retry:"].iter().any(|field| text.starts_with(field))
}

/// AWS writes `namespace#Name`, and `Name:http://…` in a header.
fn after_namespace(code: &str) -> &str {
    let bytes = code.as_bytes();
    let start = find(code, b'#').map_or(0, |at| at + 1);
    let end = bytes.windows(5).position(|part| part == b":http").unwrap_or(bytes.len());
    code.get(start..end).unwrap_or(code)
}

/// Whether the name of a quota says that its window is a day.
pub(super) fn is_daily(quota: &str) -> bool {
    contains(quota, "perday") || contains(quota, "byday")
}
