//! Commits a batch and answers everyone in it.

use std::sync::Arc;

use world::Stopwatch;

use super::{judge::judge, session::Session};
use crate::group::{Job, Queue, Work, answer, measure, note_failure};

/// Judges the jobs of a batch, answers those whose verdict is final and puts the others back.
pub(crate) fn settle(session: &mut Session, batch: Vec<Job>, queue: &Queue, database: &Arc<str>) {
    let watch = Stopwatch::start();
    let works: Vec<&Work> = batch.iter().map(|job| &job.work).collect();
    let judged = judge(session, &works);
    measure(batch.len(), watch.elapsed(), database);
    match judged {
        Ok(verdicts) => {
            let again = answer(batch, verdicts, queue, database);
            if !again.is_empty() {
                queue.put_back(again);
            }
        }
        Err(error) => {
            note_failure(database);
            tracing::error!(%error, changes = batch.len(), "a batch was not committed");
            for job in batch {
                job.answer(Err(error.clone()));
            }
        }
    }
}
