//! What is said alike by proxies, gateways and servers of no known family.

use super::Family;

/// How it is recognised, and its codes.
pub const GENERIC: Family = Family {
    name: "generic",
    aliases: "generic",
    headers: "",
    shapes: "",
    codes: "\
context_exceeded context_length_error token_limit_exceeded
quota_exhausted quota_exhausted account_overdue_error monthly_limit_exceeded token_quota_reached set_limit_exceeded
content_filtered content_filtered content_blocked content_moderation content_policy content_filter_error prompt_blocked
model_not_found no_such_model
overloaded server_overloaded
?rate_limited rate_limit throttled
?auth auth_failure invalid_auth invalid_token token_expired
~bad_request bad_request",
    own: "",
};
