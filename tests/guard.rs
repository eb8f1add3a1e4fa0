//! Calls under a circuit breaker: what they report, and what they are refused.

mod support;

use dacapo::breaker::{Admission, Breaker, BreakerOutcome, State};
use dacapo::call::{Call, Command, Event, Mark, Observed, Outcome};
use dacapo::classify::{Ending, Raised};
use dacapo::clock::{DelayMs, MonoMs, Now};
use dacapo::driver::{Answer, End};
use dacapo::guard::{Guard, Shared};
use dacapo::kind::ErrorKind;
use dacapo::policy::{Beyond, BreakerRules, HookErrors, Hooks, Policy};
use std::sync::{Arc, Mutex};
use support::{Log, Reply, Script, play_guarded};

const START: MonoMs = MonoMs(1_000);

fn breaker(rules: BreakerRules) -> Shared<Breaker> {
    Arc::new(Mutex::new(Breaker::new(BreakerRules { open_jitter: 0.0, ..rules }, 1)))
}

fn guard(breaker: &Shared<Breaker>, now: MonoMs) -> Guard {
    Guard::admit(Some(Arc::clone(breaker)), None, now).expect("it is admitted")
}

fn state_and_trips(breaker: &Shared<Breaker>) -> (State, u32) {
    let breaker = breaker.lock().unwrap();
    (breaker.state(), breaker.trips())
}

/// A breaker of one failure, in the middle of its only probe, which holds this.
fn probing() -> (Shared<Breaker>, Guard) {
    let breaker = breaker(BreakerRules { failures: 1, ..BreakerRules::default() });
    guard(&breaker, MonoMs(0)).report(BreakerOutcome::Failure, MonoMs(0));
    let now = MonoMs(30_000);
    let probe = guard(&breaker, now);
    assert!(Guard::admit(Some(Arc::clone(&breaker)), None, now).is_err());
    (breaker, probe)
}

fn state_after(policy: Policy, script: Script) -> (State, End) {
    let breaker = breaker(BreakerRules { failures: 1, ..BreakerRules::default() });
    let (end, _, _) = play_guarded(policy, script, Some(guard(&breaker, START)));
    let state = breaker.lock().unwrap().state();
    (state, end)
}

fn of(outcomes: &[Reply]) -> Script {
    Script { outcomes: outcomes.to_vec(), units: vec![0.5], ..Script::default() }
}

#[test]
fn a_whole_call_is_one_outcome_however_often_it_was_sent() {
    let breaker = breaker(BreakerRules { failures: 2, ..BreakerRules::default() });
    let play = |statuses: &[u16]| -> Log {
        let replies: Vec<_> = statuses
            .iter()
            .map(|status| if *status == 200 { Reply::Success } else { Reply::Status(*status, "") })
            .collect();
        play_guarded(Policy::default(), of(&replies), Some(guard(&breaker, START))).2
    };
    assert_eq!(play(&[503]).sends.len(), 3);
    assert_eq!(breaker.lock().unwrap().failures(START), 1);
    play(&[503, 503, 200]);
    assert_eq!(breaker.lock().unwrap().failures(START), 0);
    play(&[503]);
    play(&[503]);
    assert_eq!(breaker.lock().unwrap().state(), State::Open);
}

#[test]
fn what_tells_that_the_target_is_unwell_opens_it() {
    for reply in
        [Reply::Status(500, ""), Reply::Status(529, ""), Reply::Ends(Ending::TimedOut), Reply::Ends(Ending::Truncated)]
    {
        assert_eq!(state_after(Policy::default(), of(std::slice::from_ref(&reply))).0, State::Open, "{reply:?}");
    }
    let mut deaf = Policy::default();
    for beyond in [Beyond::Stop, Beyond::Defer] {
        deaf.hints.beyond = beyond;
        let script = of(&[Reply::Status(503, "retry-after\n900")]);
        let mark = if beyond == Beyond::Stop { Mark::RetryAfterBeyond } else { Mark::Deferred };
        assert_eq!(state_after(deaf.clone(), script), (State::Open, End::GaveUp(mark)));
    }
}

#[test]
fn what_says_nothing_of_the_target_is_neutral() {
    let quota = Reply::Body(503, r#"{"error":{"code":"insufficient_quota"}}"#);
    let replies = [400, 401, 404, 409, 413, 429].map(|status| Reply::Status(status, ""));
    for reply in replies.into_iter().chain([Reply::Ends(Ending::Cancelled), Reply::Ends(Ending::Malformed), quota]) {
        assert_eq!(state_after(Policy::default(), of(std::slice::from_ref(&reply))).0, State::Closed, "{reply:?}");
    }
    let cut = Script { cancel_in_sleep: Some((0, 5)), ..of(&[Reply::Status(503, "")]) };
    assert_eq!(state_after(Policy::default(), cut), (State::Closed, End::GaveUp(Mark::Cancelled)));
    let hooks = Hooks { should_retry: true, ..Hooks::default() };
    let hooked = Policy { hooks, hook_errors: HookErrors::Throw, ..Policy::default() };
    let threw = Script { ruling: Some(Answer::Threw), ..of(&[Reply::Status(503, "")]) };
    assert_eq!(state_after(hooked, threw), (State::Closed, End::GaveUp(Mark::HookError)));
    let raised = [ErrorKind::SchemaMismatch, ErrorKind::BudgetExceeded, ErrorKind::CircuitOpen];
    for kind in raised {
        let breaker = breaker(BreakerRules { failures: 1, count_throttling: true, ..BreakerRules::default() });
        let mut call = Call::new(Arc::new(Policy::default()), Now::default());
        call.guarded_by(guard(&breaker, START));
        call.start();
        let observed = Observed { raised: Some(Raised { kind, retryable: None }), ..Observed::default() };
        end(&mut call, observed, 0);
        assert_eq!(breaker.lock().unwrap().state(), State::Closed, "{kind:?}");
    }
}

#[test]
fn throttling_opens_a_breaker_that_counts_it() {
    let breaker = breaker(BreakerRules { failures: 1, count_throttling: true, ..BreakerRules::default() });
    play_guarded(Policy::default(), of(&[Reply::Status(429, "")]), Some(guard(&breaker, START)));
    assert_eq!(breaker.lock().unwrap().state(), State::Open);
}

fn end(call: &mut Call, observed: Observed, ms: u64) -> Command {
    let now = Now { mono: MonoMs(ms), ..Now::default() };
    call.step(Event::Ended { started: now, outcome: Outcome::Failed(Box::new(observed)) }, now, &mut || 0.5)
}

fn failed(call: &mut Call, ms: u64) -> Command {
    end(call, Observed { status: Some(503), ..Observed::default() }, ms)
}

fn waited(call: &mut Call, ms: u64) -> Command {
    call.step(Event::Waited, Now { mono: MonoMs(ms), ..Now::default() }, &mut || 0.5)
}

#[test]
fn a_breaker_that_opened_during_a_wait_ends_the_call_with_the_failure_before_it() {
    let breaker = breaker(BreakerRules { failures: 1, ..BreakerRules::default() });
    let mut call = Call::new(Arc::new(Policy::default()), Now::default());
    call.guarded_by(guard(&breaker, MonoMs(0)));
    call.start();
    assert!(matches!(failed(&mut call, 0), Command::Wait { .. }));
    guard(&breaker, MonoMs(100)).report(BreakerOutcome::Failure, MonoMs(100));
    assert_eq!(waited(&mut call, 375), Command::GiveUp { mark: Mark::CircuitOpen });
    let history = call.into_history();
    assert_eq!(history.mark, Some("circuit_open"));
    assert_eq!(history.last.and_then(|record| record.error.status), Some(503));
    assert_eq!(state_and_trips(&breaker), (State::Open, 1));
}

#[test]
fn a_call_that_waited_out_the_cool_down_becomes_the_probe() {
    let breaker = breaker(BreakerRules { failures: 1, ..BreakerRules::default() });
    let mut call = Call::new(Arc::new(Policy::default()), Now::default());
    call.guarded_by(guard(&breaker, MonoMs(0)));
    call.start();
    let slow = Observed { status: Some(503), headers: "retry-after\n40".into(), ..Observed::default() };
    assert!(matches!(end(&mut call, slow, 0), Command::Wait { .. }));
    guard(&breaker, MonoMs(100)).report(BreakerOutcome::Failure, MonoMs(100));
    assert!(matches!(waited(&mut call, 42_000), Command::Send { .. }));
    assert_eq!(breaker.lock().unwrap().admit(MonoMs(42_000)), Admission::Refused { retry_after: DelayMs::new(30_000) });
    let now = Now { mono: MonoMs(42_100), ..Now::default() };
    call.step(Event::Ended { started: now, outcome: Outcome::Succeeded(None) }, now, &mut || 0.5);
    assert_eq!(breaker.lock().unwrap().state(), State::Closed);
}

#[test]
fn a_probes_own_retry_takes_no_second_place() {
    let (breaker, probe) = probing();
    let mut call = Call::new(Arc::new(Policy::default()), Now { mono: MonoMs(30_000), ..Now::default() });
    call.guarded_by(probe);
    call.start();
    assert!(matches!(failed(&mut call, 30_000), Command::Wait { .. }));
    assert!(matches!(waited(&mut call, 30_375), Command::Send { .. }));
    assert!(matches!(breaker.lock().unwrap().admit(MonoMs(30_375)), Admission::Refused { .. }));
    assert!(matches!(failed(&mut call, 30_400), Command::Wait { .. }));
    assert!(matches!(waited(&mut call, 31_200), Command::Send { .. }));
    assert_eq!(failed(&mut call, 31_300), Command::GiveUp { mark: Mark::AttemptsExhausted });
    assert_eq!(state_and_trips(&breaker), (State::Open, 2));
}

#[test]
fn a_probe_whose_consumer_leaves_frees_its_place_without_closing() {
    let (breaker, probe) = probing();
    let mut call = Call::new(Arc::new(Policy::default()), Now { mono: MonoMs(30_000), ..Now::default() });
    call.guarded_by(probe);
    call.start();
    let now = Now { mono: MonoMs(30_100), ..Now::default() };
    let command = call.step(Event::Ended { started: now, outcome: Outcome::Left(None) }, now, &mut || 0.5);
    assert_eq!((command, breaker.lock().unwrap().state()), (Command::Deliver, State::HalfOpen));
    assert!(matches!(breaker.lock().unwrap().admit(now.mono), Admission::Admitted(_)));
}

#[test]
fn a_probe_that_is_dropped_frees_its_place_without_closing() {
    let (breaker, probe) = probing();
    let mut call = Call::new(Arc::new(Policy::default()), Now { mono: MonoMs(30_000), ..Now::default() });
    call.guarded_by(probe);
    call.start();
    failed(&mut call, 30_000);
    drop(call);
    assert_eq!(breaker.lock().unwrap().state(), State::HalfOpen);
    assert!(matches!(breaker.lock().unwrap().admit(MonoMs(30_001)), Admission::Admitted(_)));
}

#[test]
fn a_probe_whose_next_attempt_could_not_be_sent_frees_its_place_without_closing() {
    let (breaker, probe) = probing();
    let mut call = Call::new(Arc::new(Policy::default()), Now { mono: MonoMs(30_000), ..Now::default() });
    call.guarded_by(probe);
    call.start();
    failed(&mut call, 30_000);
    waited(&mut call, 30_400);
    let now = Now { mono: MonoMs(30_400), ..Now::default() };
    call.step(Event::Ended { started: now, outcome: Outcome::Unsent(Mark::OneShotBody) }, now, &mut || 0.5);
    assert_eq!(breaker.lock().unwrap().state(), State::HalfOpen);
    assert!(matches!(breaker.lock().unwrap().admit(MonoMs(30_401)), Admission::Admitted(_)));
}

#[test]
fn a_resumed_call_counts_its_attempts_over_both_parts() {
    use dacapo::history::RetryLedger;
    let policy = Policy { max_attempts: 3, ..Policy::default() };
    let mut call = Call::new(Arc::new(policy), Now::default());
    call.resume(RetryLedger { total_attempts: 1, failed_attempts: 1, ..RetryLedger::default() });
    call.first_was_sent();
    // The second wait of the sequence.
    assert!(matches!(failed(&mut call, 0), Command::Wait { delay, .. } if delay.get() == 750));
    assert!(matches!(waited(&mut call, 750), Command::Send { attempt: 3, .. }));
    assert_eq!(failed(&mut call, 800), Command::GiveUp { mark: Mark::AttemptsExhausted });
    let history = call.into_history();
    assert_eq!((history.retry.total_attempts, history.retry.failed_attempts), (3, 3));
    assert_eq!(history.attempts.first().map(|record| record.attempt), Some(2));
}
