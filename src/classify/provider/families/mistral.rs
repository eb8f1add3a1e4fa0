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
permission tier_not_allowed
overloaded service_tier_capacity_exceeded
?rate_limited rate_limited",
    own: "\
model_not_found 1500
?rate_limited 1300
permission 1910
overloaded 3505
context_exceeded 3051
auth 1802 2000
?server_error 3000 3700",
};
