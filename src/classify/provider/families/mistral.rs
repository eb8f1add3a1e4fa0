//! Mistral: flat bodies with `object: "error"` and numbers of its own.

use super::Family;

/// How it is recognised, and its codes.
pub const MISTRAL: Family = Family {
    name: "mistral",
    aliases: "mistral",
    headers: "mistral",
    shapes: "#code raw_status_code",
    codes: "\
model_not_found invalid_model
?rate_limited rate_limited",
    own: "\
model_not_found 1500
overloaded 3505",
};
