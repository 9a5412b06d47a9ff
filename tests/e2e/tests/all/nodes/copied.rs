//! A database that was copied or restored is not the one that was served.

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
    postgres.tell("stop");
    postgres.tell("start");
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
    server.restart();
    assert_eq!(server.shop().every_payment().len(), 1);
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
