//! Authorising: flows, captured at once or later, declines.

use serde_json::{Value, json};
use testkit::{Order, Setup, cards};

use crate::shared;

#[test]
fn the_default_flow_captures_at_once() {
    let server = Setup::new().start();
    let shop = server.shop();
    let payment = shop.authorise(cards::VISA);
    payment.assert_status("SUCCEEDED");
    assert_eq!(payment.text("/flowId"), "default");
    let charge = shop.books().charge(&payment);
    assert_eq!(
        (charge.authorised, charge.captured, charge.refunded),
        (1000, 1000, 0)
    );
    assert_eq!(charge.connection, "simulator-a");
    shop.assert_books_equal_payments();
}

#[test]
fn a_flow_captured_by_the_api_leaves_the_payment_authorised() {
    let shop = shared::shop();
    let payment = shop.authorise_later(cards::VISA);
    payment.assert_status("AUTHORISED");
    assert_eq!(payment.at("/capturedAmount"), &Value::Null);
    let charge = shop.books().charge(&payment);
    assert_eq!((charge.authorised, charge.captured), (1000, 0));
}

#[test]
fn a_named_default_flow_is_the_default_flow_and_an_empty_name_none() {
    let shop = shared::shop();
    for flow in ["default", ""] {
        let payment = shop.order(&Order::card(cards::VISA).flow(flow));
        payment.assert_status("SUCCEEDED");
        assert_eq!(payment.text("/flowId"), "default");
    }
}

#[test]
fn an_unknown_flow_is_not_found_the_known_ones_are_named_and_nothing_is_charged() {
    let server = Setup::new().start();
    let shop = server.shop();
    let answer = shop.try_authorise(&Order::card(cards::VISA).flow("no-such-flow"), None);
    answer.assert_error("error.flow.not-found");
    for known in ["default", "capture-by-api"] {
        assert!(answer.message().contains(known), "{}", answer.message());
    }
    assert!(!answer.message().contains("no-such-flow"));
    assert!(shop.books().entries.is_empty());
    assert!(shop.every_payment().is_empty());
}

#[test]
fn a_decline_is_a_payment_and_no_error() {
    let shop = shared::shop();
    let answer = shop.try_authorise(&Order::card(cards::INSUFFICIENT_FUNDS), None);
    let payment = testkit::Payment(answer.root().clone());
    payment.assert_status("DECLINED");
    assert_eq!(
        payment.text("/paymentCore/outcome/declineCode"),
        "INSUFFICIENT_FUNDS"
    );
    assert_eq!(payment.text("/paymentCore/outcome/declineType"), "SOFT");
    assert_eq!(payment.at("/capturedAmount"), &Value::Null);
    assert_eq!(shop.payment(&payment.id()), payment);
    shop.assert_books_agree_on(&payment.id());
}

#[test]
fn a_technical_failure_is_failed_and_nothing_is_charged() {
    let shop = shared::shop();
    let payment = shop.authorise(cards::FAILED);
    payment.assert_status("FAILED");
    shop.assert_books_agree_on(&payment.id());
}

#[test]
fn without_a_key_each_request_is_a_payment_of_its_own() {
    let shop = shared::shop();
    let order = Order::card(cards::VISA).with("orderId", json!("order-1"));
    let (first, second) = (shop.order(&order), shop.order(&order));
    assert_ne!(first.id(), second.id());
    shop.assert_books_agree_on(&first.id());
    shop.assert_books_agree_on(&second.id());
}

#[test]
fn a_payment_can_be_read_with_and_without_its_prefix() {
    let shop = shared::shop();
    let payment = shop.authorise(cards::VISA);
    assert!(payment.id().starts_with("payments:"));
    assert_eq!(shop.payment(&payment.uuid()), payment);
    assert_eq!(shop.payment(&payment.id()), payment);
}

#[test]
fn an_unknown_payment_is_not_found() {
    for id in [
        "payments:0192a000-0000-7000-8000-000000000000",
        "payments:",
        "",
        "x",
        "payments:payments:1",
        "💳",
    ] {
        shared::shop()
            .try_payment(id)
            .assert_error("error.payment.not-found");
    }
}

#[test]
fn a_merchants_own_initiative_is_taken() {
    let shop = shared::shop();
    let token = shop.tokenise(cards::VISA);
    shop.order(&Order::token(&token).with("initiator", json!("MERCHANT")))
        .assert_status("SUCCEEDED");
}

#[test]
fn a_demand_for_3ds_that_nobody_can_meet_is_a_soft_decline() {
    let shop = shared::shop();
    let payment = shop.order(&Order::card("4000002760003184").with("initiator", json!("MERCHANT")));
    payment.assert_status("DECLINED");
    assert_eq!(
        payment.text("/paymentCore/outcome/declineCode"),
        "AUTHORIZATION_REQUIRED"
    );
    assert_eq!(payment.text("/paymentCore/outcome/declineType"), "SOFT");
    shop.assert_books_agree_on(&payment.id());
}

#[test]
fn a_payment_survives_a_stop_and_a_restart_unchanged() {
    let mut server = Setup::new().start();
    let before: Vec<_> = [cards::VISA, cards::GENERAL_DECLINE, cards::FAILED]
        .map(|card| server.shop().authorise(card))
        .to_vec();
    assert!(server.stop().success());
    server.restart();
    for payment in before {
        assert_eq!(server.shop().payment(&payment.id()), payment);
    }
    server.shop().assert_books_equal_payments();
}
