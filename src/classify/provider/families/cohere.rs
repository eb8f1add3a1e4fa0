//! Cohere: a `message` and nothing else, so that most is told by the wording and the status.

use super::Family;

/// How it is recognised, and its codes.
pub const COHERE: Family = Family {
    name: "cohere",
    aliases: "cohere",
    headers: "x-trial",
    shapes: "",
    codes: "",
    own: "\
auth 498",
};
