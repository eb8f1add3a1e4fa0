//! What client libraries find wrong by themselves, in an answer or before they ask: no status
//! and no code, only the class of the error says it.

use super::Link;
use crate::kind::ErrorKind;

/// Names of error classes: those that begin with `AI_` are the AI SDK's, the others the
/// OpenAI SDK's, LangChain's, Speakeasy's (Mistral, OpenRouter) and AWS's.
const NAMES: &[(ErrorKind, &[&str])] = &[
    (ErrorKind::SchemaMismatch, &["AI_NoObjectGeneratedError", "AI_NoOutputGeneratedError", "AI_TypeValidationError"]),
    (
        ErrorKind::MalformedResponse,
        &[
            "AI_JSONParseError",
            "AI_InvalidResponseDataError",
            "AI_NoContentGeneratedError",
            "AI_EmptyResponseBodyError",
            "ResponseValidationError",
        ],
    ),
    (ErrorKind::ResponseTruncated, &["LengthFinishReasonError"]),
    (ErrorKind::ContentFiltered, &["ContentFilterFinishReasonError"]),
    (ErrorKind::ContextExceeded, &["ContextOverflowError"]),
    (ErrorKind::Refused, &["ModelRefusalError"]),
    (ErrorKind::ModelNotFound, &["AI_NoSuchModelError"]),
    (ErrorKind::Auth, &["AI_LoadAPIKeyError", "CredentialsProviderError"]),
    (
        ErrorKind::BadRequest,
        &[
            "AI_LoadSettingError",
            "AI_InvalidArgumentError",
            "AI_InvalidPromptError",
            "AI_UnsupportedFunctionalityError",
            "SDKValidationError",
            "InvalidRequestError",
        ],
    ),
];

/// The kind that the outermost of these classes stands for.
pub fn kind(links: &[Link]) -> Option<ErrorKind> {
    links.iter().find_map(|link| match link.name.as_str() {
        // `Response.json` and `JSON.parse`; other syntax is the program's.
        "SyntaxError" => {
            link.message.as_bytes().windows(4).any(|word| word == b"JSON").then_some(ErrorKind::MalformedResponse)
        }
        // node-fetch's `json()`.
        "FetchError" => link.message.starts_with("invalid json").then_some(ErrorKind::MalformedResponse),
        name => NAMES.iter().find(|(_, names)| names.contains(&name)).map(|(kind, _)| *kind),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_outermost_class_that_is_known_decides() {
        let link = |name: &str| Link { name: name.to_owned(), ..Link::default() };
        let chain = [link("Error"), link("AI_NoObjectGeneratedError"), link("AI_JSONParseError"), link("SyntaxError")];
        assert_eq!(kind(&chain), Some(ErrorKind::SchemaMismatch));
        assert_eq!(kind(chain.get(2..).unwrap_or_default()), Some(ErrorKind::MalformedResponse));
        assert_eq!(kind(&[link("Error"), link("TypeError")]), None);
    }

    #[test]
    fn json_that_cannot_be_parsed_is_told_from_a_slip_in_the_program() {
        let thrown = |message: &str| {
            kind(&[Link { name: "SyntaxError".to_owned(), message: message.to_owned(), ..Link::default() }])
        };
        for message in [
            "Unexpected token '<', \"<html>\" is not valid JSON",
            "Unexpected end of JSON input",
            "JSON.parse: unexpected character at line 1 column 1 of the JSON data",
            "JSON Parse error: Unrecognized token '<'",
        ] {
            assert_eq!(thrown(message), Some(ErrorKind::MalformedResponse), "{message}");
        }
        assert_eq!(thrown("Invalid regular expression: missing /"), None);
        let fetched = |message: &str| {
            kind(&[Link { name: "FetchError".to_owned(), message: message.to_owned(), ..Link::default() }])
        };
        let broken = "invalid json response body at https://api.example/ reason: Unexpected end of JSON input";
        assert_eq!(fetched(broken), Some(ErrorKind::MalformedResponse));
        assert_eq!(fetched("request to https://api.example/ failed, reason: socket hang up"), None);
    }
}
