//! Alibaba's DashScope (Qwen).

use super::Family;

/// How it is recognised, and its codes.
pub const DASHSCOPE: Family = Family {
    name: "dashscope",
    aliases: "dashscope alibaba qwen",
    headers: "",
    shapes: "",
    codes: "\
rate_limited throttling.rate_quota throttling.burst_rate throttling.allocation_quota limit_requests
quota_exhausted arrearage allocation_quota.free_tier_only
auth invalid_api_key
content_filtered data_inspection_failed
model_not_found model_not_found model_not_exist
permission access_denied.unpurchased model.access_denied workspace.access_denied
?server_error internal_error.timeout internal_error.algo
?overloaded model_serving_error model_unavailable
~bad_request invalid_parameter",
    own: "",
};
