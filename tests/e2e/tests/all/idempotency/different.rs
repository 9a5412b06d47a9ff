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
fn its_message_names_the_status_and_gives_one_instruction() {
    let shop = shared::shop();
    let message = |first: &Order, other: &Order| {
        let key = Shop::fresh_key();
        shop.try_authorise(first, Some(&key));
        let answer = shop.try_authorise(other, Some(&key));
        answer.assert_error("error.idempotency.key-reused");
        answer.message().to_owned()
    };
    let advice = "Nothing was done for this one: send it with a key of its own.";
    assert_eq!(
        message(&Order::card(cards::VISA), &Order::card(cards::MASTERCARD)),
        format!(
            "This idempotency key was used for another request, which was answered with a payment in status SUCCEEDED. {advice}"
        )
    );
    // The address of the first request's customer is no advice for this one.
    assert_eq!(
        message(
            &Order::card(cards::CHALLENGE),
            &Order::card(cards::MASTERCARD)
        ),
        format!(
            "This idempotency key was used for another request, which ended with error.authorize.requires3DSecure. {advice}"
        )
    );
}

#[test]
fn the_id_of_a_reused_tokenisation_leads_to_its_token() {
    let shop = shared::shop();
    let key = Shop::fresh_key();
    let card = |number: &str| json!({"paymentMethod": {"card": Shop::card(number)}});
    let first = shop.try_tokenise(card(cards::VISA), Some(&key));
    let other = shop.try_tokenise(card(cards::MASTERCARD), Some(&key));
    other.assert_error("error.idempotency.key-reused");
    assert_eq!(other.extension("id"), &first.root()["token"]);
    let id = other.extension("id").as_str().unwrap();
    assert_eq!(shop.method(id)["token"], first.root()["token"]);
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
