//! The task that commits on one connection, and runs claims on that of sweeps.

use std::{
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use domain::Timestamp;
use world::Stopwatch;

use super::{
    batch::{Judged, judge, judge_claim},
    link::Role,
    wire::{Endpoint, Wire as _},
};
use crate::{
    DbError, Statement,
    group::{Arrival, Company, Job, Queue, Work, answer, measure, refused},
};

/// How often a job may be in hand when the connection goes. More often, and it may well be the job that does it.
const LOSSES: u8 = 5;

/// What a writer's task owns.
pub(crate) struct Writer<E: Endpoint> {
    pub(crate) target: Arc<E>,
    /// What its connection is for.
    pub(crate) role: Role,
    pub(crate) queue: Arc<Queue>,
    pub(crate) link: Option<E::Wire>,
    pub(crate) database: Arc<str>,
    /// Whether it could not connect when it last tried.
    pub(crate) away: Arc<AtomicBool>,
}

impl<E: Endpoint> Writer<E> {
    /// Commits until the queue is closed and empty. While one batch is under way the next one gathers; a job that comes
    /// alone goes at once.
    pub(crate) async fn work(mut self) {
        let mut outage = None;
        while self.queue.arrival().await == Arrival::Job {
            match self.link().await {
                Ok(link) => {
                    outage = None;
                    self.away.store(false, Ordering::Relaxed);
                    // What waits may have run out of time meanwhile.
                    if let Some(batch) = self.queue.take_waiting(self.target.world()) {
                        self.settle(&link, batch).await;
                    }
                    self.link = (!link.is_closed()).then_some(link);
                }
                Err(why) => self.wait_out(&mut outage, why).await,
            }
        }
    }

    async fn link(&mut self) -> Result<E::Wire, String> {
        match self.link.take().filter(|link| !link.is_closed()) {
            Some(link) => Ok(link),
            None => self.target.connect(self.role).await,
        }
    }

    /// Lets the server come back. What waits for too long is answered so.
    async fn wait_out(&self, outage: &mut Option<Outage>, why: String) {
        self.away.store(true, Ordering::Relaxed);
        let world = self.target.world();
        let now = world.now();
        let outage = outage.get_or_insert(Outage {
            since: now,
            pause: Duration::from_millis(25),
        });
        tracing::warn!(why, "the database can't be reached");
        self.queue.expire(world);
        if outage.since.after(self.target.options().patience) <= now {
            for job in self.queue.drain() {
                job.answer(Err(DbError::Unreachable(why.clone())));
            }
        }
        world.sleep(outage.next_pause(world.random())).await;
    }

    async fn settle(&self, link: &E::Wire, mut batch: Vec<Job>) {
        // Batches of several writers and nodes touch what they share in one order.
        batch.sort_by_key(|job| job.aggregate);
        let watch = Stopwatch::start();
        let judged = if let [Work::Claim(claim)] = works(&batch).as_slice() {
            judge_claim(link, claim).await
        } else {
            let changes: Vec<&[Statement]> = works(&batch).into_iter().map(statements).collect();
            judge(link, &changes).await
        };
        measure(batch.len(), watch.elapsed(), &self.database);
        match judged {
            Judged::Verdicts(verdicts) => {
                let mut again = answer(batch, verdicts, &self.queue, &self.database);
                for job in &mut again {
                    job.company = Company::None;
                }
                self.queue.put_back(again);
            }
            Judged::Lost(why) => {
                link.cut();
                self.lost(batch, &why);
            }
            Judged::Failed(error) => {
                let now = self.target.world().now();
                refused(batch, &error, &self.queue, now, &self.database);
            }
        }
    }

    /// Nothing was written, so the next connection does it.
    fn lost(&self, batch: Vec<Job>, why: &str) {
        tracing::warn!(
            why,
            changes = batch.len(),
            "a batch lost its connection and is done again"
        );
        let mut again = Vec::with_capacity(batch.len());
        for mut job in batch {
            job.losses += 1;
            if job.losses >= LOSSES {
                job.answer(Err(DbError::Unreachable(why.to_owned())));
            } else {
                again.push(job);
            }
        }
        self.queue.put_back(again);
    }
}

impl<E: Endpoint> Drop for Writer<E> {
    /// Nobody is left waiting for a writer that is gone.
    fn drop(&mut self) {
        self.queue.close();
        for job in self.queue.drain() {
            job.answer(Err(DbError::Closed));
        }
    }
}

fn works(batch: &[Job]) -> Vec<&Work> {
    batch.iter().map(|job| &job.work).collect()
}

fn statements(work: &Work) -> &[Statement] {
    match work {
        Work::Commit(statements) | Work::Dated(statements, _) => statements,
        // A claim is alone: see [`Queue::with_claims_alone`].
        Work::Claim(statement) => std::slice::from_ref(statement),
    }
}

/// A time without the server.
pub(crate) struct Outage {
    pub(crate) since: Timestamp,
    pub(crate) pause: Duration,
}

impl Outage {
    /// How long to wait before the next try: twice as long each time, up to a second, and not for all alike.
    pub(crate) fn next_pause(&mut self, random: u64) -> Duration {
        let pause = self.pause;
        self.pause = (pause * 2).min(Duration::from_secs(1));
        pause + Duration::from_millis(random % 25)
    }
}
