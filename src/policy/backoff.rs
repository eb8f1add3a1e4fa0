//! How long to wait when the server says nothing: exponential backoff with jitter.
//!
//! The names of the jitters are those of the AWS architecture blog ("Exponential Backoff
//! And Jitter"). What VernLLM's page calls full jitter is `equal` there and here.

use crate::clock::DelayMs;

/// How a backoff is spread, so that callers who failed together do not return together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Jitter {
    /// The base itself.
    None,
    /// Between half of the base and all of it.
    Equal,
    /// As `Equal`, but none once a multiplication reaches or passes the cap (elelem).
    EqualBelowCap,
    /// Between nothing and the base.
    Full,
    /// The base and up to this share of it on top of the cap (OneLLM).
    Additive(f64),
    /// Between the initial delay and three times the previous wait.
    Decorrelated,
}

/// The parameters of the backoff.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Backoff {
    /// The first base.
    pub initial: DelayMs,
    /// The cap of the base.
    pub max: DelayMs,
    /// What the base is multiplied by from wait to wait; finite and at least 1.
    pub factor: f64,
    /// The exponent of `factor` for the first wait.
    pub first_exponent: u32,
    /// How it is spread.
    pub jitter: Jitter,
}

impl Backoff {
    /// The wait before retry `n` (1 for the first), for a random `unit` in [0, 1).
    ///
    /// Whole milliseconds in [0, max], for `Additive(p)` in [0, max * (1 + p)], at any `n`
    /// and for any `unit`, NaN included. `previous` is the last wait, for `Decorrelated`.
    pub fn delay(&self, n: u32, unit: f64, previous: Option<DelayMs>) -> DelayMs {
        let unit = unit_interval(unit);
        let base = self.base(n);
        let ms = match self.jitter {
            Jitter::None => base,
            Jitter::EqualBelowCap if self.grown_to_cap(n) => base,
            Jitter::Equal | Jitter::EqualBelowCap => base / 2.0 + unit * base / 2.0,
            Jitter::Full => unit * base,
            Jitter::Additive(share) => base + unit * share * base,
            Jitter::Decorrelated => {
                let initial = self.initial.as_f64();
                initial + unit * (3.0 * previous.unwrap_or(self.initial).as_f64() - initial)
            }
        };
        let delay = DelayMs::from_f64(ms).min(self.longest(n));
        if cfg!(feature = "sabotage") { delay.plus(delay) } else { delay }
    }

    /// As [`Backoff::delay`], with each earlier wait taken as the one the same `unit` gave.
    pub fn delay_in_sequence(&self, n: u32, unit: f64) -> DelayMs {
        // previous(k+1) = a * previous(k) + b is linear, so its n-th member has a closed form.
        let unit = unit_interval(unit);
        let (a, initial) = (3.0 * unit, self.initial.as_f64());
        let b = initial * (1.0 - unit);
        let steps = n.saturating_sub(1);
        let previous = if a == 1.0 {
            initial + f64::from(steps) * b
        } else {
            let grown = power(a, steps);
            grown * initial + b * (grown - 1.0) / (a - 1.0)
        };
        self.delay(n, unit, Some(DelayMs::from_f64(previous).min(self.max)))
    }

    /// The shortest wait that `delay` can give before retry `n`.
    pub fn shortest(&self, n: u32) -> DelayMs {
        self.delay_in_sequence(n, 0.0)
    }

    /// The longest wait that `delay` can give before retry `n`.
    pub fn longest(&self, n: u32) -> DelayMs {
        match self.jitter {
            // Rounded down, so that no rounding passes the bound.
            Jitter::Additive(share) => DelayMs::new((self.base(n) * (1.0 + share)) as u64),
            Jitter::Decorrelated => {
                let reach = self.initial.as_f64() * power(3.0, n);
                DelayMs::from_f64(reach).min(self.max)
            }
            _ => DelayMs::from_f64(self.base(n)),
        }
    }

    /// min(initial * factor^(n - 1 + first_exponent), max).
    fn base(&self, n: u32) -> f64 {
        self.uncapped(n).min(self.max.as_f64())
    }

    fn uncapped(&self, n: u32) -> f64 {
        if self.initial == DelayMs::ZERO {
            return 0.0; // 0 * infinity would be NaN
        }
        self.initial.as_f64() * power(self.factor, self.exponent(n))
    }

    fn exponent(&self, n: u32) -> u32 {
        n.saturating_sub(1).saturating_add(self.first_exponent)
    }

    fn grown_to_cap(&self, n: u32) -> bool {
        self.exponent(n) > 0 && self.uncapped(n) >= self.max.as_f64()
    }
}

/// `unit` in [0, 1): NaN and what lies below become 0, what lies above the largest below 1.
pub(crate) fn unit_interval(unit: f64) -> f64 {
    if unit >= 0.0 { unit.min(1.0 - f64::EPSILON / 2.0) } else { 0.0 }
}

/// base^exponent by squaring; infinite when it is too large.
fn power(mut base: f64, mut exponent: u32) -> f64 {
    let mut result = 1.0;
    while exponent > 0 {
        if exponent & 1 == 1 {
            result *= base;
        }
        base *= base;
        exponent >>= 1;
    }
    result
}

#[cfg(all(test, not(feature = "sabotage")))]
mod tests {
    use super::*;

    fn backoff(jitter: Jitter) -> Backoff {
        Backoff { initial: DelayMs::new(500), max: DelayMs::new(8000), factor: 2.0, first_exponent: 0, jitter }
    }

    fn delays(backoff: Backoff, unit: f64) -> Vec<u64> {
        (1..=6).map(|n| backoff.delay_in_sequence(n, unit).get()).collect()
    }

    #[test]
    fn the_base_doubles_up_to_the_cap() {
        assert_eq!(delays(backoff(Jitter::None), 0.3), [500, 1000, 2000, 4000, 8000, 8000]);
    }

    #[test]
    fn the_first_exponent_shifts_the_sequence() {
        let shifted = Backoff { first_exponent: 1, ..backoff(Jitter::None) };
        assert_eq!(delays(shifted, 0.3), [1000, 2000, 4000, 8000, 8000, 8000]);
    }

    #[test]
    fn equal_jitter_lies_between_half_and_all() {
        assert_eq!(delays(backoff(Jitter::Equal), 0.0), [250, 500, 1000, 2000, 4000, 4000]);
        assert_eq!(delays(backoff(Jitter::Equal), 0.5), [375, 750, 1500, 3000, 6000, 6000]);
        assert_eq!(delays(backoff(Jitter::Equal), 0.999999), [500, 1000, 2000, 4000, 8000, 8000]);
    }

    #[test]
    fn equal_below_cap_loses_its_jitter_once_a_doubling_reaches_the_cap() {
        assert_eq!(delays(backoff(Jitter::EqualBelowCap), 0.0), [250, 500, 1000, 2000, 8000, 8000]);
        let at_cap = Backoff { initial: DelayMs::new(8000), ..backoff(Jitter::EqualBelowCap) };
        assert_eq!(delays(at_cap, 0.0)[..2], [4000, 8000]);
    }

    #[test]
    fn full_jitter_starts_at_nothing() {
        assert_eq!(delays(backoff(Jitter::Full), 0.0), [0; 6]);
        assert_eq!(delays(backoff(Jitter::Full), 0.5), [250, 500, 1000, 2000, 4000, 4000]);
    }

    #[test]
    fn additive_jitter_goes_on_top_of_the_capped_base() {
        assert_eq!(delays(backoff(Jitter::Additive(0.25)), 0.0), [500, 1000, 2000, 4000, 8000, 8000]);
        assert_eq!(delays(backoff(Jitter::Additive(0.25)), 0.8), [600, 1200, 2400, 4800, 9600, 9600]);
    }

    #[test]
    fn decorrelated_jitter_grows_from_the_previous_wait() {
        let decorrelated = backoff(Jitter::Decorrelated);
        assert_eq!(decorrelated.delay(1, 0.5, None).get(), 1000);
        assert_eq!(decorrelated.delay(2, 0.5, Some(DelayMs::new(1000))).get(), 1750);
        assert_eq!(decorrelated.delay(9, 0.9, Some(DelayMs::new(8000))).get(), 8000);
        assert_eq!(delays(decorrelated, 0.0), [500; 6]);
        let mut previous = None;
        for n in 1..=6 {
            let wait = decorrelated.delay(n, 0.4, previous);
            assert!(wait.get().abs_diff(decorrelated.delay_in_sequence(n, 0.4).get()) <= 3, "retry {n}");
            previous = Some(wait);
        }
    }

    #[test]
    fn an_initial_delay_of_zero_never_waits() {
        for jitter in [Jitter::None, Jitter::Equal, Jitter::Full, Jitter::Additive(1.0), Jitter::Decorrelated] {
            let zero = Backoff { initial: DelayMs::ZERO, ..backoff(jitter) };
            assert_eq!(zero.delay(u32::MAX, 0.9, None), DelayMs::ZERO, "{jitter:?}");
        }
    }
}
