//! Kills a process that commits, and looks whether everything that it acknowledged is there.

use std::{
    collections::BTreeMap,
    io::{BufRead, BufReader, Write},
    os::unix::process::ExitStatusExt,
    path::Path,
    process::{Child, Command, ExitStatus, Stdio},
};

use db::{Committed, Db, SqliteOptions, Statement, params};
use tokio::task::JoinSet;
use world::World;

use crate::books::{MIGRATIONS, WRITE, amount, change, open_account};

const WRITERS: u32 = 16;

/// Commits in sixteen tasks without end and prints each acknowledgement: writer and count.
async fn commit_without_end(path: &Path) {
    let options = SqliteOptions {
        wal_kib: 1024,
        ..SqliteOptions::new(path)
    };
    let db = Db::sqlite(options, MIGRATIONS, &World::real()).unwrap();
    let mut tasks = JoinSet::new();
    for writer in 0..WRITERS {
        let db = db.clone();
        tasks.spawn(async move {
            let key = format!("{writer:02}");
            // It is there already in later rounds.
            db.commit(open_account(&key, 0)).await.unwrap();
            let mut count = amount(&db, &key).await;
            loop {
                let sql = "update account set amount = $2 + 1 where id = $1 and amount = $2";
                let step = change(&key)
                    .with(Statement::one(sql, params![&key, count]))
                    .with(Statement::one(
                        WRITE,
                        params![format!("{key}/{}", count + 1), &key, 1],
                    ));
                assert_eq!(db.commit(step).await, Ok(Committed::Done));
                count += 1;
                std::io::stdout()
                    .lock()
                    .write_all(format!("\nacknowledged {key} {count}\n").as_bytes())
                    .unwrap();
            }
        });
    }
    while tasks.join_next().await.is_some() {}
}

/// Not a test: the process that is killed. It reads the database's path from its standard input.
#[test]
#[ignore = "started by the tests below"]
fn the_process_that_is_killed() {
    let mut path = String::new();
    std::io::stdin().read_line(&mut path).unwrap();
    if path.trim().is_empty() {
        return;
    }
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .unwrap();
    runtime.block_on(commit_without_end(Path::new(path.trim())));
}

fn start(mut command: Command, path: &Path) -> Child {
    let mut child = command
        .args([
            "--exact",
            "crash::the_process_that_is_killed",
            "--ignored",
            "--nocapture",
        ])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut input = child.stdin.take().unwrap();
    writeln!(input, "{}", path.display()).unwrap();
    child
}

/// The last acknowledged count of each writer.
type Acknowledged = BTreeMap<String, i64>;

/// Reads acknowledgements until the process has ended; kills it after `kill_after` of them.
fn watch(mut child: Child, kill_after: usize) -> (Acknowledged, ExitStatus) {
    let mut acknowledged = Acknowledged::new();
    let mut seen = 0;
    let output = BufReader::new(child.stdout.take().unwrap());
    for line in output.lines() {
        let line = line.unwrap();
        let Some((writer, count)) = line
            .strip_prefix("acknowledged ")
            .and_then(|rest| rest.split_once(' '))
        else {
            continue;
        };
        acknowledged.insert(writer.to_owned(), count.parse().unwrap());
        seen += 1;
        if seen == kill_after {
            child.kill().unwrap();
        }
    }
    (acknowledged, child.wait().unwrap())
}

/// Every acknowledged count is there, whole, and at most one more of each writer.
async fn check(path: &Path, acknowledged: &Acknowledged) {
    let db = Db::sqlite(SqliteOptions::new(path), MIGRATIONS, &World::real()).unwrap();
    let sql = "select a.id, a.amount, count(l.id) from account a left join ledger l on l.account_id = a.id \
               group by a.id, a.amount order by a.id";
    let rows = db.scan(sql, params![]).await.unwrap();
    let stored: BTreeMap<String, i64> = rows
        .iter()
        .map(|row| {
            assert_eq!(
                row.int(1),
                row.int(2),
                "half of a change of writer {:?} is there",
                row.text(0)
            );
            (row.text(0).unwrap().to_owned(), row.int(1).unwrap())
        })
        .collect();
    for (writer, count) in acknowledged {
        let stored = stored.get(writer).copied().unwrap_or(-1);
        assert!(
            stored == *count || stored == count + 1,
            "writer {writer}: {stored} stored, {count} acknowledged"
        );
    }
    let sound = db.scan("pragma integrity_check", params![]).await.unwrap();
    assert_eq!(sound[0].text(0), Ok("ok"));
    db.close().await;
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_acknowledged_is_there_after_kill_9() {
    let directory = tempfile::tempdir().unwrap();
    // Rounds that are killed at the start, while the log grows and after it has been moved (about 100 pages a batch).
    for (round, kill_after) in [1, 17, 150, 2500, 400].into_iter().enumerate() {
        let path = directory.path().join(format!("{round}.db"));
        let child = start(Command::new(std::env::current_exe().unwrap()), &path);
        let (acknowledged, status) = watch(child, kill_after);
        assert_eq!(
            status.signal(),
            Some(9),
            "the process ended by itself in round {round}"
        );
        assert!(!acknowledged.is_empty());
        check(&path, &acknowledged).await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn commits_that_find_no_room_are_refused_and_lose_nothing_that_was_acknowledged() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("full.db");
    // No file may grow past half a megabyte, so that a COMMIT fails to write the log. The signal for it is ignored.
    let mut shell = Command::new("sh");
    shell.args([
        "-c",
        "trap '' XFSZ; ulimit -c 0; ulimit -f 1024; exec \"$0\" \"$@\"",
    ]);
    shell.arg(std::env::current_exe().unwrap());
    let (acknowledged, status) = watch(start(shell, &path), usize::MAX);
    // Its writers ended, each with an error.
    assert_eq!(status.signal(), None, "{status}");
    assert!(!acknowledged.is_empty());
    check(&path, &acknowledged).await;
}
