//! Completing an intent.

use serde_json::{Value, json};
use testkit::{Order, at_once, cards};

use super::{id, step};
use crate::shared;

#[test]
fn a_server_completes_without_a_payment_and_nothing_changes_it_afterwards() {
    let shop = shared::shop();
    let intent = id(&shop.start_intent(json!({})));
    let complete = shop
        .try_complete_intent(&intent, Value::Null)
        .root()
        .clone();
    assert_eq!(complete["status"], "COMPLETE");
    for done in ["intentStarted", "completeIntent", "completeCheckout"] {
        assert_eq!(step(&complete, done), ("COMPLETE", true), "{done}");
    }
    assert_eq!(
        shop.try_complete_intent(&intent, Value::Null).root(),
        &complete,
        "again: the same answer"
    );
    let refused = shop.try_update_intent(&intent, json!({"trackingId": "other"}));
    refused.assert_error("error.intent.invalid-status");
    assert_eq!(
        (refused.extension("id"), refused.extension("status")),
        (&json!(intent), &json!("COMPLETE"))
    );
    let payment = shop.authorise(cards::VISA).id();
    shop.try_complete_intent(&intent, json!(payment))
        .assert_error("error.intent.invalid-status");
    assert_eq!(shop.intent(&intent), complete);
}

#[test]
fn a_payment_that_was_made_apart_from_it_may_complete_one_intent() {
    let shop = shared::shop();
    let intent = id(&shop.start_intent(json!({})));
    let payment = shop.authorise(cards::VISA);
    let complete = shop
        .try_complete_intent(&intent, json!(payment.uuid()))
        .root()
        .clone();
    assert_eq!(complete["status"], "COMPLETE");
    let linked = complete["linkedPayments"].as_array().unwrap();
    assert_eq!(linked.len(), 1);
    assert_eq!(
        (&linked[0]["paymentId"], &linked[0]["status"]),
        (&json!(payment.id()), &json!("SUCCEEDED"))
    );
    assert_eq!(linked[0]["title"], "Payment of €10.00");
    assert_eq!(
        complete["timeline"]["paymentAttempts"][0]["status"],
        "COMPLETE"
    );
    assert_eq!(
        shop.try_complete_intent(&intent, json!(payment.id()))
            .root(),
        &complete
    );
    let second = id(&shop.start_intent(json!({})));
    shop.try_complete_intent(&second, json!(payment.id()))
        .assert_invalid("paymentReference");
    assert_eq!(shop.intent(&second)["status"], "ACTIVE");
}

#[test]
fn unknown_declined_failed_and_foreign_payments_complete_nothing() {
    let (shop, other) = (shared::shop(), shared::other_shop());
    let intent = id(&shop.start_intent(json!({})));
    let foreign = other.authorise(cards::VISA).id();
    for unknown in [
        "0192a000-0000-7000-8000-000000000000",
        "7",
        foreign.as_str(),
    ] {
        shop.try_complete_intent(&intent, json!(unknown))
            .assert_error("error.payment.not-found");
    }
    for card in [cards::GENERAL_DECLINE, cards::FAILED] {
        let payment = shop.authorise(card).id();
        shop.try_complete_intent(&intent, json!(payment))
            .assert_invalid("paymentReference");
    }
    let cancelled = shop.authorise_later(cards::VISA).id();
    shop.cancel(&cancelled);
    shop.try_complete_intent(&intent, json!(cancelled))
        .assert_invalid("paymentReference");
    assert_eq!(shop.intent(&intent)["status"], "ACTIVE");
}

#[test]
fn many_at_once_complete_it_once_with_one_payment() {
    let shop = shared::shop();
    let intent = id(&shop.start_intent(json!({})));
    let payments: Vec<String> = (0..8)
        .map(|_| shop.order(&Order::card(cards::VISA)).id())
        .collect();
    let answers = at_once(8, |n| shop.try_complete_intent(&intent, json!(payments[n])));
    let done: Vec<_> = answers
        .iter()
        .filter(|answer| answer.errors().is_empty())
        .collect();
    assert_eq!(done.len(), 1);
    let linked = shop.intent(&intent)["linkedPayments"].clone();
    assert_eq!(linked.as_array().unwrap().len(), 1);
    assert_eq!(done[0].root()["linkedPayments"], linked);
    for answer in answers.iter().filter(|answer| !answer.errors().is_empty()) {
        answer.assert_error("error.intent.invalid-status");
    }
}
