//! The simulator's books on disk, in a database of their own: they belong to the processor, not to us.

use std::hash::{DefaultHasher, Hash, Hasher};

use connectors::simulator::{Books, BooksError, Entry};
use db::{Change, ChangeId, Committed, Db, DbError, Migration, Row, Statement, params};
use domain::Timestamp;
use futures_util::future::BoxFuture;

const START: Migration = Migration {
    number: 1,
    name: "entries",
    sql: "create table sim_entry (\
        reference text not null, \
        connection text not null, \
        version bigint not null, \
        body text not null, \
        created_at bigint not null, \
        primary key (reference))",
};

/// When the next notification of an entry is to be sent.
const NOTIFICATIONS: Migration = Migration {
    number: 2,
    name: "notifications",
    sql: "alter table sim_entry add column send_at bigint; \
        create index sim_entry_send on sim_entry (send_at) where send_at is not null",
};

/// A row without a body says that the reference was looked for and not found.
const LOAD: &str = "select version, body from sim_entry where reference = $1 and body <> ''";

const INSERT: &str = "insert into sim_entry (reference, connection, version, body, created_at, send_at) \
    values ($1, $2, $3, $4, $5, $6) on conflict (reference) do nothing";

const UPDATE: &str = "update sim_entry set version = $3, body = $4, send_at = $5 where reference = $1 and version = $2";

const DUE: &str = "select version, body from sim_entry where send_at is not null and send_at <= $1 order by send_at limit $2";

const PAGE: &str = "select version, body from sim_entry where reference > $1 and body <> '' order by reference limit $2";

const FENCE: &str = "insert into sim_entry (reference, connection, version, body, created_at) \
    values ($1, '', 0, '', $2) on conflict (reference) do update set version = sim_entry.version + 1";

/// Books in a database. An authorisation is one insert, anything later one update that its version guards.
pub struct DbBooks(Db);

impl DbBooks {
    /// The tables that the database must have.
    pub const MIGRATIONS: &'static [Migration] = &[START, NOTIFICATIONS];

    /// The books in this database.
    pub const fn new(db: Db) -> Self {
        Self(db)
    }

    /// Commits one statement. False when it touched nothing.
    async fn write(&self, entry: &Entry, statement: Statement) -> Result<bool, BooksError> {
        let key = entry.reference.as_str();
        let change = Change::new(change_id(key, entry.version), key).with(statement);
        match self.0.commit(change).await.map_err(unusable)? {
            Committed::Done => Ok(true),
            Committed::Conflict { .. } => Ok(false),
            Committed::Unknown => Err(BooksError::Unknown),
        }
    }
}

impl Books for DbBooks {
    fn load<'a>(&'a self, reference: &'a str) -> BoxFuture<'a, Result<Option<Entry>, BooksError>> {
        Box::pin(async move {
            let rows = self
                .0
                .read(LOAD, params![reference])
                .await
                .map_err(unusable)?;
            rows.first().map(read).transpose()
        })
    }

    fn insert<'a>(&'a self, entry: &'a Entry) -> BoxFuture<'a, Result<bool, BooksError>> {
        Box::pin(async move {
            let values = params![
                entry.reference.as_str(),
                entry.connection.as_str(),
                stored(entry.version)?,
                body(entry)?,
                entry.created_at,
                send_at(entry)
            ];
            self.write(entry, Statement::one(INSERT, values)).await
        })
    }

    fn update<'a>(
        &'a self,
        entry: &'a Entry,
        expected: u64,
    ) -> BoxFuture<'a, Result<bool, BooksError>> {
        Box::pin(async move {
            let values = params![
                entry.reference.as_str(),
                stored(expected)?,
                stored(entry.version)?,
                body(entry)?,
                send_at(entry)
            ];
            self.write(entry, Statement::one(UPDATE, values)).await
        })
    }

    fn all<'a>(
        &'a self,
        after: Option<&'a str>,
        limit: u32,
    ) -> BoxFuture<'a, Result<Vec<Entry>, BooksError>> {
        Box::pin(async move {
            // No reference is empty, so all are behind the empty text.
            let rows = self
                .0
                .scan(PAGE, params![after.unwrap_or_default(), limit])
                .await
                .map_err(unusable)?;
            rows.iter().map(read).collect()
        })
    }

    fn due(&self, until: Timestamp, limit: u32) -> BoxFuture<'_, Result<Vec<Entry>, BooksError>> {
        Box::pin(async move {
            let rows = self
                .0
                .read(DUE, params![until, limit])
                .await
                .map_err(unusable)?;
            rows.iter().map(read).collect()
        })
    }

    fn catch_up<'a>(&'a self, reference: &'a str) -> BoxFuture<'a, Result<(), BooksError>> {
        Box::pin(async move {
            // It waits for the row as any other writer: what was earlier is seen afterwards, and what is later fails at
            // its guard, the version or the key.
            let fence = Statement::one(FENCE, params![reference, 0_i64]);
            let change = Change::new(change_id(reference, 0), reference).with(fence);
            match self.0.commit(change).await.map_err(unusable)? {
                Committed::Done => Ok(()),
                Committed::Conflict { .. } | Committed::Unknown => Err(BooksError::Unknown),
            }
        })
    }
}

/// The change that brings an entry to a version: the same when it is submitted again.
fn change_id(reference: &str, version: u64) -> ChangeId {
    let half = |salt: u8| {
        let mut hasher = DefaultHasher::new();
        (salt, reference, version).hash(&mut hasher);
        u128::from(hasher.finish())
    };
    ChangeId(half(0) << 64 | half(1))
}

fn stored(version: u64) -> Result<i64, BooksError> {
    i64::try_from(version).map_err(|_| BooksError::Untouched("a version is too large".to_owned()))
}

fn send_at(entry: &Entry) -> Option<i64> {
    entry.send_at().map(Timestamp::micros)
}

fn body(entry: &Entry) -> Result<String, BooksError> {
    serde_json::to_string(entry)
        .map_err(|_| BooksError::Untouched("an entry can't be written as JSON".to_owned()))
}

fn read(row: &Row) -> Result<Entry, BooksError> {
    let mut entry: Entry =
        serde_json::from_str(row.text(1).map_err(unusable)?).map_err(|_| unreadable())?;
    entry.version = u64::try_from(row.int(0).map_err(unusable)?).map_err(|_| unreadable())?;
    Ok(entry)
}

fn unreadable() -> BooksError {
    BooksError::Untouched("an entry is not what was written there".to_owned())
}

/// The database promises that nothing was written when it reports an error.
#[expect(clippy::needless_pass_by_value, reason = "used to map errors")]
fn unusable(error: DbError) -> BooksError {
    BooksError::Untouched(error.to_string())
}

#[cfg(test)]
mod tests;
