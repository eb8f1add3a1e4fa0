//! DeepSeek: `invalid_request_error` as the code of everything, the cause in `type`.

use super::Family;

/// How it is recognised, and its codes.
pub const DEEPSEEK: Family = Family {
    name: "deepseek",
    aliases: "deepseek",
    headers: "x-ds",
    shapes: "",
    codes: "\
?overloaded service_unavailable_error
?auth invalid_authentication_error",
    own: "",
};
