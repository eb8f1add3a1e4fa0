//! What is secret in a request.

use super::escapes::percent_decode;
use super::secrets::{Secrets, is_common};
use super::{Redaction, is_sensitive_header, pairs, url};
use crate::base64::{Alphabet, decode};
use crate::headers::Headers;
use crate::scan::{cut, split_once};

/// The shortest parameter of a header value (`Signature=…`) that is a secret of its own;
/// shorter ones are names of realms, algorithms and the like.
const MIN_PARAMETER: usize = 16;

/// Adds every secret of the request; gives the fields that are not sensitive.
pub(super) fn collect<'t>(
    secrets: &mut Secrets,
    url: &str,
    headers: Headers<'t>,
    extra: &Redaction,
) -> Vec<(&'t str, &'t str)> {
    let mut kept = Vec::new();
    extra.values.iter().for_each(|value| secrets.add(value));
    add_url(secrets, &url::without_breaks(url), true, extra);
    for (name, value) in headers.iter() {
        if !is_sensitive_header(name, &extra.headers) {
            // It may be a URL, as that of Referer, with a login or parameters.
            if value.bytes().any(|byte| matches!(byte, b'@' | b'=' | b'%')) {
                add_url(secrets, value, false, extra);
            }
            kept.push((name, value));
        } else if name.eq_ignore_ascii_case("cookie") || name.eq_ignore_ascii_case("set-cookie") {
            secrets.add(value);
            // Behind the first `;` of Set-Cookie are attributes (RFC 6265 section 4.1).
            let is_set = name.eq_ignore_ascii_case("set-cookie");
            let mut rest = value;
            while let Some(cookie) = cut(&mut rest, b';') {
                secrets.add(unquoted(split_once(cookie, b'=').map_or(cookie, |(_, value)| value)));
                if is_set {
                    break;
                }
            }
        } else {
            add_field(secrets, value);
        }
    }
    kept
}

fn add_url(secrets: &mut Secrets, url: &str, bare: bool, extra: &Redaction) {
    let mut add = |part: &str| {
        secrets.add(&percent_decode(part));
        // A query is a form, where a blank is written as `+`.
        let mut form = part.as_bytes().to_vec();
        form.iter_mut().filter(|byte| **byte == b'+').for_each(|byte| *byte = b' ');
        secrets.add(&percent_decode(&String::from_utf8(form).unwrap_or_default()));
    };
    if let Some(userinfo) = url::userinfo(url, bare).and_then(|range| url.get(range)) {
        let userinfo = userinfo.strip_suffix("@").unwrap_or(userinfo);
        let (user, password) = split_once(userinfo, b':').unwrap_or((userinfo, ""));
        [userinfo, user, password].into_iter().for_each(&mut add);
    }
    pairs::in_url(url, &extra.query, &mut |range| add(url.get(range).unwrap_or_default()));
}

fn add_field(secrets: &mut Secrets, value: &str) {
    // The values of a repeated field, or the parameters of one, stand between commas.
    let mut rest = value;
    let mut next = Some(value);
    while let Some(part) = next {
        next = cut(&mut rest, b',');
        let part = part.trim_ascii();
        let (scheme, rest) = split_once(part, b' ').unwrap_or(("", part));
        secrets.add(part);
        secrets.add(rest);
        if scheme.eq_ignore_ascii_case("basic") {
            let login = base64(rest.trim_ascii());
            let (user, password) = split_once(&login, b':').unwrap_or((&login, ""));
            secrets.add(&login);
            // A key alone is sent as the user.
            secrets.add(if is_common(password) { user } else { password });
        }
        if let Some((_, parameter)) = split_once(rest, b'=')
            && parameter.len() >= MIN_PARAMETER
        {
            secrets.add(unquoted(parameter));
        }
    }
}

fn unquoted(value: &str) -> &str {
    let value = value.trim_ascii();
    value.strip_prefix("\"").and_then(|value| value.strip_suffix("\"")).unwrap_or(value)
}

/// What is no UTF-8 is read as Latin-1 (RFC 7617 section 2.1 leaves it open).
fn base64(text: &str) -> String {
    let (bytes, _) = decode(text, Alphabet::Either);
    String::from_utf8(bytes).unwrap_or_else(|error| error.into_bytes().into_iter().map(char::from).collect())
}

#[cfg(test)]
mod tests {
    use crate::headers::Headers;
    use crate::redact::{Masker, Redaction};

    fn shown(url: &str, fields: &str, text: &str) -> String {
        let redaction = Redaction { headers: vec!["x-tenant".into()], ..Redaction::default() };
        Masker::for_request(url, Headers::new(fields), &redaction).mask(text).into_owned()
    }

    #[test]
    fn a_header_gives_its_value_with_and_without_scheme_and_each_of_a_list() {
        for (fields, secret) in [
            ("x-api-key\nqwerty", "qwerty"),
            ("AUTHORIZATION\nKey qwerty", "qwerty"),
            ("authorization\nFoo a,b,c", "a,b,c"),
            ("authorization\nKey ab", "Key ab"),
            ("authorization\nBearer first, Bearer qwerty", "qwerty"),
            ("authorization\nAWS4-HMAC-SHA256 Credential=me, Signature=qwertyqwertyqwerty", "qwertyqwertyqwerty"),
            ("X-Tenant\nqwerty", "qwerty"),
            ("cookie\na=1; sid=qwerty; b=2", "qwerty"),
            ("Set-Cookie\nsid=\"qwerty\"; Path=/", "qwerty"),
            ("cookie\nsid=q%2Fwerty", "q/werty"),
            ("cookie\nsid=q%2Fwerty", "q%252fwerty"),
            ("referer\nhttps://host/?token=qwerty", "qwerty"),
        ] {
            assert_eq!(shown("", fields, &format!("<{secret}>")), "<REDACTED>", "{fields}");
        }
    }

    #[test]
    fn a_basic_value_gives_the_password_or_a_key_sent_as_the_user() {
        let field = |value: &str| format!("authorization\nBasic {value}");
        assert_eq!(shown("", &field("YXBpa2V5OnF3ZXJ0eQ=="), "apikey qwerty"), "apikey REDACTED");
        assert_eq!(shown("", &field("cXdlcnR5Og"), "qwerty"), "REDACTED");
        assert_eq!(shown("", &field("dXNlcjpw5HNz"), "päss"), "REDACTED");
        assert_eq!(shown("", &field("dXNlcjpww6Rzcw=="), "päss"), "REDACTED");
    }

    #[test]
    fn a_url_gives_user_password_and_parameters_raw_and_decoded() {
        let url = "https://my%2Fself:p%40ss@host/?key=a%2Fb+c&alt=word#access_token=q;w";
        let text = "my/self my%2Fself p@ss p%40ss a/b c a/b+c a%2Fb+c q;w self word";
        let masked = "REDACTED REDACTED REDACTED REDACTED REDACTED REDACTED REDACTED q;w self word";
        assert_eq!(shown(url, "", text), masked);
    }

    #[test]
    fn what_is_no_secret_of_the_request_is_kept() {
        let fields = "accept\napplication/json\nset-cookie\nsid=qwerty; Domain=example.com; SameSite=Strict";
        let text = "application/json, example.com, Strict, host, /path";
        assert_eq!(shown("https://host/path?alt=json", fields, text), text);
    }
}
