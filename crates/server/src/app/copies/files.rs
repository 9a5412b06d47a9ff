//! The files of attachments in a backup.

use std::{
    fs::{self, DirBuilder, File},
    io::ErrorKind,
    os::unix::fs::DirBuilderExt as _,
    path::Path,
};

use anyhow::{Context as _, ensure};

use super::copy;

/// Their directory, in a backup as in a data directory.
pub(super) const ATTACHMENTS: &str = "attachments";

/// How deep they lie: team, attachment, file.
const DEEPEST: u32 = 3;

/// Copies every file below a directory, if it is there, and says how many. Files that are being written are left out, and one that
/// was removed meanwhile was of no use any more.
pub(super) fn copy_all(from: &Path, to: &Path) -> anyhow::Result<u64> {
    if !from.exists() {
        return Ok(0);
    }
    below(from, to, DEEPEST)
}

fn below(from: &Path, to: &Path, deeper: u32) -> anyhow::Result<u64> {
    let shown = || from.display().to_string();
    let mut builder = DirBuilder::new();
    builder.recursive(true).mode(0o700);
    builder.create(to).with_context(shown)?;
    let mut copied = 0;
    let entries = match fs::read_dir(from) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(0),
        Err(error) => return Err(error).with_context(shown),
    };
    for entry in entries {
        let entry = entry.with_context(shown)?;
        let name = entry.file_name();
        if name.as_encoded_bytes().starts_with(b".") {
            continue;
        }
        let (inner, target) = (entry.path(), to.join(&name));
        let kind = entry.file_type().with_context(shown)?;
        if kind.is_dir() {
            ensure!(
                deeper > 1,
                "{} is nothing that was written here",
                inner.display()
            );
            copied += below(&inner, &target, deeper - 1)?;
        } else if kind.is_file() {
            match copy(&inner, &target) {
                Ok(()) => copied += 1,
                Err(_) if !inner.exists() => {}
                Err(error) => return Err(error),
            }
        }
    }
    File::open(to)?.sync_all().with_context(shown)?;
    Ok(copied)
}
