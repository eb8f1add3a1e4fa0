//! The loop and the state machine together, on a virtual clock.

mod support;

use dacapo::breaker::Breaker;
use dacapo::call::{Call, Command, Event, Mark, Observed, Outcome, Replay};
use dacapo::classify::Ending;
use dacapo::clock::{DelayMs, MAX_TIMER_MS, MonoMs, Now, WallMs};
use dacapo::driver::{Answer, End, Runtime, Slept, drive};
use dacapo::guard::Guard;
use dacapo::policy::{Allowance, Beyond, BreakerRules, HookErrors, Hooks, Policy};
use std::pin::pin;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Waker};
use support::{Log, Reply, Script, play};

fn replies(statuses: &[u16]) -> Vec<Reply> {
    let reply = |status: &u16| if *status == 200 { Reply::Success } else { Reply::Status(*status, "") };
    statuses.iter().map(reply).collect()
}

fn script(statuses: &[u16]) -> Script {
    Script { outcomes: replies(statuses), units: vec![0.5], attempt_ms: 10, ..Script::default() }
}

fn sends(log: &Log) -> usize {
    log.sends.len()
}

#[test]
fn a_failure_is_played_again_until_it_succeeds() {
    let (end, history, log) = play(Policy::default(), script(&[503, 429, 200]));
    assert_eq!(end, End::Delivered);
    assert_eq!((sends(&log), &log.sleeps), (3, &vec![375, 750]));
    assert_eq!((history.retry.total_attempts, history.retry.failed_attempts), (3, 2));
    let slept: Vec<_> = history.attempts.iter().map(|record| (record.index, record.delay_ms.get())).collect();
    assert_eq!(slept, [(0, 375), (1, 750)]);
    assert_eq!((history.last, history.mark), (None, None));
}

#[test]
fn no_wait_follows_the_last_failed_attempt() {
    let (end, history, log) = play(Policy::default(), script(&[503]));
    assert_eq!(end, End::GaveUp(Mark::AttemptsExhausted));
    assert_eq!((sends(&log), log.sleeps.len()), (3, 2));
    assert_eq!(history.attempts.len(), 2);
    assert_eq!(history.last.map(|record| (record.attempt, record.delay_ms)), Some((3, DelayMs::ZERO)));
    assert_eq!(history.retry.failed_attempts, 3);
}

#[test]
fn a_clean_first_failure_that_is_not_retried_has_no_attempts() {
    let (end, history, log) = play(Policy::default(), script(&[401]));
    assert_eq!((end, sends(&log)), (End::GaveUp(Mark::NotRetryable), 1));
    assert_eq!(history.attempts, []);
    assert_eq!(history.last.unwrap().error.kind, "auth");
    assert!(!history.retry.waste_is_lower_bound);
}

#[test]
fn a_single_attempt_is_exactly_one_request() {
    let (_, _, log) = play(Policy { max_attempts: 1, ..Policy::default() }, script(&[503]));
    assert_eq!((sends(&log), log.sleeps.len()), (1, 0));
}

#[test]
fn a_hint_beyond_the_maximum_ends_the_call_or_is_clamped() {
    let far = || Script { outcomes: vec![Reply::Status(429, "retry-after\n61"), Reply::Success], ..script(&[]) };
    let (end, history, log) = play(Policy::default(), far());
    assert_eq!((end, sends(&log)), (End::GaveUp(Mark::RetryAfterBeyond), 1));
    assert_eq!(history.last.unwrap().retry_after_ms, Some(DelayMs::new(61_000)));
    let mut clamping = Policy::default();
    clamping.hints.beyond = Beyond::Clamp;
    let (end, _, log) = play(clamping, far());
    assert_eq!((end, log.sleeps), (End::Delivered, vec![63_000]));
}

#[test]
fn a_wait_that_a_timer_cannot_hold_is_slept_in_slices() {
    let mut policy = Policy::default();
    policy.hints.max = DelayMs::MAX;
    policy.hints.jitter = 0.0;
    let week = Script { outcomes: vec![Reply::Status(503, "retry-after\n5000000"), Reply::Success], ..script(&[]) };
    let (end, history, log) = play(policy, week);
    assert_eq!(end, End::Delivered);
    assert_eq!(log.sleeps, [MAX_TIMER_MS, MAX_TIMER_MS, 5_000_000_000 - 2 * MAX_TIMER_MS]);
    assert_eq!(history.attempts[0].delay_ms.get(), 5_000_000_000);
}

#[test]
fn a_wait_of_zero_schedules_no_timer() {
    let mut policy = Policy::default();
    policy.backoff.initial = DelayMs::ZERO;
    let (end, _, log) = play(policy, script(&[503, 503, 200]));
    assert_eq!((end, log.sleeps.len()), (End::Delivered, 0));
}

#[test]
fn a_wait_that_would_end_at_the_deadline_is_not_begun() {
    let deadline = |ms| Policy { deadline: Some(DelayMs::new(ms)), ..Policy::default() };
    let (end, history, log) = play(deadline(385), script(&[503, 200]));
    assert_eq!((end, log.sleeps.len()), (End::GaveUp(Mark::DeadlineExceeded), 0));
    assert_eq!(history.last.unwrap().error.status, Some(503));
    assert_eq!(play(deadline(386), script(&[503, 200])).0, End::Delivered);
}

#[test]
fn a_laptop_that_slept_through_its_deadline_sends_nothing_more() {
    let policy = Policy { deadline: Some(DelayMs::new(30_000)), ..Policy::default() };
    let asleep = Script { wall_jump_ms: 3_600_000, ..script(&[503, 200]) };
    let (end, history, log) = play(policy, asleep);
    assert_eq!((end, sends(&log)), (End::GaveUp(Mark::DeadlineExceeded), 1));
    assert_eq!(history.last.unwrap().delay_ms.get(), 375);
}

#[test]
fn each_attempt_gets_its_own_allowance_and_never_more_than_is_left() {
    let (timeout, deadline) = (Some(DelayMs::new(1000)), Some(DelayMs::new(2000)));
    let slow = Script { attempt_ms: 500, ..script(&[503]) };
    let (_, _, log) = play(Policy { timeout, deadline, ..Policy::default() }, slow);
    let limits: Vec<_> = log.sends.iter().map(|(_, a)| a.map(|a| (a.limit.get(), a.by_deadline)).unwrap()).collect();
    assert_eq!(limits, [(1000, false), (1000, false)]);
    let (_, _, log) = play(Policy { timeout, deadline: Some(DelayMs::new(1300)), ..Policy::default() }, script(&[503]));
    let limits: Vec<_> = log.sends.iter().map(|(_, a)| a.map(|a| (a.limit.get(), a.by_deadline)).unwrap()).collect();
    assert_eq!(limits, [(1000, false), (915, true), (155, true)]);
}

#[test]
fn a_cancelled_wait_ends_at_once_and_keeps_what_was_slept() {
    let cut = Script { cancel_in_sleep: Some((1, 40)), ..script(&[503]) };
    let (end, history, log) = play(Policy::default(), cut);
    assert_eq!((end, sends(&log)), (End::GaveUp(Mark::Cancelled), 2));
    let slept: Vec<_> = history.attempts.iter().map(|record| record.delay_ms.get()).collect();
    assert_eq!(slept, [375, 40]);
    assert_eq!((history.last, history.mark), (None, Some("cancelled")));
}

#[test]
fn a_cancelled_attempt_is_the_failure_the_call_ended_with() {
    let outcomes = vec![Reply::Status(503, ""), Reply::Ends(Ending::Cancelled)];
    let (end, history, _) = play(Policy::default(), Script { outcomes, ..script(&[]) });
    assert_eq!(end, End::GaveUp(Mark::Cancelled));
    assert_eq!((history.attempts.len(), history.last.unwrap().error.kind), (1, "cancelled"));
    assert_eq!((history.retry.total_attempts, history.retry.failed_attempts), (2, 2));
}

#[test]
fn a_timed_out_attempt_is_retried_and_a_passed_deadline_is_not() {
    let outcomes = vec![Reply::Ends(Ending::TimedOut), Reply::Success];
    let (end, history, _) = play(Policy::default(), Script { outcomes, ..script(&[]) });
    assert_eq!((end, history.attempts[0].reason), (End::Delivered, "timeout"));
    assert!(history.retry.waste_is_lower_bound);
    let outcomes = vec![Reply::Ends(Ending::DeadlinePassed), Reply::Success];
    let (end, history, _) = play(Policy::default(), Script { outcomes, ..script(&[]) });
    assert_eq!((end, history.mark), (End::GaveUp(Mark::DeadlineExceeded), Some("deadline_exceeded")));
}

fn hooked(hook_errors: HookErrors) -> Policy {
    let hooks = Hooks { should_retry: true, on_retry: true, on_event: true };
    Policy { hooks, hook_errors, ..Policy::default() }
}

#[test]
fn should_retry_may_veto_and_allow_but_not_beyond_the_attempts() {
    let ruled = |ruling, statuses: &[u16]| {
        let script = Script { ruling: Some(Answer::Said(ruling)), ..script(statuses) };
        let (end, _, log) = play(hooked(HookErrors::Throw), script);
        (end, sends(&log))
    };
    assert_eq!(ruled(Some(false), &[503]), (End::GaveUp(Mark::HookVeto), 1));
    assert_eq!(ruled(Some(true), &[401, 200]), (End::Delivered, 2));
    assert_eq!(ruled(Some(true), &[401]), (End::GaveUp(Mark::AttemptsExhausted), 3));
    assert_eq!(ruled(None, &[401]), (End::GaveUp(Mark::NotRetryable), 1));
    assert_eq!(ruled(None, &[503, 200]), (End::Delivered, 2));
}

#[test]
fn what_should_retry_allowed_before_is_stopped_by_the_obstacle_and_not_by_its_kind() {
    let mark = |policy: Policy, statuses: &[u16]| {
        let script = Script { ruling: Some(Answer::Said(Some(true))), ..script(statuses) };
        play(policy, script).1.mark
    };
    let hooked = || hooked(HookErrors::Throw);
    assert_eq!(mark(hooked(), &[401, 503, 401]), Some("attempts_exhausted"));
    // Of these the hook allowed none: it had no chance, or spoke of another kind, or of one that is retried anyway.
    assert_eq!(mark(Policy { max_attempts: 1, ..hooked() }, &[401]), Some("not_retryable"));
    assert_eq!(mark(hooked(), &[401, 401, 404]), Some("not_retryable"));
    assert_eq!(mark(hooked(), &[503, 503, 401]), Some("not_retryable"));
    let second = |last: Observed| {
        let now = Now { mono: MonoMs(0), wall: WallMs(0) };
        let ended = |observed| Event::Ended { started: now, outcome: Outcome::Failed(Box::new(observed)) };
        let mut call = Call::new(Arc::new(hooked()), now);
        call.start();
        let events = [ended(of_status(401)), Event::Ruled(Some(true)), Event::Waited, ended(last)];
        let commands = events.map(|event| call.step(event, now, &mut || 0.5));
        assert_eq!(commands[0], Command::Ask);
        commands[3]
    };
    let (streamed, replay) = (true, Replay::OneShotBody);
    for (last, mark) in [
        (Observed { streamed, ..of_status(401) }, Mark::OutputBegun),
        (Observed { streamed, ..of_status(404) }, Mark::NotRetryable),
        (Observed { replay, ..of_status(401) }, Mark::OneShotBody),
        (Observed { replay, ..of_status(404) }, Mark::NotRetryable),
    ] {
        assert_eq!(second(last), Command::GiveUp { mark });
    }
}

fn of_status(status: u16) -> Observed {
    Observed { status: Some(status), ..Observed::default() }
}

#[test]
fn a_throwing_hook_ends_the_call_or_is_swallowed() {
    let asking = || Script { ruling: Some(Answer::Threw), ..script(&[503, 200]) };
    let telling = || Script { announced: Some(Answer::Threw), ..script(&[503, 200]) };
    for broken in [asking(), telling()] {
        let (end, history, log) = play(hooked(HookErrors::Throw), broken);
        assert_eq!((end, sends(&log), log.sleeps.len()), (End::GaveUp(Mark::HookError), 1, 0));
        assert_eq!(history.last.unwrap().delay_ms, DelayMs::ZERO);
    }
    for broken in [asking(), telling()] {
        assert_eq!(play(hooked(HookErrors::Swallow), broken).0, End::Delivered);
    }
}

#[test]
fn a_cancel_inside_a_hook_ends_the_call() {
    let asking = Script { ruling: Some(Answer::Cancelled), ..script(&[503, 200]) };
    let telling = Script { announced: Some(Answer::Cancelled), ..script(&[503, 200]) };
    for cut in [asking, telling] {
        let (end, history, log) = play(hooked(HookErrors::Swallow), cut);
        assert_eq!((end, sends(&log), log.sleeps.len()), (End::GaveUp(Mark::Cancelled), 1, 0));
        assert_eq!(history.attempts[0].delay_ms, DelayMs::ZERO);
    }
}

#[test]
fn hooks_are_told_before_each_wait_and_only_when_there_are_any() {
    let (_, _, log) = play(hooked(HookErrors::Throw), script(&[503, 503, 200]));
    assert_eq!((log.announced, log.events), (vec![375, 750], 4));
    let (_, _, log) = play(Policy::default(), script(&[503, 503, 200]));
    assert_eq!((log.announced.len(), log.events), (0, 0));
}

#[test]
fn a_call_its_guard_and_its_future_may_go_to_another_thread() {
    fn is_send<T: Send>(value: T) -> T {
        value
    }
    struct Threaded;
    impl Runtime for Threaded {
        fn now(&mut self) -> Now {
            Now::default()
        }
        fn unit(&mut self) -> f64 {
            0.0
        }
        async fn attempt(&mut self, _: u32, _: Option<Allowance>) -> Outcome {
            Outcome::Succeeded(None)
        }
        async fn sleep(&mut self, _: DelayMs) -> Slept {
            Slept::Through
        }
    }
    let breaker = Arc::new(Mutex::new(Breaker::new(BreakerRules::default(), 1)));
    let mut call = Call::new(Policy::default().into(), Now::default());
    call.guarded_by(Guard::admit(Some(breaker), None, MonoMs(0)).expect("it is closed"));
    let future = is_send(async move { drive(&mut call, &mut Threaded, None).await });
    let end = std::thread::spawn(|| pin!(future).poll(&mut Context::from_waker(Waker::noop()))).join().unwrap();
    assert_eq!(end, Poll::Ready(End::Delivered));
}
