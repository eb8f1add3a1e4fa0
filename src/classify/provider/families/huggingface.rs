//! Hugging Face: the router and Text Generation Inference, with the cause in `error_type`.

use super::Family;

/// How it is recognised, and its codes.
pub const HUGGINGFACE: Family = Family {
    name: "huggingface",
    aliases: "huggingface hugging tgi",
    headers: "x-inference",
    shapes: "",
    codes: "\
overloaded overloaded
server_error generation
model_not_found model_not_supported
~bad_request validation",
    own: "",
};
