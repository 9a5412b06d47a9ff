//! Opens connections, each with the same settings.

use std::{
    fs::OpenOptions, io::ErrorKind, os::unix::fs::OpenOptionsExt, path::Path, time::Duration,
};

use rusqlite::{Connection, OpenFlags, config::DbConfig};

use super::{SqliteOptions, checkpoint, session::failure};
use crate::DbError;

/// How long a connection waits for a lock that another program (a backup, a command) holds.
const LOCK_WAIT: Duration = Duration::from_secs(5);
/// Prepared statements kept per connection: more than the service has texts on its hot paths.
const STATEMENTS: usize = 128;
/// After a long burst the write-ahead log's file is cut back to this many bytes.
const WAL_FILE_BYTES: i64 = 64 << 20;

/// What a connection is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Role {
    /// Commits.
    Writer,
    /// Reads only; the database refuses anything else.
    Reader,
    /// Moves the write-ahead log into the database.
    Checkpointer,
}

/// Opens the file, which is created when it is not there.
pub(crate) fn open(options: &SqliteOptions, role: Role) -> Result<Connection, DbError> {
    if role == Role::Writer {
        create(&options.path)?;
    }
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let opened = || -> rusqlite::Result<Connection> {
        let connection = Connection::open_with_flags(&options.path, flags)?;
        connection.busy_timeout(LOCK_WAIT)?;
        if role == Role::Writer {
            connection.pragma_update_and_check(None, "journal_mode", "wal", |_| Ok(()))?;
        }
        configure(&connection, options, role)?;
        Ok(connection)
    };
    opened().map_err(|error| failure(&error, "open"))
}

/// Opens a database that lives in memory.
pub(crate) fn open_in_memory() -> Result<Connection, DbError> {
    let opened = || -> rusqlite::Result<Connection> {
        let connection = Connection::open_in_memory()?;
        configure(&connection, &SqliteOptions::new(""), Role::Writer)?;
        Ok(connection)
    };
    opened().map_err(|error| failure(&error, "open"))
}

fn configure(connection: &Connection, options: &SqliteOptions, role: Role) -> rusqlite::Result<()> {
    let cache_kib = match role {
        Role::Writer => options.writer_cache_kib,
        Role::Reader => options.reader_cache_kib,
        Role::Checkpointer => 64,
    };
    // A misspelt "name" would else be taken for a string.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DML, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_DQS_DDL, false)?;
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_TRUSTED_SCHEMA, false)?;
    // Else a statement whose plan looked at a parameter is compiled again for every other value.
    connection.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    connection.pragma_update(None, "synchronous", options.survives.word())?;
    connection.pragma_update(None, "temp_store", "memory")?;
    connection.pragma_update(None, "foreign_keys", "on")?;
    // A negative size is in KiB.
    connection.pragma_update(None, "cache_size", -i64::from(cache_kib))?;
    connection.pragma_update_and_check(None, "journal_size_limit", WAL_FILE_BYTES, |_| Ok(()))?;
    connection.pragma_update_and_check(None, "wal_autocheckpoint", 0, |_| Ok(()))?;
    connection
        .pragma_update_and_check(None, "secure_delete", options.overwrite.word(), |_| Ok(()))?;
    connection.set_prepared_statement_cache_capacity(STATEMENTS);
    match role {
        Role::Writer => checkpoint::watch(connection),
        Role::Reader => connection.pragma_update(None, "query_only", "on")?,
        Role::Checkpointer => {}
    }
    Ok(())
}

/// Creates the file for its owner alone. SQLite gives the files next to it the same mode.
fn create(path: &Path) -> Result<(), DbError> {
    match OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)
    {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == ErrorKind::AlreadyExists => Ok(()),
        Err(error) => Err(DbError::Storage(format!("{}: {error}", path.display()))),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_connection_has_its_settings() {
        let directory = tempfile::tempdir().unwrap();
        let options = SqliteOptions {
            overwrite: crate::Overwrite::Everything,
            ..SqliteOptions::new(directory.path().join("t.db"))
        };
        for (role, cache) in [
            (Role::Writer, -4096),
            (Role::Reader, -1024),
            (Role::Checkpointer, -64),
        ] {
            let connection = open(&options, role).unwrap();
            let number = |pragma| {
                connection
                    .pragma_query_value(None, pragma, |row| row.get::<_, i64>(0))
                    .unwrap()
            };
            let journal: String = connection
                .pragma_query_value(None, "journal_mode", |row| row.get(0))
                .unwrap();
            assert_eq!(journal, "wal");
            assert_eq!(
                number("synchronous"),
                2,
                "full: each commit is flushed to the disk"
            );
            assert_eq!(number("temp_store"), 2);
            assert_eq!(number("foreign_keys"), 1);
            assert_eq!(number("cache_size"), cache);
            assert_eq!(number("busy_timeout"), 5000);
            assert_eq!(number("wal_autocheckpoint"), 0);
            assert_eq!(number("secure_delete"), 1);
            assert_eq!(number("query_only"), i64::from(role == Role::Reader));
        }
    }

    #[test]
    fn what_need_not_survive_the_machine_is_never_flushed() {
        let directory = tempfile::tempdir().unwrap();
        let options = SqliteOptions {
            survives: crate::Survives::TheProcess,
            ..SqliteOptions::new(directory.path().join("t.db"))
        };
        for role in [Role::Writer, Role::Reader, Role::Checkpointer] {
            let connection = open(&options, role).unwrap();
            let synchronous = connection
                .pragma_query_value(None, "synchronous", |row| row.get::<_, i64>(0))
                .unwrap();
            assert_eq!(synchronous, 0, "{role:?}");
        }
    }
}
