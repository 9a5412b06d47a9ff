//! How many items of a job are worked on at the same time.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use futures_util::future::BoxFuture;

use crate::Engine;

/// The slots of one job, so that its silent processors or servers hold up no other job.
pub(crate) struct Slots {
    used: Arc<AtomicUsize>,
    most: usize,
}

impl Slots {
    /// At most `most` items at the same time.
    pub(crate) fn at_most(most: usize) -> Self {
        Self {
            used: Arc::default(),
            most,
        }
    }

    /// How many items may be taken now, `rows` at most.
    pub(crate) fn free(&self, rows: i64) -> i64 {
        let free = self.most.saturating_sub(self.used.load(Ordering::SeqCst));
        rows.min(i64::try_from(free).unwrap_or(rows))
    }

    /// Uses a slot until it is dropped.
    pub(super) fn take(&self) -> Slot {
        self.used.fetch_add(1, Ordering::SeqCst);
        Slot(Arc::clone(&self.used))
    }
}

/// A slot in use.
pub(super) struct Slot(Arc<AtomicUsize>);

impl Drop for Slot {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

impl Engine {
    /// Has a task of its own work on an item that was taken.
    pub(crate) fn work_on(&self, slots: &Slots, work: BoxFuture<'static, ()>) {
        let slot = slots.take();
        drop(self.own(Box::pin(async move {
            let _slot = slot;
            work.await;
        })));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slot_is_free_again_when_it_is_dropped() {
        let slots = Slots::at_most(3);
        assert_eq!(slots.free(2), 2);
        let taken: Vec<Slot> = (0..3).map(|_| slots.take()).collect();
        assert_eq!(slots.free(2), 0);
        drop(taken);
        assert_eq!(slots.free(16), 3);
    }
}
