//! Whether the disk takes what is committed.

use std::time::Duration;

use domain::Timestamp;
use parking_lot::Mutex;

use crate::DbError;

/// After so long without a failure nothing more is known, and the next commits will tell.
const QUIET: Duration = Duration::from_secs(10);

/// What the last commits showed of the storage.
#[derive(Default)]
pub(crate) struct Failing(Mutex<FailingState>);

#[derive(Default)]
struct FailingState {
    /// The last failure, since nothing was written.
    last: Option<(Timestamp, String)>,
    /// A commit failed so that nobody knows whether it was made: nothing is written any more.
    is_broken: bool,
}

impl Failing {
    /// The storage refused a commit.
    pub(crate) fn refused(&self, at: Timestamp, why: String) {
        self.0.lock().last = Some((at, why));
    }

    /// Something was written.
    pub(crate) fn written(&self) {
        let mut state = self.0.lock();
        if state.last.is_some() {
            state.last = None;
        }
    }

    /// Nothing is written any more.
    pub(crate) fn give_up(&self) {
        self.0.lock().is_broken = true;
    }

    pub(crate) fn is_broken(&self) -> bool {
        self.0.lock().is_broken
    }

    /// An error while the storage refuses what is committed.
    pub(crate) fn check(&self, now: Timestamp) -> Result<(), DbError> {
        let mut state = self.0.lock();
        if state.is_broken {
            return Err(DbError::Storage(
                "a commit failed, and nothing more is written".to_owned(),
            ));
        }
        match &state.last {
            // A clock that was set back ends it too: the next failure begins again.
            Some((at, _)) if now < *at || now.since(*at) > QUIET => {
                state.last = None;
                Ok(())
            }
            Some((_, why)) => Err(DbError::Storage(why.clone())),
            None => Ok(()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_fails_until_something_is_written_or_nothing_was_tried_for_a_while() {
        let at = |seconds: i64| Timestamp::from_micros(seconds * 1_000_000);
        let failing = Failing::default();
        assert!(failing.check(at(1)).is_ok());
        failing.refused(at(1), "full".to_owned());
        assert!(failing.check(at(5)).is_err());
        failing.written();
        assert!(failing.check(at(5)).is_ok());
        failing.refused(at(6), "full".to_owned());
        assert!(failing.check(at(16)).is_err());
        assert!(failing.check(at(17)).is_ok());
        failing.give_up();
        failing.written();
        assert!(failing.check(at(99)).is_err());
    }
}
