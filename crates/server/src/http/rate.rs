//! How often a server's credential may ask, or a browser's from one network.

use std::collections::BTreeMap;

use domain::{Timestamp, id::KeyId, network::Network};
use parking_lot::Mutex;

/// One request, in the unit of what is left.
const ONE: u64 = 1_000_000;
/// Askers that are remembered before those that rest are forgotten.
const REMEMBERED: usize = 10_000;

/// Who asks: a credential; a browser's with the network that it is used from.
pub(super) type Asker = (KeyId, Option<Network>);

/// A bucket for each asker, refilled evenly, that holds one second's worth.
pub struct Rate {
    per_second: u64,
    buckets: Mutex<BTreeMap<Asker, Bucket>>,
}

struct Bucket {
    left: u64,
    at: Timestamp,
}

impl Rate {
    /// At most so many requests in a second.
    pub fn new(per_second: u64) -> Self {
        Self {
            per_second,
            buckets: Mutex::default(),
        }
    }

    /// Counts a request; false when it is one too many.
    pub(super) fn take(&self, asker: Asker, now: Timestamp) -> bool {
        let full = self.per_second.saturating_mul(ONE);
        let mut buckets = self.buckets.lock();
        if buckets.len() >= REMEMBERED {
            buckets.retain(|_, bucket| self.refilled(bucket, now) < full);
            // Someone with very many addresses. Room for many is made at once: it takes a look at all.
            while buckets.len() > REMEMBERED / 4 * 3 {
                buckets.pop_first();
            }
        }
        let bucket = buckets.entry(asker).or_insert(Bucket {
            left: full,
            at: now,
        });
        bucket.left = self.refilled(bucket, now);
        bucket.at = now;
        match bucket.left.checked_sub(ONE) {
            Some(left) => {
                bucket.left = left;
                true
            }
            None => false,
        }
    }

    fn refilled(&self, bucket: &Bucket, now: Timestamp) -> u64 {
        // One request a second is one millionth of a request in a microsecond.
        let micros = u64::try_from(now.since(bucket.at).as_micros()).unwrap_or(u64::MAX);
        let gained = micros.saturating_mul(self.per_second);
        bucket
            .left
            .saturating_add(gained)
            .min(self.per_second.saturating_mul(ONE))
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn key(number: u128) -> Asker {
        (KeyId::new(uuid::Uuid::from_u128(number)), None)
    }

    #[test]
    fn a_credential_may_ask_so_often_and_others_are_not_touched() {
        let rate = Rate::new(2);
        let now = Timestamp::from_micros(0);
        assert!(rate.take(key(1), now) && rate.take(key(1), now));
        assert!(!rate.take(key(1), now));
        assert!(rate.take(key(2), now));
        let later = now.after(Duration::from_millis(500));
        assert!(rate.take(key(1), later) && !rate.take(key(1), later));
        let much_later = now.after(Duration::from_hours(1));
        assert!(
            rate.take(key(1), much_later)
                && rate.take(key(1), much_later)
                && !rate.take(key(1), much_later)
        );
    }

    #[test]
    fn a_clock_that_goes_back_refills_nothing() {
        let rate = Rate::new(1);
        assert!(rate.take(key(1), Timestamp::from_micros(10_000_000)));
        assert!(!rate.take(key(1), Timestamp::from_micros(0)));
    }
}
