//! Tests of reading options.

use super::*;

fn read(values: &[(&str, Value)]) -> Result<Policy, Vec<(String, &'static str)>> {
    let values: Vec<_> = values.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect();
    Policy::read(&values).map_err(|faults| faults.0.into_iter().map(|fault| (fault.option, fault.code)).collect())
}

fn fault_of(name: &str, value: Value) -> Option<&'static str> {
    read(&[(name, value)]).err().and_then(|faults| faults.first().map(|fault| fault.1))
}

fn record(members: &[(&str, Value)]) -> Value {
    Value::Record(members.iter().map(|(name, value)| ((*name).to_owned(), value.clone())).collect())
}

#[test]
fn a_count_is_a_whole_number_in_range_and_never_wraps() {
    for bad in [
        Value::Number(f64::NAN),
        Value::Number(0.0),
        Value::Number(-1.0),
        Value::Number(1.5),
        Value::Number(f64::INFINITY),
        Value::Number(4_294_967_296.0),
        Value::Number(9_007_199_254_740_993.0),
        Value::Text("3".into()),
        Value::Flag(true),
        Value::Other,
    ] {
        assert_eq!(fault_of("maxAttempts", bad.clone()), Some("retry_max_attempts"), "{bad:?}");
    }
    assert_eq!(read(&[("maxAttempts", Value::Number(4_294_967_295.0))]).unwrap().max_attempts, u32::MAX);
    assert_eq!(fault_of("maxRetries", Value::Number(4_294_967_295.0)), Some("retry_max_attempts"));
}

#[test]
fn retries_are_attempts_after_the_first() {
    let attempts = |name: &str, n: f64| read(&[(name, Value::Number(n))]).unwrap().max_attempts;
    assert_eq!(attempts("maxRetries", 0.0), 1);
    assert_eq!(attempts("maxRetries", 3.0), 4);
    assert_eq!(attempts("maxAttempts", 3.0), 3);
    assert_eq!(read(&[("maxRetries", Value::Undefined)]).unwrap().max_attempts, 3);
}

#[test]
fn delays_have_elelems_codes() {
    for name in ["initialDelayMs", "maxDelayMs"] {
        for bad in [-1.0, 0.5, f64::NAN, f64::INFINITY, 1e16] {
            assert_eq!(fault_of(name, Value::Number(bad)), Some("retry_delays"), "{name} {bad}");
        }
    }
    assert_eq!(fault_of("initialDelayMs", Value::Number(9000.0)), Some("retry_delay_order"));
    assert_eq!(fault_of("maxDelayMs", Value::Number(100.0)), Some("retry_delay_order"));
}

#[test]
fn alternatives_are_not_given_together() {
    let both = [("maxAttempts", Value::Number(3.0)), ("maxRetries", Value::Number(3.0))];
    assert_eq!(read(&both), Err(vec![("maxRetries".to_owned(), "conflict")]));
    let both = [("retryStatus", Value::List(vec![])), ("nonRetryableStatus", Value::List(vec![]))];
    assert_eq!(read(&both), Err(vec![("nonRetryableStatus".to_owned(), "conflict")]));
}

#[test]
fn every_fault_of_every_option_is_in_one_error() {
    let faults = read(&[
        ("maxAttempts", Value::Number(0.0)),
        ("jitter", Value::Text("some".into())),
        ("colour", Value::Flag(true)),
        ("factor", Value::Number(0.5)),
    ]);
    let names: Vec<_> = faults.unwrap_err().into_iter().map(|(name, _)| name).collect();
    assert_eq!(names, ["maxAttempts", "jitter", "colour", "factor"]);
}

#[test]
fn an_unknown_option_suggests_the_nearest() {
    let faults = Policy::read(&[("maxRetry".to_owned(), Value::Number(1.0))]).unwrap_err();
    assert_eq!(faults.0[0].code, "unknown_option");
    assert!(faults.0[0].allowed.contains("did you mean maxRetries?"), "{}", faults.0[0].allowed);
    assert_eq!(fault_of("colour", Value::Undefined), Some("unknown_option"));
}

#[test]
fn every_option_refuses_a_value_of_no_form() {
    for (name, _) in OPTIONS {
        assert!(fault_of(name, Value::Other).is_some(), "{name}");
        if !matches!(*name, "signal" | "policy") {
            assert_eq!(fault_of(name, Value::Undefined), None, "{name}");
        }
    }
}

#[test]
fn every_choice_refuses_a_stranger_and_takes_its_own_words() {
    for (name, slot) in OPTIONS {
        if let Slot::Choice(words, field) = slot {
            assert_eq!(fault_of(name, Value::Text("maybe".into())), Some("choice"), "{name}");
            for (i, word) in words.iter().enumerate() {
                let mut policy = read(&[(name, Value::Text((*word).into()))]).unwrap();
                assert_eq!(field(&mut policy, None), i, "{name}: {word}");
            }
        }
    }
    for name in ["preset", "jitter", "expect"] {
        assert_eq!(fault_of(name, Value::Text("maybe".into())), Some("choice"), "{name}");
    }
}

#[test]
fn lists_refuse_what_does_not_belong() {
    let statuses = |items: &[f64]| Value::List(items.iter().map(|n| Value::Number(*n)).collect());
    assert_eq!(fault_of("retryStatus", statuses(&[500.5])), Some("type"));
    assert_eq!(fault_of("nonRetryableStatus", statuses(&[99.0])), Some("type"));
    assert_eq!(read(&[("retryStatus", statuses(&[418.0]))]).unwrap().statuses, StatusRule::Only(vec![418]));
    assert_eq!(fault_of("hintSources", Value::List(vec![Value::Text("sundial".into())])), Some("type"));
    assert_eq!(fault_of("methods", Value::List(vec![Value::Number(1.0)])), Some("type"));
}

#[test]
fn jitter_redact_clock_and_header_names_check_what_is_in_them() {
    assert_eq!(fault_of("jitter", record(&[("additive", Value::Number(2.0))])), Some("range"));
    assert_eq!(fault_of("jitter", record(&[("additive", Value::Flag(true))])), Some("type"));
    assert_eq!(fault_of("jitter", record(&[("additive", Value::Number(0.25))])), None);
    assert_eq!(fault_of("redact", record(&[("header", Value::List(vec![]))])), Some("unknown_option"));
    assert_eq!(fault_of("redact", record(&[("headers", Value::Text("x".into()))])), Some("type"));
    assert_eq!(fault_of("clock", record(&[("now", Value::Function)])), Some("type"));
    assert_eq!(fault_of("clock", record(&[("now", Value::Function), ("sleep", Value::Function)])), None);
    assert_eq!(fault_of("retryCountHeader", Value::Text("x retry".into())), Some("type"));
    assert_eq!(fault_of("retryCountHeader", Value::Text("x-retry".into())), None);
}

#[test]
fn a_limit_of_zero_is_off_also_where_the_preset_has_one() {
    let zero = Value::Number(0.0);
    let policy = read(&[("preset", Value::Text("vernllm".into())), ("timeoutMs", zero.clone()), ("deadlineMs", zero)]);
    let policy = policy.unwrap();
    assert_eq!((policy.timeout, policy.deadline), (None, None));
}

#[test]
fn elelems_longest_hint_follows_its_longest_delay() {
    let elelem = ("preset", Value::Text("elelem".into()));
    let longest = |values: &[(&str, Value)]| read(values).unwrap().hints.max.get();
    assert_eq!(longest(std::slice::from_ref(&elelem)), 8000);
    assert_eq!(longest(&[("maxDelayMs", Value::Number(900.0)), elelem.clone()]), 900);
    assert_eq!(longest(&[elelem, ("maxRetryAfterMs", Value::Number(70.0))]), 70);
}

#[test]
fn resolved_options_read_again_make_the_same_policy() {
    for preset in [Preset::Default, Preset::Elelem, Preset::VernLlm, Preset::OneLlm] {
        let mut policy = preset.policy();
        policy.provider = Some("acme".into());
        policy.methods = Some(vec!["GET".into()]);
        policy.expect_json = true;
        let values: Vec<_> = policy.resolved().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let mut again = Policy::read(&values).unwrap();
        if policy.statuses == StatusRule::ThrottledOrServer {
            assert!((400..600).all(|status| again.statuses.retries(status) == policy.statuses.retries(status)));
            again.statuses = StatusRule::ThrottledOrServer;
        }
        assert_eq!(again, policy, "{preset:?}");
    }
}
