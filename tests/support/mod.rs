//! A runtime with a clock that only tests move, and a way to run it: no test sleeps.

#![allow(dead_code)] // each test binary uses a part of it

use dacapo::call::{Call, Leg, Observed, Outcome};
use dacapo::classify::{Ending, Verdict};
use dacapo::clock::{DelayMs, MonoMs, Now, WallMs};
use dacapo::driver::{Answer, End, Runtime, Slept, drive};
use dacapo::guard::Guard;
use dacapo::history::{AttemptRecord, History};
use dacapo::policy::{Allowance, Policy, WaitFrom};
use dacapo::usage::Usage;
use std::pin::pin;
use std::sync::Arc;
use std::task::{Context, Poll, Waker};

/// What the world does at each step.
#[derive(Clone, Debug, Default)]
pub struct Script {
    /// How each attempt ends; the last one repeats.
    pub outcomes: Vec<Reply>,
    /// The random numbers; they repeat.
    pub units: Vec<f64>,
    /// How long each attempt takes.
    pub attempt_ms: u64,
    /// The slept wait (from 0) that the caller's abort cuts, and after how long.
    pub cancel_in_sleep: Option<(usize, u64)>,
    /// How far the wall clock jumps in each sleep.
    pub wall_jump_ms: i64,
    /// What the other send of each attempt comes to where the policy hedges it, and whether the
    /// attempt is decided by that one, the later; they repeat.
    pub hedges: Vec<(Reply, bool)>,
    /// What `shouldRetry` says.
    pub ruling: Option<Answer<Option<bool>>>,
    /// What `onRetry` does.
    pub announced: Option<Answer<()>>,
}

/// How an attempt ends.
#[derive(Clone, Debug, Default)]
pub enum Reply {
    #[default]
    Success,
    /// With a status and headers.
    Status(u16, &'static str),
    /// With a status and a body.
    Body(u16, &'static str),
    /// With an answer that says what it cost.
    Used(&'static str),
    Ends(Ending),
}

impl Reply {
    fn outcome(&self) -> Outcome {
        let failed = |observed| Outcome::Failed(Box::new(observed));
        match self {
            Reply::Success => Outcome::Succeeded(None),
            Reply::Used(body) => Outcome::Succeeded(Usage::read(body)),
            Reply::Body(status, body) => {
                failed(Observed { status: Some(*status), body: (*body).into(), ..Observed::default() })
            }
            Reply::Status(status, headers) => {
                failed(Observed { status: Some(*status), headers: (*headers).into(), ..Observed::default() })
            }
            Reply::Ends(ending) => failed(Observed { ending: *ending, ..Observed::default() }),
        }
    }
}

/// What the runtime was asked to do.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Log {
    pub sends: Vec<(u32, Option<Allowance>)>,
    pub sleeps: Vec<u64>,
    pub announced: Vec<u64>,
    pub events: usize,
}

pub struct World {
    policy: Arc<Policy>,
    started: Now,
    beside: Option<Box<Observed>>,
    script: Script,
    now: Now,
    drawn: usize,
    slept: usize,
    pub log: Log,
}

impl World {
    fn pass(&mut self, ms: u64) {
        self.now.mono = MonoMs(self.now.mono.0.saturating_add(ms));
        self.now.wall = WallMs(self.now.wall.0.saturating_add_unsigned(ms));
    }

    /// Makes a second send, one attempt's time after the first, where the policy lets it.
    fn hedge(&mut self, attempt: u32, outcome: &mut Outcome) {
        let scripted = self.script.hedges.get(attempt as usize % self.script.hedges.len().max(1)).cloned();
        let Some((reply, later_decides)) = scripted else { return };
        let Some(allowance) = self.policy.hedge(attempt, "", self.now.mono.since(self.started.mono)) else { return };
        self.log.sends.push((attempt + 1, allowance));
        let later = Leg { attempt: attempt + 1, sent: self.now.mono };
        let earlier = Leg { attempt, sent: MonoMs(self.now.mono.0 - self.script.attempt_ms) };
        self.pass(self.script.attempt_ms);
        let (decides, loses) = if later_decides { (later, earlier) } else { (earlier, later) };
        if let Outcome::Failed(observed) = outcome {
            observed.leg = Some(decides);
        }
        let lost = Observed { ending: Ending::Cancelled, ..Observed::default() };
        let other = if let Outcome::Failed(observed) = reply.outcome() { observed } else { Box::new(lost) };
        self.beside = Some(Box::new(Observed { leg: Some(loses), ..*other }));
    }
}

impl Runtime for World {
    fn now(&mut self) -> Now {
        self.now
    }

    fn unit(&mut self) -> f64 {
        let unit = self.script.units.get(self.drawn % self.script.units.len().max(1)).copied().unwrap_or(0.0);
        self.drawn += 1;
        unit
    }

    async fn attempt(&mut self, attempt: u32, allowance: Option<Allowance>) -> Outcome {
        self.log.sends.push((attempt, allowance));
        self.pass(self.script.attempt_ms);
        let i = (self.log.sends.len() - 1).min(self.script.outcomes.len().saturating_sub(1));
        let mut outcome = self.script.outcomes.get(i).cloned().unwrap_or_default().outcome();
        self.hedge(attempt, &mut outcome);
        outcome
    }

    fn beside(&mut self) -> Option<Box<Observed>> {
        self.beside.take()
    }

    async fn sleep(&mut self, delay: DelayMs) -> Slept {
        self.log.sleeps.push(delay.get());
        let cut = self.script.cancel_in_sleep.filter(|(sleep, _)| *sleep == self.slept);
        self.slept += 1;
        if let Some((_, after)) = cut {
            self.pass(after);
            return Slept::Cancelled;
        }
        self.pass(delay.get());
        self.now.wall = WallMs(self.now.wall.0.saturating_add(self.script.wall_jump_ms));
        Slept::Through
    }

    async fn ask(&mut self, _: &AttemptRecord, _: &Verdict) -> Answer<Option<bool>> {
        self.script.ruling.unwrap_or(Answer::Said(None))
    }

    async fn announce(&mut self, record: &AttemptRecord) -> Answer<()> {
        self.log.announced.push(record.delay_ms.get());
        self.script.announced.unwrap_or(Answer::Said(()))
    }

    fn failed(&mut self, _: &AttemptRecord, _: &Verdict) {
        self.log.events += 1;
    }

    fn waiting(&mut self, _: &AttemptRecord, _: DelayMs, _: WaitFrom) {
        self.log.events += 1;
    }
}

/// Runs a call under this policy to its end.
pub fn play(policy: Policy, script: Script) -> (End, History, Log) {
    play_guarded(policy, script, None)
}

/// The same for a call that was admitted by a breaker or a budget.
pub fn play_guarded(policy: Policy, script: Script, guard: Option<Guard>) -> (End, History, Log) {
    let start = Now { mono: MonoMs(1_000), wall: WallMs(1_768_478_400_000) };
    let policy = Arc::new(policy);
    let mut call = Call::new(Arc::clone(&policy), start);
    let mut world =
        World { policy, started: start, beside: None, script, now: start, drawn: 0, slept: 0, log: Log::default() };
    if let Some(guard) = guard {
        call.guarded_by(guard);
    }
    let end = {
        let mut run = pin!(drive(&mut call, &mut world, None));
        match run.as_mut().poll(&mut Context::from_waker(Waker::noop())) {
            Poll::Ready(end) => end,
            Poll::Pending => panic!("no future of this world waits"),
        }
    };
    (end, call.into_history(), world.log)
}
