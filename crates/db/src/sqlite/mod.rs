//! SQLite: one writer that commits in groups, and connections that read.

mod checkpoint;
mod connect;
mod inline;
mod judge;
mod memory;
mod readers;
mod session;
mod settle;
mod snapshot;
mod threaded;
mod writer;

use std::path::PathBuf;

use connect::open_in_memory;
pub(crate) use inline::Inline;
pub use memory::Memory;
use session::Session;
pub(crate) use session::failure;
pub use snapshot::Snapshot;
pub(crate) use threaded::Threaded;

use crate::{DbError, Migration, Step, migrate};

/// How a SQLite database is opened. Memory: at most `writer_cache_kib + 3/2 · readers · reader_cache_kib` of page cache.
#[derive(Debug, Clone)]
pub struct SqliteOptions {
    /// The database's file; its directory must exist. A new file is readable by its owner alone.
    pub path: PathBuf,
    /// Connections for point reads; half as many again for scans. At least 1.
    pub readers: usize,
    /// How many changes may wait; one more is [`crate::DbError::Busy`].
    pub queue: usize,
    /// How many changes share one commit at most.
    pub batch: usize,
    /// Page cache of the writer, in KiB.
    pub writer_cache_kib: u32,
    /// Page cache of each reader, in KiB.
    pub reader_cache_kib: u32,
    /// The write-ahead log is moved into the database when it is longer than this, in KiB.
    pub wal_kib: u32,
    /// What of deleted content is overwritten with zeros in the database's file.
    pub overwrite: Overwrite,
    /// What a commit survives.
    pub survives: Survives,
}

/// What of deleted content is overwritten with zeros in the database's file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Overwrite {
    /// Nothing: it stays until its place is used again.
    Nothing,
    /// What stands in pages that are written anyway. A page that is freed whole keeps its content until it is used again.
    Pages,
    /// Everything, at the price of writing freed pages too.
    Everything,
}

/// What an acknowledged commit survives.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Survives {
    /// A power cut: it is flushed to the disk, and waited for.
    TheMachine,
    /// The end of this process, also by a kill; nothing waits for the disk. A power cut may lose or damage it. For data that a
    /// test can make again.
    TheProcess,
}

impl Survives {
    /// The word of SQLite's `synchronous`.
    const fn word(self) -> &'static str {
        match self {
            Self::TheMachine => "full",
            Self::TheProcess => "off",
        }
    }
}

impl Overwrite {
    /// The word of SQLite's `secure_delete`.
    const fn word(self) -> &'static str {
        match self {
            Self::Nothing => "off",
            Self::Pages => "fast",
            Self::Everything => "on",
        }
    }
}

/// The migrations that a file lacks; all of them where it is not there.
pub(crate) fn lacking(
    options: &SqliteOptions,
    migrations: &[Migration],
) -> Result<Vec<Step>, DbError> {
    if !options.path.exists() {
        return Ok(migrations.iter().map(Step::of).collect());
    }
    let connection = connect::open(options, connect::Role::Reader)?;
    migrate::lacking(&connection, migrations)
}

impl SqliteOptions {
    /// The settings that suit a service with one database of payments.
    pub fn new(path: impl Into<PathBuf>) -> Self {
        Self {
            path: path.into(),
            readers: 4,
            queue: 4096,
            batch: 128,
            writer_cache_kib: 4096,
            reader_cache_kib: 1024,
            wal_kib: 8192,
            overwrite: Overwrite::Nothing,
            survives: Survives::TheMachine,
        }
    }

    /// The name of the database in metrics: that of its file.
    fn label(&self) -> String {
        self.path.file_stem().map_or_else(
            || "memory".to_owned(),
            |name| name.to_string_lossy().into_owned(),
        )
    }
}
