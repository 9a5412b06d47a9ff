//! The simulation's own chance: what clients do and what goes wrong is drawn apart from what the engine draws, so that a
//! change of the engine leaves the story as it was.

use std::time::Duration;

/// A seeded source of decisions (`SplitMix64`).
#[derive(Debug, Clone)]
pub(crate) struct Chance(u64);

/// The step of `SplitMix64`. Source: Steele, Lea, Flood, "Fast splittable pseudorandom number generators", 2014.
const STEP: u64 = 0x9e37_79b9_7f4a_7c15;

impl Chance {
    /// The source `stream` of a seed: other streams of the seed draw other numbers.
    pub(crate) fn of(seed: u64, stream: u64) -> Self {
        let mut mixed = Self(seed ^ stream.wrapping_mul(STEP).rotate_left(17));
        mixed.next();
        mixed
    }

    /// The next 64 bits.
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(STEP);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    /// A number below `most`; 0 when `most` is.
    pub(crate) fn below(&mut self, most: u64) -> u64 {
        self.next().checked_rem(most).unwrap_or(0)
    }

    /// Like [`Self::below`], for counting things.
    pub(crate) fn index(&mut self, most: usize) -> usize {
        usize::try_from(self.below(u64::try_from(most).unwrap_or(u64::MAX))).unwrap_or(0)
    }

    /// A whole number from `low` to `high`.
    pub(crate) fn between(&mut self, low: i64, high: i64) -> i64 {
        let span = u64::try_from(high.saturating_sub(low).saturating_add(1)).unwrap_or(1);
        low.saturating_add(i64::try_from(self.below(span)).unwrap_or(0))
    }

    /// True once in `most` times.
    pub(crate) fn one_in(&mut self, most: u64) -> bool {
        self.below(most) == 0
    }

    /// One of `first` and the others, each equally likely.
    pub(crate) fn pick<T: Copy>(&mut self, first: T, others: &[T]) -> T {
        let index = self.index(others.len().saturating_add(1));
        index
            .checked_sub(1)
            .and_then(|index| others.get(index))
            .copied()
            .unwrap_or(first)
    }

    /// A span of milliseconds from `low` to `high`.
    pub(crate) fn millis(&mut self, low: i64, high: i64) -> Duration {
        Duration::from_millis(u64::try_from(self.between(low, high)).unwrap_or(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_draws_the_same_and_other_streams_something_else() {
        let draw = |seed, stream| {
            let mut chance = Chance::of(seed, stream);
            (0..8).map(|_| chance.below(1000)).collect::<Vec<_>>()
        };
        assert_eq!(draw(7, 1), draw(7, 1));
        assert_ne!(draw(7, 1), draw(7, 2));
        assert_ne!(draw(7, 1), draw(8, 1));
    }

    #[test]
    fn draws_stay_in_their_bounds_and_reach_them() {
        let mut chance = Chance::of(3, 3);
        let drawn: Vec<i64> = (0..1000).map(|_| chance.between(-2, 2)).collect();
        for wanted in -2..=2 {
            assert!(drawn.contains(&wanted), "{wanted}");
        }
        assert!(drawn.iter().all(|one| (-2..=2).contains(one)));
        let picked: Vec<char> = (0..100).map(|_| chance.pick('a', &['b', 'c'])).collect();
        assert!(['a', 'b', 'c'].iter().all(|one| picked.contains(one)));
    }
}
