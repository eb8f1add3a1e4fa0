//! URLs: as they may be shown, and as they may be used.

use std::borrow::Cow;
use std::ops::Range;

use super::escapes::Units;
use super::secrets::Secrets;
use crate::scan::{concat, from, part};

use super::{Marks, OFF, REDACTED, Redaction, pairs};

/// Schemes whose authority begins behind the colon, however many slashes there are (WHATWG
/// URL, "special authority ignore slashes state").
const SPECIAL: [&str; 5] = ["http", "https", "ws", "wss", "ftp"];

/// Schemes without an authority; an `@` is nothing special there.
const OPAQUE: [&str; 3] = ["blob", "data", "mailto"];

/// The URL as it may be shown: without user and password; the values of secret parameters
/// and of `redaction.values` read `REDACTED`.
///
/// Parameters are found in the query, in the fragment, behind `;` and in URLs encoded inside
/// the URL. It works on the text, so a URL that no parser accepts is no exception.
pub fn sanitize_url(url: &str, redaction: &Redaction) -> String {
    if OFF {
        return url.into();
    }
    let url = without_breaks(url);
    let url = without(&url, userinfo(&url, true));
    let mut marks = Marks::new(&url);
    pairs::in_url(&url, &redaction.query, &mut |value| marks.mark(value));
    let mut secrets = Secrets::default();
    redaction.values.iter().for_each(|value| secrets.add(value));
    if secrets.may_occur(&url) {
        if secrets.overflowed() {
            return REDACTED.into();
        }
        secrets.mark(&url, false, false, &mut marks);
        secrets.mark(&url, true, false, &mut marks);
    }
    marks.replaced(&url).unwrap_or(url)
}

/// The URL as it may be used: without user and password, which `fetch` refuses, and otherwise
/// untouched. The flag says whether anything was removed.
pub fn sanitize_base_url(url: &str) -> (String, bool) {
    let userinfo = userinfo(url, false);
    let removed = userinfo.is_some();
    (without(url, userinfo), removed)
}

/// The URL as another server may have it: without user and password and without secret
/// parameters, and otherwise untouched.
pub(super) fn without_credentials(url: &str, query: &[String]) -> String {
    if OFF {
        return url.into();
    }
    let url = without_breaks(url);
    let url = without(&url, userinfo(&url, false));
    let mut kept = String::with_capacity(url.len());
    let mut kept_to = 0;
    pairs::in_url(&url, query, &mut |value| {
        let removed = parameter_of(&url, value);
        if removed.start < kept_to {
            // The last one, whose separator went with the one before.
            kept.pop();
        }
        kept.push_str(part(&url, kept_to, removed.start));
        kept_to = kept_to.max(removed.end);
    });
    kept.push_str(from(&url, kept_to));
    kept
}

/// The parameter with this value, and the separator that it leaves superfluous; the value
/// alone where the parameter is encoded inside another one.
fn parameter_of(url: &str, value: Range<usize>) -> Range<usize> {
    let before = part(url, 0, value.start).strip_suffix('=').unwrap_or_default();
    let Some(sep) = before.bytes().rposition(|byte| matches!(byte, b'?' | b'&' | b'#' | b';')) else { return value };
    match url.as_bytes().get(value.end) {
        Some(b'&' | b';') => sep + 1..value.end + 1,
        _ => sep..value.end,
    }
}

/// URL parsers drop tabs and line breaks wherever they stand (WHATWG URL, section 4.4).
pub(super) fn without_breaks(url: &str) -> Cow<'_, str> {
    if url.bytes().any(|byte| matches!(byte, b'\t' | b'\n' | b'\r')) {
        let mut bytes = url.as_bytes().to_vec();
        bytes.retain(|byte| !matches!(byte, b'\t' | b'\n' | b'\r'));
        return Cow::Owned(String::from_utf8(bytes).unwrap_or_default());
    }
    Cow::Borrowed(url)
}

fn without(url: &str, removed: Option<Range<usize>>) -> String {
    let removed = removed.unwrap_or_default();
    concat(&[part(url, 0, removed.start), from(url, removed.end)])
}

/// User, password and `@` of a URL. With `bare` they are also found where neither a scheme
/// nor slashes come before them, as in `user:pass@host`.
pub(super) fn userinfo(url: &str, bare: bool) -> Option<Range<usize>> {
    if !url.bytes().any(|byte| matches!(byte, b'@' | b'%' | b'\\')) {
        return None;
    }
    // Blanks before a URL, and tabs and line feeds anywhere in it, are dropped by its parser.
    let begin = url.bytes().position(|byte| byte > b' ')?;
    let of_scheme = |byte: &u8| byte.is_ascii_alphanumeric() || b"+-.\t\r\n".contains(byte);
    let len = url.bytes().skip(begin).take_while(of_scheme).count();
    let (scheme, slashes) = match url.get(begin..begin + len) {
        Some(scheme) if url.as_bytes().get(begin + len) == Some(&b':') => (scheme, begin + len + 1),
        _ => ("", begin),
    };
    let is_slash = |byte: u8| matches!(byte, b'/' | b'\\' | b'\t' | b'\r' | b'\n');
    let behind = Units::from(url, slashes).take_while(|unit| is_slash(unit.at(0))).last();
    let mut start = behind.map_or(slashes, |unit| unit.end);
    if start < slashes + 2 && !SPECIAL.iter().any(|known| known.eq_ignore_ascii_case(scheme)) {
        if !bare || OPAQUE.iter().any(|known| known.eq_ignore_ascii_case(scheme)) {
            return None;
        }
        start = begin;
    }
    let userinfo = authority(url, start, 0, false);
    let at = Units::from(url, userinfo.end).next().filter(|unit| unit.at(0) == b'@')?;
    Some(userinfo.start..at.end)
}

/// User and password, up to the `@`, of the authority that begins at `start`; an empty range
/// where reading ended if there is no `@`.
///
/// A password may hold `/`, `?` or `#` that should have been encoded. It gives itself away
/// by what would be the port: that is no number then, and the text up to the next `@` is a
/// password after all.
pub(super) fn authority(text: &str, start: usize, layers: u8, in_text: bool) -> Range<usize> {
    let (mut at, mut read_to) = (None, start);
    let (mut in_brackets, mut in_port, mut is_password) = (false, false, false);
    for unit in Units::from(text, start) {
        match unit.at(layers) {
            b'@' => {
                at = Some(unit.start);
                (in_brackets, in_port, is_password) = (false, false, false);
            }
            b'/' | b'?' | b'#' | b'\\' if at.is_some() || !is_password => break,
            byte if in_text && pairs::ends_bare(byte) => break,
            b'[' => in_brackets = true,
            b']' => in_brackets = false,
            b':' if !in_brackets && !in_port => in_port = true,
            byte => is_password |= in_port && !byte.is_ascii_digit(),
        }
        read_to = unit.end;
    }
    at.map_or(read_to..read_to, |at| start..at)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn shown(url: &str) -> String {
        sanitize_url(url, &Redaction::default())
    }

    #[test]
    fn an_at_sign_behind_the_authority_is_no_userinfo() {
        for url in [
            "https://host/p@th?a=b@c#d@e",
            "https://host:443/a@b",
            "https://[::1]:80/a@b",
            "https://host?a@b",
            "/v1/a@b",
            "https://host:/a@b",
            "mailto:a@b",
            "data:,a@b",
            "",
        ] {
            assert_eq!(shown(url), url);
            assert_eq!(sanitize_base_url(url), (url.into(), false));
        }
    }

    #[test]
    fn a_password_with_a_delimiter_in_it_is_still_a_password() {
        for password in ["pa/ss", "pa?ss", "pa#ss", "pa@ss", "p@s@s", "[pa", "1/2?x"] {
            let url = format!("https://user:{password}@host/p@th");
            // Host "user", port 1: nothing gives it away.
            let is_port = password == "1/2?x";
            assert_eq!(shown(&url), if is_port { &url } else { "https://host/p@th" });
        }
    }

    #[test]
    fn only_what_is_shown_loses_a_user_without_slashes_before_it() {
        assert_eq!(shown("user:pass@host/v1"), "host/v1");
        assert_eq!(sanitize_base_url("user:pass@host/v1"), ("user:pass@host/v1".into(), false));
        assert_eq!(sanitize_base_url("https:user:pass@host/v1"), ("https:host/v1".into(), true));
    }

    #[test]
    fn another_server_gets_no_user_no_password_and_no_secret_parameter() {
        for (url, portable) in [
            ("https://user:p/ss@host/p?key=a", "https://host/p"),
            ("https://host/p?key=a&alt=sse", "https://host/p?alt=sse"),
            ("https://host/p?alt=sse&key=a", "https://host/p?alt=sse"),
            ("https://host/p?alt=sse&KEY=a&n=1#top", "https://host/p?alt=sse&n=1#top"),
            ("https://host/p?key=a&token=b", "https://host/p"),
            ("https://host/p?n=1&key=a&token=b&sig=c#top", "https://host/p?n=1#top"),
            ("https://host/p?key=a&n=1&sig=b&m=2&code=c", "https://host/p?n=1&m=2"),
            ("https://host/p;token=a;b=c?k%65y=d#access_token=e", "https://host/p;b=c"),
            ("https://host/p?to=https%3A%2F%2Fh%3Fkey%3Da%26n", "https://host/p?to=https%3A%2F%2Fh%3Fkey%3D%26n"),
            ("https://host/p?ke\ny=a", "https://host/p"),
            ("https://host/p?tenant=a&keys=b", "https://host/p?keys=b"),
            ("https://host/p@th?a=b", "https://host/p@th?a=b"),
            ("no url?token=", "no url"),
        ] {
            assert_eq!(without_credentials(url, &["tenant".into()]), portable, "{url}");
        }
    }

    #[test]
    fn values_of_the_user_are_masked_anywhere_in_a_url() {
        let values = vec!["se/cret".into()];
        let redaction = Redaction { values, query: vec!["Tenant".into()], ..Redaction::default() };
        let url = "https://host/se/cret/se%2fcret?tenant=x&a=b";
        assert_eq!(sanitize_url(url, &redaction), "https://host/REDACTED/REDACTED?tenant=REDACTED&a=b");
    }
}
