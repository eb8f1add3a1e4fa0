use super::*;
use proptest::prelude::*;

fn window() -> Window {
    Window::new(DelayMs::new(1000))
}

#[test]
fn what_is_older_than_the_window_is_forgotten_and_a_clock_set_back_forgets_nothing() {
    let mut window = window();
    window.add(true, true, MonoMs(50));
    window.add(true, false, MonoMs(950));
    assert_eq!(window.sums(MonoMs(999)), [2, 1]);
    assert_eq!(window.sums(MonoMs(1000)), [1, 0]);
    assert_eq!(window.sums(MonoMs(10)), [1, 0]);
    assert_eq!(window.sums(MonoMs(u64::MAX)), [0, 0]);
    window.add(true, true, MonoMs(u64::MAX));
    assert_eq!([MonoMs(u64::MAX); 20].map(|now| window.sums(now)), [[1, 1]; 20]);
}

#[test]
fn what_two_counted_beside_each_other_adds_up_on_what_they_share() {
    let at = |ms| MonoMs(ms);
    let mut base = window();
    base.add(true, false, at(100));
    let (mut own, mut shared) = (base.clone(), base.clone());
    own.add(true, true, at(350));
    shared.add(true, true, at(120));
    shared.add(true, false, at(480));
    own.rebase(&mut base, &mut shared, at(500));
    assert_eq!(own.sums(at(500)), [4, 2]);
    // The first two are a second old.
    assert_eq!(own.sums(at(1100)), [2, 1]);
}

#[test]
fn a_text_that_lacks_the_age_of_its_newest_bucket_is_of_one_that_has_just_begun() {
    let mut window = window();
    window.import(&[1, 1, 2, 0], MonoMs(12_345), DelayMs::new(150));
    assert_eq!(window.sums(MonoMs(12_345)), [3, 1]);
    assert_eq!([13_094, 13_095, 13_194, 13_195].map(|ms| window.sums(MonoMs(ms))), [[3, 1], [1, 1], [1, 1], [0, 0]]);
}

/// What was counted and when.
type Counted = Vec<(u64, [u64; 2])>;

fn since(all: &Counted, from: u64) -> [u64; 2] {
    let kept = all.iter().filter(|(at, _)| *at >= from);
    kept.fold([0; 2], |[a, b], (_, [x, y])| [a + x, b + y])
}

/// One of several that share a window: what it knows, on a clock of its own, and what of that
/// the others knew when it asked last.
struct Isolate {
    origin: u64,
    own: Window,
    /// A text, and when it was agreed on.
    base: Option<(Vec<u64>, u64)>,
    /// What it knew when it asked, what was agreed on, and when that was.
    asked: Option<(Vec<u64>, Vec<u64>, u64)>,
    counted: Counted,
}

impl Isolate {
    fn clock(&self, now: u64) -> MonoMs {
        MonoMs(self.origin + now)
    }

    fn read(&self, text: &[u64], now: u64, age: u64) -> Window {
        let mut read = window();
        read.import(text, self.clock(now), DelayMs::new(age));
        read
    }

    /// Tells the store what is news to it.
    fn ask(&mut self, store: &mut Option<(Vec<u64>, u64)>, now: u64, off_by: u64) {
        let clock = self.clock(now);
        let mine = self.own.export(clock);
        let mut told = self.read(&mine, now, 0);
        if let Some((text, at)) = store {
            let base = self.base.as_ref().map(|(text, then)| self.read(text, now, now - then));
            let mut shared = self.read(text, now, (now - *at + off_by).saturating_sub(1));
            told.rebase(&mut base.unwrap_or_else(window), &mut shared, clock);
        }
        let text = told.export(clock);
        *store = Some((text.clone(), now));
        self.asked = Some((mine, text, now));
    }

    /// Takes over what it was answered.
    fn learn(&mut self, now: u64, off_by: u64) {
        let Some((mine, text, then)) = self.asked.take() else { return };
        let age = (now - then + off_by).saturating_sub(1);
        let (mut mine, mut shared) = (self.read(&mine, now, age), self.read(&text, now, age));
        self.own.rebase(&mut mine, &mut shared, self.clock(now));
        self.base = Some((text, then));
    }
}

proptest! {
    #[test]
    fn wherever_it_is_taken_it_counts_all_of_the_last_nine_tenths_and_nothing_older_than_the_whole(
        tenth in 1..300u64, origins in prop::array::uniform3(0..2000u64), every in prop::option::of(1..150u64),
        steps in prop::collection::vec((0..150u64, any::<[bool; 3]>(), 0..150u64), 1..80),
    ) {
        let percent = |share: u64| share * tenth / 100;
        let mut window = Window::new(DelayMs::new(10 * tenth));
        let (mut now, mut all, mut origins) = (0, Counted::new(), origins.iter().cycle());
        let mut origin = origins.next().unwrap_or(&0);
        for (passed, [first, second, goes], age) in steps {
            now += percent(every.unwrap_or(passed));
            all.push((now, [first.into(), second.into()]));
            window.add(first, second, MonoMs(origin + now));
            if goes || every.is_some() {
                let age = if every.is_some() { 0 } else { percent(age) };
                let text = window.export(MonoMs(origin + now));
                now += age;
                origin = origins.next().unwrap_or(&0);
                window = Window::new(DelayMs::new(10 * tenth));
                window.import(&text, MonoMs(origin + now), DelayMs::new(age));
            }
            let sums = window.sums(MonoMs(origin + now));
            let at_least = since(&all, (now + 1).saturating_sub(9 * tenth));
            let at_most = since(&all, (now + 1).saturating_sub(10 * tenth));
            for (at_least, (sum, at_most)) in at_least.into_iter().zip(sums.into_iter().zip(at_most)) {
                prop_assert!(at_least <= sum && sum <= at_most, "{at_least} <= {sum} <= {at_most}");
            }
        }
    }

    #[test]
    fn those_who_share_it_lose_nothing_and_count_nothing_twice_though_their_buckets_begin_at_other_times(
        origins in prop::array::uniform4(0..5000u64),
        steps in prop::collection::vec((0..40u64, 0..4usize, 0..4u8, prop::array::uniform2(0..3u64)), 1..150),
    ) {
        let start = |origin| Isolate { origin, own: window(), base: None, asked: None, counted: Counted::new() };
        let mut isolates = origins.map(start);
        let (mut now, mut store, mut told, mut off) = (1, None, Counted::new(), 0);
        for (passed, who, what, [off_by, off_by_too]) in steps {
            now += passed;
            off += off_by.abs_diff(1) + off_by_too.abs_diff(1);
            let Some(isolate) = isolates.get_mut(who) else { continue };
            match what {
                0 => isolate.learn(now, off_by),
                1 => {
                    isolate.learn(now, off_by);
                    isolate.ask(&mut store, now, off_by_too);
                    told.append(&mut isolate.counted);
                    let sums = store.iter().fold([0; 2], |_, (text, at)| isolate.read(text, now, now - at).sums(isolate.clock(now)));
                    // Half a bucket less or more than of one that is not shared, and what clocks were off by.
                    let at_least = since(&told, (now + 1 + off).saturating_sub(850));
                    let at_most = since(&told, (now + 1).saturating_sub(1050 + off));
                    for (at_least, (sum, at_most)) in at_least.into_iter().zip(sums.into_iter().zip(at_most)) {
                        prop_assert!(at_least <= sum && sum <= at_most, "{at_least} <= {sum} <= {at_most} at {now}");
                    }
                }
                _ => {
                    isolate.own.add(true, what == 2, isolate.clock(now));
                    isolate.counted.push((now, [1, u64::from(what == 2)]));
                }
            }
        }
    }

    #[test]
    fn what_moves_to_buckets_of_other_times_is_forgotten_half_a_bucket_sooner_or_later_at_most(
        phases in prop::array::uniform2(0..100u64), passed in 0..500u64,
    ) {
        let [mut own, mut shared] = phases.map(|since| {
            let mut window = window();
            window.import(&[since], MonoMs(5000), DelayMs::ZERO);
            window
        });
        let mut base = own.clone();
        own.add(true, false, MonoMs(5000));
        own.rebase(&mut base, &mut shared, MonoMs(5000 + passed));
        let forgotten = (passed..1200).find(|later| own.sums(MonoMs(5000 + later)) == [0; 2]);
        prop_assert!(forgotten.is_some_and(|later| (851..=1050).contains(&later)), "{forgotten:?}");
    }

    #[test]
    fn a_clock_set_back_doubles_no_more_than_a_bucket(
        adds in prop::collection::vec(0..300u64, 1..60), back in 0..3000u64, news in 0..5u64,
    ) {
        let (mut own, mut now) = (window(), 5000);
        for passed in adds {
            now += passed;
            own.add(true, false, MonoMs(now));
        }
        let text = own.export(MonoMs(now));
        let [before, _] = own.sums(MonoMs(now));
        let largest = text.iter().step_by(2).take(BUCKETS).max().copied().unwrap_or(0);
        let then = MonoMs(now - back);
        let read = |text: &[u64]| {
            let mut read = window();
            read.import(text, then, DelayMs::ZERO);
            read
        };
        prop_assert_eq!(own.sums(then), [before, 0]);
        (0..news).for_each(|_| own.add(true, false, then));
        for mut own in [read(&own.export(then)), own] {
            own.rebase(&mut read(&text), &mut read(&text), then);
            let [sum, _] = own.sums(then);
            prop_assert!((before + news..=before + news + largest).contains(&sum), "{sum} of {before} + {news}");
        }
    }

    #[test]
    fn no_text_no_age_and_no_clock_makes_it_panic_or_count_what_nobody_told(
        length: u64, texts in prop::array::uniform3(prop::collection::vec(any::<u64>(), 0..30)),
        times in prop::array::uniform4((any::<u64>(), any::<u64>())),
    ) {
        let [mut own, mut base, mut shared] = [(); 3].map(|()| Window::new(DelayMs::new(length)));
        let windows = [&mut own, &mut base, &mut shared];
        for (window, (text, (now, age))) in windows.into_iter().zip(texts.iter().zip(times)) {
            window.import(text, MonoMs(now), DelayMs::new(age));
            let told = text.iter().fold(0, |sum: u64, count| sum.saturating_add((*count).min(u32::MAX.into())));
            prop_assert!(window.sums(MonoMs(now)).iter().all(|sum| *sum <= told));
        }
        let now = MonoMs(times[3].0);
        own.rebase(&mut base, &mut shared, now);
        own.add(true, true, MonoMs(times[3].1));
        prop_assert!(own.export(now).len() <= 2 * BUCKETS + 1);
    }
}
