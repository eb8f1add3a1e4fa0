//! The options of what calls share: circuit breaker and retry budget.

use super::check::Fault;
use crate::clock::DelayMs;
use crate::decimal::decimal;

/// When a breaker opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BreakerMode {
    /// After so many failed calls in a row.
    Consecutive,
    /// When too large a share of the calls in a window failed.
    Rolling,
}

impl BreakerMode {
    pub(super) const ALL: &'static [BreakerMode] = &[BreakerMode::Consecutive, BreakerMode::Rolling];
}

/// A circuit breaker's options.
#[derive(Clone, Debug, PartialEq)]
pub struct BreakerRules {
    /// What opens it. Consecutive by default.
    pub mode: BreakerMode,
    /// Consecutive: failed calls in a row that open it, at least 1. 5 by default (VernLLM).
    pub failures: u32,
    /// Rolling: the stretch of time that is looked at, at least 1 ms. 30 s by default.
    pub window: DelayMs,
    /// Rolling: fewer calls in the window never open it; at least 1. 20 by default.
    pub min_calls: u32,
    /// Rolling: the share of failed calls that opens it, above 0 and up to 1. 0.5 by default.
    pub failure_ratio: f64,
    /// The first cool-down, at least 1 ms. 30 s by default.
    pub open: DelayMs,
    /// The longest cool-down, before `open_jitter`; at least `open`. 5 min by default.
    pub max_open: DelayMs,
    /// The share of a cool-down that is added at random, in [0, 1]. 0.1 by default.
    pub open_jitter: f64,
    /// Calls let through at once after the cool-down, of which so many must succeed; at
    /// least 1, which is the default.
    pub probes: u32,
    /// How long such a call may hold its place; the current cool-down by default.
    pub lease: Option<DelayMs>,
    /// Whether throttling counts as a failure. No by default: the target is well, we are too fast.
    pub count_throttling: bool,
}

impl Default for BreakerRules {
    fn default() -> BreakerRules {
        BreakerRules {
            mode: BreakerMode::Consecutive,
            failures: 5,
            window: DelayMs::new(30_000),
            min_calls: 20,
            failure_ratio: 0.5,
            open: DelayMs::new(30_000),
            max_open: DelayMs::new(300_000),
            open_jitter: 0.1,
            probes: 1,
            lease: None,
            count_throttling: false,
        }
    }
}

/// How a budget is counted.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum BudgetMode {
    /// A bucket of tokens that retries take from and successes fill.
    Tokens,
    /// A share of the calls in a window.
    Ratio,
}

impl BudgetMode {
    pub(super) const ALL: &'static [BudgetMode] = &[BudgetMode::Tokens, BudgetMode::Ratio];
}

/// A retry budget's options. Those of the bucket are the numbers of the AWS SDKs' standard
/// retry mode 2.1.
#[derive(Clone, Debug, PartialEq)]
pub struct BudgetRules {
    /// How it is counted. Tokens by default.
    pub mode: BudgetMode,
    /// Tokens: the most it holds. 500 by default.
    pub capacity: u32,
    /// Tokens: what it holds at first; at most `capacity`, which it follows where options are read.
    pub initial: u32,
    /// Tokens: what a retry costs. 14 by default.
    pub transient_cost: u32,
    /// Tokens: what a retry after throttling costs. 5 by default.
    pub throttling_cost: u32,
    /// Tokens: what a call pays in that succeeds at once. 1 by default.
    pub clean_credit: u32,
    /// Ratio: retries as a share of the calls, in [0, 1]. 0.2 by default.
    pub ratio: f64,
    /// Ratio: the stretch of time that is looked at, at least 1 ms. 10 s by default.
    pub window: DelayMs,
    /// Ratio: retries that are free, for each second of the window. 10 by default.
    pub reserve_per_second: u32,
}

impl Default for BudgetRules {
    fn default() -> BudgetRules {
        BudgetRules {
            mode: BudgetMode::Tokens,
            capacity: 500,
            initial: 500,
            transient_cost: 14,
            throttling_cost: 5,
            clean_credit: 1,
            ratio: 0.2,
            window: DelayMs::new(10_000),
            reserve_per_second: 10,
        }
    }
}

const AT_LEAST_1: &str = "a whole number of at least 1";

/// Nobody may have given the other option: its default stands in the way, too.
fn at_most(option: &str, value: u64) -> String {
    ["at most ", option, ", which is ", &decimal(value)].concat()
}

fn is_share(value: f64) -> bool {
    (0.0..=1.0).contains(&value)
}

impl BreakerRules {
    pub(super) fn find_faults(&self, faults: &mut Vec<Fault>) {
        let is_time = |delay: DelayMs| delay > DelayMs::ZERO;
        let most = at_most("breaker.maxOpenMs", self.max_open.get());
        for (fine, option, allowed) in [
            (self.failures > 0, "breaker.failures", AT_LEAST_1),
            (is_time(self.window), "breaker.windowMs", AT_LEAST_1),
            (self.min_calls > 0, "breaker.minCalls", AT_LEAST_1),
            (
                is_share(self.failure_ratio) && self.failure_ratio > 0.0,
                "breaker.failureRatio",
                "a number above 0 and up to 1",
            ),
            (is_time(self.open), "breaker.openMs", AT_LEAST_1),
            (self.open <= self.max_open, "breaker.openMs", most.as_str()),
            (is_share(self.open_jitter), "breaker.openJitter", "a number from 0 to 1"),
            (self.probes > 0, "breaker.probes", AT_LEAST_1),
        ] {
            if !fine {
                faults.push(Fault::new(option, "range", allowed));
            }
        }
    }
}

impl BudgetRules {
    pub(super) fn find_faults(&self, faults: &mut Vec<Fault>) {
        let most = at_most("budget.capacity", self.capacity.into());
        for (fine, option, allowed) in [
            (self.initial <= self.capacity, "budget.initial", most.as_str()),
            (is_share(self.ratio), "budget.ratio", "a number from 0 to 1"),
            (self.window > DelayMs::ZERO, "budget.windowMs", AT_LEAST_1),
        ] {
            if !fine {
                faults.push(Fault::new(option, "range", allowed));
            }
        }
    }
}
