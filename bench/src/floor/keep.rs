//! What the floor commits: before the call one insert, after it one update, with an event each; and the processor's entry
//! between the two, in a database of its own. With an idempotency key one row more, which holds the answer.

use std::path::Path;

use anyhow::{Context, bail};
use db::{
    Change, ChangeId, Committed, Db, Migration, PostgresOptions, SqliteOptions, Statement, params,
};
use world::World;

// The sizes of what the service writes for the same request. Unit: bytes. Source: `select length(body) from payment`,
// `select length(data) from event`, `select length(answer) from once`, `select length(body) from sim_entry`.
const BEFORE: usize = 1_000;
const AFTER: usize = 1_670;
const BEGUN: usize = 235;
const ENDED: usize = 110;
const ENTRY: usize = 220;
const ANSWERED: usize = 1_690;

const ROWS: &[Migration] = &[Migration {
    number: 1,
    name: "floor",
    sql: "create table payment (payment_id text not null, version bigint not null, status text not null, \
          amount bigint not null, currency text not null, body text not null, primary key (payment_id)); \
          create table event (stream text not null, seq bigint not null, at bigint not null, data text not null, \
          primary key (stream, seq)); \
          create table once (key_hash text not null, stream text not null, answer text, primary key (key_hash));",
}];

const BOOKS: &[Migration] = &[Migration {
    number: 1,
    name: "books",
    sql: "create table sim_entry (reference text not null, body text not null, primary key (reference));",
}];

/// How many writers commit one by one: enough to keep the server busy with 64 clients.
const SINGLE_WRITERS: usize = 32;

/// How PostgreSQL commits.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Commits {
    /// Those that wait together, as the service does.
    InGroups,
    /// One transaction for each.
    OneByOne,
}

pub(super) struct Keeper {
    world: World,
    rows: Db,
    books: Db,
}

impl Keeper {
    pub(super) fn sqlite(directory: &Path) -> anyhow::Result<Self> {
        let world = World::real();
        std::fs::create_dir_all(directory)?;
        let open = |name, migrations| {
            Db::sqlite(SqliteOptions::new(directory.join(name)), migrations, &world)
        };
        Ok(Self {
            rows: open("store.db", ROWS)?,
            books: open("simulator.db", BOOKS)?,
            world,
        })
    }

    pub(super) async fn postgres(url: &str, commits: Commits) -> anyhow::Result<Self> {
        let world = World::real();
        let options = |schema| match commits {
            Commits::InGroups => PostgresOptions::new(url, schema),
            Commits::OneByOne => PostgresOptions {
                writers: SINGLE_WRITERS,
                batch: 1,
                ..PostgresOptions::new(url, schema)
            },
        };
        let rows = Db::postgres(options("floor"), ROWS, &world).await?;
        let books = Db::postgres(options("floor_books"), BOOKS, &world).await?;
        Ok(Self { world, rows, books })
    }

    /// The durable work of an authorisation. Returns its id and status.
    pub(super) async fn authorise(
        &self,
        amount: i64,
        currency: &str,
        key: Option<&str>,
    ) -> anyhow::Result<(String, String)> {
        let id = self.world.uuid_v7().hyphenated().to_string();
        let mut first = self.change(&id);
        if let Some(key) = key {
            first.push(Statement::one(
                "insert into once (key_hash, stream) values ($1, $2)",
                params![key, id.as_str()],
            ));
        }
        first.push(Statement::one(
            "insert into payment (payment_id, version, status, amount, currency, body) values ($1, 1, $2, $3, $4, $5)",
            params![id.as_str(), "ACTIVE", amount, currency, document(&id, BEFORE)],
        ));
        first.push(self.event(&id, 1, BEGUN));
        done(self.rows.commit(first).await?)?;

        let entry = Statement::one(
            "insert into sim_entry (reference, body) values ($1, $2) on conflict (reference) do nothing",
            params![id.as_str(), document(&id, ENTRY)],
        );
        done(self.books.commit(self.change(&id).with(entry)).await?)?;

        let mut second = self.change(&id).with(Statement::one(
            "update payment set version = 2, status = $2, body = $3 where payment_id = $1 and version = 1",
            params![id.as_str(), "SUCCEEDED", document(&id, AFTER)],
        ));
        second.push(self.event(&id, 2, ENDED));
        if let Some(key) = key {
            let reported = params![key, document(&id, ANSWERED)];
            second.push(Statement::one(
                "update once set answer = $2 where key_hash = $1",
                reported,
            ));
        }
        done(self.rows.commit(second).await?)?;
        Ok((id, "SUCCEEDED".to_owned()))
    }

    /// Id and status of a payment.
    pub(super) async fn payment(&self, id: &str) -> anyhow::Result<(String, String)> {
        let rows = self
            .rows
            .read(
                "select payment_id, status from payment where payment_id = $1",
                params![id],
            )
            .await?;
        let mut row = rows.into_iter().next().context("no such payment")?;
        Ok((row.take_text(0)?, row.take_text(1)?))
    }

    fn change(&self, id: &str) -> Change {
        Change::new(ChangeId(u128::from(self.world.random())), id)
    }

    fn event(&self, id: &str, seq: i64, size: usize) -> Statement {
        Statement::one(
            "insert into event (stream, seq, at, data) values ($1, $2, $3, $4)",
            params![id, seq, self.world.now(), document(id, size)],
        )
    }
}

/// A text of about this size.
fn document(id: &str, size: usize) -> String {
    let rest = size.saturating_sub(id.len() + 20);
    format!("{{\"id\":\"{id}\",\"rest\":\"{:x<rest$}\"}}", "")
}

fn done(committed: Committed) -> anyhow::Result<()> {
    match committed {
        Committed::Done => Ok(()),
        Committed::Conflict { .. } | Committed::Unknown => bail!("it was not committed"),
    }
}
