//! A payment's life at Adyen.

use serde_json::json;
use testkit::cards;

use super::{Desk, hold, sale};

#[test]
fn a_sale_is_captured_at_once_and_refunded_in_parts_that_notifications_end() {
    let desk = Desk::open();
    let paid = desk.shop.order(&sale(cards::VISA));
    paid.assert_status("SUCCEEDED");
    assert_eq!(paid.text("/sourceId").len(), 16, "{paid:?}");
    assert_eq!(paid.text("/paymentGateway/id"), "adyen");
    assert_eq!(
        paid.text("/paymentCore/outcome/networkStatus"),
        "AUTHORISED"
    );
    assert_eq!(paid.text("/country"), "NL");
    assert_eq!(desk.shop.refund(&paid.id(), 300).status(), "REFUND_PENDING");
    desk.advance(2);
    desk.shop.wait_for_status(&paid.id(), "PARTIAL_REFUNDED");
    desk.shop.refund(&paid.id(), 700);
    desk.advance(2);
    desk.shop.wait_for_status(&paid.id(), "REFUNDED");
    desk.shop
        .try_refund(&paid.id(), json!(1))
        .assert_error("error.refund.invalid-status");
    assert_eq!(desk.taken_and_given_back(), (1000, 1000));
}

#[test]
fn an_authorisation_is_captured_in_part_or_cancelled() {
    let desk = Desk::open();
    let held = desk.shop.order(&hold(cards::VISA));
    held.assert_status("AUTHORISED");
    desk.shop.try_capture(&held.id(), json!(600));
    desk.advance(2);
    let captured = desk.shop.wait_for_status(&held.id(), "SUCCEEDED");
    assert_eq!(captured.number("/capturedAmount"), 600);
    let cancelled = desk.shop.order(&hold(cards::VISA));
    desk.shop.try_cancel(&cancelled.id());
    desk.advance(2);
    desk.shop.wait_for_status(&cancelled.id(), "CANCELLED");
    assert_eq!(desk.taken_and_given_back(), (600, 0));
}

#[test]
fn a_decline_has_our_code_and_the_processor_s_own() {
    let desk = Desk::open();
    for (number, code, kind, own) in [
        ("4000000000000002", "GENERAL_DECLINE", "HARD", "2 (Refused)"),
        (
            "4000000000009995",
            "INSUFFICIENT_FUNDS",
            "SOFT",
            "12 (Not enough balance)",
        ),
        (
            "4000000000000069",
            "EXPIRED_CARD",
            "HARD",
            "6 (Expired Card)",
        ),
        (
            "4000000000000127",
            "INVALID_CVC",
            "HARD",
            "24 (CVC Declined)",
        ),
        ("4100000000000019", "FRAUD", "HARD", "20 (FRAUD)"),
    ] {
        let declined = desk.shop.order(&sale(number));
        declined.assert_status("DECLINED");
        let outcome = declined.at("/paymentCore/outcome");
        assert_eq!(outcome["declineCode"], code, "{number}");
        assert_eq!(outcome["declineType"], kind, "{number}");
        assert_eq!(outcome["processorDeclineCode"], own, "{number}");
    }
    assert_eq!(desk.taken_and_given_back(), (0, 0));
}

#[test]
fn an_amount_that_adyen_can_not_express_is_refused_before_anything_is_sent() {
    let desk = Desk::open();
    for (amount, currency) in [(5_050, "IDR"), (5_001, "CVE")] {
        let order = sale(cards::VISA).amount(amount).currency(currency);
        let refused = desk.shop.try_authorise(&order, None);
        refused.assert_invalid("amount");
        let reason = refused.extension("reason").to_string();
        assert!(reason.contains("decimals"), "{reason}");
    }
    assert_eq!(desk.payments().len(), 0);
    let paid = desk
        .shop
        .order(&sale(cards::VISA).amount(500).currency("ISK"));
    paid.assert_status("SUCCEEDED");
    assert_eq!(
        desk.payments()[0]["amount"],
        json!({"value": 50_000, "currency": "ISK"})
    );
}

#[test]
fn credentials_of_live_mode_and_of_other_forms_are_not_kept() {
    let desk = Desk::open();
    for wrong in [
        json!({"livePrefix": "secret-Shop"}),
        json!({"apiKey": "test_secret"}),
        json!({"hmacKey": "secret"}),
    ] {
        let refused = desk.try_save(&wrong);
        refused.assert_invalid("credentials");
        assert!(!refused.json().to_string().contains("secret"), "{wrong}");
    }
    // The probe is refused.
    let refused = desk.try_save(&json!({"apiKey": "wrong_key"}));
    refused.assert_invalid("credentials");
    desk.shop
        .order(&sale(cards::VISA))
        .assert_status("SUCCEEDED");
}
