//! A database file as it is at one moment, to be copied while others work on it.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, backup::Backup};

use super::{SqliteOptions, connect, session::failure};
use crate::DbError;

/// Pages that are copied in one step; none is missed, since the moment stays.
const ALL: i32 = -1;

/// A database file as it was when this was made. Until it is dropped, the write-ahead log of the database can't start again.
pub struct Snapshot(Connection);

impl Snapshot {
    /// The file as it is now; another process may be at work on it.
    ///
    /// # Errors
    /// It is not there, or can't be read.
    pub fn of_file(path: &Path) -> Result<Self, DbError> {
        if !path.exists() {
            return Err(DbError::Unfounded);
        }
        let connection = connect::open(&SqliteOptions::new(path), connect::Role::Reader)?;
        let begin = || -> rusqlite::Result<()> {
            connection.execute_batch("begin")?;
            // The moment is that of the first look.
            connection.query_row("select count(*) from sqlite_schema", (), |_| Ok(()))
        };
        begin().map_err(|error| failure(&error, "begin"))?;
        Ok(Self(connection))
    }

    /// Writes a copy into a file, which must be empty. It is not flushed to the disk.
    ///
    /// # Errors
    /// The disk's.
    pub fn copy_to(&self, path: &Path) -> Result<(), DbError> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
        let copy = || -> rusqlite::Result<()> {
            let mut target = Connection::open_with_flags(path, flags)?;
            Backup::new(&self.0, &mut target)?.step(ALL)?;
            Ok(())
        };
        copy().map_err(|error| failure(&error, "a copy"))
    }
}
