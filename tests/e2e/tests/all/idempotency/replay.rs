//! The same key and the same request: the original result.

use serde_json::json;
use testkit::{Order, Setup, Shop, cards};

use crate::shared;

#[test]
fn the_answer_is_the_original_byte_for_byte_and_says_so() {
    let server = Setup::new().start();
    let shop = server.shop();
    for card in [cards::VISA, cards::GENERAL_DECLINE, cards::FAILED] {
        let key = Shop::fresh_key();
        let first = shop.try_authorise(&Order::card(card), Some(&key));
        assert!(!first.replayed());
        for _ in 0..3 {
            let again = shop.try_authorise(&Order::card(card), Some(&key));
            assert!(again.replayed());
            assert_eq!(again.reply.body, first.reply.body);
            assert_eq!(again.status(), first.status());
        }
    }
    assert_eq!(shop.books().charges(), 1);
    assert_eq!(shop.every_payment().len(), 3);
    shop.assert_books_equal_payments();
}

#[test]
fn the_original_is_shown_even_when_the_payment_has_moved_on() {
    let shop = shared::shop();
    let key = Shop::fresh_key();
    let first = shop.try_authorise(&Order::card(cards::VISA), Some(&key));
    let id = first.root()["id"].as_str().unwrap().to_owned();
    shop.refund(&id, 1000).assert_status("REFUNDED");
    let again = shop.try_authorise(&Order::card(cards::VISA), Some(&key));
    assert_eq!(again.reply.body, first.reply.body);
    let smaller = shop.gql_once(
        "mutation($o: AuthorisedPaymentInput!) { authorizePayment(authorisePayment: $o) { status refundedAmount flowId } }",
        json!({"o": Order::card(cards::VISA).json()}),
        Some(&key),
    );
    assert!(smaller.replayed());
    assert_eq!(
        smaller.root(),
        &json!({"status": "SUCCEEDED", "refundedAmount": null, "flowId": "default"})
    );
}

#[test]
fn equal_arguments_are_the_same_request_whatever_the_document_looks_like() {
    let shop = shared::shop();
    let key = Shop::fresh_key();
    let token = shop.tokenise(cards::VISA);
    let first = shop.try_authorise(&Order::token(&token), Some(&key));
    let literal = shop.gql_once(
        &format!(
            "mutation Different {{ other: authorizePayment(authorisePayment: {{paymentMethod: {{token: \"{token}\", type: \"CARD\"}}, \
             currencyCode: \"EUR\", amount: \"1000.0\"}}) {{ id }} }}"
        ),
        json!({}),
        Some(&key),
    );
    assert!(literal.replayed(), "{}", literal.json());
    assert_eq!(literal.root()["id"], first.root()["id"]);
}

#[test]
fn a_validation_error_is_the_result_too() {
    let server = Setup::new().start();
    let shop = server.shop();
    for order in [
        Order::card("4242424242424241"),
        Order::card(cards::VISA).amount(0),
        Order::card(cards::VISA).currency("EURO"),
        Order::token("NoSuchToken00000000"),
        Order::card(cards::VISA).flow("no-such-flow"),
    ] {
        let key = Shop::fresh_key();
        let first = shop.try_authorise(&order, Some(&key));
        assert!(!first.errors().is_empty());
        let again = shop.try_authorise(&order, Some(&key));
        assert!(again.replayed(), "{}", again.json());
        assert_eq!(again.reply.body, first.reply.body);
        let corrected = shop.try_authorise(&Order::card(cards::VISA), Some(&key));
        corrected.assert_error("error.idempotency.key-reused");
        assert_eq!(
            corrected.extension("first"),
            first.extension("code"),
            "the answer says how the first request ended"
        );
        assert!(!corrected.replayed());
    }
    assert!(shop.books().entries.is_empty());
}

#[test]
fn an_error_of_coercing_the_arguments_is_remembered() {
    let server = Setup::new().start();
    let shop = server.shop();
    let key = Shop::fresh_key();
    let first = shop.try_authorise(
        &Order::card(cards::VISA).with("amount", json!("ten")),
        Some(&key),
    );
    assert!(!first.errors().is_empty());
    let corrected = shop.try_authorise(&Order::card(cards::VISA), Some(&key));
    corrected.assert_error("error.idempotency.key-reused");
    assert_eq!(corrected.extension("first"), first.extension("code"));
    assert!(shop.books().entries.is_empty());
}

#[test]
fn what_fails_before_the_operation_is_not_remembered() {
    let server = Setup::new().start();
    let shop = server.shop();
    let key = Shop::fresh_key();
    shop.gql_once("mutation { authorizePayment(", json!({}), Some(&key))
        .assert_refused(200);
    shop.gql_once(
        "mutation { authorizePayment(authorisePayment: {}) { nothing } }",
        json!({}),
        Some(&key),
    )
    .assert_refused(200);
    server
        .shop_with("sk_test_wrong0000000000000000000000")
        .try_authorise(&Order::card(cards::VISA), Some(&key))
        .assert_refused(401);
    let order = Order::card(cards::VISA).with("metadata", json!("x".repeat(300_000)));
    assert_eq!(shop.try_authorise(&order, Some(&key)).status(), 413);
    let good = shop.try_authorise(&Order::card(cards::VISA), Some(&key));
    assert!(!good.replayed());
    assert_eq!(good.root()["status"], "SUCCEEDED");
    shop.assert_books_equal_payments();
}

#[test]
fn a_key_is_remembered_across_a_kill() {
    let mut server = Setup::new().start();
    let first = server
        .shop()
        .try_authorise(&Order::card(cards::VISA), Some("kept"));
    let refused = server
        .shop()
        .try_authorise(&Order::card("4242424242424241"), Some("kept-error"));
    server.kill();
    server.restart();
    let shop = server.shop();
    let again = shop.try_authorise(&Order::card(cards::VISA), Some("kept"));
    assert!(again.replayed());
    assert_eq!(again.reply.body, first.reply.body);
    let again = shop.try_authorise(&Order::card("4242424242424241"), Some("kept-error"));
    assert_eq!(again.reply.body, refused.reply.body);
    assert_eq!(shop.books().charges(), 1);
}

#[test]
fn an_unknown_outcome_is_replayed_as_it_was_until_it_is_settled() {
    let server = Setup::new()
        .config("[recovery]\nschedule = [\"1h\"]\n")
        .start();
    let shop = server.shop();
    let order = Order::card(cards::UNKNOWN_CHARGED);
    let first = shop.try_authorise(&order, Some("unknown"));
    assert_eq!(first.root()["status"], "NO_ANSWER_FROM_PSP");
    let again = shop.try_authorise(&order, Some("unknown"));
    assert_eq!(again.reply.body, first.reply.body);
    let id = first.root()["id"].as_str().unwrap();
    shop.wait_for_status(id, "SUCCEEDED");
    let settled = shop.try_authorise(&order, Some("unknown"));
    assert!(settled.replayed());
    assert_eq!(settled.root()["status"], "SUCCEEDED");
    assert_eq!(settled.root()["id"], json!(id));
    assert_eq!(shop.books().charges(), 1);
    shop.assert_books_equal_payments();
}

#[test]
fn equal_requests_are_equal_as_values() {
    let server = Setup::new().start();
    let shop = server.shop();
    let order = |metadata: serde_json::Value, description: Option<&str>| {
        let order = Order::card(cards::VISA).with("metadata", metadata);
        match description {
            Some(text) => order.with("description", json!(text)),
            None => order,
        }
    };
    let key = Shop::fresh_key();
    let first = shop.try_authorise(&order(json!({"a": 1}), None), Some(&key));
    for (metadata, description) in [
        (json!({"a": 1.0}), None),
        (json!({"a": 1}), Some("")),
        (json!({"a": 1.0}), Some("")),
    ] {
        let again = shop.try_authorise(&order(metadata, description), Some(&key));
        assert!(again.replayed(), "{}", again.json());
        assert_eq!(again.root()["id"], first.root()["id"]);
    }
    shop.try_authorise(&order(json!({"a": "1"}), None), Some(&key))
        .assert_error("error.idempotency.key-reused");
    assert_eq!(shop.books().charges(), 1);
}
