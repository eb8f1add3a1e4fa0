//! The events of arbitrary streams, as an independent parser found them: `scripts/sse-vectors.js`
//! wrote `tests/vectors/sse.json`. An event is its name, its data and whether it has an id.

#[path = "support/base64.rs"]
mod base64;

use base64::base64;
use dacapo::stream::{Raw, sse};
use serde_json::{Value, json};

fn events(pieces: &[&[u8]]) -> Value {
    let mut splitter = sse::Splitter::default();
    let mut events = Vec::new();
    for piece in pieces {
        splitter.push(piece, &mut |raw| match raw {
            Raw::Event { name, data, has_id } => events.push(json!([name, data, has_id])),
            other => panic!("{other:?}"),
        });
    }
    Value::Array(events)
}

#[test]
fn the_events_are_those_that_another_parser_finds_however_the_bytes_are_cut() {
    let vectors = serde_json::from_str::<Vec<Value>>(include_str!("vectors/sse.json")).expect("the vectors are rows");
    assert!(vectors.iter().filter(|vector| vector["events"] != json!([])).count() >= 200);
    for vector in &vectors {
        let bytes = base64(vector["bytes"].as_str().expect("base64"));
        let text = String::from_utf8_lossy(&bytes);
        assert_eq!(events(&[&bytes]), vector["events"], "{text:?}");
        assert_eq!(events(&bytes.chunks(1).collect::<Vec<_>>()), vector["events"], "{text:?}");
        for at in 0..bytes.len() {
            let (head, tail) = bytes.split_at(at);
            assert_eq!(events(&[head, tail]), vector["events"], "{text:?} cut at {at}");
        }
    }
}
