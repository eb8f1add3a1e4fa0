//! What is said alike by proxies, gateways and servers of no known family.

use super::Family;

/// How it is recognised, and its codes.
pub const GENERIC: Family = Family {
    name: "generic",
    aliases: "generic",
    headers: "",
    shapes: "",
    codes: "\
rate_limited rate_limited_error requests_limit_exceeded tokens_per_minute_limit_exceeded
context_exceeded context_window_exceeded context_length_error context_limit_exceeded prompt_too_long input_too_long prompt_tokens_exceeded max_context_length_exceeded token_limit_exceeded model_context_window_exceeded
quota_exhausted quota_exhausted account_overdue_error insufficient_user_quota insufficient_funds insufficient_balance_error account_balance_insufficient out_of_credits credits_exhausted credit_exhausted monthly_limit_exceeded
spend_limit_reached spend_limit_reached spending_limit_reached spend_limit_exceeded spending_limit_exceeded
content_filtered content_filtered content_blocked content_moderation content_policy content_filter_error safety_error moderation_error prompt_blocked
request_too_large payload_too_large request_entity_too_large content_too_large request_too_large_error
model_not_found no_such_model invalid_model_error invalid_model_id model_does_not_exist
overloaded server_overloaded server_overloaded_error server_busy too_busy at_capacity over_capacity_error capacity_error
auth invalid_token invalid_credentials auth_failed authentication_failed authentication_required unauthorized_error auth_unavailable
permission insufficient_scope
timeout gateway_timeout upstream_timeout request_timed_out timeout_exception
?rate_limited rate_limit
?overloaded temporarily_unavailable
?timeout gateway_timeout_error
?conflict conflict
?server_error bad_gateway upstream_error unknown_error_server
~bad_request bad_request invalid_parameter_error",
    own: "",
};
