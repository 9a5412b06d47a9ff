//! Migrations on PostgreSQL, by one node at a time, and what the server must be.

use std::time::Duration;

use domain::Timestamp;
use sha2::{Digest, Sha256};

use super::{
    failure::Failure,
    link::{Link, Target},
    wire::Wire as _,
};
use crate::{
    DbError, Migration, Row, Statement, Tables, Value,
    migrate::{self, APPLIED, Known},
    params, sql,
};

const BOOK: &str = "create table if not exists schema_migration (\
    number bigint not null, name text collate \"C\" not null, checksum text collate \"C\" not null, \
    applied_at bigint not null, primary key (number)); \
    create table if not exists schema_reach (number bigint not null, code_from bigint not null, primary key (number))";
const NOTE_REACH: &str =
    "insert into schema_reach (number, code_from) values ($1, $2) returning number";
const NOTE: &str = "insert into schema_migration (number, name, checksum, applied_at) values ($1, $2, $3, $4) \
    returning number";

/// How long a node waits for another that migrates.
const TURN: Duration = Duration::from_mins(10);
/// Clocks that differ by more than this are told to the operator.
const WARNED_SKEW: Duration = Duration::from_secs(1);
/// PostgreSQL 15.
const OLDEST: i64 = 150_000;

/// Brings the schema up to the last of the migrations, while no other node does.
pub(crate) async fn apply(
    link: &Link,
    target: &Target,
    migrations: &[Migration],
) -> Result<(), DbError> {
    migrate::check_numbers(migrations)?;
    check_server(link).await?;
    check_clock(link, target).await?;
    let schema = target.options.checked_schema()?;
    if target.options.tables != Tables::Made && !is_founded(link, schema).await? {
        return Err(DbError::Unfounded);
    }
    let lock = lock_number(schema);
    wait_for_turn(link, target, lock).await?;
    // The lock ends with the connection at the latest, which the caller drops when this fails.
    create(link, schema).await?;
    link.run(BOOK).await?;
    loop {
        let Some(next) = migrate::next(&applied(link).await?, migrations)? else {
            break;
        };
        step(link, target, next).await?;
    }
    check_order(link, schema).await?;
    ask(link, "select pg_advisory_unlock($1)::text", params![lock])
        .await
        .map(drop)
}

/// Whether the schema has all of the migrations, or could be given them. Changes nothing.
pub(crate) async fn look(
    link: &Link,
    target: &Target,
    migrations: &[Migration],
) -> Result<(), DbError> {
    migrate::check_numbers(migrations)?;
    check_server(link).await?;
    check_clock(link, target).await?;
    let schema = target.options.checked_schema()?;
    if !is_founded(link, schema).await? {
        check_may_found(link, schema).await?;
        return Err(DbError::Unfounded);
    }
    let may = "select case when has_schema_privilege($1, 'usage') then 1 else 0 end";
    if !one(ask(link, may, params![schema]).await?)?.flag(0)? {
        return Err(DbError::Denied(format!(
            "permission denied for schema {schema}"
        )));
    }
    match migrate::next(&applied(link).await?, migrations)? {
        Some(next) => Err(DbError::Pending(next.number)),
        None => check_order(link, schema).await,
    }
}

/// Refuses a role that could not make the tables.
async fn check_may_found(link: &Link, schema: &str) -> Result<(), DbError> {
    let may = "select case when not exists (select from pg_catalog.pg_namespace where nspname = $1::name::text) \
               then case when has_database_privilege(current_database(), 'create') then 1 else 0 end \
               when has_schema_privilege($1, 'create') and has_schema_privilege($1, 'usage') then 1 else 0 end";
    if one(ask(link, may, params![schema]).await?)?.flag(0)? {
        return Ok(());
    }
    Err(DbError::Denied("it may not make tables there".to_owned()))
}

async fn applied(link: &Link) -> Result<Vec<Known>, DbError> {
    ask(link, APPLIED, Vec::new())
        .await?
        .into_iter()
        .map(known)
        .collect()
}

/// One migration is one transaction, so that a crash leaves whole steps.
async fn step(link: &Link, target: &Target, next: &Migration) -> Result<(), DbError> {
    let failed = |error| match error {
        DbError::Schema(why) => DbError::Schema(format!("migration {} failed: {why}", next.number)),
        other => other,
    };
    let text = sql::postgres_schema(next.sql)
        .map_err(|why| DbError::Schema(format!("migration {}: {why}", next.number)))?;
    link.run("begin").await?;
    // On an error the connection is dropped, and the transaction with it.
    link.run(&text).await.map_err(failed)?;
    let note = params![next.number, next.name, next.checksum(), target.world.now()];
    ask(link, NOTE, note).await?;
    if next.code_from() < next.number {
        ask(link, NOTE_REACH, params![next.number, next.code_from()]).await?;
    }
    link.run("commit").await?;
    tracing::info!(
        migration.number = next.number,
        migration.name = next.name,
        "migration applied"
    );
    Ok(())
}

fn known(mut row: Row) -> Result<Known, DbError> {
    Ok(Known {
        number: row.int(0)?,
        checksum: row.take_text(1)?,
        code_from: row.opt_int(2)?,
    })
}

/// Refuses a server that would not do what we rely on.
async fn check_server(link: &Link) -> Result<(), DbError> {
    let settings = "select current_setting('server_version_num'), current_setting('server_encoding'), \
                    current_setting('fsync'), current_setting('full_page_writes')";
    let found = one(ask(link, settings, Vec::new()).await?)?;
    if found
        .text(0)?
        .parse()
        .is_ok_and(|version: i64| version < OLDEST)
    {
        return Err(DbError::Schema(
            "its server is older than PostgreSQL 15".to_owned(),
        ));
    }
    if found.text(1)? != "UTF8" {
        return Err(DbError::Schema(format!(
            "its encoding is {} and must be UTF8",
            found.text(1)?
        )));
    }
    if found.text(2)? != "on" || found.text(3)? != "on" {
        tracing::warn!(
            "the database's server runs without fsync or full_page_writes: a power cut may lose payments"
        );
    }
    Ok(())
}

/// Refuses clocks that differ too much: nodes compare the times that others have stored with their own.
async fn check_clock(link: &Link, target: &Target) -> Result<(), DbError> {
    let before = target.world.now();
    let clock = "select floor(extract(epoch from clock_timestamp()) * 1000000)::bigint";
    let theirs = Timestamp::from_micros(one(ask(link, clock, Vec::new()).await?)?.int(0)?);
    let skew = skew(before, theirs, target.world.now());
    metrics::gauge!("pointsman_db_clock_skew_seconds", "database" => target.options.schema.clone())
        .set(skew.as_secs_f64());
    if skew > target.options.max_clock_skew {
        return Err(DbError::Clock {
            seconds: skew.as_secs(),
        });
    }
    if skew > WARNED_SKEW {
        tracing::warn!(
            skew_ms = skew.as_millis(),
            "this machine's clock and the database's differ: set both by NTP"
        );
    }
    Ok(())
}

/// By how much a time that was told between `before` and `after` is certainly off.
fn skew(before: Timestamp, told: Timestamp, after: Timestamp) -> Duration {
    before.since(told).max(told.since(after))
}

/// Takes the lock. It is asked for again and again: who waits inside the server would hold back its housekeeping.
async fn wait_for_turn(link: &Link, target: &Target, lock: i64) -> Result<(), DbError> {
    let until = target.world.now().after(TURN);
    let take = "select case when pg_try_advisory_lock($1) then 1 else 0 end";
    while !one(ask(link, take, params![lock]).await?)?.flag(0)? {
        if target.world.now() >= until {
            return Err(DbError::Schema(
                "another node has been migrating it for too long".to_owned(),
            ));
        }
        target
            .world
            .sleep(Duration::from_millis(20 + target.world.random() % 30))
            .await;
    }
    Ok(())
}

/// The number of the lock for one schema. Locks are apart for each database of a server.
fn lock_number(schema: &str) -> i64 {
    let digest = Sha256::digest(format!("pointsman migrations of {schema}"));
    digest
        .first_chunk()
        .map_or(0, |first| i64::from_be_bytes(*first))
}

/// Whether a migration was ever applied to the schema.
async fn is_founded(link: &Link, schema: &str) -> Result<bool, DbError> {
    let found = "select count(*) from pg_catalog.pg_tables \
                 where schemaname = $1::name::text and tablename = 'schema_migration'";
    Ok(one(ask(link, found, params![schema]).await?)?.int(0)? > 0)
}

/// Creates the schema. A role that may not is fine when the schema is there.
async fn create(link: &Link, schema: &str) -> Result<(), DbError> {
    let found = "select count(*) from pg_catalog.pg_namespace where nspname = $1::name::text";
    if one(ask(link, found, params![schema]).await?)?.int(0)? == 0 {
        link.run(&format!("create schema \"{schema}\"")).await?;
    }
    Ok(())
}

/// Texts must be ordered by their bytes, as they are on SQLite: ids, pages of lists and ranges rely on it.
async fn check_order(link: &Link, schema: &str) -> Result<(), DbError> {
    let others = "select min(c.relname || '.' || a.attname)::text from pg_catalog.pg_attribute a \
        join pg_catalog.pg_class c on c.oid = a.attrelid \
        join pg_catalog.pg_namespace n on n.oid = c.relnamespace \
        join pg_catalog.pg_collation o on o.oid = a.attcollation \
        join pg_catalog.pg_database d on d.datname = current_database() \
        where n.nspname = $1::name::text and c.relkind in ('r', 'p', 'i') and a.attnum > 0 and not a.attisdropped \
        and o.collname not in ('C', 'POSIX') \
        and not (o.collname = 'default' and d.datlocprovider = 'c' and d.datcollate in ('C', 'POSIX'))";
    match one(ask(link, others, params![schema]).await?)?.opt_text(0)? {
        None => Ok(()),
        Some(column) => Err(DbError::Schema(format!(
            "its column {column} is not ordered by bytes: it needs the collation \"C\", which our migrations give it"
        ))),
    }
}

async fn ask(link: &Link, sql: &'static str, params: Vec<Value>) -> Result<Vec<Row>, DbError> {
    link.rows(&Statement::any(sql, params))
        .await
        .map_err(|failure| match failure {
            Failure::Met(what) => DbError::Schema(format!("its migration met {what}")),
            other => other.into(),
        })
}

fn one(rows: Vec<Row>) -> Result<Row, DbError> {
    rows.into_iter()
        .next()
        .ok_or_else(|| DbError::Corrupt("a row is missing".to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_is_off_by_what_the_way_of_the_answer_does_not_explain() {
        let skew = |told: i64| {
            skew(
                Timestamp::from_micros(1000),
                Timestamp::from_micros(told),
                Timestamp::from_micros(1400),
            )
            .as_micros()
        };
        assert_eq!([skew(1000), skew(1200), skew(1400)], [0, 0, 0]);
        assert_eq!(
            [skew(1500), skew(3400), skew(900), skew(0)],
            [100, 2000, 100, 1000]
        );
    }
}
