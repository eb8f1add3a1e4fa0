//! Whether an answer says that it is a failure.

use super::index;
use super::read::FINISH;
use crate::classify::json::{self, Scalar, Shape};
use crate::kind::ErrorKind;

/// What the body of a 2xx JSON answer turned out to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inspection {
    /// An answer.
    Fine,
    /// A failure, told in band.
    Failed,
    /// The beginning of an answer.
    CutShort,
    /// Not JSON.
    NotJson,
}

/// Inspects the body of a 2xx JSON answer.
///
/// A JSON-RPC answer is fine whatever it says: its errors are the application's. So is a list
/// of errors beside an answer, as a batch job or GraphQL has it.
pub fn inspect(body: &str) -> Inspection {
    let mut signs = Signs::default();
    let shape = json::walk(body, &mut |keys, scalar| signs.visit(keys, &scalar));
    match shape {
        Shape::NotJson => Inspection::NotJson,
        _ if signs.failed() => Inspection::Failed,
        Shape::CutShort => Inspection::CutShort,
        Shape::Whole => Inspection::Fine,
    }
}

/// The signs of failure in one value of JSON.
#[derive(Clone, Copy, Debug, Default)]
pub struct Signs {
    /// The errors of JSON-RPC are the application's.
    rpc: bool,
    failed: bool,
    /// It gives itself the type of an error.
    is_error: bool,
    /// It says what happened.
    told: bool,
    /// It has a list of errors.
    listed: bool,
    /// It says that it did not succeed.
    unsuccessful: bool,
}

impl Signs {
    /// Takes a scalar with the keys above it.
    pub fn visit(&mut self, keys: &[&str], scalar: &Scalar<'_>) {
        match keys {
            ["jsonrpc"] | ["[]", "jsonrpc"] => self.rpc = true,
            ["error" | "Error", ..] | ["response" | "Response" | "x_groq" | "delta", "error" | "Error", ..] => {
                self.failed |= says_something(keys, scalar);
            }
            // One of the answers in an array of Gemini's: the status has a name or is a number.
            ["[]", "error", "code"] => self.failed |= is_failing_status(scalar),
            ["[]", "error", "status" | "type"] => self.failed |= says_something(keys, scalar),
            ["errors", ..] => self.listed |= says_something(keys, scalar),
            ["success"] => self.unsuccessful |= *scalar == Scalar::Flag(false),
            ["cloudflare_error"] => self.failed |= *scalar == Scalar::Flag(true),
            ["type" | "object"] => self.is_error |= is_text(scalar, "error"),
            // Baidu's.
            ["error_code"] => self.is_error |= matches!(scalar, Scalar::Number(code) if *code != "0"),
            ["message" | "code" | "error_msg"] => self.told |= says_something(keys, scalar),
            ["base_resp", "status_code"] => self.failed |= matches!(scalar, Scalar::Number(code) if *code != "0"),
            ["__type"] | ["Output", "__type"] => {
                self.failed |= matches!(scalar, Scalar::Text(name) if name.ends_with("Exception"));
            }
            [name, "message"] => self.failed |= name.ends_with("Exception"),
            _ => self.failed |= is_broken_off(keys, scalar),
        }
    }

    /// Whether the value is a failure.
    pub fn failed(self) -> bool {
        let failed = self.failed || (self.is_error && self.told) || (self.unsuccessful && self.listed);
        failed && !self.rpc
    }
}

/// Whether an answer that ended so is a failure whatever output it has: what made it broke down, or it is of no use.
/// A filter, a refusal or a limit is the end of an answer, which its reader is told of.
pub fn breaks_off(kind: ErrorKind) -> bool {
    use ErrorKind::{MalformedResponse, Overloaded, ServerError, Transport};
    matches!(kind, ServerError | Overloaded | Transport | MalformedResponse)
}

fn is_broken_off(keys: &[&str], scalar: &Scalar<'_>) -> bool {
    let keys = if let ["[]", inner @ ..] = keys { inner } else { keys };
    let Scalar::Text(reason) = scalar else { return false };
    keys.last().is_some_and(|key| key.ends_with("eason"))
        && index::value(index::PLACE, keys) == Some(FINISH)
        // That is the AI SDK's, which judges by itself.
        && keys != ["finishReason"]
        && index::meaning_at("finish", reason).is_some_and(|meaning| breaks_off(meaning.kind))
}

fn is_text(scalar: &Scalar<'_>, text: &str) -> bool {
    matches!(scalar, Scalar::Text(found) if found == text)
}

fn is_failing_status(scalar: &Scalar<'_>) -> bool {
    matches!(scalar, Scalar::Number(code) if code.len() == 3 && matches!(code.as_bytes().first(), Some(b'4' | b'5')))
}

/// Whether a scalar at or below `error` states a failure: `null`, flags, zero and empty texts
/// do not.
fn says_something(keys: &[&str], scalar: &Scalar<'_>) -> bool {
    match scalar {
        Scalar::Text(text) => !text.is_empty(),
        Scalar::Number(number) => keys.len() > 1 && *number != "0",
        Scalar::Flag(_) | Scalar::Null => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_2xx_body_fails_only_when_it_says_so() {
        for body in [
            r#"{"error":{"code":502,"message":"m"}}"#,
            r#"{"error":{"code":"429"}}"#,
            r#"{"error":"loading"}"#,
            r#"{"error":{"code":500},"x"#,
            r#"{"\u0065rror":{"m\u0065ssage":"m"}}"#,
            r#"{"choices":[{"finish\u005freason":"error"}]}"#,
            r#"{"id":"r","object":"response","status":"failed","error":{"code":"server_error","message":"m"},"output":[]}"#,
            r#"{"type":"response.failed","response":{"status":"failed","error":{"code":"server_error"}}}"#,
            r#"{"type":"error","code":null,"message":"m","param":null}"#,
            r#"{"object":"error","message":"m","code":"1300"}"#,
            r#"{"errors":[{"message":"m","code":3040}],"success":false,"result":{}}"#,
            r#"{"success":false,"error":[{"code":2040,"message":"m"}]}"#,
            r#"{"base_resp":{"status_code":1002,"status_msg":"rate limit"}}"#,
            r#"[{"candidates":[]},{"error":{"code":503,"status":"UNAVAILABLE"}}]"#,
            r#"{"choices":[{"finish_reason":"error","delta":{}}]}"#,
            r#"{"throttlingException":{"message":"m"}}"#,
            r#"{"error_code":18,"error_msg":"m"}"#,
            r#"{"Response":{"Error":{"Code":"c","Message":"m"}}}"#,
            r#"{"__type":"com.amazon.coral.service#ThrottlingException"}"#,
        ] {
            assert_eq!(inspect(body), Inspection::Failed, "{body}");
        }
    }

    #[test]
    fn the_reason_for_an_end_fails_an_answer_by_its_kind_however_it_is_spelled() {
        let bodies = |reason: &str| {
            [
                format!(r#"{{"choices":[{{"message":{{"content":"H"}},"finish_reason":"{reason}"}}]}}"#),
                format!(r#"{{"candidates":[{{"content":{{"parts":[{{"text":"H"}}]}},"finishReason":"{reason}"}}]}}"#),
                format!(r#"[{{"candidates":[{{"finishReason":"{reason}"}}]}}]"#),
                format!(r#"{{"output":{{"message":{{"content":[{{"text":"H"}}]}}}},"stopReason":"{reason}"}}"#),
                format!(r#"{{"message":{{"content":[]}},"finish_reason":"{reason}"}}"#),
            ]
        };
        for reason in [
            "error",
            "ERROR",
            "OTHER_ERROR",
            "insufficient_system_resource",
            "MALFORMED_FUNCTION_CALL",
            "malformed_model_output",
            "network_error",
        ] {
            for body in bodies(reason) {
                assert_eq!(inspect(&body), Inspection::Failed, "{body}");
            }
        }
        for reason in ["stop", "MAX_TOKENS", "content_filter", "SAFETY", "sensitive", "refusal", "ERROR_LIMIT", ""] {
            for body in bodies(reason) {
                assert_eq!(inspect(&body), Inspection::Fine, "{body}");
            }
        }
    }

    #[test]
    fn an_answer_that_only_looks_like_a_failure_passes() {
        for body in [
            r#"{"error":null,"choices":[{}]}"#,
            r#"{"error":{}}"#,
            r#"{"error":""}"#,
            r#"{"error":false}"#,
            r#"{"error":0}"#,
            r#"{"error":{"code":0,"message":""}}"#,
            r#"{"error":{"code":null,"param":null,"message":null},"object":"fine_tuning.job"}"#,
            r#"{"choices":[]}"#,
            r#"{"choices":[{"message":{"error":{"code":1}},"finish_reason":"stop"}]}"#,
            r#"{"choices":[{"error":null,"message":{"content":"{\"finish_reason\":\"error\"}"},"finish_reason":"stop"}]}"#,
            r#"{"candidates":[{"content":{"parts":[{"functionCall":{"args":{"error":{"code":1},"finishReason":"ERROR"}}}]}}]}"#,
            r#"{"choices":[{"message":{"content":"{\"error\":{\"code\":500}}"},"finish_reason":"content_filter"}]}"#,
            r#"{"jsonrpc":"2.0","error":{"code":-32601,"message":"m"}}"#,
            r#"[{"jsonrpc":"2.0","error":{"code":500,"message":"m"}}]"#,
            r#"{"object":"response","status":"completed","error":null,"incomplete_details":null}"#,
            r#"{"object":"batch","status":"failed","errors":{"object":"list","data":[{"code":"c","message":"m"}]}}"#,
            r#"{"data":{"a":1},"errors":[{"message":"m"}]}"#,
            r#"{"success":false}"#,
            r#"{"success":true,"errors":[],"result":{"response":"ok"}}"#,
            r#"{"type":"error","id":7}"#,
            r#"{"type":"message","content":[{"type":"text","text":"error"}],"stop_reason":"refusal"}"#,
            r#"[{"id":1,"error":"x"}]"#,
            r#"{"base_resp":{"status_code":0,"status_msg":"success"}}"#,
            r#"{"model":"m","message":{"content":"error"},"done":true}"#,
            r#"{"error_code":0,"error_msg":"m"}"#,
            r#"{"error_code":null,"message":"m"}"#,
            r#"{"error":false,"message":"m"}"#,
            r#"{"error":true}"#,
        ] {
            assert_eq!(inspect(body), Inspection::Fine, "{body}");
        }
    }

    #[test]
    fn what_is_cut_short_or_no_json_is_told_apart() {
        assert_eq!(inspect(r#"{"choices":[{"mess"#), Inspection::CutShort);
        assert_eq!(inspect(r#"{"error":{"message":"Overloa"#), Inspection::CutShort);
        assert_eq!(inspect(r#"{"throttlingException":{"message":"Rate"#), Inspection::CutShort);
        assert_eq!(inspect(""), Inspection::NotJson);
        assert_eq!(inspect("<html>"), Inspection::NotJson);
    }
}
