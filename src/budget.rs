//! A retry budget: what all calls to a target together may spend on retries, so that a
//! target which is down is not asked several times as often as one that is well.
//!
//! As a bucket of **tokens**, a retry takes a cost, a success gives back what the last retry
//! of its call took, and a call that succeeds at once pays a little in. As a **ratio**, the
//! retries in a window of time are at most a share of its calls, and a reserve for the times
//! in which calls are few.

use crate::clock::{DelayMs, MonoMs};
use crate::policy::{BudgetMode, BudgetRules};
use crate::saved::{Restored, Saved};
use crate::window::Window;

/// The budget of one target.
#[derive(Clone, Debug)]
pub struct Budget {
    rules: BudgetRules,
    tokens: u32,
    /// Calls and retries.
    window: Window,
}

impl Budget {
    /// A budget nothing was taken from.
    pub fn new(rules: BudgetRules) -> Budget {
        Budget { tokens: rules.initial.min(rules.capacity), window: Window::new(rules.window), rules }
    }

    /// A call began.
    pub fn began(&mut self, now: MonoMs) {
        if self.rules.mode == BudgetMode::Ratio {
            self.window.add(true, false, now);
        }
    }

    /// Takes what one retry costs and says how much that was; `None`, and nothing is taken,
    /// where there is not so much.
    pub fn withdraw(&mut self, throttled: bool, now: MonoMs) -> Option<u32> {
        match self.rules.mode {
            BudgetMode::Tokens => {
                let cost = if throttled { self.rules.throttling_cost } else { self.rules.transient_cost };
                self.tokens = self.tokens.checked_sub(cost)?;
                Some(cost)
            }
            BudgetMode::Ratio => {
                self.left(now).checked_sub(1)?;
                self.window.add(false, true, now);
                Some(1)
            }
        }
    }

    /// A call succeeded, whose last retry cost this; `None` for one that had no retry.
    pub fn succeeded(&mut self, last_cost: Option<u32>) {
        if self.rules.mode == BudgetMode::Tokens {
            let gained = last_cost.unwrap_or(self.rules.clean_credit);
            self.tokens = self.tokens.saturating_add(gained).min(self.rules.capacity);
        }
    }

    /// Tokens left, or retries left in the window.
    pub fn left(&mut self, now: MonoMs) -> u64 {
        match self.rules.mode {
            BudgetMode::Tokens => self.tokens.into(),
            BudgetMode::Ratio => {
                let [calls, retries] = self.window.sums(now);
                let share = (calls as f64 * self.rules.ratio) as u64;
                let reserve = u64::from(self.rules.reserve_per_second).saturating_mul(self.rules.window.get()) / 1000;
                share.saturating_add(reserve).saturating_sub(retries)
            }
        }
    }

    /// Takes over a state that others have changed, and does to it what was done to this
    /// budget since it was `base`.
    pub fn rebase(&mut self, base: &mut Budget, shared: &mut Budget, now: MonoMs) {
        let tokens = i64::from(shared.tokens) + i64::from(self.tokens) - i64::from(base.tokens);
        self.tokens = u32::try_from(tokens.max(0)).unwrap_or(u32::MAX).min(self.rules.capacity);
        self.window.rebase(&mut base.window, &mut shared.window, now);
    }

    /// The state, as JSON.
    pub fn export(&mut self, now: MonoMs) -> String {
        let mut saved = Saved::default();
        saved.number("tokens", self.tokens.into());
        saved.list("window", &self.window.export(now));
        saved.text()
    }

    /// Takes a state that was exported `age` before `now`, and says whether it could be read;
    /// if not, nothing changes.
    pub fn import(&mut self, text: &str, now: MonoMs, age: DelayMs) -> bool {
        let Some(restored) = Restored::read(text) else { return false };
        let (Some(tokens), Some(window)) = (restored.count("tokens"), restored.list("window")) else { return false };
        self.tokens = tokens.min(self.rules.capacity);
        self.window.import(&window, now, age);
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const NOW: MonoMs = MonoMs(1000);

    #[test]
    fn what_two_spent_of_a_bucket_they_share_is_spent_of_it() {
        let mut base = Budget::new(BudgetRules::default());
        let (mut own, mut shared) = (base.clone(), base.clone());
        own.withdraw(false, NOW);
        shared.withdraw(false, NOW);
        shared.withdraw(true, NOW);
        own.rebase(&mut base, &mut shared, NOW);
        assert_eq!(own.left(NOW), 500 - 14 - 14 - 5);
    }

    proptest! {
        #[test]
        fn a_bucket_that_is_shared_stays_in_its_bounds(tokens in prop::array::uniform3(0..=500u32)) {
            let [mut own, mut base, mut shared] = tokens.map(|initial| Budget::new(BudgetRules { initial, ..BudgetRules::default() }));
            own.rebase(&mut base, &mut shared, NOW);
            let expected = i64::from(tokens[2]) + i64::from(tokens[0]) - i64::from(tokens[1]);
            prop_assert_eq!(own.left(NOW), expected.clamp(0, 500) as u64);
        }
    }
}
