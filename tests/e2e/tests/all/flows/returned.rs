//! A refund that was settled and is returned later: money goes backwards on the processor's proof.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Order, Setup, Shop, cards, until};

use super::manage::document;

fn save(shop: &Shop, settings: &Value) {
    let query = "mutation($settings: JSON!) { saveConnection(id: \"keyed\", processor: \"simulator\", \
        name: \"Keyed\", settings: $settings) { id } }";
    shop.gql(query, json!({ "settings": settings })).root();
}

#[test]
fn a_returned_refund_no_longer_counts_from_the_next_look_up_on() {
    let server = Setup::new().start();
    let shop = server.shop();
    save(&shop, &json!({ "fault": "returns_refunds" }));
    let flow = "mutation($document: JSON!) { saveFlow(id: \"keyed\", document: $document) { id } }";
    shop.gql(flow, json!({ "document": document("keyed", "now") }))
        .root();
    shop.gql(
        "mutation { publishFlow(id: \"keyed\", version: 1) { id } }",
        json!({}),
    )
    .root();
    let order = Order::card(cards::VISA).flow("keyed").amount(1000);
    let paid = shop.try_authorise(&order, None).root().clone();
    let id = paid["id"].as_str().unwrap();
    let refunded = shop.try_refund(id, json!(300));
    assert_eq!(refunded.root()["status"], "PARTIAL_REFUNDED");
    // The answer to the next one can't be read, so it is looked up: that brings the news of the first one too.
    save(&shop, &json!({ "fault": "garbage" }));
    until(Duration::from_secs(30), "the bank returns it", || {
        let books = shop.books().of(&shop.payment(id));
        let returned = |entry: &testkit::Entry| entry.refunded == 0;
        books.iter().all(returned).then_some(())
    });
    shop.try_refund(id, json!(100)).root();
    until(Duration::from_secs(30), "the look-up brings both", || {
        let words = shop.payment(id).lines().join("\n");
        let title = "The refund failed after it had taken effect";
        words.contains(title).then_some(())
    });
    assert_eq!(shop.payment(id).status(), "PARTIAL_REFUNDED");
    save(&shop, &json!({}));
    let rest = shop.try_refund(id, json!(900));
    assert_eq!(rest.root()["status"], "REFUNDED");
    shop.assert_books_equal_payments();
}
