//! Records as JSON text: one string crosses where an object would cross member by member,
//! and nobody pays for parsing a history that nobody asks for.

use crate::classify::Verdict;
use crate::clock::DelayMs;
use crate::decimal::push_decimal;
use crate::history::{AttemptRecord, ErrorSnapshot, History, RequestSnapshot, RetryLedger};
use crate::scan::{from, part};
use crate::usage::Usage;

/// The text that `JSON.parse` makes the public `History` of.
pub fn history(history: &History) -> String {
    let mut out = Json(String::with_capacity(1024));
    out.object(|out| {
        if !history.attempts.is_empty() {
            out.key("attempts");
            out.0.push('[');
            for attempt in &history.attempts {
                out.comma();
                attempt_members(out, attempt);
            }
            out.0.push(']');
        }
        out.key("retry");
        ledger(out, &history.retry);
        if let Some(usage) = &history.usage {
            out.key("usage");
            out.object(|out| {
                tokens(out, usage);
                out.number("reasoning", usage.reasoning.unwrap_or(0));
                out.number("cacheRead", usage.cache_read.unwrap_or(0));
                out.number("cacheWrite", usage.cache_write.unwrap_or(0));
                out.number("billedTotalTokens", history.billed_total_tokens());
            });
        }
        if let Some(last) = &history.last {
            out.key("last");
            attempt_members(out, last);
        }
        out.maybe("mark", history.mark);
    });
    out.0
}

/// The text that `JSON.parse` makes a public `Verdict` of.
pub fn verdict(verdict: &Verdict) -> String {
    let mut out = Json(String::with_capacity(256));
    out.object(|out| {
        out.text("kind", verdict.kind.as_str());
        out.flag("retryable", verdict.retryable);
        out.key("code");
        match verdict.code.as_deref() {
            Some(code) => out.string(code),
            None => out.0.push_str("null"),
        }
        out.key("retryAfterMs");
        match verdict.hint {
            Some(hint) => out.digits(hint.delay.get()),
            None => out.0.push_str("null"),
        }
        out.maybe("provider", verdict.provider.as_deref());
        out.text("rule", verdict.rule);
    });
    out.0
}

/// The text that `JSON.parse` makes a public `AttemptRecord` of.
pub fn record(record: &AttemptRecord) -> String {
    let mut out = Json(String::with_capacity(512));
    attempt_members(&mut out, record);
    out.0
}

fn ledger(out: &mut Json, retry: &RetryLedger) {
    out.object(|out| {
        out.number("totalAttempts", retry.total_attempts.into());
        out.number("failedAttempts", retry.failed_attempts.into());
        out.number("wastedPromptTokens", retry.wasted_prompt_tokens);
        out.number("wastedCompletionTokens", retry.wasted_completion_tokens);
        out.number("wastedTotalTokens", retry.wasted_total_tokens);
        out.flag("wasteIsLowerBound", retry.waste_is_lower_bound);
    });
}

fn attempt_members(out: &mut Json, record: &AttemptRecord) {
    out.object(|out| {
        out.number("index", record.index.into());
        out.number("attempt", record.attempt.into());
        out.epoch("startedAt", record.started_at.0);
        out.number("durationMs", record.duration_ms.get());
        out.text("reason", record.reason);
        out.number("delayMs", record.delay_ms.get());
        out.maybe("delayFrom", record.delay_from);
        out.hint(record.retry_after_ms);
        out.flag("streamed", record.streamed);
        if let Some(usage) = &record.tokens {
            out.key("tokens");
            out.object(|out| tokens(out, usage));
        }
        out.key("error");
        error_members(out, &record.error);
        if let Some(request) = &record.request {
            out.key("request");
            request_members(out, request);
        }
    });
}

fn tokens(out: &mut Json, usage: &Usage) {
    out.number("prompt", usage.prompt.unwrap_or(0));
    out.number("completion", usage.completion.unwrap_or(0));
    out.number("total", usage.total.unwrap_or(0));
}

fn error_members(out: &mut Json, error: &ErrorSnapshot) {
    out.object(|out| {
        out.text("message", &error.message);
        out.text("kind", error.kind);
        out.text("type", error.type_);
        out.maybe("code", error.code.as_deref());
        if let Some(status) = error.status {
            out.number("status", status.into());
        }
        out.maybe("provider", error.provider.as_deref());
        out.hint(error.retry_after_ms);
        out.flag("retryable", error.retryable);
        out.text("rule", error.rule);
    });
}

fn request_members(out: &mut Json, request: &RequestSnapshot) {
    out.object(|out| {
        out.text("method", &request.method);
        out.text("url", &request.url);
        out.key("headers");
        out.object(|out| {
            for (name, value) in &request.headers {
                out.comma();
                out.string(name);
                out.0.push(':');
                out.string(value);
            }
        });
        out.epoch("startedAt", request.started_at.0);
        out.maybe("body", request.body.as_deref());
    });
}

/// JSON that is written from the front.
struct Json(String);

impl Json {
    fn object(&mut self, members: impl FnOnce(&mut Json)) {
        self.0.push('{');
        members(self);
        self.0.push('}');
    }

    fn comma(&mut self) {
        if !matches!(self.0.as_bytes().last(), Some(b'{' | b'[')) {
            self.0.push(',');
        }
    }

    /// `name` needs no escapes.
    fn key(&mut self, name: &'static str) {
        self.comma();
        self.0.push('"');
        self.0.push_str(name);
        self.0.push_str("\":");
    }

    fn text(&mut self, name: &'static str, value: &str) {
        self.key(name);
        self.string(value);
    }

    fn maybe(&mut self, name: &'static str, value: Option<&str>) {
        if let Some(value) = value {
            self.text(name, value);
        }
    }

    fn hint(&mut self, hint: Option<DelayMs>) {
        if let Some(hint) = hint {
            self.number("retryAfterMs", hint.get());
        }
    }

    fn flag(&mut self, name: &'static str, value: bool) {
        self.key(name);
        self.0.push_str(if value { "true" } else { "false" });
    }

    fn epoch(&mut self, name: &'static str, ms: i64) {
        self.key(name);
        if ms < 0 {
            self.0.push('-');
        }
        self.digits(ms.unsigned_abs());
    }

    fn number(&mut self, name: &'static str, value: u64) {
        self.key(name);
        self.digits(value);
    }

    fn digits(&mut self, value: u64) {
        push_decimal(&mut self.0, value);
    }

    fn string(&mut self, value: &str) {
        self.0.push('"');
        let mut rest = value;
        while let Some(at) = rest.bytes().position(|byte| byte < 0x20 || byte == b'"' || byte == b'\\') {
            self.0.push_str(part(rest, 0, at));
            let byte = rest.as_bytes().get(at).copied().map_or(0, usize::from);
            self.0.push_str("\\u00");
            for nibble in [byte >> 4, byte & 15] {
                self.0.push_str(part("0123456789abcdef", nibble, nibble + 1));
            }
            rest = from(rest, at + 1);
        }
        self.0.push_str(rest);
        self.0.push('"');
    }
}
