//! The retry loop, over anything that can make an attempt and sleep.
//!
//! The loop knows no runtime: it carries events from a [`Runtime`] to the state machine and
//! commands back. It decides nothing.

use crate::call::{Call, Command, Event, Mark, Observed, Outcome};
use crate::classify::Verdict;
use crate::clock::{DelayMs, MAX_TIMER_MS, Now};
use crate::history::AttemptRecord;
use crate::policy::{Allowance, WaitFrom};

/// How a sleep ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Slept {
    /// It lasted as long as it should.
    Through,
    /// The caller's signal aborted.
    Cancelled,
}

/// What a hook answered.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer<T> {
    /// This.
    Said(T),
    /// It threw.
    Threw,
    /// The caller's signal aborted while it ran.
    Cancelled,
}

/// What the loop needs of the world.
///
/// Every future must end when the caller's signal aborts, whatever the fetch, the hook or
/// the clock beneath it does.
#[allow(async_fn_in_trait)] // whether the futures are `Send` is the runtime's affair: JavaScript's are not
pub trait Runtime {
    /// Reads both clocks.
    fn now(&mut self) -> Now;
    /// Draws a number in [0, 1). Asked once for each wait.
    fn unit(&mut self) -> f64;
    /// Sends the request; `attempt` counts from 1.
    async fn attempt(&mut self, attempt: u32, allowance: Option<Allowance>) -> Outcome;
    /// What the other send showed of an attempt that the runtime hedged, as [`Policy::hedge`]
    /// allows, once the attempt has ended: it failed before, or lost.
    ///
    /// [`Policy::hedge`]: crate::policy::Policy::hedge
    fn beside(&mut self) -> Option<Box<Observed>> {
        None
    }
    /// Sleeps for at most 2^31 - 1 ms.
    async fn sleep(&mut self, delay: DelayMs) -> Slept;
    /// Asks `shouldRetry`. Called only when the policy has that hook.
    async fn ask(&mut self, _record: &AttemptRecord, _verdict: &Verdict) -> Answer<Option<bool>> {
        Answer::Said(None)
    }
    /// Tells `onRetry` before a wait. Called only when the policy has that hook.
    async fn announce(&mut self, _record: &AttemptRecord) -> Answer<()> {
        Answer::Said(())
    }
    /// Tells `onEvent` of a failure. Called only when the policy has that hook.
    fn failed(&mut self, _record: &AttemptRecord, _verdict: &Verdict) {}
    /// Tells `onEvent` of a wait. Called only when the policy has that hook.
    fn waiting(&mut self, _record: &AttemptRecord, _delay: DelayMs, _from: WaitFrom) {}
}

/// How a call ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// With what the last attempt brought.
    Delivered,
    /// Without success, for this reason.
    GaveUp(Mark),
}

/// Runs `call` to its end. `first` is an attempt that was made outside, before the call
/// was worth a loop.
pub async fn drive<R: Runtime>(call: &mut Call, runtime: &mut R, first: Option<(Now, Outcome)>) -> End {
    let mut command = match first {
        None => call.start(),
        Some((started, outcome)) => {
            call.first_was_sent();
            ended(call, runtime, started, outcome)
        }
    };
    loop {
        command = match command {
            Command::Send { attempt, allowance } => {
                let started = call.now();
                let outcome = runtime.attempt(attempt, allowance).await;
                ended(call, runtime, started, outcome)
            }
            Command::Ask => {
                let answer = match (call.last_record(), call.last_verdict()) {
                    (Some(record), Some(verdict)) => runtime.ask(record, verdict).await,
                    _ => Answer::Said(None),
                };
                match answer {
                    Answer::Said(ruling) => step(call, runtime, Event::Ruled(ruling)),
                    Answer::Threw => step(call, runtime, Event::HookThrew),
                    Answer::Cancelled => step(call, runtime, Event::Cancelled { slept: DelayMs::ZERO }),
                }
            }
            Command::Wait { delay, from } => {
                let event = wait(call, runtime, delay, from).await;
                step(call, runtime, event)
            }
            Command::Deliver => return End::Delivered,
            Command::GiveUp { mark } => return End::GaveUp(mark),
        };
    }
}

fn step<R: Runtime>(call: &mut Call, runtime: &mut R, event: Event) -> Command {
    let now = runtime.now();
    call.step(event, now, &mut || runtime.unit())
}

fn ended<R: Runtime>(call: &mut Call, runtime: &mut R, started: Now, outcome: Outcome) -> Command {
    let beside = call.policy().hedge_after.and_then(|_| runtime.beside());
    if let Some(observed) = beside {
        let verdict = call.beside(&observed, started, runtime.now());
        if let (true, Some(record)) = (call.policy().hooks.on_event, call.last_record()) {
            runtime.failed(record, &verdict);
        }
    }
    let failed = matches!(outcome, Outcome::Failed(_));
    let command = step(call, runtime, Event::Ended { started, outcome });
    let told = failed && call.policy().hooks.on_event;
    if let (true, Some(record), Some(verdict)) = (told, call.last_record(), call.last_verdict()) {
        runtime.failed(record, verdict);
    }
    command
}

/// Announces the wait, then sleeps it in slices that a timer can hold.
async fn wait<R: Runtime>(call: &mut Call, runtime: &mut R, delay: DelayMs, from: WaitFrom) -> Event {
    let hooks = call.policy().hooks;
    if let Some(record) = call.last_record() {
        if hooks.on_retry {
            match runtime.announce(record).await {
                Answer::Threw if call.policy().hook_errors == crate::policy::HookErrors::Throw => {
                    return Event::HookThrew;
                }
                Answer::Cancelled => return Event::Cancelled { slept: DelayMs::ZERO },
                Answer::Said(()) | Answer::Threw => {}
            }
        }
        if hooks.on_event {
            runtime.waiting(record, delay, from);
        }
    }
    let began = if hooks.on_retry { runtime.now() } else { call.now() };
    let mut left = delay;
    while left > DelayMs::ZERO {
        let slice = left.min(DelayMs::new(MAX_TIMER_MS));
        if runtime.sleep(slice).await == Slept::Cancelled {
            return Event::Cancelled { slept: runtime.now().mono.since(began.mono) };
        }
        left = left.minus(slice);
    }
    Event::Waited
}
