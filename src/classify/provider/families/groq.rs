//! Groq: OpenAI's shape, with codes and statuses of its own.

use super::Family;

/// How it is recognised, and its codes.
pub const GROQ: Family = Family {
    name: "groq",
    aliases: "groq",
    headers: "x-groq",
    shapes: "x_groq.id",
    codes: "\
overloaded over_capacity
context_exceeded request_too_large_for_context
spend_limit_reached blocked_api_access",
    own: "\
overloaded 498",
};
