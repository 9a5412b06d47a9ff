//! Cancelling.

use serde_json::Value;
use testkit::cards;

use crate::shared;

#[test]
fn an_authorised_payment_can_be_cancelled_once() {
    let shop = shared::shop();
    let payment = shop.authorise_later(cards::VISA);
    let cancelled = shop.cancel(&payment.id());
    cancelled.assert_status("CANCELLED");
    let entries = shop.books().of(&payment);
    assert_eq!(entries.len(), 1);
    assert!(
        entries[0].cancelled && entries[0].captured == 0,
        "{entries:?}"
    );
    let again = shop.try_cancel(&payment.id());
    again.assert_error("error.cancel.invalid-status");
    assert_eq!(again.extension("status"), "CANCELLED");
    assert_eq!(again.extension("id"), &Value::String(payment.id()));
}

#[test]
fn a_cancelled_payment_can_be_neither_captured_nor_refunded() {
    let shop = shared::shop();
    let id = shop.authorise_later(cards::VISA).id();
    shop.cancel(&id);
    shop.try_capture(&id, Value::Null)
        .assert_error("error.capture.invalid-status");
    shop.try_refund(&id, Value::Null)
        .assert_error("error.refund.invalid-status");
    shop.payment(&id).assert_status("CANCELLED");
    shop.assert_books_agree_on(&id);
}

#[test]
fn a_captured_payment_cannot_be_cancelled() {
    let shop = shared::shop();
    let id = shop.authorise(cards::VISA).id();
    let answer = shop.try_cancel(&id);
    answer.assert_error("error.cancel.invalid-status");
    assert_eq!(answer.extension("status"), "SUCCEEDED");
    shop.assert_books_agree_on(&id);
}

#[test]
fn an_unknown_payment_cannot_be_cancelled() {
    for id in ["payments:0192a000-0000-7000-8000-000000000000", "x", ""] {
        shared::shop()
            .try_cancel(id)
            .assert_error("error.payment.not-found");
    }
}
