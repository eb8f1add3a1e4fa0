//! Alibaba's DashScope (Qwen).

use super::Family;

/// How it is recognised, and its codes.
pub const DASHSCOPE: Family = Family {
    name: "dashscope",
    aliases: "dashscope alibaba qwen",
    headers: "",
    shapes: "",
    codes: "\
rate_limited throttling.allocation_quota
quota_exhausted arrearage allocation_quota.free_tier_only
auth invalid_api_key
content_filtered data_inspection_failed
model_not_found model_not_found",
    own: "",
};
