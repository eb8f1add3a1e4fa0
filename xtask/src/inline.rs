//! The module as text in a JavaScript file, for every runtime that has no way to import wasm.
//!
//! Printable ASCII up to `z` stands for itself; any other byte is one of `{ | } ~` (its two high bits) and a character
//! from `0` to `o` (its six low bits). Bytes keep their alignment, which base64 destroys, so the text compresses almost
//! as well as the module; and unlike a string of raw bytes it has nothing that a bundler would write as `\xNN`, or that
//! a page in another character set would break. `js/load/inline.js` reads it back.

use std::fmt::Write;

pub const TYPES: &str = "\
/** Bytes of the module. */
export const length: number;
/** The module as text. */
export const text: string;
";

pub fn source(module: &[u8]) -> String {
    let mut text = String::with_capacity(2 * module.len());
    for &byte in module {
        match byte {
            b'"' | b'\\' => {
                text.push('\\');
                text.push(char::from(byte));
            }
            b' '..=b'z' => text.push(char::from(byte)),
            _ => {
                text.push(char::from(b'{' + (byte >> 6)));
                match b'0' + (byte & 63) {
                    b'\\' => text.push_str("\\\\"),
                    low => text.push(char::from(low)),
                }
            }
        }
    }
    let mut source = String::from("// dacapo_bg.wasm as text; see xtask/src/inline.rs\n");
    // Writing to a String cannot fail.
    let _ = writeln!(source, "export const length = {};\nexport const text = \"{text}\";", module.len());
    source
}
