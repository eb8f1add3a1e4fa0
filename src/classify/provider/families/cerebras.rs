//! Cerebras: its quotas are of a minute.

use super::Family;

/// How it is recognised, and its codes.
pub const CEREBRAS: Family = Family {
    name: "cerebras",
    aliases: "cerebras",
    headers: "",
    shapes: "",
    codes: "\
overloaded queue_exceeded",
    own: "",
};
