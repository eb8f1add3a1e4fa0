//! OpenRouter: the status as a number in `error.code`, the cause in `error.metadata`.

use super::Family;

/// How it is recognised, and its codes.
pub const OPENROUTER: Family = Family {
    name: "openrouter",
    aliases: "openrouter",
    headers: "",
    shapes: "error.metadata.limit_source error.metadata.provider_name",
    codes: "\
rate_limited in_flight_budget_exhausted openrouter_in_flight_budget
spend_limit_reached openrouter_key_limit openrouter_guardrail_budget
content_filtered content_policy_violation guardrail_blocked
not_found no_endpoints_found
?timeout timeout",
    own: "",
};
