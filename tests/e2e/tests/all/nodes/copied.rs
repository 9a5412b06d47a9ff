//! A database that was copied or restored is not the one that was served.

use std::{fs, path::Path, process::Command};

use testkit::{Backend, Order, PATIENCE, Postgres, Server, Setup, cards, until};

/// Makes a database that has everything of the one that is served, as a dump that is restored does.
fn copy(postgres: &Postgres, name: &str) -> String {
    until(PATIENCE, "nobody is connected any more", || {
        let others = "select count(*) from pg_stat_activity where datname = 'postgres' and pid <> pg_backend_pid()";
        (postgres.sql(others) == ["0"]).then_some(())
    });
    postgres.sql(&format!("create database {name} template postgres"));
    postgres.url().replace("/postgres?", &format!("/{name}?"))
}

fn refused(server: &Server, setup: &Setup) -> [String; 2] {
    let data = server.data_dir();
    let arguments = ["check", "--sandbox", "--data-dir", data.to_str().unwrap()];
    let checked = setup.command(&server.root(), &arguments).output().unwrap();
    assert!(!checked.status.success());
    [
        setup.clone().start_in_refused(server.dir()),
        String::from_utf8(checked.stdout).unwrap(),
    ]
}

#[test]
fn a_copied_database_is_recognised_and_another_start_of_the_same_is_not_taken_for_one() {
    let postgres: &'static Postgres = Box::leak(Box::new(Postgres::start(&[])));
    let mut server = Setup::new().on_server(postgres).start();
    server
        .shop()
        .authorise(cards::VISA)
        .assert_status("SUCCEEDED");
    server.stop();
    // As after any restart of the database, or a standby that took over.
    postgres.control("stop");
    postgres.control("start");
    server.restart();
    server.stop();
    let restored = copy(postgres, "restored");
    let upgraded = copy(postgres, "upgraded");

    let setup = |url: &str| server.setup().clone().setting("database.url", url);
    for said in refused(&server, &setup(&restored)) {
        assert!(
            said.contains("pointsman serve --sandbox --after-restore")
                && said.contains("--moved-whole"),
            "{said}"
        );
    }
    for (url, flag, is_restored) in [
        (&restored, "--after-restore", true),
        (&upgraded, "--moved-whole", false),
    ] {
        let mut there = setup(url).flag(flag).start_in(server.dir());
        there
            .shop()
            .authorise(cards::VISA)
            .assert_status("SUCCEEDED");
        there.stop();
        let log = there.log();
        assert_eq!(
            log.contains("serving after a restore"),
            is_restored,
            "{log}"
        );
        // The flag is for the first start.
        let mut again = setup(url).start_in(server.dir());
        again
            .shop()
            .order(&Order::card(cards::VISA))
            .assert_status("SUCCEEDED");
        again.stop();
    }
    // A copy was served meanwhile as the one that came here whole: what was paid there is not in the first one.
    for said in refused(&server, server.setup()) {
        assert!(said.contains("at an earlier time"), "{said}");
    }
}

/// Runs `cp -a`, which keeps the owner of a cluster's files.
fn copy_files(from: &Path, to: &Path) {
    let copied = Command::new("cp").arg("-a").args([from, to]).status();
    assert!(copied.unwrap().success());
}

/// Brings the files of a stopped cluster back to what they were.
fn bring_back(postgres: &Postgres) {
    let data = postgres.directory().join("data");
    fs::remove_dir_all(&data).unwrap();
    copy_files(&postgres.directory().join("saved"), &data);
}

fn save(postgres: &Postgres) {
    let directory = postgres.directory();
    postgres.control("stop");
    copy_files(&directory.join("data"), &directory.join("saved"));
    postgres.control("start");
}

#[test]
fn a_cluster_whose_files_were_brought_back_is_recognised() {
    let postgres: &'static Postgres = Box::leak(Box::new(Postgres::start(&[])));
    let mut server = Setup::new().on_server(postgres).start();
    let paid = server.shop().authorise(cards::VISA);
    paid.assert_status("SUCCEEDED");
    server.stop();
    save(postgres);
    server.restart();
    server
        .shop()
        .order(&Order::card(cards::VISA))
        .assert_status("SUCCEEDED");
    let mut other = server.join();
    server.stop();
    other.stop();
    postgres.control("stop");
    bring_back(postgres);
    postgres.control("start");

    for node in [&server, &other] {
        for said in refused(node, node.setup()) {
            assert!(
                said.contains("at an earlier time") && said.contains("--after-restore"),
                "{said}"
            );
        }
    }
    let mut restored = server
        .setup()
        .clone()
        .flag("--after-restore")
        .start_in(server.dir());
    assert_eq!(restored.shop().every_payment().len(), 1);
    restored.stop();
    assert!(restored.log().contains("serving after a restore"));
    // The flag is for one start of one node.
    for node in [&server, &other] {
        let mut again = node.setup().clone().start_in(node.dir());
        assert_eq!(again.shop().every_payment().len(), 1);
        again.stop();
    }
}

#[test]
fn a_node_under_which_the_cluster_was_brought_back_sends_nothing_more() {
    let postgres: &'static Postgres = Box::leak(Box::new(Postgres::start(&[])));
    let mut server = Setup::new().on_server(postgres).start();
    server
        .shop()
        .authorise(cards::VISA)
        .assert_status("SUCCEEDED");
    server.stop();
    save(postgres);
    server.restart();
    postgres.control("stop");
    bring_back(postgres);
    postgres.control("start");
    let ended = server.wait_for_end();
    assert!(!ended.success());
    let log = server.log();
    assert!(log.contains("brought back to an earlier time"), "{log}");
    let refused = server.setup().clone().start_in_refused(server.dir());
    assert!(refused.contains("--after-restore"), "{refused}");
}

#[test]
fn a_role_that_may_not_know_the_cluster_serves_all_the_same() {
    let postgres: &'static Postgres = Box::leak(Box::new(Postgres::start(&[])));
    postgres.sql("revoke execute on function pg_control_system() from public");
    postgres.sql("create role plain login; grant create on database postgres to plain");
    let mut server = Setup::new()
        .on(Backend::Postgres)
        .on_server(postgres)
        .setting("database.url", &postgres.url_of("plain"))
        .start();
    server
        .shop()
        .authorise(cards::VISA)
        .assert_status("SUCCEEDED");
    server.stop();
    server.restart();
    assert_eq!(server.shop().every_payment().len(), 1);
}
