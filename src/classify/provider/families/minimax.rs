//! MiniMax: numbers in `base_resp.status_code`, inside a 200.

use super::Family;

/// How it is recognised, and its codes.
pub const MINIMAX: Family = Family {
    name: "minimax",
    aliases: "minimax",
    headers: "",
    shapes: "base_resp.status_code",
    codes: "",
    own: "\
timeout 1001
rate_limited 1002 1039 1041
auth 1004 2049
quota_exhausted 1008 2056
content_filtered 1026 1027
bad_request 2013
permission 2038 2061",
};
