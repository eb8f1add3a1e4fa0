//! Calls that failed once, driven to their end. JavaScript polls, so that a trap is thrown
//! where JavaScript can catch it. A call is known by a number, which is cheaper than a class.

use super::guard::GuardHandle;
use super::host::{Facts, Host, into_text};
use super::policy::PolicyHandle;
use super::{json, sleep};
use crate::call::{Call, Mark, Observed, Outcome};
use crate::classify::Verdict;
use crate::clock::{DelayMs, MonoMs, Now, WallMs};
use crate::driver::{Answer, End, Runtime, Slept, drive};
use crate::history::{AttemptRecord, History, RetryLedger};
use crate::policy::{Allowance, WaitFrom};
use crate::usage::Usage;
use std::cell::{Cell, RefCell};
use std::future::{Future, poll_fn};
use std::pin::Pin;
use std::rc::Rc;
use std::sync::Arc;
use std::task::{Context, Poll, Wake, Waker};
use wasm_bindgen::prelude::*;
use wasm_bindgen_futures::JsFuture;
use web_sys::AbortSignal;

type Run = Pin<Box<dyn Future<Output = (End, History)>>>;

/// A place in the table: each is used by one call after the other.
struct Place {
    waker: Waker,
    host: Option<Rc<Host>>,
    /// Taken out while it is polled.
    run: Option<Run>,
}

/// What a poll brings along, so that nobody has to ask for it.
#[derive(Clone, Copy)]
struct Pulse {
    now: Now,
    /// How the attempt stands: 0 running, 1 succeeded, 2 failed, 3 not sent because the
    /// caller's signal aborted, 4 not sent because its body could not be had again, 5
    /// because the deadline passed before, 6 left by its consumer while it went well.
    standing: u8,
}

thread_local! {
    static CALLS: RefCell<Vec<Place>> = const { RefCell::new(Vec::new()) };
    static RANDOM: RefCell<Option<fastrand::Rng>> = const { RefCell::new(None) };
    static PULSE: Cell<Pulse> =
        const { Cell::new(Pulse { now: Now { mono: MonoMs(0), wall: WallMs(0) }, standing: RUNNING }) };
}

const RUNNING: u8 = 0;

/// A random number in [0, 1). Seeded at the first use: Workers refuse it any earlier.
pub fn draw() -> f64 {
    RANDOM.with_borrow_mut(|random| {
        let seed = || fastrand::Rng::with_seed(getrandom::u64().unwrap_or(js_sys::Date::now() as u64));
        random.get_or_insert_with(seed).f64()
    })
}

/// Takes a call that began at `began` by the monotonic clock and whose first attempt was made
/// outside and failed; without that, the host tells of the first attempt as of any other. Lets
/// it go on as far as it can; it may have ended by then. Under a guard it was admitted with
/// `token`, and reports when it ends; a call that is resumed has the ledger of what was before.
#[expect(clippy::too_many_arguments, reason = "numbers cross the boundary faster than an object of them")]
#[wasm_bindgen(js_name = driveStart)]
pub fn start(
    policy: &PolicyHandle,
    host: Host,
    began: f64,
    mono: f64,
    wall: f64,
    first: Option<Facts>,
    guard: Option<GuardHandle>,
    token: f64,
    earlier: Option<Vec<f64>>,
) -> u32 {
    // Nobody reads the wall clock before there is a failure.
    let started = now(began, wall - (mono - began));
    let first = first.map(|facts| (started, Outcome::Failed(Box::new(facts.observed()))));
    let mut call = Call::new(policy.share(), started);
    if let Some(guard) = guard {
        call.guarded_by(guard.hold(token, started.mono));
    }
    if let Some(numbers) = earlier {
        call.resume(ledger(&numbers));
    }
    let host = Rc::new(host);
    let mut runtime = HostRuntime::new(Rc::clone(&host));
    let run: Run = Box::pin(async move {
        let end = drive(&mut call, &mut runtime, first).await;
        (end, call.into_history())
    });
    let at = CALLS.with_borrow_mut(|calls| {
        let free = calls.iter().position(|place| place.host.is_none()).unwrap_or(calls.len());
        let (host, run) = (Some(host), Some(run));
        match calls.get_mut(free) {
            Some(place) => (place.host, place.run) = (host, run),
            None => calls.push(Place { waker: Arc::new(CallWaker(free as u32)).into(), host, run }),
        }
        free as u32
    });
    poll(at, mono, wall, RUNNING);
    at
}

/// Lets a call go on as far as it can, at this time and with its attempt standing so. When it
/// ends, its host is told and its place is free.
#[wasm_bindgen(js_name = drivePoll)]
pub fn poll(call: u32, mono: f64, wall: f64, standing: u8) {
    let taken = CALLS.with_borrow_mut(|calls| {
        let place = calls.get_mut(call as usize)?;
        Some((place.run.take()?, place.waker.clone()))
    });
    let Some((mut run, waker)) = taken else { return };
    // What JavaScript does meanwhile may let another call go on.
    let outer = PULSE.replace(Pulse { now: now(mono, wall), standing });
    let polled = run.as_mut().poll(&mut Context::from_waker(&waker));
    PULSE.set(outer);
    match polled {
        Poll::Pending => CALLS.with_borrow_mut(|calls| {
            if let Some(place) = calls.get_mut(call as usize).filter(|place| place.host.is_some()) {
                place.run = Some(run);
            }
        }),
        Poll::Ready((end, history)) => {
            let mark = if let End::GaveUp(mark) = end { Some(Mark::as_str(mark)) } else { None };
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

fn forget(call: u32) -> Option<Rc<Host>> {
    // What is dropped may call back.
    let (run, host) = CALLS.with_borrow_mut(|calls| {
        let place = calls.get_mut(call as usize)?;
        Some((place.run.take(), place.host.take()))
    })?;
    drop(run);
    host
}

/// Reaches a call's host by number: a waker must be able to cross threads, and a JavaScript
/// object cannot. One that outlives its call may wake the next in the same place, which does
/// no harm: a poll too many changes nothing.
struct CallWaker(u32);

impl Wake for CallWaker {
    fn wake(self: Arc<Self>) {
        self.wake_by_ref();
    }

    fn wake_by_ref(self: &Arc<Self>) {
        if let Some(host) = CALLS.with_borrow(|calls| calls.get(self.0 as usize)?.host.clone()) {
            host.wake();
        }
    }
}

struct HostRuntime {
    host: Rc<Host>,
    /// The caller's signal.
    signal: Option<AbortSignal>,
    ways: u8,
}

/// What a call does in a way of its own: the bits of `Host.ways`.
mod ways {
    /// Waits go through the host and not through a timer of ours.
    pub const SLEEPS: u8 = 1;
    /// Random numbers are the caller's.
    pub const DRAWS: u8 = 2;
}

impl HostRuntime {
    fn new(host: Rc<Host>) -> HostRuntime {
        let (signal, ways) = (host.signal(), host.ways());
        HostRuntime { host, signal, ways }
    }

    /// What the attempt that succeeded cost, as far as the host knows.
    fn usage(&self) -> Option<Usage> {
        self.host.usage().and_then(|told| Usage::read(&into_text(told)))
    }

    /// What a hook's promise resolved to: see `js/host.js`.
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
        PULSE.get().now
    }

    fn unit(&mut self) -> f64 {
        if self.ways & ways::DRAWS != 0 { self.host.unit() } else { draw() }
    }

    async fn attempt(&mut self, attempt: u32, allowance: Option<Allowance>) -> Outcome {
        let [limit, by_deadline] = limit_of(allowance);
        self.host.begin(attempt, limit, by_deadline != 0.0);
        PULSE.set(Pulse { standing: RUNNING, ..PULSE.get() });
        // The host polls when the attempt has ended: a JsFuture would cost two closures.
        poll_fn(|_| {
            Poll::Ready(match PULSE.get().standing {
                RUNNING => return Poll::Pending,
                1 => Outcome::Succeeded(self.usage()),
                2 => Outcome::Failed(Box::new(self.host.facts().observed())),
                3 => Outcome::Unsent(Mark::Cancelled),
                4 => Outcome::Unsent(Mark::OneShotBody),
                5 => Outcome::Unsent(Mark::DeadlineExceeded),
                _ => Outcome::Left(self.usage()),
            })
        })
        .await
    }

    fn beside(&mut self) -> Option<Box<Observed>> {
        self.host.take_beside().map(|facts| Box::new(facts.observed()))
    }

    async fn sleep(&mut self, delay: DelayMs) -> Slept {
        if self.ways & ways::SLEEPS == 0 {
            return sleep::sleep(delay, self.signal.as_ref()).await;
        }
        match JsFuture::from(self.host.sleep(delay.as_f64())).await {
            Ok(through) if through.is_truthy() => Slept::Through,
            _ => Slept::Cancelled,
        }
    }

    async fn ask(&mut self, record: &AttemptRecord, verdict: &Verdict) -> Answer<Option<bool>> {
        self.answer(self.host.ask(json::record(record), json::verdict(verdict))).await
    }

    async fn announce(&mut self, record: &AttemptRecord) -> Answer<()> {
        match self.answer(self.host.announce(json::record(record))).await {
            Answer::Said(_) => Answer::Said(()),
            Answer::Threw => Answer::Threw,
            Answer::Cancelled => Answer::Cancelled,
        }
    }

    fn failed(&mut self, record: &AttemptRecord, verdict: &Verdict) {
        self.host.tell_failed(json::record(record), json::verdict(verdict));
    }

    fn waiting(&mut self, record: &AttemptRecord, delay: DelayMs, from: WaitFrom) {
        self.host.tell_waiting(json::record(record), delay.as_f64(), from.as_str());
    }
}

/// A ledger from its numbers, in the order of its fields.
pub fn ledger(numbers: &[f64]) -> RetryLedger {
    let number = |at: usize| numbers.get(at).copied().unwrap_or_default();
    RetryLedger {
        total_attempts: number(0) as u32,
        failed_attempts: number(1) as u32,
        wasted_prompt_tokens: number(2) as u64,
        wasted_completion_tokens: number(3) as u64,
        wasted_total_tokens: number(4) as u64,
        waste_is_lower_bound: number(5) != 0.0,
    }
}

/// An attempt's limit in milliseconds, below zero for none, and whether the deadline set it.
pub fn limit_of(allowance: Option<Allowance>) -> [f64; 2] {
    let limit = allowance.map_or(-1.0, |allowance| allowance.limit.as_f64());
    [limit, f64::from(allowance.is_some_and(|allowance| allowance.by_deadline))]
}

/// Both clocks, as the host reads them.
pub fn now(mono: f64, wall: f64) -> Now {
    // A clock of the caller's may give anything: `as` saturates, and NaN is zero.
    Now { mono: MonoMs(mono as u64), wall: WallMs(wall as i64) }
}
