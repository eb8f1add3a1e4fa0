//! Calls that failed once, driven to their end. JavaScript polls, so that a trap is thrown
//! where JavaScript can catch it. A call is known by a number, which is cheaper than a class.

use super::host::{Facts, Host, into_text};
use super::policy::PolicyHandle;
use super::{json, sleep};
use crate::call::{Call, Mark, Outcome};
use crate::classify::Verdict;
use crate::clock::{DelayMs, MonoMs, Now, WallMs};
use crate::driver::{Answer, End, Runtime, Slept, drive};
use crate::history::{AttemptRecord, History};
use crate::policy::{Allowance, WaitFrom};
use crate::usage::Usage;
use std::cell::RefCell;
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, Wake};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;

type Run = Pin<Box<dyn Future<Output = (End, History)>>>;

/// A call's place in the table.
struct Place {
    host: Host,
    /// Taken out while it is polled.
    run: Option<Run>,
}

thread_local! {
    static CALLS: RefCell<Vec<Option<Place>>> = const { RefCell::new(Vec::new()) };
    static RANDOM: RefCell<Option<fastrand::Rng>> = const { RefCell::new(None) };
}

/// A random number in [0, 1). Seeded at the first use: Workers refuse it any earlier.
fn draw() -> f64 {
    RANDOM.with_borrow_mut(|random| {
        let seed = || fastrand::Rng::with_seed(getrandom::u64().unwrap_or(js_sys::Date::now() as u64));
        random.get_or_insert_with(seed).f64()
    })
}

/// Takes a call whose first attempt was made outside, at `mono` and `wall`, and failed.
#[wasm_bindgen(js_name = driveStart)]
pub fn start(policy: &PolicyHandle, host: Host, mono: f64, wall: f64, first: &Facts) -> u32 {
    let started = now(mono, wall);
    let outcome = Outcome::Failed(Box::new(first.observed()));
    let mut call = Call::new(policy.share(), started);
    let mut runtime = HostRuntime(host.clone());
    let run: Run = Box::pin(async move {
        let end = drive(&mut call, &mut runtime, Some((started, outcome))).await;
        (end, call.into_history())
    });
    let place = Some(Place { host, run: Some(run) });
    CALLS.with_borrow_mut(|calls| {
        let free = calls.iter().position(Option::is_none).unwrap_or(calls.len());
        match calls.get_mut(free) {
            Some(slot) => *slot = place,
            None => calls.push(place),
        }
        free as u32
    })
}

/// Lets a call go on as far as it can. When it ends, its host is told and its place is free.
#[wasm_bindgen(js_name = drivePoll)]
pub fn poll(call: u32) {
    let taken = CALLS.with_borrow_mut(|calls| calls.get_mut(call as usize)?.as_mut()?.run.take());
    let Some(mut run) = taken else { return };
    let waker = Arc::new(CallWaker(call)).into();
    match run.as_mut().poll(&mut Context::from_waker(&waker)) {
        Poll::Pending => CALLS.with_borrow_mut(|calls| {
            if let Some(Some(place)) = calls.get_mut(call as usize) {
                place.run = Some(run);
            }
        }),
        Poll::Ready((end, history)) => {
            let mark = if let End::GaveUp(mark) = end { Mark::as_str(mark) } else { "" };
            if let Some(host) = forget(call) {
                host.finish(mark, json::history(&history));
            }
        }
    }
}

/// Drops a call that broke off.
#[wasm_bindgen(js_name = driveDrop)]
pub fn drop_call(call: u32) {
    drop(forget(call));
}

fn forget(call: u32) -> Option<Host> {
    let place = CALLS.with_borrow_mut(|calls| calls.get_mut(call as usize).and_then(Option::take));
    place.map(|place| place.host)
}

/// Reaches a call's host by number: a waker must be able to cross threads, and a JavaScript
/// object cannot. One that outlives its call may wake the next in the same place, which does
/// no harm: a poll too many changes nothing.
struct CallWaker(u32);

impl Wake for CallWaker {
    fn wake(self: Arc<Self>) {
        let host = CALLS.with_borrow(|calls| Some(calls.get(self.0 as usize)?.as_ref()?.host.clone()));
        if let Some(host) = host {
            host.wake();
        }
    }
}

struct HostRuntime(Host);

impl HostRuntime {
    /// What a hook's promise resolved to: see `js/call.js`.
    async fn answer(&self, promise: js_sys::Promise) -> Answer<Option<bool>> {
        match JsFuture::from(promise).await {
            Ok(said) if said.as_f64().is_some() => Answer::Cancelled,
            Ok(said) if said.is_null() => Answer::Threw,
            Ok(said) => Answer::Said(said.as_bool()),
            Err(_) => Answer::Threw,
        }
    }
}

impl Runtime for HostRuntime {
    fn now(&mut self) -> Now {
        now(self.0.mono(), self.0.wall())
    }

    fn unit(&mut self) -> f64 {
        self.0.unit().unwrap_or_else(draw)
    }

    async fn attempt(&mut self, attempt: u32, allowance: Option<Allowance>) -> Outcome {
        let limit = allowance.map_or(-1.0, |allowance| allowance.limit.as_f64());
        self.0.begin(attempt, limit, allowance.is_some_and(|allowance| allowance.by_deadline));
        // The host polls when the attempt has ended: a JsFuture would cost two closures.
        poll_fn(|_| {
            Poll::Ready(match self.0.standing() {
                0 => return Poll::Pending,
                1 => Outcome::Succeeded(self.0.usage().and_then(|told| Usage::read(&into_text(told)))),
                2 => Outcome::Failed(Box::new(self.0.facts().observed())),
                3 => Outcome::Unsent(Mark::Cancelled),
                4 => Outcome::Unsent(Mark::OneShotBody),
                _ => Outcome::Unsent(Mark::DeadlineExceeded),
            })
        })
        .await
    }

    async fn sleep(&mut self, delay: DelayMs) -> Slept {
        if !self.0.sleeps_itself() {
            return sleep::sleep(delay, self.0.signal()).await;
        }
        match JsFuture::from(self.0.sleep(delay.as_f64())).await {
            Ok(through) if through.is_truthy() => Slept::Through,
            _ => Slept::Cancelled,
        }
    }

    async fn ask(&mut self, record: &AttemptRecord, verdict: &Verdict) -> Answer<Option<bool>> {
        self.answer(self.0.ask(json::record(record), json::verdict(verdict))).await
    }

    async fn announce(&mut self, record: &AttemptRecord) -> Answer<()> {
        match self.answer(self.0.announce(json::record(record))).await {
            Answer::Said(_) => Answer::Said(()),
            Answer::Threw => Answer::Threw,
            Answer::Cancelled => Answer::Cancelled,
        }
    }

    fn failed(&mut self, record: &AttemptRecord, verdict: &Verdict) {
        self.0.tell_failed(json::record(record), json::verdict(verdict));
    }

    fn waiting(&mut self, record: &AttemptRecord, delay: DelayMs, from: WaitFrom) {
        self.0.tell_waiting(json::record(record), delay.as_f64(), from.as_str());
    }
}

/// Both clocks, as the host reads them.
pub fn now(mono: f64, wall: f64) -> Now {
    // A clock of the caller's may give anything: `as` saturates, and NaN is zero.
    Now { mono: MonoMs(mono as u64), wall: WallMs(wall as i64) }
}
