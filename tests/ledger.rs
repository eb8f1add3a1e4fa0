//! What a call used, what it wasted, and that together they are what is billed.

mod support;

use dacapo::call::Mark;
use dacapo::classify::Ending;
use dacapo::driver::End;
use dacapo::history::History;
use dacapo::policy::Policy;
use dacapo::usage::MAX_TOKENS;
use proptest::prelude::*;
use support::{Reply, Script, play};

/// An error inside a 200 after work that cost 7 and 3 tokens.
const COSTLY: Reply =
    Reply::Body(200, r#"{"error":{"code":502},"usage":{"prompt_tokens":7,"completion_tokens":3,"total_tokens":10}}"#);
const USED: Reply = Reply::Used(r#"{"usage":{"prompt_tokens":7,"completion_tokens":20,"total_tokens":27}}"#);

fn after(outcomes: Vec<Reply>) -> History {
    play(Policy::default(), Script { outcomes, ..Script::default() }).1
}

fn wasted(history: &History) -> (u64, u64, u64) {
    let retry = &history.retry;
    (retry.wasted_prompt_tokens, retry.wasted_completion_tokens, retry.wasted_total_tokens)
}

#[test]
fn the_total_counts_the_attempt_that_succeeded_and_the_bill_all_of_them() {
    let history = after(vec![COSTLY, COSTLY, USED]);
    assert_eq!(history.usage.and_then(|usage| usage.total), Some(27));
    assert_eq!(wasted(&history), (14, 6, 20));
    assert_eq!(history.billed_total_tokens(), 47);
    assert!(!history.retry.waste_is_lower_bound);
}

#[test]
fn when_no_attempt_succeeds_the_total_is_zero_and_the_ledger_has_it_all() {
    let history = after(vec![COSTLY]);
    assert_eq!(history.retry.failed_attempts, 3);
    assert_eq!(history.usage.map(|usage| usage.total.unwrap_or(0)), Some(0));
    assert_eq!((wasted(&history), history.billed_total_tokens()), ((21, 9, 30), 30));
}

#[test]
fn a_cancel_in_the_wait_keeps_the_ledger() {
    let script = Script { outcomes: vec![COSTLY], cancel_in_sleep: Some((1, 5)), ..Script::default() };
    let (end, history, _) = play(Policy::default(), script);
    assert_eq!(end, End::GaveUp(Mark::Cancelled));
    assert_eq!((wasted(&history), history.billed_total_tokens()), ((14, 6, 20), 20));
}

#[test]
fn a_call_without_any_tokens_told_has_no_usage() {
    assert_eq!(after(vec![Reply::Status(503, ""), Reply::Success]).usage, None);
    assert_eq!(after(vec![Reply::Status(503, "")]).usage, None);
    let history = after(vec![COSTLY, Reply::Success]);
    assert_eq!((history.usage, wasted(&history)), (None, (7, 3, 10)));
}

#[test]
fn waste_is_a_lower_bound_when_an_attempt_that_may_have_cost_told_nothing() {
    let is_lower_bound = |reply: Reply| after(vec![reply, USED]).retry.waste_is_lower_bound;
    assert!(is_lower_bound(Reply::Ends(Ending::Error)));
    assert!(is_lower_bound(Reply::Ends(Ending::TimedOut)));
    assert!(is_lower_bound(Reply::Body(200, r#"{"error":{"code":502}}"#)));
    assert!(!is_lower_bound(COSTLY));
    assert!(!is_lower_bound(Reply::Status(429, "")));
    assert!(!is_lower_bound(Reply::Status(503, "")));
    assert!(!is_lower_bound(Reply::Body(200, r#"{"error":{"code":502},"usage":{"total_tokens":0}}"#)));
}

#[test]
fn the_tokens_of_each_failed_attempt_are_in_its_record() {
    let history = after(vec![COSTLY, Reply::Status(429, ""), USED]);
    let totals: Vec<_> = history.attempts.iter().map(|record| record.tokens.and_then(|tokens| tokens.total)).collect();
    assert_eq!(totals, [Some(10), None]);
}

proptest! {
    #[test]
    fn what_is_billed_is_what_was_used_and_wasted(
        costs in proptest::collection::vec(prop_oneof![0..1000u64, Just(u64::MAX)], 1..6),
        succeeds: bool,
    ) {
        let costly = |total: &u64| {
            let body = format!(r#"{{"error":{{"code":502}},"usage":{{"total_tokens":{total}}}}}"#);
            Reply::Body(200, Box::leak(body.into_boxed_str()))
        };
        let mut outcomes: Vec<_> = costs.iter().map(costly).collect();
        if succeeds {
            outcomes.push(USED);
        }
        let max_attempts = outcomes.len() as u32;
        let script = Script { outcomes, ..Script::default() };
        let (_, history, _) = play(Policy { max_attempts, ..Policy::default() }, script);
        let all = costs.iter().fold(0u64, |sum, cost| sum.saturating_add(*cost));
        let used = if succeeds { 27 } else { 0 };
        prop_assert_eq!(history.usage.and_then(|usage| usage.total).unwrap_or(0), used);
        prop_assert_eq!(history.retry.wasted_total_tokens, all.min(MAX_TOKENS));
        prop_assert_eq!(history.billed_total_tokens(), all.saturating_add(used).min(MAX_TOKENS));
    }
}
