//! Free text: messages, stacks, bodies.

use std::borrow::Cow;
use std::fmt;

use super::escapes::{Units, may_be_escaped};
use super::pairs::Names;
use super::secrets::Secrets;
use super::{Marks, OFF, REDACTED, Redaction, Rule, credentials, fields, pairs, pieces, shapes, url};
use crate::headers::Headers;
use crate::scan::{concat, find, part};

/// Replaces by `REDACTED` what must not be shown of a text: secrets of one request, known key
/// shapes, users and passwords of URLs, values of secret query parameters, and the values of
/// sensitive header fields that a server echoes.
///
/// Secrets of the request are found raw, percent-encoded and escaped as in JSON, in any
/// mixture. Of each the first 64 bytes are held, and at most 16,384 bytes in all; a request
/// with more than that has every text replaced as a whole in which one might stand. Secrets of fewer than 4
/// characters are not looked for in a free text. The default masker knows no request.
#[derive(Clone, Default)]
pub struct Masker {
    secrets: Secrets,
    headers: Vec<String>,
    query: Vec<String>,
}

impl Masker {
    /// Collects every secret that the request carries: values of sensitive headers with and
    /// without their scheme (the password of a Basic value, each cookie), user and password
    /// of the URL, values of secret query parameters, and `redaction.values`.
    pub fn for_request(url: &str, headers: Headers<'_>, redaction: &Redaction) -> Masker {
        Masker::and_kept(url, headers, redaction).0
    }

    /// The same, and the header fields that are not sensitive, in their order. Their values
    /// may still quote a secret, as Referer and Location do: mask them.
    pub fn and_kept<'t>(url: &str, headers: Headers<'t>, redaction: &Redaction) -> (Masker, Vec<(&'t str, &'t str)>) {
        let mut secrets = Secrets::default();
        let kept = credentials::collect(&mut secrets, url, headers, redaction);
        (Masker { secrets, headers: redaction.headers.clone(), query: redaction.query.clone() }, kept)
    }

    /// Every secret that it knows of.
    pub fn secrets(&self) -> &[String] {
        self.secrets.values()
    }

    /// The text without what must not be shown. Masking twice is masking once.
    pub fn mask<'t>(&self, text: &'t str) -> Cow<'t, str> {
        if OFF || self.is_plain(text) {
            return Cow::Borrowed(text);
        }
        let may_hold = self.secrets.may_occur(text);
        if may_hold && self.secrets.overflowed() {
            return Cow::Borrowed(REDACTED);
        }
        // What is replaced already stays as it is, and nothing is matched across it.
        let mut marks = Marks::new(text);
        for (start, piece) in pieces(text) {
            marks.base = start;
            let is_end = start + piece.len() == text.len();
            if may_hold {
                self.secrets.mark(piece, false, is_end, &mut marks);
                if may_be_escaped(piece) {
                    self.secrets.mark(piece, true, is_end, &mut marks);
                }
            }
            self.mark_by_rules(piece, start > 0, &mut marks);
        }
        marks.replaced(text).map_or(Cow::Borrowed(text), Cow::Owned)
    }

    /// Whether nothing in the text can begin a match of any rule: most header values.
    fn is_plain(&self, text: &str) -> bool {
        // Without an `@` no login stands behind the slashes.
        let behind = text.strip_prefix("https://").filter(|rest| find(rest, b'@').is_none());
        let text = behind.unwrap_or(text);
        let mut before = 0_u8;
        for (at, byte) in text.bytes().enumerate() {
            let begins_shape = !before.is_ascii_alphanumeric()
                && shapes::may_begin(byte, text.as_bytes().get(at + 1).copied())
                && shapes::in_text(text, at, before).is_some();
            let begins_login = byte == b'/' && before == b'/';
            if begins_shape || begins_login || matches!(byte, b':' | b'=' | b'%' | b'\\') {
                return false;
            }
            before = byte;
        }
        !self.secrets.may_occur(text)
    }

    /// Masks the text, and then cuts it to `max_chars` characters (Unicode scalar values),
    /// of which the last is `…` when something was cut.
    pub fn mask_and_cut(&self, text: &str, max_chars: usize) -> String {
        // So much is enough, however much of it is replaced, and its end counts as cut.
        let enough = text.char_indices().nth(max_chars.saturating_mul(2).saturating_add(1));
        let text = enough.and_then(|(end, _)| text.get(..end)).unwrap_or(text);
        let masked = self.mask(text);
        if masked.chars().nth(max_chars).is_none() {
            return masked.into_owned();
        }
        let end = masked.char_indices().nth(max_chars.saturating_sub(1)).map_or(0, |(end, _)| end);
        concat(&[part(&masked, 0, end), "…"])
    }

    /// Marks what looks secret in a piece of text that holds no replacement.
    fn mark_by_rules(&self, text: &str, is_after_one: bool, marks: &mut Marks) {
        let mut names = Names::after(if is_after_one { b'D' } else { 0 });
        let [mut shapes, mut logins, mut parameters, mut fields] = [Rule::default(); 4];
        for unit in Units::from(text, 0) {
            let before = names.prev;
            let shape = || shapes::in_text(text, unit.start, before);
            let login = || Some(url::authority(text, unit.end, unit.layers, true));
            let next = || text.as_bytes().get(unit.start + 1).copied();
            if !before.is_ascii_alphanumeric() && shapes::may_begin(unit.byte, next()) {
                marks.mark(shapes.find(&unit, shape));
            } else if unit.byte == b'/' && before == b'/' {
                marks.mark(logins.find(&unit, login));
            }
            let Some(name) = names.push(&unit) else { continue };
            let parameter = || pairs::in_text(text, &name, &unit, &self.query);
            let field = || fields::in_text(text, &name, &unit, &self.headers, &self.query);
            let is_parameter = name.is_parameter(&unit);
            marks.mark(if is_parameter { parameters.find(&unit, parameter) } else { fields.find(&unit, field) });
        }
    }
}

impl fmt::Debug for Masker {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Masker { .. }")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::redact::escapes::READ;
    use crate::redact::sanitize_url;

    #[test]
    fn a_text_without_secrets_is_not_copied() {
        let fields = "authorization\nBearer sk-abcdefgh12345678\ncookie\nsid=qwertyuiop";
        let masker = Masker::for_request("https://host/?key=asdfghjkl", Headers::new(fields), &Redaction::default());
        for text in ["", "Overloaded. Retry after 5 s: see https://host/docs?a=b", "{\"a\":\"b\\n%20\"}", "REDACTED"] {
            assert!(matches!(masker.mask(text), Cow::Borrowed(same) if same == text));
        }
    }

    #[test]
    fn masking_comes_before_cutting() {
        let masker = Masker::default();
        assert_eq!(masker.mask_and_cut("key sk-abcdefgh12345678 is bad", 12), "key REDACTE…");
        assert_eq!(masker.mask_and_cut("key sk-abcdefgh12345678", 12), "key REDACTED");
        assert_eq!(masker.mask_and_cut("äöü", 2), "ä…");
        assert_eq!(masker.mask_and_cut("äöü", 0), "…");
    }

    #[test]
    fn what_was_masked_before_is_left_alone() {
        let text = "REDACTED https://REDACTED@host/?key=REDACTED&a=b \"token\":\"REDACTED\" Bearer REDACTED";
        assert_eq!(Masker::default().mask(text), text);
        assert_eq!(Masker::default().mask("REDACTEDsk-abcdefgh1 sk-abcdefgh1"), "REDACTEDsk-abcdefgh1 REDACTED");
    }

    #[test]
    fn the_work_grows_no_faster_than_a_hostile_text() {
        let fields = "authorization\nBearer aaaaaaaaaaaaaaaaaaaaaaaab\ncookie\na=abababababababababab";
        let masker = Masker::for_request("", Headers::new(fields), &Redaction::default());
        let work = |text: &str| {
            let before = READ.get();
            let masked = masker.mask(text);
            sanitize_url(text, &Redaction::default());
            Masker::for_request(text, Headers::new(text), &Redaction::default());
            assert_eq!(masker.mask(&masked), masked);
            READ.get() - before
        };
        for piece in [
            "a",
            "ab",
            "?key=",
            "&key=;",
            "%3Fkey%3D?key=",
            "//a:b",
            "//a:b/",
            "%2F%2Fa:b%20//c:d",
            "sk-",
            "eyJ-",
            "eyJaaaaaaaaaa.b.",
            "eyJ.",
            "bearer ",
            "basic+",
            "token=",
            "token:",
            "token={",
            "token: a ",
            "\"token\":\"\\\"",
            "\\\"token\\\":\\\"",
            "authorization:[\"a\",",
            "cookie: ",
            "code= ",
            "a;",
            ";a=",
            "\\",
            "%25",
            "%",
            "'",
            "\"session\" : \n",
            "[",
            "AKIA",
            "REDACTED",
            "é",
            "my-",
            "x_token:1",
        ] {
            for end in ["", "@", "\""] {
                // Shorter texts may be spared a pass.
                let [small, large] = [5, 40].map(|kib| work(&(piece.repeat(kib * 1024 / piece.len()) + end)));
                assert!(large < small * 9 + 1024, "{piece:?} {end:?}: {small} for 5 KiB, {large} for 40 KiB");
                assert!(large < 40 * 1024 * 60, "{piece:?} {end:?}: {large} for 40 KiB");
            }
        }
    }
}
