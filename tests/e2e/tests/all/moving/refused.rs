//! Moves that are not begun.

use testkit::{Order, Postgres, Setup, cards, schema_of, until};

use super::{embedded, failed, give_up, migrate, on_postgres, place, succeeded};

#[test]
fn data_that_a_server_holds_are_not_moved() {
    let server = embedded().start();
    let said = failed(&migrate(&server).output().unwrap());
    assert!(
        said.contains(&format!(
            "in use by another pointsman (process {})",
            server.pid()
        )),
        "{said}"
    );
    server
        .shop()
        .authorise(cards::VISA)
        .assert_status("SUCCEEDED");
}

#[test]
fn nodes_that_serve_keep_their_database_from_being_moved_away() {
    let server = on_postgres().start();
    let to = format!("sqlite:{}", server.root().join("other").display());
    let arguments = ["migrate", "--from", &Postgres::shared().url(), "--to", &to];
    let said = failed(
        &on_postgres()
            .command(&server.root(), &arguments)
            .output()
            .unwrap(),
    );
    assert!(said.contains("stop every node first"), "{said}");
    server
        .shop()
        .authorise(cards::VISA)
        .assert_status("SUCCEEDED");
}

#[test]
fn nodes_with_a_name_of_their_own_keep_it_too() {
    let url = Postgres::shared().url();
    let joint = if url.contains('?') { '&' } else { '?' };
    // The second is what the command calls itself.
    for name in ["shop", "pointsman-migrate"] {
        let url = format!("{url}{joint}application_name={name}");
        let server = on_postgres().setting("database.url", &url).start();
        let to = format!("sqlite:{}", server.root().join("other").display());
        let arguments = ["migrate", "--from", &Postgres::shared().url(), "--to", &to];
        let said = failed(
            &on_postgres()
                .command(&server.root(), &arguments)
                .output()
                .unwrap(),
        );
        assert!(said.contains("stop every node first"), "{name}: {said}");
    }
}

#[test]
fn a_node_that_slept_while_its_database_was_moved_away_takes_no_payment_there() {
    let server = on_postgres().start();
    let shop = server.shop();
    shop.authorise(cards::VISA).assert_status("SUCCEEDED");
    shop.tokenise(cards::VISA);
    let key_file = server.data_dir().join("vault.keys");
    let keys = std::fs::read(&key_file).unwrap();
    let schema = schema_of(&server.root());
    server.freeze();
    let cut = format!(
        "select pg_terminate_backend(pid) from pg_stat_activity where application_name like 'pointsman {schema}%'"
    );
    Postgres::shared().sql(&cut);
    let to = format!("sqlite:{}", server.root().join("other").display());
    let arguments = ["migrate", "--from", &Postgres::shared().url(), "--to", &to];
    let moved = on_postgres()
        .command(&server.root(), &arguments)
        .output()
        .unwrap();
    server.thaw();
    succeeded(moved);
    let refused = shop
        .authorise_request(&Order::card(cards::VISA), None)
        .send(shop.address());
    assert!(
        refused.status == 503 && refused.text().contains("error.unavailable"),
        "{}",
        refused.text()
    );
    until(testkit::PATIENCE, "the node is not ready", || {
        (!server.is_ready()).then_some(())
    });
    let kept = Postgres::shared().sql(&format!("select count(*) from {schema}.payment"));
    assert_eq!(kept, ["1"]);
    // What was moved is sealed with the same keys.
    let data = server.data_dir();
    let rotate = ["vault", "rotate", "--data-dir", data.to_str().unwrap()];
    let said = failed(
        &on_postgres()
            .command(&server.root(), &rotate)
            .output()
            .unwrap(),
    );
    assert!(said.contains("not to be worked on any more"), "{said}");
    assert_eq!(std::fs::read(&key_file).unwrap(), keys);
}

#[test]
fn an_empty_database_is_no_place_for_a_directory_that_has_another_installation() {
    let mut server = embedded().start();
    server.shop().tokenise(cards::VISA);
    server.stop();
    let wrong = on_postgres().setting(
        "database.schema",
        &format!("{}_wrong", schema_of(&server.root())),
    );
    let refused = |setup: Setup| setup.start_in_refused(server.dir());
    // Before it was moved, and after.
    assert!(refused(wrong.clone()).contains("belongs to another installation"));
    succeeded(migrate(&server).output().unwrap());
    assert!(refused(wrong.clone()).contains("belongs to another installation"));
    let data = server.data_dir();
    let check = ["check", "--sandbox", "--data-dir", data.to_str().unwrap()];
    let looked = wrong
        .clone()
        .command(&server.root(), &check)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&looked.stdout).into_owned();
    assert!(
        !looked.status.success() && said.contains("belongs to another installation"),
        "{said}"
    );
    server.restart_as(on_postgres());
    server
        .shop()
        .authorise(cards::VISA)
        .assert_status("SUCCEEDED");
    // A node's directory, too.
    let mut node = on_postgres().start();
    node.stop();
    assert!(
        wrong
            .start_in_refused(node.dir())
            .contains("belongs to another installation")
    );
}

#[test]
fn a_target_with_anything_in_it_is_left_alone() {
    let mut server = embedded().start();
    server.stop();
    let mut target = on_postgres().start();
    target.shop().authorise(cards::VISA);
    target.stop();
    let arguments = [
        "migrate",
        "--from",
        &place(&server),
        "--to",
        &Postgres::shared().url(),
    ];
    let into = on_postgres().setting("database.schema", &schema_of(&target.root()));
    let said = failed(&into.command(&server.root(), &arguments).output().unwrap());
    assert!(said.contains("is not empty"), "{said}");
    // Nothing was begun: both may be served as before.
    server.restart();
    target.restart();
    assert_eq!(target.shop().every_payment().len(), 1);
}

#[test]
fn a_move_that_is_given_up_leaves_the_source_as_it_was() {
    let mut server = embedded().start();
    server.shop().authorise(cards::VISA);
    server.stop();
    let nothing = failed(&give_up(&server.root(), &place(&server), &[]));
    assert!(nothing.contains("no move was begun"), "{nothing}");
    succeeded(migrate(&server).output().unwrap());
    let completed = failed(&give_up(&server.root(), &place(&server), &[]));
    assert!(completed.contains("add --abandon-target"), "{completed}");
    succeeded(give_up(
        &server.root(),
        &place(&server),
        &["--abandon-target"],
    ));
    server.restart();
    server
        .shop()
        .authorise(cards::VISA)
        .assert_status("SUCCEEDED");
    server.stop();
    // What the target has is another time's.
    let said = failed(&migrate(&server).output().unwrap());
    assert!(said.contains("holds an installation already"), "{said}");
}

#[test]
fn what_makes_no_sense_is_refused_without_repeating_a_password() {
    let root = tempfile::tempdir().unwrap();
    let empty = format!("sqlite:{}", root.path().join("none").display());
    let url = Postgres::shared().url();
    let cases: [(&[&str], &str); 4] = [
        (
            &["--from", &empty, "--to", &url],
            "there is no installation in",
        ),
        (
            &["--from", "sqlite:a", "--to", "sqlite:b"],
            "in either direction",
        ),
        (
            &["--from", "sqlite:a", "--to", "mysql://u:swordfish@h/d"],
            "an installation is `sqlite:DIR`",
        ),
        (
            &["--from", "sqlite:a"],
            "the address of the PostgreSQL server is missing",
        ),
    ];
    for (arguments, words) in cases {
        let all: Vec<&str> = std::iter::once("migrate")
            .chain(arguments.iter().copied())
            .collect();
        let said = failed(
            &Setup::new()
                .on(testkit::Backend::Embedded)
                .command(root.path(), &all)
                .output()
                .unwrap(),
        );
        assert!(
            said.contains(words) && !said.contains("swordfish"),
            "{arguments:?}: {said}"
        );
    }
    assert!(!root.path().join("none").exists(), "a look makes nothing");
}

#[test]
fn a_directory_that_is_no_target_in_the_end_still_belongs_to_its_server() {
    let mut server = on_postgres().start();
    server.shop().authorise(cards::VISA);
    server.stop();
    let data = server.data_dir();
    let url = Postgres::shared().url();
    let run = |arguments: &[&str]| {
        on_postgres()
            .command(&server.root(), arguments)
            .output()
            .unwrap()
    };
    let rotate = || {
        let arguments = ["vault", "rotate", "--data-dir", data.to_str().unwrap()];
        embedded()
            .without_environment("POINTSMAN_ACCESS_TOKEN")
            .command(&server.root(), &arguments)
            .output()
            .unwrap()
    };
    let elsewhere = format!("sqlite:{}", server.root().join("other").display());
    succeeded(run(&["migrate", "--from", &url, "--to", &elsewhere]));
    // Made, and then refused.
    let said = failed(&run(&["migrate", "--from", &url, "--to", &place(&server)]));
    assert!(
        said.contains("was moved already") && data.join("store.db").exists(),
        "{said}"
    );
    let said = failed(&rotate());
    assert!(
        said.contains("belongs to an installation on PostgreSQL"),
        "{said}"
    );
    // A target at last, with the keys that are there already.
    succeeded(give_up(&server.root(), &url, &["--abandon-target"]));
    succeeded(run(&["migrate", "--from", &url, "--to", &place(&server)]));
    succeeded(rotate());
}
