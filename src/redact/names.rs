//! Which names carry secrets: of header fields, of query parameters, and of what looks like
//! either in a free text.

use super::escapes;

/// A header name with one of these between its hyphens or underscores is sensitive.
#[rustfmt::skip]
const SEGMENTS: &[&str] = &[
    "token", "secret", "password", "credential", "signature", "session", "apikey",
];

/// Sensitive header fields that [`SEGMENTS`] and the rule for `api-key` do not reach.
#[rustfmt::skip]
const HEADERS: &[&str] = &[
    "cookie", "set-cookie", "x-auth-key", "x-auth-user-service-key", "x-functions-key",
    "ocp-apim-subscription-key",
];

/// Sensitive query parameters, without hyphens and underscores.
#[rustfmt::skip]
const QUERY: &[&str] = &[
    "apikey", "token", "accesstoken", "idtoken", "refreshtoken", "authtoken", "sessiontoken",
    "signature", "password", "passwd", "secret", "clientsecret", "secretaccesskey",
    "awsaccesskeyid", "authorization", "xapikey", "xgoogapikey", "subscriptionkey",
    "xamzsignature", "xamzcredential", "xamzsecuritytoken", "xgoogsignature",
    "xgoogcredential", "privatetoken", "apitoken", "apisecret", "secretkey", "accesskey",
    "appsecret", "hapikey", "clientassertion", "consumersecret", "oauthtoken",
    "oauthtokensecret", "oauthsignature",
];

/// Query parameters that are sensitive in a URL, and ordinary words anywhere else.
const QUERY_IN_URL: &[&str] = &["key", "auth", "sig", "code", "jwt", "pwd"];

/// Whether the header field carries a secret: its name in any case is one of a fixed list
/// or of `extra`, or a whole segment of it (between `-` or `_`) is `token`, `secret`,
/// `password`, `credential`, `signature`, `session` or `apikey`, or the segments `api` and
/// `key` follow one another, or the last one is `authorization`. Rate-limit fields (segment
/// `ratelimit`) are exempt from the segment rule.
pub fn is_sensitive_header(name: &str, extra: &[String]) -> bool {
    !super::OFF && is_header(name.trim_ascii().as_bytes(), extra)
}

/// Whether the query parameter carries a secret. Letter case, hyphens and underscores make
/// no difference, and the name may be percent-encoded (`%6Bey`). Names in `extra` are
/// compared without regard to case.
pub fn is_sensitive_query(name: &str, extra: &[String]) -> bool {
    !super::OFF && is_query(&escapes::decode(name), extra)
}

fn is_header(name: &[u8], extra: &[String]) -> bool {
    let is_listed = is_in(HEADERS, name) || is_in(&["authorization"], last_segment(name));
    is_listed || is_extra(name, extra) || has_segment(name)
}

pub(super) fn is_query(name: &[u8], extra: &[String]) -> bool {
    is_squeezed_in(QUERY, name) || is_squeezed_in(QUERY_IN_URL, name) || is_extra(name, extra)
}

/// How the value of a sensitive field in a free text is told from the words around it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Field {
    /// The name is plain English (`token: …`), so only what does not read like prose counts.
    Word,
    /// The value is one run of characters.
    Run,
    /// The value may hold blanks: it takes the rest of the line.
    Line,
}

/// Judges a name in a free text that is not a parameter of a URL.
pub(super) fn field(name: &[u8], headers: &[String], query: &[String]) -> Option<Field> {
    if is_in(&["authorization", "cookie"], last_segment(name)) || is_extra(name, headers) {
        Some(Field::Line)
    } else if is_in(SEGMENTS, name) {
        Some(Field::Word)
    } else if is_header(name, &[]) || is_squeezed_in(QUERY, name) || is_extra(name, query) {
        Some(Field::Run)
    } else {
        None
    }
}

fn is_in(list: &[&str], name: &[u8]) -> bool {
    list.iter().any(|entry| entry.as_bytes().eq_ignore_ascii_case(name))
}

fn is_extra(name: &[u8], extra: &[String]) -> bool {
    extra.iter().any(|entry| entry.trim_ascii().as_bytes().eq_ignore_ascii_case(name))
}

fn is_squeezed_in(list: &[&str], name: &[u8]) -> bool {
    let letters = || name.iter().filter(|byte| !matches!(byte, b'-' | b'_'));
    list.iter().any(|entry| letters().map(u8::to_ascii_lowercase).eq(entry.bytes()))
}

fn last_segment(name: &[u8]) -> &[u8] {
    name.rsplit(|byte| matches!(byte, b'-' | b'_')).next().unwrap_or_default()
}

fn has_segment(name: &[u8]) -> bool {
    let (mut sensitive, mut after_api) = (false, false);
    for segment in name.split(|byte| matches!(byte, b'-' | b'_')) {
        if is_in(&["ratelimit"], segment) {
            return false;
        }
        sensitive |= is_in(SEGMENTS, segment) || after_api && is_in(&["key"], segment);
        after_api = is_in(&["api", "rapidapi"], segment);
    }
    sensitive
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_header_is_sensitive_by_its_name_or_a_whole_segment_in_any_case() {
        for name in [
            "Cookie",
            "X-API-Key",
            "my_secret_header",
            "mcp-session-id",
            "X-RapidAPI-Key",
            "X-Serverless-Authorization",
        ] {
            for name in [name.into(), name.to_uppercase(), name.to_lowercase()] {
                assert!(is_sensitive_header(&name, &[]), "{name}");
            }
        }
        for name in ["", "accept", "x-tokens-used", "authorization-url", "secretary", "api", "key", "x-api-version-key"]
        {
            assert!(!is_sensitive_header(name, &[]), "{name}");
        }
    }

    #[test]
    fn rate_limit_headers_are_kept_unless_the_user_names_them() {
        assert!(!is_sensitive_header("x-ratelimit-token-remaining", &[]));
        assert!(is_sensitive_header("X-RateLimit-Token", &["x-ratelimit-token".into()]));
        assert!(is_sensitive_header(" Tenant ", &["TENANT".into()]));
    }

    #[test]
    fn a_query_name_is_known_in_any_case_and_spelling() {
        for name in ["key", "KEY", "%6Bey", "k%65%79", "X-Amz-Signature", "accessToken", "api%5Fkey"] {
            assert!(is_sensitive_query(name, &[]), "{name}");
        }
        for name in ["private_token", "consumer_secret", "oauth_signature", "access_key", "client_assertion", "jwt"] {
            assert!(is_sensitive_query(name, &[]), "{name}");
        }
        for name in ["", "alt", "keys", "keyword", "page_token", "codec", "%6", "api-version", "oauth_signature_method"]
        {
            assert!(!is_sensitive_query(name, &[]), "{name}");
        }
        assert!(is_sensitive_query("Tenant", &["tenant".into()]));
    }

    #[test]
    fn words_that_matter_only_in_a_url_are_no_fields_of_prose() {
        for name in ["key", "code", "auth", "sig", "message", "tokens"] {
            assert!(field(name.as_bytes(), &[], &[]).is_none(), "{name}");
        }
        assert!(field(b"Token", &[], &[]) == Some(Field::Word));
        assert!(field(b"X-Api-Key", &[], &[]) == Some(Field::Run));
        assert!(field(b"Proxy-Authorization", &[], &[]) == Some(Field::Line));
    }
}
