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
    DbError, Migration, Row, Statement, Step, Tables, Value,
    dates::{WARNED_SKEW, show_skew, skew, warn_of_skew},
    migrate::{self, APPLIED, Known},
    params, sql, stamp,
};

const BOOK: &str = "create table schema_migration (\
    number bigint not null, name text collate \"C\" not null, checksum text collate \"C\" not null, \
    applied_at bigint not null, primary key (number)); \
    create table schema_reach (number bigint not null, code_from bigint not null, primary key (number))";
const NOTE_REACH: &str = "insert into schema_reach (number, code_from) values ($1, $2) \
     on conflict (number) do update set code_from = excluded.code_from returning number";
const NOTE: &str = "insert into schema_migration (number, name, checksum, applied_at) values ($1, $2, $3, $4) \
    returning number";

/// How long a node waits for another that migrates.
const TURN: Duration = Duration::from_mins(10);
/// How long a step asks for the locks that it needs, again and again.
const LOCKS: Duration = Duration::from_mins(5);
/// The pause between two tries for a lock: time for those that were held up.
const BREATH: Duration = Duration::from_secs(1);
/// PostgreSQL 15.
const OLDEST: i64 = 150_000;

/// Brings the schema up to the last of the migrations, while no other node does. Where nothing is to be done it needs no right
/// but to read.
pub(crate) async fn apply(
    link: &Link,
    target: &Target,
    migrations: &[Migration],
) -> Result<(), DbError> {
    let schema = target.options.checked_schema()?;
    let lacking = lacking(link, target, migrations).await?;
    let is_there = is_founded(link, schema).await?;
    if !is_there && target.options.tables != Tables::Made {
        return Err(DbError::Unfounded);
    }
    if let Some(first) = lacking.first() {
        if !target.options.migrates || (is_there && !may_change(link, schema).await?) {
            return Err(DbError::Behind(first.number));
        }
        let lock = lock_number(schema);
        wait_for_turn(link, target, lock).await?;
        // The lock ends with the connection at the latest, which the caller drops when this fails.
        create(link, schema).await?;
        if !is_founded(link, schema).await? {
            link.run(BOOK).await?;
        }
        link.run(stamp::SERVER_BOOK).await?;
        let mut known = applied(link).await?;
        let is_new = known.is_empty();
        let mut made = 0;
        while let Some(next) = migrate::next(&known, migrations)? {
            step(link, target, next).await?;
            if is_new {
                made += 1;
            } else {
                migrate::log_applied(next);
            }
            known = applied(link).await?;
        }
        migrate::log_made(made, schema);
        ask(link, "select pg_advisory_unlock($1)::text", params![lock]).await?;
    }
    check_order(link, schema).await
}

/// The migrations that the schema lacks; all of them where there is none. Changes nothing.
pub(crate) async fn lacking(
    link: &Link,
    target: &Target,
    migrations: &[Migration],
) -> Result<Vec<Step>, DbError> {
    migrate::check_numbers(migrations)?;
    check_server(link).await?;
    check_clock(link, target).await?;
    let schema = target.options.checked_schema()?;
    if !is_founded(link, schema).await? {
        return Ok(migrations.iter().map(Step::of).collect());
    }
    check_use(link, schema).await?;
    migrate::steps_after(&applied(link).await?, migrations)
}

/// Whether the schema has all of the migrations, or could be given them. Changes nothing.
pub(crate) async fn look(
    link: &Link,
    target: &Target,
    migrations: &[Migration],
) -> Result<(), DbError> {
    let lacking = lacking(link, target, migrations).await?;
    let schema = target.options.checked_schema()?;
    let is_there = is_founded(link, schema).await?;
    let Some(first) = lacking.first() else {
        return check_order(link, schema).await;
    };
    if !target.options.migrates || (is_there && !may_change(link, schema).await?) {
        return Err(DbError::Behind(first.number));
    }
    if is_there {
        return Err(DbError::Pending(first.number));
    }
    check_may_found(link, schema).await?;
    Err(DbError::Unfounded)
}

/// Refuses a role that may not look into the schema.
async fn check_use(link: &Link, schema: &str) -> Result<(), DbError> {
    let may = "select case when has_schema_privilege($1, 'usage') then 1 else 0 end";
    if one(ask(link, may, params![schema]).await?)?.flag(0)? {
        return Ok(());
    }
    Err(DbError::Denied(format!(
        "permission denied for schema {schema}"
    )))
}

/// Whether the role may make tables in the schema, and owns those that are there.
async fn may_change(link: &Link, schema: &str) -> Result<bool, DbError> {
    let may = "select case when has_schema_privilege($1, 'create') and not exists (\
        select from pg_catalog.pg_class c join pg_catalog.pg_namespace n on n.oid = c.relnamespace \
        where n.nspname = $1::name::text and c.relkind in ('r', 'p') \
        and not pg_has_role(c.relowner, 'usage')) then 1 else 0 end";
    one(ask(link, may, params![schema]).await?)?.flag(0)
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

/// One migration: whole, or begun again by the next one.
async fn step(link: &Link, target: &Target, next: &Migration) -> Result<(), DbError> {
    let failed = |error| match error {
        DbError::Schema(why) => DbError::Schema(format!("migration {} failed: {why}", next.number)),
        DbError::Busy => DbError::Schema(format!(
            "migration {} did not get its locks: something else (a dump, a long transaction) holds them",
            next.number
        )),
        other => other,
    };
    if next.is_concurrent() {
        make_indexes(link, next).await.map_err(failed)?;
        note(link, target, next).await?;
    } else {
        whole(link, target, next).await.map_err(failed)?;
    }
    Ok(())
}

/// A migration in one transaction, so that a crash leaves whole steps. It waits for locks briefly, since all that comes behind it
/// waits too, and asks again.
async fn whole(link: &Link, target: &Target, next: &Migration) -> Result<(), DbError> {
    let text = sql::postgres_schema(next.sql)
        .map_err(|why| DbError::Schema(format!("migration {}: {why}", next.number)))?;
    let world = &target.world;
    let until = world.now().after(LOCKS);
    loop {
        link.run("begin").await?;
        // On any other error the connection is dropped, and the transaction with it.
        match link.run(&text).await {
            Err(DbError::Busy) if world.now() < until => {
                link.run("rollback").await?;
                tracing::warn!(
                    migration.number = next.number,
                    "a migration waits for locks that others hold, and tries again"
                );
                world
                    .sleep(BREATH + Duration::from_millis(world.random() % 500))
                    .await;
            }
            ran => {
                ran?;
                note(link, target, next).await?;
                return link.run("commit").await;
            }
        }
    }
}

/// Notes that a migration is whole. Its reach comes first: without a transaction around them, one that is cut off in between
/// would otherwise count as made, and shut out the nodes that may serve on it.
async fn note(link: &Link, target: &Target, next: &Migration) -> Result<(), DbError> {
    if next.code_from() < next.number {
        ask(link, NOTE_REACH, params![next.number, next.code_from()]).await?;
    }
    let note = params![next.number, next.name, next.checksum(), target.world.now()];
    ask(link, NOTE, note).await.map(drop)
}

/// Makes the indexes of a migration one by one while nodes write. One that is whole stays; what is left of one that was cut off
/// goes. It waits for every transaction that is older, which holds up nobody.
async fn make_indexes(link: &Link, next: &Migration) -> Result<(), DbError> {
    link.run("set lock_timeout = 0").await?;
    for statement in sql::statements(next.sql) {
        let index = sql::index(&statement)
            .ok_or_else(|| DbError::Schema("it does more than make indexes".to_owned()))?;
        match validity(link, index.name).await? {
            Some(true) => continue,
            Some(false) => {
                link.run(&format!("drop index concurrently \"{}\"", index.name))
                    .await?;
            }
            None => {}
        }
        tracing::info!(
            index = index.name,
            "an index is being made while the tables are in use; it waits for older transactions"
        );
        let text = format!(
            "{} concurrently \"{}\" {}",
            index.beginning, index.name, index.rest
        );
        link.run(&text).await?;
    }
    link.run("set lock_timeout = 2000").await
}

/// Whether an index of the schema is whole; `None` where there is none.
async fn validity(link: &Link, index: &str) -> Result<Option<bool>, DbError> {
    let sql = "select case when i.indisvalid then 1 else 0 end from pg_catalog.pg_index i \
        join pg_catalog.pg_class c on c.oid = i.indexrelid \
        join pg_catalog.pg_namespace n on n.oid = c.relnamespace \
        where n.nspname = current_schema()::text and c.relname = $1::name::text";
    ask(link, sql, params![index])
        .await?
        .first()
        .map(|row| row.flag(0))
        .transpose()
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
    show_skew(&target.options.schema, skew);
    if skew > target.options.max_clock_skew {
        return Err(DbError::Clock {
            seconds: skew.as_secs(),
        });
    }
    if skew > WARNED_SKEW {
        warn_of_skew(skew);
    }
    Ok(())
}

/// Takes the lock. It is asked for again and again: who waits inside the server would hold back its housekeeping.
async fn wait_for_turn(link: &Link, target: &Target, lock: i64) -> Result<(), DbError> {
    let until = target.world.now().after(TURN);
    let take = "select case when pg_try_advisory_lock($1) then 1 else 0 end";
    while !one(ask(link, take, params![lock]).await?)?.flag(0)? {
        if target.world.now() >= until {
            return Err(DbError::Schema(
                "another node, or `pointsman upgrade`, has been migrating it for too long"
                    .to_owned(),
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
        let skew = |reported: i64| {
            skew(
                Timestamp::from_micros(1000),
                Timestamp::from_micros(reported),
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
