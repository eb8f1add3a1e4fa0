//! Alibaba's DashScope (Qwen).

use super::Family;

/// How it is recognised, and its codes.
pub const DASHSCOPE: Family = Family {
    name: "dashscope",
    aliases: "dashscope alibaba qwen",
    headers: "",
    codes: "\
rate_limited throttling_rate_quota throttling_burst_rate throttling_allocation_quota limit_requests
quota_exhausted arrearage free_tier_only allocation_quota_free_tier_only
auth invalid_api_key
content_filtered data_inspection_failed
model_not_found model_not_found model_not_exist
permission access_denied_unpurchased model_access_denied workspace_access_denied
?server_error internal_error_timeout internal_error_algo
?overloaded model_serving_error model_unavailable
~bad_request invalid_parameter",
    own: "",
};
