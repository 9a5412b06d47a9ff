//! The time by which a request must have its answer.

use std::{sync::Arc, time::Duration};

use domain::{Fault, Timestamp};

use crate::{Engine, progress::Named};

/// How long before the deadline the last call to a processor must have been sent.
const MARGIN: Duration = Duration::from_secs(1);

/// What is begun with less time left could not be answered any more.
const LEAST: Duration = Duration::from_millis(200);

/// How long past its deadline a request waits for a commit that is being written.
pub(crate) const GRACE: Duration = Duration::from_millis(350);

/// How long it may take then to look how its payment stands, and to tell its key.
pub(crate) const LOOK: Duration = Duration::from_millis(420);

/// How long past its deadline what an answer shows besides is read. After both.
const READ_UNTIL: Duration = Duration::from_millis(800);

/// When a root field that knows no deadline of its own is answered for. After all of them.
const LAST: Duration = Duration::from_millis(850);

/// The times of an operation: by when it is carried out, and by when the request that waits for it must have its answer.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Deadline {
    operation: Timestamp,
    answer: Timestamp,
}

impl Deadline {
    /// When nobody waits for the answer any more.
    pub(crate) fn at(self) -> Timestamp {
        self.answer
    }

    /// How long at `now` somebody still waits for the answer.
    pub(crate) fn left(self, now: Timestamp) -> Duration {
        self.answer.since(now)
    }

    /// How long at `now` something may still be read for the answer.
    pub(crate) fn left_to_read(self, now: Timestamp) -> Duration {
        self.answer.after(READ_UNTIL).since(now)
    }

    /// How long from `now` a call that takes `call` at most may wait before it is sent. The operation's own time counts: a
    /// field that comes late in its document is sent all the same, and answered as unknown when its answer comes too late.
    pub(crate) fn send_within(self, now: Timestamp, call: Duration) -> Duration {
        self.operation
            .since(now)
            .saturating_sub(call)
            .saturating_sub(MARGIN)
    }
}

impl Engine {
    /// The deadline of what begins now for nobody who waits.
    pub(crate) fn deadline(&self) -> Deadline {
        let at = self
            .inner
            .world
            .now()
            .after(self.inner.settings.request_deadline);
        Deadline {
            operation: at,
            answer: at,
        }
    }

    /// The deadline of an operation that begins now for the request.
    pub(crate) fn request_deadline(&self) -> Deadline {
        let own = self.deadline();
        Deadline {
            answer: self.answer_by.map_or(own.answer, |at| at.min(own.answer)),
            ..own
        }
    }

    /// The engine as a request uses it whose answer must be there by this time. Every root field of a document has the
    /// same.
    #[must_use]
    pub fn answering_by(&self, at: Timestamp) -> Self {
        Self {
            inner: Arc::clone(&self.inner),
            answer_by: Some(at),
            named: Named::default(),
            origin: Arc::clone(&self.origin),
            lane: self.lane,
        }
    }

    /// Whether it is too late to begin anything for the request.
    pub fn is_too_late(&self) -> bool {
        let left = |at: Timestamp| at.since(self.inner.world.now());
        self.answer_by.is_some_and(|at| left(at) < LEAST)
    }

    /// The result of a root field's work. Operations on payments end in time by themselves, unless the process was stopped;
    /// of one that does not its answer is that nobody knows, with the id of what it is about where that is known.
    ///
    /// # Errors
    /// `error.unavailable` when the time is over.
    pub async fn in_request_time<T>(&self, work: impl Future<Output = T>) -> Result<T, Fault> {
        let (world, mut work) = (&self.inner.world, std::pin::pin!(work));
        self.named.clear();
        let left = self.request_deadline().left(world.now());
        let done = world.timeout(left + LAST, &mut work).await;
        done.map_err(|_| match self.named.id() {
            Some(id) => Fault::unconfirmed(id),
            None => Fault::unconfirmed_unnamed(),
        })
    }
}
