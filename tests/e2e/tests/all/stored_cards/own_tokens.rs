//! Processors' own tokens pay at their connection, and nowhere else.

use serde_json::{Value, json};
use testkit::cards;

use super::{at, merchants, said, shop};

#[test]
fn a_token_that_was_asked_for_pays_at_its_connection_alone() {
    let shop = shop();
    let token = shop.tokenise(cards::VISA);
    let asked = json!({"vaultToken": token, "paymentProcessorConnectionId": "simulator-a", "currencyCode": "EUR"});
    shop.try_processor_token(asked).root();
    let here = shop.order(&merchants(&token, "simulator-a"));
    assert_eq!(said(&shop, &here)["byOwnToken"], json!(true));
    let elsewhere = shop.order(&merchants(&token, "simulator-b"));
    assert_eq!(said(&shop, &elsewhere)["byOwnToken"], json!(false));
    elsewhere.assert_status("AUTHORISED");
    // A customer who is present pays with it too, and a payment that says nothing of an agreement stays one.
    let present = shop.order(&at(&token, "simulator-a"));
    present.assert_status("AUTHORISED");
    assert_eq!(said(&shop, &present), Value::Null);
    shop.assert_books_agree_on(&present.id());
}

#[test]
fn a_card_plays_the_same_part_by_its_token() {
    let shop = shop();
    let token = shop.tokenise("4000000000007726");
    let asked = json!({"vaultToken": token, "paymentProcessorConnectionId": "simulator-a", "currencyCode": "EUR"});
    shop.try_processor_token(asked).root();
    let paid = shop.order(&merchants(&token, "simulator-a"));
    shop.capture(&paid.id()).assert_status("SUCCEEDED");
    shop.refund(&paid.id(), 1000)
        .assert_status("REFUND_PENDING");
    shop.wait_for_status(&paid.id(), "REFUNDED");
}

#[test]
fn the_next_connection_of_a_flow_gets_the_number_and_not_the_token_of_the_first() {
    let shop = shop();
    shop.connection("stored-fails", json!({}));
    let token = shop.tokenise(cards::VISA);
    let asked = json!({"vaultToken": token, "paymentProcessorConnectionId": "stored-fails", "currencyCode": "EUR"});
    shop.try_processor_token(asked).root();
    shop.connection("stored-fails", json!({"fault": "fails"}));
    let ways = json!([{"authorise": {"connection": "stored-fails", "fallback": {"to": ["simulator-b"], "after": ["fault"]}}}]);
    shop.publish("stored-fallback", ways);
    let order = testkit::Order::token(&token)
        .with("initiator", json!("MERCHANT"))
        .flow("stored-fallback");
    let paid = shop.order(&order);
    let entries = shop.books().of(&paid);
    let by_token = |connection: &str| {
        let entry = entries.iter().find(|entry| entry.connection == connection);
        entry.unwrap().agreement["byOwnToken"].clone()
    };
    assert_eq!(by_token("stored-fails"), json!(true));
    assert_eq!(by_token("simulator-b"), json!(false));
}
