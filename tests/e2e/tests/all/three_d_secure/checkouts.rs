//! Browsers and checkouts: one live payment, and a new attempt takes the place of one that waits.

use serde_json::{Value, json};
use testkit::{Detour, Order, Shop, cards};

use super::BACK;
use crate::shared;

fn browser_of(shop: &Shop) -> Shop {
    shop.client(json!({"amount": 1000, "currency": "EUR"}))
}

fn bare(card: &str) -> Order {
    Order::card(card)
        .without("amount")
        .without("currencyCode")
        .three_ds(BACK)
}

#[test]
fn a_browser_passes_the_challenge_and_reads_its_payment() {
    let shop = shared::shop();
    let browser = browser_of(&shop);
    let detour = browser.challenged(&bare(cards::CHALLENGE));
    browser.payment(&detour.id).assert_status("NEEDS_3D_SECURE");
    browser_of(&shop)
        .try_payment(&detour.id)
        .assert_error("error.payment.not-found");
    browser.decide_and_return(&detour, "complete");
    browser.payment(&detour.id).assert_status("SUCCEEDED");
    let refused = browser.try_authorise(&bare(cards::VISA), None);
    refused.assert_error("error.authorize.payment-already-authorized");
    assert_eq!(refused.extension("id"), &json!(detour.id));
    // What is paid stays paid: a browser gets the payment as it stands.
    browser.abandon(&detour.id).assert_status("SUCCEEDED");
    shop.assert_books_agree_on(&detour.id);
}

#[test]
fn a_browsers_second_attempt_takes_the_place_of_one_that_waits() {
    let shop = shared::shop();
    let browser = browser_of(&shop);
    let first = browser.challenged(&bare(cards::CHALLENGE));
    let back = shop.decide(&first, "complete");
    let second = browser.try_authorise(&bare(cards::VISA), None);
    assert_one_paid(&shop, &first, &second);
    // The way back of the one that was given up charges nothing.
    shop.visit(&back);
    shop.assert_books_agree_on(&first.id);
}

#[test]
fn an_intents_second_attempt_takes_the_place_of_one_that_waits() {
    let shop = shared::shop();
    let intent = shop.start_intent(json!({}))["id"].clone();
    let order = |card: &str| {
        Order::card(card)
            .three_ds(BACK)
            .with("intentId", intent.clone())
    };
    let first = shop.challenged(&order(cards::CHALLENGE));
    let second = shop.order(&order(cards::VISA));
    second.assert_status("SUCCEEDED");
    let given_up = shop.payment(&first.id);
    given_up.assert_status("DECLINED");
    assert!(shop.visit(&first.url).text().contains("This is over"));
    let onward = shop.decide_and_return(&first, "complete");
    onward.assert_parameters(&[
        ("id", &first.id),
        ("3ds_status", "FAILED"),
        ("decline_code", "PAYMENT_CANCELLED"),
    ]);
    let linked = shop.intent(intent.as_str().unwrap())["linkedPayments"].clone();
    assert_eq!(linked.as_array().map(Vec::len), Some(2), "{linked}");
    shop.assert_books_agree_on(&first.id);
    shop.assert_books_agree_on(&second.id());
}

#[test]
fn an_intent_goes_on_after_a_failed_challenge() {
    let shop = shared::shop();
    let intent = shop.start_intent(json!({}))["id"].clone();
    let order = |card: &str| {
        Order::card(card)
            .three_ds(BACK)
            .with("intentId", intent.clone())
    };
    let first = shop.challenged(&order(cards::CHALLENGE));
    shop.decide_and_return(&first, "fail");
    let second = shop.challenged(&order(cards::CHALLENGE));
    shop.decide_and_return(&second, "complete");
    shop.payment(&second.id).assert_status("SUCCEEDED");
    let refused = shop.try_authorise(&order(cards::VISA), None);
    refused.assert_error("error.authorize.payment-already-authorized");
    assert_eq!(refused.extension("id"), &json!(second.id));
    shop.assert_books_agree_on(&second.id);
}

/// Either the older one was paid in time, and the newer is refused, or it was given up.
fn assert_one_paid(shop: &Shop, first: &Detour, second: &testkit::Answer) {
    let older = shop.payment(&first.id);
    if second.errors().is_empty() {
        assert_eq!(
            second.root()["status"],
            Value::from("SUCCEEDED"),
            "{}",
            second.json()
        );
        older.assert_status("DECLINED");
    } else {
        second.assert_error("error.authorize.payment-already-authorized");
        older.assert_status("SUCCEEDED");
    }
}
