//! Life times: when one ends the processor is asked, and its answer counts.

use testkit::{Setup, cards};

#[test]
fn an_authorisation_that_nobody_captures_is_cancelled_at_the_processor_too() {
    let server = Setup::new()
        .setting("limits.authorisation_lifetime", "4s")
        .start();
    let shop = server.shop();
    let payment = shop.authorise_later(cards::VISA);
    payment.assert_status("AUTHORISED");
    shop.wait_for_status(&payment.id(), "CANCELLED");
    assert!(shop.books().of(&payment)[0].cancelled);
    shop.assert_books_equal_payments();
}

#[test]
fn what_was_captured_in_time_stays() {
    let server = Setup::new()
        .setting("limits.authorisation_lifetime", "8s")
        .start();
    let shop = server.shop();
    let forgotten = shop.authorise_later(cards::VISA).id();
    let captured = shop.authorise_later(cards::VISA).id();
    let sold = shop.authorise(cards::VISA).id();
    shop.capture(&captured).assert_status("SUCCEEDED");
    shop.wait_for_status(&forgotten, "CANCELLED");
    shop.payment(&captured).assert_status("SUCCEEDED");
    shop.payment(&sold).assert_status("SUCCEEDED");
    shop.assert_books_equal_payments();
}

#[test]
fn a_timer_never_decides_when_the_processor_refuses_the_payment_stays() {
    let server = Setup::new()
        .setting("limits.authorisation_lifetime", "1s")
        .start();
    let shop = server.shop();
    let stubborn = shop.authorise_later(cards::STUBBORN).id();
    let other = shop.authorise_later(cards::VISA).id();
    shop.wait_for_status(&other, "CANCELLED");
    shop.payment(&stubborn).assert_status("AUTHORISED");
    shop.assert_books_equal_payments();
}

#[test]
fn a_life_time_that_ended_while_the_service_was_down_is_noticed_after_the_start() {
    let mut server = Setup::new()
        .setting("limits.authorisation_lifetime", "1s")
        .start();
    let id = server.shop().authorise_later(cards::VISA).id();
    server.kill();
    server.restart();
    server.shop().wait_for_status(&id, "CANCELLED");
    server.shop().assert_books_equal_payments();
}
