//! Connections: made, changed, switched off; their credentials are never shown.

use serde_json::{Value, json};
use testkit::{Answer, Order, Setup, Shop, cards};

use super::manage::document;
use crate::shared;

const SECRET: &str = "sealed-credential-7f3a";

fn try_save(shop: &Shop, connection: Value) -> Answer {
    let query = "mutation($id: ID, $processor: String!, $name: String!, $settings: JSON!, $credentials: JSON) { \
        saveConnection(id: $id, processor: $processor, name: $name, settings: $settings, credentials: $credentials, skipProbe: true) \
        { id processor name enabled methods settings } }";
    shop.gql(query, connection)
}

fn connection(id: &str) -> Value {
    json!({ "id": id, "processor": "simulator", "name": "Mine", "settings": {} })
}

fn try_disable(shop: &Shop, id: &str) -> Answer {
    shop.gql(
        "mutation($id: ID!) { disableConnection(id: $id) }",
        json!({ "id": id }),
    )
}

#[test]
fn a_connection_that_is_switched_off_takes_no_payments_until_it_is_saved_again() {
    let server = Setup::new().start();
    let shop = server.shop();
    let made = try_save(&shop, connection("own")).root().clone();
    assert_eq!(
        (&made["id"], &made["enabled"]),
        (&json!("own"), &json!(true))
    );
    assert!(made["methods"].as_array().unwrap().contains(&json!("CARD")));
    let flow = json!({ "document": document("own", "now") });
    shop.gql(
        "mutation($document: JSON!) { saveFlow(id: \"own\", document: $document) { id } }",
        flow,
    )
    .root();
    shop.gql(
        "mutation { publishFlow(id: \"own\", version: 1) { id } }",
        json!({}),
    )
    .root();
    let pay = || shop.try_authorise(&Order::card(cards::VISA).flow("own"), None);
    assert_eq!(pay().root()["status"], "SUCCEEDED");
    let before = pay().root()["id"].as_str().unwrap().to_owned();
    assert_eq!(try_disable(&shop, "own").root(), true);
    pay().assert_error("error.connection.not-found");
    let refunded = shop.try_refund(&before, Value::Null);
    assert_eq!(
        refunded.root()["status"],
        "REFUNDED",
        "what was sent there is still looked after"
    );
    try_save(&shop, connection("own")).root();
    assert_eq!(pay().root()["status"], "SUCCEEDED");
}

#[test]
fn what_does_not_fit_is_refused_by_its_field() {
    let shop = &shared::shop();
    for (field, value) in [
        ("processor", json!("nobody")),
        ("name", json!("")),
        ("settings", json!([])),
        ("credentials", json!("x")),
    ] {
        let mut bad = connection("refused");
        bad[field] = value;
        try_save(shop, bad).assert_invalid(field);
    }
    try_disable(shop, "refused").assert_error("error.connection.not-found");
}

#[test]
fn credentials_are_sealed_and_never_shown() {
    let server = Setup::new().start();
    let shop = server.shop();
    let mut own = connection("own");
    own["credentials"] = json!({ "apiKey": SECRET });
    assert!(!try_save(&shop, own).json().to_string().contains(SECRET));
    let listed = shop.gql(
        "{ listConnections { id processor name enabled methods settings } }",
        json!({}),
    );
    assert!(
        listed.json().to_string().contains("\"own\"")
            && !listed.json().to_string().contains(SECRET)
    );
    let found = server.files_with(SECRET.as_bytes());
    assert!(found.is_empty(), "{found:?}");
}

#[test]
fn another_teams_connections_are_not_found() {
    let (shop, other) = (&shared::shop(), &shared::other_shop());
    try_save(shop, connection("only-mine")).root();
    try_disable(other, "only-mine").assert_error("error.connection.not-found");
    let listed = other
        .gql("{ listConnections { id } }", json!({}))
        .root()
        .to_string();
    assert!(!listed.contains("only-mine"));
    let enabled = shop
        .gql("{ listConnections { id enabled } }", json!({}))
        .root()
        .clone();
    assert!(
        enabled
            .as_array()
            .unwrap()
            .contains(&json!({ "id": "only-mine", "enabled": true }))
    );
}
