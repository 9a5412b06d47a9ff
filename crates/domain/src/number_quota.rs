//! How many numbers of one first six and last four digits a team may bring.
//!
//! # Why
//! First six, last four and checksum leave some 100,000 card numbers of sixteen digits. Anyone who may try them all against
//! something that tells equality (a fingerprint, an idempotency key) has the number. So few may be tried.
//!
//! # How it works
//! Numbers are known here by marks: keyed hashes. Within an hour [`NUMBERS`] distinct ones are taken, and the same one again
//! is not counted twice. Refused tries are counted too: after [`REFUSALS`] of them nothing passes until the hour is
//! over, a known number neither. Otherwise a full quota would itself tell which numbers were brought before.

use std::time::Duration;

use serde::{Deserialize, Serialize};

use crate::Timestamp;

/// Distinct numbers of one kind within [`WINDOW`]. Source: behaviour contract, section 6.
pub const NUMBERS: usize = 20;

/// Refused tries within [`WINDOW`], after which known numbers are refused too.
pub const REFUSALS: usize = 20;

/// Over how long is counted.
pub const WINDOW: Duration = Duration::from_hours(1);

/// What was brought of one kind recently. The default is nothing.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct NumberQuota {
    seen: Vec<Seen>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    refused: Vec<Timestamp>,
}

/// A number that was counted.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
struct Seen {
    mark: String,
    at: Timestamp,
}

/// What becomes of a number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Judged {
    /// It was counted before: it passes, and nothing has changed.
    Known,
    /// It passes and is counted now.
    Counted,
    /// It is refused.
    Refused {
        /// When to try again.
        retry_at: Timestamp,
        /// Whether the refusal was counted: the quota has changed.
        noted: bool,
    },
}

impl NumberQuota {
    /// Judges a number that is brought now, and counts it.
    pub fn judge(&mut self, mark: &str, now: Timestamp) -> Judged {
        self.forget(now);
        if let Some(first) = self.refused.first().copied()
            && self.refused.len() >= REFUSALS
        {
            return Judged::Refused {
                retry_at: first.after(WINDOW),
                noted: false,
            };
        }
        if self.seen.iter().any(|seen| seen.mark == mark) {
            return Judged::Known;
        }
        if let Some(first) = self.seen.first().map(|seen| seen.at)
            && self.seen.len() >= NUMBERS
        {
            self.refused.push(now);
            return Judged::Refused {
                retry_at: first.after(WINDOW),
                noted: true,
            };
        }
        self.add(mark, now);
        Judged::Counted
    }

    /// Counts a number that was let through at `at`, unless it is counted already.
    pub fn add(&mut self, mark: &str, at: Timestamp) {
        if self.seen.iter().all(|seen| seen.mark != mark) {
            let mark = mark.to_owned();
            self.seen.push(Seen { mark, at });
            self.seen.sort_by_key(|seen| seen.at);
        }
    }

    /// How many numbers count at `now`.
    pub fn len(&self, now: Timestamp) -> usize {
        self.seen.iter().filter(|seen| counts(seen.at, now)).count()
    }

    /// Whether no number counts at `now`.
    pub fn is_empty(&self, now: Timestamp) -> bool {
        self.len(now) == 0
    }

    /// Whether the number counts at `now`.
    pub fn knows(&self, mark: &str, now: Timestamp) -> bool {
        self.seen
            .iter()
            .any(|seen| seen.mark == mark && counts(seen.at, now))
    }

    /// Takes over what another count has.
    pub fn merge(&mut self, other: &Self) {
        for seen in &other.seen {
            self.add(&seen.mark, seen.at);
        }
    }

    /// When nothing of it counts any more.
    pub fn until(&self, now: Timestamp) -> Timestamp {
        let times = self.seen.iter().map(|seen| seen.at);
        let last = times.chain(self.refused.iter().copied()).max();
        last.unwrap_or(now).after(WINDOW)
    }

    fn forget(&mut self, now: Timestamp) {
        self.seen.retain(|seen| counts(seen.at, now));
        self.refused.retain(|at| counts(*at, now));
    }
}

/// A time ahead of the clock counts too: another node's clock may be ahead of ours.
fn counts(at: Timestamp, now: Timestamp) -> bool {
    now < at.after(WINDOW)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_micros(seconds * 1_000_000)
    }

    fn full() -> NumberQuota {
        let mut quota = NumberQuota::default();
        for n in 0..20 {
            assert_eq!(quota.judge(&format!("n{n}"), at(n)), Judged::Counted);
        }
        quota
    }

    #[test]
    fn the_twenty_first_number_is_refused_until_the_first_is_an_hour_old() {
        let mut quota = full();
        assert_eq!(quota.judge("n3", at(30)), Judged::Known);
        let refused = Judged::Refused {
            retry_at: at(3600),
            noted: true,
        };
        assert_eq!(quota.judge("new", at(30)), refused);
        assert_eq!(quota.judge("n3", at(31)), Judged::Known);
        assert_eq!(quota.judge("new", at(3600)), Judged::Counted);
        assert_eq!(quota.until(at(3600)), at(7200));
    }

    #[test]
    fn a_full_quota_does_not_tell_for_long_which_numbers_are_known() {
        let mut quota = full();
        for n in 0..20 {
            let judged = quota.judge(&format!("guess{n}"), at(100));
            assert!(matches!(judged, Judged::Refused { noted: true, .. }));
        }
        let closed = Judged::Refused {
            retry_at: at(3700),
            noted: false,
        };
        assert_eq!(quota.judge("n3", at(101)), closed);
        assert_eq!(quota.judge("n3", at(3700)), Judged::Counted);
    }

    #[test]
    fn counts_of_two_nodes_are_put_together_once() {
        let (mut one, mut other) = (NumberQuota::default(), NumberQuota::default());
        one.add("a", at(1));
        other.add("a", at(2));
        other.add("b", at(2));
        one.merge(&other);
        assert_eq!(one.len(at(3)), 2);
        assert!(one.knows("b", at(3)) && !one.knows("b", at(3602)));
        assert!(one.is_empty(at(3602)));
    }
}
