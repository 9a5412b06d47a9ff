//! Answers everyone in a batch.

use std::{sync::Arc, time::Duration};

use domain::Timestamp;

use super::{Answer, Job, Queue, Verdict, Work};
use crate::{Committed, DbError};

/// Notes how large a batch was and how long it took.
pub(crate) fn measure(changes: usize, took: Duration, database: &Arc<str>) {
    metrics::histogram!("pointsman_db_batch_duration_seconds", "database" => Arc::clone(database))
        .record(took);
    metrics::histogram!("pointsman_db_batch_changes", "database" => Arc::clone(database))
        .record(u32::try_from(changes).unwrap_or(u32::MAX));
}

/// Shows every counter of a database from its opening on, so that the first failure is seen as an increase.
pub(crate) fn begin_counting(database: &Arc<str>) {
    for name in [
        "pointsman_db_batch_failures_total",
        "pointsman_db_conflicts_total",
        "pointsman_db_unknown_commits_total",
    ] {
        metrics::counter!(name, "database" => Arc::clone(database)).increment(0);
    }
    for kind in DbError::KINDS {
        metrics::counter!("pointsman_db_failures_total", "database" => Arc::clone(database), "kind" => kind)
            .increment(0);
    }
    metrics::counter!("pointsman_db_connection_losses_total").increment(0);
    metrics::gauge!("pointsman_db_queue_depth", "database" => Arc::clone(database)).increment(0.0);
}

/// Notes that a batch failed as a whole.
pub(crate) fn note_failure(database: &Arc<str>) {
    metrics::counter!("pointsman_db_batch_failures_total", "database" => Arc::clone(database))
        .increment(1);
}

/// Answers everyone in a batch of which nothing was written, since the storage failed.
pub(crate) fn refused(
    batch: Vec<Job>,
    error: &DbError,
    queue: &Queue,
    at: Timestamp,
    database: &Arc<str>,
) {
    if let DbError::Storage(why) = error {
        queue.failing.refused(at, why.clone());
        failing(database, true);
    }
    note_failure(database);
    tracing::error!(%error, changes = batch.len(), "a batch was not committed");
    for job in batch {
        job.answer(Err(error.clone()));
    }
}

/// Tells whether the storage refuses what is committed.
pub(crate) fn failing(database: &Arc<str>, is_failing: bool) {
    metrics::gauge!("pointsman_database_failing", "database" => Arc::clone(database))
        .set(f64::from(u8::from(is_failing)));
}

/// Answers those whose verdict is final. Returns the others, in their order.
pub(crate) fn answer(
    batch: Vec<Job>,
    verdicts: Vec<Verdict>,
    queue: &Queue,
    database: &Arc<str>,
) -> Vec<Job> {
    let mut again = Vec::new();
    for (job, verdict) in batch.into_iter().zip(verdicts) {
        match verdict {
            Verdict::Done(rows) => {
                let done = match job.work {
                    Work::Commit(_) | Work::Dated(..) => Answer::Committed(Committed::Done),
                    Work::Claim(_) => Answer::Claimed(rows),
                };
                job.answer(Ok(done));
            }
            Verdict::Conflict(statement) => {
                metrics::counter!("pointsman_db_conflicts_total", "database" => Arc::clone(database)).increment(1);
                job.answer(Ok(Answer::Committed(Committed::Conflict { statement })));
            }
            Verdict::Failed(error) => {
                // Logged by the caller, which knows the purpose.
                job.answer(Err::<Answer, DbError>(error));
            }
            Verdict::Unknown => match job.work {
                Work::Commit(_) | Work::Dated(..) => {
                    metrics::counter!("pointsman_db_unknown_commits_total", "database" => Arc::clone(database)).increment(1);
                    job.answer(Ok(Answer::Committed(Committed::Unknown)));
                }
                Work::Claim(_) => job.answer(Err(DbError::Unreachable(
                    "the answer to a claim was lost".to_owned(),
                ))),
            },
            Verdict::Again => again.push(job),
        }
    }
    metrics::gauge!("pointsman_db_queue_depth", "database" => Arc::clone(database))
        .set(u32::try_from(queue.depth()).unwrap_or(u32::MAX));
    again
}
