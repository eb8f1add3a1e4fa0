//! Base64, for the vectors that are bytes.

/// The bytes of RFC 4648's base64.
pub fn base64(text: &str) -> Vec<u8> {
    let alphabet = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let digits = text.trim_end_matches('=').bytes();
    let values = digits.map(|digit| alphabet.iter().position(|known| *known == digit).expect("base64"));
    let bits = values.flat_map(|value| (0..6).rev().map(move |bit| value >> bit & 1)).collect::<Vec<_>>();
    bits.chunks_exact(8).map(|byte| byte.iter().fold(0, |byte, bit| byte << 1 | *bit as u8)).collect()
}
