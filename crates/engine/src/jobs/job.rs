//! What a job is: a name, how often it looks, how much it takes at once, and one batch of its work.

use std::{fmt::Display, time::Duration};

use db::DbError;
use domain::{Code, Fault, Timestamp};
use futures_util::future::BoxFuture;
use vault::VaultError;

use crate::{Engine, Settings, faults::EngineError};

/// How long a sweep rests when nothing is left to be done.
const SWEEP_EVERY: Duration = Duration::from_secs(30);

/// How what is retried, and what is given up, is counted.
pub(super) const FAILED: &str = "failed";
pub(super) const GIVEN_UP: &str = "given_up";

/// One kind of background work. It is idempotent: a batch may be done again at any time, on any node.
pub(crate) trait Job: Send + Sync {
    /// Its name, in metrics and in the log.
    fn name(&self) -> &'static str;

    /// How often it looks, and what it waits for.
    fn pace(&self) -> Pace;

    /// How much it takes at once.
    fn bound(&self) -> Bound;

    /// Does one batch.
    fn batch<'a>(&'a self, engine: &'a Engine, round: &'a mut Round) -> BoxFuture<'a, Done>;
}

/// How a batch ended.
pub(crate) type Done = Result<Batch, Failure>;

/// How often a job looks for work, and what it waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Pace {
    /// At every poll. It waits for no other job.
    Prompt,
    /// After this time. It waits for no other job.
    Every(Duration),
    /// Every half minute. Few sweeps run at the same time, so that they leave the database to payments.
    Sweep,
}

impl Pace {
    /// How long the job rests when nothing is left.
    pub(super) fn rest(self, settings: &Settings) -> Duration {
        match self {
            Self::Prompt => settings.poll_interval,
            Self::Every(rest) => rest,
            Self::Sweep => SWEEP_EVERY,
        }
    }
}

/// How much a job takes at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Bound {
    /// Rows of a batch: more would hold up the payments that are committed at the same time.
    pub(crate) rows: i64,
    /// How long no other batch takes the rows of this one; zero where rows are not taken.
    pub(crate) lease: Duration,
}

/// The time of a batch that has no lease.
const UNLEASED_TIME: Duration = Duration::from_mins(10);

impl Bound {
    /// Rows that are taken under a lease.
    pub(crate) const fn leased(rows: i64, lease: Duration) -> Self {
        Self { rows, lease }
    }

    /// Rows that are worked on without being taken: another node may do the same work, and one of them succeeds.
    pub(crate) const fn rows(rows: i64) -> Self {
        Self::leased(rows, Duration::ZERO)
    }

    /// How long a batch may take: as long as its rows are left to it. One that hangs is dropped then and done again.
    pub(crate) fn time(self) -> Duration {
        if self.lease.is_zero() {
            UNLEASED_TIME
        } else {
            self.lease
        }
    }
}

/// What a batch is given, and where the next one goes on.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Round {
    /// The name of the job.
    pub(crate) job: &'static str,
    /// When the batch began.
    pub(crate) now: Timestamp,
    /// Rows of a batch.
    pub(crate) rows: i64,
    /// Until when no other batch takes the rows of this one.
    pub(crate) lease_until: Timestamp,
    /// Behind which time the next batch of the turn goes on.
    pub(crate) after: Option<Timestamp>,
}

impl Round {
    /// What became of one row, in the middle of a batch. `None` is one that was given up: it is noted, and the batch goes on
    /// with the others.
    ///
    /// # Errors
    /// What may succeed soon ends the batch, since the other rows would fail as this one did.
    pub(crate) fn unless_given_up<T>(
        &self,
        item: &dyn Display,
        result: Result<T, impl Into<EngineError>>,
    ) -> Result<Option<T>, Failure> {
        match result.map_err(|error| Failure::from(error.into())) {
            Ok(done) => Ok(Some(done)),
            Err(Failure::GiveUp(stop)) => {
                self.item_failed(item, stop);
                Ok(None)
            }
            Err(retry @ Failure::Retry(_)) => Err(retry),
        }
    }

    /// Notes that work on one row failed, while the batch goes on with the others. The row stays due: it is found again when
    /// its lease ends, or by the next batch.
    pub(crate) fn item_failed(&self, item: &dyn Display, stop: EngineError) {
        let failure = Failure::from(stop);
        let job = self.job;
        let (code, why) = failure.stop().words();
        metrics::counter!(
            "pointsman_job_item_failures_total", "job" => job, "outcome" => failure.outcome()
        )
        .increment(1);
        match failure {
            Failure::Retry(_) => {
                tracing::warn!(job, item = %item, code, why, "a job will try this again");
            }
            Failure::GiveUp(_) => {
                tracing::error!(job, item = %item, code, why, "a job gives this up for now: a person must look at it");
            }
        }
    }
}

/// What one batch came to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Batch {
    /// Whether there may be more.
    full: bool,
    /// How many rows are done.
    done: usize,
}

impl Batch {
    /// So many rows were taken where there may have been `most`, and so many of them are done.
    pub(crate) fn of(taken: usize, done: usize, most: i64) -> Self {
        Self {
            full: i64::try_from(taken).is_ok_and(|taken| taken >= most),
            done,
        }
    }

    /// All that was taken is done.
    pub(crate) fn whole(taken: usize, most: i64) -> Self {
        Self::of(taken, taken, most)
    }

    /// More may have become due while this was done, so that the job looks again at once.
    pub(crate) const fn look_again(taken: usize) -> Self {
        Self {
            full: true,
            done: taken,
        }
    }

    /// Whether there may be more that can be done now.
    pub(crate) fn goes_on(self) -> bool {
        self.full && self.done > 0
    }

    /// How many rows are done.
    pub(super) const fn done(self) -> usize {
        self.done
    }
}

/// Why a batch was not done.
#[derive(Debug)]
pub(crate) enum Failure {
    /// It may succeed soon: the database was away, or another node was faster. It is done again after a growing pause.
    Retry(EngineError),
    /// It will not succeed by itself: a person must look. It is done again at its next time, since that does no harm.
    GiveUp(EngineError),
}

impl Failure {
    /// A batch took longer than it may.
    pub(super) fn overrun() -> Self {
        let why = "a batch took longer than it may, and was dropped";
        Self::Retry(EngineError::Fault(Fault::new(Code::Unavailable, why)))
    }

    /// How it is counted.
    pub(super) const fn outcome(&self) -> &'static str {
        match self {
            Self::Retry(_) => FAILED,
            Self::GiveUp(_) => GIVEN_UP,
        }
    }

    pub(super) const fn stop(&self) -> &EngineError {
        match self {
            Self::Retry(stop) | Self::GiveUp(stop) => stop,
        }
    }
}

impl From<EngineError> for Failure {
    fn from(stop: EngineError) -> Self {
        match &stop {
            EngineError::Fault(fault) if fault.code != Code::Unavailable => Self::GiveUp(stop),
            EngineError::Fault(_) | EngineError::Taken | EngineError::Outdated => Self::Retry(stop),
        }
    }
}

impl From<DbError> for Failure {
    fn from(error: DbError) -> Self {
        Self::from(EngineError::from(error))
    }
}

impl From<VaultError> for Failure {
    fn from(error: VaultError) -> Self {
        Self::from(EngineError::from(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_goes_on_where_it_was_full_and_something_was_done() {
        assert!(Batch::whole(5, 5).goes_on());
        assert!(!Batch::whole(4, 5).goes_on());
        assert!(!Batch::of(5, 0, 5).goes_on());
        assert!(Batch::look_again(1).goes_on());
        assert!(!Batch::look_again(0).goes_on());
    }

    #[test]
    fn what_may_pass_is_tried_again_and_what_is_broken_is_given_up() {
        let retried = |stop| matches!(Failure::from(stop), Failure::Retry(_));
        assert!(retried(EngineError::Fault(Fault::unavailable())));
        assert!(retried(EngineError::Fault(Fault::unconfirmed_unnamed())));
        assert!(retried(EngineError::Taken) && retried(EngineError::Outdated));
        assert!(!retried(EngineError::Fault(Fault::unknown())));
    }
}
