//! Migrations: the tables grow by numbered steps that are applied once and never edited.

use domain::Timestamp;
use rusqlite::Connection;
use sha2::{Digest, Sha256};

use crate::{DbError, sql, sqlite};

/// One numbered step of the schema. A released one is never edited: a database remembers its checksum.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    /// Its number: 1, 2, 3, without gaps.
    pub number: u32,
    /// What it brings, in a few words.
    pub name: &'static str,
    /// Portable text (`bigint`, `text`), one or more statements.
    pub sql: &'static str,
}

impl Migration {
    pub(crate) fn checksum(&self) -> String {
        hex::encode(Sha256::digest(self.sql))
    }
}

const BOOK: &str = "create table if not exists schema_migration (\
    number integer not null, name text not null, checksum text not null, applied_at integer not null, \
    primary key (number)) strict";

const NOTE: &str = "insert into schema_migration (number, name, checksum, applied_at) values (?1, ?2, ?3, ?4)";

/// Brings the database up to the last of the migrations. Each is one transaction, so that a crash leaves whole steps.
pub(crate) fn apply(connection: &Connection, migrations: &[Migration], now: Timestamp) -> Result<(), DbError> {
    check_numbers(migrations)?;
    connection.execute_batch(BOOK).map_err(|error| sqlite::failure(&error, BOOK))?;
    loop {
        // The lock comes before the look, so that of two programs that start at once only one applies a step.
        connection.execute_batch("begin immediate").map_err(|error| sqlite::failure(&error, "begin immediate"))?;
        match step(connection, migrations, now) {
            Ok(applied) => {
                connection.execute_batch("commit").map_err(|error| sqlite::failure(&error, "commit"))?;
                if applied == Applied::Nothing {
                    return Ok(());
                }
            }
            Err(error) => {
                // Nothing to add when this fails too: the caller drops the connection.
                let _ = connection.execute_batch("rollback");
                return Err(error);
            }
        }
    }
}

#[derive(PartialEq, Eq)]
enum Applied {
    OneStep,
    Nothing,
}

/// The migration that comes next, after those that were applied (number and checksum).
///
/// Errors: what was applied is not what this program knows.
pub(crate) fn next<'a>(
    applied: &[(i64, String)],
    migrations: &'a [Migration],
) -> Result<Option<&'a Migration>, DbError> {
    let mut known = migrations.iter();
    for (number, checksum) in applied {
        let Some(migration) = known.next() else {
            return Err(DbError::Schema(format!("it has migration {number}, which only a newer release knows")));
        };
        if i64::from(migration.number) != *number {
            return Err(DbError::Schema(format!("it lacks migration {}", migration.number)));
        }
        if migration.checksum() != *checksum {
            return Err(DbError::Schema(format!("migration {number} is not the one that was applied to it")));
        }
    }
    Ok(known.next())
}

/// Compares what was applied with what should be, and applies the next migration.
fn step(connection: &Connection, migrations: &[Migration], now: Timestamp) -> Result<Applied, DbError> {
    let Some(next) = next(&applied(connection)?, migrations)? else { return Ok(Applied::Nothing) };
    let text =
        sql::sqlite_schema(next.sql).map_err(|why| DbError::Schema(format!("migration {}: {why}", next.number)))?;
    connection
        .execute_batch(&text)
        .map_err(|error| DbError::Schema(format!("migration {} failed: {error}", next.number)))?;
    connection
        .execute(NOTE, (next.number, next.name, next.checksum(), now.micros()))
        .map_err(|error| sqlite::failure(&error, NOTE))?;
    tracing::info!(migration.number = next.number, migration.name = next.name, "migration applied");
    Ok(Applied::OneStep)
}

fn applied(connection: &Connection) -> Result<Vec<(i64, String)>, DbError> {
    const LOOK: &str = "select number, checksum from schema_migration order by number";
    let read = || -> rusqlite::Result<Vec<(i64, String)>> {
        connection.prepare(LOOK)?.query_map((), |row| Ok((row.get(0)?, row.get(1)?)))?.collect()
    };
    read().map_err(|error| sqlite::failure(&error, LOOK))
}

pub(crate) fn check_numbers(migrations: &[Migration]) -> Result<(), DbError> {
    let out_of_order = (1..).zip(migrations).find(|(number, migration)| migration.number != *number);
    match out_of_order {
        Some((number, found)) => {
            Err(DbError::Schema(format!("migration {} stands where {number} should be", found.number)))
        }
        None => Ok(()),
    }
}

/// The key columns, as `table.column`, that these migrations leave without `not null`: for a test that wants none.
///
/// A strict table refuses null in most keys anyway, but SQLite would make up a number for a null in a single `bigint` key.
pub fn nullable_keys(migrations: &[Migration]) -> Result<Vec<String>, DbError> {
    const LOOK: &str = "select t.name || '.' || c.name from pragma_table_list t join pragma_table_info(t.name) c \
        where t.schema = 'main' and t.type = 'table' and c.pk > 0 and c.\"notnull\" = 0 order by t.name, c.cid";
    let look = || -> rusqlite::Result<Vec<String>> {
        let connection = Connection::open_in_memory()?;
        // The text as it is written: strict tables hide what is missing.
        for migration in migrations {
            connection.execute_batch(migration.sql)?;
        }
        connection.prepare(LOOK)?.query_map((), |row| row.get(0))?.collect()
    };
    look().map_err(|error| sqlite::failure(&error, LOOK))
}

#[cfg(test)]
mod tests {
    use super::*;

    const FIRST: Migration = Migration {
        number: 1,
        name: "payments",
        sql: "create table payment (team_id text not null, id text not null, amount bigint not null, primary key (team_id, id));",
    };
    const SECOND: Migration = Migration { number: 2, name: "notes", sql: "alter table payment add column note text" };

    fn memory() -> Connection {
        Connection::open_in_memory().unwrap()
    }

    fn at(micros: i64) -> Timestamp {
        Timestamp::from_micros(micros)
    }

    #[test]
    fn migrations_are_applied_in_order_and_once() {
        let connection = memory();
        apply(&connection, &[FIRST], at(5)).unwrap();
        apply(&connection, &[FIRST, SECOND], at(6)).unwrap();
        apply(&connection, &[FIRST, SECOND], at(7)).unwrap();
        connection.execute("insert into payment (team_id, id, amount, note) values ('t', 'p', 5, 'n')", ()).unwrap();
        let book: Vec<(u32, String, i64)> = connection
            .prepare("select number, name, applied_at from schema_migration order by number")
            .unwrap()
            .query_map((), |row| Ok((row.get(0)?, row.get(1)?, row.get(2)?)))
            .unwrap()
            .collect::<Result<_, _>>()
            .unwrap();
        assert_eq!(book, [(1, "payments".to_owned(), 5), (2, "notes".to_owned(), 6)]);
    }

    #[test]
    fn tables_are_strict() {
        let connection = memory();
        apply(&connection, &[FIRST], at(1)).unwrap();
        let wrong = connection.execute("insert into payment (team_id, id, amount) values ('t', 'p', 'five')", ());
        assert!(wrong.unwrap_err().to_string().contains("cannot store TEXT value in INTEGER column"));
    }

    #[test]
    fn an_edited_migration_is_refused() {
        let connection = memory();
        apply(&connection, &[FIRST], at(1)).unwrap();
        let edited = Migration { sql: "create table payment (id text)", ..FIRST };
        let error = apply(&connection, &[edited, SECOND], at(2)).unwrap_err();
        assert_eq!(error, DbError::Schema("migration 1 is not the one that was applied to it".into()));
        assert!(connection.execute("update payment set note = 'x'", ()).is_err(), "the second must not be applied");
    }

    #[test]
    fn a_database_of_a_newer_release_is_refused() {
        let connection = memory();
        apply(&connection, &[FIRST, SECOND], at(1)).unwrap();
        let error = apply(&connection, &[FIRST], at(2)).unwrap_err();
        assert_eq!(error, DbError::Schema("it has migration 2, which only a newer release knows".into()));
    }

    #[test]
    fn a_gap_in_the_numbers_is_refused() {
        let third = Migration { number: 3, ..SECOND };
        let error = apply(&memory(), &[FIRST, third], at(1)).unwrap_err();
        assert_eq!(error, DbError::Schema("migration 3 stands where 2 should be".into()));
    }

    #[test]
    fn a_migration_that_fails_leaves_nothing_of_itself() {
        let connection = memory();
        let broken = Migration { sql: "create table half (id text not null); create table", ..SECOND };
        let error = apply(&connection, &[FIRST, broken], at(1)).unwrap_err();
        assert!(matches!(error, DbError::Schema(text) if text.starts_with("migration 2 failed")));
        assert!(connection.is_autocommit());
        assert!(connection.prepare("select id from half").is_err());
        apply(&connection, &[FIRST, SECOND], at(2)).unwrap();
    }

    #[test]
    fn a_key_that_may_be_null_is_found() {
        let loose = Migration {
            number: 2,
            name: "loose",
            sql: "create table loose (a text not null, b bigint, primary key (a, b))",
        };
        assert_eq!(nullable_keys(&[FIRST, loose]).unwrap(), ["loose.b"]);
        assert_eq!(nullable_keys(&[FIRST, SECOND]).unwrap(), Vec::<String>::new());
    }
}
