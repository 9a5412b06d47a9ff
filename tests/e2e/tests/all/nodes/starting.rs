//! Starting on a database that others use, or are about to.

use serde_json::json;
use testkit::{Backend, Order, Postgres, Setup, Shop, at_once, cards, schema_of};

use super::two;

/// Keys in the form of a key file.
fn keys(seed: u8) -> String {
    let key = |last: u8| {
        let text = format!("{seed:02x}{last:02x}kR3vT9xQ2mZ7pL5wN8cJ4bH6gF1d");
        format!("{}=", &base64_of(&text)[..43])
    };
    json!({"current": 1, "keys": {"1": key(1)}, "index": key(2)}).to_string()
}

/// 32 ASCII bytes in base64, without padding.
fn base64_of(text: &str) -> String {
    const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    let mut out = String::new();
    for group in text.as_bytes().chunks(3) {
        let bits = (0..3).fold(0_u32, |bits, at| {
            bits << 8 | u32::from(*group.get(at).unwrap_or(&0))
        });
        out.extend((0..4).map(|at| char::from(LETTERS[(bits >> (18 - 6 * at) & 63) as usize])));
    }
    out
}

#[test]
fn three_nodes_start_at_once_on_an_empty_database() {
    let name = format!("at_once_{}", std::process::id());
    let setup = Setup::new()
        .on(Backend::Postgres)
        .setting("database.schema", &name)
        .setting("vault.keys", &keys(1));
    let nodes = at_once(3, |_| setup.clone().start());
    let listed = nodes[0].run(&["key", "list"]);
    assert_eq!(listed.lines().count(), 1, "one team with one key: {listed}");
    assert!(
        nodes[1]
            .run(&["check", "--sandbox"])
            .contains("teams: 1, keys: 1")
    );
    let shop = nodes[2].shop();
    for (what, count) in [("listFlows", 6), ("listConnections", 3)] {
        let found = shop.gql(&format!("{{ {what} {{ id }} }}"), json!({}));
        assert_eq!(found.root().as_array().unwrap().len(), count, "{what}");
    }
    let token = nodes[0].shop().tokenise(cards::VISA);
    for node in &nodes {
        node.shop()
            .order(&Order::token(&token))
            .assert_status("SUCCEEDED");
    }
    shop.assert_books_equal_payments();
}

#[test]
fn a_node_without_the_keys_or_with_others_is_refused() {
    let (one, _two) = two();
    let schema = testkit::schema_of(&one.root());
    let setup = Setup::new()
        .on(Backend::Postgres)
        .setting("database.schema", &schema);
    let said = setup.clone().start_refused();
    assert!(
        said.contains("vault.keys is missing") && said.contains("copy the key file of a node"),
        "{said}"
    );
    let said = setup.setting("vault.keys", &keys(2)).start_refused();
    assert!(
        said.contains("not what this vault was sealed with"),
        "{said}"
    );
    one.shop().authorise(cards::VISA).assert_status("SUCCEEDED");
}

#[test]
fn a_node_whose_keys_are_of_yesterday_is_not_ready_and_seals_nothing_until_it_has_todays() {
    let one = Setup::new().on(Backend::Postgres).start();
    let own = tempfile::tempdir().unwrap();
    let (shared, copy) = (
        one.data_dir().join("vault.keys"),
        own.path().join("vault.keys"),
    );
    std::fs::copy(&shared, &copy).unwrap();
    let two = Setup::new()
        .on(Backend::Postgres)
        .setting("database.schema", &testkit::schema_of(&one.root()))
        .setting("vault.key_file", copy.to_str().unwrap())
        .start();
    let token = one.shop().tokenise(cards::VISA);
    assert!(one.run(&["vault", "rotate"]).contains("Done"));
    assert!(one.is_ready() && !two.is_ready());
    let shop = two.shop();
    let card = json!({"paymentMethod": {"card": Shop::card(cards::AMEX)}});
    let refused = shop.try_tokenise(card, None);
    refused.assert_error("error.unavailable");
    std::fs::copy(&shared, &copy).unwrap();
    assert!(two.is_ready());
    shop.tokenise(cards::AMEX);
    shop.order(&Order::token(&token)).assert_status("SUCCEEDED");
}

#[test]
fn data_of_test_mode_are_not_served_in_live_mode() {
    let (one, _two) = two();
    let dir = tempfile::tempdir().unwrap();
    let keys = one.data_dir().join("vault.keys");
    let live = Setup::new()
        .on(Backend::Postgres)
        .without_environment("POINTSMAN_ACCESS_TOKEN")
        .setting("database.schema", &testkit::schema_of(&one.root()))
        .setting("vault.key_file", keys.to_str().unwrap())
        .setting("mode", "live");
    let output = live
        .command(dir.path(), &["serve", "--listen", "127.0.0.1:0"])
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(
        !output.status.success() && said.contains("holds data of test mode"),
        "{said}"
    );
}

#[test]
fn commands_work_with_and_without_a_server() {
    let (mut one, two) = two();
    let keys = one.data_dir().join("vault.keys");
    let elsewhere = tempfile::tempdir().unwrap();
    let setup = Setup::new()
        .on(Backend::Postgres)
        .setting("database.schema", &testkit::schema_of(&one.root()))
        .setting("vault.key_file", keys.to_str().unwrap());
    let run = |arguments: &[&str]| {
        let output = setup.command(elsewhere.path(), arguments).output().unwrap();
        assert!(
            output.status.success(),
            "{arguments:?}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        String::from_utf8(output.stdout).unwrap()
    };
    let made = run(&["key", "create", "--kind", "secret"]);
    let key = made
        .lines()
        .find(|line| line.starts_with("sk_test_"))
        .unwrap();
    two.shop_with(key)
        .authorise(cards::VISA)
        .assert_status("SUCCEEDED");
    let token = one.shop().tokenise(cards::VISA);
    assert!(run(&["vault", "rotate"]).contains("Done"));
    for node in [&one, &two] {
        node.shop()
            .order(&Order::token(&token))
            .assert_status("SUCCEEDED");
        node.shop()
            .authorise(cards::VISA)
            .assert_status("SUCCEEDED");
    }
    let checked = run(&["check", "--sandbox"]);
    assert!(
        checked.contains("data: mode: of test mode")
            && checked.contains("warning  database: roles: the role of database.url"),
        "{checked}"
    );
    one.stop();
    let listed = run(&["flow", "list"]);
    assert!(listed.contains("capture-by-api"), "{listed}");
    two.shop().assert_books_equal_payments();
}

#[test]
fn check_looks_at_what_its_configuration_names_no_matter_who_runs_there() {
    let (one, _two) = two();
    let check = |setup: Setup, more: &[&str]| {
        let data = one.data_dir();
        let arguments = [&["check", "--data-dir", data.to_str().unwrap()], more].concat();
        let output = setup.command(&one.root(), &arguments).output().unwrap();
        (
            output.status.success(),
            String::from_utf8(output.stdout).unwrap(),
        )
    };
    let (well, said) = check(one.setup().clone(), &["--sandbox"]);
    assert!(well && said.contains("teams: 1, keys: 1"), "{said}");
    // Another schema, other keys, another mode: none is the running node's, whose data directory is named.
    let elsewhere = one
        .setup()
        .clone()
        .setting("database.schema", "is_not_there");
    let (well, said) = check(elsewhere.clone(), &["--sandbox"]);
    assert!(
        !well && said.contains("belongs to another installation") && !said.contains("teams:"),
        "{said}"
    );
    let fresh = one.root().join("fresh");
    let output = elsewhere
        .command(
            &one.root(),
            &["check", "--sandbox", "--data-dir", fresh.to_str().unwrap()],
        )
        .output();
    let said = String::from_utf8(output.unwrap().stdout).unwrap();
    assert!(
        said.contains("nothing in the database yet") && !said.contains("teams:"),
        "{said}"
    );
    let (well, said) = check(
        one.setup().clone().setting("vault.keys", &keys(2)),
        &["--sandbox"],
    );
    assert!(
        !well && said.contains("not what this vault was sealed with"),
        "{said}"
    );
    let (well, said) = check(
        one.setup()
            .clone()
            .without_environment("POINTSMAN_ACCESS_TOKEN"),
        &[],
    );
    assert!(!well && said.contains("holds data of test mode"), "{said}");
    one.shop().authorise(cards::VISA).assert_status("SUCCEEDED");
}

#[test]
fn a_look_founds_nothing() {
    let dir = tempfile::tempdir().unwrap();
    let schema = format!("nothing_{}", std::process::id());
    let setup = Setup::new()
        .on(Backend::Postgres)
        .setting("database.schema", &schema);
    let listed = setup
        .command(dir.path(), &["key", "list"])
        .output()
        .unwrap();
    assert!(!listed.status.success());
    assert!(String::from_utf8_lossy(&listed.stderr).contains("nothing in the database yet"));
    let checked = setup
        .command(dir.path(), &["check", "--sandbox"])
        .output()
        .unwrap();
    assert!(
        checked.status.success(),
        "{}",
        String::from_utf8_lossy(&checked.stdout)
    );
    let made = setup.postgres().sql(&format!(
        "select nspname from pg_namespace where nspname like '{schema}%'"
    ));
    assert_eq!(made, [""; 0]);
}

#[test]
fn a_command_begins_no_installation_where_there_are_tables_and_nothing_else() {
    let mut first = Setup::new().on(Backend::Postgres).start();
    first.stop();
    let schema = schema_of(&first.root());
    let mode = || {
        Postgres::shared().sql(&format!(
            "select count(*) from {schema}.installation where name = 'mode'"
        ))
    };
    assert_eq!(mode(), ["1"]);
    // As a first start leaves it that was killed between the two.
    Postgres::shared().sql(&format!(
        "delete from {schema}.installation where name = 'mode'"
    ));
    let fresh = tempfile::tempdir().unwrap();
    let command = Setup::new()
        .on(Backend::Postgres)
        .setting("database.schema", &schema);
    let listed = command
        .command(fresh.path(), &["key", "list"])
        .output()
        .unwrap();
    let said = String::from_utf8(listed.stderr).unwrap();
    assert!(
        !listed.status.success() && said.contains("no installation in the database yet"),
        "{said}"
    );
    assert_eq!(mode(), ["0"]);
}
