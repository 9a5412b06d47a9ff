//! What a backup holds, in a file next to its databases. It is written last: a backup without it is not whole.

use std::{
    fs::{self, File},
    io::Read,
    path::Path,
};

use anyhow::{Context, bail, ensure};
use domain::caller::Mode;
use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

/// The manifest's name in a backup.
pub(super) const NAME: &str = "manifest.json";
/// The form of this manifest.
const FORMAT: u32 = 1;

/// What a backup holds.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Manifest {
    format: u32,
    /// The version of the program that made it.
    pub version: String,
    /// When the snapshot was taken. RFC 3339.
    pub made_at: String,
    /// `test` or `live`.
    pub mode: String,
    /// The installation's mark at that time.
    pub generation: Option<String>,
    /// The databases, in the order in which they were taken.
    pub files: Vec<Copied>,
    /// Files of attachments that were copied. What each must be stands in the store.
    #[serde(default)]
    pub attachments: u64,
}

/// One of its databases.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Copied {
    /// The file's name.
    pub name: String,
    /// Its length.
    pub bytes: u64,
    /// Of its content, in hexadecimal digits.
    pub sha256: String,
}

impl Manifest {
    pub(super) fn new(made_at: String, mode: &str, generation: Option<String>) -> Self {
        Self {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            made_at,
            mode: mode.to_owned(),
            generation,
            files: Vec::new(),
            attachments: 0,
        }
    }

    /// The mode of its data.
    pub fn mode(&self) -> Mode {
        match self.mode.as_str() {
            "live" => Mode::Live,
            _ => Mode::Test,
        }
    }

    /// Notes a file that is complete.
    pub(super) fn add(&mut self, dir: &Path, name: &str) -> anyhow::Result<()> {
        self.files.push(copied(&dir.join(name), name)?);
        Ok(())
    }

    /// Writes it next to the databases.
    pub(super) fn write(&self, dir: &Path) -> anyhow::Result<()> {
        let path = dir.join(NAME);
        let mut text = serde_json::to_vec_pretty(self)?;
        text.push(b'\n');
        fs::write(&path, text).with_context(|| path.display().to_string())?;
        File::open(&path)?.sync_all()?;
        File::open(dir)?.sync_all()?;
        Ok(())
    }

    /// Reads it, and holds every file against it.
    ///
    /// # Errors
    /// It is not a whole backup, or a file is not what was written.
    pub fn read(dir: &Path) -> anyhow::Result<Self> {
        let path = dir.join(NAME);
        let text = fs::read(&path).with_context(|| {
            format!(
                "{} is no backup, or was not completed: {} can't be read",
                dir.display(),
                path.display()
            )
        })?;
        let manifest: Self = serde_json::from_slice(&text)
            .with_context(|| format!("{} is not a manifest of ours", path.display()))?;
        ensure!(
            manifest.format == FORMAT,
            "{} was made by another release ({})",
            dir.display(),
            manifest.version
        );
        for file in &manifest.files {
            if file.name.contains('/') {
                bail!("{} names a file elsewhere", path.display());
            }
            let there = copied(&dir.join(&file.name), &file.name)?;
            ensure!(
                there == *file,
                "{} in {} is not what was backed up: its length or its SHA-256 differs from the manifest",
                file.name,
                dir.display()
            );
        }
        Ok(manifest)
    }
}

fn copied(path: &Path, name: &str) -> anyhow::Result<Copied> {
    let shown = || path.display().to_string();
    let mut file = File::open(path).with_context(shown)?;
    let (mut digest, mut bytes) = (Sha256::new(), 0_u64);
    let mut part = vec![0; 1 << 16];
    loop {
        let read = file.read(&mut part).with_context(shown)?;
        let Some(read) = part.get(..read).filter(|read| !read.is_empty()) else {
            break;
        };
        digest.update(read);
        bytes += u64::try_from(read.len()).unwrap_or_default();
    }
    Ok(Copied {
        name: name.to_owned(),
        bytes,
        sha256: hex::encode(digest.finalize()),
    })
}
