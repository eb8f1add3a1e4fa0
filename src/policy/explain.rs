//! What a policy will do, in numbers.

use super::Policy;
use crate::clock::DelayMs;

/// How many waits a schedule lists at most.
pub const WAITS_LISTED: u32 = 100;
/// After so many waits a backoff that still grows counts as being at its cap.
const WAITS_ADDED_UP: u32 = 10_000;

/// One wait's bounds without a hint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WaitBounds {
    /// 1 for the first wait.
    pub n: u32,
    /// The shortest it can be.
    pub min_ms: f64,
    /// The longest it can be.
    pub max_ms: f64,
}

/// What a policy will do.
#[derive(Clone, Debug)]
pub struct Explanation {
    /// The first waits' bounds, at most [`WAITS_LISTED`].
    pub schedule: Vec<WaitBounds>,
    /// All attempts at their limit and all waits at their longest, hints included; `None`
    /// when nothing bounds an attempt.
    pub worst_case_ms: Option<f64>,
    /// All waits at their longest without hints.
    pub worst_backoff_ms: f64,
    /// Sends in all.
    pub max_attempts: u32,
}

impl Policy {
    /// What this policy will do.
    pub fn explain(&self) -> Explanation {
        let waits = self.max_attempts.saturating_sub(1);
        let either = [self.backoff_if(false), self.backoff_if(true)];
        let longest = |n| either.iter().map(|backoff| backoff.longest(n)).max().unwrap_or_default();
        let shortest = |n| either.iter().map(|backoff| backoff.shortest(n)).min().unwrap_or_default();
        let bounds = |n| WaitBounds { n, min_ms: shortest(n).as_f64(), max_ms: longest(n).as_f64() };
        Explanation {
            schedule: (1..=waits.min(WAITS_LISTED)).map(bounds).collect(),
            worst_case_ms: self.worst_case(waits, longest).map(DelayMs::as_f64),
            worst_backoff_ms: sum_of_waits(waits, longest).as_f64(),
            max_attempts: self.max_attempts,
        }
    }

    fn worst_case(&self, waits: u32, longest: impl Fn(u32) -> DelayMs) -> Option<DelayMs> {
        let by_attempts = self.timeout.map(|timeout| {
            let attempts = DelayMs::new(timeout.get().saturating_mul(self.max_attempts.into()));
            attempts.plus(sum_of_waits(waits, |n| self.hints.longest(longest(n))))
        });
        match (by_attempts, self.deadline) {
            (Some(sum), Some(deadline)) => Some(sum.min(deadline)),
            (sum, deadline) => sum.or(deadline),
        }
    }
}

fn sum_of_waits(waits: u32, longest: impl Fn(u32) -> DelayMs) -> DelayMs {
    let added_up = waits.min(WAITS_ADDED_UP);
    let sum = (1..=added_up).fold(DelayMs::ZERO, |sum, n| sum.plus(longest(n)));
    let rest = u64::from(waits - added_up);
    sum.plus(DelayMs::new(longest(u32::MAX).get().saturating_mul(rest)))
}

#[cfg(all(test, not(feature = "sabotage")))]
mod tests {
    use super::*;

    #[test]
    fn the_schedule_has_each_waits_bounds() {
        let explained = Policy::default().explain();
        let bounds: Vec<_> = explained.schedule.iter().map(|wait| (wait.n, wait.min_ms, wait.max_ms)).collect();
        assert_eq!(bounds, [(1, 250.0, 500.0), (2, 500.0, 1000.0)]);
        assert_eq!((explained.worst_backoff_ms, explained.worst_case_ms), (1500.0, None));
    }

    #[test]
    fn the_worst_case_counts_every_attempt_and_every_hint() {
        let timeout = Some(DelayMs::new(1000));
        let explained = Policy { timeout, ..Policy::default() }.explain();
        assert_eq!(explained.worst_case_ms, Some(3000.0 + 2.0 * 66_000.0));
        let deadline = Some(DelayMs::new(5000));
        assert_eq!(Policy { timeout, deadline, ..Policy::default() }.explain().worst_case_ms, Some(5000.0));
        assert_eq!(Policy { deadline, ..Policy::default() }.explain().worst_case_ms, Some(5000.0));
    }

    #[test]
    fn the_bounds_hold_after_throttling_too() {
        let explained = crate::Preset::Aws.policy().explain();
        let bounds: Vec<_> = explained.schedule.iter().map(|wait| (wait.min_ms, wait.max_ms)).collect();
        assert_eq!((bounds, explained.worst_backoff_ms), (vec![(0.0, 1000.0), (0.0, 2000.0)], 3000.0));
    }

    #[test]
    fn billions_of_attempts_are_explained_in_no_time() {
        let explained = Policy { max_attempts: u32::MAX, ..Policy::default() }.explain();
        assert_eq!(explained.schedule.len(), WAITS_LISTED as usize);
        assert_eq!(explained.worst_backoff_ms, 7500.0 + 8000.0 * f64::from(u32::MAX - 1 - 4));
    }
}
