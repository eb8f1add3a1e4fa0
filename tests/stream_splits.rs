//! However the bytes of a stream are cut, and whatever they are: the same is found, no more
//! than a bound is kept, and nothing panics.

#[path = "support/streams.rs"]
mod streams;

use dacapo::stream::opening::{Opening, Step};
use dacapo::stream::tail::{Ended, Tail};
use dacapo::stream::{Format, MAX_FRAME};
use proptest::prelude::*;
use streams::{STREAMS, Stream, decide, tail, word};

#[test]
fn single_bytes_give_what_frames_give() {
    for stream in STREAMS.iter() {
        let bytes = stream.bytes();
        let mut whole = stream.opening();
        let step = decide(&mut whole, [bytes.as_slice()]);
        let mut single = stream.opening();
        assert_eq!(decide(&mut single, bytes.chunks(1)), step, "{}", stream.name);
        assert_eq!(single.failure(), whole.failure(), "{}", stream.name);
    }
}

#[test]
fn every_line_end_and_a_byte_order_mark_change_nothing() {
    for stream in STREAMS.iter().filter(|stream| stream.content_type.contains("event-stream")) {
        let text = String::from_utf8(stream.bytes()).expect("SSE is text");
        for end in ["\r\n", "\r"] {
            let other = ["\u{feff}", &text.replace('\n', end)].concat();
            let mut opening = stream.opening();
            assert_eq!(decide(&mut opening, other.as_bytes().chunks(7)), stream.expected(), "{}", stream.name);
        }
    }
}

/// Streams with output of a known shape: their format, their bytes, and where their first output ends.
fn begun() -> impl Iterator<Item = (&'static Stream, Format, Vec<u8>, usize)> {
    STREAMS.iter().filter(|stream| stream.expected() == Step::Output).filter_map(|stream| {
        let mut opening = stream.opening();
        stream.frames.iter().for_each(|frame| _ = opening.push(frame));
        // One that is also the last frame tells of the end itself.
        let last = stream.frames.len() - 1;
        let output = stream.first_output.filter(|at| *at < last).map_or(0, |at| stream.frames[..=at].concat().len());
        opening.recognised().then(|| (stream, opening.format(), stream.bytes(), output))
    })
}

#[test]
fn wherever_the_last_bytes_begin_before_the_end_they_tell_the_same() {
    let mut count = 0;
    for (stream, format, bytes, output) in begun() {
        let whole = tail(format, &[], &bytes, bytes.len()).failure();
        for from in 0..=output {
            let kept = tail(format, &[], &bytes, bytes.len() - from);
            assert_eq!(Some(word(kept.ended())), stream.row["end"].as_str(), "{} from {from}", stream.name);
            assert_eq!(kept.failure(), whole, "{} from {from}", stream.name);
        }
        count += 1;
    }
    assert!(count >= 50, "{count} streams are too few");
}

#[test]
fn every_line_end_tells_the_same_at_the_end() {
    for (stream, format, bytes, _) in begun().filter(|(_, format, ..)| *format != Format::EventStream) {
        let text = String::from_utf8(bytes).expect("it is text");
        let of = |text: &str| {
            let kept = tail(format, &[], text.as_bytes(), 4096);
            (kept.ended(), kept.failure().map(|told| told.replace('\r', "")))
        };
        let ends: &[_] = if format == Format::Ndjson { &["\r\n"] } else { &["\r\n", "\r"] };
        for end in ends {
            let (ended, told) = of(&text.replace("\r\n", "\n").replace('\n', end));
            assert_eq!(Some(word(ended)), stream.row["end"].as_str(), "{}", stream.name);
            assert_eq!(
                told.map(|told| told.replace('\n', "")),
                of(&text).1.map(|told| told.replace('\n', "")),
                "{}",
                stream.name
            );
        }
    }
}

#[test]
fn the_end_of_a_stream_that_is_all_quotes_and_brackets_is_found_in_a_moment() {
    for piece in ["\\\"", "\"", "{", "}", "[{\"", "data: {\n", "\n", "\"error\":{"] {
        let bytes = piece.repeat(MAX_FRAME / 4 / piece.len()).into_bytes();
        let begin = std::time::Instant::now();
        for format in [Format::Sse, Format::Ndjson, Format::JsonArray] {
            Tail { format, head: &[], bytes: &bytes, open: 3 }.ended();
        }
        assert!(begin.elapsed().as_secs() < 20, "{piece}: {:?}", begin.elapsed());
    }
}

#[test]
fn an_opening_that_is_one_endless_frame_is_given_up_and_keeps_no_more_than_its_bound() {
    let filler = vec![b'x'; 64 * 1024];
    for (content_type, start) in
        [("text/event-stream", "data: "), ("application/x-ndjson", "{\""), ("application/json", "[{\"")]
    {
        let mut opening = Opening::new(Some(content_type), true);
        assert_eq!(opening.push(start.as_bytes()), Step::Hold);
        let pushed = std::iter::repeat_n(&filler, 2 * MAX_FRAME / filler.len())
            .take_while(|filler| opening.push(filler) == Step::Hold);
        let held = pushed.count() * filler.len();
        assert!(held <= MAX_FRAME, "{content_type} held {held} bytes");
    }
}

const TYPES: [&str; 5] = [
    "text/event-stream",
    "application/x-ndjson",
    "application/json",
    "application/vnd.amazon.eventstream",
    "text/plain",
];

/// Cuts bytes at these places, which are taken modulo the length.
fn cut<'b>(bytes: &'b [u8], places: &[usize]) -> Vec<&'b [u8]> {
    let mut places: Vec<_> = places.iter().map(|place| place % (bytes.len() + 1)).collect();
    places.sort_unstable();
    let mut pieces = Vec::new();
    let mut from = 0;
    for place in places {
        pieces.push(&bytes[from..place]);
        from = place;
    }
    pieces.push(&bytes[from..]);
    pieces
}

/// All that can be told of a stream, when it was fed to its very end.
fn told(content_type: &str, pieces: &[&[u8]]) -> (Step, Step, String, Option<String>, bool, Format) {
    let mut opening = Opening::new(Some(content_type), content_type == "application/json");
    let mut step = Step::Hold;
    for piece in pieces {
        step = opening.push(piece);
    }
    let end = opening.end();
    (step, end, opening.failure().to_owned(), opening.usage_text(), opening.recognised(), opening.format())
}

/// Parts of streams, so that arbitrary compositions are worth something.
const PARTS: [&str; 22] = [
    "data: ",
    "data:",
    "event: error",
    "event: ping",
    "id: 1",
    ":",
    "\n",
    "\r",
    "\r\n",
    "\n\n",
    "\u{feff}",
    "[DONE]",
    "{",
    "}",
    "[",
    "]",
    "{\"choices\":[{\"delta\":{\"content\":\"é\"}}]}",
    "{\"error\":{\"message\":\"m\"}}",
    "{\"done\":true}",
    "{\"type\":\"ping\"}",
    "\\",
    "\"",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 512, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn splitting_a_stream_anywhere_gives_the_same(which in 0..1000usize, places in prop::collection::vec(any::<usize>(), 0..12)) {
        let stream = &STREAMS[which % STREAMS.len()];
        let bytes = stream.bytes();
        prop_assert_eq!(told(&stream.content_type, &cut(&bytes, &places)), told(&stream.content_type, &[&bytes]));
    }

    #[test]
    fn splitting_any_composition_anywhere_gives_the_same(
        content_type in prop::sample::select(&TYPES[..]),
        parts in prop::collection::vec(prop::sample::select(&PARTS[..]), 0..24),
        places in prop::collection::vec(any::<usize>(), 0..12),
    ) {
        let text = parts.concat();
        let single: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
        let whole = told(content_type, &[text.as_bytes()]);
        prop_assert_eq!(told(content_type, &cut(text.as_bytes(), &places)), whole.clone());
        prop_assert_eq!(told(content_type, &single), whole);
    }

    #[test]
    fn any_bytes_are_judged_without_panic_and_alike_in_any_pieces(
        content_type in prop::sample::select(&TYPES[..]),
        bytes in prop::collection::vec(any::<u8>(), 0..400),
        places in prop::collection::vec(any::<usize>(), 0..8),
        open in prop_oneof![0..8u32, any::<u32>()],
    ) {
        let whole = told(content_type, &[&bytes]);
        prop_assert_ne!(whole.1, Step::Hold);
        prop_assert_eq!(told(content_type, &cut(&bytes, &places)), whole);
        for format in 0..6 {
            let tail = Tail { format: Format::from_number(format), head: &bytes, bytes: &bytes, open };
            prop_assert!(tail.failure().is_none() || tail.ended() == Ended::Failed || tail.format == Format::Unknown);
        }
        dacapo::stream::judge::judge_chunk(&String::from_utf8_lossy(&bytes));
    }

    #[test]
    fn a_recorded_stream_with_any_byte_changed_is_judged_without_panic(which in 0..1000usize, at in any::<usize>(), byte in any::<u8>()) {
        let stream = &STREAMS[which % STREAMS.len()];
        let mut bytes = stream.bytes();
        if let Some(place) = at.checked_rem(bytes.len()).and_then(|at| bytes.get_mut(at)) {
            *place = byte;
        }
        prop_assert_ne!(decide(&mut stream.opening(), [bytes.as_slice()]), Step::Hold);
    }
}
