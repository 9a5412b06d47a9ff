//! The content of files by its key: in a directory, or in any store that speaks the protocol of S3.
//!
//! What is promised: content that [`Objects::put`] has answered is on stable storage, whole; nothing is ever there in part under its
//! key. Removing what is not there succeeds. Which content is wanted stands in the service's database and not here.

mod directory;
mod s3;
mod signature;

use bytes::Bytes;
use futures_util::future::BoxFuture;

pub use directory::Directory;
pub use s3::{BadPlace, BucketPlace, S3};
pub use signature::Credentials;

/// Why content can't be written, read or removed now.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ObjectError {
    /// No text for a key: letters, digits, `-`, `_`, `.` and `/` alone, no part of it empty or beginning with a point.
    #[error("this is no key of content")]
    Key,
    /// The disk or the store is away, or refuses.
    #[error("{0}")]
    Away(String),
}

/// A place where content lies.
pub trait Objects: Send + Sync + 'static {
    /// Writes content under a key that is not used yet.
    fn put<'a>(&'a self, key: &'a str, content: Bytes) -> BoxFuture<'a, Result<(), ObjectError>>;

    /// The content under a key; `None` when there is none. More than `most` bytes are an error.
    fn get<'a>(
        &'a self,
        key: &'a str,
        most: usize,
    ) -> BoxFuture<'a, Result<Option<Bytes>, ObjectError>>;

    /// Removes what is under a key, if there is something.
    fn remove<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<(), ObjectError>>;

    /// Whether there is room for so many bytes more. What can't be found out now counts as room.
    fn has_room(&self, bytes: u64) -> BoxFuture<'_, bool>;

    /// Where it is, in words for the operator.
    fn place(&self) -> String;
}

/// Longest key. Unit: bytes.
const KEY_MAX: usize = 200;

/// Whether a text can be a key: it is a path in any file system and in any address as it stands.
fn is_key(key: &str) -> bool {
    let is_letter =
        |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_' | b'.' | b'/');
    key.len() <= KEY_MAX
        && key.bytes().all(is_letter)
        && key
            .split('/')
            .all(|part| !part.is_empty() && !part.starts_with('.'))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_a_path_that_leads_nowhere_else() {
        for good in ["a", "a/b/c", "0192-ab/x_y.z"] {
            assert!(is_key(good), "{good}");
        }
        let long = "a".repeat(KEY_MAX + 1);
        for bad in [
            "", "/a", "a/", "a//b", "../a", "a/../b", ".a", "a b", "a\0", "ä", "a%2e", &long,
        ] {
            assert!(!is_key(bad), "{bad:?}");
        }
    }
}
