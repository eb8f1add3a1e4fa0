//! Tests of reading options.

use super::*;
use crate::policy::{BreakerMode, BreakerRules, BudgetMode, BudgetRules};

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
    for preset in [Preset::Default, Preset::Elelem, Preset::VernLlm, Preset::OneLlm, Preset::Aws] {
        let mut policy = preset.policy();
        policy.provider = Some("acme".into());
        policy.methods = Some(vec!["GET".into()]);
        policy.expect_json = true;
        policy.breaker = Some(BreakerRules { probes: 3, lease: Some(DelayMs::new(9)), ..BreakerRules::default() });
        policy.fallback_on = Some(vec![ErrorKind::Auth]);
        let values: Vec<_> = policy.resolved().into_iter().map(|(name, value)| (name.to_owned(), value)).collect();
        let mut again = Policy::read(&values).unwrap();
        if policy.statuses == StatusRule::ThrottledOrServer {
            assert!((400..600).all(|status| again.statuses.retries(status) == policy.statuses.retries(status)));
            again.statuses = StatusRule::ThrottledOrServer;
        }
        assert_eq!(again, policy, "{preset:?}");
    }
}

#[test]
fn a_breaker_and_a_budget_are_on_off_or_an_object_of_their_own_options() {
    for name in ["breaker", "budget"] {
        let on = |value| {
            let policy = read(&[(name, value)]).unwrap();
            if name == "breaker" { policy.breaker.is_some() } else { policy.budget.is_some() }
        };
        assert!(on(Value::Flag(true)) && on(record(&[])), "{name}");
        assert!(!on(Value::Flag(false)) && !on(Value::Undefined), "{name}");
        for bad in [Value::Number(1.0), Value::Text("on".into()), Value::List(vec![]), Value::Function] {
            assert_eq!(fault_of(name, bad), Some("type"));
        }
    }
    let aws = ("preset", Value::Text("aws".into()));
    assert_eq!(read(&[aws.clone(), ("budget", Value::Flag(false))]).unwrap().budget, None);
    let rules = read(&[aws, ("budget", record(&[("capacity", Value::Number(7.0))]))]).unwrap().budget;
    assert_eq!(rules, Some(BudgetRules { capacity: 7, initial: 7, ..BudgetRules::default() }));
}

#[test]
fn the_members_of_an_object_are_read_into_their_places() {
    let number = Value::Number;
    let breaker = record(&[
        ("mode", Value::Text("rolling".into())),
        ("failureRatio", number(0.25)),
        ("openMs", number(10.0)),
        ("leaseMs", number(20.0)),
        ("countThrottling", Value::Flag(true)),
        ("key", Value::Function),
        ("onStateChange", Value::Function),
        ("store", record(&[("read", Value::Function)])),
        ("probes", Value::Undefined),
    ]);
    let expected = BreakerRules {
        mode: BreakerMode::Rolling,
        failure_ratio: 0.25,
        open: DelayMs::new(10),
        lease: Some(DelayMs::new(20)),
        count_throttling: true,
        ..BreakerRules::default()
    };
    assert_eq!(read(&[("breaker", breaker)]).unwrap().breaker, Some(expected));
    let budget =
        record(&[("mode", Value::Text("ratio".into())), ("ratio", number(0.5)), ("key", Value::Text("k".into()))]);
    let expected = BudgetRules { mode: BudgetMode::Ratio, ratio: 0.5, ..BudgetRules::default() };
    assert_eq!(read(&[("budget", budget)]).unwrap().budget, Some(expected));
}

#[test]
fn a_fault_of_a_member_has_its_full_name_and_suggests_a_member() {
    let fault = |option: &str, member: &str, value: Value| {
        let faults = Policy::read(&[(option.to_owned(), record(&[(member, value)]))]).unwrap_err().0;
        let [fault] = &faults[..] else { panic!("{faults:?}") };
        (fault.option.clone(), fault.code, fault.allowed.clone())
    };
    let number = Value::Number;
    let unknown = |hint: &str| ["there is no such option", hint].concat();
    let misspelt = fault("breaker", "failure", number(5.0));
    assert_eq!(misspelt, ("breaker.failure".into(), "unknown_option", unknown("; did you mean failures?")));
    assert_eq!(fault("breaker", "capacity", number(5.0)).2, unknown(""));
    assert_eq!(fault("budget", "colour", Value::Undefined).2, unknown(""));
    for (option, member, value) in [
        ("breaker", "failures", 0.0),
        ("breaker", "windowMs", 0.0),
        ("breaker", "minCalls", 0.0),
        ("breaker", "failureRatio", 0.0),
        ("breaker", "failureRatio", f64::NAN),
        ("breaker", "openMs", 0.0),
        ("breaker", "openMs", 300_001.0),
        ("breaker", "openJitter", 1.1),
        ("breaker", "probes", 0.0),
        ("budget", "initial", 501.0),
        ("budget", "ratio", 1.1),
        ("budget", "windowMs", 0.0),
        ("budget", "capacity", -1.0),
    ] {
        assert_eq!(fault(option, member, number(value)).0, [option, ".", member].concat());
        assert_eq!(fault(option, member, number(value)).1, "range", "{option}.{member}");
    }
    assert_eq!(fault_of("breaker.failures", number(5.0)), Some("unknown_option"));
    let too_long = "at most breaker.maxOpenMs, which is 300000";
    assert_eq!(fault("breaker", "openMs", number(300_001.0)).2, too_long, "nobody gave that one");
    assert_eq!(fault("budget", "initial", number(501.0)).2, "at most budget.capacity, which is 500");
}

#[test]
fn a_breaker_and_a_budget_of_no_form_are_told_of_every_form() {
    for (name, class) in [("breaker", "CircuitBreaker"), ("budget", "RetryBudget")] {
        let faults = Policy::read(&[(name.to_owned(), Value::Number(5.0))]).unwrap_err().0;
        let allowed: Vec<_> = faults.iter().map(|fault| fault.allowed.as_str()).collect();
        assert_eq!(allowed, [["true, false, an object of options or a ", class].concat()]);
    }
}

#[test]
fn every_member_refuses_a_value_of_no_form() {
    for (name, _) in MEMBERS {
        let (option, member) = split_once(name, b'.').unwrap();
        assert!(fault_of(option, record(&[(member, Value::Other)])).is_some(), "{name}");
        assert_eq!(fault_of(option, record(&[(member, Value::Undefined)])), None, "{name}");
    }
}

#[test]
fn fallback_takes_a_list_of_kinds_or_a_function() {
    let list = |names: &[&str]| Value::List(names.iter().map(|name| Value::Text((*name).into())).collect());
    let policy = read(&[("fallbackOn", list(&["auth", "timeout"]))]).unwrap();
    assert_eq!(policy.fallback_on, Some(vec![ErrorKind::Auth, ErrorKind::Timeout]));
    assert_eq!(read(&[("fallbackOn", Value::Function)]).unwrap().fallback_on, None);
    let faults = Policy::read(&[("fallbackOn".to_owned(), list(&["auth", "rate_limit"]))]).unwrap_err().0;
    assert_eq!(
        (faults[0].code, &*faults[0].allowed),
        ("choice", "a list of kinds, or a function; entry 2 is no kind; did you mean rate_limited?")
    );
    assert_eq!(fault_of("fallbackOn", Value::Text("auth".into())), Some("type"));
    for item in [Value::Number(1.0), Value::Text(String::new())] {
        let faults = Policy::read(&[("fallbackOn".to_owned(), Value::List(vec![item]))]).unwrap_err().0;
        assert_eq!(
            (faults[0].code, &*faults[0].allowed),
            ("choice", "a list of kinds, or a function; entry 1 is no kind")
        );
    }
}

#[test]
fn a_throttled_delay_is_a_first_delay_of_its_own() {
    let policy = read(&[("throttledDelayMs", Value::Number(2000.0)), ("jitter", Value::Text("none".into()))]).unwrap();
    let wait = |kind| policy.backoff_after(kind).delay_in_sequence(2, 0.5).get();
    assert_eq!((wait(ErrorKind::RateLimited), wait(ErrorKind::Overloaded)), (4000, 1000));
    assert_eq!(fault_of("throttledDelayMs", Value::Number(8001.0)), Some("retry_delay_order"));
    assert_eq!(read(&[("throttledDelayMs", Value::Number(0.0))]).unwrap().throttled_delay, None);
}

#[test]
fn a_cap_below_a_delay_that_was_not_given_names_the_cap_and_the_delay() {
    let read = |name: &str, more: Option<(&str, f64)>| {
        let mut values = vec![(name.to_owned(), Value::Number(100.0))];
        values.extend(more.map(|(name, value)| (name.to_owned(), Value::Number(value))));
        let faults = Policy::read(&values).unwrap_err().0;
        faults.into_iter().map(|fault| (fault.option, fault.allowed)).collect::<Vec<_>>()
    };
    let cap = |allowed: &str| vec![("maxDelayMs".to_owned(), allowed.to_owned())];
    assert_eq!(read("maxDelayMs", None), cap("at least 500, the initialDelayMs in force; give both"));
    let both = vec![("initialDelayMs".to_owned(), "at most maxDelayMs".to_owned())];
    assert_eq!(read("maxDelayMs", Some(("initialDelayMs", 200.0))), both);
}

#[test]
fn the_names_that_other_libraries_have_lead_to_ours() {
    for (theirs, ours) in [
        ("baseDelayMs", "initialDelayMs"),
        ("minTimeout", "initialDelayMs"),
        ("maxTimeout", "maxDelayMs"),
        ("retry", "maxRetries"),
        ("numOfAttempts", "maxAttempts"),
        ("statusCodes", "retryStatus"),
        ("circuitBreaker", "breaker"),
        ("onFailedAttempt", "onRetry"),
    ] {
        let faults = Policy::read(&[(theirs.to_owned(), Value::Number(1.0))]).unwrap_err().0;
        assert_eq!(faults[0].allowed, ["there is no such option; did you mean ", ours, "?"].concat(), "{theirs}");
    }
    for line in ELSEWHERE.lines() {
        let ours = line.split(' ').next().unwrap();
        assert!(OPTIONS.iter().any(|(name, _)| *name == ours), "{ours}");
    }
}
