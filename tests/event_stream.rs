//! Messages of an event stream as an independent codec encodes them:
//! `scripts/event-stream-vectors.js` wrote `tests/vectors/event_stream.json`. What is found is
//! whether it is an event or an exception, its name and its data.

#[path = "support/base64.rs"]
mod base64;

use base64::base64;
use dacapo::stream::{Raw, event_stream};
use serde_json::{Value, json};

fn found(pieces: &[&[u8]]) -> Vec<Value> {
    let mut splitter = event_stream::Splitter::default();
    let mut found = Vec::new();
    for piece in pieces {
        splitter.push(piece, &mut |raw| {
            found.push(match raw {
                Raw::Event { name, data, .. } => json!(["event", name, data]),
                Raw::Exception { name, data } => json!(["exception", name, data]),
                Raw::Damaged => json!("damaged"),
                other => panic!("{other:?}"),
            });
        });
    }
    found
}

#[test]
fn the_messages_are_those_that_another_codec_encoded_however_the_bytes_are_cut() {
    let text = include_str!("vectors/event_stream.json");
    let vectors = serde_json::from_str::<Vec<Value>>(text).expect("the vectors are rows");
    let (sound, damaged): (Vec<_>, Vec<_>) = vectors.iter().partition(|vector| vector["found"].is_array());
    assert!(sound.len() >= 60 && damaged.len() >= 60);
    for vector in sound {
        let bytes = base64(vector["bytes"].as_str().expect("base64"));
        let expected = vector["found"].as_array().expect("messages");
        assert_eq!(&found(&[&bytes]), expected);
        assert_eq!(&found(&bytes.chunks(1).collect::<Vec<_>>()), expected);
        for at in 0..bytes.len() {
            let (head, tail) = bytes.split_at(at);
            assert_eq!(&found(&[head, tail]), expected, "cut at {at}");
        }
    }
    for vector in damaged {
        let bytes = base64(vector["bytes"].as_str().expect("base64"));
        assert_eq!(found(&[&bytes]), ["damaged"], "{vector}");
    }
}
