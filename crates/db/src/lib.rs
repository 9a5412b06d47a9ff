//! The small door to the database.
//!
//! **Writes are values.** There is no interactive transaction: a use case builds a [`Change`], a list of statements with
//! the number of rows that each must touch, and [`Db::commit`] runs it all or nothing. So no outside call can ever sit
//! inside a transaction, one SQL text can serve several databases, and changes that wait at the same moment share one
//! commit (and one flush to the disk).
//!
//! **What is promised.** [`Committed::Done`] means that the change is on stable storage. [`Committed::Conflict`] means
//! that nothing of it was written, because a count was not met or a unique key was taken *in the committed state*: a
//! change that fails behind another one of the same batch is judged again after that one has committed. Changes of one
//! aggregate are applied in the order in which they came. Put the guarded statement first: a change that is refused
//! before it has touched anything costs its neighbours nothing.
//!
//! **What is not.** A caller that stops waiting does not stop its change; give it a [`Change::give_up_at`]. Every guard
//! must sit on a row that the same statement updates, or on a unique index: SQLite's single writer would hide another
//! kind of guard, and a database with several writers would break it.
//!
//! SQL is the portable subset: `$1…$n` parameters, `text` and `bigint` columns, times in microseconds UTC, 0 and 1 for no
//! and yes. On SQLite `$n` becomes `?n`, `bigint` becomes `integer`, and every table is `strict`. On PostgreSQL `text`
//! becomes `text collate "C"`, so that texts are ordered by their bytes on both.

mod change;
mod dates;
mod door;
mod error;
mod group;
mod migrate;
mod parts;
mod postgres;
mod row;
pub mod server;
mod sql;
mod sqlite;
mod stamp;
mod table;
mod value;

pub use change::{Change, ChangeId, Committed, Expect, Lane, Statement};
pub use dates::{Date, TOLERANCE};
pub use door::Db;
pub use error::DbError;
pub use migrate::{Migration, Step, Tables, blocking_indexes, not_for_older_code, nullable_keys};
pub use parts::{Insert, Parts, Select, Update};
pub use postgres::{Lanes, PostgresOptions};
pub use row::Row;
pub use sqlite::{Overwrite, Snapshot, SqliteOptions, Survives};
pub use table::{Table, tables};
pub use value::Value;
