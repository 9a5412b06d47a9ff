//! Outcomes that nobody knows at first: one charge, whatever happens between the request and its answer.

use serde_json::json;
use testkit::{PATIENCE, Setup, cards, until};

use super::{Desk, hold, sale};

fn impatient() -> Setup {
    Setup::new().setting("recovery.schedule", "[\"200ms\"]")
}

#[test]
fn a_lost_answer_to_what_charges_is_looked_up_and_never_sent_again() {
    for fault in ["lost-after", "error-after", "html", "cut=10"] {
        let desk = Desk::on(impatient());
        desk.break_next(fault, 1, "/v1/payment_intents/pi_");
        let unknown = desk.shop.order(&sale(cards::VISA));
        unknown.assert_status("NO_ANSWER_FROM_PSP");
        let paid = desk.shop.wait_for_status(&unknown.id(), "SUCCEEDED");
        assert!(paid.text("/sourceId").starts_with("pi_"));
        assert_eq!(desk.at_stripe("charges").len(), 1, "{fault}");
        assert_eq!(desk.taken_and_given_back(), (1000, 0), "{fault}");
    }
}

#[test]
fn a_lost_answer_to_what_can_not_charge_is_no_unknown_outcome() {
    for fault in ["lost-after", "lost-before", "error-after", "error-before"] {
        let desk = Desk::quiet();
        desk.break_next(fault, 1, "/v1/payment_intents");
        let failed = desk.shop.order(&sale(cards::VISA));
        failed.assert_status("FAILED");
        assert_eq!(desk.taken_and_given_back(), (0, 0), "{fault}");
    }
}

#[test]
fn an_authorisation_that_stripe_refused_for_its_load_goes_elsewhere() {
    let desk = Desk::quiet();
    let steps =
        json!([{"authorise": {"connection": "stripe", "fallback": {"to": ["simulator-b"]}}}]);
    desk.shop.publish("stripe-then-simulator", steps);
    desk.break_next("rate-limit", 1, "/v1/payment_intents/pi_");
    let paid = desk
        .shop
        .order(&sale(cards::VISA).flow("stripe-then-simulator"));
    paid.assert_status("SUCCEEDED");
    assert_eq!(paid.text("/connectionId"), "simulator-b");
    assert_eq!(desk.taken_and_given_back(), (0, 0));
}

#[test]
fn lost_answers_to_captures_and_refunds_are_found_out() {
    let desk = Desk::on(impatient());
    let held = desk.shop.order(&hold(cards::VISA));
    desk.break_next("lost-after", 1, "/v1/payment_intents/pi_");
    desk.shop.try_capture(&held.id(), json!(700));
    let captured = desk.shop.wait_for_status(&held.id(), "SUCCEEDED");
    assert_eq!(captured.number("/capturedAmount"), 700);
    desk.break_next("lost-after", 1, "/v1/refunds");
    desk.shop.try_refund(&held.id(), json!(700));
    desk.shop.wait_for_status(&held.id(), "REFUNDED");
    assert_eq!(desk.taken_and_given_back(), (700, 700));
}

#[test]
fn a_crash_between_the_request_and_its_answer_leaves_one_charge() {
    let mut desk = Desk::on(impatient());
    // The answer of the confirmation stays away, and the process dies meanwhile.
    desk.break_next("slow=20000", 1, "/v1/payment_intents/pi_");
    let shop = desk.shop.clone();
    let request = shop.authorise_request(&sale(cards::VISA), Some("crash-1"));
    let address = desk.server.address();
    let asked = std::thread::spawn(move || drop(request.try_send(address)));
    until(PATIENCE, "Stripe has charged", || {
        (desk.taken_and_given_back() == (1000, 0)).then_some(())
    });
    desk.server.kill();
    asked.join().unwrap();
    desk.server.restart();
    desk.shop = desk.server.shop();
    let all = desk.shop.every_payment();
    assert_eq!(all.len(), 1);
    desk.shop.wait_for_status(&all[0].id(), "SUCCEEDED");
    let again = desk.shop.try_authorise(&sale(cards::VISA), Some("crash-1"));
    assert_eq!(again.root()["id"], json!(all[0].id()));
    assert_eq!(desk.at_stripe("charges").len(), 1);
}
