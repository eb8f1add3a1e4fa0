//! Zhipu (Z.ai, GLM): four digits as a text in `error.code`.

use super::Family;

/// How it is recognised, and its codes.
pub const ZHIPU: Family = Family {
    name: "zhipu",
    aliases: "zhipu z-ai zai glm bigmodel",
    headers: "",
    shapes: "#error.code",
    codes: "",
    own: "\
permission 1110 1112 1220 1311
quota_exhausted 1113 1304 1308 1309 1310
model_not_found 1211
context_exceeded 1261
content_filtered 1301
overloaded 1305 1312",
};
