//! Payments at a connection of the merchant's choice, without a flow.

use serde_json::{Value, json};
use testkit::{Answer, Order, Payment, Shop, cards};

use crate::routing;

pub(super) fn shop() -> Shop {
    routing::server().shop()
}

/// Asks for a payment, perhaps under a key; whatever comes.
type Operation = fn(&Shop, &Order, Option<&str>) -> Answer;

/// The two operations that make such a payment.
pub(super) const BOTH: [Operation; 2] = [Shop::try_authorise, Shop::try_headless];

pub(super) fn at_b() -> Order {
    Order::card(cards::VISA).at("simulator-b")
}

#[test]
fn it_is_authorised_there_belongs_to_no_flow_and_waits_for_its_capture() {
    let shop = shop();
    for operation in BOTH {
        let payment = Payment(operation(&shop, &at_b(), None).root().clone());
        payment.assert_status("AUTHORISED");
        assert_eq!(payment.text("/paymentProcessingOrigin"), "HEADLESS");
        assert_eq!(payment.text("/connectionId"), "simulator-b");
        for field in ["/flowId", "/flowInstanceId"] {
            assert_eq!(payment.at(field), &Value::Null, "{field}");
        }
        let flows = payment.at("/paymentTimeline/flows");
        assert!(
            flows.is_null() || flows.as_array().is_some_and(Vec::is_empty),
            "{flows}"
        );
        let entry = shop.books().charge(&payment);
        assert_eq!(
            (entry.connection.as_str(), entry.captured),
            ("simulator-b", 0)
        );
        shop.capture(&payment.id()).assert_status("SUCCEEDED");
        shop.refund(&payment.id(), 100)
            .assert_status("PARTIAL_REFUNDED");
        shop.assert_books_agree_on(&payment.id());
    }
}

#[test]
fn it_can_be_cancelled_and_by_token_and_customer_too() {
    let shop = shop();
    let token = shop.tokenise(cards::MASTERCARD);
    for operation in BOTH {
        let order = Order::token(&token)
            .at("simulator-a")
            .with("metadata", json!({"plan": "gold"}));
        let payment = Payment(operation(&shop, &order, None).root().clone());
        assert_eq!(payment.at("/metadata/plan"), "gold");
        shop.cancel(&payment.id()).assert_status("CANCELLED");
        shop.assert_books_agree_on(&payment.id());
    }
}

#[test]
fn a_decline_or_a_failure_there_is_its_outcome_and_nobody_else_is_asked() {
    let shop = shop();
    for operation in BOTH {
        for (card, connection, status, entries) in [
            (cards::INSUFFICIENT_FUNDS, "simulator-a", "DECLINED", 1),
            (cards::FAILED, "simulator-a", "FAILED", 1),
            (cards::VISA, "simulator-down", "FAILED", 0),
        ] {
            let payment = Payment(
                operation(&shop, &Order::card(card).at(connection), None)
                    .root()
                    .clone(),
            );
            payment.assert_status(status);
            assert_eq!(
                shop.books().of(&payment).len(),
                entries,
                "{card} at {connection}"
            );
            shop.assert_books_agree_on(&payment.id());
        }
    }
}

#[test]
fn the_two_operations_share_their_idempotency_keys() {
    let shop = shop();
    for operation in BOTH {
        let key = Shop::fresh_key();
        let first = operation(&shop, &at_b(), Some(&key));
        let again = operation(&shop, &at_b(), Some(&key));
        assert!(again.replayed() && again.root() == first.root());
        operation(&shop, &at_b().amount(7), Some(&key))
            .assert_error("error.idempotency.key-reused");
    }
    let key = Shop::fresh_key();
    let first = shop.try_authorise(&at_b().with("orderId", json!("one-scope")), Some(&key));
    first.root();
    let other = shop.try_headless(&at_b().with("orderId", json!("one-scope")), Some(&key));
    assert!(other.replayed(), "{}", other.json());
    assert_eq!(other.root()["id"], first.root()["id"]);
    shop.try_headless(&at_b().amount(7), Some(&key))
        .assert_error("error.idempotency.key-reused");
    let key = Shop::fresh_key();
    let first = shop.try_headless(&at_b(), Some(&key));
    shop.try_authorise(&at_b().amount(7), Some(&key))
        .assert_error("error.idempotency.key-reused");
    let other = shop.try_authorise(&at_b(), Some(&key));
    assert!(other.replayed() && other.root()["id"] == first.root()["id"]);
    // A fault names the argument of the operation that is asked.
    let key = Shop::fresh_key();
    let first = shop.try_headless(&at_b().amount(0), Some(&key));
    let other = shop.try_authorise(&at_b().amount(0), Some(&key));
    assert!(other.replayed());
    assert_eq!(first.extension("field"), "headlessAuthorisePayment.amount");
    assert_eq!(other.extension("field"), "authorisePayment.amount");
}

#[test]
fn three_d_secure_is_asked_for_or_left_to_the_issuer() {
    let shop = shop();
    let wish = |wanted: bool| json!({"perform3DSecure": wanted, "redirectUrl": "https://shop.example/done"});
    for operation in BOTH {
        let order = at_b().with("performHeadless3DSecure", wish(true));
        let payment = Payment(operation(&shop, &order, None).root().clone());
        payment.assert_status("AUTHORISED");
        assert_eq!(payment.text("/threeDSecureVersion"), "2.2.0");
        let order = at_b().with("performHeadless3DSecure", wish(false));
        let payment = Payment(operation(&shop, &order, None).root().clone());
        payment.assert_status("AUTHORISED");
        assert_eq!(payment.at("/threeDSecureVersion"), &Value::Null);
        // The issuer demands it whatever was asked for.
        let order = Order::card("4000002760003184")
            .at("simulator-b")
            .with("performHeadless3DSecure", wish(false));
        let answer = operation(&shop, &order, None);
        answer.assert_error("error.authorize.requires3DSecure");
        let url = answer.extension("url").as_str().unwrap();
        assert!(
            url.starts_with("http") && answer.message().contains(url),
            "{}",
            answer.json()
        );
        let waiting = shop.payment(answer.extension("id").as_str().unwrap());
        waiting.assert_status("NEEDS_3D_SECURE");
        assert_eq!(
            shop.books()
                .of(&waiting)
                .iter()
                .filter(|entry| entry.is_charge())
                .count(),
            0
        );
    }
}
