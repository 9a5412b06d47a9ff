//! What was read recently: kept for less than a second, so that a change made elsewhere is seen within that time on every
//! node.

use std::{collections::BTreeMap, time::Duration};

use domain::Timestamp;
use parking_lot::Mutex;

/// A change made elsewhere is seen after this time at the latest.
const FRESH_FOR: Duration = Duration::from_millis(500);

/// Values as they were read recently, by their keys.
pub(crate) struct RecentReads<K, V> {
    state: Mutex<Entries<K, V>>,
    most: usize,
}

struct Entries<K, V> {
    kept: BTreeMap<K, (Timestamp, V)>,
    /// How often something was forgotten.
    forgotten: u64,
}

/// A reading that has begun.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Reading {
    at: Timestamp,
    forgotten: u64,
}

impl<K: Ord, V: Clone> RecentReads<K, V> {
    /// Keeps at most so many.
    pub(crate) fn at_most(most: usize) -> Self {
        Self {
            state: Mutex::new(Entries {
                kept: BTreeMap::new(),
                forgotten: 0,
            }),
            most,
        }
    }

    /// What was read recently, else the reading that the caller begins now.
    pub(crate) fn find<Q: Ord + ?Sized>(&self, key: &Q, now: Timestamp) -> Result<V, Reading>
    where
        K: std::borrow::Borrow<Q>,
    {
        let state = self.state.lock();
        match state.kept.get(key) {
            Some((read_at, value)) if is_fresh(*read_at, now) => Ok(value.clone()),
            Some(_) | None => Err(Reading {
                at: now,
                forgotten: state.forgotten,
            }),
        }
    }

    /// What was read last, however old.
    pub(crate) fn last(&self, key: &K) -> Option<V> {
        self.state
            .lock()
            .kept
            .get(key)
            .map(|(_, value)| value.clone())
    }

    /// Keeps what was read, unless something was forgotten since the reading began: it may be what was forgotten.
    pub(crate) fn keep(&self, key: K, value: V, reading: Reading) {
        let mut state = self.state.lock();
        if state.forgotten != reading.forgotten {
            return;
        }
        if state.kept.len() >= self.most {
            state
                .kept
                .retain(|_, (read_at, _)| is_fresh(*read_at, reading.at));
        }
        if state.kept.len() < self.most {
            state.kept.insert(key, (reading.at, value));
        }
    }

    /// Lets a change of this node's be seen at once.
    pub(crate) fn forget(&self, key: &K) {
        let mut state = self.state.lock();
        state.forgotten = state.forgotten.wrapping_add(1);
        state.kept.remove(key);
    }

    /// Forgets everything.
    pub(crate) fn clear(&self) {
        let mut state = self.state.lock();
        state.forgotten = state.forgotten.wrapping_add(1);
        state.kept.clear();
    }
}

/// A clock that jumps back must not keep an old reading alive.
fn is_fresh(read_at: Timestamp, now: Timestamp) -> bool {
    let until = read_at.after(FRESH_FOR);
    now < until && until.since(now) <= FRESH_FOR
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(millis: i64) -> Timestamp {
        Timestamp::from_micros(millis * 1000)
    }

    fn begun(kept: &RecentReads<u8, &'static str>, millis: i64) -> Reading {
        kept.find(&1, at(millis)).unwrap_err()
    }

    #[test]
    fn a_reading_is_fresh_for_half_a_second_and_no_clock_prolongs_it() {
        let kept = RecentReads::at_most(9);
        kept.keep(1, "read", begun(&kept, 1000));
        assert_eq!(kept.find(&1, at(1499)), Ok("read"));
        assert!(kept.find(&1, at(1500)).is_err());
        assert!(kept.find(&1, at(999)).is_err());
        assert_eq!(kept.last(&1), Some("read"));
    }

    #[test]
    fn what_was_read_before_a_change_is_not_kept_after_it() {
        let kept = RecentReads::at_most(9);
        let before = begun(&kept, 0);
        kept.forget(&1);
        let after = begun(&kept, 1);
        kept.keep(1, "old", before);
        assert!(kept.find(&1, at(2)).is_err());
        kept.keep(1, "new", after);
        kept.keep(1, "old", before);
        assert_eq!(kept.find(&1, at(2)), Ok("new"));
        kept.clear();
        kept.keep(1, "new", after);
        assert!(kept.find(&1, at(2)).is_err());
    }

    #[test]
    fn what_is_old_makes_room() {
        let kept = RecentReads::at_most(1);
        kept.keep(1, "one", begun(&kept, 0));
        let reading = kept.find(&2, at(10)).unwrap_err();
        kept.keep(2, "two", reading);
        assert!(kept.find(&2, at(10)).is_err());
        let reading = kept.find(&2, at(600)).unwrap_err();
        kept.keep(2, "two", reading);
        assert_eq!(kept.find(&2, at(600)), Ok("two"));
    }
}
