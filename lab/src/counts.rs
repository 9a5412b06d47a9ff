//! Counting what happened, by name.

use std::collections::BTreeMap;

use parking_lot::Mutex;

/// Counters by name. Clones are apart.
#[derive(Debug, Default)]
pub(crate) struct Counts(Mutex<BTreeMap<&'static str, u64>>);

impl Counts {
    /// One more.
    pub(crate) fn add(&self, name: &'static str) {
        *self.0.lock().entry(name).or_default() += 1;
    }

    /// All of them.
    pub(crate) fn take(&self) -> BTreeMap<&'static str, u64> {
        std::mem::take(&mut *self.0.lock())
    }
}

/// Adds counters to others.
pub(crate) fn join(sum: &mut BTreeMap<&'static str, u64>, more: &BTreeMap<&'static str, u64>) {
    for (name, count) in more {
        *sum.entry(name).or_default() += count;
    }
}
