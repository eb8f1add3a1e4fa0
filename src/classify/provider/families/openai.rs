//! OpenAI's chat, responses and images APIs.

use super::Family;

/// How it is recognised, and its codes.
pub const OPENAI: Family = Family {
    name: "openai",
    aliases: "openai",
    headers: "openai",
    shapes: "",
    codes: "\
context_exceeded context_length_exceeded string_above_max_length max_tokens_exceeded
quota_exhausted insufficient_quota billing_not_active account_deactivated usage_limit_reached usage_not_included
spend_limit_reached billing_hard_limit_reached organization_spend_limit_exceeded project_spend_limit_exceeded organization_usage_limit_exceeded project_usage_limit_exceeded
content_filtered invalid_prompt cyber_policy sensitive_content bio_policy
request_too_large image_too_large image_file_too_large
?bad_request data_residency_mismatch
timeout vector_store_timeout
?server_error server_error",
    own: "",
};
