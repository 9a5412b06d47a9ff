//! The same key and another request.

use serde_json::{Value, json};
use testkit::{Order, Setup, Shop, cards};

use crate::shared;

#[test]
fn after_a_success_it_is_an_error_with_the_originals_id_and_nothing_is_done() {
    let server = Setup::new().start();
    let shop = server.shop();
    let first = shop.try_authorise(&Order::card(cards::VISA), Some("one"));
    for other in [
        Order::card(cards::VISA).amount(1001),
        Order::card(cards::VISA).currency("USD"),
        Order::card(cards::MASTERCARD),
        Order::card(cards::VISA).later(),
        Order::card(cards::VISA).with("paymentMethod/card/cvc", json!("111")),
        Order::card(cards::VISA).with("orderId", json!("another")),
    ] {
        let answer = shop.try_authorise(&other, Some("one"));
        answer.assert_error("error.idempotency.key-reused");
        assert_eq!(answer.extension("id"), &first.root()["id"]);
    }
    assert_eq!(shop.books().charges(), 1);
    assert_eq!(shop.every_payment().len(), 1);
    let again = shop.try_authorise(&Order::card(cards::VISA), Some("one"));
    assert_eq!(
        again.reply.body, first.reply.body,
        "the key still leads to the original"
    );
    shop.assert_books_equal_payments();
}

#[test]
fn a_declined_original_counts_as_one_that_succeeded() {
    let shop = shared::shop();
    let key = Shop::fresh_key();
    let first = shop.try_authorise(&Order::card(cards::GENERAL_DECLINE), Some(&key));
    let other = shop.try_authorise(&Order::card(cards::VISA), Some(&key));
    other.assert_error("error.idempotency.key-reused");
    assert_eq!(other.extension("id"), &first.root()["id"]);
}

#[test]
fn a_key_of_authorising_means_nothing_to_tokenising() {
    let shop = shared::shop();
    let key = Shop::fresh_key();
    let payment = shop.try_authorise(&Order::card(cards::VISA), Some(&key));
    let token = shop.try_tokenise(
        json!({"paymentMethod": {"card": Shop::card(cards::VISA)}}),
        Some(&key),
    );
    assert!(!token.replayed() && token.errors().is_empty());
    let customer = shop.try_create_customer(json!({"customer": {"name": "Ada"}}), Some(&key));
    assert!(!customer.replayed() && customer.errors().is_empty());
    let id = payment.root()["id"].as_str().unwrap();
    let refund = testkit::Answer::of(
        shop.refund_request(id, Value::Null, Some(&key))
            .send(shop.address()),
    );
    assert!(!refund.replayed() && refund.errors().is_empty());
}

#[test]
fn for_customers_a_different_request_under_one_key_is_a_new_one() {
    let shop = shared::shop();
    let key = Shop::fresh_key();
    let create =
        |name: &str| shop.try_create_customer(json!({"customer": {"name": name}}), Some(&key));
    let (ada, again, bea) = (create("Ada"), create("Ada"), create("Bea"));
    assert!(again.replayed() && !bea.replayed());
    assert_eq!(ada.root(), again.root());
    assert_ne!(ada.root(), bea.root());
}
