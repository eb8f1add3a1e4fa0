//! Together: OpenAI's shape. Its `credit_limit` is a limit per minute, unless the message speaks of credit.

use super::Family;

/// How it is recognised, and its codes.
pub const TOGETHER: Family = Family {
    name: "together",
    aliases: "together",
    headers: "",
    shapes: "",
    codes: "\
?rate_limited credit_limit
model_not_found model_not_available",
    own: "",
};
