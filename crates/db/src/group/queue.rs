//! The bounded queue in front of the writer.

use std::{
    collections::{HashSet, VecDeque},
    sync::Arc,
};

use domain::Timestamp;
use parking_lot::{Condvar, Mutex};
use tokio::sync::{Notify, oneshot};
use world::World;

use super::Failing;
use crate::{Committed, DbError, Row, Statement, dates::Open};

/// What the writer is asked to do.
#[derive(Debug)]
pub(crate) enum Work {
    /// Statements, all or nothing.
    Commit(Arc<Vec<Statement>>),
    /// The same, of something whose date is open until this is answered.
    #[expect(dead_code, reason = "a date is open while somebody holds this")]
    Dated(Arc<Vec<Statement>>, Open),
    /// One statement that writes and returns rows.
    Claim(Statement),
}

/// What the writer answers.
#[derive(Debug)]
pub(crate) enum Answer {
    Committed(Committed),
    Claimed(Vec<Row>),
}

/// A work that waits, with whom to answer.
pub(crate) struct Job {
    pub(crate) work: Work,
    /// Jobs of one aggregate are never in one batch. A claim has none.
    pub(crate) aggregate: Option<u64>,
    pub(crate) give_up_at: Option<Timestamp>,
    /// Whether it may share a batch.
    pub(crate) company: Company,
    /// How often the database was lost while it was in hand.
    pub(crate) losses: u8,
    answer: oneshot::Sender<Result<Answer, DbError>>,
    ticket: u64,
}

/// Whether a job may share a batch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Company {
    Any,
    /// It was refused behind others: alone, its next refusal is final. Or it is a claim of a queue that gives claims alone.
    None,
}

impl Job {
    /// Answers. The caller may have gone.
    pub(crate) fn answer(self, answer: Result<Answer, DbError>) {
        let Self {
            work, answer: to, ..
        } = self;
        // Its date is closed before anybody learns of it.
        drop(work);
        let _ = to.send(answer);
    }
}

/// What a waiting task learns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Arrival {
    Job,
    End,
}

/// A place in the queue.
pub(crate) struct QueueTicket {
    pub(crate) answered: oneshot::Receiver<Result<Answer, DbError>>,
    ticket: u64,
}

/// Jobs in the order in which they came.
pub(crate) struct Queue {
    state: Mutex<QueueState>,
    arrived: Condvar,
    /// The same for a task.
    woken: Notify,
    capacity: usize,
    most: usize,
    /// What a claim may share a batch with.
    claims: Company,
    /// Whether the disk takes what is committed.
    pub(crate) failing: Failing,
}

struct QueueState {
    waiting: VecDeque<Job>,
    gate: Gate,
    next_ticket: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Gate {
    Open,
    Closed,
}

impl Queue {
    /// A queue of at most `capacity` jobs that gives at most `most` at once.
    pub(crate) fn new(capacity: usize, most: usize) -> Self {
        let state = QueueState {
            waiting: VecDeque::new(),
            gate: Gate::Open,
            next_ticket: 0,
        };
        Self {
            state: Mutex::new(state),
            arrived: Condvar::new(),
            woken: Notify::new(),
            capacity,
            most: most.max(1),
            claims: Company::Any,
            failing: Failing::default(),
        }
    }

    /// The same that gives each claim alone, in its turn.
    pub(crate) fn with_claims_alone(mut self) -> Self {
        self.claims = Company::None;
        self
    }

    /// Puts a job at the end.
    pub(crate) fn push(
        &self,
        work: Work,
        aggregate: Option<u64>,
        give_up_at: Option<Timestamp>,
    ) -> Result<QueueTicket, DbError> {
        let (answer, answered) = oneshot::channel();
        let mut state = self.state.lock();
        if state.gate == Gate::Closed {
            return Err(DbError::Closed);
        }
        if state.waiting.len() >= self.capacity {
            return Err(DbError::Busy);
        }
        let company = match work {
            Work::Claim(_) => self.claims,
            Work::Commit(_) | Work::Dated(..) => Company::Any,
        };
        let ticket = state.next_ticket;
        state.next_ticket += 1;
        state.waiting.push_back(Job {
            work,
            aggregate,
            give_up_at,
            company,
            losses: 0,
            answer,
            ticket,
        });
        drop(state);
        self.arrived.notify_one();
        self.woken.notify_one();
        Ok(QueueTicket { answered, ticket })
    }

    /// Waits for jobs and takes those that may share a commit. `None` when the queue is closed and empty.
    pub(crate) fn take(&self, world: &World) -> Option<Vec<Job>> {
        let mut state = self.state.lock();
        loop {
            while state.waiting.is_empty() {
                if state.gate == Gate::Closed {
                    return None;
                }
                self.arrived.wait(&mut state);
            }
            let batch = self.pick(&mut state, world.now());
            if !batch.is_empty() {
                return Some(batch);
            }
        }
    }

    /// Waits, in the one task that works this queue, until a job waits. No job comes any more when the queue is closed
    /// and empty.
    pub(crate) async fn arrival(&self) -> Arrival {
        loop {
            // Made before the look, so that a job that comes after it is noticed.
            let woken = self.woken.notified();
            {
                let state = self.state.lock();
                match (state.waiting.is_empty(), state.gate) {
                    (false, _) => return Arrival::Job,
                    (true, Gate::Closed) => return Arrival::End,
                    (true, Gate::Open) => {}
                }
            }
            woken.await;
        }
    }

    /// Answers the jobs that nobody waits for any more.
    pub(crate) fn expire(&self, world: &World) {
        let now = world.now();
        let mut state = self.state.lock();
        let (late, waiting): (VecDeque<Job>, VecDeque<Job>) = state
            .waiting
            .drain(..)
            .partition(|job| job.give_up_at.is_some_and(|at| at <= now));
        state.waiting = waiting;
        drop(state);
        for job in late {
            job.answer(Err(DbError::Expired));
        }
    }

    /// Takes every job that waits.
    pub(crate) fn drain(&self) -> Vec<Job> {
        self.state.lock().waiting.drain(..).collect()
    }

    /// Takes those that may share a commit. `None` when nothing waits.
    pub(crate) fn take_waiting(&self, world: &World) -> Option<Vec<Job>> {
        let batch = self.pick(&mut self.state.lock(), world.now());
        (!batch.is_empty()).then_some(batch)
    }

    /// The oldest jobs, at most one of each aggregate. Those that nobody waits for any more are answered and left out.
    fn pick(&self, state: &mut QueueState, now: Timestamp) -> Vec<Job> {
        let mut batch = Vec::with_capacity(self.most.min(state.waiting.len()));
        let mut passed_over = Vec::new();
        let mut aggregates = HashSet::new();
        while batch.len() < self.most
            && let Some(job) = state.waiting.pop_front()
        {
            if job.give_up_at.is_some_and(|at| at <= now) {
                job.answer(Err(DbError::Expired));
            } else if job.company == Company::None {
                if batch.is_empty() {
                    batch.push(job);
                } else {
                    state.waiting.push_front(job);
                }
                break;
            } else if job
                .aggregate
                .is_none_or(|aggregate| aggregates.insert(aggregate))
            {
                batch.push(job);
            } else {
                passed_over.push(job);
            }
        }
        for job in passed_over.into_iter().rev() {
            state.waiting.push_front(job);
        }
        batch
    }

    /// Puts jobs that must be judged again at the head, before whatever waits.
    pub(crate) fn put_back(&self, jobs: Vec<Job>) {
        let mut state = self.state.lock();
        for job in jobs.into_iter().rev() {
            state.waiting.push_front(job);
        }
    }

    /// Takes a job out, if it still waits.
    pub(crate) fn withdraw(&self, place: &QueueTicket) {
        self.state
            .lock()
            .waiting
            .retain(|job| job.ticket != place.ticket);
    }

    /// How many jobs wait.
    pub(crate) fn depth(&self) -> usize {
        self.state.lock().waiting.len()
    }

    /// Lets no job in any more. What waits is still done.
    pub(crate) fn close(&self) {
        self.state.lock().gate = Gate::Closed;
        self.arrived.notify_all();
        self.woken.notify_one();
    }

    /// An error when the queue is closed.
    pub(crate) fn check_open(&self) -> Result<(), DbError> {
        match self.state.lock().gate {
            Gate::Open => Ok(()),
            Gate::Closed => Err(DbError::Closed),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn push(queue: &Queue, aggregate: u64) -> QueueTicket {
        queue
            .push(Work::Commit(Arc::default()), Some(aggregate), None)
            .unwrap()
    }

    fn tickets(batch: Option<Vec<Job>>) -> Vec<u64> {
        batch
            .unwrap_or_default()
            .iter()
            .map(|job| job.ticket)
            .collect()
    }

    #[test]
    fn a_single_job_does_not_wait_for_company() {
        let (world, _sim) = World::simulated(1);
        let queue = Queue::new(10, 10);
        let _place = push(&queue, 1);
        assert_eq!(tickets(queue.take(&world)), [0]);
    }

    #[test]
    fn two_jobs_of_one_aggregate_are_never_in_one_batch_and_keep_their_order() {
        let (world, _sim) = World::simulated(1);
        let queue = Queue::new(10, 10);
        let _places: Vec<QueueTicket> = [7, 8, 7, 7, 9, 8]
            .map(|aggregate| push(&queue, aggregate))
            .into();
        assert_eq!(tickets(queue.take(&world)), [0, 1, 4]);
        assert_eq!(tickets(queue.take(&world)), [2, 5]);
        assert_eq!(tickets(queue.take(&world)), [3]);
        assert!(queue.take_waiting(&world).is_none());
    }

    #[test]
    fn sixty_four_waiting_jobs_share_one_batch_and_no_more_than_the_most() {
        let (world, _sim) = World::simulated(1);
        let queue = Queue::new(1000, 64);
        let _places: Vec<QueueTicket> = (0..70).map(|aggregate| push(&queue, aggregate)).collect();
        assert_eq!(queue.take(&world).unwrap().len(), 64);
        assert_eq!(queue.take(&world).unwrap().len(), 6);
    }

    #[test]
    fn jobs_put_back_come_first_in_their_order() {
        let (world, _sim) = World::simulated(1);
        let queue = Queue::new(3, 2);
        let _places: Vec<QueueTicket> = (0..3).map(|aggregate| push(&queue, aggregate)).collect();
        let batch = queue.take(&world).unwrap();
        queue.put_back(batch);
        assert_eq!(tickets(queue.take(&world)), [0, 1]);
        assert_eq!(tickets(queue.take(&world)), [2]);
    }

    #[test]
    fn a_full_queue_refuses_and_a_closed_one_still_gives_what_waits() {
        let (world, _sim) = World::simulated(1);
        let queue = Queue::new(1, 10);
        let _place = push(&queue, 1);
        assert_eq!(
            queue.push(Work::Commit(Arc::default()), None, None).err(),
            Some(DbError::Busy)
        );
        queue.close();
        assert_eq!(
            queue.push(Work::Commit(Arc::default()), None, None).err(),
            Some(DbError::Closed)
        );
        assert_eq!(tickets(queue.take(&world)), [0]);
        assert!(queue.take(&world).is_none());
    }

    #[test]
    fn a_job_past_its_time_is_answered_and_not_given_to_the_writer() {
        let (world, _sim) = World::simulated(1);
        let queue = Queue::new(10, 10);
        let late = queue
            .push(Work::Commit(Arc::default()), Some(1), Some(world.now()))
            .unwrap();
        let later = world.now().after(std::time::Duration::from_secs(1));
        let in_time = queue
            .push(Work::Commit(Arc::default()), Some(1), Some(later))
            .unwrap();
        let mut late = late.answered;
        assert_eq!(tickets(queue.take(&world)), [in_time.ticket]);
        assert!(matches!(late.try_recv(), Ok(Err(DbError::Expired))));
    }

    #[test]
    fn a_job_that_must_be_alone_is() {
        let (world, _sim) = World::simulated(1);
        let queue = Queue::new(10, 10);
        let _places: Vec<QueueTicket> = (0..4).map(|aggregate| push(&queue, aggregate)).collect();
        let mut batch = queue.take(&world).unwrap();
        batch[0].company = Company::None;
        batch[2].company = Company::None;
        queue.put_back(batch);
        assert_eq!(tickets(queue.take(&world)), [0]);
        assert_eq!(tickets(queue.take(&world)), [1]);
        assert_eq!(tickets(queue.take(&world)), [2]);
        assert_eq!(tickets(queue.take(&world)), [3]);
    }

    #[test]
    fn claims_are_alone_where_the_queue_says_so_and_come_in_their_turn() {
        let (world, _sim) = World::simulated(1);
        let claim = || Work::Claim(Statement::any("select 1", Vec::new()));
        let queue = Queue::new(10, 10).with_claims_alone();
        let _first = push(&queue, 1);
        let _claims = [(); 2].map(|()| queue.push(claim(), None, None).unwrap());
        let _last = push(&queue, 2);
        let alone: Vec<Vec<u64>> = (0..4).map(|_| tickets(queue.take(&world))).collect();
        assert_eq!(alone, [[0], [1], [2], [3]]);
        let shared = Queue::new(10, 10);
        let _first = push(&shared, 1);
        let _claim = shared.push(claim(), None, None).unwrap();
        assert_eq!(tickets(shared.take(&world)), [0, 1]);
    }

    #[test]
    fn a_withdrawn_job_is_gone() {
        let (world, _sim) = World::simulated(1);
        let queue = Queue::new(10, 10);
        let (first, _second) = (push(&queue, 1), push(&queue, 2));
        queue.withdraw(&first);
        assert_eq!(queue.depth(), 1);
        assert_eq!(tickets(queue.take(&world)), [1]);
    }
}
