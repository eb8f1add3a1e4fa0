//! The module as JavaScript text, for the loader that brings the engine along: printable ASCII, so that no bundler writes
//! `\xNN` for it and no page's character set breaks it. `js/load/unpack.js` reads it back.
//!
//! What compresses badly in a module is that numbers of locals stand between all operators. So the operands of some
//! operators stand apart, in streams of their own, which made the text an eighth smaller after brotli. No more of the
//! format is known than which operators have such operands; a byte that is taken for another only costs size.

use std::fmt::Write;

use anyhow::{Context, Result, bail};

pub const TYPES: &str = "\
/** Bytes of the module. */
export const length: number;
/** Where the code section begins and ends. */
export const code: [number, number];
/** First operator, last operator, and the stream of each of their operands. */
export const operands: [number, number, ...number[]][];
/** The bytes that are one character in the first stream, in the order of their characters. */
export const single: string;
/** Stream 0 holds all that is in no other. */
export const streams: [string, ...string[]];
";

const STREAMS: usize = 4;

/// Stream 1 has the locals and globals, 2 the labels of branches, 3 the offsets of loads and stores.
const OPERANDS: [(u8, u8, &[usize]); 6] = [
    (0x02, 0x04, &[0]),    // block, loop, if
    (0x0c, 0x0d, &[2]),    // br, br_if
    (0x10, 0x10, &[0]),    // call
    (0x20, 0x24, &[1]),    // local.get to global.set
    (0x28, 0x3e, &[0, 3]), // loads and stores
    (0x41, 0x42, &[0]),    // i32.const, i64.const
];

/// The characters that need no escape, less three: those begin a pair.
const SINGLES: usize = 89;

pub fn source(module: &[u8]) -> Result<String> {
    let code = code_section(module)?;
    let streams = split(module, code);
    let single = single_bytes(&streams[0]);
    let mut order = single.clone();
    order.extend((0..=255).filter(|byte| !single.contains(byte)));
    let plain: Vec<u8> = (0..=255).collect();

    let mut source = String::from("// dacapo_bg.wasm as text; see xtask/src/inline.rs\n");
    let operands: Vec<String> = OPERANDS
        .iter()
        .map(|(first, last, streams)| {
            let streams: Vec<_> = streams.iter().map(usize::to_string).collect();
            format!("[{first}, {last}, {}]", streams.join(", "))
        })
        .collect();
    // Writing to a String cannot fail.
    let _ = writeln!(source, "export const length = {};", module.len());
    let _ = writeln!(source, "export const code = [{}, {}];", code.0, code.1);
    let _ = writeln!(source, "export const operands = [{}];", operands.join(", "));
    let _ = writeln!(source, "export const single = \"{}\";", text(&single, &plain));
    source.push_str("export const streams = [\n");
    for (i, stream) in streams.iter().enumerate() {
        let _ = writeln!(source, "\"{}\",", text(stream, if i == 0 { &order } else { &plain }));
    }
    source.push_str("];\n");
    Ok(source)
}

fn split(module: &[u8], code: (usize, usize)) -> [Vec<u8>; STREAMS] {
    let mut streams: [Vec<u8>; STREAMS] = Default::default();
    let mut awaited: &[usize] = &[];
    for (at, &byte) in module.iter().enumerate() {
        if at < code.0 || at >= code.1 {
            streams[0].push(byte);
        } else if let [stream, rest @ ..] = awaited {
            streams[*stream].push(byte);
            // The last byte of a number in LEB128 has no top bit.
            awaited = if byte < 0x80 { rest } else { awaited };
        } else {
            streams[0].push(byte);
            awaited =
                OPERANDS.iter().find(|(first, last, _)| (*first..=*last).contains(&byte)).map_or(&[], |row| row.2);
        }
    }
    streams
}

/// The bytes seen most often. Each stands at its own character if it is one of them, so that texts stay texts.
fn single_bytes(stream: &[u8]) -> Vec<u8> {
    let mut counts = [0_usize; 256];
    for &byte in stream {
        counts[usize::from(byte)] += 1;
    }
    let mut common: Vec<u8> = (0..=255).collect();
    common.sort_by_key(|&byte| std::cmp::Reverse(counts[usize::from(byte)]));
    common.truncate(SINGLES);
    common.sort_unstable();
    let own_place = |&byte: &u8| (0..SINGLES).find(|&digit| character(digit) == char::from(byte));
    let mut strangers = common.iter().copied().filter(|byte| own_place(byte).is_none());
    let place = |digit| {
        let own = common.iter().copied().find(|byte| own_place(byte) == Some(digit));
        own.or_else(|| strangers.next())
    };
    (0..SINGLES).filter_map(place).collect()
}

fn text(bytes: &[u8], order: &[u8]) -> String {
    let mut text = String::with_capacity(2 * bytes.len());
    for byte in bytes {
        match order.iter().position(|known| known == byte).unwrap_or_default() {
            rank @ 0..SINGLES => text.push(character(rank)),
            rank => {
                let beyond = rank - SINGLES;
                text.extend([character(SINGLES + (beyond >> 6)), character(beyond & 63)]);
            }
        }
    }
    text
}

/// The printable ASCII characters without `"` and `\`.
fn character(digit: usize) -> char {
    char::from((b' '..=b'~').filter(|c| ![b'"', b'\\'].contains(c)).nth(digit).unwrap_or(b'~'))
}

/// Where the contents of the code section begin and end.
fn code_section(module: &[u8]) -> Result<(usize, usize)> {
    const CODE: u8 = 10;
    let mut at = 8;
    while let Some(&id) = module.get(at) {
        at += 1;
        let mut size = 0;
        for shift in (0..).step_by(7) {
            let byte = *module.get(at).context("the module ends inside a section's size")?;
            at += 1;
            size |= usize::from(byte & 0x7f) << shift;
            if byte < 0x80 {
                break;
            }
        }
        if id == CODE {
            return Ok((at, at + size));
        }
        at += size;
    }
    bail!("the module has no code section")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn operands_stand_in_streams_of_their_own() {
        // local.get 5, i32.load align 2 offset 300, br_if 1, and outside of the code the same bytes again
        let module = [0x20, 5, 0x28, 2, 0xac, 2, 0x0d, 1, 0x20, 5];
        let streams = split(&module, (0, 8));
        assert_eq!(streams, [vec![0x20, 0x28, 2, 0x0d, 0x20, 5], vec![5], vec![1], vec![0xac, 2]]);
    }

    #[test]
    fn every_byte_has_a_text_of_its_own_without_escapes() {
        let order: Vec<u8> = (0..=255).collect();
        let texts: std::collections::BTreeSet<_> = order.iter().map(|byte| text(&[*byte], &order)).collect();
        assert_eq!(texts.len(), 256);
        assert!(texts.iter().all(|text| text.bytes().all(|b| (b' '..=b'~').contains(&b) && b != b'"' && b != b'\\')));
    }

    #[test]
    fn common_bytes_are_single_and_stand_at_their_own_character() {
        let stream: Vec<u8> = (0..=255).chain(*b"ghz").chain([0xff; 9]).collect();
        let single = single_bytes(&stream);
        assert_eq!(single.len(), SINGLES);
        assert!(single.contains(&0xff));
        assert!(b"ghz".iter().all(|byte| text(&[*byte], &single) == char::from(*byte).to_string()));
    }

    #[test]
    fn the_code_section_is_found_behind_others() {
        let module = [0, b'a', b's', b'm', 1, 0, 0, 0, 1, 2, 9, 9, 10, 3, 7, 7, 7];
        assert_eq!(code_section(&module).ok(), Some((14, 17)));
        assert!(code_section(&module[..12]).is_err());
    }
}
