//! Captures, cancellations and refunds that the processor did not answer, though they took effect.

use serde_json::{Value, json};
use testkit::{Payment, Setup, cards};

#[test]
fn a_capture_without_an_answer_leaves_the_status_and_is_found_out() {
    let server = Setup::new().start();
    let shop = server.shop();
    let id = shop.authorise_later(cards::SILENT_LATER).id();
    let answer = Payment(shop.try_capture(&id, json!(600)).root().clone());
    answer.assert_status("AUTHORISED");
    assert_eq!(answer.at("/capturedAmount"), &Value::Null);
    let captured = shop.wait_for_status(&id, "SUCCEEDED");
    assert_eq!(captured.number("/capturedAmount"), 600);
    shop.assert_books_equal_payments();
}

#[test]
fn alongside_a_capture_without_an_answer_nothing_else_starts() {
    let server = Setup::new()
        .config("[recovery]\nschedule = [\"1h\"]\n")
        .start();
    let shop = server.shop();
    let id = shop.authorise_later(cards::SILENT_LATER).id();
    shop.try_capture(&id, Value::Null).data();
    for answer in [shop.try_cancel(&id), shop.try_capture(&id, Value::Null)] {
        assert!(
            matches!(
                answer.error_code(),
                Some(
                    "error.payment.operation-in-progress"
                        | "error.cancel.invalid-status"
                        | "error.capture.invalid-status"
                )
            ),
            "{}",
            answer.json()
        );
    }
    shop.wait_for_status(&id, "SUCCEEDED");
    shop.assert_books_equal_payments();
}

#[test]
fn a_cancellation_without_an_answer_leaves_the_status_and_is_found_out() {
    let server = Setup::new().start();
    let shop = server.shop();
    let id = shop.authorise_later(cards::SILENT_LATER).id();
    shop.cancel(&id).assert_status("AUTHORISED");
    shop.wait_for_status(&id, "CANCELLED");
    shop.assert_books_equal_payments();
}

#[test]
fn a_refund_without_an_answer_is_pending_and_found_out() {
    let server = Setup::new().start();
    let shop = server.shop();
    let id = shop.authorise(cards::SILENT_LATER).id();
    let answer = shop.refund(&id, 400);
    assert!(
        matches!(answer.status(), "SUCCEEDED" | "REFUND_PENDING"),
        "{}",
        answer.0
    );
    assert_eq!(answer.at("/refundedAmount"), &Value::Null);
    assert_eq!(answer.at("/refunds/0/status"), &json!("PENDING"));
    let refunded = shop.wait_for_status(&id, "PARTIAL_REFUNDED");
    assert_eq!(refunded.number("/refundedAmount"), 400);
    shop.assert_books_equal_payments();
}

#[test]
fn a_refund_without_an_answer_reserves_its_amount() {
    let server = Setup::new()
        .config("[recovery]\nschedule = [\"1h\"]\n")
        .start();
    let shop = server.shop();
    let id = shop.authorise(cards::SILENT_LATER).id();
    shop.refund(&id, 700);
    let answer = shop.try_refund(&id, json!(301));
    assert!(!answer.errors().is_empty(), "{}", answer.json());
    shop.wait_for_status(&id, "PARTIAL_REFUNDED");
    shop.assert_books_equal_payments();
}

#[test]
fn later_operations_without_an_answer_survive_a_kill() {
    let mut server = Setup::new().start();
    let shop = server.shop();
    let refunded = shop.authorise(cards::SILENT_LATER).id();
    shop.refund(&refunded, 1000);
    let captured = shop.authorise_later(cards::SILENT_LATER).id();
    shop.try_capture(&captured, Value::Null).data();
    server.kill();
    server.restart();
    let shop = server.shop();
    shop.wait_for_status(&refunded, "REFUNDED");
    shop.wait_for_status(&captured, "SUCCEEDED");
    shop.assert_books_equal_payments();
}
