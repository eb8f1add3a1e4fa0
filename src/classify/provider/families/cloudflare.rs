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
bad_request 3003 3039 5004 5005 5006 5019 5035
permission 3023 3041 5018 2018
content_filtered 2016 2017
quota_exhausted 3036 2021
overloaded 3040
model_not_found 3042 5007
request_too_large 3006
timeout 3007
cancelled+ 3008
auth 2009 2040 10000 9109 9106 6003 10001
?rate_limited 1015 10429 971
permission 1003 1005 1006 1007 1008 1009 1010 1011 1012 1013 1020 1106",
};
