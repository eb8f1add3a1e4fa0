//! Perplexity: the status as a number in `error.code`, the cause in `error.type`.

use super::Family;

/// How it is recognised, and its codes.
pub const PERPLEXITY: Family =
    Family { name: "perplexity", aliases: "perplexity pplx", headers: "", shapes: "", codes: "", own: "" };
