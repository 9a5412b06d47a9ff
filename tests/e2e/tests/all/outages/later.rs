//! Captures, cancellations and refunds that the processor has made while the database was away.

use std::time::Duration;

use serde_json::{Value, json};
use testkit::{Order, cards};

use super::{cut_off, field_of, names_a_payment, server};

const AWAY: Duration = Duration::from_secs(12);

#[test]
fn a_refund_is_reported_as_pending_and_made_once() {
    let server = server();
    let shop = server.shop();
    let id = shop.order(&Order::card(cards::VISA).flow("slow")).id();
    let (answer, took) = cut_off(&server, AWAY, |shop| shop.try_refund(&id, json!(300)));
    assert_eq!(names_a_payment(&answer, took), id);
    assert_eq!(field_of(&answer, "status"), "REFUND_PENDING");
    assert_eq!(field_of(&answer, "refunds")[0]["status"], "PENDING");
    let refunded = shop.wait_for_status(&id, "PARTIAL_REFUNDED");
    assert_eq!(refunded.number("/refundedAmount"), 300);
    shop.assert_books_equal_payments();
}

#[test]
fn a_capture_is_reported_with_its_payment() {
    let server = server();
    let shop = server.shop();
    let id = shop
        .order(&Order::card(cards::VISA).flow("slow-later"))
        .id();
    let (answer, took) = cut_off(&server, AWAY, |shop| shop.try_capture(&id, Value::Null));
    assert_eq!(names_a_payment(&answer, took), id);
    assert_eq!(field_of(&answer, "status"), "AUTHORISED");
    shop.wait_for_status(&id, "SUCCEEDED");
    shop.assert_books_equal_payments();
}

#[test]
fn a_cancellation_is_reported_with_its_payment() {
    let server = server();
    let shop = server.shop();
    let id = shop
        .order(&Order::card(cards::VISA).flow("slow-later"))
        .id();
    let (answer, took) = cut_off(&server, AWAY, |shop| shop.try_cancel(&id));
    assert_eq!(names_a_payment(&answer, took), id);
    shop.wait_for_status(&id, "CANCELLED");
    shop.assert_books_equal_payments();
}
