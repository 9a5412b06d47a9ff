//! A payment's life at Stripe.

use serde_json::json;
use testkit::cards;

use super::{Desk, hold, sale};

#[test]
fn a_sale_is_captured_and_refunded_in_parts_and_every_field_that_stripe_knows_is_there() {
    let desk = Desk::quiet();
    let paid = desk.shop.order(&sale(cards::VISA));
    paid.assert_status("SUCCEEDED");
    assert!(paid.text("/sourceId").starts_with("pi_"), "{paid:?}");
    assert_eq!(paid.text("/paymentGateway/id"), "stripe");
    let outcome = paid.at("/paymentCore/outcome");
    assert_eq!(outcome["networkStatus"], "approved_by_network");
    assert_eq!(outcome["riskLevel"], "normal");
    assert_eq!(outcome["riskScore"], json!(20.0));
    assert_eq!(paid.text("/paymentMethodDetails/type"), "CREDIT");
    assert_eq!(paid.text("/country"), "US");
    assert_eq!(
        paid.text("/paymentDetails/statementDescriptor"),
        "SIMULATOR"
    );
    let query = "query($id: ID!) { getPayment(id: $id) { paymentDetails { fee { rawAmount } net { rawAmount } } } }";
    let details = desk.shop.gql(query, json!({"id": paid.id()}));
    let details = &details.root()["paymentDetails"];
    let (fee, net) = (&details["fee"]["rawAmount"], &details["net"]["rawAmount"]);
    assert_eq!(fee.as_i64().unwrap() + net.as_i64().unwrap(), 1000);
    assert_eq!(
        desk.shop.refund(&paid.id(), 300).status(),
        "PARTIAL_REFUNDED"
    );
    assert_eq!(desk.shop.refund(&paid.id(), 700).status(), "REFUNDED");
    desk.shop
        .try_refund(&paid.id(), json!(1))
        .assert_error("error.refund.invalid-status");
    assert_eq!(desk.taken_and_given_back(), (1000, 1000));
}

#[test]
fn an_authorisation_is_captured_in_part_or_cancelled() {
    let desk = Desk::quiet();
    let held = desk.shop.order(&hold(cards::VISA));
    held.assert_status("AUTHORISED");
    let captured = desk.shop.try_capture(&held.id(), json!(600));
    assert_eq!(captured.root()["status"], "SUCCEEDED");
    assert_eq!(captured.root()["capturedAmount"], json!(600));
    let cancelled = desk.shop.order(&hold(cards::VISA));
    assert_eq!(desk.shop.cancel(&cancelled.id()).status(), "CANCELLED");
    assert_eq!(desk.taken_and_given_back(), (600, 0));
}

#[test]
fn a_decline_has_our_code_and_the_processor_s_own() {
    let desk = Desk::quiet();
    for (number, code, kind, own) in [
        (
            "4000000000000002",
            "GENERAL_DECLINE",
            "SOFT",
            "generic_decline",
        ),
        (
            "4000000000009995",
            "INSUFFICIENT_FUNDS",
            "SOFT",
            "insufficient_funds",
        ),
        (
            "4000000000009979",
            "LOST_RESTRICTED_OR_STOLEN_CARD",
            "HARD",
            "stolen_card",
        ),
        ("4000000000000069", "EXPIRED_CARD", "HARD", "expired_card"),
        ("4000000000000127", "INVALID_CVC", "SOFT", "incorrect_cvc"),
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
fn an_amount_that_stripe_can_not_express_is_refused_before_anything_is_sent() {
    let desk = Desk::quiet();
    for (amount, currency, part) in [
        (5_124, "KWD", "end with 0"),
        (500, "UGX", "currency"),
        (100_000_000, "EUR", "above"),
    ] {
        let order = sale(cards::VISA).amount(amount).currency(currency);
        let refused = desk.shop.try_authorise(&order, None);
        refused.assert_invalid("amount");
        let reason = refused.extension("reason").to_string();
        assert!(reason.contains(part), "{reason}");
    }
    let held = desk
        .shop
        .order(&hold(cards::VISA).amount(5_120).currency("KWD"));
    desk.shop
        .try_capture(&held.id(), json!(5_124))
        .assert_error("error.capture.amount-exceeds-authorised");
    desk.shop
        .try_capture(&held.id(), json!(1_001))
        .assert_invalid("amount");
    assert_eq!(desk.shop.payment(&held.id()).status(), "AUTHORISED");
    assert_eq!(desk.at_stripe("payment_intents").len(), 1);
}

#[test]
fn a_key_of_live_mode_and_a_publishable_one_are_not_kept() {
    let desk = Desk::quiet();
    for key in ["sk_live_1", "pk_test_1"] {
        let query = "mutation($settings: JSON!, $key: String!) { saveConnection(id: \"stripe\", processor: \"stripe\", \
            name: \"Stripe\", settings: $settings, credentials: {secretKey: $key}) { id } }";
        let variables = json!({"settings": {"base_url": desk.stripe.url()}, "key": key});
        let refused = desk.shop.gql(query, variables);
        refused.assert_invalid("credentials");
        assert!(!refused.json().to_string().contains(key));
    }
    desk.shop
        .order(&sale(cards::VISA))
        .assert_status("SUCCEEDED");
}

#[test]
fn an_authorisation_is_captured_in_parts_and_its_rest_is_released() {
    let desk = Desk::quiet();
    let held = desk.shop.order(&hold(cards::VISA));
    let capture = "mutation($id: ID!, $amount: Long, $final: Boolean) { capturePayment(id: $id, amount: $amount, final: $final) { \
        status capturedAmount } }";
    let part = |amount: i64, is_final: bool| {
        let variables = json!({"id": held.id(), "amount": amount, "final": is_final});
        desk.shop.gql(capture, variables).root().clone()
    };
    assert_eq!(
        part(300, false),
        json!({"status": "AUTHORISED", "capturedAmount": 300})
    );
    assert_eq!(
        part(300, false),
        json!({"status": "AUTHORISED", "capturedAmount": 600})
    );
    assert_eq!(
        part(200, true),
        json!({"status": "SUCCEEDED", "capturedAmount": 800})
    );
    assert_eq!(
        desk.shop.refund(&held.id(), 500).status(),
        "PARTIAL_REFUNDED"
    );
    assert_eq!(desk.taken_and_given_back(), (800, 500));
}
