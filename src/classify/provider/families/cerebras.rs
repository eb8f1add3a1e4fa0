//! Cerebras: its quotas are of a minute.

use super::Family;

/// How it is recognised, and its codes.
pub const CEREBRAS: Family = Family {
    name: "cerebras",
    aliases: "cerebras",
    headers: "",
    shapes: "",
    codes: "\
rate_limited token_quota_exceeded request_quota_exceeded too_many_tokens_error
overloaded queue_exceeded
auth wrong_api_key
?rate_limited too_many_requests_error",
    own: "",
};
