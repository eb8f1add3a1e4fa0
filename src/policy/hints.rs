//! How long to wait when the server says something: its hint beside our backoff.

use super::backoff::unit_interval;
use crate::clock::DelayMs;
use crate::retry_after::HintSources;

/// How a hint and the backoff make one wait.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Combine {
    /// The longer of the two.
    Max,
    /// The hint alone.
    Replace,
    /// The hint, but no sooner than the backoff and no more than `slack` later (AWS). None is
    /// beyond the longest accepted then.
    Near,
}

impl Combine {
    pub(super) const ALL: &'static [Combine] = &[Combine::Max, Combine::Replace, Combine::Near];
}

/// What a hint beyond the longest accepted does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Beyond {
    /// It ends the call: the failure is returned at once.
    Stop,
    /// It is cut to the longest accepted, but never below the backoff.
    Clamp,
    /// As `Stop`, and the call can be resumed when the wait is over.
    Defer,
}

impl Beyond {
    pub(super) const ALL: &'static [Beyond] = &[Beyond::Stop, Beyond::Clamp, Beyond::Defer];
}

/// What a hint of zero means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ZeroHint {
    /// A lower bound like any other hint, so the backoff stands.
    Floor,
    /// As if there were no hint.
    Backoff,
    /// No wait at all.
    Now,
}

impl ZeroHint {
    pub(super) const ALL: &'static [ZeroHint] = &[ZeroHint::Floor, ZeroHint::Backoff, ZeroHint::Now];
}

/// What the server's wait hints are worth.
#[derive(Clone, Debug, PartialEq)]
pub struct HintRules {
    /// Whether hints are used. They are read and recorded all the same.
    pub respect: bool,
    /// Which hints are read.
    pub sources: HintSources,
    /// How hint and backoff make one wait.
    pub combine: Combine,
    /// The longest hint that is waited out.
    pub max: DelayMs,
    /// What a longer one does.
    pub beyond: Beyond,
    /// The share of a hinted wait that is added at random, in [0, 1].
    pub jitter: f64,
    /// What a hint of zero means.
    pub zero: ZeroHint,
    /// How much longer than the backoff a hint may make a wait under [`Combine::Near`].
    pub slack: DelayMs,
}

/// Where a wait came from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum WaitFrom {
    /// Our backoff.
    Backoff,
    /// The server's hint.
    Hint,
}

impl WaitFrom {
    /// The stable name.
    pub const fn as_str(self) -> &'static str {
        match self {
            WaitFrom::Backoff => "backoff",
            WaitFrom::Hint => "hint",
        }
    }
}

/// A wait, or that the hint lies beyond what is accepted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Planned {
    /// Wait so long.
    Wait(DelayMs, WaitFrom),
    /// Do not wait: the server asks for more than `max`.
    Beyond,
}

impl HintRules {
    /// The wait that `hint` and `backoff` make.
    ///
    /// In [0, max(backoff, max) * (1 + jitter)], and never below the backoff because a
    /// hint was too large.
    pub fn plan(&self, hint: Option<DelayMs>, backoff: DelayMs, unit: f64) -> Planned {
        let hint = hint.filter(|_| self.respect && !cfg!(feature = "sabotage"));
        let hinted = match hint {
            None => return Planned::Wait(backoff, WaitFrom::Backoff),
            Some(DelayMs::ZERO) => {
                return match self.zero {
                    ZeroHint::Now => Planned::Wait(DelayMs::ZERO, WaitFrom::Hint),
                    ZeroHint::Floor | ZeroHint::Backoff => Planned::Wait(backoff, WaitFrom::Backoff),
                };
            }
            Some(hint) if self.combine == Combine::Near => {
                let hint = hint.min(self.nearest(backoff));
                if hint <= backoff {
                    return Planned::Wait(backoff, WaitFrom::Backoff);
                }
                hint
            }
            Some(hint) if hint > self.max => match self.beyond {
                Beyond::Stop | Beyond::Defer => return Planned::Beyond,
                Beyond::Clamp => self.max.max(backoff),
            },
            Some(hint) => match self.combine {
                Combine::Max if hint < backoff => return Planned::Wait(backoff, WaitFrom::Backoff),
                _ => hint,
            },
        };
        let spread = hinted.as_f64() * self.jitter * unit_interval(unit);
        Planned::Wait(hinted.plus(DelayMs::new(spread as u64)), WaitFrom::Hint)
    }

    /// The longest hint that is near enough to this backoff.
    fn nearest(&self, backoff: DelayMs) -> DelayMs {
        backoff.plus(self.slack).min(self.max.max(backoff))
    }

    /// The longest wait that `plan` can give beside a backoff of at most `backoff`.
    pub fn longest(&self, backoff: DelayMs) -> DelayMs {
        if !self.respect {
            return backoff;
        }
        let hinted = if self.combine == Combine::Near { self.nearest(backoff) } else { self.max.max(backoff) };
        backoff.max(hinted.plus(DelayMs::new((hinted.as_f64() * self.jitter) as u64)))
    }
}

#[cfg(all(test, not(feature = "sabotage")))]
mod tests {
    use super::*;

    const RULES: HintRules = HintRules {
        respect: true,
        sources: HintSources::ALL,
        combine: Combine::Max,
        max: DelayMs::new(60_000),
        beyond: Beyond::Stop,
        jitter: 0.1,
        zero: ZeroHint::Floor,
        slack: DelayMs::new(5000),
    };

    fn plan(rules: &HintRules, hint: u64, backoff: u64, unit: f64) -> Planned {
        rules.plan(Some(DelayMs::new(hint)), DelayMs::new(backoff), unit)
    }

    fn hint(ms: u64) -> Planned {
        Planned::Wait(DelayMs::new(ms), WaitFrom::Hint)
    }

    fn backoff(ms: u64) -> Planned {
        Planned::Wait(DelayMs::new(ms), WaitFrom::Backoff)
    }

    #[test]
    fn max_is_never_sooner_than_the_server_says_nor_than_backoff() {
        assert_eq!(plan(&RULES, 2000, 500, 0.0), hint(2000));
        assert_eq!(plan(&RULES, 2000, 500, 0.5), hint(2100));
        assert_eq!(plan(&RULES, 200, 500, 0.5), backoff(500));
    }

    #[test]
    fn replace_takes_the_hint_alone() {
        let replace = HintRules { combine: Combine::Replace, ..RULES };
        assert_eq!(plan(&replace, 200, 500, 0.0), hint(200));
    }

    #[test]
    fn a_hint_beyond_the_maximum_stops_or_is_clamped_but_never_shortens_the_wait() {
        let clamp = HintRules { beyond: Beyond::Clamp, ..RULES };
        assert_eq!(plan(&RULES, 60_000, 500, 0.0), hint(60_000));
        assert_eq!(plan(&RULES, 60_001, 500, 0.0), Planned::Beyond);
        assert_eq!(plan(&clamp, u64::MAX, 500, 0.0), hint(60_000));
        assert_eq!(plan(&clamp, u64::MAX, 90_000, 0.0), hint(90_000));
    }

    #[test]
    fn zero_is_a_hint_with_a_meaning_of_its_own() {
        assert_eq!(plan(&RULES, 0, 500, 0.9), backoff(500));
        assert_eq!(plan(&HintRules { zero: ZeroHint::Backoff, ..RULES }, 0, 500, 0.9), backoff(500));
        assert_eq!(plan(&HintRules { zero: ZeroHint::Now, ..RULES }, 0, 500, 0.9), hint(0));
    }

    #[test]
    fn near_is_no_sooner_than_the_backoff_and_no_more_than_the_slack_later() {
        let near = HintRules { combine: Combine::Near, jitter: 0.0, ..RULES };
        assert_eq!(plan(&near, 200, 500, 0.9), backoff(500));
        assert_eq!(plan(&near, 500, 500, 0.9), backoff(500));
        assert_eq!(plan(&near, 2000, 500, 0.9), hint(2000));
        assert_eq!(plan(&near, u64::MAX, 500, 0.9), hint(5500));
        assert_eq!(near.longest(DelayMs::new(500)), DelayMs::new(5500));
        let short = HintRules { max: DelayMs::new(3000), ..near };
        assert_eq!((plan(&short, 9000, 500, 0.9), plan(&short, 9000, 4000, 0.9)), (hint(3000), backoff(4000)));
    }

    #[test]
    fn a_deferred_hint_is_beyond_like_one_that_stops() {
        let defer = HintRules { beyond: Beyond::Defer, ..RULES };
        assert_eq!((plan(&defer, 60_001, 500, 0.0), plan(&defer, 60_000, 500, 0.0)), (Planned::Beyond, hint(60_000)));
    }

    #[test]
    fn hints_that_are_not_respected_change_nothing() {
        let deaf = HintRules { respect: false, ..RULES };
        assert_eq!(plan(&deaf, 99_000, 500, 0.9), backoff(500));
        assert_eq!(deaf.longest(DelayMs::new(500)), DelayMs::new(500));
        assert_eq!(RULES.longest(DelayMs::new(500)), DelayMs::new(66_000));
    }
}
