//! One at a time for each entry: many refunds of one payment would otherwise overtake each other again and again.

use std::array;

use connector::Reference;
use futures_util::lock::{Mutex, MutexGuard};

const LANES: usize = 64;

/// The version of an entry is what keeps it right, across nodes too; turns only save work.
pub(super) struct AccountLocks([Mutex<()>; LANES]);

impl Default for AccountLocks {
    fn default() -> Self {
        Self(array::from_fn(|_| Mutex::new(())))
    }
}

impl AccountLocks {
    /// Waits for the turn of an authorisation's entry. Entries may share a lane.
    pub(super) async fn take(&self, authorisation: &Reference) -> Option<MutexGuard<'_, ()>> {
        let bytes = authorisation.as_str().bytes();
        let lane = bytes.fold(0_usize, |sum, byte| {
            sum.wrapping_mul(31).wrapping_add(usize::from(byte))
        }) % LANES;
        match self.0.get(lane) {
            Some(lane) => Some(lane.lock().await),
            None => None,
        }
    }
}
