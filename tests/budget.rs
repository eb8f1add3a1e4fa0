//! The retry budget, through calls: the scenarios that the AWS SDKs publish for their standard
//! retry mode 2.1, the bounds of a bucket, and a storm.

use dacapo::budget::Budget;
use dacapo::call::{Call, Command, Event, Mark, Observed, Outcome};
use dacapo::clock::{DelayMs, MonoMs, Now, WallMs};
use dacapo::guard::{Guard, Shared};
use dacapo::policy::{BudgetMode, BudgetRules, Jitter, Policy, Preset};
use proptest::prelude::*;
use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

fn shared(rules: BudgetRules) -> Shared<Budget> {
    Arc::new(Mutex::new(Budget::new(rules)))
}

fn bucket(initial: u32) -> Shared<Budget> {
    shared(BudgetRules { initial, ..BudgetRules::default() })
}

fn at(ms: u64) -> Now {
    Now { mono: MonoMs(ms), wall: WallMs(0) }
}

fn ended(status: u16, headers: &str, started: Now) -> Event {
    let failed = || Box::new(Observed { status: Some(status), headers: headers.into(), ..Observed::default() });
    let outcome = if status == 200 { Outcome::Succeeded(None) } else { Outcome::Failed(failed()) };
    Event::Ended { started, outcome }
}

/// How a call ended.
#[derive(Debug, PartialEq)]
enum End {
    Delivered,
    GaveUp(Mark),
}

use End::{Delivered, GaveUp};

/// Plays a call whose attempts end so; the last status repeats. Gives its waits, the tokens
/// after each wait was decided, its end and the tokens then.
fn play(policy: &Policy, budget: &Shared<Budget>, statuses: &[u16]) -> (Vec<u64>, Vec<u64>, End, u64) {
    let left = |now: Now| budget.lock().unwrap().left(now.mono);
    let mut now = at(1000);
    let mut call = Call::new(Arc::new(policy.clone()), now);
    call.guarded_by(Guard::admit(None, Some(Arc::clone(budget)), now.mono).expect("no breaker refuses it"));
    let (mut waits, mut tokens) = (Vec::new(), Vec::new());
    let mut command = call.start();
    loop {
        command = match command {
            Command::Send { attempt, .. } => {
                let status = statuses.get(attempt as usize - 1).or(statuses.last()).copied().unwrap_or(200);
                // The largest number below one: what the jitter gives at most, rounded.
                call.step(ended(status, "", now), now, &mut || 1.0)
            }
            Command::Wait { delay, .. } => {
                waits.push(delay.get());
                tokens.push(left(now));
                now = at(now.mono.0 + delay.get());
                call.step(Event::Waited, now, &mut || 1.0)
            }
            Command::Deliver => return (waits, tokens, Delivered, left(now)),
            Command::GiveUp { mark } => return (waits, tokens, GaveUp(mark), left(now)),
            Command::Ask => panic!("there are no hooks"),
        };
    }
}

fn aws(max_attempts: u32) -> Policy {
    Policy { max_attempts, ..Preset::Aws.policy() }
}

#[test]
fn aws_two_server_errors_then_success_give_the_last_cost_back() {
    let told = play(&Preset::Aws.policy(), &bucket(500), &[500, 500, 200]);
    assert_eq!(told, (vec![50, 100], vec![486, 472], Delivered, 486));
}

#[test]
fn aws_a_call_that_fails_three_times_stops_by_its_attempts_and_gets_nothing_back() {
    let told = play(&Preset::Aws.policy(), &bucket(500), &[502]);
    assert_eq!(told, (vec![50, 100], vec![486, 472], GaveUp(Mark::AttemptsExhausted), 472));
}

#[test]
fn aws_a_bucket_for_one_retry_pays_one_retry() {
    let told = play(&Preset::Aws.policy(), &bucket(14), &[500]);
    assert_eq!(told, (vec![50], vec![0], GaveUp(Mark::RetryBudgetExhausted), 0));
}

#[test]
fn aws_an_empty_bucket_pays_none() {
    let told = play(&Preset::Aws.policy(), &bucket(0), &[500]);
    assert_eq!(told, (vec![], vec![], GaveUp(Mark::RetryBudgetExhausted), 0));
}

#[test]
fn aws_five_attempts_double_their_wait_each_time() {
    let told = play(&aws(5), &bucket(500), &[500]);
    let tokens = vec![486, 472, 458, 444];
    assert_eq!(told, (vec![50, 100, 200, 400], tokens, GaveUp(Mark::AttemptsExhausted), 444));
}

#[test]
fn aws_what_is_too_little_for_a_retry_stays_in_the_bucket() {
    let told = play(&Preset::Aws.policy(), &bucket(20), &[500]);
    assert_eq!(told, (vec![50], vec![6], GaveUp(Mark::RetryBudgetExhausted), 6));
}

#[test]
fn aws_calls_share_the_bucket() {
    let budget = bucket(30);
    let first = play(&Preset::Aws.policy(), &budget, &[500, 500, 200]);
    assert_eq!(first, (vec![50, 100], vec![16, 2], Delivered, 16));
    let second = play(&Preset::Aws.policy(), &budget, &[500, 200]);
    assert_eq!(second, (vec![50], vec![2], Delivered, 16));
}

#[test]
fn aws_throttling_costs_less_and_waits_longer() {
    let told = play(&Preset::Aws.policy(), &bucket(500), &[429, 200]);
    assert_eq!(told, (vec![1000], vec![495], Delivered, 500));
}

#[test]
fn aws_eleven_waits_ramp_up_to_the_cap() {
    let (waits, _, end, left) = play(&aws(12), &bucket(500), &[500]);
    assert_eq!(waits, [50, 100, 200, 400, 800, 1600, 3200, 6400, 12_800, 20_000, 20_000]);
    assert_eq!((end, left), (GaveUp(Mark::AttemptsExhausted), 500 - 11 * 14));
}

#[test]
fn aws_a_call_that_succeeds_at_once_pays_one_in_up_to_the_capacity() {
    let budget = bucket(498);
    let left = || play(&Preset::Aws.policy(), &budget, &[200]).3;
    assert_eq!([left(), left(), left()], [499, 500, 500]);
}

#[test]
fn aws_a_server_s_wait_is_kept_to_no_sooner_than_the_backoff_and_five_seconds_later_at_most() {
    let wait = |status, headers| {
        let mut call = Call::new(Arc::new(Preset::Aws.policy()), at(0));
        call.start();
        match call.step(ended(status, headers, at(0)), at(0), &mut || 1.0) {
            Command::Wait { delay, .. } => delay.get(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(wait(500, "x-amz-retry-after\n1500"), 1500);
    assert_eq!(wait(500, "x-amz-retry-after\n0"), 50);
    assert_eq!(wait(500, "x-amz-retry-after\n10000"), 5050);
    assert_eq!(wait(429, "x-amz-retry-after\n10000000"), 6000);
    assert_eq!(wait(500, "x-amz-retry-after\ninvalid"), 50);
    // The page knows no other header.
    assert_eq!(wait(500, "retry-after\n7"), 50);
}

#[test]
fn a_failure_that_is_not_retried_costs_nothing() {
    let (_, _, end, left) = play(&Preset::Aws.policy(), &bucket(500), &[401]);
    assert_eq!((end, left), (GaveUp(Mark::NotRetryable), 500));
    let short = Policy { deadline: Some(DelayMs::new(40)), ..Preset::Aws.policy() };
    let (_, _, end, left) = play(&short, &bucket(500), &[500]);
    assert_eq!((end, left), (GaveUp(Mark::DeadlineExceeded), 500));
}

/// Callers that all begin in the first `spread_ms`, against a server that is down, event by
/// event in the order of time. Gives the times of all sends.
fn storm(budget: &Shared<Budget>, callers: u64, spread_ms: u64, policy: &Policy) -> Vec<u64> {
    let policy = Arc::new(policy.clone());
    let mut queue: BTreeMap<(u64, u64), Option<Call>> =
        (0..callers).map(|i| ((i * spread_ms / callers, i), None)).collect();
    let (mut sends, mut unit) = (Vec::new(), 0.0);
    while let Some(((time, caller), waiting)) = queue.pop_first() {
        let now = at(time);
        let mut draw = || {
            unit = (unit + 0.618_033_988_749_895) % 1.0;
            unit
        };
        let (mut call, mut command) = match waiting {
            Some(mut call) => {
                let command = call.step(Event::Waited, now, &mut draw);
                (call, command)
            }
            None => {
                let mut call = Call::new(Arc::clone(&policy), now);
                call.guarded_by(Guard::admit(None, Some(Arc::clone(budget)), now.mono).expect("no breaker"));
                let command = call.start();
                (call, command)
            }
        };
        while let Command::Send { .. } = command {
            sends.push(time);
            command = call.step(ended(503, "", now), now, &mut draw);
        }
        if let Command::Wait { delay, .. } = command {
            queue.insert((time + delay.get(), caller), Some(call));
        }
    }
    sends
}

#[test]
fn a_storm_against_a_server_that_is_down_sends_no_more_than_the_share_and_the_reserve() {
    let ratio = BudgetRules { mode: BudgetMode::Ratio, ..BudgetRules::default() };
    let mut patient = Policy { max_attempts: 10, ..Policy::default() };
    patient.backoff.jitter = Jitter::Full;
    for spread_ms in [1, 500] {
        let window_ms = ratio.window.get();
        // Within one window, the ten waits of a call end.
        patient.backoff.max = DelayMs::new((window_ms - spread_ms) / 10 - 100);
        patient.backoff.initial = DelayMs::new(10);
        let sends = storm(&shared(ratio.clone()), 1000, spread_ms, &patient).len();
        assert_eq!(sends, 1000 + 200 + 100, "spread over {spread_ms} ms");
    }
    let unbounded =
        storm(&shared(BudgetRules { capacity: u32::MAX, initial: u32::MAX, ..ratio.clone() }), 1000, 1, &patient);
    assert_eq!(unbounded.len(), 1300, "the bucket's numbers are not the ratio's");
    let tokens = storm(&bucket(500), 1000, 1, &patient).len();
    assert_eq!(tokens, 1000 + 500 / 14);
}

#[test]
fn the_share_comes_back_as_the_window_moves_on() {
    let mut budget =
        Budget::new(BudgetRules { mode: BudgetMode::Ratio, reserve_per_second: 0, ..BudgetRules::default() });
    (0..10).for_each(|_| budget.began(MonoMs(0)));
    let mut paid = |ms| budget.withdraw(false, MonoMs(ms)).is_some();
    assert_eq!([paid(0), paid(0), paid(0), paid(9_999), paid(10_000)], [true, true, false, false, false]);
    (0..10).for_each(|_| budget.began(MonoMs(20_000)));
    assert_eq!(budget.left(MonoMs(20_000)), 2);
}

#[test]
fn an_exported_budget_means_the_same_to_another_clock() {
    let mut budget = Budget::new(BudgetRules::default());
    budget.withdraw(false, MonoMs(5));
    let mut other = Budget::new(BudgetRules { capacity: 100, initial: 0, ..BudgetRules::default() });
    assert!(other.import(&budget.export(MonoMs(5)), MonoMs(0), DelayMs::ZERO));
    assert_eq!(other.left(MonoMs(0)), 100, "no more than its own capacity");
    let ratio = BudgetRules { mode: BudgetMode::Ratio, reserve_per_second: 0, ..BudgetRules::default() };
    let (mut budget, mut other) = (Budget::new(ratio.clone()), Budget::new(ratio));
    (0..15).for_each(|_| budget.began(MonoMs(70_000)));
    assert!(other.import(&budget.export(MonoMs(71_000)), MonoMs(3), DelayMs::new(2000)));
    assert_eq!([3, 7002, 7003].map(|ms| other.left(MonoMs(ms))), [3, 3, 0]);
    assert!(!other.import("tokens", MonoMs(0), DelayMs::ZERO));
}

proptest! {
    #[test]
    fn the_tokens_of_a_bucket_stay_within_its_capacity(
        capacity in 0..600u32, share in 0.0..=1.0, costs: (u32, u32, u32), events in prop::collection::vec(0..6u8, 0..80),
    ) {
        let (transient_cost, throttling_cost, clean_credit) = (costs.0 % 700, costs.1 % 700, costs.2);
        let initial = (f64::from(capacity) * share) as u32;
        let mut budget = Budget::new(BudgetRules { capacity, initial, transient_cost, throttling_cost, clean_credit, ..BudgetRules::default() });
        let now = MonoMs(0);
        for event in events {
            let before = budget.left(now);
            match event {
                0 | 1 => {
                    let cost = if event == 0 { transient_cost } else { throttling_cost };
                    let paid = budget.withdraw(event == 1, now);
                    prop_assert_eq!(paid, (before >= cost.into()).then_some(cost));
                    prop_assert_eq!(budget.left(now) + paid.map_or(0, u64::from), before);
                }
                2 => budget.succeeded(None),
                3 => budget.succeeded(Some(transient_cost)),
                4 => budget.began(now),
                _ => {
                    let text = budget.export(now);
                    prop_assert!(budget.import(&text, MonoMs(9), DelayMs::ZERO));
                    prop_assert_eq!(budget.left(now), before);
                }
            }
            prop_assert!(budget.left(now) <= capacity.into());
        }
    }
}
