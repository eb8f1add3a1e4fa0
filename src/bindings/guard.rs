//! Breakers and budgets, held by `CircuitBreaker` and `RetryBudget` of JavaScript, and what a
//! call is asked by. A call that succeeds at once is one `admit` and one `report`, numbers
//! that cost no more than a function call.

use super::policy::PolicyHandle;
use crate::breaker::{Admission, Breaker, BreakerOutcome, State};
use crate::budget::Budget;
use crate::clock::{DelayMs, MonoMs};
use crate::guard::{Guard, Shared};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use wasm_bindgen::prelude::*;

/// There is one thread, and nothing that is asked calls back.
fn held<T>(shared: &Shared<T>) -> MutexGuard<'_, T> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The breaker of one key.
#[wasm_bindgen]
pub struct BreakerHandle(Shared<Breaker>);

#[wasm_bindgen]
impl BreakerHandle {
    /// By the policy's option, or its default. `seed` is any random number; one is drawn without.
    #[wasm_bindgen(constructor)]
    pub fn new(policy: &PolicyHandle, seed: Option<f64>) -> BreakerHandle {
        let rules = policy.share().breaker.clone().unwrap_or_default();
        let seed = seed.unwrap_or_else(super::drive::draw);
        BreakerHandle(Arc::new(Mutex::new(Breaker::new(rules, seed.to_bits()))))
    }

    /// The same breaker once more, for a guard to keep.
    pub fn share(&self) -> BreakerHandle {
        BreakerHandle(Arc::clone(&self.0))
    }

    /// 0 closed, 1 open, 2 half-open, 3 isolated.
    pub fn state(&self) -> u32 {
        held(&self.0).state() as u32
    }

    /// Milliseconds until a call would be admitted; infinite where no time brings that.
    #[wasm_bindgen(js_name = retryAfter)]
    pub fn retry_after(&self, mono: f64) -> f64 {
        wait(held(&self.0).retry_after(at(mono)))
    }

    /// Failed calls that count at this time.
    pub fn failures(&self, mono: f64) -> u32 {
        held(&self.0).failures(at(mono))
    }

    /// How often it has opened since it was last closed.
    pub fn trips(&self) -> u32 {
        held(&self.0).trips()
    }

    /// Refuses every call until it is closed.
    pub fn isolate(&self) {
        held(&self.0).isolate();
    }

    /// Lets calls pass.
    pub fn close(&self) {
        held(&self.0).close();
    }

    /// The state, as JSON.
    pub fn export(&self, mono: f64) -> String {
        held(&self.0).export(at(mono))
    }

    /// Takes a state that was exported `age_ms` ago; false when it is none.
    pub fn import(&self, text: &str, mono: f64, age_ms: f64) -> bool {
        held(&self.0).import(text, at(mono), DelayMs::from_f64(age_ms))
    }

    /// Keeps what happens from now on, for `redo` and `adopt`.
    pub fn follow(&self) {
        held(&self.0).follow();
    }

    /// How many deeds are kept.
    pub fn deeds(&self) -> u32 {
        held(&self.0).deeds()
    }

    /// Does to another breaker what happened to this one.
    pub fn redo(&self, onto: &BreakerHandle, mono: f64) {
        if let Ok(mut onto) = onto.0.try_lock() {
            held(&self.0).redo(&mut onto, at(mono));
        }
    }

    /// As `import`, of a state that contains the first `done` deeds.
    pub fn adopt(&self, text: &str, done: u32, mono: f64, age_ms: f64) -> bool {
        held(&self.0).adopt(text, done, at(mono), DelayMs::from_f64(age_ms))
    }

    /// As a guard's `admit`, of a call that another state of this breaker has given the token.
    #[wasm_bindgen(js_name = admitAs)]
    pub fn admit_as(&self, token: f64, mono: f64) -> f64 {
        match held(&self.0).admit_as(token as u64, at(mono)) {
            Admission::Admitted(token) => token as f64,
            Admission::Refused { retry_after } => -1.0 - wait(retry_after),
        }
    }

    /// The oldest change that was not taken yet: 1 + 4 * from + to, by the numbers of `state`;
    /// 0 when there is none.
    #[wasm_bindgen(js_name = takeChange)]
    pub fn take_change(&self) -> u32 {
        let change = held(&self.0).take_change();
        change.map_or(0, |(from, to): (State, State)| 1 + 4 * from as u32 + to as u32)
    }
}

/// The budget of one key.
#[wasm_bindgen]
pub struct BudgetHandle(Shared<Budget>);

#[wasm_bindgen]
impl BudgetHandle {
    /// By the policy's option, or its default.
    #[wasm_bindgen(constructor)]
    pub fn new(policy: &PolicyHandle) -> BudgetHandle {
        let rules = policy.share().budget.clone().unwrap_or_default();
        BudgetHandle(Arc::new(Mutex::new(Budget::new(rules))))
    }

    /// The same budget once more, for a guard to keep.
    pub fn share(&self) -> BudgetHandle {
        BudgetHandle(Arc::clone(&self.0))
    }

    /// Tokens left, or retries left in the window.
    pub fn tokens(&self, mono: f64) -> f64 {
        held(&self.0).left(at(mono)) as f64
    }

    /// The state, as JSON.
    pub fn export(&self, mono: f64) -> String {
        held(&self.0).export(at(mono))
    }

    /// Takes a state that was exported `age_ms` ago; false when it is none.
    pub fn import(&self, text: &str, mono: f64, age_ms: f64) -> bool {
        held(&self.0).import(text, at(mono), DelayMs::from_f64(age_ms))
    }

    /// Takes over the state of `shared`, and does to it what was done since `base`.
    pub fn rebase(&self, base: &BudgetHandle, shared: &BudgetHandle, mono: f64) {
        if let (Ok(mut own), Ok(mut base), Ok(mut shared)) = (self.0.try_lock(), base.0.try_lock(), shared.0.try_lock())
        {
            own.rebase(&mut base, &mut shared, at(mono));
        }
    }
}

/// What the calls of one key are asked by.
#[wasm_bindgen]
pub struct GuardHandle {
    breaker: Option<Shared<Breaker>>,
    budget: Option<Shared<Budget>>,
}

#[wasm_bindgen]
impl GuardHandle {
    /// Keeps both: give it a `share()`.
    #[wasm_bindgen(constructor)]
    pub fn new(breaker: Option<BreakerHandle>, budget: Option<BudgetHandle>) -> GuardHandle {
        GuardHandle { breaker: breaker.map(|handle| handle.0), budget: budget.map(|handle| handle.0) }
    }

    /// The same guard once more, for the engine to keep.
    pub fn share(&self) -> GuardHandle {
        GuardHandle { breaker: self.breaker.clone(), budget: self.budget.clone() }
    }

    /// A token, or -1 - the milliseconds after which it is worth asking again.
    pub fn admit(&self, mono: f64) -> f64 {
        let now = at(mono);
        let admission = self.breaker.as_ref().map(|breaker| held(breaker).admit(now));
        if let Some(Admission::Refused { retry_after }) = admission {
            return -1.0 - wait(retry_after);
        }
        if let Some(budget) = &self.budget {
            held(budget).began(now);
        }
        if let Some(Admission::Admitted(token)) = admission { token as f64 } else { 0.0 }
    }

    /// Reports a call that the engine does not drive: 0 it succeeded at once, 1 it says
    /// nothing of the target, 2 the target is unwell.
    pub fn report(&self, token: f64, outcome: u32, mono: f64) {
        let outcome = match outcome {
            0 => BreakerOutcome::Success,
            1 => BreakerOutcome::Neutral,
            _ => BreakerOutcome::Failure,
        };
        if let Some(breaker) = &self.breaker {
            held(breaker).report(token as u64, outcome, at(mono));
        }
        if let (BreakerOutcome::Success, Some(budget)) = (outcome, &self.budget) {
            held(budget).succeeded(None);
        }
    }

    /// Takes the cost of one more send from the budget; false when there is not so much.
    pub fn withdraw(&self, throttled: bool, mono: f64) -> bool {
        self.budget.as_ref().is_none_or(|budget| held(budget).withdraw(throttled, at(mono)).is_some())
    }
}

impl GuardHandle {
    /// The hold of a call that was admitted with this token.
    pub fn hold(self, token: f64, now: MonoMs) -> Guard {
        Guard::admitted(self.breaker, self.budget, token as u64, now)
    }
}

fn at(mono: f64) -> MonoMs {
    MonoMs(mono as u64)
}

fn wait(delay: DelayMs) -> f64 {
    if delay == DelayMs::MAX { f64::INFINITY } else { delay.as_f64() }
}
