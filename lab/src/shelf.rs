//! Where files lie in the simulation: all nodes have the same place, and it does not fail.

use std::collections::BTreeMap;

use bytes::Bytes;
use futures_util::future::{BoxFuture, FutureExt, ready};
use objects::{ObjectError, Objects};
use parking_lot::Mutex;

/// The files by their keys.
#[derive(Default)]
pub(crate) struct Shelf(Mutex<BTreeMap<String, Bytes>>);

impl Objects for Shelf {
    fn put<'a>(&'a self, key: &'a str, content: Bytes) -> BoxFuture<'a, Result<(), ObjectError>> {
        self.0.lock().insert(key.to_owned(), content);
        ready(Ok(())).boxed()
    }

    fn get<'a>(
        &'a self,
        key: &'a str,
        most: usize,
    ) -> BoxFuture<'a, Result<Option<Bytes>, ObjectError>> {
        let found = self.0.lock().get(key).cloned();
        let is_larger = found.as_ref().is_some_and(|content| content.len() > most);
        let answer = if is_larger {
            Err(ObjectError::Away("it is larger".to_owned()))
        } else {
            Ok(found)
        };
        ready(answer).boxed()
    }

    fn remove<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<(), ObjectError>> {
        self.0.lock().remove(key);
        ready(Ok(())).boxed()
    }

    fn has_room(&self, _bytes: u64) -> BoxFuture<'_, bool> {
        ready(true).boxed()
    }

    fn place(&self) -> String {
        "the shelf".to_owned()
    }
}
