//! Token buckets, one for each key, in bounded memory.

use std::{collections::BTreeMap, time::Duration};

use domain::Timestamp;
use parking_lot::Mutex;

/// Keys that are remembered. Full buckets are forgotten first: they are as good as new.
const REMEMBERED: usize = 20_000;

/// Buckets that hold `size` units and fill up evenly within `period`.
///
/// Of each bucket only the time is kept at which it will be full again (the generic cell rate algorithm), so that time
/// alone fills it. Ours and not a library's, since time is a parameter and an act may take many units.
pub(super) struct Buckets<K> {
    size: u64,
    period: Duration,
    full_at: Mutex<BTreeMap<K, Timestamp>>,
}

impl<K: Ord + Copy> Buckets<K> {
    /// Buckets of `size` units, refilled within `period`.
    pub(super) fn new(size: u64, period: Duration) -> Self {
        Self {
            size: size.max(1),
            period,
            full_at: Mutex::default(),
        }
    }

    /// Takes units out. What is more than a bucket holds needs a full one.
    ///
    /// # Errors
    /// How long it takes until there are enough; nothing is taken then.
    pub(super) fn take(&self, key: K, units: u64, now: Timestamp) -> Result<(), Duration> {
        let cost = self.time_for(units);
        let mut full_at = self.full_at.lock();
        let filled = self.filled_at(&full_at, key, now).after(cost);
        let wait = filled.since(now).saturating_sub(self.period);
        if !wait.is_zero() {
            return Err(wait);
        }
        keep(&mut full_at, key, filled, now);
        Ok(())
    }

    /// Whether a unit could be taken.
    ///
    /// # Errors
    /// How long it takes until it could.
    pub(super) fn check(&self, key: K, now: Timestamp) -> Result<(), Duration> {
        let full_at = self.full_at.lock();
        let filled = self.filled_at(&full_at, key, now).after(self.time_for(1));
        match filled.since(now).saturating_sub(self.period) {
            Duration::ZERO => Ok(()),
            wait => Err(wait),
        }
    }

    /// Takes a unit out for what has happened already; an empty bucket stays empty.
    pub(super) fn charge(&self, key: K, now: Timestamp) {
        let mut full_at = self.full_at.lock();
        let filled = self.filled_at(&full_at, key, now).after(self.time_for(1));
        keep(&mut full_at, key, filled.min(now.after(self.period)), now);
    }

    /// When the bucket is full. A clock that jumps back must not close it for longer than a period.
    fn filled_at(&self, full_at: &BTreeMap<K, Timestamp>, key: K, now: Timestamp) -> Timestamp {
        let filled = full_at.get(&key).copied().unwrap_or(now);
        filled.clamp(now, now.after(self.period))
    }

    /// How long it takes to refill so many units.
    fn time_for(&self, units: u64) -> Duration {
        let micros =
            self.period.as_micros() * u128::from(units.min(self.size)) / u128::from(self.size);
        Duration::from_micros(u64::try_from(micros).unwrap_or(u64::MAX))
    }
}

/// Remembers when a bucket is full.
fn keep<K: Ord>(full_at: &mut BTreeMap<K, Timestamp>, key: K, filled: Timestamp, now: Timestamp) {
    if full_at.len() >= REMEMBERED && !full_at.contains_key(&key) {
        full_at.retain(|_, filled| *filled > now);
        // Someone with very many addresses: the total of the credential bounds them. Room for many is made at once: it
        // takes a look at all.
        while full_at.len() > REMEMBERED / 4 * 3 {
            full_at.pop_first();
        }
    }
    full_at.insert(key, filled);
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOW: Timestamp = Timestamp::from_micros(1_000_000_000);

    #[test]
    fn a_bucket_empties_and_time_refills_it() {
        let buckets = Buckets::new(10, Duration::from_secs(10));
        for _ in 0..10 {
            buckets.take(1, 1, NOW).unwrap();
        }
        assert_eq!(buckets.take(1, 1, NOW), Err(Duration::from_secs(1)));
        assert_eq!(buckets.check(1, NOW), Err(Duration::from_secs(1)));
        buckets.take(2, 10, NOW).unwrap();
        let later = NOW.after(Duration::from_secs(3));
        assert_eq!(buckets.take(1, 4, later), Err(Duration::from_secs(1)));
        buckets.take(1, 3, later).unwrap();
    }

    #[test]
    fn more_than_a_bucket_holds_needs_a_full_one() {
        let buckets = Buckets::new(10, Duration::from_secs(10));
        buckets.take(1, 1_000, NOW).unwrap();
        assert_eq!(buckets.take(1, 1_000, NOW), Err(Duration::from_secs(10)));
    }

    #[test]
    fn what_has_happened_is_charged_and_never_closes_for_longer_than_a_period() {
        let buckets = Buckets::new(2, Duration::from_secs(10));
        for _ in 0..50 {
            buckets.charge(1, NOW);
        }
        assert_eq!(buckets.check(1, NOW), Err(Duration::from_secs(5)));
        buckets.check(1, NOW.after(Duration::from_secs(5))).unwrap();
    }

    #[test]
    fn a_clock_that_jumps_back_closes_nothing_for_longer_than_a_period() {
        let buckets = Buckets::new(1, Duration::from_secs(10));
        buckets.take(1, 1, NOW).unwrap();
        let before = Timestamp::from_micros(0);
        assert_eq!(buckets.take(1, 1, before), Err(Duration::from_secs(10)));
    }

    #[test]
    fn memory_is_bounded() {
        let buckets = Buckets::new(1, Duration::from_secs(10));
        for key in 0..REMEMBERED * 2 {
            buckets.take(key, 1, NOW).unwrap();
        }
        assert!(buckets.full_at.lock().len() <= REMEMBERED);
    }
}
