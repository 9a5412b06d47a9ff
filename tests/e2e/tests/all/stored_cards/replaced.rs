//! Which transaction is kept with a card of which several payments are made.

use std::thread;

use serde_json::json;
use testkit::{Payment, Shop, cards};

use super::{agreeing, at, merchants, said, shop, transaction_of};

/// The transaction that a payment of the merchant's names where the processor doesn't store the card.
fn named(shop: &Shop, token: &str) -> serde_json::Value {
    let payment = shop.order(&merchants(token, "stored-third"));
    payment.assert_status("AUTHORISED");
    said(shop, &payment)["networkId"].clone()
}

fn with_a_third() -> Shop {
    let shop = shop();
    shop.connection("stored-third", json!({}));
    shop
}

#[test]
fn a_consent_replaces_what_was_kept_and_nothing_less_replaces_a_consent() {
    let shop = with_a_third();
    let token = shop.tokenise(cards::VISA);
    let plain = shop.order(&at(&token, "simulator-a"));
    assert_eq!(named(&shop, &token), transaction_of(&shop, &plain));
    shop.order(&at(&token, "simulator-b"));
    assert_eq!(
        named(&shop, &token),
        transaction_of(&shop, &plain),
        "the first of equal weight stays"
    );
    let consent = shop.order(&agreeing(&token, "simulator-a"));
    assert_eq!(named(&shop, &token), transaction_of(&shop, &consent));
    shop.order(&at(&token, "simulator-b"));
    assert_eq!(named(&shop, &token), transaction_of(&shop, &consent));
    let newer = shop.order(&agreeing(&token, "simulator-b"));
    assert_eq!(named(&shop, &token), transaction_of(&shop, &newer));
}

#[test]
fn a_consent_that_is_declined_leaves_what_was_kept() {
    let shop = with_a_third();
    let token = shop.tokenise(cards::INSUFFICIENT_FUNDS);
    shop.order(&agreeing(&token, "simulator-a"))
        .assert_status("DECLINED");
    assert_eq!(shop.method(&token)["linkedPaymentGateways"], json!([]));
}

#[test]
fn of_consents_that_are_given_at_once_the_latest_payment_wins() {
    let shop = with_a_third();
    let token = shop.tokenise(cards::VISA);
    let threads: Vec<_> = ["simulator-a", "simulator-b"]
        .into_iter()
        .cycle()
        .take(8)
        .map(|connection| {
            let (shop, order) = (shop.clone(), agreeing(&token, connection));
            thread::spawn(move || shop.order(&order))
        })
        .collect();
    let payments: Vec<Payment> = threads.into_iter().map(|one| one.join().unwrap()).collect();
    let latest = payments.iter().max_by_key(|payment| payment.uuid());
    let latest = latest.unwrap();
    assert_eq!(named(&shop, &token), transaction_of(&shop, latest));
}
