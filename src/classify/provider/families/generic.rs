//! What is said alike by proxies, gateways and servers of no known family.

use super::Family;

/// How it is recognised, and its codes.
pub const GENERIC: Family = Family {
    name: "generic",
    aliases: "generic",
    headers: "",
    shapes: "",
    codes: "\
context_exceeded context_window_exceeded context_length_error context_limit_exceeded prompt_too_long input_too_long prompt_tokens_exceeded max_context_length_exceeded token_limit_exceeded model_context_window_exceeded
quota_exhausted quota_exhausted account_overdue_error insufficient_user_quota insufficient_funds insufficient_balance_error account_balance_insufficient out_of_credits credits_exhausted credit_exhausted monthly_limit_exceeded
spend_limit_reached spend_limit_reached spending_limit_reached spend_limit_exceeded spending_limit_exceeded
content_filtered content_filtered content_blocked content_moderation content_policy content_filter_error safety_error moderation_error prompt_blocked
model_not_found no_such_model invalid_model_error invalid_model_id model_does_not_exist
overloaded server_overloaded server_busy at_capacity
?rate_limited rate_limit
~bad_request bad_request",
    own: "",
};
