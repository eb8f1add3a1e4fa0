//! Redaction as a whole: nothing secret is left, nothing ordinary is lost.

use dacapo::headers::Headers;
use dacapo::redact::{Masker, Redaction, sanitize_base_url, sanitize_url};
use proptest::prelude::*;

/// What rules look for, and what may confuse them.
#[rustfmt::skip]
const PIECES: &[&str] = &[
    "REDACTED", "RED", "ACTED", "D", "sk-", "sk-abc12345", "AKIA", "AKIAIOSFODNN7EXAMPLE", "eyJ", "ab1",
    "abcdefgh1", "Bearer", "basic", " ", "  ", "\t", "\n", "\r\n", ".", ",", ":", ";", "=", "==", "&", "?",
    "#", "@", "/", "//", "://", "https", "key", "token", "code", "x-api-key", "authorization", "Cookie",
    "my_secret", "\"", "'", "\\", "\\\"", "\\\\", "\\n", "\\u0026", "\\u00e4", "\\/", "%", "%2", "%25", "%26",
    "%3D", "%2F", "%40", "%3A", "%22", "%20", "%3B", "%C3%A4", "41", "3D", "[", "]", "{", "}", "<", ">", "(",
    ")", "ä", "…", "漢", "1", "12345678", "x", "user", "host", "null", "u:p@", "+", "*", "_", "-",
];

fn text_of(pieces: usize) -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(PIECES), 0..pieces).prop_map(|all| all.concat())
}

/// A secret that is looked for, and cannot be mistaken for a part of the replacement.
fn fair(secret: &String) -> bool {
    let is_flag = ["true", "false", "null", "none", "undefined"].iter().any(|flag| flag.eq_ignore_ascii_case(secret));
    let replacement = "REDACTED";
    let overlaps =
        (1..replacement.len()).any(|at| secret.ends_with(&replacement[..at]) || secret.starts_with(&replacement[at..]));
    secret.trim() == secret
        && secret.chars().count() >= 4
        && !is_flag
        && !overlaps
        && !secret.contains(replacement)
        && !replacement.contains(secret.as_str())
}

fn secret() -> impl Strategy<Value = String> {
    prop_oneof!["[!-~]{4,12}", "[ -~]{4,90}", "[!-~äß漢]{4,20}", "[a-zA-Z0-9+/=_.-]{20,200}", text_of(6)]
        .prop_map(|secret| secret.replace(['\n', '\r'], "").trim().to_string())
        .prop_filter("no fair secret", fair)
}

fn percent(text: &str, kept: &str) -> String {
    text.bytes()
        .map(|byte| match byte {
            _ if byte.is_ascii_alphanumeric() || kept.as_bytes().contains(&byte) => char::from(byte).to_string(),
            _ => format!("%{byte:02X}"),
        })
        .collect()
}

fn json(text: &str) -> String {
    let quoted = serde_json::to_string(text).unwrap();
    quoted[1..quoted.len() - 1].to_string()
}

fn any_case(name: &str, seed: u64) -> String {
    name.chars()
        .enumerate()
        .map(|(at, c)| if seed >> (at % 64) & 1 == 1 { c.to_ascii_uppercase() } else { c })
        .collect()
}

/// A masker for every way in which a request may carry the secret.
fn carriers(secret: &str, seed: u64) -> Vec<(&'static str, Masker)> {
    let none = Redaction::default();
    let encoded = percent(secret, "-_.!~*'()");
    let header = |name: &str, value: String| {
        Masker::for_request("https://host/", Headers::new(&format!("{}\n{value}\n", any_case(name, seed))), &none)
    };
    let url = |url: String| Masker::for_request(&url, Headers::EMPTY, &none);
    let login = |login: String| header("authorization", format!("Basic {}", base64(login.as_bytes())));
    let mut all = vec![
        ("key", header("x-api-key", secret.into())),
        ("token", header("my-token", secret.into())),
        ("no scheme", header("authorization", secret.into())),
        ("scheme", header("proxy-authorization", format!("Bearer {secret}"))),
        ("other scheme", header("cf-aig-authorization", format!("Key  {secret}"))),
        ("password", login(format!("user:{secret}"))),
        ("whole cookie", header("cookie", secret.into())),
        ("url password", url(format!("https://user:{encoded}@host/"))),
        ("url user", url(format!("https://{encoded}:pass@host/"))),
        ("query", url(format!("https://host/?a=b&{}={encoded}", any_case("key", seed)))),
        ("fragment", url(format!("https://host/#access_token={encoded}&x=y"))),
        ("referer", header("referer", format!("https://host/?token={encoded}"))),
        ("value", Masker::for_request("", Headers::EMPTY, &Redaction { values: vec![secret.into()], ..none.clone() })),
        (
            "named",
            Masker::for_request(
                "",
                Headers::new(&format!("x-tenant\n{secret}\n")),
                &Redaction { headers: vec![any_case("x-tenant", seed)], ..none.clone() },
            ),
        ),
    ];
    if !secret.contains([';', '"']) {
        all.push(("cookie", header("cookie", format!("a=1; sid={secret}; b=2"))));
        all.push(("quoted cookie", header("set-cookie", format!("sid=\"{secret}\"; Path=/"))));
    }
    if !secret.contains(':') {
        all.push(("user without password", login(format!("{secret}:"))));
    }
    if !secret.contains(',') {
        all.push(("repeated", header("x-auth-key", format!("first, {secret}, last"))));
    }
    all
}

fn base64(bytes: &[u8]) -> String {
    let digits = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0_u32, |bits, &byte| bits << 8 | u32::from(byte)) << (8 * (3 - chunk.len()));
        for at in 0..4 {
            text.push(if at <= chunk.len() { char::from(digits[(bits >> (18 - 6 * at) & 63) as usize]) } else { '=' });
        }
    }
    text
}

proptest! {
    #[test]
    fn no_secret_of_a_request_is_left_in_a_text_in_any_form(
        secret in secret(), before in text_of(5), after in text_of(5), seed in any::<u64>(),
    ) {
        for (carrier, masker) in carriers(&secret, seed) {
            for form in [secret.clone(), percent(&secret, "-_.!~*'()"), json(&secret)] {
                let text = [&before, &*form, &after].concat();
                let masked = masker.mask(&text);
                prop_assert!(!masked.contains(&form), "{}: {:?} in {:?} of {:?}", carrier, form, masked, text);
                prop_assert_eq!(masker.mask(&masked), &*masked, "{} {:?}", carrier, text);
                for max in [1, text.len() / 4, text.len() / 2, text.len()] {
                    let cut = masker.mask_and_cut(&text, max);
                    prop_assert!(!cut.contains(&form), "{}: {:?} cut to {:?}", carrier, text, cut);
                }
            }
        }
    }

    #[test]
    fn escapes_may_be_mixed_nested_and_in_any_case(
        // With escapes in the secret itself, some mixtures stand for another text.
        secret in secret().prop_map(|secret| secret.replace(['%', '\\'], "-")).prop_filter("no fair secret", fair),
        seed in any::<u64>(),
    ) {
        let twice = percent(&percent(&secret, ""), "");
        let lower = secret.bytes().map(|byte| format!("%{byte:02x}")).collect();
        let unicode = secret.encode_utf16().map(|unit| format!("\\u{unit:04x}")).collect();
        let some = secret
            .chars()
            .enumerate()
            .map(|(at, c)| if seed >> (at % 64) & 1 == 1 { percent(&c.to_string(), "") } else { c.into() })
            .collect();
        for (carrier, masker) in carriers(&secret, seed) {
            for form in [&twice, &lower, &unicode, &some] as [&String; 4] {
                let masked = masker.mask(form);
                prop_assert!(!masked.contains(form.as_str()), "{}: {:?} in {:?}", carrier, form, masked);
            }
        }
    }

    #[test]
    fn masking_twice_is_masking_once(
        text in text_of(24), values in prop::collection::vec(text_of(4), 0..4), url in text_of(8), max in 0_usize..40,
    ) {
        let redaction = Redaction { values, query: vec!["x".into()], headers: vec!["host".into()] };
        let fields = "authorization\nBearer abcdefgh1\ncookie\nuser=null; x=12345678\n";
        let masker = Masker::for_request(&url, Headers::new(fields), &redaction);
        let once = masker.mask(&text);
        prop_assert_eq!(masker.mask(&once), &*once, "of {:?} with {:?} for {:?}", text, redaction.values, url);
        let cut = masker.mask_and_cut(&text, max);
        prop_assert!(cut.chars().count() <= max.max(1), "{:?}", cut);
        if text.chars().count() <= 2 * max {
            let fits = once.chars().count() <= max;
            let beginning: String = once.chars().take(max.saturating_sub(1)).collect();
            prop_assert_eq!(cut, if fits { once.into_owned() } else { beginning + "…" });
        }
    }

    #[test]
    fn text_without_a_sensitive_name_is_kept(
        // Without vowels and `s` there is no name and no shape.
        text in "[bcdfghj-np-rtv-z]{1,14}([ ,.:;!?&/()\"'=-]{1,2}[bcdfghj-np-rtv-z0-9]{1,14}){0,30}",
    ) {
        let masker = Masker::for_request("https://host/", Headers::new("x-api-key\nSECRET-1\n"), &Redaction::default());
        prop_assert_eq!(masker.mask(&text), &*text);
    }

    #[test]
    fn any_text_can_be_masked(text in any::<String>(), url in any::<String>(), fields in any::<String>()) {
        let masker = Masker::for_request(&url, Headers::new(&fields), &Redaction::default());
        let once = masker.mask(&text);
        prop_assert_eq!(masker.mask(&once), &*once);
        sanitize_url(&text, &Redaction::default());
        sanitize_base_url(&text);
    }

    #[test]
    fn a_url_shows_no_user_no_password_and_no_secret_parameter(
        secret in "[!-~]{4,12}".prop_filter("no fair secret", fair),
        name in prop::sample::select(&["key", "sig", "X-Amz-Signature", "client_secret"][..]),
        seed in any::<u64>(),
    ) {
        let (encoded, name) = (percent(&secret, ""), any_case(name, seed));
        let urls = [
            format!("https://user:{encoded}@host/p@th"), format!("//{encoded}@host/"), format!("{encoded}:pass@host"),
            format!("https://host/?a=b&{name}={encoded}&c=d"), format!("https://host/#{name}={encoded}"),
            format!("not a url?{name}={encoded}"), format!("/?a=b;{name}={encoded};c=d"),
            format!("https://host/?%{:02x}{}={encoded}", name.as_bytes()[0], &name[1..]),
        ];
        for url in urls {
            let shown = sanitize_url(&url, &Redaction::default());
            prop_assert!(!shown.contains(&encoded), "{} is shown as {}", url, shown);
            prop_assert_eq!(sanitize_url(&shown, &Redaction::default()), &*shown);
        }
    }
}
