//! What happened to a breaker since its state was last shared, so that the same can be done
//! to a state that others have changed meanwhile.

use super::{Breaker, BreakerOutcome, State};
use crate::clock::{DelayMs, MonoMs};

/// So many are kept while they cannot be shared; the oldest go first.
const DEEDS_KEPT: usize = 64;

#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Deed {
    /// A call of a closed period succeeded or failed.
    Counted(BreakerOutcome),
    /// A probe ended that was admitted after so many trips.
    Probed {
        token: u64,
        outcome: BreakerOutcome,
        trips: u32,
    },
    Isolated,
    Closed,
}

impl Breaker {
    /// Has what happens from now on kept. A success of a breaker that knows of no failure
    /// changes nothing, and is not.
    pub fn follow(&mut self) {
        self.deeds.get_or_insert_with(Vec::new);
    }

    pub(super) fn note(&mut self, deed: Deed) {
        let Some(deeds) = &mut self.deeds else { return };
        if deeds.len() >= DEEDS_KEPT {
            deeds.remove(0);
        }
        deeds.push(deed);
    }

    /// How many deeds are kept.
    pub fn deeds(&self) -> u32 {
        u32::try_from(self.deeds.as_ref().map_or(0, Vec::len)).unwrap_or(u32::MAX)
    }

    /// Does to another breaker what happened to this one.
    pub fn redo(&self, onto: &mut Breaker, now: MonoMs) {
        for deed in self.deeds.iter().flatten() {
            onto.perform(*deed, now);
        }
    }

    /// As [`Breaker::import`], of a state in which the first `done` deeds are contained; the
    /// later ones are done to it.
    pub fn adopt(&mut self, text: &str, done: u32, now: MonoMs, age: DelayMs) -> bool {
        if !self.import(text, now, age) {
            return false;
        }
        let Some(mut left) = self.deeds.take() else { return true };
        left.drain(..left.len().min(done as usize));
        for deed in &left {
            self.perform(*deed, now);
        }
        self.deeds = Some(left);
        true
    }

    fn perform(&mut self, deed: Deed, now: MonoMs) {
        match deed {
            // A call from before it opened says nothing of a probe.
            Deed::Counted(outcome) if self.state() == State::Closed => self.report(self.period, outcome, now),
            Deed::Counted(_) => {}
            Deed::Probed { token, outcome, trips } => self.report_as(token, outcome, trips, now),
            Deed::Isolated => self.isolate(),
            Deed::Closed => self.close(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::breaker::Admission;
    use crate::policy::BreakerRules;
    use BreakerOutcome::{Failure, Success};

    fn breaker(seed: u64) -> Breaker {
        let rules = BreakerRules { failures: 3, open_jitter: 0.0, ..BreakerRules::default() };
        let mut breaker = Breaker::new(rules, seed);
        breaker.follow();
        breaker
    }

    fn call(breaker: &mut Breaker, outcome: BreakerOutcome, now: MonoMs) {
        if let Admission::Admitted(token) = breaker.admit(now) {
            breaker.report(token, outcome, now);
        }
    }

    const NOW: MonoMs = MonoMs(1000);

    #[test]
    fn failures_of_two_breakers_add_up_in_the_state_they_share() {
        let (mut here, mut there) = (breaker(1), breaker(2));
        call(&mut here, Failure, NOW);
        call(&mut there, Failure, NOW);
        call(&mut there, Failure, NOW);
        let mut shared = breaker(3);
        here.redo(&mut shared, NOW);
        there.redo(&mut shared, NOW);
        assert_eq!((shared.state(), shared.trips()), (State::Open, 1));
        let text = shared.export(NOW);
        assert!(here.adopt(&text, here.deeds(), NOW, DelayMs::ZERO));
        assert_eq!((here.state(), here.deeds()), (State::Open, 0));
    }

    #[test]
    fn a_success_is_a_deed_only_where_a_failure_is_known() {
        let mut here = breaker(1);
        call(&mut here, Success, NOW);
        assert_eq!(here.deeds(), 0);
        call(&mut here, Failure, NOW);
        call(&mut here, Success, NOW);
        assert_eq!(here.deeds(), 2);
        let mut shared = breaker(2);
        call(&mut shared, Failure, NOW);
        here.redo(&mut shared, NOW);
        assert_eq!(shared.failures(NOW), 0);
    }

    #[test]
    fn what_happened_after_the_state_was_told_is_done_to_the_one_that_is_adopted() {
        let mut here = breaker(1);
        call(&mut here, Failure, NOW);
        let told = here.deeds();
        let mut shared = breaker(2);
        call(&mut shared, Failure, NOW);
        here.redo(&mut shared, NOW);
        call(&mut here, Failure, NOW);
        assert!(here.adopt(&shared.export(NOW), told, NOW, DelayMs::ZERO));
        assert_eq!((here.state(), here.trips(), here.deeds()), (State::Open, 1, 1));
    }

    #[test]
    fn a_probe_of_one_closes_the_breaker_of_all_and_a_late_failure_does_not_open_it() {
        let (mut here, mut there) = (breaker(1), breaker(2));
        (0..3).for_each(|_| call(&mut here, Failure, NOW));
        let opened = here.export(NOW);
        assert!(there.adopt(&opened, 0, NOW, DelayMs::ZERO));
        let later = MonoMs(NOW.0 + 30_000);
        assert!(here.adopt(&opened, here.deeds(), NOW, DelayMs::ZERO));
        let mut shared = breaker(3);
        assert!(shared.import(&opened, NOW, DelayMs::ZERO));
        let Admission::Admitted(token) = here.admit(later) else { panic!("the cool-down is over") };
        assert_eq!(shared.admit_as(token, later), Admission::Admitted(token));
        assert!(matches!(shared.admit(later), Admission::Refused { .. }));
        here.report(token, Success, later);
        here.redo(&mut shared, later);
        assert_eq!(shared.state(), State::Closed);
        assert!(there.adopt(&shared.export(later), 0, later, DelayMs::ZERO));
        assert_eq!(there.state(), State::Closed);
    }

    #[test]
    fn a_probe_that_the_shared_state_was_not_told_of_counts_there() {
        let later = MonoMs(NOW.0 + 30_000);
        for (outcome, expected) in [(Success, (State::Closed, 0)), (Failure, (State::Open, 2))] {
            let mut here = breaker(1);
            (0..3).for_each(|_| call(&mut here, Failure, NOW));
            let opened = here.export(NOW);
            assert!(here.adopt(&opened, here.deeds(), NOW, DelayMs::ZERO));
            call(&mut here, outcome, later);
            for age in [DelayMs::ZERO, DelayMs::new(30_000)] {
                let mut shared = breaker(2);
                assert!(shared.import(&opened, later, age));
                here.redo(&mut shared, later);
                assert_eq!((shared.state(), shared.trips()), expected, "{age:?}");
                assert!(here.clone().adopt(&shared.export(later), here.deeds(), later, DelayMs::ZERO));
            }
        }
    }

    #[test]
    fn a_probe_of_an_earlier_open_period_says_nothing_of_this_one() {
        let mut here = breaker(1);
        (0..3).for_each(|_| call(&mut here, Failure, NOW));
        here.adopt(&here.clone().export(NOW), here.deeds(), NOW, DelayMs::ZERO);
        call(&mut here, Success, MonoMs(NOW.0 + 30_000));
        let mut shared = breaker(2);
        (0..3).for_each(|_| call(&mut shared, Failure, NOW));
        call(&mut shared, Failure, MonoMs(NOW.0 + 30_000));
        here.redo(&mut shared, MonoMs(NOW.0 + 31_000));
        assert_eq!((shared.state(), shared.trips()), (State::Open, 2));
    }

    #[test]
    fn a_token_from_elsewhere_is_given_to_nobody_else() {
        let rules = BreakerRules { failures: 1, probes: 2, open_jitter: 0.0, ..BreakerRules::default() };
        let mut here = Breaker::new(rules, 1);
        call(&mut here, Failure, NOW);
        let now = MonoMs(NOW.0 + 30_000);
        let Admission::Admitted(own) = here.admit(now) else { panic!("the cool-down is over") };
        assert_eq!(here.admit_as(own - 1, now), Admission::Admitted(own - 1));
        assert!(matches!(here.admit_as(own + 7, now), Admission::Refused { .. }));
        here.report(own - 1, Failure, now);
        let Admission::Admitted(next) = here.admit(MonoMs(now.0 + 60_000)) else { panic!("the cool-down is over") };
        assert!(next > own);
    }

    #[test]
    fn deeds_that_cannot_be_shared_do_not_pile_up() {
        let mut here = breaker(1);
        (0..500).for_each(|_| {
            here.isolate();
            here.close();
        });
        assert_eq!(here.deeds() as usize, DEEDS_KEPT);
    }
}
