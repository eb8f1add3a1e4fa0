//! The reasons by which an answer that was begun ends as a failure. They are looked up only where a reason to
//! finish stands.

use super::Family;

/// How it is recognised, and its codes.
pub const FINISH: Family = Family {
    name: "finish",
    aliases: "finish",
    headers: "",
    shapes: "",
    codes: "",
    own: "\
content_filtered safety recitation blocklist prohibited_content spii image_safety image_prohibited_content image_recitation language content_filter content_filtered guardrail_intervened error_toxic sensitive
refused refusal
malformed_response malformed_model_output malformed_function_call malformed_tool_use unexpected_tool_call
server_error error other_error
transport interrupted network_error
overloaded insufficient_system_resource
context_exceeded model_context_window_exceeded error_limit",
};
