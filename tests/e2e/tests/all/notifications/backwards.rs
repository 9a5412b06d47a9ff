//! Money that goes backwards because the processor says so by itself.

use serde_json::{Value, json};
use testkit::{Order, PATIENCE, Payment, Shop, cards, until};

use super::stored;
use crate::shared;

/// Makes or changes a connection that misbehaves so.
fn misbehaving(shop: &Shop, id: &str, settings: &Value) {
    let query = "mutation($id: ID!, $settings: JSON!) { saveConnection(id: $id, processor: \"simulator\", name: \"Odd\", \
        settings: $settings) { id } }";
    shop.gql(query, json!({"id": id, "settings": settings}))
        .root();
}

/// A payment that is authorised at a connection.
fn authorised_at(shop: &Shop, connection: &str) -> String {
    let order = Order::card(cards::VISA).amount(1000).at(connection);
    let answer = shop.try_headless(&order, None);
    answer.root()["id"].as_str().unwrap().to_owned()
}

/// The kinds of events of a payment, once this one is among them.
#[track_caller]
fn kinds_with(shop: &Shop, payment: &str, wanted: &str) -> Vec<String> {
    let query = "query($after: String) { listEvents(first: 100, after: $after) { \
        pageInfo { hasNextPage endCursor } edges { node { kind data } } } }";
    until(PATIENCE, wanted, || {
        let (mut kinds, mut after) = (Vec::new(), Value::Null);
        loop {
            let page = shop.gql(query, json!({ "after": after })).root().clone();
            for edge in page["edges"].as_array().unwrap() {
                if edge["node"]["data"]["paymentId"] == json!(payment) {
                    kinds.push(edge["node"]["kind"].as_str().unwrap().to_owned());
                }
            }
            if page["pageInfo"]["hasNextPage"] == json!(false) {
                break;
            }
            after = page["pageInfo"]["endCursor"].clone();
        }
        kinds.iter().any(|kind| kind == wanted).then_some(kinds)
    })
}

/// The timeline names the notification that brought the news, which is listed as applied to the payment.
#[track_caller]
fn assert_names_its_notification(shop: &Shop, connection: &str, payment: &Payment) {
    let applied = until(PATIENCE, "the notification was applied", || {
        stored(shop, connection)
            .into_iter()
            .find(|one| one["status"] == "APPLIED" && one["paymentId"] == json!(payment.id()))
    });
    let id = applied["id"].as_str().unwrap();
    let lines = payment.lines().join("\n");
    assert!(lines.contains(&format!("by notification {id}")), "{lines}");
}

#[test]
fn a_settled_refund_that_is_returned_no_longer_counts_once_the_processor_notifies() {
    let shop = shared::shop();
    misbehaving(&shop, "returns-money", &json!({"fault": "returns_refunds"}));
    let id = authorised_at(&shop, "returns-money");
    shop.capture(&id).assert_status("SUCCEEDED");
    shop.refund(&id, 300).assert_status("PARTIAL_REFUNDED");
    let back = shop.wait_for_status(&id, "SUCCEEDED");
    assert_eq!(back.number("/refundedAmount"), 0);
    assert!(
        back.titles()
            .contains(&"The refund failed after it had taken effect".to_owned())
    );
    assert_names_its_notification(&shop, "returns-money", &back);
    let kinds = kinds_with(&shop, &id, "payment.refund_failed");
    let wanted = [
        "payment.created",
        "payment.authorised",
        "payment.captured",
        "payment.refunded",
        "payment.refund_failed",
    ];
    assert_eq!(kinds, wanted);
    // All of it can be given back again.
    misbehaving(&shop, "returns-money", &json!({}));
    shop.refund(&id, 1000).assert_status("REFUNDED");
    shop.assert_books_agree_on(&id);
}

#[test]
fn a_capture_that_fails_later_leaves_the_authorisation_and_can_be_made_again() {
    let shop = shared::shop();
    misbehaving(
        &shop,
        "unpaid-captures",
        &json!({"fault": "returns_captures"}),
    );
    let id = authorised_at(&shop, "unpaid-captures");
    shop.capture(&id).assert_status("SUCCEEDED");
    let back = shop.wait_for_status(&id, "AUTHORISED");
    assert_eq!(back.number("/capturedAmount"), 0);
    assert!(
        back.titles()
            .contains(&"The capture failed after it had taken effect".to_owned())
    );
    assert_names_its_notification(&shop, "unpaid-captures", &back);
    let kinds = kinds_with(&shop, &id, "payment.capture_failed");
    assert_eq!(kinds.last().unwrap(), "payment.capture_failed");
    shop.try_refund(&id, json!(1))
        .assert_error("error.refund.invalid-status");
    misbehaving(&shop, "unpaid-captures", &json!({}));
    shop.capture(&id).assert_status("SUCCEEDED");
    shop.assert_books_agree_on(&id);
}
