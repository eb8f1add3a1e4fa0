//! What can be wrong with a policy, and the error that says so.

use super::{Jitter, Policy};
use crate::clock::{DelayMs, MAX_TIMER_MS};
use std::fmt;

/// One thing that is wrong with one option.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    /// The option's name, as JavaScript spells it.
    pub option: String,
    /// Stable: `type`, `range`, `choice`, `conflict`, `unknown_option`, or elelem's
    /// `retry_max_attempts`, `retry_delays`, `retry_delay_order`.
    pub code: &'static str,
    /// What is allowed.
    pub allowed: String,
}

impl Fault {
    /// A fault of this option. elelem has codes of its own for two groups of options.
    #[inline(never)]
    pub fn new(option: &str, code: &'static str, allowed: &str) -> Fault {
        let code = match (option, code) {
            ("maxAttempts" | "maxRetries", "type" | "range") => "retry_max_attempts",
            ("initialDelayMs" | "maxDelayMs", "type" | "range") => "retry_delays",
            _ => code,
        };
        Fault { option: option.into(), code, allowed: allowed.into() }
    }
}

/// Everything that is wrong with a policy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ConfigFaults(pub Vec<Fault>);

impl fmt::Display for ConfigFaults {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("invalid retry options")?;
        for (i, fault) in self.0.iter().enumerate() {
            f.write_str(if i == 0 { ": " } else { "; " })?;
            f.write_str(&fault.option)?;
            f.write_str(if fault.code == "unknown_option" { ": " } else { " must be " })?;
            f.write_str(&fault.allowed)?;
        }
        Ok(())
    }
}

impl Policy {
    /// The policy itself when nothing is wrong with it.
    ///
    /// # Errors
    /// [`ConfigFaults`] lists every fault.
    pub fn checked(self) -> Result<Policy, ConfigFaults> {
        let mut faults = Vec::new();
        self.find_faults(&mut faults);
        if faults.is_empty() { Ok(self) } else { Err(ConfigFaults(faults)) }
    }

    /// Adds what is wrong with the values that no type rules out.
    pub(super) fn find_faults(&self, faults: &mut Vec<Fault>) {
        let share = |value: f64| (0.0..=1.0).contains(&value);
        let factor = self.backoff.factor;
        let additive = if let Jitter::Additive(value) = self.backoff.jitter { value } else { 0.0 };
        let timer = |limit: Option<DelayMs>| limit.is_none_or(|limit| limit.get() <= MAX_TIMER_MS);
        let a_timer = "a whole number from 0 (off) to 2147483647";
        for (fine, option, code, allowed) in [
            (self.max_attempts > 0, "maxAttempts", "range", "a whole number from 1 to 4294967295"),
            (factor.is_finite() && factor >= 1.0, "factor", "range", "a finite number of at least 1"),
            (share(self.hints.jitter), "hintJitter", "range", "a number from 0 to 1"),
            (share(additive), "jitter.additive", "range", "a number from 0 to 1"),
            (timer(self.timeout), "timeoutMs", "range", a_timer),
            (timer(self.hold_opening), "holdOpeningMs", "range", a_timer),
            (timer(self.idle_timeout), "idleTimeoutMs", "range", a_timer),
            (timer(self.first_output_timeout), "firstOutputTimeoutMs", "range", a_timer),
            (timer(self.hedge_after), "hedgeAfterMs", "range", a_timer),
            (self.backoff.initial <= self.backoff.max, "initialDelayMs", "retry_delay_order", "at most maxDelayMs"),
            (
                self.throttled_delay.is_none_or(|delay| delay <= self.backoff.max),
                "throttledDelayMs",
                "retry_delay_order",
                "at most maxDelayMs",
            ),
        ] {
            if !fine {
                faults.push(Fault::new(option, code, allowed));
            }
        }
        if let Some(rules) = &self.breaker {
            rules.find_faults(faults);
        }
        if let Some(rules) = &self.budget {
            rules.find_faults(faults);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::Backoff;

    #[test]
    fn every_fault_is_listed_not_only_the_first() {
        let mut policy = Policy { max_attempts: 0, timeout: Some(DelayMs::new(1 << 31)), ..Policy::default() };
        policy.hints.jitter = 1.5;
        policy.backoff =
            Backoff { initial: DelayMs::new(9000), factor: f64::NAN, jitter: Jitter::Additive(-0.1), ..policy.backoff };
        let faults = policy.checked().unwrap_err().0;
        let found: Vec<_> = faults.iter().map(|fault| (fault.option.as_str(), fault.code)).collect();
        assert_eq!(
            found,
            [
                ("maxAttempts", "retry_max_attempts"),
                ("factor", "range"),
                ("hintJitter", "range"),
                ("jitter.additive", "range"),
                ("timeoutMs", "range"),
                ("initialDelayMs", "retry_delay_order"),
            ]
        );
    }

    #[test]
    fn the_error_text_names_each_option_and_what_is_allowed() {
        let mut policy = Policy { max_attempts: 0, ..Policy::default() };
        policy.backoff.factor = 0.5;
        assert_eq!(
            policy.checked().unwrap_err().to_string(),
            "invalid retry options: maxAttempts must be a whole number from 1 to 4294967295; \
             factor must be a finite number of at least 1"
        );
    }

    #[test]
    fn an_attempt_may_take_no_longer_than_what_is_left_of_the_deadline() {
        let (timeout, deadline) = (Some(DelayMs::new(1000)), Some(DelayMs::new(2500)));
        let policy = Policy { timeout, deadline, ..Policy::default() };
        let allowance = |elapsed| policy.allowance(DelayMs::new(elapsed)).map(|a| (a.limit.get(), a.by_deadline));
        assert_eq!(allowance(0), Some((1000, false)));
        assert_eq!(allowance(1500), Some((1000, false)));
        assert_eq!(allowance(1501), Some((999, true)));
        assert_eq!(allowance(9999), Some((0, true)));
        assert_eq!(Policy::default().allowance(DelayMs::ZERO), None);
    }
}
