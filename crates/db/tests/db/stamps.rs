//! Commit stamps: nothing that a reader follows by them is passed over, and they never go back.

use std::{path::Path, time::Duration};

use db::{Change, ChangeId, Committed, Db, Insert, Migration, SqliteOptions, Statement, params};
use futures_util::future::join_all;
use world::World;

use crate::postgres_server::Server;

const ROWS: &[Migration] = &[Migration {
    number: 1,
    name: "rows",
    sql: "create table row (id bigint not null, stamp bigint not null, primary key (id)); \
          create table other (id bigint not null, primary key (id));",
}];

static ROW: Insert = Insert::new("row", &["id"]).stamped("stamp");

fn insert(id: i64) -> Change {
    let (key, change) = (id.to_string(), u128::from(id.unsigned_abs()));
    Change::new(ChangeId(change), &key).with(ROW.with(params![id]))
}

async fn write(db: &Db, id: i64) {
    assert_eq!(db.commit(insert(id)).await, Ok(Committed::Done));
}

/// The settled rows behind a stamp, as a reader takes them: ids and stamps in order.
async fn settled(db: &Db, after: i64) -> Vec<(i64, i64)> {
    let sql =
        "select id, stamp from row where stamp > $1 and stamp < settled_stamp() order by stamp, id";
    let rows = db.read(sql, params![after]).await.unwrap();
    rows.iter()
        .map(|row| (row.int(0).unwrap(), row.int(1).unwrap()))
        .collect()
}

fn sqlite(path: &Path, world: &World) -> Db {
    Db::sqlite_inline_file(path, ROWS, world).unwrap()
}

/// What a reader that asks for `id` has seen when it comes, and everything before it.
async fn until(db: &Db, id: i64) -> Vec<i64> {
    let wait = async {
        loop {
            let seen: Vec<i64> = settled(db, 0).await.into_iter().map(|row| row.0).collect();
            if seen.contains(&id) {
                return seen;
            }
            World::real().sleep(Duration::from_millis(5)).await;
        }
    };
    World::real()
        .timeout(Duration::from_secs(30), wait)
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_reader_follows_comes_once_and_in_order_alone_and_in_bundles() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::real();
    let file = SqliteOptions::new(folder.path().join("rows.db"));
    let server = Server::shared().options(None);
    for db in [
        Db::sqlite(file, ROWS, &world).unwrap(),
        Db::postgres(server, ROWS, &world).await.unwrap(),
    ] {
        write(&db, 1).await;
        write(&db, 2).await;
        join_all((3..60).map(|id| write(&db, id))).await;
        write(&db, 60).await;
        let seen = until(&db, 60).await;
        assert_eq!(&seen[..2], [1, 2], "{db:?}");
        assert_eq!(seen.last(), Some(&60));
        let mut all = seen.clone();
        all.sort_unstable();
        assert_eq!(all, (1..=60).collect::<Vec<_>>());
        // A reader that goes on from each place sees the rest, and nothing twice.
        let rows = settled(&db, 0).await;
        let (id, stamp) = rows[30];
        let rest = settled(&db, stamp).await;
        assert!(!rest.iter().any(|row| row.0 == id));
        let reported: Vec<_> = rows.iter().filter(|row| row.1 > stamp).copied().collect();
        assert_eq!(rest, reported);
        assert!(db.latest_stamp().await.unwrap() >= rows.last().unwrap().1);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_open_older_writer_holds_a_younger_row_back_and_is_not_passed_over() {
    let server = Server::shared();
    let options = server.options(None);
    let (client, driven) = tokio_postgres::connect(&server.url(None), tokio_postgres::NoTls)
        .await
        .unwrap();
    World::real().spawn(async move { driven.await.unwrap_or_default() });
    let db = Db::postgres(options.clone(), ROWS, &World::real())
        .await
        .unwrap();
    let schema = &options.schema;
    write(&db, 1).await;
    let older = format!(
        "set search_path to \"{schema}\"; begin; insert into row (id, stamp) values (2, \
         (select base from schema_stamp) + pg_current_xact_id()::text::bigint)"
    );
    client.batch_execute(&older).await.unwrap();
    write(&db, 3).await;
    // The older one is open: neither is seen.
    assert_eq!(until(&db, 1).await, [1]);
    client.batch_execute("commit").await.unwrap();
    assert_eq!(until(&db, 3).await, [1, 2, 3]);
    // One that writes nothing of ours holds back too; one that is undone leaves no trace.
    client
        .batch_execute("begin; insert into other (id) values (1)")
        .await
        .unwrap();
    write(&db, 4).await;
    assert_eq!(until(&db, 3).await, [1, 2, 3]);
    client.batch_execute("rollback").await.unwrap();
    assert_eq!(until(&db, 4).await, [1, 2, 3, 4]);
    // A snapshot alone, such as a dump's, does not.
    client
        .batch_execute("begin isolation level repeatable read; select count(*) from row")
        .await
        .unwrap();
    write(&db, 5).await;
    assert_eq!(until(&db, 5).await, [1, 2, 3, 4, 5]);
}

#[tokio::test(flavor = "multi_thread")]
async fn raised_stamps_are_higher_than_what_was_brought_there() {
    let folder = tempfile::tempdir().unwrap();
    let world = World::real();
    let file = sqlite(&folder.path().join("rows.db"), &world);
    let server = Db::postgres(Server::shared().options(None), ROWS, &world)
        .await
        .unwrap();
    for db in [file, server] {
        write(&db, 1).await;
        let far = db.latest_stamp().await.unwrap() + 1_000_000_000_000;
        let brought = Statement::one(
            "insert into row (id, stamp) values ($1, $2)",
            params![2, far],
        );
        let change = Change::new(ChangeId(200), "2").with(brought);
        assert_eq!(db.commit(change).await, Ok(Committed::Done));
        db.raise_stamps(ChangeId(201), far).await.unwrap();
        write(&db, 3).await;
        assert_eq!(until(&db, 3).await, [1, 2, 3], "{db:?}");
        // Raised to what is past, they go on.
        db.raise_stamps(ChangeId(202), 5).await.unwrap();
        write(&db, 4).await;
        assert_eq!(until(&db, 4).await, [1, 2, 3, 4], "{db:?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_that_is_refused_does_not_use_up_the_limit_of_stamps() {
    let world = World::real();
    let db = Db::sqlite_inline(ROWS, &world).unwrap();
    let refused = insert(1).with(Statement::one("delete from other", params![]));
    for _ in 0..3 {
        assert_eq!(
            db.commit(refused.clone()).await,
            Ok(Committed::Conflict { statement: 1 })
        );
    }
    write(&db, 2).await;
    let rows = settled(&db, 0).await;
    assert_eq!(rows.len(), 1);
    assert!(db.latest_stamp().await.unwrap() >= rows[0].1);
}
