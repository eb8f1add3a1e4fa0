//! Time as the engine knows it: two clocks that are never mixed, and a length of time.
//!
//! The core never reads a clock. Callers pass a [`Now`] in, so a test can be at any
//! moment it likes, and a wall clock that is set back changes nothing but HTTP dates.

/// The largest integer that a JavaScript number holds exactly: 2^53 - 1.
pub const MAX_SAFE_MS: u64 = (1 << 53) - 1;

/// The longest timer that runtimes keep: a larger `setTimeout` fires at once.
pub const MAX_TIMER_MS: u64 = (1 << 31) - 1;

/// A point on the monotonic clock, in whole milliseconds from an arbitrary start.
///
/// Waits, budgets, breakers and deadlines use this clock and no other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct MonoMs(pub u64);

impl MonoMs {
    /// The time from `earlier` to here; zero when `earlier` is later.
    pub fn since(self, earlier: MonoMs) -> DelayMs {
        DelayMs::new(self.0.saturating_sub(earlier.0))
    }
}

/// A point on the wall clock, in milliseconds since the Unix epoch.
///
/// Used for HTTP dates and for the timestamps people read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct WallMs(pub i64);

impl WallMs {
    /// The time from `earlier` to here; zero when `earlier` is later.
    pub fn since(self, earlier: WallMs) -> DelayMs {
        DelayMs::new(self.0.saturating_sub(earlier.0).max(0) as u64)
    }
}

/// A length of time in whole milliseconds, at most [`MAX_SAFE_MS`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct DelayMs(u64);

impl DelayMs {
    /// No time at all.
    pub const ZERO: DelayMs = DelayMs(0);
    /// The longest time there is: what an overlong value saturates to.
    pub const MAX: DelayMs = DelayMs(MAX_SAFE_MS);

    /// `ms` milliseconds, saturating at [`DelayMs::MAX`].
    pub const fn new(ms: u64) -> DelayMs {
        DelayMs(if ms > MAX_SAFE_MS { MAX_SAFE_MS } else { ms })
    }

    /// Rounds to whole milliseconds. Negative and NaN give zero, infinity saturates.
    pub fn from_f64(ms: f64) -> DelayMs {
        // `as` saturates and maps NaN to zero. `(ms + 0.5) as u64` would round twice: above 2^52, and just below a half.
        let whole = ms as u64;
        DelayMs::new(whole.saturating_add(u64::from(ms - whole as f64 >= 0.5)))
    }

    /// The number of milliseconds.
    pub const fn get(self) -> u64 {
        self.0
    }

    /// The number of milliseconds as JavaScript knows it; exact.
    pub const fn as_f64(self) -> f64 {
        self.0 as f64
    }

    /// The sum, saturating at [`DelayMs::MAX`].
    pub const fn plus(self, other: DelayMs) -> DelayMs {
        DelayMs::new(self.0.saturating_add(other.0))
    }

    /// What is left of this after `spent`; zero when nothing is.
    pub const fn minus(self, spent: DelayMs) -> DelayMs {
        DelayMs(self.0.saturating_sub(spent.0))
    }
}

/// One reading of both clocks.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Now {
    /// The monotonic clock.
    pub mono: MonoMs,
    /// The wall clock.
    pub wall: WallMs,
}

impl Now {
    /// Both clocks `delay` later.
    pub fn later(self, delay: DelayMs) -> Now {
        Now {
            mono: MonoMs(self.mono.0.saturating_add(delay.get())),
            wall: WallMs(self.wall.0.saturating_add_unsigned(delay.get())),
        }
    }

    /// The time since `start` by whichever clock saw more of it.
    ///
    /// The monotonic clock may stand still while a laptop sleeps; the wall clock may be
    /// set back. The longer of the two is never fooled by either.
    pub fn elapsed_since(self, start: Now) -> DelayMs {
        self.mono.since(start.mono).max(self.wall.since(start.wall))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounding_never_leaves_the_safe_range() {
        for (ms, whole) in [
            (0.0, 0),
            (0.4, 0),
            (0.5, 1),
            (1499.5, 1500),
            (0.5 - f64::EPSILON / 4.0, 0),
            (5_416_904_939_965_451.0, 5_416_904_939_965_451),
            (MAX_SAFE_MS as f64, MAX_SAFE_MS),
            (-3.0, 0),
            (f64::NAN, 0),
            (f64::NEG_INFINITY, 0),
            (f64::INFINITY, MAX_SAFE_MS),
            (1e300, MAX_SAFE_MS),
        ] {
            assert_eq!(DelayMs::from_f64(ms).get(), whole, "{ms}");
        }
    }

    #[test]
    fn a_clock_set_back_measures_no_negative_time() {
        assert_eq!(WallMs(5).since(WallMs(9)), DelayMs::ZERO);
        assert_eq!(WallMs(i64::MIN).since(WallMs(i64::MAX)), DelayMs::ZERO);
        assert_eq!(WallMs(i64::MAX).since(WallMs(i64::MIN)), DelayMs::MAX);
        assert_eq!(MonoMs(5).since(MonoMs(9)), DelayMs::ZERO);
    }

    #[test]
    fn elapsed_time_is_what_the_longer_running_clock_saw() {
        let start = Now { mono: MonoMs(100), wall: WallMs(1_000) };
        let slept = Now { mono: MonoMs(110), wall: WallMs(3_601_000) };
        let set_back = Now { mono: MonoMs(110), wall: WallMs(-3_600_000) };
        assert_eq!(slept.elapsed_since(start).get(), 3_600_000);
        assert_eq!(set_back.elapsed_since(start).get(), 10);
    }
}
