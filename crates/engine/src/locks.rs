//! One at a time for each aggregate within this node: saves rounds of conflict; the version is what guards.

use std::{collections::BTreeMap, sync::Arc};

use parking_lot::Mutex;
use tokio::sync::{Mutex as AsyncMutex, OwnedMutexGuard};
use uuid::Uuid;

/// The queues of the aggregates that are being changed.
#[derive(Default)]
pub(crate) struct StreamLocks(Mutex<BTreeMap<Uuid, Arc<AsyncMutex<()>>>>);

/// A turn; ends when it is dropped.
pub(crate) struct StreamLock<'a> {
    locks: &'a StreamLocks,
    id: Uuid,
    held: Option<OwnedMutexGuard<()>>,
}

impl StreamLocks {
    /// Waits for the turn to change the aggregate `id`.
    pub(crate) async fn take(&self, id: Uuid) -> StreamLock<'_> {
        let queue = Arc::clone(self.0.lock().entry(id).or_default());
        let held = queue.lock_owned().await;
        StreamLock {
            locks: self,
            id,
            held: Some(held),
        }
    }
}

impl Drop for StreamLock<'_> {
    fn drop(&mut self) {
        let mut queues = self.locks.0.lock();
        self.held = None;
        // Nobody waits when the map holds the only handle.
        if queues
            .get(&self.id)
            .is_some_and(|queue| Arc::strong_count(queue) == 1)
        {
            queues.remove(&self.id);
        }
    }
}
