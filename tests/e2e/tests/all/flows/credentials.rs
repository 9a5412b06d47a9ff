//! Credentials of a connection: opened for each call, checked by the processor, replaced while payments run.

use serde_json::{Value, json};
use testkit::{Answer, Order, Setup, Shop, cards};

use super::manage::document;
use crate::shared;

const WRONG: &str = "wrong-credential-51c8";
const RIGHT: &str = "simulator-key";

fn save(shop: &Shop, credentials: &Value) -> Answer {
    let query = "mutation($credentials: JSON) { saveConnection(id: \"keyed\", processor: \"simulator\", \
        name: \"Keyed\", settings: {}, credentials: $credentials, skipProbe: true) { id } }";
    shop.gql(query, json!({ "credentials": credentials }))
}

/// A flow that pays at the connection.
fn publish(shop: &Shop) {
    let save = "mutation($document: JSON!) { saveFlow(id: \"keyed\", document: $document) { id } }";
    shop.gql(save, json!({ "document": document("keyed", "now") }))
        .root();
    shop.gql(
        "mutation { publishFlow(id: \"keyed\", version: 1) { id } }",
        json!({}),
    )
    .root();
}

fn pay(shop: &Shop) -> Value {
    let order = Order::card(cards::VISA).flow("keyed");
    shop.try_authorise(&order, None).root().clone()
}

#[test]
fn a_wrong_key_charges_nothing_and_the_right_one_pays_from_the_next_call_on() {
    let server = Setup::new().start();
    let shop = server.shop();
    save(&shop, &json!({ "apiKey": WRONG })).root();
    publish(&shop);
    let refused = pay(&shop);
    assert_eq!(refused["status"], "FAILED");
    let words = refused["paymentTimeline"]["overview"].to_string();
    assert!(
        words.contains("the processor did not accept the connection's credentials"),
        "{words}"
    );
    assert_eq!(shop.books().charges(), 0);
    save(&shop, &json!({ "apiKey": RIGHT })).root();
    let paid = pay(&shop);
    assert_eq!(paid["status"], "SUCCEEDED");
    let id = paid["id"].as_str().unwrap();
    // Later calls need the credentials as well.
    save(&shop, &json!({ "apiKey": WRONG })).root();
    shop.try_refund(id, json!(10))
        .assert_error("error.refund.processor");
    save(&shop, &json!({ "apiKey": RIGHT })).root();
    let refunded = shop.try_refund(id, Value::Null);
    assert_eq!(refunded.root()["status"], "REFUNDED");
    assert_eq!(shop.books().charges(), 1);
    shop.assert_books_equal_payments();
    for secret in [WRONG, RIGHT] {
        assert!(server.files_with(secret.as_bytes()).is_empty(), "{secret}");
        assert!(!words.contains(secret));
    }
}

#[test]
fn an_unknown_outcome_is_found_out_with_the_credentials_of_then() {
    let server = Setup::new().start();
    let shop = server.shop();
    save(&shop, &json!({ "apiKey": RIGHT })).root();
    publish(&shop);
    let order = Order::card(cards::UNKNOWN_CHARGED).flow("keyed");
    let unknown = shop.try_authorise(&order, None).root().clone();
    assert_eq!(unknown["status"], "NO_ANSWER_FROM_PSP");
    // Replaced meanwhile: the record that was opened for the call is gone.
    save(&shop, &json!({ "apiKey": RIGHT })).root();
    let id = unknown["id"].as_str().unwrap().to_owned();
    shop.wait_for_status(&id, "SUCCEEDED");
    shop.assert_books_equal_payments();
}

#[test]
fn only_the_fields_that_the_processor_knows_are_credentials() {
    let shop = &shared::shop();
    for credentials in [
        json!({ "key": "a-secret" }),
        json!({ "apiKey": 7 }),
        json!({ "apiKey": { "a-secret": true } }),
        json!({ "apiKey": "simulator-key", "password": "a-secret" }),
    ] {
        let refused = save(shop, &credentials);
        refused.assert_invalid("credentials");
        let words = refused.json().to_string();
        assert!(!words.contains("a-secret"), "{words}");
    }
}
