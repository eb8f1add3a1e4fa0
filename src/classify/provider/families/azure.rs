//! Azure OpenAI and Azure AI Foundry: numbers as codes, the cause in `innererror`.

use super::Family;

/// How it is recognised, and its codes.
pub const AZURE: Family = Family {
    name: "azure",
    aliases: "azure",
    headers: "apim azureml x-ms",
    shapes: "error.innererror.code",
    codes: "\
content_filtered responsible_ai_policy_violation content_filter
model_not_found deployment_not_found deployment_model_not_supported unknown_model
?permission access_denied
permission public_network_access_disabled
?auth unauthorized
auth invalid_subscription_key
overloaded no_capacity engine_overloaded
timeout request_timeout operation_timeout
?rate_limited rate_limit_reached too_many_requests
?bad_request api_version_unsupported",
    own: "",
};
