//! LiteLLM, the proxy: names of Python classes in the message, the provider's own error inside it.

use super::Family;

/// How it is recognised, and its codes.
pub const LITELLM: Family = Family {
    name: "litellm",
    aliases: "litellm",
    headers: "",
    shapes: "",
    codes: "\
context_exceeded context_window_exceeded_error
content_filtered content_policy_violation_error
spend_limit_reached budget_exceeded_error",
    own: "",
};
