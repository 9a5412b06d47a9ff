//! Outcomes that nobody knows at first: one charge, whatever happens between the request and its answer.

use serde_json::json;
use testkit::{PATIENCE, Setup, cards, until};

use super::{Desk, hold, sale};

fn impatient() -> Setup {
    Setup::new().setting("recovery.schedule", "[\"200ms\"]")
}

#[test]
fn a_lost_answer_is_never_sent_again_nor_elsewhere() {
    for fault in ["lost-after", "error-after", "html", "cut=10"] {
        let desk = Desk::on(impatient());
        let steps =
            json!([{"authorise": {"connection": "adyen", "fallback": {"to": ["simulator-b"]}}}]);
        desk.shop.publish("adyen-then-simulator", steps);
        desk.break_next(fault, 1, "/v72/payments");
        let order = sale(cards::VISA).flow("adyen-then-simulator");
        let unknown = desk.shop.order(&order);
        let paid = desk.shop.wait_for_status(&unknown.id(), "SUCCEEDED");
        assert_eq!(paid.text("/connectionId"), "adyen", "{fault}");
        assert_eq!(desk.payments().len(), 1, "{fault}");
        assert_eq!(desk.taken_and_given_back(), (1000, 0), "{fault}");
    }
}

#[test]
fn lost_answers_to_captures_and_refunds_are_found_out() {
    let desk = Desk::on(impatient());
    let held = desk.shop.order(&hold(cards::VISA));
    desk.break_next("lost-after", 1, "/v72/payments/");
    desk.shop.try_capture(&held.id(), json!(700));
    desk.advance(2);
    let captured = desk.shop.wait_for_status(&held.id(), "SUCCEEDED");
    assert_eq!(captured.number("/capturedAmount"), 700);
    desk.break_next("lost-after", 1, "/v72/payments/");
    desk.shop.try_refund(&held.id(), json!(700));
    desk.advance(2);
    desk.shop.wait_for_status(&held.id(), "REFUNDED");
    assert_eq!(desk.taken_and_given_back(), (700, 700));
}

#[test]
fn a_change_that_never_arrived_is_sent_again_under_the_same_key() {
    let desk = Desk::on(impatient());
    let held = desk.shop.order(&hold(cards::VISA));
    desk.break_next("lost-before", 1, "/v72/payments/");
    desk.shop.try_capture(&held.id(), json!(1000));
    // A key of calls that is rotated meanwhile changes nothing of it.
    desk.save(&json!({"apiKey": "AQE_secret_2"}));
    until(PATIENCE, "it is captured", || {
        desk.advance(2);
        (desk.taken_and_given_back() == (1000, 0)).then_some(())
    });
    desk.shop.wait_for_status(&held.id(), "SUCCEEDED");
    assert_eq!(desk.payments()[0]["captures"], 1);
}

#[test]
fn a_crash_between_the_request_and_its_answer_leaves_one_charge() {
    let mut desk = Desk::on(impatient());
    // The answer stays away, and the process dies meanwhile.
    desk.break_next("slow=20000", 1, "/v72/payments");
    let shop = desk.shop.clone();
    let request = shop.authorise_request(&sale(cards::VISA), Some("crash-1"));
    let address = desk.server.address();
    let asked = std::thread::spawn(move || drop(request.try_send(address)));
    until(PATIENCE, "Adyen has charged", || {
        (desk.taken_and_given_back() == (1000, 0)).then_some(())
    });
    desk.server.kill();
    asked.join().unwrap();
    desk.restart();
    let all = desk.shop.every_payment();
    assert_eq!(all.len(), 1);
    // What nobody took is sent again.
    until(PATIENCE, "the notification is sent again", || {
        desk.advance(30);
        (desk.shop.payment(&all[0].id()).status() == "SUCCEEDED").then_some(())
    });
    let again = desk.shop.try_authorise(&sale(cards::VISA), Some("crash-1"));
    assert_eq!(again.root()["id"], json!(all[0].id()));
    assert_eq!(desk.payments().len(), 1);
}
