//! A disk that is full, and has room again.

use std::fs::{self, File};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use testkit::{Backend, Order, PATIENCE, Postgres, Server, Setup, cards, until};

/// So many payments fill whatever was left.
const MANY: usize = 3_000;

/// A file system in memory; gone when dropped.
struct Disk(PathBuf);

impl Disk {
    /// `None`, with the reason, where nothing may be mounted.
    fn mount(at: &Path, options: &str) -> Option<Self> {
        fs::create_dir_all(at).unwrap();
        let mounted = Command::new("mount")
            .args(["-t", "tmpfs", "-o", options, "none"])
            .arg(at)
            .output();
        match mounted {
            Ok(output) if output.status.success() => Some(Self(at.to_owned())),
            Ok(output) => {
                let why = String::from_utf8_lossy(&output.stderr).into_owned();
                println!("skipped, nothing can be mounted here: {why}");
                None
            }
            Err(error) => {
                println!("skipped, nothing can be mounted here: {error}");
                None
            }
        }
    }

    /// Takes all the room that is left.
    fn fill(&self) -> PathBuf {
        let path = self.0.join("filler");
        let mut file = File::create(&path).unwrap();
        while file.write_all(&[7; 4096]).is_ok() {}
        path
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(&self.0).status();
    }
}

/// Pays until the answer is that the service is not available; the key of that request.
fn pay_until_unavailable(server: &Server) -> String {
    let shop = server.shop();
    for n in 0..MANY {
        let key = format!("full-{n}");
        let answer = shop.try_authorise(&Order::card(cards::VISA), Some(&key));
        match answer.error_code() {
            Some("error.unavailable") => return key,
            Some(other) => panic!("{other}: {}", answer.json()),
            None => {}
        }
    }
    panic!("the disk never was full");
}

fn failing(server: &Server) -> bool {
    let metrics = server.stranger().get("/metrics").text();
    metrics
        .lines()
        .any(|line| line.starts_with("pointsman_database_failing") && line.ends_with(" 1"))
}

/// While the disk is full: reported as it is, and seen from outside. Then there is room, and all goes on.
fn full_and_free_again(server: &Server, make_room: impl FnOnce()) {
    let shop = server.shop();
    let key = pay_until_unavailable(server);
    let mut tries = 0;
    until(PATIENCE, "it is seen from outside", || {
        // What is small may find room still, so there are more of them.
        tries += 1;
        let more = format!("more-{tries}");
        let answer = shop.try_authorise(&Order::card(cards::VISA), Some(&more));
        assert!(
            matches!(answer.error_code(), None | Some("error.unavailable")),
            "{}",
            answer.json()
        );
        (failing(server) && !server.is_ready()).then_some(())
    });
    assert_eq!(shop.get("/health/live").status, 200);
    make_room();
    let answer = until(PATIENCE, "the same request", || {
        let answer = shop.try_authorise(&Order::card(cards::VISA), Some(&key));
        let waits = ["error.unavailable", "error.idempotency.in-progress"];
        (!answer
            .error_code()
            .is_some_and(|code| waits.contains(&code)))
        .then_some(answer)
    });
    assert!(answer.error_code().is_none(), "{}", answer.json());
    until(PATIENCE, "it is ready again", || {
        server.is_ready().then_some(())
    });
    shop.authorise(cards::VISA).assert_status("SUCCEEDED");
    assert!(!failing(server));
}

#[test]
fn a_full_disk_is_reported_and_waited_out_on_the_embedded_databases() {
    let dir = Arc::new(tempfile::tempdir().unwrap());
    let Some(disk) = Disk::mount(&dir.path().join("data"), "size=8m,mode=0700") else {
        return;
    };
    let server = Setup::new()
        .on(Backend::Embedded)
        .setting("server.ready_patience", "1s")
        .start_in(dir);
    let paid = server.shop().authorise(cards::VISA).id();
    let filler = disk.fill();
    full_and_free_again(&server, || {
        server.shop().payment(&paid).assert_status("SUCCEEDED");
        fs::remove_file(&filler).unwrap();
    });
    server.shop().assert_books_equal_payments();
}

#[test]
fn a_limit_on_the_size_of_files_ends_nobody() {
    let server = Setup::new()
        .on(Backend::Embedded)
        .setting("server.ready_patience", "1s")
        .start();
    let limit = |bytes: &str| {
        Command::new("prlimit")
            .args(["--pid", &server.pid().to_string()])
            .arg(format!("--fsize={bytes}:unlimited"))
            .status()
            .is_ok_and(|status| status.success())
    };
    server.shop().authorise(cards::VISA);
    let log = server.data_dir().join("store.db-wal");
    let bytes = fs::metadata(&log).unwrap().len() + 65_536;
    if !limit(&bytes.to_string()) {
        println!("skipped, no limit can be set here");
        return;
    }
    full_and_free_again(&server, || assert!(limit("unlimited")));
    server.shop().assert_books_equal_payments();
}

#[test]
fn a_full_tablespace_is_reported_and_waited_out_on_postgresql() {
    let space = tempfile::Builder::new()
        .prefix("pointsman-space-")
        .tempdir_in("/tmp")
        .unwrap();
    let path = space.path().join("mounted");
    let Some(disk) = Disk::mount(&path, "size=4m,mode=0700,uid=postgres") else {
        return;
    };
    make_reachable(space.path());
    let postgres: &'static Postgres = Box::leak(Box::new(Postgres::start(&[])));
    let server = Setup::new()
        .on_server(postgres)
        .setting("server.ready_patience", "1s")
        .start();
    let schema = Setup::schema(&server.root());
    postgres.sql(&format!(
        "create tablespace small location '{}'",
        path.display()
    ));
    postgres.sql(&format!(
        "alter table {schema}.payment set tablespace small"
    ));
    server
        .shop()
        .authorise(cards::VISA)
        .assert_status("SUCCEEDED");
    let filler = disk.fill();
    full_and_free_again(&server, || fs::remove_file(&filler).unwrap());
    server.shop().assert_books_equal_payments();
    // The server's files are there until it has ended.
    postgres.control("stop");
}

fn make_reachable(path: &Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
}
