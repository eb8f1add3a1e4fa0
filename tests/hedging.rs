//! Attempts that consist of two sends.

mod support;

use dacapo::budget::Budget;
use dacapo::call::Mark;
use dacapo::classify::Ending;
use dacapo::clock::{DelayMs, MonoMs};
use dacapo::driver::End;
use dacapo::guard::Guard;
use dacapo::policy::{Allowance, BudgetRules, Hooks, Jitter, Policy};
use proptest::prelude::*;
use std::sync::{Arc, Mutex};
use support::{Reply, Script, play, play_guarded};

fn hedging() -> Policy {
    let mut policy = Policy { hedge_after: Some(DelayMs::new(10)), ..Policy::default() };
    policy.backoff.jitter = Jitter::None;
    policy
}

fn script(outcomes: &[Reply], hedges: &[(Reply, bool)]) -> Script {
    Script { outcomes: outcomes.to_vec(), hedges: hedges.to_vec(), attempt_ms: 10, ..Script::default() }
}

const DOWN: Reply = Reply::Status(503, "");

#[test]
fn a_hedge_is_made_only_where_a_retry_could_be_and_within_the_deadline() {
    let policy = Policy { deadline: Some(DelayMs::new(100)), timeout: Some(DelayMs::new(60)), ..hedging() };
    let at = |sends, method, elapsed| policy.hedge(sends, method, DelayMs::new(elapsed));
    let limit = |ms, by_deadline| Some(Some(Allowance { limit: DelayMs::new(ms), by_deadline }));
    assert_eq!(at(1, "", 10), limit(60, false));
    assert_eq!(at(2, "POST", 70), limit(30, true));
    assert_eq!((at(3, "", 10), at(1, "", 100), at(1, "", 101)), (None, None, None));
    assert_eq!(Policy::default().hedge(1, "", DelayMs::ZERO), None);
    assert_eq!(hedging().hedge(1, "", DelayMs::ZERO), Some(None));
    let gets = Policy { methods: Some(vec!["GET".into()]), ..hedging() };
    assert_eq!((gets.hedge(1, "POST", DelayMs::ZERO), gets.hedge(1, "get", DelayMs::ZERO)), (None, Some(None)));
}

#[test]
fn the_send_that_loses_is_a_failed_one_of_its_own_number_and_time() {
    for later_decides in [true, false] {
        let (end, history, log) = play(hedging(), script(&[Reply::Success], &[(Reply::Success, later_decides)]));
        assert_eq!((end, log.sends.len()), (End::Delivered, 2));
        let [lost] = &history.attempts[..] else { panic!("{history:?}") };
        let (attempt, started, took) = if later_decides { (1, 0, 20) } else { (2, 10, 10) };
        let began = 1_768_478_400_000 + started;
        assert_eq!(
            (lost.index, lost.attempt, lost.started_at.0, lost.duration_ms.get()),
            (attempt - 1, attempt, began, took)
        );
        assert_eq!((lost.error.kind, lost.delay_ms), ("cancelled", DelayMs::ZERO));
        assert!(history.retry.waste_is_lower_bound);
        assert_eq!((history.retry.total_attempts, history.retry.failed_attempts), (2, 1));
    }
}

#[test]
fn after_two_failures_the_last_decides_and_the_wait_is_the_first() {
    let unauthorized = Reply::Status(401, "retry-after\n30");
    let (end, history, log) = play(hedging(), script(&[DOWN, DOWN, Reply::Success], &[(unauthorized.clone(), false)]));
    assert_eq!(end, End::Delivered);
    assert_eq!(log.sends.iter().map(|(attempt, _)| *attempt).collect::<Vec<_>>(), [1, 2, 3]);
    assert_eq!(log.sleeps, [500]);
    let records: Vec<_> = history.attempts.iter().map(|r| (r.attempt, r.error.status, r.delay_ms.get())).collect();
    assert_eq!(records, [(2, Some(401), 0), (1, Some(503), 500)]);

    let (end, history, _) = play(hedging(), script(&[unauthorized], &[(DOWN, true)]));
    assert_eq!(end, End::GaveUp(Mark::NotRetryable));
    assert_eq!(history.last.map(|last| (last.attempt, last.error.status)), Some((2, Some(401))));
}

#[test]
fn later_waits_grow_by_the_waits_before_them_and_not_by_the_sends() {
    let policy = Policy { max_attempts: 6, ..hedging() };
    let (end, history, log) = play(policy, script(&[DOWN], &[(DOWN, true)]));
    assert_eq!(end, End::GaveUp(Mark::AttemptsExhausted));
    assert_eq!((history.retry.total_attempts, log.sleeps), (6, vec![500, 1000]));
}

#[test]
fn both_sends_are_told_of_and_one_is_waited_after() {
    let hooks = Hooks { on_retry: true, on_event: true, ..Hooks::default() };
    let policy = Policy { hooks, max_attempts: 2, ..hedging() };
    let (_, _, log) = play(policy, script(&[DOWN], &[(DOWN, true)]));
    assert_eq!((log.events, log.announced.len()), (2, 0));
    let policy = Policy { hooks, ..hedging() };
    let (_, _, log) = play(policy, script(&[DOWN], &[(DOWN, true)]));
    assert_eq!((log.events, log.announced), (4, vec![500]));
}

#[test]
fn a_success_gives_back_nothing_of_what_a_hedge_cost() {
    let left_after = |hedges: &[(Reply, bool)]| {
        let mut budget = Budget::new(BudgetRules::default());
        assert_eq!(budget.withdraw(false, MonoMs(0)), Some(14));
        let shared = Arc::new(Mutex::new(budget));
        let guard = Guard::admitted(None, Some(Arc::clone(&shared)), 0, MonoMs(0));
        let (end, _, _) = play_guarded(hedging(), script(&[Reply::Success], hedges), Some(guard));
        assert_eq!(end, End::Delivered);
        shared.lock().unwrap().left(MonoMs(1))
    };
    assert_eq!(left_after(&[(Reply::Success, true)]), 486);
    assert_eq!(left_after(&[]), 487);
}

#[test]
fn a_retry_after_a_hedge_gives_back_what_the_retry_cost() {
    let shared = Arc::new(Mutex::new(Budget::new(BudgetRules::default())));
    let guard = Guard::admitted(None, Some(Arc::clone(&shared)), 0, MonoMs(0));
    let outcomes = [DOWN, DOWN, Reply::Success];
    let (end, _, _) = play_guarded(hedging(), script(&outcomes, &[(DOWN, true)]), Some(guard));
    assert_eq!(end, End::Delivered);
    assert_eq!(shared.lock().unwrap().left(MonoMs(1)), 500);
}

fn replies() -> impl Strategy<Value = Reply> {
    const STATUSES: &[u16] = &[200, 401, 429, 500, 503];
    prop_oneof![
        prop::sample::select(STATUSES).prop_map(|status| if status == 200 {
            Reply::Success
        } else {
            Reply::Status(status, "")
        }),
        prop::sample::select(&[Ending::TimedOut, Ending::Error, Ending::Truncated, Ending::Cancelled][..])
            .prop_map(Reply::Ends),
    ]
}

proptest! {
    #[test]
    fn hedges_included_no_more_is_sent_than_the_attempts_and_all_is_accounted_for(
        max_attempts in 1..8u32,
        deadline in prop::option::of(1..4_000u64),
        attempt_ms in 0..500u64,
        outcomes in prop::collection::vec(replies(), 1..8),
        hedges in prop::collection::vec((replies(), any::<bool>()), 0..4),
    ) {
        let policy = Policy { max_attempts, deadline: deadline.map(DelayMs::new), ..hedging() };
        let (end, history, log) = play(policy, Script { outcomes, hedges, attempt_ms, ..Script::default() });
        let numbers: Vec<_> = log.sends.iter().map(|(attempt, _)| *attempt).collect();
        prop_assert_eq!(&numbers, &(1..=numbers.len() as u32).collect::<Vec<_>>());
        prop_assert!(numbers.len() <= max_attempts as usize);
        prop_assert_eq!(history.retry.total_attempts as usize, numbers.len());
        let succeeded = usize::from(end == End::Delivered);
        prop_assert_eq!(history.retry.failed_attempts as usize + succeeded, numbers.len());
        let mut recorded: Vec<_> = history.attempts.iter().chain(&history.last).map(|record| record.attempt).collect();
        recorded.sort_unstable();
        recorded.dedup();
        prop_assert_eq!(recorded.len() + succeeded, numbers.len());
    }
}
