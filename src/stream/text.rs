//! The JSON texts that the rest of the engine reads: a failure's body, and usage.

use crate::classify::json::{self, Shape};
use crate::decimal::push_decimal;
use crate::usage::Usage;

/// The body that a failing event stands for: its data, or an error with that for a message.
pub fn failure(data: &str) -> String {
    if data.starts_with(['{', '[']) && json::walk(data, &mut |_, _| {}) != Shape::NotJson {
        return data.to_owned();
    }
    let mut out = "{\"error\":{\"message\":".to_owned();
    quote(&mut out, data);
    out.push_str("}}");
    out
}

/// The body of an exception whose name stands outside of the data, in the shape of AWS.
pub fn exception(name: &str, data: &str) -> String {
    let mut out = "{\"__type\":".to_owned();
    quote(&mut out, name);
    match data.trim_start().strip_prefix('{').map(str::trim_start) {
        Some(members) if !members.starts_with('}') && json::walk(data, &mut |_, _| {}) == Shape::Whole => {
            out.push(',');
            out.push_str(members);
        }
        _ => {
            out.push_str(",\"message\":");
            quote(&mut out, data);
            out.push('}');
        }
    }
    out
}

/// The text by which [`Usage::read`] reads the same numbers.
pub fn usage(usage: &Usage) -> String {
    let mut out = "{\"usage\":{".to_owned();
    for (name, count) in [
        ("prompt", usage.prompt),
        ("completion", usage.completion),
        ("total", usage.total),
        ("reasoning", usage.reasoning),
        ("cacheRead", usage.cache_read),
        ("cacheWrite", usage.cache_write),
    ] {
        let Some(count) = count else { continue };
        if !out.ends_with('{') {
            out.push(',');
        }
        quote(&mut out, name);
        out.push(':');
        push_decimal(&mut out, count);
    }
    out.push_str("}}");
    out
}

fn quote(out: &mut String, text: &str) {
    out.push('"');
    for c in text.chars() {
        if matches!(c, '"' | '\\') {
            out.push('\\');
        }
        // No message depends on control characters.
        out.push(c.max(' '));
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_that_is_no_json_becomes_the_message_of_an_error() {
        assert_eq!(failure("{\"error\":\"x\"}"), "{\"error\":\"x\"}");
        assert_eq!(failure("{\"error\":{\"code\":"), "{\"error\":{\"code\":");
        assert_eq!(failure("a \"b\"\\\n\u{1}é"), "{\"error\":{\"message\":\"a \\\"b\\\"\\\\  é\"}}");
    }

    #[test]
    fn the_name_of_an_exception_goes_into_its_body() {
        assert_eq!(exception("a", "{ \"message\":\"m\"}"), "{\"__type\":\"a\",\"message\":\"m\"}");
        assert_eq!(exception("a", "{}"), "{\"__type\":\"a\",\"message\":\"{}\"}");
        assert_eq!(exception("a\"", "no \"json\""), "{\"__type\":\"a\\\"\",\"message\":\"no \\\"json\\\"\"}");
    }

    #[test]
    fn usage_is_read_back_as_it_was() {
        let read = Usage::read("{\"usage\":{\"input_tokens\":25,\"cache_read_input_tokens\":10,\"output_tokens\":1}}");
        let read = read.expect("usage is told");
        assert_eq!(Usage::read(&usage(&read)), Some(read));
        assert_eq!(usage(&Usage { total: Some(1200), ..Usage::default() }), "{\"usage\":{\"total\":1200}}");
    }
}
