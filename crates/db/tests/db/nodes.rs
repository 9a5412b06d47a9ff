//! Several nodes on one server.

mod starting;

use db::{Committed, Db, DbError, PostgresOptions, Statement, params};
use futures_util::future::{join, join_all};
use world::World;

use crate::{
    books::{MIGRATIONS, amount, change, ledger, open_account, take},
    postgres_server::Server,
};

async fn open(options: &PostgresOptions) -> Db {
    Db::postgres(options.clone(), MIGRATIONS, &World::real())
        .await
        .unwrap()
}

/// A plain connection besides those of the door.
async fn plain(server: &Server) -> tokio_postgres::Client {
    let (client, connection) = tokio_postgres::connect(&server.url(None), tokio_postgres::NoTls)
        .await
        .unwrap();
    World::real().spawn(async move { connection.await.unwrap_or_default() });
    client
}

#[tokio::test(flavor = "multi_thread")]
async fn a_node_without_a_connection_to_write_on_is_not_well_until_it_has_one() {
    let server = Server::shared();
    let schema = server.options(None).schema;
    let role = format!("few_of_{schema}");
    let admin = plain(server).await;
    let made = format!("create role {role} login; create schema {schema} authorization {role}");
    admin.batch_execute(&made).await.unwrap();
    let url = server.url(None).replace("postgres@", &format!("{role}@"));
    let db = open(&PostgresOptions {
        url,
        schema,
        readers: 1,
        ..server.options(None)
    })
    .await;
    for account in 0..16 {
        db.commit(open_account(&account.to_string(), 1))
            .await
            .unwrap();
    }
    assert_eq!(db.check().await, Ok(()));
    // Its writers lose their connections and get no others; the reader keeps its own.
    let limit = |most: i32| format!("alter role {role} connection limit {most}");
    let cut = format!(
        "select pg_terminate_backend(pid) from pg_stat_activity where usename = '{role}' and query = 'commit'"
    );
    admin.batch_execute(&limit(0)).await.unwrap();
    assert_eq!(admin.execute(&cut, &[]).await.unwrap(), 3);
    let mut checked = Ok(());
    // A connection takes a moment to notice that it was cut.
    for _ in 0..1_500 {
        checked = db.check().await;
        if checked.is_err() {
            break;
        }
        World::real()
            .sleep(std::time::Duration::from_millis(20))
            .await;
    }
    assert!(
        matches!(checked, Err(DbError::Unreachable(_))),
        "{checked:?}"
    );
    assert_eq!(amount(&db, "3").await, 1, "it can be read all the while");
    admin.batch_execute(&limit(-1)).await.unwrap();
    assert_eq!(db.commit(open_account("b", 1)).await, Ok(Committed::Done));
    let mut checked = db.check().await;
    for _ in 0..1_500 {
        if checked.is_ok() {
            break;
        }
        World::real()
            .sleep(std::time::Duration::from_millis(20))
            .await;
        checked = db.check().await;
    }
    assert_eq!(checked, Ok(()));
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_that_wait_share_commits() {
    let server = Server::shared();
    let options = PostgresOptions {
        writers: 1,
        ..server.options(None)
    };
    let db = open(&options).await;
    let changes = (0..200).map(|number| db.commit(open_account(&format!("{number}"), 1)));
    assert!(
        join_all(changes)
            .await
            .iter()
            .all(|one| *one == Ok(Committed::Done))
    );
    let transactions = db
        .scan(
            "select count(distinct cast(xmin as text)) from account",
            params![],
        )
        .await
        .unwrap();
    // Two or three, but the writer may be quicker than the makers of the changes on a busy machine.
    assert!(transactions[0].int(0).unwrap() <= 100, "{transactions:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_refused_hurts_no_neighbour_and_is_judged_by_the_committed_state() {
    let db = open(&PostgresOptions {
        writers: 1,
        ..Server::shared().options(None)
    })
    .await;
    db.commit(open_account("a", 10)).await.unwrap();
    db.commit(open_account("b", 10)).await.unwrap();
    // One batch, since they are polled together: a defect, a guard that is not met, and twenty times the same key.
    let wrong = Statement::any(
        "update account set amount = amount / $2 where id = $1",
        params!["a", 0],
    );
    let mut all = vec![take("a", 3, "x").with(wrong), take("b", 11, "y")];
    for number in 0..20 {
        let mut same = take("b", 1, "same");
        same.aggregate = number;
        all.push(same);
    }
    all.push(change("c").with(Statement::one(
        "insert into ledger (id, account_id, amount) values ($1, $1, $2)",
        params!["z", 1],
    )));
    let outcomes = join_all(all.into_iter().map(|one| db.commit(one))).await;
    assert!(
        matches!(&outcomes[0], Err(DbError::Sql { message, .. }) if message == "division by zero"),
        "{outcomes:?}"
    );
    assert_eq!(outcomes[1], Ok(Committed::Conflict { statement: 0 }));
    let done = outcomes[2..22]
        .iter()
        .filter(|one| **one == Ok(Committed::Done))
        .count();
    let taken = outcomes[2..22]
        .iter()
        .filter(|one| **one == Ok(Committed::Conflict { statement: 1 }))
        .count();
    assert_eq!((done, taken), (1, 19));
    assert_eq!(outcomes[22], Ok(Committed::Done));
    assert_eq!((amount(&db, "a").await, amount(&db, "b").await), (10, 9));
    assert_eq!(ledger(&db).await, ["same", "z"]);
}

/// Takes from one account and gives to another, under a key that says nothing about either.
fn transfer(number: usize, from: &str, to: &str) -> db::Change {
    let give = Statement::one(
        "update account set amount = amount + $2 where id = $1",
        params![to, 1],
    );
    let mut made = take(from, 1, &format!("{number:04}")).with(give);
    made.aggregate = u64::try_from(number).unwrap();
    made
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_that_lock_crosswise_all_come_to_an_end_and_lose_nothing() {
    let options = Server::shared().options(None);
    let (one, other) = join(open(&options), open(&options)).await;
    for account in ["a", "b", "c"] {
        one.commit(open_account(account, 1000)).await.unwrap();
    }
    let transfers = (0..300).map(|number| {
        let (from, to) = [("a", "b"), ("b", "a"), ("c", "a"), ("b", "c")][number % 4];
        if number % 8 < 4 {
            one.commit(transfer(number, from, to))
        } else {
            other.commit(transfer(number, from, to))
        }
    });
    let outcomes = join_all(transfers).await;
    let other: Vec<_> = outcomes
        .iter()
        .filter(|outcome| **outcome != Ok(Committed::Done))
        .collect();
    assert!(other.is_empty(), "{other:?}");
    assert_eq!(ledger(&one).await.len(), 300);
    // Of four transfers, a loses one and gains two, b loses two and gains one, c loses one and gains one.
    let amounts = (
        amount(&one, "a").await,
        amount(&one, "b").await,
        amount(&one, "c").await,
    );
    assert_eq!(amounts, (1075, 925, 1000));
}

#[tokio::test(flavor = "multi_thread")]
async fn nodes_that_change_the_same_aggregates_never_deadlock() {
    let server = Server::shared();
    let schema = server.options(None).schema;
    let admin = plain(server).await;
    // Deadlocks are counted for each database.
    admin
        .batch_execute(&format!("create database calm_{schema}"))
        .await
        .unwrap();
    let url = server
        .url(None)
        .replace("/postgres?", &format!("/calm_{schema}?"));
    let options = PostgresOptions {
        writers: 2,
        ..PostgresOptions::new(url, &schema)
    };
    let (one, other) = join(open(&options), open(&options)).await;
    let accounts: Vec<String> = (0..24).map(|number| format!("{number}")).collect();
    join_all(
        accounts
            .iter()
            .map(|account| one.commit(open_account(account, 0))),
    )
    .await;
    let add = "update account set amount = amount + 1 where id = $1";
    let step = |account: &String| change(account).with(Statement::one(add, params![account]));
    for round in 0..40 {
        let (mut first, mut second) = (accounts.clone(), accounts.clone());
        first.rotate_left(round % 24);
        second.reverse();
        let all = (first.iter().map(|account| one.commit(step(account))))
            .chain(second.iter().map(|account| other.commit(step(account))));
        assert!(
            join_all(all)
                .await
                .iter()
                .all(|outcome| *outcome == Ok(Committed::Done))
        );
    }
    let sums = one
        .scan("select min(amount), max(amount) from account", params![])
        .await
        .unwrap();
    assert_eq!((sums[0].int(0), sums[0].int(1)), (Ok(80), Ok(80)));
    one.close().await;
    other.close().await;
    // A connection tells what it has counted when it ends.
    let database = format!("calm_{schema}");
    let left = "select count(*) from pg_stat_activity where datname = $1::text";
    while admin
        .query_one(left, &[&database])
        .await
        .unwrap()
        .get::<_, i64>(0)
        > 0
    {
        World::real()
            .sleep(std::time::Duration::from_millis(5))
            .await;
    }
    let deadlocks = "select deadlocks from pg_stat_database where datname = $1::text";
    assert_eq!(
        admin
            .query_one(deadlocks, &[&database])
            .await
            .unwrap()
            .get::<_, i64>(0),
        0
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn claimers_of_several_nodes_never_get_the_same_and_wait_for_nobody() {
    let server = Server::shared();
    let options = server.options(None);
    let (one, other) = join(open(&options), open(&options)).await;
    for number in 0..60 {
        one.commit(open_account(&format!("{number:02}"), number))
            .await
            .unwrap();
    }
    // Somebody is at work on one of them.
    let mut busy = plain(server).await;
    let held = busy.transaction().await.unwrap();
    let sql = format!(
        "update {}.account set amount = amount where id = '00'",
        options.schema
    );
    assert_eq!(held.execute(&sql, &[]).await.unwrap(), 1);
    let claim = "update account set amount = $2 where id in \
                 (select id from account where amount <= $1 order by amount limit $3) and amount <= $1 returning id";
    let claims = (0..20).map(|number| {
        let node = if number % 2 == 0 { &one } else { &other };
        node.claim(claim, params![1000, 5000, 4])
    });
    let claimed = join_all(claims).await;
    let mut ids: Vec<String> = claimed
        .into_iter()
        .flat_map(|rows| rows.unwrap())
        .map(|row| row.text(0).unwrap().to_owned())
        .collect();
    ids.sort();
    assert_eq!(
        ids,
        (1..60)
            .map(|number| format!("{number:02}"))
            .collect::<Vec<_>>()
    );
}
