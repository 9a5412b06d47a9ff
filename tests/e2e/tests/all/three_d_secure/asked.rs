//! Who asks for 3D Secure, and what an authentication without a challenge brings.

use serde_json::{Value, json};
use testkit::{Order, Payment, cards};

use super::BACK;
use crate::shared;

#[track_caller]
fn assert_authenticated(payment: &Payment, eci: &str) {
    assert_eq!(payment.text("/eci"), eci);
    assert!(
        payment.text("/threeDSecureVersion").starts_with("2."),
        "{}",
        payment.0
    );
    assert!(
        !payment.text("/threeDSecureAuthenticationResult").is_empty(),
        "{}",
        payment.0
    );
}

#[test]
fn asked_for_by_the_request_it_passes_without_a_challenge() {
    let shop = shared::shop();
    for (number, eci) in [
        (cards::VISA, "05"),
        (cards::AMEX, "05"),
        (cards::MASTERCARD, "02"),
    ] {
        let payment = shop.order(&Order::card(number).three_ds(BACK));
        payment.assert_status("SUCCEEDED");
        assert_authenticated(&payment, eci);
        assert_authenticated(&shop.payment(&payment.id()), eci);
        shop.assert_books_agree_on(&payment.id());
    }
}

#[test]
fn asked_for_by_the_flow_it_passes_without_a_challenge() {
    let payment = shared::shop().order(&Order::card(cards::VISA).flow("force-3ds"));
    payment.assert_status("SUCCEEDED");
    assert_authenticated(&payment, "05");
}

#[test]
fn asked_for_by_nobody_there_is_none() {
    let payment = shared::shop().authorise(cards::VISA);
    payment.assert_status("SUCCEEDED");
    for name in [
        "eci",
        "threeDSecureVersion",
        "threeDSecureAuthenticationResult",
    ] {
        assert_eq!(payment.0[name], Value::Null, "{name}: {}", payment.0);
    }
}

#[test]
fn a_stored_card_is_asked_for_it_too() {
    let shop = shared::shop();
    let passes = shop.tokenise(cards::VISA);
    assert_authenticated(&shop.order(&Order::token(&passes).three_ds(BACK)), "05");
    let demands = shop.tokenise(cards::CHALLENGE);
    let detour = shop.challenged(&Order::token(&demands).three_ds(BACK));
    shop.decide_and_return(&detour, "complete");
    shop.payment(&detour.id).assert_status("SUCCEEDED");
}

#[test]
fn the_issuer_demands_it_no_matter_who_asked() {
    let shop = shared::shop();
    for order in [
        Order::card(cards::CHALLENGE),
        Order::card(cards::CHALLENGE).three_ds(BACK),
        Order::card(cards::CHALLENGE).flow("force-3ds"),
        Order::card(cards::CHALLENGE).with("perform3DSecure", json!({})),
    ] {
        let detour = shop.challenged(&order);
        let payment = shop.payment(&detour.id);
        payment.assert_status("NEEDS_3D_SECURE");
        assert_eq!(payment.text("/paymentCore/outcome/type"), "ACTION_REQUIRED");
        assert_eq!(payment.text("/connectionId"), "simulator-a");
        assert_eq!(payment.0["eci"], Value::Null);
        assert!(
            payment
                .titles()
                .iter()
                .any(|title| title == "3D Secure is required"),
            "{:?}",
            payment.titles()
        );
        shop.assert_books_agree_on(&detour.id);
    }
}

#[test]
fn nobody_who_is_not_there_is_sent_to_a_page() {
    let shop = shared::shop();
    for order in [
        Order::card(cards::CHALLENGE),
        Order::card(cards::CHALLENGE)
            .three_ds(BACK)
            .flow("force-3ds"),
    ] {
        let payment = shop.order(&order.with("initiator", json!("MERCHANT")));
        payment.assert_status("DECLINED");
        assert_eq!(payment.decline_code(), "AUTHORIZATION_REQUIRED");
        assert_eq!(payment.text("/paymentCore/outcome/declineType"), "SOFT");
        shop.assert_books_agree_on(&payment.id());
    }
    // What the issuer does not demand goes through without the customer.
    let payment = shop.order(&Order::card(cards::VISA).with("initiator", json!("MERCHANT")));
    payment.assert_status("SUCCEEDED");
}

#[test]
fn headless_it_is_asked_for_and_demanded_in_the_same_way() {
    let shop = shared::shop();
    let headless = |number: &str, asks: bool| {
        Order::card(number)
            .with("paymentProcessorConnectionId", json!("simulator-b"))
            .with(
                "performHeadless3DSecure",
                json!({"redirectUrl": BACK, "perform3DSecure": asks}),
            )
    };
    let passed = shop.order(&headless(cards::VISA, true));
    passed.assert_status("AUTHORISED");
    assert_authenticated(&passed, "05");
    let plain = shop.order(&headless(cards::VISA, false));
    assert_eq!(plain.0["eci"], Value::Null);
    let detour = shop.challenged(&headless(cards::CHALLENGE, false));
    let onward = shop.decide_and_return(&detour, "complete");
    onward.assert_parameters(&[("id", &detour.id), ("3ds_status", "COMPLETED")]);
    let payment = shop.payment(&detour.id);
    payment.assert_status("AUTHORISED");
    assert_eq!(payment.text("/connectionId"), "simulator-b");
    shop.capture(&detour.id).assert_status("SUCCEEDED");
    shop.assert_books_agree_on(&detour.id);
}
