//! Content in a directory: one file for each key.

use std::{
    fs::{self, DirBuilder, File, OpenOptions},
    io::{self, ErrorKind, Read as _, Write as _},
    ops::Not as _,
    os::unix::fs::{DirBuilderExt as _, OpenOptionsExt as _},
    path::{Path, PathBuf},
};

use bytes::Bytes;
use futures_util::future::BoxFuture;
use rustix::fs::statvfs;
use world::World;

use crate::{ObjectError, Objects, is_key};

/// Begins the names of files that are not whole yet. No key begins so.
const UNFINISHED: &str = ".new-";

/// A directory for its owner alone. It is made with the first content.
#[derive(Clone)]
pub struct Directory {
    path: PathBuf,
    world: World,
    /// So much stays free on its disk. Unit: bytes.
    keep_free: u64,
}

impl Directory {
    /// The directory at this path.
    pub fn at(path: impl Into<PathBuf>, world: World) -> Self {
        Self {
            path: path.into(),
            world,
            keep_free: 0,
        }
    }

    /// The same, which has no room while fewer bytes than this would be free on its disk.
    #[must_use]
    pub fn keeping_free(self, bytes: u64) -> Self {
        Self {
            keep_free: bytes,
            ..self
        }
    }

    /// Where the content under a key lies.
    fn file(&self, key: &str) -> Result<PathBuf, ObjectError> {
        if is_key(key) {
            Ok(self.path.join(key))
        } else {
            Err(ObjectError::Key)
        }
    }

    async fn off_thread<T: Send + 'static>(
        &self,
        work: impl FnOnce() -> io::Result<T> + Send + 'static,
    ) -> Result<T, ObjectError> {
        match self.world.blocking(work).await {
            Some(Ok(done)) => Ok(done),
            Some(Err(error)) => Err(ObjectError::Away(error.to_string())),
            None => Err(ObjectError::Away("the work on a file failed".to_owned())),
        }
    }
}

impl Objects for Directory {
    fn put<'a>(&'a self, key: &'a str, content: Bytes) -> BoxFuture<'a, Result<(), ObjectError>> {
        Box::pin(async move {
            let (file, root) = (self.file(key)?, self.path.clone());
            let unfinished = format!("{UNFINISHED}{}", self.world.uuid_v7().simple());
            self.off_thread(move || write(&root, &file, &unfinished, &content))
                .await
        })
    }

    fn get<'a>(
        &'a self,
        key: &'a str,
        most: usize,
    ) -> BoxFuture<'a, Result<Option<Bytes>, ObjectError>> {
        Box::pin(async move {
            let file = self.file(key)?;
            let read = self.off_thread(move || read(&file, most)).await?;
            Ok(read.map(Bytes::from))
        })
    }

    fn remove<'a>(&'a self, key: &'a str) -> BoxFuture<'a, Result<(), ObjectError>> {
        Box::pin(async move {
            let (file, root) = (self.file(key)?, self.path.clone());
            self.off_thread(move || remove(&root, &file)).await
        })
    }

    fn has_room(&self, bytes: u64) -> BoxFuture<'_, bool> {
        Box::pin(async move {
            let (path, wanted) = (self.path.clone(), self.keep_free.saturating_add(bytes));
            let free = self.off_thread(move || free(&path)).await;
            // One that can't be asked will say so when it is written to.
            free.is_ok_and(|free| free < wanted).not()
        })
    }

    fn place(&self) -> String {
        format!("the directory {}", self.path.display())
    }
}

/// How many bytes this process may still write where the directory is, or will be.
fn free(directory: &Path) -> io::Result<u64> {
    let there = directory.ancestors().find(|path| path.exists());
    let disk = statvfs(there.unwrap_or(directory))?;
    Ok(disk.f_bavail.saturating_mul(disk.f_frsize))
}

/// Writes a file under another name, has it brought to the disk, and gives it its own name: it is whole or not there.
fn write(root: &Path, file: &Path, unfinished: &str, content: &[u8]) -> io::Result<()> {
    let parent = file.parent().unwrap_or(root);
    DirBuilder::new()
        .recursive(true)
        .mode(0o700)
        .create(parent)?;
    let temporary = parent.join(unfinished);
    let written = fill(&temporary, content).and_then(|()| fs::rename(&temporary, file));
    if let Err(error) = written {
        // What can't be removed is found by name.
        let _ = fs::remove_file(&temporary);
        return Err(error);
    }
    // The names of new directories are on the disk once those above them are.
    let mut above = Some(parent);
    while let Some(directory) = above.filter(|directory| directory.starts_with(root)) {
        File::open(directory)?.sync_all()?;
        above = directory.parent();
    }
    root.parent()
        .map_or(Ok(()), |parent| File::open(parent)?.sync_all())
}

fn fill(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut options = OpenOptions::new();
    let mut file = options
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    file.write_all(content)?;
    file.sync_all()
}

fn read(file: &Path, most: usize) -> io::Result<Option<Vec<u8>>> {
    let opened = match File::open(file) {
        Ok(opened) => opened,
        Err(error) if is_absent(&error) => return Ok(None),
        Err(error) => return Err(error),
    };
    let mut content = Vec::new();
    let most = u64::try_from(most).unwrap_or(u64::MAX);
    let read = opened
        .take(most.saturating_add(1))
        .read_to_end(&mut content)?;
    if u64::try_from(read).unwrap_or(u64::MAX) > most {
        return Err(io::Error::other("the file is larger than it may be"));
    }
    Ok(Some(content))
}

/// Removes a file, and the directories above it that are empty then.
fn remove(root: &Path, file: &Path) -> io::Result<()> {
    match fs::remove_file(file) {
        Ok(()) => {}
        Err(error) if is_absent(&error) => {}
        Err(error) => return Err(error),
    }
    let mut above = file.parent();
    while let Some(directory) = above.filter(|one| *one != root && one.starts_with(root)) {
        if fs::remove_dir(directory).is_err() {
            break;
        }
        above = directory.parent();
    }
    Ok(())
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt as _;

    use super::*;

    #[tokio::test]
    async fn content_is_written_whole_read_and_removed() {
        let scratch = tempfile::tempdir().unwrap();
        let root = scratch.path().join("attachments");
        let directory = Directory::at(&root, World::real());
        assert_eq!(directory.get("team/a/1", 10).await, Ok(None));
        directory
            .put("team/a/1", Bytes::from_static(b"0123456789"))
            .await
            .unwrap();
        let found = directory.get("team/a/1", 10).await.unwrap();
        assert_eq!(found.as_deref(), Some(b"0123456789".as_slice()));
        assert!(directory.get("team/a/1", 9).await.is_err());
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        assert_eq!(mode(&root), 0o700);
        assert_eq!(mode(&root.join("team/a/1")), 0o600);
        let names = fs::read_dir(root.join("team/a")).unwrap().count();
        assert_eq!(names, 1, "nothing unfinished is left");
        directory.remove("team/a/1").await.unwrap();
        directory.remove("team/a/1").await.unwrap();
        assert_eq!(directory.get("team/a/1", 10).await, Ok(None));
        assert!(root.exists() && !root.join("team").exists());
    }

    #[tokio::test]
    async fn there_is_no_room_where_too_little_would_be_free() {
        let scratch = tempfile::tempdir().unwrap();
        let at = || Directory::at(scratch.path().join("attachments"), World::real());
        assert!(at().has_room(1).await);
        assert!(!at().has_room(u64::MAX).await);
        assert!(!at().keeping_free(u64::MAX).has_room(0).await);
    }

    #[tokio::test]
    async fn no_key_leads_out_of_the_directory() {
        let scratch = tempfile::tempdir().unwrap();
        let directory = Directory::at(scratch.path().join("attachments"), World::real());
        for key in ["../x", "/etc/passwd", "a/../../x", ".hidden"] {
            let content = Bytes::from_static(b"x");
            assert_eq!(directory.put(key, content).await, Err(ObjectError::Key));
            assert_eq!(directory.get(key, 1).await, Err(ObjectError::Key));
            assert_eq!(directory.remove(key).await, Err(ObjectError::Key));
        }
        assert_eq!(fs::read_dir(scratch.path()).unwrap().count(), 0);
    }
}
