//! Gemini and Vertex AI: a status name of gRPC in `error.status`, the cause in `error.details`.

use super::Family;

/// How it is recognised, and its codes.
pub const GOOGLE: Family = Family {
    name: "google",
    aliases: "google gemini vertex palm",
    headers: "x-goog",
    shapes: "error.details.[].@type ^error.status",
    codes: "\
auth api_key_invalid api_key_expired access_token_expired access_token_type_unsupported credentials_missing account_state_invalid
permission service_disabled api_key_service_blocked api_key_http_referrer_blocked api_key_ip_address_blocked api_key_android_app_blocked api_key_ios_app_blocked consumer_suspended consumer_invalid iam_permission_denied access_not_configured user_project_denied location_policy_violated security_policy_violated
quota_exhausted insufficient_g1_credits_balance billing_disabled daily_limit_exceeded quota_exceeded
overloaded model_capacity_exhausted
?rate_limited rate_limit_exceeded resource_exhausted user_rate_limit_exceeded
?auth unauthenticated
?permission permission_denied
?not_found not_found
?bad_request invalid_argument out_of_range failed_precondition already_exists
?timeout deadline_exceeded
?overloaded unavailable backend_error
?cancelled cancelled
?conflict aborted
?server_error internal data_loss",
    own: "",
};
