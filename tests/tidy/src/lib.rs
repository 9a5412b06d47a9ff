//! What the tests of how the project is written have in common: its files, and the SQL in them.
#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::missing_panics_doc,
    reason = "only tests use it, and a test may panic"
)]

use std::{
    fs,
    path::{Path, PathBuf},
};

pub mod parameters;
pub mod parts;
pub mod sql;

/// The root of the repository.
pub fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .canonicalize()
        .unwrap()
}

/// Every file below `folder` with one of the endings, without what tools leave behind.
pub fn files(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(next) = folders.pop() {
        for entry in
            fs::read_dir(&next).unwrap_or_else(|error| panic!("{}: {error}", next.display()))
        {
            let path = entry.unwrap().path();
            let name = path.file_name().unwrap().to_string_lossy().into_owned();
            if path.is_dir() {
                if !matches!(
                    name.as_str(),
                    "target" | "node_modules" | ".git" | "pointsman-data"
                ) {
                    folders.push(path);
                }
            } else if endings.iter().any(|ending| name.ends_with(ending)) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

/// A file's text.
pub fn text(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The file's text without its unit tests.
pub fn code(path: &Path) -> String {
    let whole = text(path);
    let tests = whole.match_indices("#[cfg(test)]").find(|(at, _)| {
        let rest = &whole[*at..];
        let item = rest.find("\nmod ").map(|start| &rest[start..]);
        // Tests in a file of their own are left out by their path.
        item.and_then(|item| item.lines().nth(1))
            .is_some_and(|line| line.ends_with('{'))
    });
    tests
        .map_or(whole.as_str(), |(at, _)| &whole[..at])
        .to_owned()
}

/// A path as messages show it.
pub fn shown(path: &Path) -> String {
    path.strip_prefix(root())
        .unwrap_or(path)
        .display()
        .to_string()
}
