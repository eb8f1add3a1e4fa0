//! Moonshot (Kimi).

use super::Family;

/// How it is recognised, and its codes.
pub const MOONSHOT: Family =
    Family { name: "moonshot", aliases: "moonshot kimi", headers: "", shapes: "", codes: "", own: "" };
