//! Commits a batch and answers everyone in it.

use std::sync::Arc;

use world::Stopwatch;

use super::{
    judge::{Verdict, judge},
    queue::{Answer, Job, Queue, Work},
    session::Session,
};
use crate::{Committed, DbError};

/// Judges the jobs of a batch, answers those whose verdict is final and puts the others back.
pub(crate) fn settle(session: &mut Session, batch: Vec<Job>, queue: &Queue, database: &Arc<str>) {
    let watch = Stopwatch::start();
    let works: Vec<&Work> = batch.iter().map(|job| &job.work).collect();
    let judged = judge(session, &works);
    metrics::histogram!("pointsman_db_batch_duration_seconds", "database" => Arc::clone(database))
        .record(watch.elapsed());
    metrics::histogram!("pointsman_db_batch_changes", "database" => Arc::clone(database))
        .record(u32::try_from(batch.len()).unwrap_or(u32::MAX));
    match judged {
        Ok(verdicts) => answer(batch, verdicts, queue, database),
        Err(error) => {
            tracing::error!(%error, changes = batch.len(), "a batch was not committed");
            for job in batch {
                job.answer(Err(error.clone()));
            }
        }
    }
    metrics::gauge!("pointsman_db_queue_depth", "database" => Arc::clone(database))
        .set(u32::try_from(queue.depth()).unwrap_or(u32::MAX));
}

fn answer(batch: Vec<Job>, verdicts: Vec<Verdict>, queue: &Queue, database: &Arc<str>) {
    let mut again = Vec::new();
    for (job, verdict) in batch.into_iter().zip(verdicts) {
        match verdict {
            Verdict::Done(rows) => {
                let done = match job.work {
                    Work::Commit(_) => Answer::Committed(Committed::Done),
                    Work::Claim(_) => Answer::Claimed(rows),
                };
                job.answer(Ok(done));
            }
            Verdict::Conflict(statement) => {
                metrics::counter!("pointsman_db_conflicts_total", "database" => Arc::clone(database)).increment(1);
                job.answer(Ok(Answer::Committed(Committed::Conflict { statement })));
            }
            Verdict::Failed(error) => {
                // Logged by whoever asked: it knows for what.
                job.answer(Err::<Answer, DbError>(error));
            }
            Verdict::Again => again.push(job),
        }
    }
    if !again.is_empty() {
        queue.put_back(again);
    }
}
