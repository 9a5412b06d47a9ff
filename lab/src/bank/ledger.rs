//! The simulator's books with their history, each change noted as JSON for the checker.

use std::{collections::BTreeMap, future::ready, sync::Arc, time::Duration};

use connectors::simulator::{Books, BooksError, Entry, books_json};
use domain::Timestamp;
use futures_util::future::BoxFuture;
use parking_lot::Mutex;
use serde_json::{Value, json};
use world::World;

/// Entries by reference, each version with the time from which it held.
type Entries = BTreeMap<String, Vec<(i64, Entry)>>;

/// Books in memory that forget nothing.
pub(crate) struct Ledger {
    world: World,
    kept: Arc<Mutex<Kept>>,
}

#[derive(Default)]
struct Kept {
    entries: Entries,
    notes: Vec<Value>,
}

impl Ledger {
    pub(crate) fn new(world: World) -> Self {
        Self {
            world,
            kept: Arc::default(),
        }
    }

    /// The entries as JSON, as of now.
    pub(crate) fn entries(&self) -> Vec<Value> {
        let now = self.world.now();
        let kept = self.kept.lock();
        let entries: Vec<Entry> = kept
            .entries
            .values()
            .filter_map(|versions| versions.last())
            .map(|v| v.1.clone())
            .collect();
        drop(kept);
        listed(books_json(&entries, now))
    }

    /// The entries as they are kept, the last version of each.
    pub(super) fn kept(&self) -> Vec<Entry> {
        let kept = self.kept.lock();
        let versions = kept.entries.values();
        versions
            .filter_map(|versions| versions.last().map(|version| version.1.clone()))
            .collect()
    }

    /// What another system sold: the order, and for how much in minor units.
    pub(crate) fn sold_elsewhere(&self) -> Vec<(String, i64)> {
        let of = |entry: Entry| Some((entry.elsewhere?.order, entry.money.minor()));
        self.kept().into_iter().filter_map(of).collect()
    }

    /// Every dispute with its states as JSON, those to come included, and what was responded.
    pub(crate) fn disputes(&self) -> Vec<Value> {
        let of = |entry: &Entry| -> Vec<Value> {
            let each = entry.disputes.iter().map(|dispute| {
                json!({
                    "id": dispute.id,
                    "reference": entry.reference,
                    "connection": entry.connection,
                    "states": dispute.states,
                    "responses": dispute.responses,
                })
            });
            each.collect()
        };
        self.kept().iter().flat_map(of).collect()
    }

    /// The entry after each change, in order.
    pub(crate) fn take_notes(&self) -> Vec<Value> {
        std::mem::take(&mut self.kept.lock().notes)
    }

    /// The books as they were `lag` ago, to be read.
    pub(super) fn behind(&self, lag: Duration) -> Behind {
        Behind {
            as_of: self.world.now().before(lag).micros(),
            kept: Arc::clone(&self.kept),
        }
    }

    fn note(&self, kept: &mut Kept, entry: &Entry) {
        let now = self.world.now();
        let versions = kept
            .entries
            .entry(entry.reference.as_str().to_owned())
            .or_default();
        versions.push((now.micros(), entry.clone()));
        kept.notes.extend(
            listed(books_json(std::slice::from_ref(entry), now))
                .into_iter()
                .map(|mut note| {
                    if let Some(fields) = note.as_object_mut() {
                        fields.insert("noted".to_owned(), now.micros().into());
                    }
                    note
                }),
        );
    }
}

fn listed(mut books: Value) -> Vec<Value> {
    match books.get_mut("entries").map(Value::take) {
        Some(Value::Array(entries)) => entries,
        _ => Vec::new(),
    }
}

impl Books for Ledger {
    fn due(&self, until: Timestamp, limit: u32) -> BoxFuture<'_, Result<Vec<Entry>, BooksError>> {
        let is_due = |entry: &Entry| entry.send_at().is_some_and(|at| at <= until);
        let kept = self.kept.lock();
        let last = kept.entries.values().filter_map(|versions| versions.last());
        let due = last.map(|version| &version.1).filter(|entry| is_due(entry));
        let most = usize::try_from(limit).unwrap_or(usize::MAX);
        let found: Vec<Entry> = due.take(most).cloned().collect();
        Box::pin(ready(Ok(found)))
    }

    fn load<'a>(&'a self, reference: &'a str) -> BoxFuture<'a, Result<Option<Entry>, BooksError>> {
        let kept = self.kept.lock();
        let found = kept
            .entries
            .get(reference)
            .and_then(|versions| versions.last())
            .map(|version| version.1.clone());
        Box::pin(ready(Ok(found)))
    }

    fn insert<'a>(&'a self, entry: &'a Entry) -> BoxFuture<'a, Result<bool, BooksError>> {
        let mut kept = self.kept.lock();
        let free = !kept.entries.contains_key(entry.reference.as_str());
        if free {
            self.note(&mut kept, entry);
        }
        Box::pin(ready(Ok(free)))
    }

    fn update<'a>(
        &'a self,
        entry: &'a Entry,
        expected: u64,
    ) -> BoxFuture<'a, Result<bool, BooksError>> {
        let mut kept = self.kept.lock();
        let stored = kept
            .entries
            .get(entry.reference.as_str())
            .and_then(|versions| versions.last());
        let is_expected = stored.is_some_and(|version| version.1.version == expected);
        if is_expected {
            self.note(&mut kept, entry);
        }
        Box::pin(ready(Ok(is_expected)))
    }

    fn all<'a>(
        &'a self,
        _after: Option<&'a str>,
        _limit: u32,
    ) -> BoxFuture<'a, Result<Vec<Entry>, BooksError>> {
        Box::pin(ready(Err(BooksError::Untouched(
            "the ledger is read as JSON".to_owned(),
        ))))
    }

    fn catch_up<'a>(&'a self, _reference: &'a str) -> BoxFuture<'a, Result<(), BooksError>> {
        Box::pin(ready(Ok(())))
    }
}

/// The books as they were at a time. Read only.
pub(super) struct Behind {
    as_of: i64,
    kept: Arc<Mutex<Kept>>,
}

impl Books for Behind {
    fn load<'a>(&'a self, reference: &'a str) -> BoxFuture<'a, Result<Option<Entry>, BooksError>> {
        let kept = self.kept.lock();
        let versions = kept.entries.get(reference).map_or(&[][..], Vec::as_slice);
        let found = versions
            .iter()
            .rev()
            .find(|version| version.0 <= self.as_of)
            .map(|version| version.1.clone());
        Box::pin(ready(Ok(found)))
    }

    fn insert<'a>(&'a self, _entry: &'a Entry) -> BoxFuture<'a, Result<bool, BooksError>> {
        Box::pin(ready(Err(read_only())))
    }

    fn update<'a>(
        &'a self,
        _entry: &'a Entry,
        _expected: u64,
    ) -> BoxFuture<'a, Result<bool, BooksError>> {
        Box::pin(ready(Err(read_only())))
    }

    fn all<'a>(
        &'a self,
        _after: Option<&'a str>,
        _limit: u32,
    ) -> BoxFuture<'a, Result<Vec<Entry>, BooksError>> {
        Box::pin(ready(Err(read_only())))
    }

    fn catch_up<'a>(&'a self, _reference: &'a str) -> BoxFuture<'a, Result<(), BooksError>> {
        Box::pin(ready(Ok(())))
    }
}

fn read_only() -> BooksError {
    BooksError::Untouched("older books are only read".to_owned())
}
