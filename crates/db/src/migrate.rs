//! Migrations: the tables grow by numbered steps that are applied once and never edited.
//!
//! # Old code on new tables
//! While nodes are restarted one after the other with a new release, some of the old one run on tables that the new one has
//! brought up to date. So a step that only adds says in its first line which code may still run on it,
//! `-- code from: 7`, by the number of the last migration that this code knows; that is noted in the database, and code which
//! does not know the step finds it there. What is to go is first left unused by a release, and removed by the next one
//! (expand, then contract). A step that says nothing is for code that knows it.

//!
//! # Indexes on tables that are in use
//! A step that makes an index on a table of an earlier one makes nothing else and says so in a line, `-- concurrently`: on a
//! PostgreSQL server it is then made while nodes write, outside of a transaction. Cut off, it is begun again.

use domain::Timestamp;
use rusqlite::Connection;
use sha2::{Digest, Sha256};

use crate::{DbError, sql, sqlite, stamp};

/// One numbered step of the schema. A released one is never edited: a database remembers its checksum.
#[derive(Debug, Clone, Copy)]
pub struct Migration {
    /// Its number; each is higher than the one before.
    pub number: u32,
    /// What it brings, in a few words.
    pub name: &'static str,
    /// Portable text (`bigint`, `text`), one or more statements.
    pub sql: &'static str,
}

/// A line of a migration that makes indexes alone, while the tables are in use.
const CONCURRENTLY: &str = "-- concurrently";

/// Begins the first line of a migration that older code may run on.
const REACH: &str = "-- code from: ";

impl Migration {
    /// The oldest code that may run on tables with this step: the number of the last migration that it knows.
    pub(crate) fn code_from(&self) -> u32 {
        let said = self
            .sql
            .lines()
            .next()
            .and_then(|line| line.strip_prefix(REACH));
        said.and_then(|number| number.trim().parse().ok())
            .unwrap_or(self.number)
    }

    /// Whether it only makes indexes, and on a PostgreSQL server does so while the tables are in use, outside of a transaction:
    /// a plain `create index` would let no payment in until it is done.
    pub fn is_concurrent(&self) -> bool {
        self.sql.lines().any(|line| line.trim() == CONCURRENTLY)
    }

    pub(crate) fn checksum(&self) -> String {
        hex::encode(Sha256::digest(self.sql))
    }
}

const BOOK: &str = "create table if not exists schema_migration (\
    number integer not null, name text not null, checksum text not null, applied_at integer not null, \
    primary key (number)) strict; \
    create table if not exists schema_reach (\
    number integer not null, code_from integer not null, primary key (number)) strict";

const NOTE: &str =
    "insert into schema_migration (number, name, checksum, applied_at) values (?1, ?2, ?3, ?4)";

const NOTE_REACH: &str = "insert into schema_reach (number, code_from) values (?1, ?2)";

/// What was applied, with how far back code may run on it.
pub(crate) const APPLIED: &str = "select m.number, m.checksum, r.code_from from schema_migration m \
    left join schema_reach r on r.number = m.number order by m.number";

/// A step that was applied to a database.
pub(crate) struct Known {
    pub(crate) number: i64,
    pub(crate) checksum: String,
    /// `None` where code must know it.
    pub(crate) code_from: Option<i64>,
}

/// Brings the database up to the last of the migrations. Each is one transaction, so that a crash leaves whole steps.
pub(crate) fn apply(
    connection: &Connection,
    migrations: &[Migration],
    now: Timestamp,
) -> Result<(), DbError> {
    check_numbers(migrations)?;
    connection
        .execute_batch(BOOK)
        .and_then(|()| connection.execute_batch(stamp::EMBEDDED_BOOK))
        .map_err(|error| sqlite::failure(&error, BOOK))?;
    let is_new = applied(connection)?.is_empty();
    let mut made = 0_u32;
    loop {
        // The lock comes before the look, so that of two programs that start at once only one applies a step.
        connection
            .execute_batch("begin immediate")
            .map_err(|error| sqlite::failure(&error, "begin immediate"))?;
        match step(connection, migrations, now) {
            Ok(applied) => {
                connection
                    .execute_batch("commit")
                    .map_err(|error| sqlite::failure(&error, "commit"))?;
                let Applied::OneStep(next) = applied else {
                    log_made(made, connection.path().unwrap_or_default());
                    return Ok(());
                };
                if is_new {
                    made += 1;
                } else {
                    log_applied(next);
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

/// A migration that a database lacks.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// Its number.
    pub number: u32,
    /// What it brings.
    pub name: &'static str,
    /// Whether nodes can go on writing meanwhile whatever it does.
    pub concurrent: bool,
    /// The last migration that the oldest code knows which may run at the same time.
    pub code_from: u32,
}

impl Step {
    pub(crate) fn of(migration: &Migration) -> Self {
        Self {
            number: migration.number,
            name: migration.name,
            concurrent: migration.is_concurrent(),
            code_from: migration.code_from(),
        }
    }
}

/// The migrations that a file lacks. Changes nothing; all of them where there is no file.
pub(crate) fn lacking(
    connection: &Connection,
    migrations: &[Migration],
) -> Result<Vec<Step>, DbError> {
    check_numbers(migrations)?;
    let sql = "select count(*) from sqlite_schema where name = 'schema_migration'";
    let found = connection.query_row(sql, (), |row| row.get::<_, i64>(0));
    if found.map_err(|error| sqlite::failure(&error, sql))? == 0 {
        return Ok(migrations.iter().map(Step::of).collect());
    }
    steps_after(&applied(connection)?, migrations)
}

/// Those that come after what was applied.
pub(crate) fn steps_after(
    applied: &[Known],
    migrations: &[Migration],
) -> Result<Vec<Step>, DbError> {
    let first = next(applied, migrations)?.map_or(u32::MAX, |next| next.number);
    Ok(migrations
        .iter()
        .filter(|migration| migration.number >= first)
        .map(Step::of)
        .collect())
}

/// What opening a database may do to its tables.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Tables {
    /// They are made where there are none, and brought up to date.
    Made,
    /// They are brought up to date. Where there are none it is [`DbError::Unfounded`].
    Renewed,
    /// They stay as they are. Older ones are [`DbError::Pending`], and none [`DbError::Unfounded`].
    LookedAt,
}

/// Whether the database has all of the migrations. Changes nothing.
pub(crate) fn look(connection: &Connection, migrations: &[Migration]) -> Result<(), DbError> {
    check_numbers(migrations)?;
    let sql = "select count(*) from sqlite_schema where name = 'schema_migration'";
    let found = connection.query_row(sql, (), |row| row.get::<_, i64>(0));
    if found.map_err(|error| sqlite::failure(&error, sql))? == 0 {
        return Err(DbError::Unfounded);
    }
    next(&applied(connection)?, migrations)?
        .map_or(Ok(()), |next| Err(DbError::Pending(next.number)))
}

enum Applied<'a> {
    OneStep(&'a Migration),
    Nothing,
}

/// Logs a step of a database that is brought up to date.
pub(crate) fn log_applied(migration: &Migration) {
    tracing::info!(
        migration.number = migration.number,
        migration.name = migration.name,
        "migration applied"
    );
}

/// Logs that a new database has got its tables: one line for all steps, since nothing was there to change.
pub(crate) fn log_made(migrations: u32, place: &str) {
    if migrations > 0 {
        tracing::info!(migrations, place, "new database: its tables are made");
    }
}

/// The migration that comes next, after those that were applied.
///
/// Errors: what was applied is not what this program knows, or may run on.
pub(crate) fn next<'a>(
    applied: &[Known],
    migrations: &'a [Migration],
) -> Result<Option<&'a Migration>, DbError> {
    let ours = migrations.last().map_or(0, |last| i64::from(last.number));
    let mut known = migrations.iter();
    for Known {
        number,
        checksum,
        code_from,
    } in applied
    {
        let Some(migration) = known.next() else {
            if code_from.is_some_and(|from| from <= ours) {
                continue;
            }
            return Err(DbError::Schema(format!(
                "it has migration {number}, which only a newer release knows"
            )));
        };
        if i64::from(migration.number) != *number {
            return Err(DbError::Schema(format!(
                "it lacks migration {}",
                migration.number
            )));
        }
        if migration.checksum() != *checksum {
            return Err(DbError::Schema(format!(
                "migration {number} is not the one that was applied to it"
            )));
        }
    }
    Ok(known.next())
}

/// Compares what was applied with what should be, and applies the next migration.
fn step<'a>(
    connection: &Connection,
    migrations: &'a [Migration],
    now: Timestamp,
) -> Result<Applied<'a>, DbError> {
    let Some(next) = next(&applied(connection)?, migrations)? else {
        return Ok(Applied::Nothing);
    };
    let text = sql::sqlite_schema(next.sql)
        .map_err(|why| DbError::Schema(format!("migration {}: {why}", next.number)))?;
    connection
        .execute_batch(&text)
        .map_err(|error| DbError::Schema(format!("migration {} failed: {error}", next.number)))?;
    connection
        .execute(
            NOTE,
            (next.number, next.name, next.checksum(), now.micros()),
        )
        .map_err(|error| sqlite::failure(&error, NOTE))?;
    if next.code_from() < next.number {
        connection
            .execute(NOTE_REACH, (next.number, next.code_from()))
            .map_err(|error| sqlite::failure(&error, NOTE_REACH))?;
    }
    Ok(Applied::OneStep(next))
}

fn applied(connection: &Connection) -> Result<Vec<Known>, DbError> {
    let known = |row: &rusqlite::Row<'_>| {
        Ok(Known {
            number: row.get(0)?,
            checksum: row.get(1)?,
            code_from: row.get(2)?,
        })
    };
    let read = || {
        connection
            .prepare(APPLIED)?
            .query_map((), known)?
            .collect::<rusqlite::Result<_>>()
    };
    read().map_err(|error| sqlite::failure(&error, APPLIED))
}

pub(crate) fn check_numbers(migrations: &[Migration]) -> Result<(), DbError> {
    let mut last = 0;
    for migration in migrations {
        if migration.number <= last {
            return Err(DbError::Schema(format!(
                "migration {} stands behind {last}",
                migration.number
            )));
        }
        last = migration.number;
    }
    Ok(())
}

/// Statements of migrations that say that older code may run on them, and do more than add: for a test that wants none.
pub fn not_for_older_code(migrations: &[Migration]) -> Vec<String> {
    let adds = |statement: &str| {
        let words: Vec<&str> = statement.split_whitespace().collect();
        match words.as_slice() {
            ["create", "table" | "index", ..] | ["create", "/*", "unlogged", "*/", "table", ..] => {
                true
            }
            // Older code inserts rows without it.
            ["alter", "table", _, "add", "column", column @ ..] => {
                !column.windows(2).any(|pair| pair == ["not", "null"])
                    || column.contains(&"default")
            }
            _ => false,
        }
    };
    let lenient = migrations
        .iter()
        .filter(|migration| migration.code_from() < migration.number);
    lenient
        .flat_map(|migration| {
            let code: Vec<&str> = migration
                .sql
                .lines()
                .filter(|line| !line.trim_start().starts_with("--"))
                .collect();
            let code = code.join("\n").to_ascii_lowercase();
            let statements: Vec<String> =
                code.split(';').map(|one| one.trim().to_owned()).collect();
            let wrong = statements
                .into_iter()
                .filter(|one| !one.is_empty() && !adds(one));
            wrong
                .map(|statement| format!("migration {}: {statement}", migration.number))
                .collect::<Vec<_>>()
        })
        .collect()
}

/// Indexes that these migrations make on a table of an earlier one and not concurrently, as `migration n: index`, and what a
/// concurrent migration does besides: for a test that wants none. Those up to `founded` are of the first release.
pub fn blocking_indexes(migrations: &[Migration], founded: u32) -> Vec<String> {
    let mut found = Vec::new();
    for migration in migrations.iter().filter(|one| one.number > founded) {
        let statements = sql::statements(migration.sql);
        for statement in &statements {
            let index = sql::index(statement);
            let wrong = match (&index, migration.is_concurrent()) {
                (Some(_), true) => false,
                (None, concurrent) => concurrent,
                (Some(index), false) => !statements.iter().any(|other| {
                    let words: Vec<&str> = other.split_whitespace().collect();
                    words.first() == Some(&"create")
                        && words.contains(&index.table)
                        && words.contains(&"table")
                }),
            };
            if wrong {
                let what = index.map_or(statement.as_str(), |index| index.name);
                found.push(format!("migration {}: {what}", migration.number));
            }
        }
    }
    found
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
        connection
            .prepare(LOOK)?
            .query_map((), |row| row.get(0))?
            .collect()
    };
    look().map_err(|error| sqlite::failure(&error, LOOK))
}

#[cfg(test)]
mod tests;
