//! Places for connections: those that are served, those whose first request is still to be read, and those that wait.

use std::{sync::Arc, time::Duration};

use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use world::World;

/// Of connections beyond the served ones the first request is read, to find out whether it asks for the node's health: of one
/// for each so many that are served, but of no fewer than [`READ_LEAST`]. Together with the time that each has it says how fast
/// connections that ask nothing make room for one that does.
const SERVED_TO_READ: u32 = 8;
const READ_LEAST: u32 = 64;
/// One connection waits to be served for each so many that are.
const SERVED_TO_WAITING: u32 = 4;
/// How long a connection waits to be served before its request is refused.
const PATIENCE: Duration = Duration::from_secs(10);

/// The places. Health is answered from places of its own, so that a node that is busy is not restarted for it.
pub(super) struct Slots {
    served: Pool,
    read: Pool,
    waiting: Pool,
}

struct Pool {
    free: Arc<Semaphore>,
    all: u32,
}

impl Pool {
    fn new(all: u32) -> Self {
        let free = Arc::new(Semaphore::new(usize::try_from(all).unwrap_or(usize::MAX)));
        Self { free, all }
    }

    fn take(&self) -> Option<OwnedSemaphorePermit> {
        Arc::clone(&self.free).try_acquire_owned().ok()
    }
}

/// The place of one connection, held until it is dropped.
pub(super) enum Slot {
    /// It is served.
    Served(#[expect(dead_code, reason = "held until it is dropped")] OwnedSemaphorePermit),
    /// Its request is read, and answered when it asks for the node's health.
    Read(#[expect(dead_code, reason = "held until it is dropped")] OwnedSemaphorePermit),
    /// It was refused, and ends.
    Ending,
}

impl Slots {
    /// Serves at most `most` connections at a time.
    pub(super) fn new(most: u32) -> Self {
        Self {
            served: Pool::new(most),
            read: Pool::new((most / SERVED_TO_READ).max(READ_LEAST)),
            waiting: Pool::new((most / SERVED_TO_WAITING).max(1)),
        }
    }

    /// A place for the next connection, as soon as there is one. `None` when the slots are closed.
    pub(super) async fn next(&self) -> Option<Slot> {
        tokio::select! {
            biased;
            permit = Arc::clone(&self.served.free).acquire_owned() => permit.ok().map(Slot::Served),
            permit = Arc::clone(&self.read.free).acquire_owned() => permit.ok().map(Slot::Read),
        }
    }

    /// Lets a connection be served; one whose request was only read waits for a place. False when there is none in time.
    pub(super) async fn serve(&self, slot: &mut Slot, world: &World) -> bool {
        match slot {
            Slot::Served(_) => return true,
            Slot::Ending => return false,
            Slot::Read(_) => {}
        }
        // The place for reading is freed before the wait, so that the next request is read.
        let waiting = self.waiting.take();
        *slot = Slot::Ending;
        if waiting.is_none() {
            return false;
        }
        let served = Arc::clone(&self.served.free).acquire_owned();
        match world.timeout(PATIENCE, served).await {
            Ok(Ok(permit)) => {
                *slot = Slot::Served(permit);
                true
            }
            Ok(Err(_)) | Err(world::Elapsed) => false,
        }
    }

    /// Waits until no connection has a place.
    pub(super) async fn emptied(&self) {
        for pool in [&self.served, &self.read, &self.waiting] {
            let _all = pool.free.acquire_many(pool.all).await;
        }
    }
}

impl Slot {
    /// Whether more than the node's health may be asked of it without waiting.
    pub(super) fn is_served(&self) -> bool {
        matches!(self, Self::Served(_))
    }
}
