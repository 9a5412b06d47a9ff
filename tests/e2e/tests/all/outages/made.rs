//! Payments whose outcome can't be stored.

use std::time::Duration;

use testkit::{Order, cards};

use super::{cut_off, field_of, names_a_payment, server};

#[test]
fn an_authorisation_is_reported_as_without_an_answer_and_charged_once() {
    let server = server();
    let order = Order::card(cards::VISA).flow("slow");
    let (answer, took) = cut_off(&server, Duration::from_secs(12), |shop| {
        shop.try_authorise(&order, None)
    });
    let id = names_a_payment(&answer, took);
    assert_eq!(field_of(&answer, "status"), "NO_ANSWER_FROM_PSP");
    let shop = server.shop();
    shop.wait_for_status(&id, "SUCCEEDED");
    assert_eq!(shop.books().charges(), 1);
    shop.assert_books_equal_payments();
}

#[test]
fn a_payment_without_a_flow_is_reported_so_too() {
    let server = server();
    let order = Order::card(cards::VISA).at("slow");
    let (answer, took) = cut_off(&server, Duration::from_secs(12), |shop| {
        shop.try_headless(&order, None)
    });
    let id = names_a_payment(&answer, took);
    assert_eq!(field_of(&answer, "status"), "NO_ANSWER_FROM_PSP");
    server.shop().wait_for_status(&id, "AUTHORISED");
    server.shop().assert_books_equal_payments();
}

#[test]
fn a_database_that_is_back_in_time_has_the_outcome_reported() {
    let server = server();
    let order = Order::card(cards::VISA).flow("slow");
    let (answer, _) = cut_off(&server, Duration::from_secs(3), |shop| {
        shop.try_authorise(&order, None)
    });
    assert_eq!(answer.root()["status"], "SUCCEEDED", "{}", answer.json());
    server.shop().assert_books_equal_payments();
}

#[test]
fn a_repeat_under_a_key_gets_the_outcome_of_the_first() {
    let server = server();
    let order = Order::card(cards::VISA).flow("slow");
    let (answer, took) = cut_off(&server, Duration::from_secs(12), |shop| {
        shop.try_authorise(&order, Some("once"))
    });
    let id = names_a_payment(&answer, took);
    let shop = server.shop();
    shop.wait_for_status(&id, "SUCCEEDED");
    let again = shop.try_authorise(&order, Some("once"));
    assert_eq!(again.root()["id"], id.as_str());
    assert_eq!(again.root()["status"], "SUCCEEDED");
    assert_eq!(shop.books().charges(), 1);
}
