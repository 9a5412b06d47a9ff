//! Commit stamps: the order in which commits became visible, for readers that must miss none.
//!
//! # Why
//! A reader that follows a table by a number drawn before the commit misses rows: a transaction that drew a lower number may commit
//! after one that drew a higher one, and the reader has gone past by then. A *stamp* is a number of the commit, together with a
//! bound below which no commit is still open.
//!
//! # How it works
//! A row bears a stamp by [`crate::Insert::stamped`] (in a text: `commit_stamp()`), and a reader takes the rows with
//! `stamp < settled_stamp()` in one statement.
//! - **On a server** a stamp is the transaction's id above a base, and what is settled lies below the oldest transaction of
//!   the statement's own snapshot that is still open. So an older writer that is open holds younger rows back. It is never
//!   passed over. All changes of one transaction have one stamp.
//! - **Embedded** one writer gives each change the next stamp: that of the clock in microseconds, and more than the one before. Whatever a
//!   reader sees is settled. How far the stamps have come is on disk a little ahead, so that a restart never goes back.
//!
//! The base is drawn so that stamps are microseconds of the clock when it is drawn: at birth, and whenever
//! [`crate::Db::raise_stamps`] is called: after a move, and when a copy that was restored is to be served. Stamps never go back
//! as long as a server begins fewer than a million transactions a second.
//!
//! # What is not promised
//! Stamps have gaps, and their order is that of commits only between what is settled. A long transaction that writes, no matter whose it is, in the
//! server's whole cluster, holds back what is settled. It makes no gap.

use std::{
    borrow::Cow,
    sync::{
        Arc,
        atomic::{AtomicI64, Ordering},
    },
};

use domain::Timestamp;
use rusqlite::{Connection, functions::FunctionFlags};

/// The stamp of the commit that the statement belongs to, in a portable text.
pub(crate) const STAMP: &str = "commit_stamp()";
/// Below it no commit is open, in a portable text.
const SETTLED: &str = "settled_stamp()";
/// Not below any stamp that was given.
const HIGHEST: &str = "highest_stamp(base)";
/// The base that makes all later stamps higher than `$1`.
const RAISED: &str = "raised_stamp(base, $1)";

/// Raises the stamps above `$1`.
pub(crate) const RAISE: &str =
    "update schema_stamp set base = raised_stamp(base, $1) where one = 1";
/// Reads the highest stamp that may have been given.
pub(crate) const LATEST: &str = "select highest_stamp(base) from schema_stamp where one = 1";

/// The table on a server, with the base. For the task that makes a schema.
pub(crate) const SERVER_BOOK: &str = "create table if not exists schema_stamp \
    (one bigint not null, base bigint not null, primary key (one)); \
    insert into schema_stamp (one, base) select 1, \
    floor(extract(epoch from clock_timestamp()) * 1000000)::bigint - pg_current_xact_id()::text::bigint \
    on conflict (one) do nothing";
/// The table of an embedded database: how far stamps may have come.
pub(crate) const EMBEDDED_BOOK: &str = "create table if not exists schema_stamp \
    (one integer not null, base integer not null, primary key (one)) strict; \
    insert or ignore into schema_stamp (one, base) values (1, 0)";

/// How far ahead of the stamps their limit on disk is set, so that it is written once in a while. Unit: microseconds of the clock.
const AHEAD: i64 = 10_000_000;

/// The text as PostgreSQL has it.
pub(crate) fn on_server(sql: &str) -> Cow<'_, str> {
    const BASE: &str = "(select base from schema_stamp where one = 1)";
    if !sql.contains("_stamp(") {
        return sql.into();
    }
    let own = "pg_current_xact_id()::text::bigint";
    let oldest = "pg_snapshot_xmin(pg_current_snapshot())::text::bigint";
    let next = "pg_snapshot_xmax(pg_current_snapshot())::text::bigint";
    let now = "floor(extract(epoch from clock_timestamp()) * 1000000)::bigint";
    sql.replace(STAMP, &format!("({BASE} + {own})"))
        .replace(SETTLED, &format!("({BASE} + {oldest})"))
        .replace(HIGHEST, &format!("base + {next}"))
        .replace(
            RAISED,
            &format!("greatest(base, $1 + 1 - {own}, {now} - {own})"),
        )
        .into()
}

/// Whether a text gives its rows a stamp.
pub(crate) fn stamps(sql: &str) -> bool {
    sql.contains(STAMP)
}

/// The stamps of an embedded database, on one connection.
pub(crate) struct Stamps {
    /// What the functions of the connection tell.
    cells: Arc<StampCells>,
    /// The last stamp that was given, once that is known.
    last: Option<i64>,
    /// The limit on disk.
    limit: i64,
    /// The limit that the open transaction sets.
    setting: Option<i64>,
}

struct StampCells {
    stamp: AtomicI64,
    settled: AtomicI64,
    /// Stamps must be higher than this.
    floor: AtomicI64,
}

impl Stamps {
    /// Gives the connection the functions of portable texts.
    pub(crate) fn on(connection: &Connection) -> Self {
        let cells = Arc::new(StampCells {
            stamp: AtomicI64::new(0),
            settled: AtomicI64::new(i64::MAX),
            floor: AtomicI64::new(0),
        });
        let (own, settled, floor) = (Arc::clone(&cells), Arc::clone(&cells), Arc::clone(&cells));
        let flags = FunctionFlags::SQLITE_UTF8;
        let made = connection
            .create_scalar_function("commit_stamp", 0, flags, move |_| {
                Ok(own.stamp.load(Ordering::Relaxed))
            })
            .and_then(|()| {
                connection.create_scalar_function("settled_stamp", 0, flags, move |_| {
                    Ok(settled.settled.load(Ordering::Relaxed))
                })
            })
            .and_then(|()| {
                connection
                    .create_scalar_function("highest_stamp", 1, flags, |call| call.get::<i64>(0))
            })
            .and_then(|()| {
                connection.create_scalar_function("raised_stamp", 2, flags, move |call| {
                    let (base, above) = (call.get::<i64>(0)?, call.get::<i64>(1)?);
                    floor.floor.fetch_max(above, Ordering::Relaxed);
                    Ok(base.max(above))
                })
            });
        if let Err(error) = made {
            // Statements that need them are refused then.
            tracing::error!(%error, "the database has no functions for stamps");
        }
        Self {
            cells,
            last: None,
            limit: 0,
            setting: None,
        }
    }

    /// Gives the change that begins now its stamp.
    pub(crate) fn next(&mut self, connection: &Connection, now: Timestamp) -> rusqlite::Result<()> {
        let last = if let Some(last) = self.last {
            last
        } else {
            let limit = "select base from schema_stamp where one = 1";
            self.limit = connection.query_row(limit, (), |row| row.get(0))?;
            self.limit
        };
        let floor = self.cells.floor.load(Ordering::Relaxed);
        let stamp = last.max(floor).saturating_add(1).max(now.micros());
        if stamp > self.setting.unwrap_or(self.limit) {
            let limit = stamp.saturating_add(AHEAD);
            connection
                .prepare_cached("update schema_stamp set base = max(base, ?1) where one = 1")?
                .execute((limit,))?;
            self.setting = Some(limit);
        }
        self.last = Some(stamp);
        self.cells.stamp.store(stamp, Ordering::Relaxed);
        Ok(())
    }

    /// The open transaction is committed, or not.
    pub(crate) fn ended(&mut self, committed: bool) {
        let set = self.setting.take();
        if let Some(limit) = set.filter(|_| committed) {
            self.limit = limit;
        }
    }

    /// What the functions tell from now on, where a model of a server numbers transactions.
    pub(crate) fn publish(&self, stamp: i64, settled: i64) {
        self.cells.stamp.store(stamp, Ordering::Relaxed);
        self.cells.settled.store(settled, Ordering::Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The stamp of a change on a connection that was opened again, at this time of the clock.
    fn stamp(path: &std::path::Path, now: i64, committed: bool) -> i64 {
        let connection = Connection::open(path).unwrap();
        connection.execute_batch(EMBEDDED_BOOK).unwrap();
        let mut stamps = Stamps::on(&connection);
        connection.execute_batch("begin immediate").unwrap();
        stamps
            .next(&connection, Timestamp::from_micros(now))
            .unwrap();
        let stamp = connection
            .query_row("select commit_stamp()", (), |row| row.get(0))
            .unwrap();
        let end = if committed { "commit" } else { "rollback" };
        connection.execute_batch(end).unwrap();
        stamps.ended(committed);
        stamp
    }

    #[test]
    fn stamps_never_go_back_over_restarts_and_clocks_that_are_set_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("stamps.db");
        let mut latest = 0;
        for now in [
            5_000_000_000,
            1_000_000,
            2_000_000,
            5_000_000_001,
            9_000_000_000,
        ] {
            let given = stamp(&path, now, true);
            assert!(
                given > latest && given >= now,
                "{now}: {given} after {latest}"
            );
            latest = given;
        }
        assert_eq!(latest, 9_000_000_000, "a clock that is right is followed");
        // What was undone was given to nobody.
        assert!(stamp(&path, 20_000_000_000, false) > latest);
        assert!(stamp(&path, 9_000_000_001, true) < 20_000_000_000);
    }

    #[test]
    fn one_connection_gives_each_change_the_next_stamp_and_writes_its_limit_seldom() {
        let connection = Connection::open_in_memory().unwrap();
        connection.execute_batch(EMBEDDED_BOOK).unwrap();
        let mut stamps = Stamps::on(&connection);
        let now = Timestamp::from_micros(1_000);
        let mut given = Vec::new();
        for _ in 0..5 {
            stamps.next(&connection, now).unwrap();
            given.push(stamps.cells.stamp.load(Ordering::Relaxed));
            stamps.ended(true);
        }
        assert_eq!(given, [1_000, 1_001, 1_002, 1_003, 1_004]);
        assert_eq!(connection.changes(), 1);
        assert_eq!(stamps.limit, 1_000 + AHEAD);
    }

    #[test]
    fn a_server_has_expressions_in_the_place_of_functions() {
        assert_eq!(on_server("select 1"), "select 1");
        let insert = on_server("insert into t (a, stamp) values ($1, commit_stamp())");
        assert!(insert.ends_with(
            "values ($1, ((select base from schema_stamp where one = 1) + pg_current_xact_id()::text::bigint))"
        ));
        let read = on_server("select a from t where stamp < settled_stamp()");
        assert!(read.contains("pg_snapshot_xmin(pg_current_snapshot())"));
        for text in [RAISE, LATEST] {
            assert!(!on_server(text).contains("_stamp("), "{text}");
        }
    }
}
