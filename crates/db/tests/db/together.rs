//! What waits at the same moment goes to the server together.

use std::{collections::BTreeSet, time::Duration};

use db::{Change, Committed, Db, Insert, PostgresOptions, Select, Update, params};
use futures_util::future::join_all;
use world::World;

use crate::{
    books::{MIGRATIONS, amount, change, ledger, open_account},
    postgres_server::Server,
};

const ACCOUNTS: usize = 60;

static SET: Update = Update::new("account", &["id"], &["amount"]);
static SPEND: Update = Update::new("account", &["id"], &["amount"]).expecting(&["amount"]);
static WRITE: Insert = Insert::new("ledger", &["id", "account_id", "amount"]);
static BY_ACCOUNT: Update = Update::new("ledger", &["account_id"], &["amount"]);
static READ: Select = Select::new("account", &["id", "amount"], &["id"]);

/// Leaves so much in an account that had `had`, and writes it down.
fn spend(account: &str, had: i64, left: i64, entry: &str) -> Change {
    change(account)
        .with(SPEND.with(params![account, left, had]))
        .with(WRITE.with(params![entry, account, had - left]))
}

/// One connection for each purpose, so that whatever comes at once must wait for it.
async fn narrow() -> Db {
    let options = PostgresOptions {
        writers: 1,
        readers: 1,
        ..Server::shared().options(None)
    };
    Db::postgres(options, MIGRATIONS, &World::real())
        .await
        .unwrap()
}

async fn opened(db: &Db) {
    let opened =
        join_all((0..ACCOUNTS).map(|number| db.commit(open_account(&number.to_string(), 10))))
            .await;
    assert!(
        opened.iter().all(|one| *one == Ok(Committed::Done)),
        "{opened:?}"
    );
}

/// The statements that wrote the rows of a table: their transaction and their number in it.
async fn statements(db: &Db, table: &str) -> BTreeSet<(String, String)> {
    let sql = format!("select cast(xmin as text), cast(cmin as text) from {table}");
    let rows = db.scan(sql, params![]).await.unwrap();
    rows.into_iter()
        .map(|mut row| (row.take_text(0).unwrap(), row.take_text(1).unwrap()))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_that_are_alike_are_written_by_few_statements() {
    let db = narrow().await;
    opened(&db).await;
    // A few, but the writer may be quicker than the makers of the changes on a busy machine.
    assert!(statements(&db, "account").await.len() < ACCOUNTS);
    let takes = (0..ACCOUNTS)
        .map(|number| db.commit(spend(&number.to_string(), 10, 9, &number.to_string())));
    let ended = join_all(takes).await;
    assert!(
        ended.iter().all(|one| *one == Ok(Committed::Done)),
        "{ended:?}"
    );
    assert_eq!(ledger(&db).await.len(), ACCOUNTS);
    let (updates, inserts) = (
        statements(&db, "account").await,
        statements(&db, "ledger").await,
    );
    assert!(
        updates.len() < ACCOUNTS && inserts.len() < ACCOUNTS,
        "{updates:?} {inserts:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn without_bundles_each_change_has_statements_of_its_own() {
    let options = PostgresOptions {
        writers: 1,
        bundles: false,
        ..Server::shared().options(None)
    };
    let db = Db::postgres(options, MIGRATIONS, &World::real())
        .await
        .unwrap();
    opened(&db).await;
    assert_eq!(statements(&db, "account").await.len(), ACCOUNTS);
    let found = join_all((0..ACCOUNTS).map(|number| db.find(&READ, params![number.to_string()])));
    assert!(
        found
            .await
            .iter()
            .all(|rows| rows.as_ref().unwrap().len() == 1)
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn one_that_is_refused_is_reported_so_and_the_others_are_written() {
    let db = narrow().await;
    opened(&db).await;
    // Every seventh has the account as it was before, every eleventh writes an entry that is there.
    assert_eq!(
        db.commit(spend("0", 10, 9, "taken")).await,
        Ok(Committed::Done)
    );
    let takes = (1..ACCOUNTS).map(|number| {
        let entry = if number % 11 == 0 {
            "taken".to_owned()
        } else {
            number.to_string()
        };
        let had = if number % 7 == 0 { 11 } else { 10 };
        db.commit(spend(&number.to_string(), had, 7, &entry))
    });
    for (number, ended) in (1..).zip(join_all(takes).await) {
        let statement = usize::from(number % 7 != 0);
        let refused = number % 7 == 0 || number % 11 == 0;
        let wanted = if refused {
            Committed::Conflict { statement }
        } else {
            Committed::Done
        };
        assert_eq!(ended, Ok(wanted), "{number}");
        assert_eq!(
            amount(&db, &number.to_string()).await,
            if refused { 10 } else { 7 },
            "{number}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_of_the_same_row_by_other_keys_are_all_made() {
    let db = narrow().await;
    opened(&db).await;
    // Two of them hit the one row of a bundle, which a statement of the database would write once.
    let set = |key: usize, amount: i64| {
        let statement = SET.with(params!["7", amount]);
        change(&format!("key {key}")).with(statement)
    };
    let more = |key: usize| {
        let mut any = change(&format!("key {key}"));
        any.push(SET.with(params!["7", 11]).or_none());
        db.commit(any)
    };
    assert!(
        join_all((0..40).map(more))
            .await
            .iter()
            .all(|one| *one == Ok(Committed::Done))
    );
    let takes = (0..40).map(|key| db.commit(set(key, 10)));
    assert!(
        join_all(takes)
            .await
            .iter()
            .all(|one| *one == Ok(Committed::Done))
    );
    assert_eq!(amount(&db, "7").await, 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_update_that_hits_two_rows_is_refused_though_another_hits_none() {
    let db = narrow().await;
    opened(&db).await;
    let write = |key: &str, account: &str| change(key).with(WRITE.with(params![key, account, 0]));
    for (key, account) in [("a", "two"), ("b", "two"), ("c", "one"), ("d", "one too")] {
        assert_eq!(db.commit(write(key, account)).await, Ok(Committed::Done));
    }
    let set = |account: &str| db.commit(change(account).with(BY_ACCOUNT.with(params![account, 5])));
    let ended = join_all(["one", "none", "two", "one too"].map(set)).await;
    let refused = Ok(Committed::Conflict { statement: 0 });
    assert_eq!(
        ended,
        [
            Ok(Committed::Done),
            refused.clone(),
            refused,
            Ok(Committed::Done)
        ]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn reads_that_are_alike_are_asked_together_and_each_gets_its_own() {
    let db = narrow().await;
    opened(&db).await;
    for _ in 0..20 {
        let read = |number: usize| {
            let db = &db;
            async move {
                let reading = db.find(&READ, params![number.to_string()]);
                if number.is_multiple_of(5) {
                    // It goes away before it has its answer, and nobody waits for it.
                    let _ = World::real()
                        .timeout(Duration::from_micros(200), reading)
                        .await;
                    return;
                }
                let rows = reading.await.unwrap();
                match rows.as_slice() {
                    [row] => assert_eq!(row.text(0), Ok(number.to_string().as_str())),
                    [] => assert!(number >= ACCOUNTS, "{number}"),
                    more => panic!("{more:?}"),
                }
            }
        };
        join_all((0..ACCOUNTS + 20).map(read)).await;
    }
    // On the only connection for reads.
    let known = db
        .read(
            "select count(*) from pg_prepared_statements where statement like '%lateral%'",
            params![],
        )
        .await;
    assert!(known.unwrap()[0].int(0).unwrap() > 0);
}
