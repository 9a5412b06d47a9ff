//! The files that a database keeps.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use db::{Committed, Db, DbError, Migration, Overwrite, SqliteOptions, Statement, params};
use futures_util::future::join_all;
use tokio::task::JoinSet;
use world::World;

use crate::books::{MIGRATIONS, amount, change, open_account, take};

fn open(options: SqliteOptions) -> Db {
    Db::sqlite(options, MIGRATIONS, &World::real()).unwrap()
}

/// The write-ahead log of a database.
fn log_of(path: &Path) -> PathBuf {
    path.with_extension("db-wal")
}

fn size(path: &Path) -> u64 {
    fs::metadata(path).map_or(0, |found| found.len())
}

#[tokio::test(flavor = "multi_thread")]
async fn the_log_stays_short_under_a_load_that_never_rests_and_is_empty_after_closing() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("busy.db");
    let db = open(SqliteOptions {
        wal_kib: 1024,
        ..SqliteOptions::new(&path)
    });
    let mut tasks = JoinSet::new();
    for task in 0..16 {
        let (db, log) = (db.clone(), log_of(&path));
        tasks.spawn(async move {
            let mut longest = 0;
            for number in 0..400 {
                let key = format!("{task}-{number}-{}", "x".repeat(4000));
                assert_eq!(db.commit(open_account(&key, 1)).await, Ok(Committed::Done));
                longest = longest.max(size(&log));
            }
            longest
        });
    }
    let longest = tasks.join_all().await.into_iter().max().unwrap();
    assert!(size(&path) > 25 << 20);
    assert!(longest < 8 << 20, "the log grew to {longest} bytes");
    db.close().await;
    assert_eq!(size(&log_of(&path)), 0);
}

#[tokio::test(flavor = "multi_thread")]
async fn no_reader_holds_the_log() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("read.db");
    let db = open(SqliteOptions::new(&path));
    db.commit(open_account("a", 10)).await.unwrap();
    join_all((0..20).map(|_| amount(&db, "a"))).await;
    join_all((0..5).map(|_| db.scan("select id from account", params![]))).await;
    db.scan("select oops", params![]).await.unwrap_err();
    // A truncating checkpoint succeeds only when no connection holds a snapshot.
    let other = rusqlite::Connection::open(&path).unwrap();
    let (busy, left): (i64, i64) = other
        .query_row("pragma wal_checkpoint(truncate)", (), |row| {
            Ok((row.get(0)?, row.get(1)?))
        })
        .unwrap();
    assert_eq!((busy, left, size(&log_of(&path))), (0, 0, 0));
}

#[tokio::test(flavor = "multi_thread")]
async fn readers_can_not_write() {
    let directory = tempfile::tempdir().unwrap();
    let db = open(SqliteOptions::new(directory.path().join("read.db")));
    db.commit(open_account("a", 10)).await.unwrap();
    let write = "update account set amount = 0 returning id";
    db.read(write, params![]).await.unwrap_err();
    db.scan(write, params![]).await.unwrap_err();
    assert_eq!(amount(&db, "a").await, 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_reader_sees_a_change_as_soon_as_it_is_acknowledged() {
    let directory = tempfile::tempdir().unwrap();
    let db = open(SqliteOptions::new(directory.path().join("read.db")));
    db.commit(open_account("a", 50)).await.unwrap();
    for taken in 1..=50 {
        db.commit(take("a", 1, &format!("{taken}"))).await.unwrap();
        assert_eq!(amount(&db, "a").await, 50 - taken);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_files_belong_to_their_owner_alone() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("own.db");
    let db = open(SqliteOptions::new(&path));
    db.commit(open_account("a", 10)).await.unwrap();
    for file in [path.clone(), log_of(&path), path.with_extension("db-shm")] {
        assert_eq!(
            fs::metadata(&file).unwrap().permissions().mode() & 0o777,
            0o600,
            "{}",
            file.display()
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn deleted_content_is_wiped_from_the_file_when_asked() {
    let directory = tempfile::tempdir().unwrap();
    for overwrite in [Overwrite::Everything, Overwrite::Pages, Overwrite::Nothing] {
        let path = directory.path().join(format!("{overwrite:?}.db"));
        let db = open(SqliteOptions {
            overwrite,
            ..SqliteOptions::new(&path)
        });
        let secret = "sealed-blob-of-a-card";
        db.commit(open_account(secret, 1)).await.unwrap();
        let delete = Statement::one("delete from account where id = $1", params![secret]);
        db.commit(change(secret).with(delete)).await.unwrap();
        db.close().await;
        let bytes = fs::read(&path).unwrap();
        let found = bytes
            .windows(secret.len())
            .any(|window| window == secret.as_bytes());
        assert_eq!(found, overwrite == Overwrite::Nothing);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_database_that_does_not_fit_is_refused_and_says_why() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("new.db");
    let world = World::real();
    let newer = [
        MIGRATIONS[0],
        Migration {
            number: 2,
            name: "more",
            sql: "create table more (id text not null)",
        },
    ];
    Db::sqlite(SqliteOptions::new(&path), &newer, &world)
        .unwrap()
        .close()
        .await;
    let refused = Db::sqlite(SqliteOptions::new(&path), MIGRATIONS, &world).unwrap_err();
    assert!(matches!(refused, DbError::Schema(_)), "{refused}");

    let text = directory.path().join("text.db");
    fs::write(
        &text,
        "this is no database, whatever its name says ".repeat(50),
    )
    .unwrap();
    let refused = Db::sqlite(SqliteOptions::new(&text), MIGRATIONS, &world).unwrap_err();
    assert!(matches!(refused, DbError::Corrupt(_)), "{refused}");

    let nowhere = directory.path().join("no/such/directory.db");
    let refused = Db::sqlite(SqliteOptions::new(nowhere), MIGRATIONS, &world).unwrap_err();
    assert!(matches!(refused, DbError::Storage(_)), "{refused}");
}
