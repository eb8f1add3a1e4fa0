//! Fireworks: OpenAI's shape with `object: "error"`, and status names as codes.

use super::Family;

/// How it is recognised, and its codes.
pub const FIREWORKS: Family =
    Family { name: "fireworks", aliases: "fireworks", headers: "fireworks", shapes: "", codes: "", own: "" };
