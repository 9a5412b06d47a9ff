//! What every kind of database must do alike.

use std::{path::Path, time::Duration};

use db::{Committed, Db, DbError, SqliteOptions, Statement, nullable_keys, params};
use futures_util::future::{FutureExt, join, join_all};
use world::World;

use crate::{
    books::{MIGRATIONS, amount, change, ledger, open_account, take},
    postgres_server::Server,
};

const CLAIM: &str =
    "update account set amount = 0 where id = $1 and amount > 0 returning id, amount";

/// The story, played on a file with threads, to one without, to memory, and to a server.
async fn play_on_all(directory: &Path) -> Vec<(Db, World)> {
    let mut all = play_on_sqlite(directory).await;
    let world = World::real();
    let server = Db::postgres(Server::shared().options(None), MIGRATIONS, &world)
        .await
        .unwrap();
    assert_eq!(
        server.commit(open_account("a", 10)).await,
        Ok(Committed::Done)
    );
    all.push((server, world));
    all
}

async fn play_on_sqlite(directory: &Path) -> Vec<(Db, World)> {
    let world = World::real();
    let threaded = Db::sqlite(
        SqliteOptions::new(directory.join("threaded.db")),
        MIGRATIONS,
        &world,
    )
    .unwrap();
    let file = Db::sqlite_inline_file(directory.join("inline.db"), MIGRATIONS, &world).unwrap();
    let memory = Db::sqlite_inline(MIGRATIONS, &world).unwrap();
    let all = vec![
        (threaded, world.clone()),
        (file, world.clone()),
        (memory, world),
    ];
    for (db, _) in &all {
        assert_eq!(db.commit(open_account("a", 10)).await, Ok(Committed::Done));
    }
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_is_all_or_nothing_and_a_conflict_names_its_statement() {
    let directory = tempfile::tempdir().unwrap();
    for (db, _) in play_on_all(directory.path()).await {
        assert_eq!(db.commit(take("a", 4, "one")).await, Ok(Committed::Done));
        assert_eq!(
            db.commit(take("a", 7, "two")).await,
            Ok(Committed::Conflict { statement: 0 })
        );
        assert_eq!(
            db.commit(take("a", 1, "one")).await,
            Ok(Committed::Conflict { statement: 1 })
        );
        assert_eq!(
            (amount(&db, "a").await, ledger(&db).await),
            (6, vec!["one".to_owned()])
        );
        assert_eq!(
            db.commit(change("a")).await,
            Ok(Committed::Done),
            "nothing to do is done"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn parameters_are_bound_by_number() {
    let directory = tempfile::tempdir().unwrap();
    for (db, _) in play_on_all(directory.path()).await {
        let backwards = Statement::one(
            "update account set amount = $2 where id = $1",
            params!["a", 3],
        );
        assert_eq!(
            db.commit(change("a").with(backwards)).await,
            Ok(Committed::Done)
        );
        assert_eq!(amount(&db, "a").await, 3);
        let twice = db
            .read("select $2, $1, $2, '$1'", params![1, "x"])
            .await
            .unwrap();
        assert_eq!(twice[0].text(0), Ok("x"));
        assert_eq!(twice[0].int(1), Ok(1));
        assert_eq!(twice[0].text(2), Ok("x"));
        assert_eq!(twice[0].text(3), Ok("$1"));
        let put_together = format!("select {} from account", "amount + $1");
        assert_eq!(
            db.read(put_together, params![4]).await.unwrap()[0].int(0),
            Ok(7)
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_claim_writes_and_returns_rows_and_two_claimers_never_get_the_same() {
    let directory = tempfile::tempdir().unwrap();
    for (db, _) in play_on_all(directory.path()).await {
        let both = join(db.claim(CLAIM, params!["a"]), db.claim(CLAIM, params!["a"])).await;
        let (one, two) = (both.0.unwrap(), both.1.unwrap());
        assert_eq!(one.len() + two.len(), 1);
        let row = one.into_iter().chain(two).next().unwrap();
        assert_eq!((row.text(0), row.int(1)), (Ok("a"), Ok(0)));
        assert_eq!(amount(&db, "a").await, 0);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_of_one_aggregate_keep_their_order() {
    let directory = tempfile::tempdir().unwrap();
    for (db, _) in play_on_all(directory.path()).await {
        // Each is right only directly after the one before it.
        let step = |from: i64| {
            let sql = "update account set amount = $3 where id = $1 and amount = $2";
            db.commit(change("a").with(Statement::one(sql, params!["a", from, from + 1])))
        };
        let all = join_all((10..60).map(step)).await;
        assert!(all.iter().all(|one| *one == Ok(Committed::Done)), "{all:?}");
        assert_eq!(amount(&db, "a").await, 60);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_past_its_time_is_not_written() {
    let directory = tempfile::tempdir().unwrap();
    for (db, world) in play_on_all(directory.path()).await {
        let late = take("a", 1, "late").until(world.now());
        assert_eq!(db.commit(late).await, Err(DbError::Expired));
        let in_time = take("a", 1, "in time").until(world.now().after(Duration::from_mins(1)));
        assert_eq!(db.commit(in_time).await, Ok(Committed::Done));
        assert_eq!(ledger(&db).await, ["in time"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_defect_is_an_error_that_names_the_statement_and_no_value() {
    let directory = tempfile::tempdir().unwrap();
    for (db, _) in play_on_sqlite(directory.path()).await {
        let wrong = Statement::any(
            "update account set amount = $1 where id = $2",
            params!["4111-secret", "a"],
        );
        let error = db.commit(change("a").with(wrong)).await.unwrap_err();
        assert_eq!(
            error.to_string(),
            "the database refused a statement: cannot store TEXT value in INTEGER column account.amount in \
             `update account set amount = $1 where id = $2`"
        );
        let quoting = db
            .read("select json_extract('{}', $1)", params!["4111-secret"])
            .await
            .unwrap_err();
        assert!(!quoting.to_string().contains("4111"), "{quoting}");
        let built = db
            .read(format!("select '4111-secret' frm account {}", 1), params![])
            .await
            .unwrap_err();
        assert!(!built.to_string().contains("4111"), "{built}");
        let short = db.read("select $1, $2", params![1]).await.unwrap_err();
        assert!(
            short
                .to_string()
                .contains("it takes 2 parameters and was given 1"),
            "{short}"
        );
        let misspelt = db
            .read("select \"amuont\" from account", params![])
            .await
            .unwrap_err();
        assert!(
            misspelt.to_string().contains("no such column"),
            "{misspelt}"
        );
        let two = db.read("select 1; select 2", params![]).await.unwrap_err();
        assert!(two.to_string().contains("Multiple statements"), "{two}");
        assert_eq!(amount(&db, "a").await, 10);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_defect_on_a_server_names_the_statement_and_no_value_either() {
    let options = Server::shared().options(None);
    let db = Db::postgres(options, MIGRATIONS, &World::real())
        .await
        .unwrap();
    db.commit(open_account("a", 10)).await.unwrap();
    let wrong = Statement::any(
        "update account set amount = $1 where id = $2",
        params!["4111-secret", "a"],
    );
    let error = db.commit(change("a").with(wrong)).await.unwrap_err();
    assert_eq!(
        error.to_string(),
        "the database refused a statement: column \"amount\" is of type bigint but expression is of type text in \
         `update account set amount = $1 where id = $2`"
    );
    let quoting = db
        .read("select cast($1 as bigint)", params!["4111-secret"])
        .await
        .unwrap_err();
    assert!(
        matches!(quoting, DbError::Sql { .. }) && !quoting.to_string().contains("4111"),
        "{quoting}"
    );
    let built = db
        .read(format!("select '4111-secret' frm account {}", 1), params![])
        .await
        .unwrap_err();
    assert!(!built.to_string().contains("4111"), "{built}");
    let short = db.read("select $1, $2", params![1]).await.unwrap_err();
    assert!(
        short
            .to_string()
            .contains("it takes 2 parameters and was given 1"),
        "{short}"
    );
    let long = db.read("select $1", params![1, 2]).await.unwrap_err();
    assert!(
        long.to_string()
            .contains("it takes 1 parameters and was given 2"),
        "{long}"
    );
    let two = db.read("select 1; select 2", params![]).await.unwrap_err();
    assert!(two.to_string().contains("multiple commands"), "{two}");
    let nul = db.commit(take("a", 1, "nu\0l")).await.unwrap_err();
    assert!(nul.to_string().contains("a text holds NUL"), "{nul}");
    let unwritable = db
        .read("update account set amount = 0 returning id", params![])
        .await
        .unwrap_err();
    assert!(unwritable.to_string().contains("read-only"), "{unwritable}");
    let strange = db.read("select true", params![]).await.unwrap_err();
    assert_eq!(
        strange,
        DbError::Corrupt("column 0 is neither a number nor a text".to_owned())
    );
    assert_eq!(amount(&db, "a").await, 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_null_takes_the_place_of_any_value() {
    let directory = tempfile::tempdir().unwrap();
    for (db, _) in play_on_all(directory.path()).await {
        let sql = "update account set amount = coalesce($2, $3) where id = $1";
        for (second, third, wanted) in [
            (None, Some(7), 7),
            (Some(8), None, 8),
            (None, Some(9), 9),
            (Some(1), Some(2), 1),
        ] {
            let set = Statement::one(
                sql,
                params!["a", second.map(i64::from), third.map(i64::from)],
            );
            assert_eq!(db.commit(change("a").with(set)).await, Ok(Committed::Done));
            assert_eq!(amount(&db, "a").await, wanted);
        }
        let nothing = db
            .read(
                "select amount from account where id = $1",
                params![None::<&str>],
            )
            .await
            .unwrap();
        assert!(nothing.is_empty());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn texts_are_ordered_by_their_bytes() {
    let directory = tempfile::tempdir().unwrap();
    for (db, _) in play_on_all(directory.path()).await {
        for id in ["B", "b", "_", "A", "é", "Z"] {
            db.commit(open_account(id, 1)).await.unwrap();
        }
        let rows = db
            .scan(
                "select id from account where id >= $1 order by id",
                params!["B"],
            )
            .await
            .unwrap();
        let ids: Vec<&str> = rows.iter().map(|row| row.text(0).unwrap()).collect();
        assert_eq!(ids, ["B", "Z", "_", "a", "b", "é"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_closed_database_keeps_what_it_acknowledged_and_takes_nothing_more() {
    let directory = tempfile::tempdir().unwrap();
    for (db, _) in play_on_all(directory.path()).await {
        assert_eq!(db.check().await, Ok(()));
        let waiting = join_all((0..10).map(|n| db.commit(take("a", 1, &format!("e{n}")))));
        assert!(waiting.await.iter().all(|one| *one == Ok(Committed::Done)));
        db.close().await;
        db.close().await;
        assert_eq!(db.check().await, Err(DbError::Closed));
        assert_eq!(db.commit(take("a", 1, "more")).await, Err(DbError::Closed));
        assert_eq!(
            db.claim("update account set amount = 0 returning id", params![])
                .await,
            Err(DbError::Closed)
        );
        assert_eq!(
            db.scan("select id from account", params![]).await,
            Err(DbError::Closed)
        );
    }
    for name in ["threaded.db", "inline.db"] {
        let db = Db::sqlite(
            SqliteOptions::new(directory.path().join(name)),
            MIGRATIONS,
            &World::real(),
        )
        .unwrap();
        assert_eq!((amount(&db, "a").await, ledger(&db).await.len()), (0, 10));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_caller_that_goes_away_does_not_stop_a_change_that_the_writer_has() {
    let directory = tempfile::tempdir().unwrap();
    let world = World::real();
    let db = Db::sqlite(
        SqliteOptions::new(directory.path().join("gone.db")),
        MIGRATIONS,
        &world,
    )
    .unwrap();
    db.commit(open_account("a", 10)).await.unwrap();
    // Polled once, then dropped.
    let _ = db.commit(take("a", 1, "gone")).now_or_never();
    // Behind it, since it is of the same aggregate.
    assert_eq!(db.commit(take("a", 1, "next")).await, Ok(Committed::Done));
    assert_eq!(ledger(&db).await, ["gone", "next"]);
}

#[test]
fn in_a_seeded_run_a_change_whose_caller_dies_before_the_commit_is_not_written() {
    let (world, sim) = World::simulated(1);
    let db = Db::sqlite_inline(MIGRATIONS, &world).unwrap();
    sim.run_until(db.commit(open_account("a", 10)))
        .unwrap()
        .unwrap();
    assert!(db.commit(take("a", 1, "gone")).now_or_never().is_none());
    assert_eq!(
        sim.run_until(db.commit(take("a", 1, "next"))).unwrap(),
        Ok(Committed::Done)
    );
    assert_eq!(sim.run_until(ledger(&db)).unwrap(), ["next"]);
}

#[test]
fn keys_are_never_null() {
    assert_eq!(nullable_keys(MIGRATIONS).unwrap(), Vec::<String>::new());
}
