//! Two counts over the last stretch of time, in ten buckets: exact sums would have to keep
//! every moment.

use crate::clock::{DelayMs, MonoMs};

/// How many parts a window has. What it counts is forgotten a tenth at a time.
pub const BUCKETS: usize = 10;

/// Two counts in each tenth of a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    bucket_ms: u64,
    /// The number of the newest bucket since the clock's start.
    newest: u64,
    /// The newest first.
    buckets: [[u32; 2]; BUCKETS],
}

impl Window {
    /// An empty window of this length.
    pub fn new(length: DelayMs) -> Window {
        let bucket_ms = length.get().div_ceil(BUCKETS as u64).max(1);
        Window { bucket_ms, newest: 0, buckets: [[0; 2]; BUCKETS] }
    }

    /// Counts one in the first column, and one in the second if it belongs there.
    pub fn add(&mut self, first: bool, second: bool, now: MonoMs) {
        self.forget(now);
        if let Some([a, b]) = self.buckets.first_mut() {
            *a = a.saturating_add(first.into());
            *b = b.saturating_add(second.into());
        }
    }

    /// The sums of both columns.
    pub fn sums(&mut self, now: MonoMs) -> [u64; 2] {
        self.forget(now);
        self.buckets.iter().fold([0; 2], |[a, b], [x, y]| [a + u64::from(*x), b + u64::from(*y)])
    }

    /// Whether it counts nothing.
    pub fn is_empty(&self) -> bool {
        self.buckets.iter().all(|bucket| *bucket == [0; 2])
    }

    /// Forgets all of it.
    pub fn clear(&mut self) {
        self.buckets = [[0; 2]; BUCKETS];
    }

    /// Takes over the counts of `shared`, and adds what was counted here since they were `base`.
    pub fn rebase(&mut self, base: &mut Window, shared: &mut Window, now: MonoMs) {
        let all = [&mut *self, base, shared];
        all.into_iter().for_each(|window| window.forget(now));
        let theirs = base.buckets.iter().flatten().zip(shared.buckets.iter().flatten());
        for (count, (base, shared)) in self.buckets.iter_mut().flatten().zip(theirs) {
            *count = shared.saturating_add(count.saturating_sub(*base));
        }
    }

    /// Both columns of each bucket, the newest first.
    pub fn export(&mut self, now: MonoMs) -> Vec<u64> {
        self.forget(now);
        if self.is_empty() { Vec::new() } else { self.buckets.iter().flatten().map(|n| (*n).into()).collect() }
    }

    /// Takes what was exported `age` before `now`.
    pub fn import(&mut self, exported: &[u64], now: MonoMs, age: DelayMs) {
        self.clear();
        self.newest = now.0 / self.bucket_ms;
        let passed = usize::try_from(age.get() / self.bucket_ms).unwrap_or(BUCKETS).min(BUCKETS);
        for (bucket, pair) in self.buckets.iter_mut().skip(passed).zip(exported.chunks_exact(2)) {
            for (count, value) in bucket.iter_mut().zip(pair) {
                *count = u32::try_from(*value).unwrap_or(u32::MAX);
            }
        }
    }

    #[inline(never)]
    fn forget(&mut self, now: MonoMs) {
        let newest = now.0 / self.bucket_ms;
        let passed = newest.saturating_sub(self.newest);
        if passed == 0 {
            return;
        }
        self.newest = newest;
        let passed = passed.min(BUCKETS as u64) as usize;
        self.buckets.copy_within(..BUCKETS - passed, passed);
        self.buckets.iter_mut().take(passed).for_each(|bucket| *bucket = [0; 2]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn what_is_older_than_the_window_is_forgotten_and_a_clock_set_back_forgets_nothing() {
        let mut window = Window::new(DelayMs::new(1000));
        window.add(true, true, MonoMs(50));
        window.add(true, false, MonoMs(950));
        assert_eq!(window.sums(MonoMs(999)), [2, 1]);
        assert_eq!(window.sums(MonoMs(1000)), [1, 0]);
        assert_eq!(window.sums(MonoMs(10)), [1, 0]);
        assert_eq!(window.sums(MonoMs(u64::MAX)), [0, 0]);
    }

    #[test]
    fn what_two_counted_beside_each_other_adds_up_on_what_they_share() {
        let at = |ms| MonoMs(ms);
        let mut base = Window::new(DelayMs::new(1000));
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

    proptest! {
        #[test]
        fn it_counts_all_of_the_last_nine_tenths_and_nothing_older_than_the_whole(
            steps in prop::collection::vec((0..400u64, any::<bool>(), any::<bool>()), 1..60), age in 0..2000u64,
        ) {
            let (mut window, mut now, mut all) = (Window::new(DelayMs::new(1000)), 12_345, Vec::new());
            for (passed, first, second) in steps {
                now += passed;
                all.push((now, [u64::from(first), u64::from(second)]));
                window.add(first, second, MonoMs(now));
            }
            let since = |from: u64| {
                let kept = all.iter().filter(|(at, _)| *at >= from);
                kept.fold([0; 2], |[a, b], (_, [x, y])| [a + x, b + y])
            };
            let later = now + age;
            let mut taken = Window::new(DelayMs::new(1000));
            taken.import(&window.export(MonoMs(now)), MonoMs(later - later % 100), DelayMs::new(age / 100 * 100));
            let sums = window.sums(MonoMs(later));
            for (at_least, (sum, at_most)) in since(later - 900).into_iter().zip(sums.into_iter().zip(since(later - 999))) {
                prop_assert!(at_least <= sum && sum <= at_most, "{at_least} <= {sum} <= {at_most}");
            }
            let shifted = taken.sums(MonoMs(later - later % 100));
            prop_assert_eq!(shifted, window_sums_at(&all, now, age / 100));
        }
    }

    /// What is left of the buckets after so many have passed.
    fn window_sums_at(all: &[(u64, [u64; 2])], now: u64, passed: u64) -> [u64; 2] {
        let oldest = (now / 100).saturating_sub(9).saturating_add(passed);
        let kept = all.iter().filter(|(at, _)| at / 100 >= oldest && passed < 10);
        kept.fold([0; 2], |[a, b], (_, [x, y])| [a + x, b + y])
    }
}
