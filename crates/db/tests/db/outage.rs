//! The server goes, comes back, and loses answers.

use std::time::Duration;

use db::{Committed, Db, DbError, PostgresOptions, params};
use futures_util::future::join_all;
use world::World;

use crate::{
    books::{MIGRATIONS, amount, ledger, open_account, take},
    postgres_server::Server,
    proxy::{AtCommit, Proxy},
};

async fn open(options: PostgresOptions) -> Db {
    Db::postgres(options, MIGRATIONS, &World::real())
        .await
        .unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_whose_answer_is_lost_is_unknown_and_the_caller_finds_out() {
    let server = Server::shared();
    let mut proxy = Proxy::start(server.port()).await;
    let db = open(PostgresOptions {
        writers: 1,
        ..server.options(Some(proxy.port))
    })
    .await;
    assert_eq!(db.commit(open_account("a", 100)).await, Ok(Committed::Done));
    for (round, at_commit) in [AtCommit::CutAfter, AtCommit::CutBefore, AtCommit::CutAfter]
        .into_iter()
        .enumerate()
    {
        let before = amount(&db, "a").await;
        proxy.arm(at_commit);
        let change = take("a", 1, &format!("{round}"));
        assert_eq!(db.commit(change.clone()).await, Ok(Committed::Unknown));
        proxy.commits.recv().await.unwrap();
        let done = ledger(&db).await.contains(&format!("{round}"));
        assert_eq!(done, at_commit == AtCommit::CutAfter);
        // Submitted again, it is done now, or was done already.
        let wanted = if done {
            Committed::Conflict { statement: 1 }
        } else {
            Committed::Done
        };
        assert_eq!(db.commit(change).await, Ok(wanted));
        assert_eq!(amount(&db, "a").await, before - 1, "it was done twice");
    }
    assert_eq!(ledger(&db).await, ["0", "1", "2"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_sent_behind_a_begin_that_failed_is_not_done() {
    let server = Server::shared();
    let proxy = Proxy::start(server.port()).await;
    let db = open(PostgresOptions {
        writers: 1,
        ..server.options(Some(proxy.port))
    })
    .await;
    db.commit(open_account("a", 100)).await.unwrap();
    proxy.spoil_begin();
    let refused = db.commit(take("a", 1, "x")).await;
    assert!(refused.is_err(), "{refused:?}");
    assert_eq!(
        (amount(&db, "a").await, ledger(&db).await),
        (100, Vec::<String>::new())
    );
    assert_eq!(db.commit(take("a", 1, "x")).await, Ok(Committed::Done));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_host_that_gives_no_answer_does_not_hide_the_others() {
    let server = Server::shared();
    // It takes connections, and that is all.
    let silent = std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap();
    let port = silent.local_addr().unwrap().port();
    let options = server.options(None);
    let url = options
        .url
        .replace("@127.0.0.1", &format!("@127.0.0.1:{port},127.0.0.1"));
    let (connect_timeout, patience) = (Duration::from_secs(5), Duration::ZERO);
    let db = open(PostgresOptions {
        url,
        connect_timeout,
        patience,
        ..options
    })
    .await;
    assert_eq!(db.commit(open_account("a", 100)).await, Ok(Committed::Done));
    // Once was enough to know it.
    silent.set_nonblocking(true).unwrap();
    assert!(silent.accept().is_ok() && silent.accept().is_err());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_never_answers_a_commit_leaves_it_unknown() {
    let server = Server::shared();
    let proxy = Proxy::start(server.port()).await;
    // Long enough for the commits that are answered, on a busy machine too.
    let quick = Duration::from_secs(3);
    let options = PostgresOptions {
        writers: 1,
        statement_timeout: quick,
        ..server.options(Some(proxy.port))
    };
    let db = open(options).await;
    db.commit(open_account("a", 100)).await.unwrap();
    proxy.arm(AtCommit::Stall);
    assert_eq!(
        db.commit(take("a", 1, "stalled")).await,
        Ok(Committed::Unknown)
    );
    assert_eq!(db.commit(take("a", 1, "next")).await, Ok(Committed::Done));
    assert_eq!(ledger(&db).await, ["next", "stalled"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_whose_connection_is_lost_before_its_commit_is_done_on_the_next_one() {
    let server = Server::shared();
    let options = server.options(None);
    let db = open(options.clone()).await;
    db.commit(open_account("a", 100)).await.unwrap();
    let (mut other, connection) = tokio_postgres::connect(&server.url(None), tokio_postgres::NoTls)
        .await
        .unwrap();
    World::real().spawn(async move { connection.await.unwrap_or_default() });
    let held = other.transaction().await.unwrap();
    let sql = format!("update {}.account set amount = amount", options.schema);
    assert_eq!(held.execute(&sql, &[]).await.unwrap(), 1);
    // The change waits for the row, and its connection is ended while it does.
    let end = "select count(pg_terminate_backend(l.pid)) from pg_locks l join pg_locks m on m.pid = l.pid \
               where not l.granted and m.relation = $1::text::regclass";
    let table = format!("{}.account", options.schema);
    let ending = async {
        let mut ended = 0;
        for _ in 0..15_000 {
            ended += held
                .query_one(end, &[&table])
                .await
                .unwrap()
                .get::<_, i64>(0)
                .min(1);
            if ended == 2 {
                break;
            }
            World::real().sleep(Duration::from_millis(2)).await;
        }
        assert_eq!(ended, 2, "the change did not come again");
        held.rollback().await.unwrap();
    };
    let (outcome, ()) = tokio::join!(db.commit(take("a", 1, "x")), ending);
    assert_eq!(outcome, Ok(Committed::Done));
    assert_eq!(
        (amount(&db, "a").await, ledger(&db).await),
        (99, vec!["x".to_owned()])
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_killed_at_a_commit_and_restarted_has_done_it_once_or_not_at_all() {
    let server = Server::start(&[]);
    let mut proxy = Proxy::start(server.port()).await;
    let db = open(PostgresOptions {
        writers: 1,
        ..server.options(Some(proxy.port))
    })
    .await;
    assert_eq!(db.commit(open_account("a", 100)).await, Ok(Committed::Done));
    for round in 0..3 {
        let entry = format!("{round}");
        proxy.arm(AtCommit::Stall);
        let committing = {
            let (db, change) = (db.clone(), take("a", 1, &entry));
            let (reported, outcome) = tokio::sync::oneshot::channel();
            World::real().spawn(async move { reported.send(db.commit(change).await).unwrap() });
            outcome
        };
        proxy.commits.recv().await.unwrap();
        server.control("kill");
        assert_eq!(committing.await.unwrap(), Ok(Committed::Unknown));
        assert!(matches!(db.check().await, Err(DbError::Unreachable(_))));
        server.control("start");
        // It reconnects by itself; reads wait for that.
        let done = ledger(&db).await.contains(&entry);
        let wanted = if done {
            Committed::Conflict { statement: 1 }
        } else {
            Committed::Done
        };
        assert_eq!(db.commit(take("a", 1, &entry)).await, Ok(wanted));
        assert_eq!(amount(&db, "a").await, 99 - round);
    }
    assert_eq!(db.check().await, Ok(()));
}

#[tokio::test(flavor = "multi_thread")]
async fn work_waits_for_a_server_that_restarts_and_is_refused_when_it_stays_away() {
    let server = Server::start(&[]);
    let patient = open(server.options(None)).await;
    let hasty = open(PostgresOptions {
        patience: Duration::from_millis(300),
        ..server.options(None)
    })
    .await;
    for db in [&patient, &hasty] {
        assert_eq!(db.commit(open_account("a", 100)).await, Ok(Committed::Done));
    }
    server.control("stop");
    assert!(matches!(
        patient.check().await,
        Err(DbError::Unreachable(_))
    ));
    let refused = hasty.commit(take("a", 1, "hasty")).await;
    assert!(
        matches!(refused, Err(DbError::Unreachable(_))),
        "{refused:?}"
    );
    assert!(matches!(
        hasty.read("select 1", params![]).await,
        Err(DbError::Unreachable(_))
    ));
    let soon = World::real().now().after(Duration::from_millis(50));
    assert_eq!(
        patient.commit(take("a", 1, "late").until(soon)).await,
        Err(DbError::Expired)
    );
    // Changes and reads that come while it is away are done when it is back.
    let waiting =
        join_all((0..20).map(|number| patient.commit(take("a", 1, &format!("{number:02}")))));
    let reading = patient.read("select id from account", params![]);
    let (waited, read, ()) = tokio::join!(waiting, reading, async {
        tokio::task::block_in_place(|| server.control("start"));
    });
    assert!(
        waited.iter().all(|one| *one == Ok(Committed::Done)),
        "{waited:?}"
    );
    assert_eq!(read.unwrap().len(), 1);
    assert_eq!(
        (amount(&patient, "a").await, ledger(&patient).await.len()),
        (80, 20)
    );
    assert_eq!(
        (amount(&hasty, "a").await, ledger(&hasty).await.len()),
        (100, 0)
    );
    assert_eq!(patient.check().await, Ok(()));
    server.control("stop");
    // A database without a server can be closed.
    hasty.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_commit_that_is_not_on_the_standby_is_unknown() {
    let server = Server::start(&[]);
    let db = open(PostgresOptions {
        writers: 1,
        ..server.options(None)
    })
    .await;
    assert_eq!(db.commit(open_account("a", 100)).await, Ok(Committed::Done));
    let (admin, connection) = tokio_postgres::connect(&server.url(None), tokio_postgres::NoTls)
        .await
        .unwrap();
    World::real().spawn(async move { connection.await.unwrap_or_default() });
    admin
        .batch_execute("alter system set synchronous_standby_names = 'nobody'")
        .await
        .unwrap();
    admin
        .batch_execute("select pg_reload_conf()")
        .await
        .unwrap();
    // Sessions that wait for the standby are cancelled.
    let cancel =
        "select count(pg_cancel_backend(pid)) from pg_stat_activity where wait_event = 'SyncRep'";
    let cancelling = async {
        for _ in 0..15_000 {
            let cancelled: i64 = admin.query_one(cancel, &[]).await.unwrap().get(0);
            if cancelled > 0 {
                return;
            }
            World::real().sleep(Duration::from_millis(2)).await;
        }
        panic!("nobody waited for the standby");
    };
    // The server takes its time to heed the setting: until then commits are done.
    let committing = async {
        for entry in 100.. {
            match db.commit(take("a", 0, &entry.to_string())).await {
                Ok(Committed::Done) => {}
                other => return (entry.to_string(), other),
            }
        }
        unreachable!()
    };
    let ((entry, outcome), ()) = tokio::join!(committing, cancelling);
    assert_eq!(outcome, Ok(Committed::Unknown));
    assert!(ledger(&db).await.contains(&entry), "here it is done");
    admin
        .batch_execute("alter system reset synchronous_standby_names")
        .await
        .unwrap();
    admin
        .batch_execute("select pg_reload_conf()")
        .await
        .unwrap();
}
