//! A circuit breaker: while a target fails, calls to it are refused at once.
//!
//! **Closed**, it counts one outcome for each call and opens when too many failed. **Open**,
//! it refuses all until the cool-down is over. **Half-open**, it lets a few calls through as
//! probes: so many successes close it, one failure opens it for twice as long.
//!
//! Who was admitted holds a token and reports with it. The calls of one closed period share
//! theirs, a probe has its own, and a report whose token is no longer current changes
//! nothing: not the late one of a call from before the breaker opened, nor that of a probe
//! of an earlier half-open period. A probe that does not report loses its place with its
//! lease, so it cannot hold the breaker half-open for ever; when it does report it counts
//! all the same, so that a target slower than the lease can close its breaker.
//!
//! As all of the core it reads no clock; a clock set back changes no state.

mod deeds;
mod saved;
#[cfg(test)]
mod tests;

use crate::clock::{DelayMs, MAX_SAFE_MS, MonoMs};
use crate::kind::ErrorKind;
use crate::policy::{BreakerMode, BreakerRules};
use crate::window::Window;
use deeds::Deed;

/// What a breaker does with calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum State {
    /// They pass.
    Closed,
    /// They are refused until the cool-down is over.
    Open,
    /// A few pass as probes.
    HalfOpen,
    /// They are refused until somebody closes it.
    Isolated,
}

impl State {
    /// Every state, as numbered.
    pub const ALL: [State; 4] = [State::Closed, State::Open, State::HalfOpen, State::Isolated];

    /// The stable name.
    pub const fn as_str(self) -> &'static str {
        match self {
            State::Closed => "closed",
            State::Open => "open",
            State::HalfOpen => "half_open",
            State::Isolated => "isolated",
        }
    }
}

/// Whether a call may be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Admission {
    /// It may, and is to be reported once with this token, which a double holds exactly.
    Admitted(u64),
    /// It may not.
    Refused {
        /// When it is worth asking again; [`DelayMs::MAX`] where no time ends the refusal.
        retry_after: DelayMs,
    },
}

/// How a whole call ended, its retries included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BreakerOutcome {
    /// The target answered.
    Success,
    /// The target is unwell: see [`Breaker::counts`].
    Failure,
    /// It says nothing of the target.
    Neutral,
}

#[derive(Clone, Debug, PartialEq)]
enum Phase {
    Closed,
    Open { until: MonoMs },
    HalfOpen { probes: Vec<Probe>, succeeded: u32 },
    Isolated,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Probe {
    token: u64,
    lease_ends: MonoMs,
}

impl Probe {
    fn holds_place(&self, now: MonoMs) -> bool {
        now < self.lease_ends
    }
}

/// Probes that outlived their leases and may still report, so many and no more.
const LATE_KEPT: usize = 16;

/// State changes that nobody asked for, so many and no more.
const CHANGES_KEPT: usize = 16;

/// The state of one target.
#[derive(Clone, Debug)]
pub struct Breaker {
    rules: BreakerRules,
    phase: Phase,
    /// The token of the current closed period, or of the last one.
    period: u64,
    last_token: u64,
    /// In a row, in consecutive mode.
    failures: u32,
    /// All calls and the failed ones, in rolling mode.
    window: Window,
    /// Since it was last closed.
    trips: u32,
    cool_down: DelayMs,
    random: Random,
    changes: Vec<(State, State)>,
    /// Where it is followed.
    deeds: Option<Vec<Deed>>,
}

impl Breaker {
    /// A closed breaker. `seed` is random: tokens and the jitter of cool-downs come from it.
    pub fn new(rules: BreakerRules, seed: u64) -> Breaker {
        let mut random = Random(seed);
        let period = random.next() & MAX_SAFE_MS;
        Breaker {
            phase: Phase::Closed,
            period,
            last_token: period,
            failures: 0,
            window: Window::new(rules.window),
            trips: 0,
            cool_down: rules.open,
            random,
            changes: Vec::new(),
            deeds: None,
            rules,
        }
    }

    /// Asks to make a call.
    pub fn admit(&mut self, now: MonoMs) -> Admission {
        let token = self.last_token.wrapping_add(1) & MAX_SAFE_MS;
        let admission = self.admit_as(token, now);
        if admission == Admission::Admitted(token) {
            self.last_token = token;
        }
        admission
    }

    /// Asks for a call that another state of this breaker has admitted as a probe, with the
    /// token that it has there.
    pub fn admit_as(&mut self, token: u64, now: MonoMs) -> Admission {
        let retry_after = self.retry_after(now);
        if retry_after > DelayMs::ZERO {
            return Admission::Refused { retry_after };
        }
        if self.phase == Phase::Closed {
            return Admission::Admitted(self.period);
        }
        self.add(Probe { token, lease_ends: later(now, self.lease()) }, now);
        Admission::Admitted(token)
    }

    fn lease(&self) -> DelayMs {
        self.rules.lease.unwrap_or(self.cool_down)
    }

    fn add(&mut self, probe: Probe, now: MonoMs) {
        let Phase::HalfOpen { probes, .. } = &mut self.phase else {
            self.enter(Phase::HalfOpen { probes: vec![probe], succeeded: 0 });
            return;
        };
        let mut too_many = probes.iter().filter(|probe| !probe.holds_place(now)).count().saturating_sub(LATE_KEPT);
        probes.retain(|probe| {
            let goes = too_many > 0 && !probe.holds_place(now);
            too_many -= usize::from(goes);
            !goes
        });
        probes.push(probe);
    }

    /// Asks again for a call that was admitted, before it sends once more. A probe keeps its
    /// place, or gets one that is free. Any other call is one like any other, but for a breaker
    /// that is followed: there others have to be asked before a call may be a probe, and
    /// nobody asks for a retry.
    pub fn admit_again(&mut self, token: u64, now: MonoMs) -> Admission {
        let retry_after = self.retry_after(now);
        let lease_ends = later(now, self.lease());
        if let Phase::HalfOpen { probes, .. } = &mut self.phase
            && let Some(probe) = probes.iter_mut().find(|probe| probe.token == token)
        {
            if !probe.holds_place(now) {
                if retry_after > DelayMs::ZERO {
                    return Admission::Refused { retry_after };
                }
                probe.lease_ends = lease_ends;
            }
            return Admission::Admitted(token);
        }
        if self.deeds.is_some() && self.phase != Phase::Closed {
            Admission::Refused { retry_after }
        } else {
            self.admit(now)
        }
    }

    /// Reports how a call ended that was admitted with this token.
    pub fn report(&mut self, token: u64, outcome: BreakerOutcome, now: MonoMs) {
        match &mut self.phase {
            Phase::Closed if token == self.period => self.count(outcome, now),
            Phase::HalfOpen { probes, succeeded } => {
                let held = probes.len();
                probes.retain(|probe| probe.token != token);
                if probes.len() == held {
                    return;
                }
                if outcome == BreakerOutcome::Success {
                    *succeeded = succeeded.saturating_add(1);
                }
                let are_enough = *succeeded >= self.rules.probes;
                self.note(Deed::Probed { token, outcome, trips: self.trips });
                match outcome {
                    BreakerOutcome::Failure => self.trip(now),
                    BreakerOutcome::Success if are_enough => self.reset(),
                    BreakerOutcome::Success | BreakerOutcome::Neutral => {}
                }
            }
            _ => {}
        }
    }

    /// Reports a probe of the same open period that another state of this breaker has admitted.
    fn report_as(&mut self, token: u64, outcome: BreakerOutcome, trips: u32, now: MonoMs) {
        if trips != self.trips || !matches!(self.phase, Phase::Open { .. } | Phase::HalfOpen { .. }) {
            return;
        }
        if !matches!(&self.phase, Phase::HalfOpen { probes, .. } if probes.iter().any(|probe| probe.token == token)) {
            self.add(Probe { token, lease_ends: now }, now);
        }
        self.report(token, outcome, now);
    }

    fn count(&mut self, outcome: BreakerOutcome, now: MonoMs) {
        if outcome == BreakerOutcome::Neutral {
            return;
        }
        let failed = outcome == BreakerOutcome::Failure;
        if self.deeds.is_some() && (failed || self.failures(now) > 0) {
            self.note(Deed::Counted(outcome));
        }
        let too_many = match self.rules.mode {
            BreakerMode::Consecutive => {
                self.failures = if failed { self.failures.saturating_add(1) } else { 0 };
                self.failures >= self.rules.failures
            }
            BreakerMode::Rolling => {
                self.window.add(true, failed, now);
                let [calls, failures] = self.window.sums(now);
                calls >= self.rules.min_calls.into() && failures as f64 >= calls as f64 * self.rules.failure_ratio
            }
        };
        // The success that fills the least number of calls is no reason to open.
        if failed && too_many {
            self.trip(now);
        }
    }

    fn trip(&mut self, now: MonoMs) {
        let doubled = self.rules.open.get().saturating_mul(1u64.checked_shl(self.trips).unwrap_or(u64::MAX));
        self.trips = self.trips.saturating_add(1);
        let base = DelayMs::new(doubled).min(self.rules.max_open);
        let spread = base.as_f64() * self.rules.open_jitter * self.random.unit();
        self.cool_down = base.plus(DelayMs::new(spread as u64));
        self.enter(Phase::Open { until: later(now, self.cool_down) });
    }

    /// Refuses every call until somebody calls [`Breaker::close`].
    pub fn isolate(&mut self) {
        self.note(Deed::Isolated);
        self.enter(Phase::Isolated);
    }

    /// Lets calls pass again and forgets what was counted.
    pub fn close(&mut self) {
        self.note(Deed::Closed);
        self.reset();
    }

    fn reset(&mut self) {
        self.failures = 0;
        self.trips = 0;
        self.window.clear();
        self.cool_down = self.rules.open;
        self.last_token = self.last_token.wrapping_add(1) & MAX_SAFE_MS;
        self.period = self.last_token;
        self.enter(Phase::Closed);
    }

    fn enter(&mut self, phase: Phase) {
        let from = self.state();
        self.phase = phase;
        let to = self.state();
        if from != to {
            if self.changes.len() >= CHANGES_KEPT {
                self.changes.remove(0);
            }
            self.changes.push((from, to));
        }
    }

    /// What it does with calls. One whose cool-down is over is open until somebody calls.
    pub fn state(&self) -> State {
        match self.phase {
            Phase::Closed => State::Closed,
            Phase::Open { .. } => State::Open,
            Phase::HalfOpen { .. } => State::HalfOpen,
            Phase::Isolated => State::Isolated,
        }
    }

    /// When it is worth asking: zero where a call would be admitted.
    pub fn retry_after(&self, now: MonoMs) -> DelayMs {
        match &self.phase {
            Phase::Closed => DelayMs::ZERO,
            Phase::Isolated => DelayMs::MAX,
            Phase::Open { until } => until.since(now),
            Phase::HalfOpen { probes, succeeded } => {
                let running = || probes.iter().filter(|probe| probe.holds_place(now)).map(|probe| probe.lease_ends);
                // More calls than these would prove no more.
                let places = self.rules.probes.saturating_sub(*succeeded) as usize;
                let leaves_one = |end: &MonoMs| running().filter(|other| other > end).count() < places;
                if running().count() < places {
                    return DelayMs::ZERO;
                }
                running().filter(leaves_one).min().map_or(DelayMs::ZERO, |end| end.since(now))
            }
        }
    }

    /// Failed calls that count now: those in a row, or those of the window.
    pub fn failures(&mut self, now: MonoMs) -> u32 {
        match self.rules.mode {
            BreakerMode::Consecutive => self.failures,
            BreakerMode::Rolling => {
                let [_, failed] = self.window.sums(now);
                u32::try_from(failed).unwrap_or(u32::MAX)
            }
        }
    }

    /// How often it has opened since it was last closed.
    pub fn trips(&self) -> u32 {
        self.trips
    }

    /// Whether a call that failed so tells that the target is unwell.
    pub fn counts(&self, kind: ErrorKind) -> bool {
        kind.properties().counts_for_breaker || (self.rules.count_throttling && kind == ErrorKind::RateLimited)
    }

    /// The oldest change of state that was not taken yet, from and to.
    pub fn take_change(&mut self) -> Option<(State, State)> {
        if self.changes.is_empty() { None } else { Some(self.changes.remove(0)) }
    }
}

fn later(now: MonoMs, delay: DelayMs) -> MonoMs {
    MonoMs(now.0.saturating_add(delay.get()))
}

/// SplitMix64: one seed gives all the numbers a breaker needs, and the same ones each time.
#[derive(Clone, Debug)]
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mixed = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let mixed = (mixed ^ mixed >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^ mixed >> 31
    }

    /// In [0, 1).
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }
}
