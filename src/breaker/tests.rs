//! Tests of the breaker, most of them against a model: every event ever seen, and rules that
//! are read off that list afresh at each question.

use super::*;
use proptest::prelude::*;

fn rules() -> BreakerRules {
    BreakerRules {
        failures: 2,
        open: DelayMs::new(100),
        max_open: DelayMs::new(1000),
        open_jitter: 0.0,
        ..BreakerRules::default()
    }
}

fn at(ms: u64) -> MonoMs {
    MonoMs(ms)
}

fn refused(ms: u64) -> Admission {
    Admission::Refused { retry_after: DelayMs::new(ms) }
}

fn token(admission: Admission) -> u64 {
    match admission {
        Admission::Admitted(token) => token,
        Admission::Refused { retry_after } => panic!("refused for {retry_after:?}"),
    }
}

/// A breaker that opened at 0, and the token of the period before.
fn opened(rules: BreakerRules) -> (Breaker, u64) {
    let mut breaker = Breaker::new(rules, 1);
    let period = token(breaker.admit(at(0)));
    while breaker.state() == State::Closed {
        breaker.report(period, BreakerOutcome::Failure, at(0));
    }
    (breaker, period)
}

#[test]
fn so_many_failures_in_a_row_open_it_and_a_success_between_forgets_them() {
    let mut breaker = Breaker::new(BreakerRules { failures: 3, ..rules() }, 1);
    let period = token(breaker.admit(at(0)));
    let mut report = |outcomes: &str| {
        outcomes.chars().for_each(|outcome| {
            let outcome = match outcome {
                'f' => BreakerOutcome::Failure,
                's' => BreakerOutcome::Success,
                _ => BreakerOutcome::Neutral,
            };
            breaker.report(period, outcome, at(0));
        });
        (breaker.state(), breaker.failures(at(0)))
    };
    assert_eq!(report("ffsff"), (State::Closed, 2));
    assert_eq!(report("nnn"), (State::Closed, 2));
    assert_eq!(report("f"), (State::Open, 3));
}

#[test]
fn a_refusal_says_when_to_come_back() {
    let (mut breaker, _) = opened(rules());
    assert_eq!(breaker.admit(at(1)), refused(99));
    assert_eq!(breaker.admit(at(99)), refused(1));
    assert_eq!((breaker.retry_after(at(99)), breaker.retry_after(at(100))), (DelayMs::new(1), DelayMs::ZERO));
    assert_eq!(breaker.state(), State::Open);
    assert!(matches!(breaker.admit(at(100)), Admission::Admitted(_)));
}

#[test]
fn a_hundred_calls_at_the_end_of_the_cool_down_make_one_probe() {
    let (mut breaker, _) = opened(rules());
    let admitted = (0..100).filter(|_| matches!(breaker.admit(at(100)), Admission::Admitted(_))).count();
    assert_eq!(admitted, 1);
    assert_eq!(breaker.admit(at(150)), refused(50));
}

#[test]
fn each_failed_probe_doubles_the_cool_down_up_to_the_longest_and_a_success_starts_over() {
    let (mut breaker, _) = opened(rules());
    let (mut now, mut waits) = (0, Vec::new());
    for _ in 0..6 {
        let Admission::Refused { retry_after } = breaker.admit(at(now)) else { panic!("it is open") };
        waits.push(retry_after.get());
        now += retry_after.get();
        let probe = token(breaker.admit(at(now)));
        breaker.report(probe, BreakerOutcome::Failure, at(now));
    }
    assert_eq!((waits, breaker.trips()), (vec![100, 200, 400, 800, 1000, 1000], 7));
    let probe = token(breaker.admit(at(now + 1000)));
    breaker.report(probe, BreakerOutcome::Success, at(now + 1000));
    assert_eq!((breaker.state(), breaker.trips(), breaker.failures(at(now))), (State::Closed, 0, 0));
}

#[test]
fn the_jitter_of_a_cool_down_comes_on_top_of_it_and_from_the_seed() {
    let wait = |seed| {
        let mut breaker = Breaker::new(BreakerRules { failures: 1, open_jitter: 0.5, ..rules() }, seed);
        let period = token(breaker.admit(at(0)));
        breaker.report(period, BreakerOutcome::Failure, at(0));
        breaker.retry_after(at(0)).get()
    };
    let waits: Vec<_> = (0..50).map(wait).collect();
    assert!(waits.iter().all(|ms| (100..150).contains(ms)), "{waits:?}");
    assert!(waits.iter().max() > waits.iter().min());
    assert_eq!(wait(7), wait(7));
}

#[test]
fn every_ending_of_a_probe_frees_its_place_and_only_success_closes() {
    let (mut breaker, _) = opened(rules());
    let probe = token(breaker.admit(at(100)));
    breaker.report(probe, BreakerOutcome::Neutral, at(110));
    assert_eq!(breaker.state(), State::HalfOpen);
    let next = token(breaker.admit(at(110)));
    assert_ne!(next, probe);
    breaker.report(next, BreakerOutcome::Success, at(120));
    assert_eq!(breaker.state(), State::Closed);
}

#[test]
fn a_probe_that_does_not_settle_loses_its_place_after_one_cool_down_and_its_late_report_counts() {
    let late = |outcome| {
        let (mut breaker, _) = opened(rules());
        let slow = token(breaker.admit(at(100)));
        assert_eq!(breaker.admit(at(199)), refused(1));
        let next = token(breaker.admit(at(200)));
        breaker.report(slow, outcome, at(201));
        let state = breaker.state();
        breaker.report(slow, BreakerOutcome::Failure, at(202));
        breaker.report(next, BreakerOutcome::Failure, at(203));
        (state, breaker.state())
    };
    assert_eq!(late(BreakerOutcome::Success), (State::Closed, State::Closed));
    assert_eq!(late(BreakerOutcome::Failure), (State::Open, State::Open));
    assert_eq!(late(BreakerOutcome::Neutral), (State::HalfOpen, State::Open));
}

#[test]
fn a_target_slower_than_the_lease_closes_its_breaker() {
    let (mut breaker, _) = opened(BreakerRules { lease: Some(DelayMs::new(10)), probes: 2, ..rules() });
    let probes: Vec<_> = (0..8).map(|n| token(breaker.admit(at(100 + n * 5)))).collect();
    breaker.report(probes[0], BreakerOutcome::Success, at(145));
    assert_eq!(breaker.state(), State::HalfOpen);
    breaker.report(probes[1], BreakerOutcome::Success, at(150));
    assert_eq!(breaker.state(), State::Closed);
}

#[test]
fn a_refusal_lasts_until_so_many_leases_ended_that_a_place_is_free() {
    let (mut breaker, _) = opened(BreakerRules { lease: Some(DelayMs::new(10)), probes: 2, ..rules() });
    let slow = token(breaker.admit(at(100)));
    token(breaker.admit(at(110)));
    token(breaker.admit(at(115)));
    breaker.report(slow, BreakerOutcome::Success, at(116));
    assert_eq!(breaker.admit(at(116)), refused(9));
    token(breaker.admit(at(125)));
}

#[test]
fn probes_that_never_report_do_not_pile_up() {
    let (mut breaker, _) = opened(BreakerRules { lease: Some(DelayMs::new(10)), ..rules() });
    let probes: Vec<_> = (0..500).map(|n| token(breaker.admit(at(100 + n * 10)))).collect();
    assert!(breaker.export(at(5100)).len() < 1000);
    let last = probes.len() - 1;
    breaker.report(probes[last - 1 - LATE_KEPT], BreakerOutcome::Success, at(5100));
    assert_eq!(breaker.state(), State::HalfOpen);
    breaker.report(probes[last - LATE_KEPT], BreakerOutcome::Success, at(5100));
    assert_eq!(breaker.state(), State::Closed);
}

#[test]
fn a_lease_can_be_shorter_than_the_cool_down() {
    let (mut breaker, _) = opened(BreakerRules { lease: Some(DelayMs::new(10)), ..rules() });
    token(breaker.admit(at(100)));
    assert_eq!(breaker.admit(at(105)), refused(5));
    token(breaker.admit(at(110)));
}

#[test]
fn a_call_from_before_it_opened_reports_too_late() {
    let (mut breaker, period) = opened(rules());
    breaker.report(period, BreakerOutcome::Success, at(1));
    assert_eq!(breaker.state(), State::Open);
    let probe = token(breaker.admit(at(100)));
    breaker.report(period, BreakerOutcome::Failure, at(100));
    assert_eq!(breaker.state(), State::HalfOpen);
    breaker.report(probe, BreakerOutcome::Success, at(100));
    breaker.report(period, BreakerOutcome::Failure, at(100));
    assert_eq!((breaker.state(), breaker.failures(at(100))), (State::Closed, 0));
}

#[test]
fn a_probes_own_retry_takes_no_second_place_and_another_call_does_not_get_past() {
    let (mut breaker, period) = opened(rules());
    assert_eq!(breaker.admit_again(period, at(50)), refused(50));
    let probe = token(breaker.admit(at(100)));
    assert_eq!(breaker.admit_again(probe, at(150)), Admission::Admitted(probe));
    assert_eq!(breaker.admit_again(period, at(150)), refused(50));
    assert_eq!(breaker.admit(at(150)), refused(50));
}

#[test]
fn a_call_that_waited_out_the_cool_down_is_the_probe() {
    let (mut breaker, period) = opened(rules());
    let probe = token(breaker.admit_again(period, at(100)));
    assert_ne!(probe, period);
    assert_eq!(breaker.admit(at(100)), refused(100));
}

#[test]
fn where_others_would_have_to_be_asked_a_call_that_waited_out_the_cool_down_is_no_probe() {
    let (mut breaker, period) = opened(rules());
    breaker.follow();
    assert_eq!(breaker.admit_again(period, at(100)), refused(0));
    let probe = token(breaker.admit(at(100)));
    assert_eq!(breaker.admit_again(probe, at(150)), Admission::Admitted(probe));
}

#[test]
fn the_retry_of_a_probe_that_lost_its_place_takes_a_free_one_and_is_the_same_probe() {
    let (mut breaker, _) = opened(rules());
    let probe = token(breaker.admit(at(100)));
    assert_eq!(breaker.admit_again(probe, at(200)), Admission::Admitted(probe));
    assert_eq!(breaker.admit(at(299)), refused(1));
    let other = token(breaker.admit(at(300)));
    assert_eq!(breaker.admit_again(probe, at(301)), refused(99));
    assert_eq!(breaker.admit_again(other, at(301)), Admission::Admitted(other));
}

#[test]
fn of_several_probes_all_must_succeed_and_one_failure_opens_it() {
    let three = BreakerRules { probes: 3, ..rules() };
    let (mut breaker, _) = opened(three.clone());
    let probes: Vec<_> = (0..3).map(|_| token(breaker.admit(at(100)))).collect();
    assert_eq!(breaker.admit(at(100)), refused(100));
    breaker.report(probes[0], BreakerOutcome::Success, at(101));
    // More calls would prove no more: three successes are already on their way.
    assert_eq!(breaker.admit(at(101)), refused(99));
    breaker.report(probes[1], BreakerOutcome::Neutral, at(102));
    let instead = token(breaker.admit(at(102)));
    breaker.report(probes[2], BreakerOutcome::Success, at(103));
    assert_eq!(breaker.state(), State::HalfOpen);
    breaker.report(instead, BreakerOutcome::Success, at(104));
    assert_eq!(breaker.state(), State::Closed);

    let (mut breaker, _) = opened(three);
    let probes: Vec<_> = (0..2).map(|_| token(breaker.admit(at(100)))).collect();
    breaker.report(probes[0], BreakerOutcome::Failure, at(101));
    breaker.report(probes[1], BreakerOutcome::Success, at(101));
    assert_eq!((breaker.state(), breaker.admit(at(101))), (State::Open, refused(200)));
}

#[test]
fn in_rolling_mode_a_share_of_enough_calls_opens_it() {
    let rolling = BreakerRules {
        mode: BreakerMode::Rolling,
        window: DelayMs::new(1000),
        min_calls: 4,
        failure_ratio: 0.5,
        ..rules()
    };
    let states = |calls: &[(u64, bool)]| {
        let mut breaker = Breaker::new(rolling.clone(), 1);
        let period = token(breaker.admit(at(0)));
        let report = |(ms, failed): &(u64, bool)| {
            let outcome = if *failed { BreakerOutcome::Failure } else { BreakerOutcome::Success };
            breaker.report(period, outcome, at(*ms));
            breaker.state() == State::Open
        };
        calls.iter().map(report).collect::<Vec<_>>()
    };
    assert_eq!(states(&[(0, true), (0, true), (0, true), (0, true)]), [false, false, false, true]);
    assert_eq!(states(&[(0, true), (0, false), (0, false), (0, true)]), [false, false, false, true]);
    assert_eq!(states(&[(0, true), (0, false), (0, false), (0, false), (0, true)]), [false; 5]);
    assert_eq!(states(&[(0, true), (0, true), (0, true), (1000, true)]), [false; 4]);
    // A success is no reason to open, not even one that makes the calls enough.
    assert_eq!(states(&[(0, true), (0, true), (0, true), (0, false), (0, true)]), [false, false, false, false, true]);
}

#[test]
fn an_isolated_breaker_refuses_until_it_is_closed() {
    let mut breaker = Breaker::new(rules(), 1);
    let period = token(breaker.admit(at(0)));
    breaker.isolate();
    assert_eq!(breaker.admit(at(u64::MAX)), Admission::Refused { retry_after: DelayMs::MAX });
    breaker.report(period, BreakerOutcome::Success, at(1));
    assert_eq!(breaker.state(), State::Isolated);
    breaker.close();
    assert!(matches!(breaker.admit(at(1)), Admission::Admitted(_)));
}

#[test]
fn changes_are_told_in_their_order_and_the_oldest_of_too_many_are_lost() {
    let (mut breaker, _) = opened(rules());
    let probe = token(breaker.admit(at(100)));
    breaker.report(probe, BreakerOutcome::Success, at(100));
    let told: Vec<_> = std::iter::from_fn(|| breaker.take_change()).collect();
    let expected = [State::Closed, State::Open, State::HalfOpen, State::Closed];
    assert_eq!(told, expected.windows(2).map(|pair| (pair[0], pair[1])).collect::<Vec<_>>());
    for _ in 0..100 {
        breaker.isolate();
        breaker.close();
    }
    assert_eq!(std::iter::from_fn(|| breaker.take_change()).count(), CHANGES_KEPT);
}

#[test]
fn throttling_counts_only_where_it_is_asked_for() {
    let counts = |rules, kind| Breaker::new(rules, 1).counts(kind);
    assert!(!counts(rules(), ErrorKind::RateLimited));
    let throttling = BreakerRules { count_throttling: true, ..rules() };
    assert!(counts(throttling.clone(), ErrorKind::RateLimited));
    for neutral in [ErrorKind::Cancelled, ErrorKind::QuotaExhausted, ErrorKind::SchemaMismatch, ErrorKind::BadRequest] {
        assert!(!counts(throttling.clone(), neutral), "{neutral:?}");
    }
    assert!(counts(rules(), ErrorKind::Timeout) && counts(rules(), ErrorKind::Overloaded));
}

fn copy(of: &mut Breaker, now: u64, then: u64, age: u64) -> Breaker {
    let mut copy = Breaker::new(of.rules.clone(), 99);
    assert!(copy.import(&of.export(at(now)), at(then), DelayMs::new(age)));
    copy
}

#[test]
fn an_exported_state_means_the_same_to_another_clock() {
    let (mut breaker, _) = opened(rules());
    let mut other = copy(&mut breaker, 40, 7_000_000, 0);
    assert_eq!(other.admit(at(7_000_000)), refused(60));
    assert_eq!(copy(&mut breaker, 40, 5, 25).admit(at(5)), refused(35));
    assert!(matches!(copy(&mut breaker, 40, 5, 60).admit(at(5)), Admission::Admitted(_)));
    let probe = token(other.admit(at(7_000_060)));
    let mut third = copy(&mut other, 7_000_060, 1, 0);
    assert_eq!(third.admit(at(1)), refused(100));
    third.report(probe, BreakerOutcome::Failure, at(2));
    assert_eq!((third.state(), third.trips(), third.admit(at(2))), (State::Open, 2, refused(200)));
}

#[test]
fn a_closed_period_goes_on_when_it_takes_the_counts_of_another() {
    let mut other = Breaker::new(rules(), 5);
    let others = token(other.admit(at(0)));
    other.report(others, BreakerOutcome::Failure, at(0));
    let mut breaker = Breaker::new(rules(), 6);
    let own = token(breaker.admit(at(0)));
    assert!(breaker.import(&other.export(at(0)), at(0), DelayMs::ZERO));
    breaker.report(own, BreakerOutcome::Failure, at(0));
    assert_eq!(breaker.state(), State::Open);
    assert!(breaker.import(&Breaker::new(rules(), 7).export(at(0)), at(0), DelayMs::ZERO));
    assert_eq!(breaker.state(), State::Closed);
    assert_ne!(token(breaker.admit(at(0))), own);
}

#[test]
fn no_imported_state_can_hold_it_for_longer_than_its_own_rules_would() {
    let mut breaker = Breaker::new(rules(), 1);
    let mut import = |members: &str| {
        assert!(breaker.import(&with_counts(members), at(0), DelayMs::ZERO), "{members}");
        breaker.retry_after(at(0)).get()
    };
    assert_eq!(import(r#""state":"open","leftMs":9007199254740991"#), 1000);
    assert_eq!(import(r#""state":"half_open","succeeded":0,"probes":[1,9007199254740991]"#), 1000);
    assert_eq!(import(r#""state":"half_open","succeeded":9"#), 0);
    assert_eq!(import(r#""state":"half_open","succeeded":0,"probes":[1]"#), 0);
}

#[test]
fn a_state_that_lacks_a_member_or_has_one_of_another_type_changes_nothing() {
    let mut breaker = Breaker::new(rules(), 1);
    let before = breaker.export(at(0));
    for members in [
        r#""state":"ajar""#,
        r#""state":7"#,
        r#""state":"open""#,
        r#""state":"open","leftMs":-1"#,
        r#""state":"open","leftMs":"soon""#,
        r#""state":"open","leftMs":[5]"#,
        r#""state":"half_open""#,
        r#""state":"half_open","succeeded":0,"probes":"none""#,
        r#""state":"half_open","succeeded":0,"probes":5"#,
        r#""state":"closed","window":"wide""#,
    ] {
        assert!(!breaker.import(&with_counts(members), at(0), DelayMs::ZERO), "{members}");
    }
    for text in ["", "{}", r#"{"state":"closed"}"#, r#"{"state":"closed","failures":{},"trips":0,"coolDownMs":0}"#] {
        assert!(!breaker.import(text, at(0), DelayMs::ZERO), "{text}");
    }
    assert_eq!(breaker.export(at(0)), before);
}

fn with_counts(members: &str) -> String {
    ["{\"failures\":0,\"trips\":0,\"coolDownMs\":0,", members, "}"].concat()
}

// The model.

#[derive(Clone, Copy, Debug)]
enum Step {
    Pass(u64),
    Admit,
    /// Sends once more for the nth call ever admitted.
    Again(usize),
    /// Reports the nth call ever admitted: early, late or twice.
    Report(usize, BreakerOutcome),
    Isolate,
    Close,
    /// Goes on as a copy, on a clock that is so far ahead or behind.
    Move(i64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let outcome = || {
        prop_oneof![
            2 => Just(BreakerOutcome::Success),
            3 => Just(BreakerOutcome::Failure),
            1 => Just(BreakerOutcome::Neutral),
        ]
    };
    let step = prop_oneof![
        6 => prop_oneof![0..40u64, 0..400u64].prop_map(Step::Pass),
        8 => Just(Step::Admit),
        2 => (0..40usize).prop_map(Step::Again),
        10 => (prop_oneof![0..6usize, 0..40usize], outcome()).prop_map(|(n, outcome)| Step::Report(n, outcome)),
        1 => Just(Step::Isolate),
        1 => Just(Step::Close),
        1 => (-500..500i64).prop_map(Step::Move),
    ];
    prop::collection::vec(step, 1..120)
}

/// What was admitted, as the model knows it.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Hold {
    /// In the closed period of this number.
    Of(usize),
    /// As a probe, with a place until then.
    Probe {
        ends: u64,
        order: usize,
    },
    Over,
}

/// The rules in the plainest words, one field for each: no tokens, no phases.
#[derive(Debug)]
struct Model {
    rules: BreakerRules,
    now: u64,
    holds: Vec<Hold>,
    probes_made: usize,
    /// The number of the closed period; `None` while it is not closed.
    period: Option<usize>,
    periods: usize,
    in_a_row: u32,
    open_until: u64,
    isolated: bool,
    half_open: bool,
    succeeded: u32,
    trips: u32,
}

impl Model {
    fn running(&self) -> u32 {
        self.holds.iter().filter(|hold| matches!(hold, Hold::Probe { ends, .. } if self.now < *ends)).count() as u32
    }

    /// Of the probes without a place the oldest are forgotten.
    fn forget(&mut self) {
        let late = |hold: &&mut Hold| matches!(hold, Hold::Probe { ends, .. } if self.now >= *ends);
        let mut late: Vec<_> = self.holds.iter_mut().filter(late).collect();
        late.sort_by_key(|hold| if let Hold::Probe { order, .. } = hold { *order } else { 0 });
        let forgotten = late.len().saturating_sub(LATE_KEPT);
        late.into_iter().take(forgotten).for_each(|hold| *hold = Hold::Over);
    }

    fn cool_down(&self) -> u64 {
        (self.rules.open.get() << (self.trips.max(1) - 1).min(40)).min(self.rules.max_open.get())
    }

    fn lease(&self) -> u64 {
        self.rules.lease.map_or(self.cool_down(), DelayMs::get)
    }

    fn admits(&self) -> bool {
        let has_room = !self.half_open || self.running() + self.succeeded < self.rules.probes;
        self.period.is_some() || (!self.isolated && self.now >= self.open_until && has_room)
    }

    fn admit(&mut self) -> Hold {
        match self.period {
            Some(period) => Hold::Of(period),
            None => {
                self.half_open = true;
                self.forget();
                self.probes_made += 1;
                Hold::Probe { ends: self.now + self.lease(), order: self.probes_made }
            }
        }
    }

    fn drop_probes(&mut self) {
        self.holds.iter_mut().filter(|hold| matches!(hold, Hold::Probe { .. })).for_each(|hold| *hold = Hold::Over);
        (self.half_open, self.succeeded) = (false, 0);
    }

    fn trip(&mut self) {
        self.drop_probes();
        self.trips += 1;
        self.period = None;
        self.open_until = self.now + self.cool_down();
    }

    fn close(&mut self) {
        self.drop_probes();
        self.periods += 1;
        self.period = Some(self.periods);
        (self.in_a_row, self.trips, self.open_until, self.isolated) = (0, 0, 0, false);
    }

    fn report(&mut self, n: usize, outcome: BreakerOutcome) {
        match self.holds[n] {
            Hold::Of(period) if self.period == Some(period) => match outcome {
                BreakerOutcome::Success => self.in_a_row = 0,
                BreakerOutcome::Failure => {
                    self.in_a_row += 1;
                    if self.in_a_row >= self.rules.failures {
                        self.trip();
                    }
                }
                BreakerOutcome::Neutral => {}
            },
            Hold::Probe { .. } => {
                self.holds[n] = Hold::Over;
                match outcome {
                    BreakerOutcome::Failure => self.trip(),
                    BreakerOutcome::Success if self.succeeded + 1 >= self.rules.probes => self.close(),
                    BreakerOutcome::Success => self.succeeded += 1,
                    BreakerOutcome::Neutral => {}
                }
            }
            _ => {}
        }
    }

    fn state(&self) -> State {
        match self.period {
            _ if self.isolated => State::Isolated,
            Some(_) => State::Closed,
            None if self.half_open => State::HalfOpen,
            None => State::Open,
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2048))]

    #[test]
    fn it_does_what_the_model_does(
        steps in steps(), failures in 1..4u32, probes in 1..4u32, lease in prop::option::of(1..300u64), seed: u64,
    ) {
        let rules = BreakerRules { failures, probes, lease: lease.map(DelayMs::new), ..rules() };
        let mut breaker = Breaker::new(rules.clone(), seed);
        let mut model = Model {
            rules, now: 1_000_000, holds: Vec::new(), probes_made: 0, period: Some(0), periods: 0, in_a_row: 0, open_until: 0,
            isolated: false, half_open: false, succeeded: 0, trips: 0,
        };
        let mut tokens: Vec<u64> = Vec::new();
        let (mut offset, mut seeds) = (0i64, 0);
        for step in steps {
            let clock = |model: &Model, offset: i64| MonoMs(model.now.saturating_add_signed(offset));
            let now = clock(&model, offset);
            match step {
                Step::Pass(ms) => model.now += ms,
                Step::Admit => {
                    let admission = breaker.admit(now);
                    prop_assert_eq!(matches!(admission, Admission::Admitted(_)), model.admits(), "{:?} {:?}", admission, model);
                    match admission {
                        Admission::Admitted(token) => {
                            let hold = model.admit();
                            model.holds.push(hold);
                            tokens.push(token);
                            // Invariant 8.
                            prop_assert!(!model.half_open || model.running() <= model.rules.probes);
                        }
                        Admission::Refused { retry_after } if !model.isolated => {
                            // Nothing is admitted any sooner, if nothing is reported.
                            prop_assert!(retry_after > DelayMs::ZERO);
                            let mut early = breaker.clone();
                            let before = MonoMs(now.0 + retry_after.get() - 1);
                            let [sooner, then] = [before, later(now, retry_after)].map(|time| early.admit(time));
                            prop_assert!(matches!(sooner, Admission::Refused { .. }) && matches!(then, Admission::Admitted(_)), "{:?} {:?}", sooner, then);
                        }
                        Admission::Refused { retry_after } => prop_assert_eq!(retry_after, DelayMs::MAX),
                    }
                }
                Step::Again(n) if n < tokens.len() => {
                    let holds_place = matches!(model.holds[n], Hold::Probe { ends, .. } if model.now < ends);
                    let admission = breaker.admit_again(tokens[n], now);
                    let admitted = if let Admission::Admitted(token) = admission { Some(token) } else { None };
                    prop_assert_eq!(admitted.is_some(), holds_place || model.admits());
                    if let Hold::Probe { order, .. } = model.holds[n] {
                        if let Some(token) = admitted {
                            prop_assert_eq!(token, tokens[n]);
                        }
                        if admitted.is_some() && !holds_place {
                            model.holds[n] = Hold::Probe { ends: model.now + model.lease(), order };
                        }
                    } else if let Some(token) = admitted {
                        model.holds[n] = model.admit();
                        tokens[n] = token;
                    }
                }
                Step::Report(n, outcome) if n < tokens.len() => {
                    let n = tokens.len() - 1 - n;
                    breaker.report(tokens[n], outcome, now);
                    model.report(n, outcome);
                }
                Step::Again(_) | Step::Report(..) => {}
                Step::Isolate => {
                    breaker.isolate();
                    model.drop_probes();
                    (model.period, model.isolated) = (None, true);
                }
                Step::Close => {
                    breaker.close();
                    model.close();
                }
                Step::Move(by) => {
                    let text = breaker.export(now);
                    offset += by;
                    let moved = clock(&model, offset);
                    if breaker.state() == State::Closed {
                        prop_assert!(breaker.import(&text, moved, DelayMs::ZERO));
                    } else {
                        // Two that share a state differ in their seeds, as in their tokens.
                        seeds += 1;
                        breaker = Breaker::new(model.rules.clone(), seed.wrapping_add(seeds));
                        prop_assert!(breaker.import(&text, moved, DelayMs::ZERO));
                    }
                }
            }
            prop_assert_eq!(breaker.state(), model.state());
            prop_assert_eq!(breaker.trips(), model.trips);
        }
    }

    #[test]
    fn it_survives_any_event_and_any_text_and_never_refuses_for_longer_than_its_rules(
        texts in prop::collection::vec(".{0,40}", 0..3), mut times in prop::collection::vec(any::<u64>(), 1..20), token: u64,
        outcome in prop_oneof![Just(BreakerOutcome::Success), Just(BreakerOutcome::Failure)], rolling: bool,
    ) {
        times.sort_unstable();
        let mode = if rolling { BreakerMode::Rolling } else { BreakerMode::Consecutive };
        let mut breaker = Breaker::new(BreakerRules { mode, min_calls: 1, ..rules() }, token);
        for now in times.into_iter().map(MonoMs) {
            texts.iter().for_each(|text| { breaker.import(text, now, DelayMs::MAX); });
            if let Admission::Admitted(own) = breaker.admit(now) {
                prop_assert!(own <= MAX_SAFE_MS);
                breaker.report(own, outcome, now);
            }
            breaker.report(token, outcome, now);
            prop_assert!(breaker.retry_after(now) <= DelayMs::new(1000));
        }
    }
}
