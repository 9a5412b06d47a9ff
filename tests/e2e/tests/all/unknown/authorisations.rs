//! Authorisations that the processor did not answer.

use serde_json::{Value, json};
use testkit::{Order, PATIENCE, Setup, cards, until};

#[test]
fn a_charge_without_an_answer_is_found_out_by_itself() {
    let server = Setup::new().start();
    let shop = server.shop();
    let payment = shop.authorise(cards::UNKNOWN_CHARGED);
    payment.assert_status("NO_ANSWER_FROM_PSP");
    assert_eq!(payment.at("/capturedAmount"), &Value::Null);
    // The list reads and asks nobody: what it shows, a job has found out.
    let settled = until(PATIENCE, "the first look-up", || {
        shop.every_payment()
            .into_iter()
            .find(|payment| payment.status() != "NO_ANSWER_FROM_PSP")
    });
    settled.assert_status("SUCCEEDED");
    assert_eq!(settled.number("/capturedAmount"), 1000);
    assert_eq!(shop.books().charges(), 1);
    shop.assert_books_equal_payments();
}

#[test]
fn nothing_charged_without_an_answer_is_found_out_by_itself() {
    let server = Setup::new().start();
    let shop = server.shop();
    shop.authorise(cards::UNKNOWN_NOT_CHARGED)
        .assert_status("NO_ANSWER_FROM_PSP");
    let settled = until(PATIENCE, "the first look-up", || {
        shop.every_payment()
            .into_iter()
            .find(|payment| payment.status() != "NO_ANSWER_FROM_PSP")
    });
    settled.assert_status("FAILED");
    assert_eq!(shop.books().charges(), 0);
    shop.assert_books_equal_payments();
}

#[test]
fn a_read_looks_up_before_the_schedule_does() {
    let server = Setup::new()
        .config("[recovery]\nschedule = [\"1h\"]\n")
        .start();
    let shop = server.shop();
    for (card, status) in [
        (cards::UNKNOWN_CHARGED, "SUCCEEDED"),
        (cards::UNKNOWN_NOT_CHARGED, "FAILED"),
    ] {
        let id = shop.authorise(card).id();
        shop.wait_for_status(&id, status);
    }
    shop.assert_books_equal_payments();
}

#[test]
fn an_authorisation_to_be_captured_later_is_found_as_one() {
    let server = Setup::new().start();
    let shop = server.shop();
    let payment = shop.authorise_later(cards::UNKNOWN_CHARGED);
    payment.assert_status("NO_ANSWER_FROM_PSP");
    shop.wait_for_status(&payment.id(), "AUTHORISED");
    shop.capture(&payment.id()).assert_status("SUCCEEDED");
    shop.assert_books_equal_payments();
}

#[test]
fn while_it_is_unknown_nothing_can_be_done_with_it() {
    let server = Setup::new()
        .config("[recovery]\nschedule = [\"1h\"]\n")
        .start();
    let shop = server.shop();
    let id = shop.authorise_later(cards::UNKNOWN_CHARGED).id();
    for (answer, code) in [
        (
            shop.try_capture(&id, Value::Null),
            "error.capture.invalid-status",
        ),
        (shop.try_cancel(&id), "error.cancel.invalid-status"),
        (
            shop.try_refund(&id, Value::Null),
            "error.refund.invalid-status",
        ),
    ] {
        answer.assert_error(code);
        assert_eq!(answer.extension("status"), "NO_ANSWER_FROM_PSP");
    }
    shop.wait_for_status(&id, "AUTHORISED");
    shop.assert_books_equal_payments();
}

#[test]
fn it_is_never_sent_again_however_often_it_is_read() {
    let server = Setup::new().start();
    let shop = server.shop();
    let payment = shop.authorise(cards::UNKNOWN_CHARGED);
    for _ in 0..20 {
        shop.payment(&payment.id());
    }
    shop.wait_for_status(&payment.id(), "SUCCEEDED");
    assert_eq!(shop.books().of(&payment).len(), 1);
    shop.assert_books_equal_payments();
}

#[test]
fn the_timeline_tells_of_the_silence_and_of_the_look_up() {
    let server = Setup::new().start();
    let shop = server.shop();
    let payment = shop.authorise(cards::UNKNOWN_CHARGED);
    let before = payment
        .at("/paymentTimeline/overview")
        .as_array()
        .unwrap()
        .len();
    let after = shop.wait_for_status(&payment.id(), "SUCCEEDED");
    assert!(before >= 1);
    assert!(
        after
            .at("/paymentTimeline/overview")
            .as_array()
            .unwrap()
            .len()
            > before
    );
}

#[test]
fn an_unknown_outcome_survives_a_kill_and_is_found_out_afterwards() {
    let mut server = Setup::new().start();
    let charged = server.shop().authorise(cards::UNKNOWN_CHARGED).id();
    let not_charged = server.shop().authorise(cards::UNKNOWN_NOT_CHARGED).id();
    server.kill();
    server.restart();
    let shop = server.shop();
    shop.wait_for_status(&charged, "SUCCEEDED");
    shop.wait_for_status(&not_charged, "FAILED");
    shop.assert_books_equal_payments();
}

#[test]
fn a_kill_while_the_processor_is_silent_loses_nothing() {
    let mut server = Setup::new().start();
    let shop = server.shop();
    let request = shop.authorise_request(&Order::card(cards::UNKNOWN_CHARGED), Some("silent"));
    let address = shop.address();
    let caller = std::thread::spawn(move || request.try_send(address));
    until(PATIENCE, "the charge is in the books", || {
        (server.shop().books().charges() == 1).then_some(())
    });
    server.kill();
    assert!(caller.join().unwrap().is_err(), "no answer came");
    server.restart();
    let shop = server.shop();
    let settled = until(PATIENCE, "the payment is settled", || {
        shop.every_payment()
            .into_iter()
            .find(|payment| payment.status() == "SUCCEEDED")
    });
    let again = shop.try_authorise(&Order::card(cards::UNKNOWN_CHARGED), Some("silent"));
    assert_eq!(
        again.root()["id"],
        json!(settled.id()),
        "the same key leads to the same payment"
    );
    assert_eq!(shop.books().charges(), 1);
    shop.assert_books_equal_payments();
}
