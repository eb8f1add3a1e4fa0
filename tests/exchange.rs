//! State that several isolates exchange, each with a clock of its own, is worth as much as
//! that of one that all calls go through.

use dacapo::breaker::{Admission, Breaker, BreakerOutcome, State};
use dacapo::budget::Budget;
use dacapo::clock::{DelayMs, MonoMs};
use dacapo::policy::{BreakerMode, BreakerRules, BudgetMode, BudgetRules};

fn call(breaker: &mut Breaker, fails: bool, now: u64) {
    if let Admission::Admitted(token) = breaker.admit(MonoMs(now)) {
        let outcome = if fails { BreakerOutcome::Failure } else { BreakerOutcome::Success };
        breaker.report(token, outcome, MonoMs(now));
    }
}

#[test]
fn a_rolling_breaker_whose_state_goes_to_and_fro_opens_as_soon_as_one_that_stays() {
    let rules = BreakerRules {
        mode: BreakerMode::Rolling,
        window: DelayMs::new(10_000),
        min_calls: 20,
        failure_ratio: 0.5,
        ..BreakerRules::default()
    };
    let mut stays = Breaker::new(rules.clone(), 1);
    let mut isolates = [(0, Breaker::new(rules.clone(), 2)), (123_456, Breaker::new(rules, 3))];
    let down_from = 3000;
    let mut opened = [None; 2];
    for n in 1..4000 {
        let (now, fails) = (n * 100, n >= down_from || n % 100 == 0);
        call(&mut stays, fails, now);
        let [(here, has_it), (there, next)] = &mut isolates;
        call(has_it, fails, now + *here);
        let text = has_it.export(MonoMs(now + *here));
        assert!(next.import(&text, MonoMs(now + *there), DelayMs::ZERO));
        for (breaker, opened) in [&stays, next].into_iter().zip(&mut opened) {
            if breaker.state() == State::Open {
                opened.get_or_insert(n - down_from);
            }
        }
        isolates.reverse();
    }
    assert_eq!(opened, [Some(49); 2]);
}

/// One of those who share a budget.
struct Isolate {
    origin: u64,
    own: Budget,
    base: Option<(String, u64)>,
    asked: Option<(String, String, u64)>,
}

struct Store {
    rules: BudgetRules,
    kept: Option<(String, u64)>,
}

impl Store {
    fn read(&self, text: &str, clock: u64, age: u64) -> Budget {
        let mut budget = Budget::new(self.rules.clone());
        assert!(budget.import(text, MonoMs(clock), DelayMs::new(age)));
        budget
    }

    /// Tells what is news, as `isolate` knows it.
    fn ask(&mut self, isolate: &mut Isolate, now: u64) {
        let clock = isolate.origin + now;
        let mine = isolate.own.export(MonoMs(clock));
        let mut told = self.read(&mine, clock, 0);
        if let Some((text, at)) = &self.kept {
            let base = isolate.base.as_ref().map(|(text, then)| self.read(text, clock, now - then));
            let mut base = base.unwrap_or_else(|| Budget::new(self.rules.clone()));
            told.rebase(&mut base, &mut self.read(text, clock, now - at), MonoMs(clock));
        }
        let text = told.export(MonoMs(clock));
        self.kept = Some((text.clone(), now));
        isolate.asked = Some((mine, text, now));
    }

    fn answer(&self, isolate: &mut Isolate, now: u64) {
        let Some((mine, text, then)) = isolate.asked.take() else { return };
        let clock = isolate.origin + now;
        let mut shared = self.read(&text, clock, now - then);
        isolate.own.rebase(&mut self.read(&mine, clock, now - then), &mut shared, MonoMs(clock));
        isolate.base = Some((text, then));
    }
}

/// The retries of a call to a target that is down.
fn retries(budget: &mut Budget, clock: u64) -> u64 {
    budget.began(MonoMs(clock));
    (0..2).filter(|_| budget.withdraw(false, MonoMs(clock)).is_some()).count() as u64
}

#[test]
fn four_who_share_a_budget_by_ratio_retry_as_often_as_one_alone() {
    let rules = BudgetRules { mode: BudgetMode::Ratio, reserve_per_second: 1, ..BudgetRules::default() };
    // All the time, or in bursts.
    let shapes: [fn(u64) -> bool; 3] = [|_| true, |now| now % 10_000 < 1000, |now| now % 5000 < 2500];
    // Answers come at once, or after the next call.
    for (every_ms, is_prompt) in [(40, true), (130, true), (130, false), (333, false), (1000, true), (1700, false)] {
        for (shape, calls) in shapes.iter().enumerate() {
            let mut alone = Budget::new(rules.clone());
            let mut store = Store { rules: rules.clone(), kept: None };
            let start = |origin| Isolate { origin, own: Budget::new(rules.clone()), base: None, asked: None };
            let mut isolates = [0, 12_345, 24_690, 1_700_000_037_035].map(start);
            let (mut by_one, mut sent) = (0, Vec::new());
            for now in (every_ms..80_000).step_by(every_ms as usize).filter(|now| calls(*now)) {
                for isolate in &mut isolates {
                    by_one += retries(&mut alone, now);
                    sent.push((now, retries(&mut isolate.own, isolate.origin + now)));
                    store.answer(isolate, now);
                    store.ask(isolate, now);
                    if is_prompt {
                        store.answer(isolate, now);
                    }
                }
            }
            let by_four: u64 = sent.iter().map(|(_, retries)| retries).sum();
            let case = format!("every {every_ms} ms, shape {shape}: {by_four}, one alone {by_one}");
            assert!(by_four * 10 >= by_one * 9, "{case}");
            // Two calls of each of the others may be unknown, with two retries each.
            let unknown = if is_prompt { 3 * 2 } else { 3 * 2 * 2 };
            for (end, _) in &sent {
                let within = |ms: u64| sent.iter().filter(move |(at, _)| at <= end && *at + ms > *end);
                let allowed = within(10_000).count() as u64 / 5 + 10;
                let made: u64 = within(9000).map(|(_, retries)| retries).sum();
                assert!(made <= allowed + unknown, "{case}: {made} of {allowed} until {end}");
            }
        }
    }
}
