//! Capturing.

use serde_json::{Value, json};
use testkit::{Order, Setup, cards};

use crate::shared;

#[test]
fn a_capture_takes_everything_by_default() {
    let shop = shared::shop();
    let payment = shop.authorise_later(cards::VISA);
    let captured = shop.capture(&payment.id());
    captured.assert_status("SUCCEEDED");
    assert_eq!(captured.number("/capturedAmount"), 1000);
    assert_eq!(captured.at("/refundedAmount"), &Value::Null);
    shop.assert_books_agree_on(&payment.id());
}

#[test]
fn a_part_can_be_captured_once() {
    let shop = shared::shop();
    let id = shop.authorise_later(cards::VISA).id();
    let captured = testkit::Payment(shop.try_capture(&id, json!(400)).root().clone());
    captured.assert_status("SUCCEEDED");
    assert_eq!(captured.number("/capturedAmount"), 400);
    assert_eq!(captured.number("/amount/rawAmount"), 1000);
    assert_eq!(shop.books().charge(&captured).captured, 400);
    let again = shop.try_capture(&id, json!(600));
    again.assert_error("error.capture.invalid-status");
    assert_eq!(again.extension("id"), &json!(id));
    assert_eq!(again.extension("status"), &json!("SUCCEEDED"));
    assert_eq!(shop.books().charge(&captured).captured, 400);
}

#[test]
fn a_part_given_as_text_is_read_like_a_number() {
    let shop = shared::shop();
    let id = shop.authorise_later(cards::VISA).id();
    assert_eq!(
        shop.try_capture(&id, json!("250.0")).root()["capturedAmount"],
        json!(250)
    );
    shop.assert_books_agree_on(&id);
}

#[test]
fn more_than_authorised_is_refused_with_the_largest_amount_and_a_right_one_still_works() {
    let shop = shared::shop();
    let id = shop.authorise_later(cards::VISA).id();
    let answer = shop.try_capture(&id, json!(1001));
    answer.assert_error("error.capture.amount-exceeds-authorised");
    assert_eq!(answer.extension("id"), &json!(id));
    assert_eq!(answer.extension("maxAmount"), &json!(1000));
    assert!(
        answer
            .message()
            .contains("at most 1000 (€10.00) can be captured"),
        "{}",
        answer.message()
    );
    shop.payment(&id).assert_status("AUTHORISED");
    assert_eq!(
        shop.try_capture(&id, json!(1000)).root()["status"],
        "SUCCEEDED"
    );
    shop.assert_books_agree_on(&id);
}

#[test]
fn amounts_that_are_none_are_refused_and_nothing_changes() {
    let shop = shared::shop();
    let id = shop.authorise_later(cards::VISA).id();
    for amount in [json!(0), json!(-1), json!("")] {
        shop.try_capture(&id, amount).assert_invalid("amount");
    }
    for amount in [
        json!(1.5),
        json!("x"),
        json!(true),
        json!("9223372036854775808"),
    ] {
        shop.try_capture(&id, amount).assert_invalid("amount");
    }
    shop.payment(&id).assert_status("AUTHORISED");
    shop.assert_books_agree_on(&id);
}

#[test]
fn an_explicit_null_is_absent() {
    let shop = shared::shop();
    let id = shop.authorise_later(cards::VISA).id();
    let answer = shop.gql(
        "mutation($id: ID!, $amount: Long) { capturePayment(id: $id, amount: $amount, metadata: null) { status capturedAmount } }",
        json!({"id": id, "amount": null}),
    );
    assert_eq!(
        answer.root(),
        &json!({"status": "SUCCEEDED", "capturedAmount": 1000})
    );
}

#[test]
fn an_unknown_payment_cannot_be_captured() {
    for id in ["payments:0192a000-0000-7000-8000-000000000000", "x", ""] {
        shared::shop()
            .try_capture(id, Value::Null)
            .assert_error("error.payment.not-found");
    }
}

#[test]
fn a_refusal_by_the_processor_is_reported_and_the_payment_stays_authorised() {
    let server = Setup::new().start();
    let shop = server.shop();
    let id = shop.authorise_later(cards::STUBBORN).id();
    let answer = shop.try_capture(&id, Value::Null);
    answer.assert_error("error.capture.processor");
    assert_eq!(answer.extension("id"), &json!(id));
    shop.payment(&id).assert_status("AUTHORISED");
    shop.try_cancel(&id).assert_error("error.cancel.processor");
    shop.payment(&id).assert_status("AUTHORISED");
    shop.assert_books_equal_payments();
}

#[test]
fn a_capture_after_a_restart_works() {
    let mut server = Setup::new().start();
    let id = server.shop().authorise_later(cards::VISA).id();
    server.restart();
    let shop = server.shop();
    shop.capture(&id).assert_status("SUCCEEDED");
    shop.assert_books_equal_payments();
}

#[test]
fn the_timeline_tells_of_authorisation_and_capture_in_order() {
    let shop = shared::shop();
    let id = shop.order(&Order::card(cards::VISA).later()).id();
    let before = shop
        .payment(&id)
        .at("/paymentTimeline/overview")
        .as_array()
        .unwrap()
        .len();
    let captured = shop.capture(&id);
    let events = captured.at("/paymentTimeline/overview").as_array().unwrap();
    assert!(before >= 1 && events.len() > before, "{events:?}");
    let times: Vec<&str> = events
        .iter()
        .map(|event| event["time"].as_str().unwrap())
        .collect();
    assert!(
        events.iter().all(|event| event["title"]
            .as_str()
            .is_some_and(|title| !title.is_empty())),
        "{events:?}"
    );
    let (mut up, mut down) = (times.clone(), times.clone());
    up.sort_unstable();
    down.sort_unstable();
    down.reverse();
    assert!(
        times == up || times == down,
        "in the order of time: {times:?}"
    );
}
