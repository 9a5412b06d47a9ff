//! The processor is asked about the account when a connection is saved, and whenever somebody tests it.

use serde_json::json;
use testkit::{KeyKind, Setup};

use super::{KEY, connection, ids, try_rotate, try_save, try_test};
use crate::shared;

#[test]
fn what_can_be_connected_is_described_field_by_field() {
    let shop = shared::shop();
    let query = "{ listProcessors { id name methods testable notificationSetUp \
                 credentials { name required secret purpose form about } } }";
    let listed = shop.gql(query, json!({})).root().clone();
    let listed = listed.as_array().unwrap();
    let ids: Vec<_> = listed.iter().map(|one| one["id"].clone()).collect();
    assert_eq!(ids, ["adyen", "simulator", "stripe"]);
    let simulator = &listed[1];
    assert_eq!(simulator["testable"], true);
    let fields = simulator["credentials"].as_array().unwrap();
    let purposes: Vec<_> = fields
        .iter()
        .map(|field| (field["name"].clone(), field["purpose"].clone()))
        .collect();
    assert_eq!(
        purposes,
        [
            (json!("apiKey"), json!("CALLS")),
            (json!("notificationSecret"), json!("NOTIFICATIONS"))
        ]
    );
    assert!(fields.iter().all(|field| field["secret"] == true));
    assert!(
        fields[0]["about"]
            .as_str()
            .is_some_and(|about| !about.is_empty())
    );
}

#[test]
fn a_saved_connection_says_what_the_account_is_and_where_notifications_go() {
    let shop = shared::shop();
    let saved = try_save(&shop, connection("probed", json!({"apiKey": KEY})));
    let saved = saved.root();
    assert_eq!(saved["test"]["outcome"], "PASSED");
    assert_eq!(saved["test"]["live"], false);
    assert_eq!(saved["test"]["accountId"], "sim_acct_probed");
    assert_eq!(saved["warnings"], json!([]));
    let url = saved["notificationUrl"].as_str().unwrap();
    assert!(url.contains("/notifications/"), "{url}");
    assert!(saved["notificationSetUp"].is_string());
    assert_eq!(try_test(&shop, "probed").root()["outcome"], "PASSED");
}

#[test]
fn credentials_that_the_processor_refuses_are_not_kept_unless_nobody_asks_it() {
    let shop = shared::shop();
    let wrong = connection("refused-key", json!({"apiKey": "wrong-key-9d1c"}));
    let refused = try_save(&shop, wrong.clone());
    refused.assert_invalid("credentials");
    assert!(!refused.json().to_string().contains("9d1c"));
    assert!(!ids(&shop).contains(&"refused-key".to_owned()));
    let mut skipped = wrong;
    skipped["skip"] = json!(true);
    let saved = try_save(&shop, skipped);
    assert_eq!(saved.root()["test"], json!(null));
    let tested = try_test(&shop, "refused-key");
    assert_eq!(tested.root()["outcome"], "REFUSED");
    assert!(!tested.json().to_string().contains("9d1c"));
    try_rotate(&shop, "refused-key", json!({"apiKey": "wrong-too"}), false)
        .assert_invalid("credentials");
    try_rotate(&shop, "refused-key", json!({"apiKey": KEY}), false).root();
    assert_eq!(try_test(&shop, "refused-key").root()["outcome"], "PASSED");
}

#[test]
fn a_processor_that_is_away_is_a_warning() {
    let shop = shared::shop();
    let mut away = connection("away", json!({"apiKey": KEY}));
    away["settings"] = json!({"fault": "down"});
    let saved = try_save(&shop, away);
    assert_eq!(saved.root()["test"]["outcome"], "NO_ANSWER");
    assert_eq!(saved.root()["warnings"].as_array().unwrap().len(), 1);
    assert!(ids(&shop).contains(&"away".to_owned()));
    assert_eq!(try_test(&shop, "away").root()["outcome"], "NO_ANSWER");
}

#[test]
fn a_live_key_never_gets_into_test_mode() {
    let shop = shared::shop();
    // By its text, also where nobody asks the processor; and by what the processor says of the account.
    let mut by_text = connection("live-key", json!({"apiKey": "live-key-4b7e"}));
    by_text["skip"] = json!(true);
    let by_answer = connection(
        "live-key",
        json!({"apiKey": "simulator-key-of-live-account"}),
    );
    for live in [by_text, by_answer] {
        let refused = try_save(&shop, live);
        refused.assert_invalid("credentials");
        assert!(
            refused.json().to_string().contains("mode"),
            "{}",
            refused.json()
        );
        assert!(!refused.json().to_string().contains("4b7e"));
    }
    assert!(!ids(&shop).contains(&"live-key".to_owned()));
}

#[test]
fn another_teams_connection_is_not_there_and_a_restricted_key_may_not_touch_its_own() {
    let server = Setup::new().start();
    let (shop, other) = (server.shop(), server.other_team());
    try_save(&shop, connection("mine", json!({"apiKey": KEY}))).root();
    try_test(&other, "mine").assert_error("error.connection.not-found");
    try_rotate(&other, "mine", json!({"apiKey": KEY}), false)
        .assert_error("error.connection.not-found");
    let scopes = [
        "key",
        "create",
        "--kind",
        "secret",
        "--scope",
        "read,payments",
    ];
    let printed = server.run(&scopes);
    let key = printed
        .split_whitespace()
        .find(|word| word.starts_with("sk_test_"))
        .unwrap();
    let restricted = server.shop_with(key);
    restricted
        .gql("{ listProcessors { id } }", json!({}))
        .root();
    try_save(&restricted, connection("mine", json!({}))).assert_error("api.key.forbidden");
    try_test(&restricted, "mine").assert_error("api.key.forbidden");
    try_rotate(&restricted, "mine", json!({"apiKey": KEY}), true).assert_error("api.key.forbidden");
    let browser = server.shop_with(&server.create_key(KeyKind::Public));
    browser
        .gql("{ listProcessors { id } }", json!({}))
        .assert_error("api.key.forbidden");
}
