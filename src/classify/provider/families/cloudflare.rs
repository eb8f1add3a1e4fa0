//! Cloudflare: Workers AI and AI Gateway with numbers in `errors`, and the edge with its 1xxx errors.

use super::Family;

/// How it is recognised, and its codes.
pub const CLOUDFLARE: Family = Family {
    name: "cloudflare",
    aliases: "cloudflare workers-ai",
    headers: "",
    shapes: "#errors.[].code #error.[].code #internalCode cloudflare_error",
    codes: "",
    own: "\
content_filtered 2016 2017
quota_exhausted 3036 2021
overloaded 3040
model_not_found 3042 5007
cancelled+ 3008
auth 2009 2040 9109 9106 6003",
};
