//! A connection that runs our statements.

use std::{borrow::Cow, collections::HashMap};

use domain::Timestamp;
use rusqlite::{CachedStatement, Connection, ErrorCode, ffi, types::Null, types::ValueRef};

use crate::{
    DbError, Row, Statement, Value,
    group::{Refusal, repeats_a_value, shown},
    row::unfit,
    sql,
    stamp::Stamps,
};

/// A connection with the texts that it has rewritten.
pub(crate) struct Session {
    /// A transaction ended so that nobody knows how: nothing must be written on it any more.
    is_broken: bool,
    connection: Connection,
    /// Rewritten texts by the address and length of the static text that they come from. Never iterated.
    texts: HashMap<(usize, usize), Box<str>>,
    stamps: Stamps,
    /// The time that stamps begin with.
    now: Timestamp,
}

impl Session {
    pub(crate) fn new(connection: Connection) -> Self {
        Self {
            is_broken: false,
            stamps: Stamps::on(&connection),
            now: Timestamp::from_micros(0),
            connection,
            texts: HashMap::new(),
        }
    }

    /// Says what time it is.
    pub(crate) fn at(&mut self, now: Timestamp) {
        self.now = now;
    }

    /// Gives the change that begins in the open transaction its stamp.
    pub(crate) fn take_stamp(&mut self) -> Result<(), DbError> {
        let taken = self.stamps.next(&self.connection, self.now);
        taken.map_err(|error| failure(&error, "the stamp of a change"))
    }

    /// The stamps that the connection tells.
    pub(crate) fn stamps(&self) -> &Stamps {
        &self.stamps
    }

    pub(crate) fn connection(&self) -> &Connection {
        &self.connection
    }

    /// Runs a statement that returns no rows. Returns how many rows it touched.
    pub(crate) fn run(&mut self, statement: &Statement) -> Result<u64, Refusal> {
        let mut work = || -> rusqlite::Result<Ran<u64>> {
            let mut prepared = prepare(&self.connection, &mut self.texts, statement)?;
            if prepared.parameter_count() != statement.params.len() {
                return Ok(Ran::Miscounted(prepared.parameter_count()));
            }
            bind(&mut prepared, &statement.params)?;
            let touched = prepared.raw_execute()?;
            Ok(Ran::Well(u64::try_from(touched).unwrap_or(u64::MAX)))
        };
        let ran = work();
        outcome(ran, statement)
    }

    /// Runs a statement to its end and returns its rows.
    pub(crate) fn rows(&mut self, statement: &Statement) -> Result<Vec<Row>, Refusal> {
        let mut work = || -> rusqlite::Result<Ran<Result<Vec<Row>, DbError>>> {
            let mut prepared = prepare(&self.connection, &mut self.texts, statement)?;
            if prepared.parameter_count() != statement.params.len() {
                return Ok(Ran::Miscounted(prepared.parameter_count()));
            }
            bind(&mut prepared, &statement.params)?;
            let columns = prepared.column_count();
            let mut rows = prepared.raw_query();
            let mut collected = Vec::new();
            while let Some(row) = rows.next()? {
                let values = (0..columns).map(|index| {
                    row.get_ref(index).map_or_else(
                        |_| Err(unfit(index, "is missing")),
                        |found| value(index, found),
                    )
                });
                match values.collect::<Result<_, _>>() {
                    Ok(values) => collected.push(Row::new(values)),
                    Err(error) => return Ok(Ran::Well(Err(error))),
                }
            }
            Ok(Ran::Well(Ok(collected)))
        };
        let ran = work();
        outcome(ran, statement)?.map_err(Refusal::Defect)
    }

    /// Begins a transaction that writes.
    pub(crate) fn begin(&self) -> Result<(), DbError> {
        self.control("begin immediate")
            .map_err(|error| failure(&error, "begin immediate"))
    }

    /// Makes the transaction last.
    pub(crate) fn commit(&mut self) -> Sealed {
        let Err(error) = self.control("commit") else {
            self.stamps.ended(true);
            return Sealed::Yes;
        };
        self.stamps.ended(false);
        let reported = failure(&error, "commit");
        let is_undone = if self.is_ended() {
            could_not_write(&error)
        } else {
            // It is open still, so that it can be undone.
            self.rollback();
            !self.is_broken
        };
        if is_undone {
            return Sealed::Undone(reported);
        }
        tracing::error!(%error, "the database could not end a transaction and its outcome is unknown: nothing more is written");
        self.is_broken = true;
        Sealed::Unknown
    }

    /// Undoes the transaction, if SQLite has not done so already.
    pub(crate) fn rollback(&mut self) {
        self.stamps.ended(false);
        if self.is_ended() {
            return;
        }
        if let Err(error) = self.control("rollback")
            && !self.is_ended()
        {
            tracing::error!(%error, "the database could not undo a transaction: nothing more is written");
            self.is_broken = true;
        }
    }

    /// Whether nothing must be written any more.
    pub(crate) fn is_broken(&self) -> bool {
        self.is_broken
    }

    /// Whether no transaction is open.
    pub(crate) fn is_ended(&self) -> bool {
        self.connection.is_autocommit()
    }

    fn control(&self, text: &'static str) -> rusqlite::Result<()> {
        self.connection.prepare_cached(text)?.execute(()).map(drop)
    }
}

/// How a COMMIT ended.
#[derive(Debug)]
pub(crate) enum Sealed {
    /// It is on stable storage.
    Yes,
    /// Nothing of it is there, and nothing will be.
    Undone(DbError),
    /// Nobody knows whether it will be there after a restart.
    Unknown,
}

/// Whether a COMMIT failed because its pages could not be written into the write-ahead log (a full disk, a limit on files). The
/// last of them makes the commit, so that it can't be whole there, and SQLite has taken back the others. Whatever comes later, the
/// flush and the log's index, fails with other codes, and then the commit may be found whole after a restart.
fn could_not_write(error: &rusqlite::Error) -> bool {
    error.sqlite_error().is_some_and(|error| {
        matches!(
            error.extended_code,
            ffi::SQLITE_FULL | ffi::SQLITE_IOERR_WRITE
        )
    })
}

enum Ran<T> {
    Well(T),
    /// The number of parameters that the statement has.
    Miscounted(usize),
}

fn outcome<T>(ran: rusqlite::Result<Ran<T>>, statement: &Statement) -> Result<T, Refusal> {
    match ran {
        Ok(Ran::Well(result)) => Ok(result),
        Ok(Ran::Miscounted(wanted)) => {
            let message = format!(
                "it takes {wanted} parameters and was given {}",
                statement.params.len()
            );
            Err(Refusal::Defect(DbError::Sql {
                message,
                sql: shown(statement),
            }))
        }
        Err(error) => Err(refusal(&error, statement)),
    }
}

fn prepare<'a>(
    connection: &'a Connection,
    texts: &'a mut HashMap<(usize, usize), Box<str>>,
    statement: &Statement,
) -> rusqlite::Result<CachedStatement<'a>> {
    match &statement.sql {
        Cow::Borrowed(text) => {
            let place = (text.as_ptr().addr(), text.len());
            connection.prepare_cached(
                texts
                    .entry(place)
                    .or_insert_with(|| sql::numbered(text).into()),
            )
        }
        Cow::Owned(text) => connection.prepare_cached(&sql::numbered(text)),
    }
}

fn bind(prepared: &mut CachedStatement<'_>, params: &[Value]) -> rusqlite::Result<()> {
    for (index, param) in (1..).zip(params) {
        match param {
            Value::Null => prepared.raw_bind_parameter(index, Null)?,
            Value::Int(number) => prepared.raw_bind_parameter(index, number)?,
            Value::Text(text) => prepared.raw_bind_parameter(index, text)?,
        }
    }
    Ok(())
}

fn value(index: usize, found: ValueRef<'_>) -> Result<Value, DbError> {
    match found {
        ValueRef::Null => Ok(Value::Null),
        ValueRef::Integer(number) => Ok(Value::Int(number)),
        ValueRef::Text(bytes) => match std::str::from_utf8(bytes) {
            Ok(text) => Ok(Value::Text(text.to_owned())),
            Err(_) => Err(unfit(index, "is not UTF-8")),
        },
        ValueRef::Real(_) | ValueRef::Blob(_) => {
            Err(unfit(index, "is neither a number nor a text"))
        }
    }
}

fn refusal(error: &rusqlite::Error, statement: &Statement) -> Refusal {
    let mut failed = failure(error, &shown(statement));
    if let DbError::Sql { message, .. } = &mut failed
        && repeats_a_value(message, &statement.params)
    {
        "the message is left out since it repeats a value".clone_into(message);
    }
    match (
        &failed,
        error.sqlite_error().map(|error| error.extended_code),
    ) {
        (
            _,
            Some(
                ffi::SQLITE_CONSTRAINT_UNIQUE
                | ffi::SQLITE_CONSTRAINT_PRIMARYKEY
                | ffi::SQLITE_CONSTRAINT_ROWID,
            ),
        ) => Refusal::Taken(failed),
        (DbError::Sql { .. }, _) => Refusal::Defect(failed),
        _ => Refusal::Storage(failed),
    }
}

/// Our error for one of SQLite's.
pub(crate) fn failure(error: &rusqlite::Error, sql: &str) -> DbError {
    match error.sqlite_error_code() {
        Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => DbError::Busy,
        Some(ErrorCode::DatabaseCorrupt | ErrorCode::NotADatabase) => {
            DbError::Corrupt(error.to_string())
        }
        Some(
            ErrorCode::CannotOpen
            | ErrorCode::DiskFull
            | ErrorCode::FileLockingProtocolFailed
            | ErrorCode::NoLargeFileSupport
            | ErrorCode::OperationInterrupted
            | ErrorCode::OutOfMemory
            | ErrorCode::PermissionDenied
            | ErrorCode::ReadOnly
            | ErrorCode::SystemIoFailure,
        ) => DbError::Storage(error.to_string()),
        _ => DbError::Sql {
            message: message(error),
            sql: sql.to_owned(),
        },
    }
}

/// What went wrong, without the statement's text, which the error has on its own.
fn message(error: &rusqlite::Error) -> String {
    match error {
        rusqlite::Error::SqlInputError { msg, .. } => msg.clone(),
        other => other.to_string(),
    }
}
