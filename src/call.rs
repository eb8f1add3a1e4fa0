//! One call as a state machine: an event in, a command out.
//!
//! It reads no clock and draws no number: both come with each event, so the same events
//! and numbers always give the same commands. Three questions are kept apart: what
//! happened ([`crate::classify`]), may we go on (here), and how long do we wait
//! ([`crate::policy`]).

use crate::breaker::BreakerOutcome;
use crate::classify::{Ending, Failure, Link, Raised, Source, Verdict, classify};
use crate::clock::{DelayMs, MonoMs, Now};
use crate::guard::Guard;
use crate::headers::Headers;
use crate::history::{AttemptRecord, ErrorSnapshot, History, MESSAGE_CHARS, RetryLedger, SentRequest, message_of};
use crate::kind::ErrorKind;
use crate::policy::{Allowance, Beyond, HookErrors, Planned, Policy, WaitFrom};
use crate::usage::Usage;
use std::sync::Arc;

/// Whether a request can be sent once more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Replay {
    /// It can.
    #[default]
    Possible,
    /// Its body can be read only once.
    OneShotBody,
}

/// One of the two sends of an attempt that was hedged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Leg {
    /// Its number among all sends, from 1.
    pub attempt: u32,
    /// When it was sent.
    pub sent: MonoMs,
}

/// What a failed attempt showed.
#[derive(Clone, Debug, Default)]
pub struct Observed {
    /// How it ended.
    pub ending: Ending,
    /// Where an error came from.
    pub source: Source,
    /// The HTTP status.
    pub status: Option<u16>,
    /// The response was an opaque redirect.
    pub opaque_redirect: bool,
    /// The response's fields, in the form of [`Headers`].
    pub headers: String,
    /// The response's body, as far as it was read.
    pub body: String,
    /// What tells of tokens where that is not the body, as JSON.
    pub usage: String,
    /// Whether it tells of some of the tokens only.
    pub usage_is_lower_bound: bool,
    /// Output had begun before it failed.
    pub streamed: bool,
    /// The error and its causes, outermost first.
    pub links: Vec<Link>,
    /// What the caller says it is.
    pub raised: Option<Raised>,
    /// The code that the caller gave with it.
    pub raised_code: Option<String>,
    /// The provider that the caller named with it.
    pub raised_provider: Option<String>,
    /// What was sent; `None` where requests are not ours to see.
    pub request: Option<SentRequest>,
    /// Which send it was, where an attempt had two; else the last.
    pub leg: Option<Leg>,
    /// Whether the request can be sent again.
    pub replay: Replay,
}

impl Observed {
    /// What of it is judged.
    pub fn failure(&self) -> Failure<'_> {
        Failure {
            ending: self.ending,
            source: self.source,
            status: self.status,
            opaque_redirect: self.opaque_redirect,
            headers: Headers::new(&self.headers),
            body: &self.body,
            links: &self.links,
            raised: self.raised,
        }
    }
}

/// How an attempt ended.
#[derive(Clone, Debug)]
pub enum Outcome {
    /// With what was asked for, which cost this if it says so.
    Succeeded(Option<Usage>),
    /// Likewise as far as it was heard, but whoever heard it left before its end.
    Left(Option<Usage>),
    /// Otherwise.
    Failed(Box<Observed>),
    /// Nothing was sent, for this reason; the call ends with the failure before it.
    Unsent(Mark),
}

/// What happened.
#[derive(Debug)]
pub enum Event {
    /// An attempt that was sent at `started` ended.
    Ended {
        /// When it was sent.
        started: Now,
        /// How it ended.
        outcome: Outcome,
    },
    /// The `shouldRetry` hook has spoken; `None` lets the verdict stand.
    Ruled(Option<bool>),
    /// A hook threw.
    HookThrew,
    /// The wait is over.
    Waited,
    /// The caller's signal aborted, `slept` into the wait if there was one.
    Cancelled {
        /// The time really waited.
        slept: DelayMs,
    },
}

/// What to do next.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Command {
    /// Ask the `shouldRetry` hook about the last record and verdict.
    Ask,
    /// Wait, then report [`Event::Waited`].
    Wait {
        /// How long.
        delay: DelayMs,
        /// Where the wait came from.
        from: WaitFrom,
    },
    /// Send the request.
    Send {
        /// 1-based.
        attempt: u32,
        /// How long it may take.
        allowance: Option<Allowance>,
    },
    /// The call succeeded: hand over what the last attempt brought.
    Deliver,
    /// The call ends with the last failure, for this reason.
    GiveUp {
        /// Why.
        mark: Mark,
    },
}

/// Why a call was not (or no longer) played again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The failure is not retried under this policy, nor did `shouldRetry` allow its kind before.
    NotRetryable,
    /// `max_attempts` sends were made.
    AttemptsExhausted,
    /// The deadline passed, or the next wait would end at or after it.
    DeadlineExceeded,
    /// The server asked for a longer wait than is accepted.
    RetryAfterBeyond,
    /// As `RetryAfterBeyond`, and the call can be resumed when the wait is over.
    Deferred,
    /// The retry budget is spent.
    RetryBudgetExhausted,
    /// The circuit breaker opened while the call waited.
    CircuitOpen,
    /// The request's body can be read only once.
    OneShotBody,
    /// The request's method is not retried.
    MethodNotRetried,
    /// Output had begun, and must not be played twice.
    OutputBegun,
    /// `shouldRetry` said no.
    HookVeto,
    /// A hook threw.
    HookError,
    /// The caller's signal aborted.
    Cancelled,
}

impl Mark {
    /// The stable name, as histories have it.
    pub const fn as_str(self) -> &'static str {
        match self {
            Mark::NotRetryable => "not_retryable",
            Mark::AttemptsExhausted => "attempts_exhausted",
            Mark::DeadlineExceeded => "deadline_exceeded",
            Mark::RetryAfterBeyond => "retry_after_beyond",
            Mark::Deferred => "deferred",
            Mark::RetryBudgetExhausted => "retry_budget_exhausted",
            Mark::CircuitOpen => "circuit_open",
            Mark::OneShotBody => "one_shot_body",
            Mark::MethodNotRetried => "method_not_retried",
            Mark::OutputBegun => "output_begun",
            Mark::HookVeto => "hook_veto",
            Mark::HookError => "hook_error",
            Mark::Cancelled => "cancelled",
        }
    }
}

/// One call under a policy.
#[derive(Debug)]
pub struct Call {
    policy: Arc<Policy>,
    started: Now,
    now: Now,
    sends: u32,
    /// Those of them that no wait came before.
    hedges: u32,
    previous_wait: Option<DelayMs>,
    records: Vec<AttemptRecord>,
    /// What the attempts before this call cost; zeros for a call from its beginning.
    earlier: RetryLedger,
    /// The last failure's verdict and what stands against a replay, until it is decided.
    last: Option<(Verdict, Option<Mark>)>,
    mark: Option<Mark>,
    succeeded: bool,
    used: Option<Usage>,
    /// Taken when the call has reported.
    guard: Option<Guard>,
}

impl Call {
    /// A call that began at `started`.
    pub fn new(policy: Arc<Policy>, started: Now) -> Call {
        Call {
            policy,
            started,
            now: started,
            sends: 0,
            hedges: 0,
            previous_wait: None,
            records: Vec::new(),
            earlier: RetryLedger::default(),
            last: None,
            mark: None,
            succeeded: false,
            used: None,
            guard: None,
        }
    }

    /// Binds the call to a breaker and a budget, to which it reports when it ends.
    pub fn guarded_by(&mut self, guard: Guard) {
        self.guard = Some(guard);
    }

    /// The policy.
    pub fn policy(&self) -> &Policy {
        &self.policy
    }

    /// The first command: send.
    pub fn start(&mut self) -> Command {
        self.send(self.started)
    }

    /// Goes on with a call that was delivered, by what its ledger said then.
    pub fn resume(&mut self, earlier: RetryLedger) {
        self.sends = earlier.total_attempts;
        self.earlier = earlier;
    }

    /// Enters a call whose first attempt was made outside.
    pub fn first_was_sent(&mut self) {
        self.sends = self.sends.saturating_add(1);
    }

    /// Takes an event, at `now`. `unit` gives a random number in [0, 1) and is asked once for
    /// each wait, never otherwise.
    pub fn step(&mut self, event: Event, now: Now, unit: &mut dyn FnMut() -> f64) -> Command {
        self.now = now;
        // What a failure before it says of the target is no news when nothing more was sent.
        let unsent = matches!(event, Event::Ended { outcome: Outcome::Unsent(_), .. });
        let left = matches!(event, Event::Ended { outcome: Outcome::Left(_), .. });
        let command = self.react(event, now, unit);
        let outcome = match command {
            Command::Deliver if left => BreakerOutcome::Neutral,
            Command::Deliver => BreakerOutcome::Success,
            Command::GiveUp { mark: Mark::Cancelled | Mark::HookError } => BreakerOutcome::Neutral,
            Command::GiveUp { .. } if !unsent && self.target_is_unwell() => BreakerOutcome::Failure,
            Command::GiveUp { .. } => BreakerOutcome::Neutral,
            Command::Ask | Command::Wait { .. } | Command::Send { .. } => return command,
        };
        if let Some(mut guard) = self.guard.take() {
            guard.report(outcome, now.mono);
        }
        command
    }

    fn target_is_unwell(&self) -> bool {
        match (&self.guard, &self.last) {
            (Some(guard), Some((verdict, _))) => guard.counts(verdict.kind),
            _ => false,
        }
    }

    fn react(&mut self, event: Event, now: Now, unit: &mut dyn FnMut() -> f64) -> Command {
        match event {
            Event::Ended { outcome: Outcome::Succeeded(used) | Outcome::Left(used), .. } => {
                self.succeeded = true;
                self.used = used;
                self.last = None;
                Command::Deliver
            }
            Event::Ended { started, outcome: Outcome::Failed(observed) } => self.failed(*observed, started, now, unit),
            Event::Ended { outcome: Outcome::Unsent(mark), .. } => {
                self.sends = self.sends.saturating_sub(1);
                self.give_up(mark)
            }
            Event::Ruled(ruling) => self.decide(ruling, now, unit),
            Event::HookThrew if self.policy.hook_errors == HookErrors::Throw => {
                self.cut_wait(DelayMs::ZERO);
                if let Some(record) = self.records.last_mut() {
                    record.delay_from = None;
                }
                self.give_up(Mark::HookError)
            }
            // A swallowed throw of `shouldRetry` lets the verdict stand.
            Event::HookThrew => self.decide(None, now, unit),
            Event::Waited if self.deadline_passed(now) => self.give_up(Mark::DeadlineExceeded),
            Event::Waited if self.guard.as_mut().is_some_and(|guard| !guard.may_send(now.mono)) => {
                self.give_up(Mark::CircuitOpen)
            }
            Event::Waited => self.send(now),
            Event::Cancelled { slept } => {
                self.cut_wait(slept);
                self.give_up(Mark::Cancelled)
            }
        }
    }

    /// Takes what the other send showed of an attempt that was hedged, which either failed
    /// first or lost, before the one that decides. It was sent by [`Policy::hedge`]; the
    /// attempt began at `started`.
    pub fn beside(&mut self, observed: &Observed, started: Now, now: Now) -> Verdict {
        self.sends = self.sends.saturating_add(1);
        self.hedges = self.hedges.saturating_add(1);
        if let Some(guard) = &mut self.guard {
            guard.hedged();
        }
        self.record(observed, started, now)
    }

    /// The wait after the last attempt lasted no longer than this.
    fn cut_wait(&mut self, slept: DelayMs) {
        if let Some(record) = self.records.last_mut() {
            record.delay_ms = record.delay_ms.min(slept);
        }
    }

    fn send(&mut self, now: Now) -> Command {
        self.sends = self.sends.saturating_add(1);
        let allowance = self.policy.allowance(now.mono.since(self.started.mono));
        Command::Send { attempt: self.sends, allowance }
    }

    fn failed(&mut self, observed: Observed, started: Now, now: Now, unit: &mut dyn FnMut() -> f64) -> Command {
        let policy = Arc::clone(&self.policy);
        let verdict = self.record(&observed, started, now);
        let method = observed.request.as_ref().map_or("", |request| request.method.as_str());
        let obstacle = match observed.ending {
            Ending::Cancelled => Some(Mark::Cancelled),
            Ending::DeadlinePassed => Some(Mark::DeadlineExceeded),
            _ if observed.streamed => Some(Mark::OutputBegun),
            _ if self.sends >= policy.max_attempts => Some(Mark::AttemptsExhausted),
            _ if observed.replay == Replay::OneShotBody => Some(Mark::OneShotBody),
            _ if !method.is_empty() && !policy.retries_method(method) => Some(Mark::MethodNotRetried),
            _ => None,
        };
        let asks = policy.hooks.should_retry && obstacle.is_none();
        self.last = Some((verdict, obstacle));
        if asks { Command::Ask } else { self.decide(None, now, unit) }
    }

    /// Keeps the record of a failure, and says what the rules say of it.
    fn record(&mut self, observed: &Observed, started: Now, now: Now) -> Verdict {
        let mut verdict = classify(&observed.failure(), &self.policy, now.wall);
        let (attempt, started) = match observed.leg {
            Some(leg) => (leg.attempt, started.later(leg.sent.since(started.mono))),
            None => (self.sends, started),
        };
        let record = record(observed, &verdict, &self.policy, attempt, started, now);
        // Hooks are shown the verdict: what it quotes of the failure is masked as well.
        verdict.code.clone_from(&record.error.code);
        verdict.message = None;
        self.records.push(record);
        verdict
    }

    fn decide(&mut self, ruling: Option<bool>, now: Now, unit: &mut dyn FnMut() -> f64) -> Command {
        // Every caller comes from a failed attempt.
        let Some((verdict, obstacle)) = &self.last else { return self.give_up(Mark::NotRetryable) };
        // Where the hook cannot be asked, what it said of the same kind before stands.
        let was_allowed = || obstacle.is_some() && self.went_past(verdict.kind);
        let goes_on = ruling.unwrap_or_else(|| verdict.retryable || was_allowed());
        let hint = verdict.hint.map(|hint| hint.delay);
        match (goes_on, obstacle) {
            (false, Some(Mark::Cancelled)) => return self.give_up(Mark::Cancelled),
            (false, Some(Mark::DeadlineExceeded)) => return self.give_up(Mark::DeadlineExceeded),
            (false, _) if ruling.is_some() => return self.give_up(Mark::HookVeto),
            (false, _) => return self.give_up(Mark::NotRetryable),
            (true, Some(mark)) => return self.give_up(*mark),
            (true, None) => {}
        }
        let kind = verdict.kind;
        let unit = unit();
        let waits = self.sends.saturating_sub(self.hedges);
        let backoff = self.policy.backoff_after(kind).delay(waits, unit, self.previous_wait);
        let (delay, from) = match self.policy.hints.plan(hint, backoff, unit) {
            Planned::Wait(delay, from) => (delay, from),
            Planned::Beyond if self.policy.hints.beyond == Beyond::Defer => return self.give_up(Mark::Deferred),
            Planned::Beyond => return self.give_up(Mark::RetryAfterBeyond),
        };
        let elapsed = now.mono.since(self.started.mono);
        if self.policy.deadline.is_some_and(|deadline| elapsed.plus(delay) >= deadline) {
            return self.give_up(Mark::DeadlineExceeded);
        }
        // Last of all, so that nothing is paid for a retry that is not made.
        let throttled = kind == ErrorKind::RateLimited;
        if self.guard.as_mut().is_some_and(|guard| !guard.pays(throttled, now.mono)) {
            return self.give_up(Mark::RetryBudgetExhausted);
        }
        self.previous_wait = Some(backoff);
        if let Some(record) = self.records.last_mut() {
            record.waits(delay, from);
        }
        Command::Wait { delay, from }
    }

    /// Whether the call went on after a failure of this kind that is not retried, which the hook
    /// alone can have allowed.
    fn went_past(&self, kind: ErrorKind) -> bool {
        self.records.iter().any(|AttemptRecord { error, delay_from, .. }| {
            delay_from.is_some() && !error.retryable && error.kind == kind.as_str()
        })
    }

    fn deadline_passed(&self, now: Now) -> bool {
        self.policy.deadline.is_some_and(|deadline| now.elapsed_since(self.started) >= deadline)
    }

    fn give_up(&mut self, mark: Mark) -> Command {
        self.mark = Some(mark);
        Command::GiveUp { mark }
    }

    /// When the last command was given.
    pub fn now(&self) -> Now {
        self.now
    }

    /// The last failed attempt.
    pub fn last_record(&self) -> Option<&AttemptRecord> {
        self.records.last()
    }

    /// What the rules say of the last failed attempt.
    pub fn last_verdict(&self) -> Option<&Verdict> {
        self.last.as_ref().map(|(verdict, _)| verdict)
    }

    /// What the call went through.
    ///
    /// `last` is the failure the call ended with. A cancelled wait ends the call with the
    /// cancellation, so the failure before it is one of the others.
    pub fn into_history(self) -> History {
        let mut retry = RetryLedger { total_attempts: self.sends, ..self.earlier };
        self.records.iter().for_each(|record| retry.count(record));
        let told = |record: &AttemptRecord| record.tokens.is_some();
        let wasted = retry.wasted_total_tokens > 0 || self.records.iter().any(told);
        let usage = if self.succeeded { self.used } else { wasted.then(Usage::default) };
        let mut attempts = self.records;
        let ended_between = self.mark == Some(Mark::Cancelled)
            && attempts.last().is_some_and(|record| record.error.kind != ErrorKind::Cancelled.as_str());
        let last = if self.succeeded || ended_between { None } else { attempts.pop() };
        History { attempts, retry, usage, last, mark: self.mark.map(Mark::as_str) }
    }
}

fn record(
    observed: &Observed,
    verdict: &Verdict,
    policy: &Policy,
    attempt: u32,
    started: Now,
    now: Now,
) -> AttemptRecord {
    let unmasked = SentRequest::default();
    let sent = observed.request.as_ref().unwrap_or(&unmasked);
    let (masker, kept) = sent.masker(&policy.redaction);
    let message = match (&verdict.message, observed.links.first()) {
        (Some(message), _) => masker.mask_and_cut(message, MESSAGE_CHARS),
        (None, Some(link)) if !link.message.is_empty() => masker.mask_and_cut(&link.message, MESSAGE_CHARS),
        _ => message_of(verdict, observed.status),
    };
    let hint = verdict.hint.map(|hint| hint.delay);
    let tokens = Usage::read(&observed.usage).or(verdict.usage);
    let turned_away = observed.opaque_redirect || observed.status.is_some_and(|status| status >= 300);
    let shown = |text: Option<&String>| text.map(|text| masker.mask_and_cut(text, MESSAGE_CHARS));
    AttemptRecord {
        index: attempt.saturating_sub(1),
        attempt,
        started_at: started.wall,
        duration_ms: now.mono.since(started.mono),
        reason: verdict.kind.reason(),
        delay_ms: DelayMs::ZERO,
        delay_from: None,
        retry_after_ms: hint,
        streamed: observed.streamed,
        tokens,
        may_have_cost_more: observed.usage_is_lower_bound || (tokens.is_none() && !turned_away),
        error: ErrorSnapshot {
            message,
            kind: verdict.kind.as_str(),
            type_: verdict.kind.properties().vernllm,
            code: shown(observed.raised_code.as_ref().or(verdict.code.as_ref())),
            status: observed.status,
            provider: shown(observed.raised_provider.as_ref()).or_else(|| verdict.provider.clone()),
            retry_after_ms: hint,
            retryable: verdict.retryable,
            rule: verdict.rule,
        },
        request: observed.request.as_ref().map(|sent| sent.snapshot(started.wall, kept, &policy.redaction, &masker)),
    }
}
