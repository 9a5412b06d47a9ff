//! Keys with an end, keys that are replaced, and teams that are named, renamed and closed.

use serde_json::json;
use testkit::{PATIENCE, Server, Setup, Shop, until};

fn answers(shop: &Shop) -> bool {
    shop.gql("{ __typename }", json!({})).status() == 200
}

fn refused_soon(shop: &Shop) {
    until(PATIENCE, "the key is refused", || {
        (shop.gql("{ __typename }", json!({})).status() == 401).then_some(())
    });
}

/// The id and the key that `key create` or `key rotate` printed last.
fn made(printed: &str) -> (String, String) {
    let line = printed
        .lines()
        .rfind(|line| line.contains("not shown again"));
    let id = line.and_then(|line| line.split(' ').nth(1)).unwrap();
    (id.to_owned(), printed.lines().last().unwrap().to_owned())
}

/// What a command that is refused says.
fn complaint(server: &Server, arguments: &[&str]) -> String {
    let output = server.command(arguments);
    assert!(!output.status.success(), "{arguments:?}");
    String::from_utf8(output.stderr).unwrap()
}

#[test]
fn a_key_has_a_name_an_end_and_a_last_use() {
    let server = Setup::new().start();
    let (id, key) = made(&server.run(&[
        "key",
        "create",
        "--kind",
        "secret",
        "--name",
        "Back office",
        "--expires",
        "90d",
    ]));
    let line = || {
        let listed = server.run(&["key", "list"]);
        listed
            .lines()
            .find(|line| line.starts_with(&id))
            .unwrap()
            .to_owned()
    };
    let before = line();
    for part in [
        "Back office",
        "valid, expires 2",
        "never used",
        &key[key.len() - 4..],
    ] {
        assert!(before.contains(part), "{part}: {before}");
    }
    assert!(answers(&server.shop_with(&key)));
    let after = line();
    assert!(after.contains("last used 2"), "{after}");
    for (wrong, why) in [("soon", "90d, 12h"), ("2020-01-01", "in the past")] {
        let said = complaint(
            &server,
            &["key", "create", "--kind", "public", "--expires", wrong],
        );
        assert!(said.contains(why), "{said}");
    }
}

#[test]
fn a_key_is_rotated_with_an_overlap_or_at_once() {
    let server = Setup::new().start();
    let (first, old) = made(&server.run(&["key", "create", "--kind", "secret"]));
    let printed = server.run(&["key", "rotate", &first]);
    assert!(
        printed.contains(&format!("Key {first} ends 2")),
        "{printed}"
    );
    let (second, new) = made(&printed);
    assert!(answers(&server.shop_with(&old)) && answers(&server.shop_with(&new)));
    let (_, newest) = made(&server.run(&["key", "rotate", &second, "--old-ends", "now"]));
    refused_soon(&server.shop_with(&new));
    assert!(answers(&server.shop_with(&newest)));
    let said = complaint(&server, &["key", "rotate", &second]);
    assert!(said.contains("revoked or expired"), "{said}");
}

#[test]
fn a_team_is_named_renamed_closed_and_opened() {
    let server = Setup::new().start();
    server.run(&["team", "create", "--name", "Twin"]);
    let (_, key) = made(&server.run(&["key", "create", "--kind", "secret", "--team", "Twin"]));
    server.run(&["team", "set", "--team", "Twin", "--name", "Second shop"]);
    assert!(
        server
            .run(&["key", "list", "--team", "Second shop"])
            .contains("(Second shop)")
    );
    let said = server.run(&["team", "close", "Second shop"]);
    assert!(said.contains("team reopen"), "{said}");
    refused_soon(&server.shop_with(&key));
    assert!(answers(&server.shop()), "other teams are served");
    assert!(
        server
            .run(&["team", "list"])
            .contains("Second shop  closed 2")
    );
    let refused = complaint(
        &server,
        &["key", "create", "--kind", "secret", "--team", "Second shop"],
    );
    assert!(refused.contains("closed"), "{refused}");
    server.run(&["team", "reopen", "Second shop"]);
    until(PATIENCE, "the key is accepted", || {
        answers(&server.shop_with(&key)).then_some(())
    });
}

#[test]
fn a_name_of_several_teams_is_refused_with_their_ids() {
    let server = Setup::new().start();
    for _ in 0..2 {
        server.run(&["team", "create", "--name", "Twin"]);
    }
    let said = complaint(&server, &["key", "list", "--team", "Twin"]);
    let listed = server.run(&["team", "list"]);
    let twins = listed.lines().filter(|line| line.ends_with("  Twin"));
    let ids: Vec<&str> = twins.map(|line| line.split(' ').next().unwrap()).collect();
    assert_eq!(ids.len(), 2);
    assert!(ids.iter().all(|id| said.contains(id)), "{said}");
    let unknown = complaint(&server, &["team", "close", "Nobody's"]);
    assert!(unknown.contains("team list"), "{unknown}");
}
