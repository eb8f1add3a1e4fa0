//! Together: OpenAI's shape. Its `credit_limit` is a limit per minute.

use super::Family;

/// How it is recognised, and its codes.
pub const TOGETHER: Family = Family {
    name: "together",
    aliases: "together",
    headers: "",
    shapes: "",
    codes: "\
rate_limited credit_limit dynamic_request_limited dynamic_token_limited
model_not_found model_not_available
overloaded model_overloaded",
    own: "",
};
