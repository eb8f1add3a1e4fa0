//! xAI: the text of a gRPC status as the code, and the cause in `error`.

use super::Family;

/// How it is recognised, and its codes.
pub const XAI: Family = Family {
    name: "xai",
    aliases: "xai grok",
    headers: "",
    shapes: "",
    codes: "\
?rate_limited some_resource_has_been_exhausted
?auth unauthenticated_bad_credentials
?overloaded the_service_is_currently_unavailable
?server_error internal_error",
    own: "",
};
