//! Amazon Bedrock, and the errors that all of AWS shares. The name stands in `x-amzn-errortype`, in `__type`,
//! or in the header of an event-stream frame.

use super::Family;

/// How it is recognised, and its codes.
pub const BEDROCK: Family = Family {
    name: "bedrock",
    aliases: "bedrock amazon aws",
    headers: "x-amzn",
    shapes: "&__type &Output.__type",
    codes: "\
quota_exhausted service_quota_exceeded_exception
overloaded model_not_ready_exception service_unavailable_exception service_unavailable
timeout model_timeout_exception
server_error model_stream_error_exception
server_error- model_error_exception
auth expired_token_exception expired_token unrecognized_client_exception invalid_signature_exception missing_authentication_token_exception invalid_client_token_id signature_does_not_match
auth+ request_time_too_skewed
rate_limited throttling_exception throttling too_many_requests_exception request_limit_exceeded slow_down
conflict- conflict_exception
?permission access_denied_exception
?not_found resource_not_found_exception
?bad_request validation_exception
?server_error internal_server_exception internal_server_error
content_filtered guardrail_intervened",
    own: "",
};
