//! Moonshot (Kimi).

use super::Family;

/// How it is recognised, and its codes.
pub const MOONSHOT: Family = Family {
    name: "moonshot",
    aliases: "moonshot kimi",
    headers: "",
    shapes: "",
    codes: "\
quota_exhausted exceeded_current_quota_error
overloaded engine_overloaded_error",
    own: "",
};
