//! Connections that are shared by many, for reads and claims.

use std::{
    sync::{
        Arc,
        atomic::{AtomicUsize, Ordering},
    },
    time::Duration,
};

use parking_lot::Mutex;

use super::{
    failure::Failure,
    link::Role,
    wire::{Endpoint, Wire},
    writer::Outage,
};
use crate::{DbError, Row, Statement};

/// A few connections. Questions are sent without waiting for the answers to others, to the connection with the fewest
/// under way; one that was lost is opened again by the next that needs it.
pub(crate) struct Pool<E: Endpoint> {
    target: Arc<E>,
    role: Role,
    slots: Vec<Slot<E::Wire>>,
}

struct Slot<W> {
    link: Mutex<Option<Arc<W>>>,
    /// Held while a connection is opened, so that one opens it for all.
    opening: tokio::sync::Mutex<()>,
    under_way: AtomicUsize,
}

impl<W> Slot<W> {
    fn new() -> Self {
        Self {
            link: Mutex::new(None),
            opening: tokio::sync::Mutex::new(()),
            under_way: AtomicUsize::new(0),
        }
    }
}

/// How long one tries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Tries {
    /// Until the patience is over.
    Patient,
    Once,
}

impl<E: Endpoint> Pool<E> {
    pub(crate) fn new(target: Arc<E>, role: Role, connections: usize) -> Self {
        let slots = (0..connections.max(1)).map(|_| Slot::new()).collect();
        Self {
            target,
            role,
            slots,
        }
    }

    /// Opens every connection.
    pub(crate) async fn open(&self) -> Result<(), String> {
        for slot in &self.slots {
            self.link(slot).await?;
        }
        Ok(())
    }

    pub(crate) fn close(&self) {
        for slot in &self.slots {
            slot.link.lock().take();
        }
    }

    /// Runs a statement that returns rows. A read whose connection is lost is done again on another; a claim only when it
    /// was not sent.
    pub(crate) async fn rows(
        &self,
        statement: &Statement,
        tries: Tries,
    ) -> Result<Vec<Row>, DbError> {
        let world = self.target.world();
        let mut outage = Outage {
            since: world.now(),
            pause: Duration::from_millis(10),
        };
        loop {
            let error = match self.attempt(statement).await {
                Ok(rows) => return Ok(rows),
                Err(Attempt::Final(error)) => return Err(error),
                Err(Attempt::Again(error)) => error,
            };
            if tries == Tries::Once
                || outage.since.after(self.target.options().patience) <= world.now()
            {
                return Err(error);
            }
            world.sleep(outage.next_pause(world.random())).await;
        }
    }

    async fn attempt(&self, statement: &Statement) -> Result<Vec<Row>, Attempt> {
        let Some(slot) = self
            .slots
            .iter()
            .min_by_key(|slot| slot.under_way.load(Ordering::Relaxed))
        else {
            return Err(Attempt::Final(DbError::Closed));
        };
        let _turn = WaitGuard::take(&slot.under_way);
        let link = self
            .link(slot)
            .await
            .map_err(|why| Attempt::Again(DbError::Unreachable(why)))?;
        link.rows(statement)
            .await
            .map_err(|failure| match (failure, self.role) {
                (failure @ Failure::Met(_), _) => Attempt::Again(failure.into()),
                (failure @ Failure::Lost(_), role) if role.only_reads() => {
                    link.cut();
                    Attempt::Again(failure.into())
                }
                (failure, _) => Attempt::Final(failure.into()),
            })
    }

    async fn link(&self, slot: &Slot<E::Wire>) -> Result<Arc<E::Wire>, String> {
        let open = || {
            slot.link
                .lock()
                .as_ref()
                .filter(|link| !link.is_closed())
                .map(Arc::clone)
        };
        if let Some(link) = open() {
            return Ok(link);
        }
        let _opening = slot.opening.lock().await;
        if let Some(link) = open() {
            return Ok(link);
        }
        let link = Arc::new(self.target.connect(self.role).await?);
        *slot.link.lock() = Some(Arc::clone(&link));
        Ok(link)
    }
}

enum Attempt {
    Final(DbError),
    Again(DbError),
}

/// A question under way.
struct WaitGuard<'a>(&'a AtomicUsize);

impl<'a> WaitGuard<'a> {
    fn take(under_way: &'a AtomicUsize) -> Self {
        under_way.fetch_add(1, Ordering::Relaxed);
        Self(under_way)
    }
}

impl Drop for WaitGuard<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
