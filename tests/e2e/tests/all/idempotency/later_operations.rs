//! Keys on captures, cancellations and refunds: one scope for each operation of each payment.

use serde_json::{Value, json};
use testkit::{Answer, Order, Setup, Shop, at_once, cards};

use crate::shared;

fn send(shop: &Shop, request: &testkit::http::Request) -> Answer {
    Answer::of(request.send(shop.address()))
}

#[test]
fn a_refund_with_one_key_is_done_once() {
    let shop = shared::shop();
    let id = shop.authorise(cards::VISA).id();
    let key = Shop::fresh_key();
    let request = shop.refund_request(&id, json!(100), Some(&key));
    let (first, again) = (send(&shop, &request), send(&shop, &request));
    assert!(!first.replayed() && again.replayed());
    assert_eq!(first.reply.body, again.reply.body);
    assert_eq!(shop.payment(&id).number("/refundedAmount"), 100);
    let other = send(&shop, &shop.refund_request(&id, json!(200), Some(&key)));
    other.assert_error("error.idempotency.key-reused");
    assert_eq!(shop.payment(&id).number("/refundedAmount"), 100);
    shop.assert_books_agree_on(&id);
}

#[test]
fn without_a_key_two_equal_refunds_are_two() {
    let shop = shared::shop();
    let id = shop.authorise(cards::VISA).id();
    shop.refund(&id, 100);
    assert_eq!(shop.refund(&id, 100).number("/refundedAmount"), 200);
    shop.assert_books_agree_on(&id);
}

#[test]
fn one_key_for_the_refunds_of_two_payments_does_both() {
    let shop = shared::shop();
    let key = Shop::fresh_key();
    for _ in 0..2 {
        let id = shop.authorise(cards::VISA).id();
        let answer = send(&shop, &shop.refund_request(&id, json!(100), Some(&key)));
        assert!(!answer.replayed());
        assert_eq!(answer.root()["refundedAmount"], json!(100));
    }
}

#[test]
fn captures_and_cancellations_are_replayed_instead_of_refused() {
    let shop = shared::shop();
    let key = Shop::fresh_key();
    let id = shop.authorise_later(cards::VISA).id();
    let capture = shop.capture_request(&id, Value::Null, Some(&key));
    let (first, again) = (send(&shop, &capture), send(&shop, &capture));
    assert_eq!(first.root()["status"], "SUCCEEDED");
    assert!(again.replayed());
    assert_eq!(first.reply.body, again.reply.body);
    send(&shop, &shop.capture_request(&id, Value::Null, None))
        .assert_error("error.capture.invalid-status");

    let id = shop.authorise_later(cards::VISA).id();
    let cancel = shop.cancel_request(&id, Some(&key));
    let (first, again) = (send(&shop, &cancel), send(&shop, &cancel));
    assert_eq!(first.root()["status"], "CANCELLED");
    assert!(again.replayed());
    assert_eq!(first.reply.body, again.reply.body);
    shop.assert_books_agree_on(&id);
}

#[test]
fn errors_are_remembered_here_too() {
    let shop = shared::shop();
    let key = Shop::fresh_key();
    let id = shop.authorise(cards::VISA).id();
    let request = shop.refund_request(&id, json!(5000), Some(&key));
    let (first, again) = (send(&shop, &request), send(&shop, &request));
    first.assert_error("error.refund.amount-exceeds-captured");
    assert!(again.replayed());
    assert_eq!(first.reply.body, again.reply.body);
    let amended = send(&shop, &shop.refund_request(&id, json!(50), Some(&key)));
    amended.assert_error("error.idempotency.key-reused");
    assert_eq!(amended.extension("first"), first.extension("code"));
    shop.payment(&id).assert_status("SUCCEEDED");
}

#[test]
fn thirty_equal_refunds_with_one_key_at_once_are_one() {
    let server = Setup::new().start();
    let shop = server.shop();
    let id = shop.authorise(cards::VISA).id();
    let request = shop.refund_request(&id, json!(10), Some("same"));
    let answers = at_once(30, |_| send(&shop, &request));
    for answer in &answers {
        assert_eq!(answer.reply.body, answers[0].reply.body);
    }
    assert_eq!(shop.payment(&id).number("/refundedAmount"), 10);
    shop.assert_books_equal_payments();
}

#[test]
fn equal_captures_and_equal_cancellations_with_one_key_at_once_get_the_same_answer() {
    let server = Setup::new().start();
    let shop = server.shop();
    for round in 0..8 {
        let held = shop
            .order(&Order::card(cards::VISA).flow("capture-by-api"))
            .id();
        let request = if round % 2 == 0 {
            shop.capture_request(&held, Value::Null, Some("same"))
        } else {
            shop.cancel_request(&held, Some("same"))
        };
        let answers = at_once(4, |_| send(&shop, &request));
        for answer in &answers {
            assert_eq!(answer.reply.body, answers[0].reply.body);
        }
        shop.payment(&held).assert_status(if round % 2 == 0 {
            "SUCCEEDED"
        } else {
            "CANCELLED"
        });
    }
    shop.assert_books_equal_payments();
}
