//! GitHub Models: one code for the minute and for the day; the window has its own name.

use super::Family;

/// How it is recognised, and its codes.
pub const GITHUB: Family = Family {
    name: "github",
    aliases: "github",
    headers: "x-github",
    shapes: "",
    codes: "\
context_exceeded tokens_limit_reached
model_not_found unavailable_model",
    own: "",
};
