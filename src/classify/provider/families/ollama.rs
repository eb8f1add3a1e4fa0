//! Ollama: a text in `error`, told by its wording.

use super::Family;

/// How it is recognised, and its codes.
pub const OLLAMA: Family = Family { name: "ollama", aliases: "ollama", headers: "", shapes: "", codes: "", own: "" };
