//! The key file: made for its owner alone, never half written, never overwritten by a first one.

use std::{
    fs::{self, File, OpenOptions, TryLockError},
    io::{self, ErrorKind, Read, Write},
    os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt},
    path::{Path, PathBuf},
};

use zeroize::Zeroizing;

use crate::keyring::{KeyError, Protection};

/// A longer file is no key file. Unit: bytes.
const LONGEST: usize = 16 * 1024;

/// Who can look into the file.
pub(crate) fn protection(path: &Path) -> Result<Protection, KeyError> {
    let others = fs::metadata(path)
        .map_err(failed(path))?
        .permissions()
        .mode()
        & 0o077;
    Ok(if others == 0 {
        Protection::Owner
    } else {
        Protection::Open
    })
}

/// The file's text; `None` when there is no file.
pub(crate) fn read(path: &Path) -> Result<Option<Zeroizing<String>>, KeyError> {
    let file = match File::open(path) {
        Ok(file) => file,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        Err(error) => return Err(failed(path)(error)),
    };
    // Room from the start, since growing would leave copies behind; one byte more tells a file that is too long.
    let mut text = Zeroizing::new(String::with_capacity(LONGEST + 64));
    let limit = u64::try_from(LONGEST).unwrap_or(u64::MAX).saturating_add(1);
    file.take(limit)
        .read_to_string(&mut text)
        .map_err(failed(path))?;
    if text.len() > LONGEST {
        return Err(KeyError::Format("the text is too long for keys"));
    }
    Ok(Some(text))
}

/// Makes the file. Fails when there is one. The tag is nobody else's: with a draft of one name for all, of two nodes that start
/// at the same moment one would give the other's keys the file's name and seal under its own.
pub(crate) fn create(path: &Path, text: &[u8], tag: &str) -> Result<(), KeyError> {
    let draft = alongside(path, &format!(".new.{tag}"));
    write(&draft, text)?;
    // A link instead of a rename: it fails when there is a file, and the name never stands for half a file.
    let linked = fs::hard_link(&draft, path).map_err(failed(path));
    let removed = fs::remove_file(&draft).map_err(failed(&draft));
    linked.and(removed)?;
    flush_folder(path)
}

/// Keeps other processes from replacing the file until the lock is dropped; it ends with its process. Does not wait.
pub(crate) fn lock(path: &Path) -> Result<File, KeyError> {
    // Some file systems of networks lock only what can be written to.
    let open = || {
        OpenOptions::new()
            .read(true)
            .write(true)
            .open(path)
            .or_else(|_| File::open(path))
    };
    loop {
        let file = match open() {
            Err(error) if error.kind() == ErrorKind::NotFound => {
                return Err(KeyError::Changed(path.to_owned()));
            }
            opened => opened.map_err(failed(path))?,
        };
        match file.try_lock() {
            Ok(()) => {}
            Err(TryLockError::WouldBlock) => return Err(KeyError::Busy(path.to_owned())),
            Err(TryLockError::Error(error)) => return Err(failed(path)(error)),
        }
        // Somebody may have put another file there between the opening and the lock.
        let (locked, there) = (file.metadata(), fs::metadata(path));
        let (locked, there) = (locked.map_err(failed(path))?, there.map_err(failed(path))?);
        if (locked.dev(), locked.ino()) == (there.dev(), there.ino()) {
            return Ok(file);
        }
    }
}

/// Replaces the file as one step: after a crash there is the old text or the new one, never half of it.
pub(crate) fn replace(path: &Path, text: &[u8]) -> Result<(), KeyError> {
    // The file itself, where the path is a link to it.
    let path = &fs::canonicalize(path).map_err(failed(path))?;
    let draft = draft(path, text)?;
    fs::rename(&draft, path).map_err(failed(path))?;
    flush_folder(path)
}

/// A file next to `path` with the text, on stable storage, for its owner alone.
fn draft(path: &Path, text: &[u8]) -> Result<PathBuf, KeyError> {
    let draft = alongside(path, ".new");
    // One may be left from a crash. Its keys were never used.
    match fs::remove_file(&draft) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(failed(&draft)(error)),
        _ => {}
    }
    write(&draft, text)?;
    Ok(draft)
}

/// The path with an ending behind its name.
fn alongside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.file_name().unwrap_or_default().to_os_string();
    name.push(ending);
    path.with_file_name(name)
}

/// Writes a file that is not there yet, to stable storage.
fn write(path: &Path, text: &[u8]) -> Result<(), KeyError> {
    let write = |mut file: File| {
        file.write_all(text)?;
        file.sync_all()
    };
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path);
    file.and_then(write).map_err(failed(path))
}

/// Makes a name in the folder last.
fn flush_folder(path: &Path) -> Result<(), KeyError> {
    let folder = match path.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        _ => Path::new("."),
    };
    File::open(folder)
        .and_then(|folder| folder.sync_all())
        .map_err(failed(folder))
}

fn failed(path: &Path) -> impl FnOnce(io::Error) -> KeyError + use<> {
    let path = path.to_owned();
    move |error| KeyError::File { path, error }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::symlink;

    fn names(folder: &tempfile::TempDir) -> Vec<String> {
        let mut names: Vec<String> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    fn text(path: &Path) -> String {
        read(path).unwrap().unwrap().to_string()
    }

    #[test]
    fn a_key_file_is_made_once_and_for_its_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys");
        assert!(read(&path).unwrap().is_none());
        create(&path, b"first", "tag").unwrap();
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o600);
        assert_eq!(protection(&path).unwrap(), Protection::Owner);
        assert!(matches!(
            create(&path, b"second", "tag"),
            Err(KeyError::File { .. })
        ));
        assert_eq!(text(&path), "first");
        assert_eq!(names(&folder), ["keys"], "nothing else is left");
        for mode in [0o640, 0o604, 0o620, 0o601] {
            fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
            assert_eq!(protection(&path).unwrap(), Protection::Open, "{mode:o}");
        }
    }

    #[test]
    fn a_replacement_is_a_new_file_for_the_owner_alone_and_a_reader_keeps_the_old_one_whole() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys");
        create(&path, b"before", "tag").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o644)).unwrap();
        let mut held = File::open(&path).unwrap();
        // As after a crash in the middle of an earlier replacement.
        fs::write(folder.path().join("keys.new"), "half").unwrap();
        replace(&path, b"after").unwrap();
        assert_eq!(text(&path), "after");
        assert_eq!(fs::metadata(&path).unwrap().mode() & 0o7777, 0o600);
        let mut old = String::new();
        held.read_to_string(&mut old).unwrap();
        assert_eq!(old, "before", "renamed over, not written into");
        assert_eq!(names(&folder), ["keys"]);
    }

    #[test]
    fn a_link_to_the_file_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (path, link) = (folder.path().join("keys"), folder.path().join("link"));
        create(&path, b"before", "tag").unwrap();
        symlink(&path, &link).unwrap();
        replace(&link, b"after").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(text(&path), "after");
    }

    #[test]
    fn a_text_that_is_too_long_or_none_at_all_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("keys");
        fs::write(&path, " ".repeat(LONGEST + 1)).unwrap();
        assert!(matches!(read(&path), Err(KeyError::Format(_))));
        fs::write(&path, b"\xff\xfe").unwrap();
        assert!(matches!(read(&path), Err(KeyError::File { .. })));
    }
}
