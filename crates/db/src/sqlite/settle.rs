//! Commits a batch and answers everyone in it.

use std::sync::Arc;

use domain::Timestamp;
use world::Stopwatch;

use super::{judge::judge, session::Session};
use crate::group::{Job, Queue, Verdict, Work, answer, failing, measure, refused};

/// Judges the jobs of a batch, answers those whose verdict is final and puts the others back.
pub(crate) fn settle(
    session: &mut Session,
    batch: Vec<Job>,
    queue: &Queue,
    now: Timestamp,
    database: &Arc<str>,
) {
    let watch = Stopwatch::start();
    let works: Vec<&Work> = batch.iter().map(|job| &job.work).collect();
    session.at(now);
    let judged = judge(session, &works);
    measure(batch.len(), watch.elapsed(), database);
    if session.is_broken() {
        queue.failing.give_up();
        failing(database, true);
    }
    match judged {
        Ok(verdicts) => {
            if wrote(&batch, &verdicts) && queue.failing.check(now).is_err() && !session.is_broken()
            {
                queue.failing.written();
                failing(database, false);
            }
            let again = answer(batch, verdicts, queue, database);
            if !again.is_empty() {
                queue.put_back(again);
            }
        }
        Err(error) => refused(batch, &error, queue, now, database),
    }
}

/// Whether something of the batch got onto the disk.
fn wrote(batch: &[Job], verdicts: &[Verdict]) -> bool {
    batch.iter().zip(verdicts).any(|(job, verdict)| {
        let Verdict::Done(rows) = verdict else {
            return false;
        };
        match &job.work {
            Work::Commit(statements) | Work::Dated(statements, _) => !statements.is_empty(),
            Work::Claim(_) => !rows.is_empty(),
        }
    })
}
