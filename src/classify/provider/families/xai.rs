//! xAI: the text of a gRPC status as the code, and the cause in `error`.

use super::Family;

/// How it is recognised, and its codes.
pub const XAI: Family = Family {
    name: "xai",
    aliases: "xai grok",
    headers: "",
    shapes: "",
    codes: "\
?bad_request client_specified_an_invalid_argument
?permission the_caller_does_not_have_permission_to_execute_the_specified_operation
?not_found some_requested_entity_was_not_found
?rate_limited some_resource_has_been_exhausted
?auth the_request_does_not_have_valid_authentication_credentials_for_the_operation unauthenticated_bad_credentials
?overloaded the_service_is_currently_unavailable
?server_error internal_error
?cancelled the_operation_was_cancelled
?timeout deadline_expired_before_operation_could_complete",
    own: "",
};
