//! Two counts over the last stretch of time, in ten buckets: exact sums would have to keep
//! every moment.
//!
//! When the buckets begin and end is part of a state, and who takes it over goes on with it:
//! rounded to buckets of his own, counts that are exchanged more often than a bucket ends
//! would never grow older.

#[cfg(test)]
mod tests;

use crate::clock::{DelayMs, MAX_SAFE_MS, MonoMs};

/// How many parts a window has. What it counts is forgotten a tenth at a time.
pub const BUCKETS: usize = 10;

/// Two counts in each tenth of a window.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Window {
    bucket_ms: u64,
    /// When the newest bucket ends, which has not begun yet where the clock was set back.
    ends: u64,
    /// The newest first.
    buckets: [[u32; 2]; BUCKETS],
}

impl Window {
    /// An empty window of this length.
    pub fn new(length: DelayMs) -> Window {
        let bucket_ms = length.get().div_ceil(BUCKETS as u64).max(1);
        Window { bucket_ms, ends: 0, buckets: [[0; 2]; BUCKETS] }
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

    /// Takes over the counts of `shared` with the times of its buckets, and adds what was
    /// counted here since they were `base`, each bucket to the one that it covers most of.
    pub fn rebase(&mut self, base: &mut Window, shared: &mut Window, now: MonoMs) {
        for window in [&mut *self, base, shared] {
            window.forget(now);
        }
        // The buckets of both end together but for the rounding of clocks: one may be about to.
        if self.trails(base, now) {
            self.pass(1);
        } else if base.trails(self, now) {
            base.pass(1);
        }
        let mut owed = [0; 2];
        for (own, base) in self.buckets.iter_mut().zip(&base.buckets).rev() {
            for ((count, base), owed) in own.iter_mut().zip(base).zip(&mut owed) {
                // Where a clock that was set back has moved them apart, the next bucket has it.
                let known = base.saturating_add(*owed);
                *owed = known.saturating_sub(*count);
                *count = count.saturating_sub(known);
            }
        }
        if self.trails(shared, now) {
            self.pass(1);
        }
        let newer = usize::from(shared.trails(self, now));
        let news = std::mem::replace(self, shared.clone()).buckets;
        for (i, news) in news.iter().enumerate() {
            for (count, news) in self.buckets.iter_mut().skip(i.saturating_sub(newer)).take(1).flatten().zip(news) {
                *count = count.saturating_add(*news);
            }
        }
    }

    /// Both columns of each bucket, the newest first, and the milliseconds since that began;
    /// nothing where nothing is counted.
    pub fn export(&mut self, now: MonoMs) -> Vec<u64> {
        self.forget(now);
        if self.is_empty() {
            return Vec::new();
        }
        self.buckets.iter().flatten().map(|n| (*n).into()).chain([self.since(now)]).collect()
    }

    /// Takes what was exported `age` before `now`.
    pub fn import(&mut self, exported: &[u64], now: MonoMs, age: DelayMs) {
        let pairs = exported.chunks_exact(2);
        // No more than a window of this length can have written.
        let since = pairs.remainder().first().map_or(0, |since| (*since).min(self.bucket_ms - 1));
        self.clear();
        for (bucket, pair) in self.buckets.iter_mut().zip(pairs) {
            for (count, value) in bucket.iter_mut().zip(pair) {
                *count = u32::try_from(*value).unwrap_or(u32::MAX);
            }
        }
        let age = age.get() + since;
        self.pass(age / self.bucket_ms);
        self.ends = now.0.min(MAX_SAFE_MS) + self.bucket_ms - age % self.bucket_ms;
    }

    /// Milliseconds since the newest bucket began; zero where the clock was set back.
    fn since(&self, now: MonoMs) -> u64 {
        self.bucket_ms.saturating_sub(self.ends.saturating_sub(now.0))
    }

    /// Whether the newest bucket is nearer in time to the second one of another window than to
    /// its first.
    #[inline(never)]
    fn trails(&self, other: &Window, now: MonoMs) -> bool {
        self.since(now).saturating_sub(other.since(now)) > self.bucket_ms / 2
    }

    #[inline(never)]
    fn forget(&mut self, now: MonoMs) {
        let late = now.0.min(MAX_SAFE_MS).checked_sub(self.ends);
        if let Some(late) = late {
            self.pass(late / self.bucket_ms + 1);
        }
    }

    /// So many buckets have ended.
    #[inline(never)]
    fn pass(&mut self, ended: u64) {
        self.ends = self.ends.saturating_add(ended.saturating_mul(self.bucket_ms));
        let ended = ended.min(BUCKETS as u64) as usize;
        self.buckets.copy_within(..BUCKETS - ended, ended);
        self.buckets.iter_mut().take(ended).for_each(|bucket| *bucket = [0; 2]);
    }
}
