//! vLLM, SGLang, llama.cpp and their kin: names of Python classes as types, the status as a number.

use super::Family;

/// How it is recognised, and its codes.
pub const VLLM: Family = Family {
    name: "vllm",
    aliases: "vllm sglang llama",
    headers: "",
    shapes: "",
    codes: "\
?overloaded unavailable_error
~bad_request bad_request_error",
    own: "",
};
