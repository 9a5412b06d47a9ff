//! Dates on the embedded database and on a server with two nodes.

use std::time::Duration;

use db::{Committed, Db, DbError, SqliteOptions, TOLERANCE};
use domain::Timestamp;
use futures_util::future::join_all;
use world::World;

use crate::{
    books::{MIGRATIONS, ledger, open_account, take},
    postgres_server::Server,
};

async fn made(db: &Db, entry: &str) -> Timestamp {
    loop {
        let date = db.draw_date().await.unwrap();
        let change = open_account(entry, 10).dated(&date);
        match db.commit(change).await {
            Ok(Committed::Done) => return date.at(),
            // A busy machine was too slow: another date is drawn, as every caller does.
            Err(DbError::Outdated) => {}
            other => panic!("{other:?}"),
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_committed_embedded_is_settled_at_once_and_what_is_open_holds_it_back() {
    let folder = tempfile::tempdir().unwrap();
    let options = SqliteOptions::new(folder.path().join("books.db"));
    let db = Db::sqlite(options, MIGRATIONS, &World::real()).unwrap();
    let date = made(&db, "a").await;
    assert!(db.settled_until().await.unwrap().unwrap() > date);
    let open = db.draw_date().await.unwrap();
    made(&db, "b").await;
    assert_eq!(db.settled_until().await, Ok(Some(open.at())));
    drop(open);
    let settled = db.settled_until().await.unwrap().unwrap();
    assert!(db.draw_date().await.unwrap().at() >= settled);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_nobody_waits_for_keeps_its_date_open_until_it_is_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("books.db");
    let db = Db::sqlite(SqliteOptions::new(&path), MIGRATIONS, &World::real()).unwrap();
    made(&db, "a").await;
    // Another program holds the database, so that the commit has to wait.
    let other = rusqlite::Connection::open(&path).unwrap();
    other.execute_batch("begin immediate").unwrap();
    let date = db.draw_date().await.unwrap();
    let at = date.at();
    let world = World::real();
    let committing = db.commit(take("a", 1, "x").dated(&date));
    assert!(
        world
            .timeout(Duration::from_millis(50), committing)
            .await
            .is_err()
    );
    drop(date);
    assert_eq!(db.settled_until().await, Ok(Some(at)));
    other.execute_batch("rollback").unwrap();
    while ledger(&db).await.is_empty() {
        world.sleep(Duration::from_millis(2)).await;
    }
    let settled = async {
        while db.settled_until().await.unwrap().unwrap() <= at {
            world.sleep(Duration::from_millis(2)).await;
        }
    };
    world
        .timeout(Duration::from_mins(1), settled)
        .await
        .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_transaction_of_any_client_holds_back_what_is_settled_on_a_server() {
    let server = Server::start(&[]);
    let options = server.options(None);
    let world = World::real();
    let open = || async {
        Db::postgres(options.clone(), MIGRATIONS, &world)
            .await
            .unwrap()
    };
    let (one, other) = (open().await, open().await);
    let many = (0..200).map(|n| {
        let db = if n % 2 == 0 { &one } else { &other };
        async move { made(db, &format!("many {n}")).await }
    });
    let last = join_all(many).await.into_iter().max().unwrap();
    let wait_for = async |date: Timestamp| {
        let waiting = async {
            while other
                .settled_until()
                .await
                .unwrap()
                .is_none_or(|settled| settled <= date)
            {
                world.sleep(Duration::from_millis(50)).await;
            }
        };
        world
            .timeout(Duration::from_mins(1), waiting)
            .await
            .unwrap();
    };
    wait_for(last).await;
    assert!(world.now().since(last) >= TOLERANCE.mul_f64(0.9));

    let (mut client, connection) =
        tokio_postgres::connect(&server.url(None), tokio_postgres::NoTls)
            .await
            .unwrap();
    world.spawn(async move { connection.await.unwrap_or_default() });
    let transaction = client.transaction().await.unwrap();
    transaction
        .batch_execute("select pg_current_xact_id()")
        .await
        .unwrap();
    world.sleep(Duration::from_millis(10)).await;
    let held = world.now();
    let date = made(&one, "behind it").await;
    for _ in 0..6 {
        world.sleep(Duration::from_millis(500)).await;
        let settled = other.settled_until().await.unwrap().unwrap();
        assert!(settled <= held && settled <= date);
    }
    transaction.rollback().await.unwrap();
    wait_for(date).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_refuses_dates_that_are_too_old_alone_and_among_others() {
    let world = World::real();
    let db = Db::postgres(Server::shared().options(None), MIGRATIONS, &world)
        .await
        .unwrap();
    made(&db, "a").await;
    let late = db.draw_date().await.unwrap();
    world.sleep(TOLERANCE + Duration::from_millis(200)).await;
    assert_eq!(
        db.commit(take("a", 1, "late").dated(&late)).await,
        Err(DbError::Outdated)
    );
    let among = (0..40).map(|n| {
        let (db, late) = (&db, &late);
        async move {
            let entry = format!("account {n:02}");
            if n % 7 == 3 {
                let change = open_account(&entry, 1).dated(late);
                assert_eq!(db.commit(change).await, Err(DbError::Outdated));
            } else {
                made(db, &entry).await;
            }
        }
    });
    join_all(among).await;
    let rows = db
        .scan("select id from account order by id", vec![])
        .await
        .unwrap();
    assert_eq!(rows.len(), 1 + 40 - 6);
}
