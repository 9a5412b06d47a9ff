//! Where the entries are kept.

use std::{
    collections::{BTreeMap, BTreeSet},
    ops::Bound::{Excluded, Unbounded},
};

use domain::Timestamp;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;

use super::entry::Entry;

/// The books: entries by the reference of their authorisation.
pub trait Books: Send + Sync + 'static {
    /// The entry of this reference.
    fn load<'a>(&'a self, reference: &'a str) -> BoxFuture<'a, Result<Option<Entry>, BooksError>>;

    /// Adds an entry. False when the reference is taken; then nothing was written.
    fn insert<'a>(&'a self, entry: &'a Entry) -> BoxFuture<'a, Result<bool, BooksError>>;

    /// Replaces an entry whose version is still `expected`. False when it is not; then nothing was written.
    fn update<'a>(
        &'a self,
        entry: &'a Entry,
        expected: u64,
    ) -> BoxFuture<'a, Result<bool, BooksError>>;

    /// At most `limit` entries in the order of their references, from the first one behind `after` on.
    fn all<'a>(
        &'a self,
        after: Option<&'a str>,
        limit: u32,
    ) -> BoxFuture<'a, Result<Vec<Entry>, BooksError>>;

    /// At most `limit` entries with notifications that are to be sent by this time. None from books that nobody sends from.
    fn due(&self, _until: Timestamp, _limit: u32) -> BoxFuture<'_, Result<Vec<Entry>, BooksError>> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }

    /// Ends the writes to this entry that were begun before, on any node, also those whose callers have gone: after it,
    /// what `load` does not show will not come any more. An entry that there is gets another version, so that a late
    /// `update` finds it changed; a reference without one is fenced off, so that a late `insert` finds it taken.
    fn catch_up<'a>(&'a self, reference: &'a str) -> BoxFuture<'a, Result<(), BooksError>>;
}

/// The books could not be read or written. The texts are for the operator and hold no values.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum BooksError {
    /// Nothing was written.
    #[error("the simulator's books can't be used: {0}")]
    Untouched(String),
    /// It may have been written.
    #[error("it is unknown whether the simulator's books were written")]
    Unknown,
}

/// Books in memory, for tests and seeded runs.
#[derive(Default)]
pub struct MemoryBooks(Mutex<Kept>);

#[derive(Default)]
struct Kept {
    entries: BTreeMap<String, Entry>,
    /// References that were looked for and not found.
    fenced: BTreeSet<String>,
}

impl Books for MemoryBooks {
    fn load<'a>(&'a self, reference: &'a str) -> BoxFuture<'a, Result<Option<Entry>, BooksError>> {
        Box::pin(async move { Ok(self.0.lock().entries.get(reference).cloned()) })
    }

    fn insert<'a>(&'a self, entry: &'a Entry) -> BoxFuture<'a, Result<bool, BooksError>> {
        Box::pin(async move {
            let mut kept = self.0.lock();
            let key = entry.reference.as_str();
            if kept.entries.contains_key(key) || kept.fenced.contains(key) {
                return Ok(false);
            }
            kept.entries.insert(key.to_owned(), entry.clone());
            Ok(true)
        })
    }

    fn update<'a>(
        &'a self,
        entry: &'a Entry,
        expected: u64,
    ) -> BoxFuture<'a, Result<bool, BooksError>> {
        Box::pin(async move {
            let mut kept = self.0.lock();
            let stored = kept.entries.get_mut(entry.reference.as_str());
            let Some(stored) = stored.filter(|stored| stored.version == expected) else {
                return Ok(false);
            };
            *stored = entry.clone();
            Ok(true)
        })
    }

    fn all<'a>(
        &'a self,
        after: Option<&'a str>,
        limit: u32,
    ) -> BoxFuture<'a, Result<Vec<Entry>, BooksError>> {
        Box::pin(async move {
            let kept = self.0.lock();
            let from = after.map_or(Unbounded, Excluded);
            let limit = usize::try_from(limit).unwrap_or(usize::MAX);
            Ok(kept
                .entries
                .range::<str, _>((from, Unbounded))
                .map(|(_, entry)| entry.clone())
                .take(limit)
                .collect())
        })
    }

    fn due(&self, until: Timestamp, limit: u32) -> BoxFuture<'_, Result<Vec<Entry>, BooksError>> {
        Box::pin(async move {
            let kept = self.0.lock();
            let is_due = |entry: &&Entry| entry.send_at().is_some_and(|at| at <= until);
            let due = kept.entries.values().filter(is_due).cloned();
            Ok(due
                .take(usize::try_from(limit).unwrap_or(usize::MAX))
                .collect())
        })
    }

    fn catch_up<'a>(&'a self, reference: &'a str) -> BoxFuture<'a, Result<(), BooksError>> {
        Box::pin(async move {
            let mut kept = self.0.lock();
            match kept.entries.get_mut(reference) {
                Some(entry) => entry.version = entry.version.saturating_add(1),
                None => drop(kept.fenced.insert(reference.to_owned())),
            }
            Ok(())
        })
    }
}
