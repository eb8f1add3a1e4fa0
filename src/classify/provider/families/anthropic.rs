//! Anthropic's API, also behind Vertex AI and the resellers that copy its shape. `error.details.error_code`
//! names what `error.type` is too broad for.

use super::Family;

/// How it is recognised, and its codes.
pub const ANTHROPIC: Family = Family {
    name: "anthropic",
    aliases: "anthropic claude",
    headers: "anthropic",
    shapes: "@request_id",
    codes: "\
request_too_large request_too_large image_dimensions_too_large
server_error cmek_key_unreachable
?rate_limited rate_limit_error
?overloaded overloaded_error
?auth authentication_error
?permission permission_error
?not_found not_found_error
?quota_exhausted billing_error
?conflict conflict_error
?timeout timeout_error
?server_error api_error",
    own: "",
};
