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
model_not_found deployment_not_found
?auth unauthorized
overloaded no_capacity
?rate_limited rate_limit_reached too_many_requests",
    own: "",
};
