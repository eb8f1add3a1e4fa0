//! Base64 (RFC 4648), decoded.

/// Which characters stand for 62 and 63.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Alphabet {
    /// `+` and `/` (section 4).
    Standard,
    /// These, and `-` and `_` (section 5).
    Either,
}

/// Decodes up to the first character outside of the alphabet: the bytes, and the text from
/// there on. Padding is no part of an alphabet.
pub fn decode(text: &str, alphabet: Alphabet) -> (Vec<u8>, &str) {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut count) = (0_u32, 0);
    let is_url = alphabet == Alphabet::Either;
    for (at, byte) in text.bytes().enumerate() {
        let sextet = match byte {
            b'A'..=b'Z' => byte - b'A',
            b'a'..=b'z' => byte - b'a' + 26,
            b'0'..=b'9' => byte - b'0' + 52,
            b'+' => 62,
            b'/' => 63,
            b'-' if is_url => 62,
            b'_' if is_url => 63,
            _ => return (bytes, text.get(at..).unwrap_or("")),
        };
        (bits, count) = (bits << 6 | u32::from(sextet), count + 6);
        if count >= 8 {
            count -= 8;
            bytes.push((bits >> count) as u8);
        }
    }
    (bytes, "")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_follows_the_alphabet_is_given_back() {
        assert_eq!(decode("aGk=", Alphabet::Standard), (b"hi".to_vec(), "="));
        assert_eq!(decode("a*", Alphabet::Standard), (Vec::new(), "*"));
        assert_eq!(decode("++//", Alphabet::Standard).0, decode("--__", Alphabet::Either).0);
        assert_eq!(decode("-_", Alphabet::Standard), (Vec::new(), "-_"));
        assert_eq!(decode("", Alphabet::Either), (Vec::new(), ""));
    }
}
