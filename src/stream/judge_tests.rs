use super::super::shapes::{CLIENT_SORTS, SORTS};
use super::*;

const NOTHING: Frame = Frame::Nothing;
const OUTPUT: Frame = Frame::Output;
const FAILURE: Frame = Frame::Failure;
const OVER: Frame = Frame::Ended { failed: false, closed: false };
const CLOSED: Frame = Frame::Ended { failed: false, closed: true };
const FAILED: Frame = Frame::Ended { failed: true, closed: false };
const UNKNOWN: Frame = Frame::Unknown;

fn frame(text: &str) -> Frame {
    event("", text)
}

fn event(name: &str, text: &str) -> Frame {
    judge(name, text, Sender::Provider, &mut UsageReader::default()).frame
}

fn each(expected: Frame, texts: &[&str]) {
    for text in texts {
        assert_eq!(frame(text), expected, "{text}");
    }
}

fn each_chunk(expected: Frame, texts: &[&str]) {
    for text in texts {
        assert_eq!(judge_chunk(text), expected, "{text}");
    }
}

#[test]
fn an_opening_without_content_is_no_output() {
    each(
        NOTHING,
        &[
            r#"{"choices":[{"index":0,"delta":{"role":"assistant"}}]}"#,
            r#"{"choices":[{"index":0,"delta":{"role":"assistant","content":"","refusal":null},"logprobs":null,"finish_reason":null}]}"#,
            r#"{"choices":[],"usage":null}"#,
            r#"{"choices":[],"object":"","prompt_filter_results":[{"prompt_index":0,"content_filter_results":{"hate":{"severity":"safe"}}}]}"#,
            r#"{"object":"chat.completion.chunk","choices":[],"usage":{"prompt_tokens":3}}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"id":"call_1","type":"function","function":{"name":"","arguments":""}}]}}]}"#,
            r#"{"choices":[{"delta":{"reasoning_details":[{"type":"reasoning.text","format":"unknown","index":0,"text":""}]}}]}"#,
            r#"{"type":"message_start","message":{"content":[],"stop_reason":null,"usage":{"service_tier":"standard"}}}"#,
            r#"{"type":"content_block_start","content_block":{"type":"tool_use","id":"toolu_1","name":"f","input":{}}}"#,
            r#"{"type":"content_block_delta","delta":{"type":"text_delta","text":""}}"#,
            r#"{"type":"content_block_delta","delta":{"type":"signature_delta","signature":"c2ln"}}"#,
            r#"{"type":"content_block_stop","index":0}"#,
            r#"{"type":"ping"}"#,
            r#"{"type":"response.queued","response":{"status":"queued","error":null,"incomplete_details":null}}"#,
            r#"{"type":"response.output_item.added","item":{"id":"fc_1","type":"function_call","name":"f","call_id":"c","arguments":""}}"#,
            r#"{"type":"response.output_item.added","item":{"id":"rs_1","type":"reasoning","encrypted_content":"x","summary":[]}}"#,
            r#"{"type":"response.web_search_call.searching","item_id":"ws_1"}"#,
            r#"{"candidates":[{"content":{"parts":[{"text":"","thoughtSignature":"c2ln"}],"role":"model"},"index":0}]}"#,
            r#"{"usageMetadata":{"promptTokenCount":3},"modelVersion":"m"}"#,
            r#"{"type":"content-start","delta":{"message":{"content":{"type":"text","text":""}}}}"#,
            r#"{"model":"m","message":{"role":"assistant","content":""},"done":false}"#,
            "",
        ],
    );
    assert_eq!(event("ping", "tick"), NOTHING);
    assert_eq!(event("contentBlockStart", r#"{"start":{"toolUse":{"toolUseId":"t","name":"f"}}}"#), NOTHING);
}

#[test]
fn content_of_any_sort_is_output() {
    each(
        OUTPUT,
        &[
            r#"{"choices":[{"delta":{"content":"H"}}]}"#,
            r#"{"choices":[{"delta":{"content":[{"type":"thinking","thinking":[{"type":"text","text":"H"}]}]}}]}"#,
            r#"{"choices":[{"delta":{"reasoning_content":"H"}}]}"#,
            r#"{"choices":[{"delta":{"reasoning":"H"}}]}"#,
            r#"{"choices":[{"delta":{"refusal":"No"}}]}"#,
            r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"f","arguments":""}}]}}]}"#,
            r#"{"choices":[{"delta":{"audio":{"id":"a","data":"UklG"}}}]}"#,
            r#"{"choices":[{"delta":{"images":[{"type":"image_url","image_url":{"url":"data:"}}]}}]}"#,
            r#"{"choices":[{"text":"H","index":0}]}"#,
            r#"{"type":"content_block_delta","delta":{"type":"thinking_delta","thinking":"H"}}"#,
            r#"{"type":"content_block_delta","delta":{"type":"input_json_delta","partial_json":"{"}}"#,
            r#"{"type":"content_block_delta","delta":{"type":"citations_delta","citation":{"type":"char_location","cited_text":"H"}}}"#,
            r#"{"type":"content_block_start","content_block":{"type":"redacted_thinking","data":"H"}}"#,
            r#"{"type":"response.output_text.delta","delta":"H"}"#,
            r#"{"type":"response.refusal.delta","delta":"H"}"#,
            r#"{"type":"response.function_call_arguments.delta","delta":"{"}"#,
            r#"{"type":"response.image_generation_call.partial_image","partial_image_b64":"H"}"#,
            r#"{"type":"response.output_item.done","item":{"type":"message","role":"assistant","content":[{"type":"output_text","text":"H"}]}}"#,
            r#"{"candidates":[{"content":{"parts":[{"functionCall":{"name":"f","args":{}}}]},"finishReason":"STOP"}]}"#,
            r#"{"candidates":[{"content":{"parts":[{"inlineData":{"mimeType":"image/png","data":"H"}}]}}]}"#,
            r#"{"type":"tool-plan-delta","delta":{"message":{"tool_plan":"H"}}}"#,
            r#"{"type":"tool-call-start","delta":{"message":{"tool_calls":{"id":"t","type":"function","function":{"name":"f","arguments":""}}}}}"#,
            r#"{"message":{"role":"assistant","content":"","tool_calls":[{"function":{"name":"f","arguments":{}}}]},"done":false}"#,
            r#"{"model":"m","response":"H","done":false}"#,
            r#"{"output":{"choices":[{"message":{"content":"H","role":"assistant"},"finish_reason":"null"}]}}"#,
        ],
    );
    assert_eq!(event("contentBlockDelta", r#"{"delta":{"reasoningContent":{"text":"H"}},"p":"ab"}"#), OUTPUT);
}

#[test]
fn a_failure_is_told_by_its_name_its_type_or_its_error() {
    each(
        FAILURE,
        &[
            r#"{"error":{"message":"m","type":"server_error"}}"#,
            r#"{"error":"over capacity"}"#,
            r#"{"choices":[{"delta":{}}],"x_groq":{"error":"over capacity"}}"#,
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            r#"{"type":"error","code":null,"message":"m"}"#,
            r#"{"type":"response.failed","response":{"error":null}}"#,
            r#"{"choices":[{"delta":{"content":"H"},"finish_reason":"error"}]}"#,
            r#"{"type":"message-end","delta":{"error":"m","finish_reason":"ERROR"}}"#,
            r#"{"type":"message-end","delta":{"finish_reason":"ERROR"}}"#,
            r#"{"candidates":[{"content":{"parts":[{"text":"H"}]},"finishReason":"MALFORMED_FUNCTION_CALL"}]}"#,
            r#"{"choices":[{"finish_reason":"network_error"},{"finish_reason":"stop"}]}"#,
            r#"{"output":{"choices":[{"finish_reason":"OTHER_ERROR"}]}}"#,
            r#"{"token":null,"details":{"finish_reason":"error"}}"#,
            r#"{"throttlingException":{"message":"m"}}"#,
            r#"[{"error":{"code":503,"status":"UNAVAILABLE"}}]"#,
        ],
    );
    assert_eq!(event("error", "Internal server error"), FAILURE);
    assert_eq!(event("error", "{\"detail\":\"m\"}"), FAILURE);
    assert_eq!(event("error", ""), FAILURE);
}

#[test]
fn an_end_names_a_failure_or_not_and_may_be_the_last_frame() {
    each(
        OVER,
        &[
            r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#,
            r#"{"choices":[{"delta":{"content":""},"finish_reason":"length"}]}"#,
            r#"{"type":"message_delta","delta":{"stop_reason":"end_turn","stop_sequence":null}}"#,
            r#"{"candidates":[{"finishReason":"MAX_TOKENS"}]}"#,
            r#"{"type":"message-end","delta":{"finish_reason":"COMPLETE"}}"#,
            r#"{"stopReason":"end_turn"}"#,
        ],
    );
    each(
        CLOSED,
        &[
            "[DONE]",
            r#"{"type":"message_stop"}"#,
            r#"{"type":"response.completed","response":{"status":"completed","error":null,"output":[]}}"#,
            r#"{"type":"response.incomplete","response":{"incomplete_details":{"reason":"max_output_tokens"}}}"#,
            r#"{"message":{"content":""},"done":true,"done_reason":"stop"}"#,
        ],
    );
    each(
        FAILED,
        &[
            r#"{"candidates":[{"finishReason":"SAFETY"}]}"#,
            r#"{"choices":[{"delta":{},"finish_reason":"content_filter"}]}"#,
            r#"{"choices":[{"delta":{},"finish_reason":"sensitive"}]}"#,
            r#"{"promptFeedback":{"blockReason":"PROHIBITED_CONTENT"}}"#,
            r#"{"type":"message-end","delta":{"finish_reason":"ERROR_LIMIT"}}"#,
        ],
    );
    assert_eq!(
        frame(r#"{"type":"response.incomplete","response":{"incomplete_details":{"reason":"content_filter"}}}"#),
        Frame::Ended { failed: true, closed: true }
    );
}

#[test]
fn output_beside_an_end_is_output_and_the_end_is_told() {
    let both = r#"{"candidates":[{"content":{"parts":[{"text":"H"}]},"finishReason":"STOP"}]}"#;
    let judged = judge("", both, Sender::Provider, &mut UsageReader::default());
    assert_eq!(judged, Judged { frame: OUTPUT, recognised: true, ended: true, shape: Shape::Whole });
}

#[test]
fn what_is_no_frame_of_a_model_is_unknown() {
    each(
        UNKNOWN,
        &[
            r#"{"jsonrpc":"2.0","id":1,"error":{"code":-32601,"message":"m"}}"#,
            r#"{"user":"u"}"#,
            r#"{"type":"start"}"#,
            r#"{"error":null}"#,
            "hello",
            "{}",
            "12",
            "\"H\"",
        ],
    );
    assert_eq!(event("joined", ""), UNKNOWN);
    assert_eq!(event("metadata", "{\"run_id\":\"r\"}"), UNKNOWN);
    let judged = judge("", r#"{"text":"H"}"#, Sender::Provider, &mut UsageReader::default());
    assert_eq!((judged.frame, judged.recognised), (OUTPUT, false), "whose it is, and how it ends, is not known");
}

#[test]
fn a_member_is_known_however_its_name_is_escaped() {
    each(OUTPUT, &[r#"{"choices":[{"d\u0065lta":{"\u0063ontent":"H"}}]}"#]);
    each(FAILURE, &[r#"{"\u0065rror":{"code":"c"}}"#, r#"{"typ\u0065":"error"}"#]);
    each(OVER, &[r#"{"c\u0068oices":[{"finish\u005freason":"stop"}]}"#]);
    each(NOTHING, &[r#"{"choices":[{"delta":{"r\u006fle":"assistant"}}]}"#]);
}

#[test]
fn a_frame_that_is_cut_is_told() {
    let judged = judge("", r#"{"choices":[{"delta":{"con"#, Sender::Provider, &mut UsageReader::default());
    assert_eq!(judged.shape, Shape::CutShort);
}

#[test]
fn chunks_of_clients_are_judged_alike() {
    each_chunk(
        NOTHING,
        &[
            "\"\"",
            r#"{"type":"stream-start","warnings":[]}"#,
            r#"{"type":"start-step","request":{"body":"{}"},"warnings":[]}"#,
            r#"{"type":"response-metadata","id":"r","modelId":"m","timestamp":"t"}"#,
            r#"{"type":"text-start","id":"0"}"#,
            r#"{"type":"text-delta","id":"0","delta":""}"#,
            r#"{"type":"reasoning-start","id":"0"}"#,
            r#"{"lc":1,"type":"constructor","id":["langchain_core","messages","AIMessageChunk"],"kwargs":{"content":"","tool_call_chunks":[],"additional_kwargs":{},"response_metadata":{}}}"#,
            r#"{"messageStart":{"role":"assistant"}}"#,
            r#"{"contentBlockStart":{"start":{"toolUse":{"toolUseId":"t","name":"f"}},"contentBlockIndex":0}}"#,
            r#"{"type":"message_start","message":{"content":[],"usage":{"input_tokens":1}}}"#,
            r#"{"choices":[{"delta":{"role":"assistant","content":""}}]}"#,
        ],
    );
    each_chunk(
        OUTPUT,
        &[
            "\"H\"",
            r#"{"type":"text-delta","textDelta":"H"}"#,
            r#"{"type":"text-delta","id":"0","delta":"H"}"#,
            r#"{"type":"text-delta","id":"0","text":"H"}"#,
            r#"{"type":"reasoning","textDelta":"H"}"#,
            r#"{"type":"reasoning-delta","id":"0","delta":"H"}"#,
            r#"{"type":"tool-input-delta","id":"0","delta":"{"}"#,
            r#"{"type":"tool-call-delta","toolName":"f","argsTextDelta":"{"}"#,
            r#"{"lc":1,"type":"constructor","id":["AIMessageChunk"],"kwargs":{"content":"H"}}"#,
            r#"{"lc":1,"type":"constructor","id":["AIMessageChunk"],"kwargs":{"content":"","tool_call_chunks":[{"name":"f","args":"","index":0}]}}"#,
            r#"{"contentBlockDelta":{"delta":{"text":"H"},"contentBlockIndex":0}}"#,
            r#"{"sdkHttpResponse":{"headers":{"date":"d"}},"candidates":[{"content":{"parts":[{"text":"H"}]}}]}"#,
            r#"{"data":{"id":"c","choices":[{"index":0,"delta":{"content":"H"},"finishReason":null}]}}"#,
            r#"{"type":"response.output_text.delta","delta":"H"}"#,
        ],
    );
    each_chunk(
        FAILURE,
        &[
            r#"{"type":"error","error":{}}"#,
            r#"{"type":"error","errorText":"m"}"#,
            r#"{"internalServerException":{"name":"InternalServerException","$fault":"server"}}"#,
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            r#"{"type":"finish","finishReason":"error"}"#,
            r#"{"type":"finish","finishReason":{"unified":"error","raw":"insufficient_system_resource"}}"#,
            r#"{"lc":1,"type":"constructor","id":["AIMessageChunk"],"kwargs":{"content":"","response_metadata":{"finish_reason":"network_error"}}}"#,
        ],
    );
    // What the step came to is said once more at the end, with the tokens of all steps.
    each_chunk(FAILED, &[r#"{"type":"finish-step","finishReason":"error","usage":{"inputTokens":1}}"#]);
    each_chunk(CLOSED, &[r#"{"type":"finish","finishReason":"stop","usage":{"inputTokens":1}}"#]);
    let failed = Frame::Ended { failed: true, closed: true };
    each_chunk(failed, &[r#"{"type":"finish","finishReason":{"unified":"content-filter","raw":"SAFETY"}}"#]);
    each_chunk(OVER, &[r#"{"messageStop":{"stopReason":"end_turn"}}"#]);
    each_chunk(
        UNKNOWN,
        &[
            r#"{"type":"tool-input-start","id":"0","toolName":"f"}"#,
            r#"{"type":"tool-call","toolCallId":"c","toolName":"f","input":{}}"#,
            r#"{"type":"file","mediaType":"image/png"}"#,
            r#"{"n":1}"#,
            "3",
            "null",
        ],
    );
}

#[test]
fn no_name_is_twice_in_a_table() {
    let mut seen = std::collections::BTreeSet::new();
    for (_, names) in SORTS.iter().chain(CLIENT_SORTS) {
        for name in *names {
            assert!(seen.insert(*name), "{name}");
        }
    }
    let mut seen = std::collections::BTreeSet::new();
    for root in ROOTS {
        assert!(seen.insert(root.key), "{}", root.key);
    }
}
