//! A place for the content of attachments in memory, whose answers can get lost.

use std::{
    collections::BTreeMap,
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
};

use bytes::Bytes;
use futures_util::future::{BoxFuture, pending, ready};
use objects::{ObjectError, Objects};
use parking_lot::Mutex;

#[derive(Clone, Default)]
pub(crate) struct Files(Arc<Inner>);

#[derive(Default)]
struct Inner {
    content: Mutex<BTreeMap<String, Bytes>>,
    silent: AtomicBool,
    full: AtomicBool,
}

impl Files {
    /// The keys of what is there.
    pub(crate) fn keys(&self) -> Vec<String> {
        self.0.content.lock().keys().cloned().collect()
    }

    /// Whether there is no room from now on.
    pub(crate) fn set_full(&self, full: bool) {
        self.0.full.store(full, Ordering::SeqCst);
    }

    /// From now on what is written is written, and nobody learns of it.
    pub(crate) fn set_silent(&self, silent: bool) {
        self.0.silent.store(silent, Ordering::SeqCst);
    }
}

impl Objects for Files {
    fn put<'a>(&'a self, key: &'a str, content: Bytes) -> BoxFuture<'a, Result<(), ObjectError>> {
        self.0.content.lock().insert(key.to_owned(), content);
        if self.0.silent.load(Ordering::SeqCst) {
            return Box::pin(pending());
        }
        Box::pin(ready(Ok(())))
    }

    fn get<'a>(
        &'a self,
        key: &'a str,
        _: usize,
    ) -> BoxFuture<'a, Result<Option<Bytes>, ObjectError>> {
        Box::pin(ready(Ok(self.0.content.lock().get(key).cloned())))
    }

    fn remove<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<(), ObjectError>> {
        self.0.content.lock().remove(key);
        Box::pin(ready(Ok(())))
    }

    fn has_room(&self, _: u64) -> BoxFuture<'_, bool> {
        Box::pin(ready(!self.0.full.load(Ordering::SeqCst)))
    }

    fn place(&self) -> String {
        "memory".to_owned()
    }
}
