//! What holds for every policy, every failure and every clock.

mod support;

use dacapo::breaker::{Admission, Breaker, BreakerOutcome, State};
use dacapo::budget::Budget;
use dacapo::call::Mark;
use dacapo::classify::Ending;
use dacapo::clock::{DelayMs, MAX_TIMER_MS, MonoMs};
use dacapo::driver::End;
use dacapo::guard::Guard;
use dacapo::policy::{
    Backoff, Beyond, BreakerRules, BudgetRules, Combine, HintRules, Jitter, Planned, Policy, Preset, ZeroHint,
};
use dacapo::retry_after::HintSources;
use proptest::prelude::*;
use std::sync::{Arc, Mutex};
use support::{Reply, Script, play, play_guarded};

fn jitters() -> impl Strategy<Value = Jitter> {
    prop_oneof![
        Just(Jitter::None),
        Just(Jitter::Equal),
        Just(Jitter::EqualBelowCap),
        Just(Jitter::Full),
        Just(Jitter::Decorrelated),
        (0.0..=1.0).prop_map(Jitter::Additive),
    ]
}

fn delays() -> impl Strategy<Value = DelayMs> {
    prop_oneof![0..20_000u64, any::<u64>()].prop_map(DelayMs::new)
}

fn backoffs() -> impl Strategy<Value = Backoff> {
    let factor = prop_oneof![Just(1.0), 1.0..10.0, Just(f64::MAX)];
    (delays(), delays(), factor, prop_oneof![0..5u32, any::<u32>()], jitters()).prop_map(
        |(a, b, factor, first_exponent, jitter)| Backoff {
            initial: a.min(b),
            max: a.max(b),
            factor,
            first_exponent,
            jitter,
        },
    )
}

fn hint_rules() -> impl Strategy<Value = HintRules> {
    let combine = prop_oneof![Just(Combine::Max), Just(Combine::Replace), Just(Combine::Near)];
    let beyond = prop_oneof![Just(Beyond::Stop), Just(Beyond::Clamp), Just(Beyond::Defer)];
    let zero = prop_oneof![Just(ZeroHint::Floor), Just(ZeroHint::Backoff), Just(ZeroHint::Now)];
    (any::<bool>(), combine, delays(), beyond, 0.0..=1.0, zero, delays()).prop_map(
        |(respect, combine, max, beyond, jitter, zero, slack)| HintRules {
            respect,
            sources: HintSources::ALL,
            combine,
            max,
            beyond,
            jitter,
            zero,
            slack,
        },
    )
}

fn policies() -> impl Strategy<Value = Policy> {
    let presets = prop_oneof![
        Just(Preset::Default),
        Just(Preset::Elelem),
        Just(Preset::VernLlm),
        Just(Preset::OneLlm),
        Just(Preset::Aws)
    ];
    let limit = || prop::option::of((1..100_000u64).prop_map(DelayMs::new));
    (presets, 1..8u32, backoffs(), hint_rules(), limit(), limit()).prop_map(
        |(preset, max_attempts, mut backoff, mut hints, timeout, deadline)| {
            // A wait of aeons would be slept in millions of slices.
            let longest = DelayMs::new(10 * MAX_TIMER_MS);
            (backoff.initial, backoff.max) = (backoff.initial.min(longest), backoff.max.min(longest));
            hints.max = hints.max.min(longest);
            Policy { max_attempts, backoff, hints, timeout, deadline, ..preset.policy() }
        },
    )
}

fn outcomes() -> impl Strategy<Value = Reply> {
    const HINTS: [&str; 6] = [
        "",
        "retry-after\n0",
        "retry-after\n7",
        "retry-after\n99999999999999999999",
        "retry-after-ms\n1",
        "retry-after\nx",
    ];
    prop_oneof![
        (prop::sample::select(&[200u16, 400, 401, 408, 409, 429, 500, 503, 529][..]), prop::sample::select(&HINTS[..]))
            .prop_map(|(status, headers)| if status == 200 { Reply::Success } else { Reply::Status(status, headers) }),
        prop::sample::select(
            &[Ending::TimedOut, Ending::Truncated, Ending::Malformed, Ending::Error, Ending::Cancelled][..]
        )
        .prop_map(Reply::Ends),
    ]
}

fn scripts() -> impl Strategy<Value = Script> {
    (prop::collection::vec(outcomes(), 1..10), prop::collection::vec(0.0..1.0, 1..4), 0..5_000u64)
        .prop_map(|(outcomes, units, attempt_ms)| Script { outcomes, units, attempt_ms, ..Script::default() })
}

fn bound(backoff: &Backoff) -> u64 {
    match backoff.jitter {
        Jitter::Additive(share) => (backoff.max.as_f64() * (1.0 + share)) as u64,
        _ => backoff.max.get(),
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1024))]

    #[test]
    fn every_backoff_is_bounded_for_every_attempt_and_unit(
        backoff in backoffs(), n in any::<u32>(), unit in any::<f64>(), previous in prop::option::of(delays()),
    ) {
        let previous = previous.map(|previous| previous.min(backoff.max));
        for delay in [backoff.delay(n, unit, previous), backoff.delay_in_sequence(n, unit)] {
            prop_assert!(delay.get() <= bound(&backoff), "{delay:?}");
            prop_assert!(delay <= backoff.longest(n));
        }
        prop_assert!(backoff.shortest(n) <= backoff.longest(n));
    }

    #[test]
    fn every_hinted_wait_is_bounded_and_a_large_hint_never_makes_it_shorter(
        rules in hint_rules(), hint in prop::option::of(delays()), backoff in delays(), unit in any::<f64>(),
    ) {
        if let Planned::Wait(wait, _) = rules.plan(hint, backoff, unit) {
            let most = rules.max.max(backoff).as_f64() * (1.0 + rules.jitter);
            prop_assert!(wait.as_f64() <= most.max(backoff.as_f64()));
            prop_assert!(wait <= rules.longest(backoff));
            if hint.is_some_and(|hint| hint > rules.max) && rules.respect {
                prop_assert!(wait >= backoff);
            }
        }
    }

    #[test]
    fn a_call_sends_no_more_than_its_attempts_and_no_timer_is_too_long(policy in policies(), script in scripts()) {
        let most = policy.max_attempts;
        let (_, history, log) = play(policy, script);
        prop_assert!(log.sends.len() <= most as usize);
        prop_assert_eq!(history.retry.total_attempts as usize, log.sends.len());
        prop_assert!(log.sleeps.iter().all(|ms| (1..=MAX_TIMER_MS).contains(ms)));
        for (_, allowance) in log.sends {
            prop_assert!(allowance.is_none_or(|allowance| allowance.limit.get() <= MAX_TIMER_MS));
        }
    }

    #[test]
    fn nothing_is_sent_or_slept_after_a_cancel(policy in policies(), script in scripts(), at in 0..4usize, after in 0..99u64) {
        let script = Script { cancel_in_sleep: Some((at, after)), ..script };
        let (end, history, log) = play(policy, script.clone());
        prop_assert!(log.sleeps.len() <= at + 1);
        if log.sleeps.len() == at + 1 {
            prop_assert_eq!(end, End::GaveUp(Mark::Cancelled));
            prop_assert_eq!(history.mark, Some("cancelled"));
        }
        let cancelled = script.outcomes.iter().position(|o| matches!(o, Reply::Ends(Ending::Cancelled)));
        if let Some(first) = cancelled {
            prop_assert!(log.sends.len() <= first + 1);
        }
    }

    #[test]
    fn a_wall_clock_set_back_changes_nothing(policy in policies(), script in scripts(), jump in 1..i64::MAX) {
        let set_back = Script { wall_jump_ms: -jump, ..script.clone() };
        let (end, history, log) = play(policy.clone(), script);
        let (end_back, history_back, log_back) = play(policy, set_back);
        prop_assert_eq!((end, log), (end_back, log_back));
        prop_assert_eq!(history.retry, history_back.retry);
    }

    #[test]
    fn the_same_events_and_numbers_give_the_same_commands(policy in policies(), script in scripts()) {
        prop_assert_eq!(play(policy.clone(), script.clone()), play(policy, script));
    }

    #[test]
    fn however_a_probe_ends_it_holds_no_place_afterwards(
        policy in policies(), script in scripts(), at in prop::option::of((0..4usize, 0..99u64)), tokens in 0..60u32,
    ) {
        let rules = BreakerRules { failures: 1, open: DelayMs::new(500), lease: Some(DelayMs::MAX), ..BreakerRules::default() };
        let mut breaker = Breaker::new(rules, 1);
        let token = |breaker: &mut Breaker, now| match breaker.admit(now) {
            Admission::Admitted(token) => Some(token),
            Admission::Refused { .. } => None,
        };
        let period = token(&mut breaker, MonoMs(0)).expect("it is closed");
        breaker.report(period, BreakerOutcome::Failure, MonoMs(0));
        let budget = Budget::new(BudgetRules { initial: tokens, ..BudgetRules::default() });
        let (breaker, budget) = (Arc::new(Mutex::new(breaker)), Arc::new(Mutex::new(budget)));
        // The world's clock starts when the cool-down is over.
        let start = MonoMs(1_000);
        let probe = Guard::admit(Some(Arc::clone(&breaker)), Some(Arc::clone(&budget)), start).expect("a probe");
        let script = Script { cancel_in_sleep: at, ..script };
        let (end, history, log) = play_guarded(policy, script, Some(probe));
        let mut breaker = breaker.lock().unwrap();
        match breaker.state() {
            State::Closed => prop_assert_eq!(end, End::Delivered),
            State::Open => prop_assert!(matches!(end, End::GaveUp(_)) && history.last.is_some()),
            _ => prop_assert!(token(&mut breaker, start).is_some(), "{:?}", end),
        }
        prop_assert!(budget.lock().unwrap().left(start) <= 500);
        if end == End::GaveUp(Mark::RetryBudgetExhausted) {
            prop_assert!(budget.lock().unwrap().left(start) < 14);
        }
        prop_assert!(log.sends.len() <= 1 + tokens as usize / 5);
    }

    #[test]
    fn every_send_is_accounted_for(policy in policies(), script in scripts()) {
        let (end, history, log) = play(policy, script);
        let succeeded = usize::from(end == End::Delivered);
        prop_assert_eq!(history.retry.failed_attempts as usize + succeeded, log.sends.len());
        let recorded = history.attempts.len() + usize::from(history.last.is_some());
        prop_assert_eq!(recorded, history.retry.failed_attempts as usize);
        prop_assert_eq!(history.mark.is_none(), end == End::Delivered);
    }
}
