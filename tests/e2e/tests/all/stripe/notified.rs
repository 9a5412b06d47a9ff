//! What Stripe reports by itself.

use serde_json::json;
use testkit::{cards, http::Request};

use super::{Desk, hold, sale};

#[test]
fn a_refund_that_fails_days_after_it_succeeded_goes_back() {
    let desk = Desk::notified();
    let paid = desk.shop.order(&sale("4000000000005126"));
    assert_eq!(desk.shop.refund(&paid.id(), 1000).status(), "REFUNDED");
    desk.stripe.post("/_sim/clock", "advance=10");
    let back = desk.shop.wait_for_status(&paid.id(), "SUCCEEDED");
    assert_eq!(back.number("/capturedAmount"), 1000);
    assert_eq!(desk.taken_and_given_back(), (1000, 0));
}

#[test]
fn a_pending_refund_ends_by_its_notification() {
    let desk = Desk::notified();
    let paid = desk.shop.order(&sale("4000000000007726"));
    assert_eq!(desk.shop.refund(&paid.id(), 400).status(), "REFUND_PENDING");
    desk.stripe.post("/_sim/clock", "advance=10");
    desk.shop.wait_for_status(&paid.id(), "PARTIAL_REFUNDED");
}

#[test]
fn a_lost_answer_is_settled_by_the_notification_before_any_look_up() {
    let desk = Desk::notified();
    desk.break_next("lost-after", 1, "/v1/payment_intents/pi_");
    let unknown = desk.shop.order(&sale(cards::VISA));
    let paid = desk.shop.wait_for_status(&unknown.id(), "SUCCEEDED");
    assert_eq!(paid.text("/paymentCore/outcome/riskLevel"), "normal");
    assert_eq!(desk.taken_and_given_back(), (1000, 0));
}

#[test]
fn a_capture_is_reported_once_and_its_copies_change_nothing() {
    let desk = Desk::notified();
    desk.stripe
        .post("/_sim/faults", "fault=hook-twice&times=100");
    let held = desk.shop.order(&hold(cards::VISA));
    desk.shop.capture(&held.id());
    desk.stripe.post("/_sim/clock", "advance=1");
    let stood = desk.shop.payment(&held.id());
    assert_eq!(stood.status(), "SUCCEEDED");
    assert_eq!(stood.number("/capturedAmount"), 1000);
}

#[test]
fn what_stripe_did_not_sign_has_no_effect() {
    let desk = Desk::notified();
    desk.stripe
        .post("/_sim/faults", "fault=hook-forged&times=100");
    let paid = desk.shop.order(&sale(cards::VISA));
    let url = desk.save(None)["notificationUrl"]
        .as_str()
        .unwrap()
        .to_owned();
    let path = &url[url.find("/notifications/").unwrap()..];
    let body =
        json!({"id": "evt_forged", "object": "event", "type": "refund.failed", "livemode": false})
            .to_string();
    let forged = Request::new("POST", path)
        .header("Stripe-Signature", "t=1,v1=00")
        .body(body.as_bytes())
        .send(desk.server.address());
    assert_eq!(forged.status, 401, "{}", forged.text());
    assert_eq!(desk.shop.payment(&paid.id()).status(), "SUCCEEDED");
}

#[test]
fn an_authorisation_that_stripe_lets_expire_is_cancelled_here() {
    let desk = Desk::notified();
    let held = desk.shop.order(&hold(cards::VISA));
    desk.stripe.post("/_sim/clock", "advance=700000");
    desk.shop.wait_for_status(&held.id(), "CANCELLED");
}

#[test]
fn a_payment_that_somebody_else_made_at_the_account_can_be_imported() {
    let desk = Desk::notified();
    desk.import_at(&desk.shop, "stripe");
    desk.stripe.post(
        "/v1/payment_intents",
        "amount=4200&currency=eur&confirm=true&payment_method=pm_card_visa&payment_method_types[]=card",
    );
    let imported = testkit::until(testkit::PATIENCE, "the payment is imported", || {
        desk.shop.every_payment().into_iter().next()
    });
    assert_eq!(imported.text("/paymentProcessingOrigin"), "IMPORT");
    assert_eq!(imported.number("/capturedAmount"), 4200);
}

#[test]
fn an_intent_that_is_cancelled_at_stripe_leaves_the_authorisation_of_another_attempt_alone() {
    let desk = Desk::notified();
    let steps = json!([
        {"authorise": {"connection": "stripe", "fallback": {"to": ["simulator-b"]}}},
        {"capture": "api"},
    ]);
    desk.shop.publish("stripe-then-held", steps);
    // Stripe declines it softly, the sandbox's simulator takes it.
    let order = hold("4000000000000341").flow("stripe-then-held");
    let held = desk.shop.order(&order);
    held.assert_status("AUTHORISED");
    assert_eq!(held.text("/connectionId"), "simulator-b");
    let intent = desk.at_stripe("payment_intents")[0]["id"].clone();
    let path = format!("/v1/payment_intents/{}/cancel", intent.as_str().unwrap());
    desk.stripe.post(&path, "");
    desk.became_of("payment_intent.canceled");
    assert_eq!(desk.shop.payment(&held.id()).status(), "AUTHORISED");
}

#[test]
fn a_charge_with_copied_metadata_is_none_of_our_payment() {
    let desk = Desk::notified();
    let declined = desk.shop.order(&sale("4000000000000002"));
    declined.assert_status("DECLINED");
    let ours = desk.at_stripe("payment_intents")[0].clone();
    let reference = ours["metadata"]["pointsman"].as_str().unwrap();
    let form = format!(
        "amount=1000&currency=eur&confirm=true&payment_method=pm_card_visa&payment_method_types[]=card&metadata[pointsman]={reference}"
    );
    desk.stripe.post("/v1/payment_intents", &form);
    assert_eq!(desk.became_of("charge.succeeded"), "UNKNOWN_PAYMENT");
    assert_eq!(desk.shop.payment(&declined.id()).status(), "DECLINED");
    assert_eq!(
        desk.taken_and_given_back(),
        (1000, 0),
        "nothing of it is given back"
    );
}
