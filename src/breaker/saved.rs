//! A breaker's state as text: times are what is left of them, so that they mean the same to
//! another clock.

use super::{Breaker, Phase, Probe, State, later};
use crate::clock::{DelayMs, MonoMs};
use crate::saved::{Restored, Saved};

impl Breaker {
    /// The state, as JSON.
    pub fn export(&mut self, now: MonoMs) -> String {
        let mut saved = Saved::default();
        saved.word("state", self.state().as_str());
        saved.number("failures", self.failures.into());
        saved.number("trips", self.trips.into());
        saved.number("coolDownMs", self.cool_down.get());
        match &self.phase {
            Phase::Closed | Phase::Isolated => {}
            Phase::Open { until } => saved.number("leftMs", until.since(now).get()),
            Phase::HalfOpen { probes, succeeded } => {
                saved.number("succeeded", (*succeeded).into());
                let held = probes.iter().flat_map(|probe| [probe.token, probe.lease_ends.since(now).get()]);
                saved.list("probes", &held.collect::<Vec<_>>());
            }
        }
        saved.list("window", &self.window.export(now));
        saved.text()
    }

    /// Takes a state that was exported `age` before `now`, and says whether it could be read;
    /// if not, nothing changes.
    ///
    /// No wait in it is longer than these rules can make one. A closed period goes on with
    /// its token, so that the calls that are under way still count.
    pub fn import(&mut self, text: &str, now: MonoMs, age: DelayMs) -> bool {
        self.imported(text, now, age).is_some()
    }

    fn imported(&mut self, text: &str, now: MonoMs, age: DelayMs) -> Option<()> {
        let restored = Restored::read(text)?;
        let named = |state: &State| restored.word("state") == Some(state.as_str());
        let state = State::ALL.into_iter().find(named)?;
        let failures = restored.count("failures")?;
        let trips = restored.count("trips")?;
        let cool_down = DelayMs::new(restored.number("coolDownMs")?);
        let window = restored.list("window")?;
        let jitter = DelayMs::new((self.rules.max_open.as_f64() * self.rules.open_jitter) as u64);
        let longest = self.rules.max_open.plus(jitter);
        let ends = |left: u64, longest: DelayMs| later(now, DelayMs::new(left).min(longest).minus(age));
        let phase = match state {
            State::Closed => Phase::Closed,
            State::Isolated => Phase::Isolated,
            State::Open => Phase::Open { until: ends(restored.number("leftMs")?, longest) },
            State::HalfOpen => {
                let longest = self.rules.lease.unwrap_or(longest);
                let probe = |pair: &[u64]| match pair {
                    [token, left] => Some(Probe { token: *token, lease_ends: ends(*left, longest) }),
                    _ => None,
                };
                let probes = restored.list("probes")?.chunks_exact(2).filter_map(probe).collect();
                // So many successes would have closed it.
                let succeeded = restored.count("succeeded")?.min(self.rules.probes.saturating_sub(1));
                Phase::HalfOpen { probes, succeeded }
            }
        };
        if state == State::Closed && self.state() != State::Closed {
            self.reset();
        }
        self.failures = failures;
        self.trips = trips;
        self.cool_down = cool_down.min(longest).max(self.rules.open);
        self.window.import(&window, now, age);
        self.enter(phase);
        Some(())
    }
}
