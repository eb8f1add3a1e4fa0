//! Recorded and constructed streams, frame by frame, and how their last bytes look.

#[path = "support/streams.rs"]
mod streams;

use dacapo::classify::{Failure, classify};
use dacapo::clock::WallMs;
use dacapo::policy::Policy;
use dacapo::stream::Format;
use dacapo::stream::opening::{Opening, Step};
use dacapo::stream::tail::{Ended, Tail};
use streams::{STREAMS, Stream, decide, tail, word};

#[test]
fn every_opening_is_decided_as_its_vector_says() {
    for stream in STREAMS.iter() {
        let mut opening = stream.opening();
        let step = decide(&mut opening, stream.frames.iter().map(Vec::as_slice));
        assert_eq!(step, stream.expected(), "{}", stream.name);
        assert_eq!(opening.failure().is_empty(), step != Step::Failed, "{}", stream.name);
    }
}

#[test]
fn output_begins_with_the_frame_that_has_the_first_content() {
    for stream in STREAMS.iter() {
        let mut opening = stream.opening();
        let steps = stream.frames.iter().map(|frame| opening.push(frame)).collect::<Vec<_>>();
        let decided = steps.iter().position(|step| *step != Step::Hold);
        if let Some(at) = stream.decided_at {
            assert_eq!(decided, Some(at), "{}", stream.name);
        }
        assert_eq!(stream.first_output.is_some(), steps.contains(&Step::Output), "{}", stream.name);
    }
}

#[test]
fn every_failure_is_classified_from_its_body_alone() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for stream in STREAMS.iter().filter(|stream| stream.expected() == Step::Failed) {
        let mut opening = stream.opening();
        decide(&mut opening, stream.frames.iter().map(Vec::as_slice));
        let failure = Failure { status: Some(200), body: opening.failure(), ..Failure::default() };
        let verdict = classify(&failure, &Policy::default(), WallMs(0));
        let found = (verdict.kind.as_str(), verdict.retryable, verdict.hint.map(|hint| hint.delay.get()));
        let row = &stream.row;
        let right = (row["kind"].as_str(), row["retryable"].as_bool(), row["retryAfterMs"].as_u64());
        if (Some(found.0), Some(found.1), found.2) != right {
            wrong.push(format!("{}: {found:?}, not {right:?}: {}", stream.name, opening.failure()));
        }
        count += 1;
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(count >= 45, "{count} failures are too few");
}

#[test]
fn a_whole_stream_tells_its_tokens_also_behind_the_first_output() {
    let mut count = 0;
    for stream in STREAMS.iter() {
        let Some(expected) = stream.row["usage"].as_object() else { continue };
        let mut opening = stream.opening();
        for frame in &stream.frames {
            opening.push(frame);
        }
        opening.end();
        let usage = opening.usage().unwrap_or_else(|| panic!("{} tells none", stream.name));
        let found = |name: &str| match name {
            "prompt" => usage.prompt,
            "completion" => usage.completion,
            "cacheRead" => usage.cache_read,
            "reasoning" => usage.reasoning,
            other => panic!("{other} is not counted"),
        };
        for (name, tokens) in expected {
            assert_eq!(found(name).unwrap_or(0), tokens.as_u64().expect("a count"), "{} {name}", stream.name);
        }
        let text = opening.usage_text().expect("it tells some");
        assert_eq!(dacapo::usage::Usage::read(&text), Some(usage), "{text}");
        count += 1;
    }
    assert!(count >= 20, "{count} are too few");
}

fn ended(stream: &Stream) -> &'static str {
    match stream.row["end"].as_str().expect("end is there") {
        "no" => "no",
        "yes" => "yes",
        _ => "failed",
    }
}

fn look(format: Format, stream: &Stream, tail_bytes: usize) -> &'static str {
    let last = stream.frames.last().map_or(&[][..], Vec::as_slice);
    word(tail(format, last, &stream.bytes(), tail_bytes).ended())
}

/// How text ended of which these are the last bytes.
fn ended_with(format: Format, head: &[u8], bytes: &[u8]) -> Ended {
    Tail { format, head, bytes, open: 0 }.ended()
}

#[test]
fn the_last_bytes_tell_how_a_stream_ended() {
    for stream in STREAMS.iter() {
        let mut opening = stream.opening();
        for frame in &stream.frames {
            opening.push(frame);
        }
        if !opening.recognised() {
            continue;
        }
        for tail_bytes in [4096, 1000] {
            assert_eq!(look(opening.format(), stream, tail_bytes), ended(stream), "{}", stream.name);
        }
        assert_eq!(look(Format::Unknown, stream, 4096), "yes");
    }
}

#[test]
fn a_stream_that_is_read_to_its_end_says_the_same_as_its_last_bytes() {
    for stream in STREAMS.iter().filter(|stream| stream.first_output.is_some()) {
        let mut opening = stream.opening();
        for frame in &stream.frames {
            opening.push(frame);
        }
        let missed = opening.recognised() && ended(stream) == "no";
        assert_eq!(opening.end(), if missed { Step::Truncated } else { Step::Complete }, "{}", stream.name);
    }
}

#[test]
fn a_stream_that_is_cut_before_its_end_marker_has_not_ended() {
    let mut count = 0;
    let whole = |stream: &&Stream| stream.first_output.is_some() && ended(stream) == "yes" && stream.frames.len() > 3;
    // Of one choice the end came before the output of the other.
    let one_choice = |stream: &&Stream| !stream.name.ends_with("second-choice-goes-on");
    for stream in STREAMS.iter().filter(whole).filter(one_choice) {
        let mut opening = stream.opening();
        let output = stream.first_output.expect("it has output");
        let cut = &stream.frames[..=output];
        for frame in cut {
            opening.push(frame);
        }
        if !opening.recognised() {
            continue;
        }
        assert_eq!(tail(opening.format(), &[], &cut.concat(), 4096).ended(), Ended::No, "{}", stream.name);
        assert_eq!(opening.end(), Step::Truncated, "{}", stream.name);
        count += 1;
    }
    assert!(count >= 8, "{count} are too few");
}

#[test]
fn an_end_marker_above_the_tail_is_found_in_the_head_of_its_frame() {
    let filler = "x".repeat(10_000);
    let completed = format!(
        "event: response.completed\ndata: {{\"type\":\"response.completed\",\"response\":{{\"output\":[{{\"text\":\"{filler}\"}}]}}}}\n\n"
    );
    let (head, tail) = (&completed.as_bytes()[..512], &completed.as_bytes()[completed.len() - 4096..]);
    assert_eq!(ended_with(Format::Sse, head, tail), Ended::Yes);
    assert_eq!(ended_with(Format::Sse, &head[26..], tail), Ended::Yes, "by the type in the data");
    assert_eq!(ended_with(Format::Sse, &[], tail), Ended::No);
    let reason = format!("data: {{\"candidates\":[{{\"content\":\"{filler}\", \"finishReason\" : \"STOP\"}}]}}\n\n");
    assert_eq!(ended_with(Format::Sse, &[], &reason.as_bytes()[reason.len() - 4096..]), Ended::Yes);
}

#[test]
fn a_bracket_ends_a_json_array_only_when_none_is_open() {
    let ended = |bytes: &[u8], open| Tail { format: Format::JsonArray, head: &[], bytes, open }.ended();
    let inner = br#"{"candidates":[{"content":{"parts":[{"text":"x"}]"#;
    assert_eq!(ended(inner, 2 * 5), Ended::No);
    assert_eq!(ended(b"{\"candidates\":[]}]\n", 0), Ended::Yes);
    assert_eq!(ended(b"{\"candidates\":[]}\n", 2), Ended::No);
}

#[test]
fn every_failure_behind_the_output_is_classified_from_the_last_bytes() {
    let mut wrong = Vec::new();
    let mut count = 0;
    for stream in STREAMS.iter().filter(|stream| stream.expected() == Step::Output && ended(stream) == "failed") {
        let mut opening = stream.opening();
        stream.frames.iter().for_each(|frame| _ = opening.push(frame));
        let body = tail(opening.format(), &[], &stream.bytes(), 4096).failure().unwrap_or_default();
        let failure = Failure { status: Some(200), body: &body, ..Failure::default() };
        let verdict = classify(&failure, &Policy::default(), WallMs(0));
        if stream.row["kind"].as_str() != Some(verdict.kind.as_str()) {
            wrong.push(format!("{}: {:?} of {body}", stream.name, verdict.kind));
        }
        count += 1;
    }
    assert_eq!(wrong, Vec::<String>::new());
    assert!(count >= 30, "{count} failures are too few");
}

#[test]
fn a_failure_above_the_tail_is_told_by_the_head_of_its_line() {
    let error = format!(r#"{{"error":{{"code":503,"status":"UNAVAILABLE","details":["{}"]}}}}"#, "x".repeat(10_000));
    for (format, line) in [
        (Format::Sse, format!("data: {error}\n\n")),
        (Format::Ndjson, format!("{error}\n")),
        (Format::JsonArray, format!(",{error}]")),
    ] {
        let tail = tail(format, line.as_bytes(), line.as_bytes(), 4096);
        assert_eq!(tail.ended(), Ended::Failed);
        let body = tail.failure().expect("it is told");
        let failure = Failure { status: Some(200), body: &body, ..Failure::default() };
        assert_eq!(classify(&failure, &Policy::default(), WallMs(0)).kind.as_str(), "overloaded");
    }
}

#[test]
fn what_a_server_writes_without_the_framing_still_ends_a_stream() {
    let text = "data: {\"choices\":[{\"delta\":{\"content\":\"H\"}}]}\n\n";
    for (last, ended) in [
        ("{\"error\":{\"type\":\"overloaded_error\"}}", Ended::Failed),
        ("{\n  \"error\": {\n    \"type\": \"overloaded_error\"\n  }\n}\n", Ended::Failed),
        ("event: error\ndata: words\ndata: over lines", Ended::Failed),
        ("data: {\"usage\":{\"prompt_tokens\":3}}\ndata: [DONE]\n", Ended::Yes),
        ("event: message_stop", Ended::Yes),
        ("event: error\ndata:\n\n", Ended::Failed),
        ("event: error\n", Ended::No),
        ("Internal Server Error", Ended::No),
    ] {
        assert_eq!(ended_with(Format::Sse, &[], [text, last].concat().as_bytes()), ended, "{last}");
    }
}

#[test]
fn what_a_model_writes_is_no_end_marker() {
    let quoted = r#"data: {"choices":[{"index":0,"delta":{"content":"data: [DONE]\n\n{\"finish_reason\":\"stop\",\"error\":{\"a\":1}}"},"finish_reason":null}]}"#;
    for at in (0..quoted.len()).filter(|at| quoted.is_char_boundary(*at)) {
        assert_eq!(
            ended_with(Format::Sse, &[], [&quoted[at..], "\n\n"].concat().as_bytes()),
            Ended::No,
            "{}",
            &quoted[at..]
        );
    }
}

#[test]
fn an_empty_body_is_truncated_whatever_its_type() {
    for content_type in
        [None, Some("text/event-stream"), Some("application/x-ndjson"), Some("application/vnd.amazon.eventstream")]
    {
        assert_eq!(Opening::new(content_type, false).end(), Step::Truncated);
    }
}
