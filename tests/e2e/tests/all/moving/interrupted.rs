//! A move that is killed, and goes on.

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};
use std::thread;
use std::time::Duration;

use testkit::{Order, PATIENCE, Postgres, Server, Setup, at_once, cards, schema_of, until};

use super::{embedded, failed, give_up, migrate, on_postgres, place, succeeded};

/// An installation with some hundred payments, stopped.
fn stopped(payments: usize) -> (Server, usize) {
    let mut server = embedded().start();
    let shop = server.shop();
    let token = shop.tokenise(cards::VISA);
    at_once(4, |_| {
        (0..payments / 4).for_each(|_| drop(shop.order(&Order::token(&token))));
    });
    server.stop();
    (server, payments / 4 * 4)
}

/// Starts a move, waits until it has reported this on standard error, and kills it.
fn killed_after(server: &Server, line: &str) {
    let mut moving = migrate(server)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let reported = BufReader::new(moving.stderr.take().unwrap());
    let is_reported = reported
        .lines()
        .map_while(Result::ok)
        .any(|said| said.contains(line));
    moving.kill().unwrap();
    moving.wait().unwrap();
    assert!(is_reported, "it never said {line}");
}

#[test]
fn killed_at_any_moment_it_goes_on_where_it_was() {
    let (mut server, payments) = stopped(240);
    let mut kills = 0;
    // Each try lives longer than the one before, until one comes through.
    loop {
        let mut moving = migrate(&server)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        // The moments are what is tried.
        thread::sleep(Duration::from_millis(30 + 25 * kills));
        if let Some(status) = moving.try_wait().unwrap() {
            assert!(status.success());
            break;
        }
        moving.kill().unwrap();
        moving.wait().unwrap();
        kills += 1;
    }
    assert!(
        kills > 2,
        "it was killed too seldom to prove anything: {kills}"
    );
    server.restart_as(on_postgres());
    assert_eq!(server.shop().every_payment().len(), payments);
    server
        .shop()
        .authorise(cards::VISA)
        .assert_status("SUCCEEDED");
    server.shop().assert_books_equal_payments();
}

#[test]
fn neither_side_of_an_unfinished_move_is_served_and_a_row_that_was_changed_is_found() {
    let (server, _) = stopped(120);
    killed_after(&server, "copying store.team");
    let source = embedded().start_in_refused(server.dir());
    assert!(source.contains("are being moved"), "{source}");
    let target = on_postgres().start_in_refused(server.dir());
    assert!(
        target.contains("does not hold all of the installation yet"),
        "{target}"
    );

    // Nor is it sent to another place meanwhile: both would be complete in the end.
    let elsewhere = on_postgres().setting("database.schema", "elsewhere");
    let (from, to) = (place(&server), Postgres::shared().url());
    let arguments = ["migrate", "--from", &from, "--to", &to];
    let other = failed(
        &elsewhere
            .command(&server.root(), &arguments)
            .output()
            .unwrap(),
    );
    assert!(
        other.contains("is being moved to another target already"),
        "{other}"
    );

    let schema = Setup::schema(&server.root());
    Postgres::shared().sql(&format!("update {schema}.team set name = name || '.'"));
    let found = failed(&migrate(&server).output().unwrap());
    assert!(
        found.contains("store.team is not the same on both sides"),
        "{found}"
    );
    assert!(
        found.contains("at row 1 in the order of its key"),
        "{found}"
    );
    let target = on_postgres().start_in_refused(server.dir());
    assert!(target.contains("does not hold all"), "{target}");

    // Mended, it comes to its end.
    Postgres::shared().sql(&format!(
        "update {schema}.team set name = substr(name, 1, length(name) - 1)"
    ));
    succeeded(migrate(&server).output().unwrap());
    let again = succeeded(migrate(&server).output().unwrap());
    assert!(again.contains("already"), "{again}");
}

#[test]
fn a_target_that_may_be_complete_leaves_no_source_that_is_freed_lightly() {
    let (mut server, payments) = stopped(120);
    killed_after(&server, "copying store.team");
    let (postgres, schema) = (Postgres::shared(), Setup::schema(&server.root()));
    // The end of the move fails, and nobody knows at which moment.
    let refuse = format!(
        "create function {schema}.refuse() returns trigger language plpgsql as 'begin raise exception ''not now''; end'; \
         create trigger refuse before insert or update on {schema}.installation for each row \
         when (new.value like 'arrived%') execute function {schema}.refuse()"
    );
    postgres.sql(&refuse);
    assert!(failed(&migrate(&server).output().unwrap()).contains("not now"));
    let source = embedded().start_in_refused(server.dir());
    assert!(
        source.contains("were moved to another database"),
        "{source}"
    );
    let target = on_postgres().start_in_refused(server.dir());
    assert!(target.contains("does not hold all"), "{target}");
    let freed = failed(&give_up(&server.root(), &place(&server), &[]));
    assert!(freed.contains("add --abandon-target"), "{freed}");

    postgres.sql(&format!("drop trigger refuse on {schema}.installation"));
    succeeded(migrate(&server).output().unwrap());
    server.restart_as(on_postgres());
    assert_eq!(server.shop().every_payment().len(), payments);
}

#[test]
fn a_move_that_is_given_up_meanwhile_completes_no_target() {
    let mut server = on_postgres().start();
    server.shop().authorise(cards::VISA);
    server.stop();
    let (postgres, schema) = (Postgres::shared(), schema_of(&server.root()));
    let mut holding = Command::new("psql")
        .args(["-X", "-q", "-A", "-t", &postgres.url()])
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut words = holding.stdin.take().unwrap();
    writeln!(
        words,
        "begin; lock table {schema}.event in access exclusive mode; select 'held';"
    )
    .unwrap();
    let mut reported = BufReader::new(holding.stdout.take().unwrap()).lines();
    assert_eq!(reported.next().unwrap().unwrap(), "held");

    let to = format!("sqlite:{}", server.root().join("other").display());
    let arguments = ["migrate", "--from", &postgres.url(), "--to", &to];
    let mut command = on_postgres().command(&server.root(), &arguments);
    let moving = command
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mark = format!(
        "select 1 from {schema}.installation where name = 'migration' and value like 'leaving%'"
    );
    until(PATIENCE, "the move has begun", || {
        (!postgres.sql(&mark).is_empty()).then_some(())
    });
    succeeded(give_up(&server.root(), &postgres.url(), &[]));
    writeln!(words, "commit;").unwrap();
    drop(words);
    holding.wait().unwrap();

    let said = failed(&moving.wait_with_output().unwrap());
    assert!(said.contains("was given up meanwhile"), "{said}");
    server.restart();
    server
        .shop()
        .authorise(cards::VISA)
        .assert_status("SUCCEEDED");
    assert_eq!(server.shop().every_payment().len(), 2);
}
