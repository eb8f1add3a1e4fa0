//! Gemini and Vertex AI: a status name of gRPC in `error.status`, the cause in `error.details`.

use super::Family;

/// How it is recognised, and its codes.
pub const GOOGLE: Family = Family {
    name: "google",
    aliases: "google gemini vertex palm",
    headers: "x-goog",
    shapes: "error.details.[].@type ^error.status",
    codes: "\
quota_exhausted billing_disabled daily_limit_exceeded quota_exceeded
overloaded model_capacity_exhausted
?rate_limited rate_limit_exceeded resource_exhausted
?auth unauthenticated
?permission permission_denied
?not_found not_found
?bad_request failed_precondition already_exists
?timeout deadline_exceeded
?overloaded unavailable
?cancelled cancelled
?conflict aborted
?server_error internal",
    own: "",
};
