//! A database in memory without a queue: its owner ends each transaction.

use domain::Timestamp;
use rusqlite::hooks::Action;

use super::{Session, open_in_memory};
use crate::{DbError, Migration, Row, Statement, group::Refusal, migrate};

/// A database in memory, one connection, for the model of a server.
pub struct Memory(Session);

impl Memory {
    /// A database with these tables, made at `now`.
    ///
    /// # Errors
    /// A migration can't be applied.
    pub fn new(migrations: &[Migration], now: Timestamp) -> Result<Self, DbError> {
        let connection = open_in_memory()?;
        migrate::apply(&connection, migrations, now)?;
        Ok(Self(Session::new(connection)))
    }

    /// Calls `note` with the table and the number of each row that is updated or deleted from now on, also by what is
    /// undone later.
    pub fn on_change(&self, mut note: impl FnMut(&str, i64) + Send + 'static) {
        self.0
            .connection()
            .update_hook(Some(move |action, _: &str, table: &str, row| {
                if action != Action::SQLITE_INSERT {
                    note(table, row);
                }
            }));
    }

    /// What statements take for the stamp of their commit from now on, and for what is settled.
    pub fn stamp(&self, stamp: i64, settled: i64) {
        self.0.stamps().publish(stamp, settled);
    }

    /// Begins a transaction.
    ///
    /// # Errors
    /// One is open.
    pub fn begin(&self) -> Result<(), DbError> {
        self.0.begin()
    }

    /// Runs a statement that returns no rows. Returns how many rows it touched.
    ///
    /// # Errors
    /// Why it did not run.
    pub fn run(&mut self, statement: &Statement) -> Result<u64, Refusal> {
        self.0.run(statement)
    }

    /// Runs a statement to its end and returns its rows.
    ///
    /// # Errors
    /// Why it did not run.
    pub fn rows(&mut self, statement: &Statement) -> Result<Vec<Row>, Refusal> {
        self.0.rows(statement)
    }

    /// Commits what is open. In memory nothing can go wrong with that.
    pub fn commit(&mut self) {
        self.0.commit();
    }

    /// Undoes what is open, if anything.
    pub fn undo(&mut self) {
        self.0.rollback();
    }
}
