//! What one call owes to the calls beside it: its admission, its retries' cost and one report.

use crate::breaker::{Admission, Breaker, BreakerOutcome};
use crate::budget::Budget;
use crate::clock::{DelayMs, MonoMs};
use crate::kind::ErrorKind;
use std::sync::{Arc, Mutex, PoisonError};

/// What several calls hold.
pub type Shared<T> = Arc<Mutex<T>>;

/// The hold that an admitted call has on a breaker and a budget. One that is dropped without
/// a report was of no consequence to the breaker.
#[derive(Debug)]
pub struct Guard {
    breaker: Option<Shared<Breaker>>,
    budget: Option<Shared<Budget>>,
    token: u64,
    last_cost: Option<u32>,
    seen: MonoMs,
}

impl Guard {
    /// Asks for a call.
    ///
    /// # Errors
    /// A refusal says how long to wait: see [`Admission::Refused`].
    pub fn admit(
        breaker: Option<Shared<Breaker>>,
        budget: Option<Shared<Budget>>,
        now: MonoMs,
    ) -> Result<Guard, DelayMs> {
        let token = match ask(&breaker, |breaker| breaker.admit(now)) {
            Some(Admission::Refused { retry_after }) => return Err(retry_after),
            Some(Admission::Admitted(token)) => token,
            None => 0,
        };
        ask(&budget, |budget| budget.began(now));
        Ok(Guard::admitted(breaker, budget, token, now))
    }

    /// The hold of a call that was admitted before, with this token.
    pub fn admitted(
        breaker: Option<Shared<Breaker>>,
        budget: Option<Shared<Budget>>,
        token: u64,
        now: MonoMs,
    ) -> Guard {
        Guard { breaker, budget, token, last_cost: None, seen: now }
    }

    /// Whether the call may send once more: the breaker may have opened since the last time.
    pub fn may_send(&mut self, now: MonoMs) -> bool {
        self.seen = now;
        match ask(&self.breaker, |breaker| breaker.admit_again(self.token, now)) {
            Some(Admission::Refused { .. }) => false,
            Some(Admission::Admitted(token)) => {
                self.token = token;
                true
            }
            None => true,
        }
    }

    /// Whether a retry could be paid, which it then is.
    pub fn pays(&mut self, throttled: bool, now: MonoMs) -> bool {
        let Some(paid) = ask(&self.budget, |budget| budget.withdraw(throttled, now)) else { return true };
        self.last_cost = paid.or(self.last_cost);
        paid.is_some()
    }

    /// The call was hedged, which has been paid for. A success gives that back no more than
    /// it tells of a call that was well from the start.
    pub fn hedged(&mut self) {
        self.last_cost.get_or_insert(0);
    }

    /// Whether a call that failed so tells that the target is unwell.
    pub fn counts(&self, kind: ErrorKind) -> bool {
        ask(&self.breaker, |breaker| breaker.counts(kind)).unwrap_or(false)
    }

    /// Reports how the call ended. Only the first report counts.
    pub fn report(&mut self, outcome: BreakerOutcome, now: MonoMs) {
        ask(&self.breaker.take(), |breaker| breaker.report(self.token, outcome, now));
        let budget = self.budget.take();
        if outcome == BreakerOutcome::Success {
            ask(&budget, |budget| budget.succeeded(self.last_cost));
        }
    }
}

impl Drop for Guard {
    fn drop(&mut self) {
        self.report(BreakerOutcome::Neutral, self.seen);
    }
}

/// Nothing that is asked calls back, so it is never locked twice. What a thread left that
/// panicked is as good as any: no question leaves a state half changed.
fn ask<T, A>(shared: &Option<Shared<T>>, question: impl FnOnce(&mut T) -> A) -> Option<A> {
    let mut held = shared.as_ref()?.lock().unwrap_or_else(PoisonError::into_inner);
    Some(question(&mut held))
}
