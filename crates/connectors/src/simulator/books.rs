//! Where the entries are kept.

use std::{
    collections::BTreeMap,
    future::ready,
    ops::Bound::{Excluded, Unbounded},
};

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
    fn update<'a>(&'a self, entry: &'a Entry, expected: u64) -> BoxFuture<'a, Result<bool, BooksError>>;

    /// At most `limit` entries in the order of their references, from the first one behind `after` on.
    fn all<'a>(&'a self, after: Option<&'a str>, limit: u32) -> BoxFuture<'a, Result<Vec<Entry>, BooksError>>;

    /// Waits for the writes to this entry that were begun before, also those whose callers have gone: after it, what
    /// `load` does not show will not come any more.
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
pub struct MemoryBooks(Mutex<BTreeMap<String, Entry>>);

impl Books for MemoryBooks {
    fn load<'a>(&'a self, reference: &'a str) -> BoxFuture<'a, Result<Option<Entry>, BooksError>> {
        Box::pin(async move { Ok(self.0.lock().get(reference).cloned()) })
    }

    fn insert<'a>(&'a self, entry: &'a Entry) -> BoxFuture<'a, Result<bool, BooksError>> {
        Box::pin(async move {
            let mut entries = self.0.lock();
            let key = entry.reference.as_str();
            if entries.contains_key(key) {
                return Ok(false);
            }
            entries.insert(key.to_owned(), entry.clone());
            Ok(true)
        })
    }

    fn update<'a>(&'a self, entry: &'a Entry, expected: u64) -> BoxFuture<'a, Result<bool, BooksError>> {
        Box::pin(async move {
            let mut entries = self.0.lock();
            let Some(stored) = entries.get_mut(entry.reference.as_str()).filter(|stored| stored.version == expected)
            else {
                return Ok(false);
            };
            *stored = entry.clone();
            Ok(true)
        })
    }

    fn all<'a>(&'a self, after: Option<&'a str>, limit: u32) -> BoxFuture<'a, Result<Vec<Entry>, BooksError>> {
        Box::pin(async move {
            let entries = self.0.lock();
            let from = after.map_or(Unbounded, Excluded);
            let limit = usize::try_from(limit).unwrap_or(usize::MAX);
            Ok(entries.range::<str, _>((from, Unbounded)).map(|(_, entry)| entry.clone()).take(limit).collect())
        })
    }

    fn catch_up<'a>(&'a self, _reference: &'a str) -> BoxFuture<'a, Result<(), BooksError>> {
        // A write is done before its caller can go.
        Box::pin(ready(Ok(())))
    }
}
