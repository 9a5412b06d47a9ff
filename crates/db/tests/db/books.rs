//! The tables that these tests use: accounts with an amount, and a ledger of what was taken from them.

use db::{Change, ChangeId, Db, Insert, Migration, Statement, params};

pub(crate) const MIGRATIONS: &[Migration] = &[Migration {
    number: 1,
    name: "books",
    sql: "create table account (id text not null, amount bigint not null, primary key (id));
          create table ledger (id text not null, account_id text not null, amount bigint not null, primary key (id));",
}];

pub(crate) const TAKE: &str =
    "update account set amount = amount - $2 where id = $1 and amount >= $2";
pub(crate) const WRITE: &str = "insert into ledger (id, account_id, amount) values ($1, $2, $3)";

/// A change of an account.
pub(crate) fn change(account: &str) -> Change {
    Change::new(ChangeId(0), account)
}

static OPEN: Insert = Insert::new("account", &["id", "amount"]);

pub(crate) fn open_account(account: &str, amount: i64) -> Change {
    change(account).with(OPEN.with(params![account, amount]))
}

/// Takes an amount, if there is so much, and writes it down.
pub(crate) fn take(account: &str, amount: i64, entry: &str) -> Change {
    change(account)
        .with(Statement::one(TAKE, params![account, amount]))
        .with(Statement::one(WRITE, params![entry, account, amount]))
}

pub(crate) async fn amount(db: &Db, account: &str) -> i64 {
    let rows = db
        .read("select amount from account where id = $1", params![account])
        .await
        .unwrap();
    rows[0].int(0).unwrap()
}

/// The ledger's entries, sorted.
pub(crate) async fn ledger(db: &Db) -> Vec<String> {
    let rows = db
        .scan("select id from ledger order by id", params![])
        .await
        .unwrap();
    rows.into_iter()
        .map(|mut row| row.take_text(0).unwrap())
        .collect()
}
