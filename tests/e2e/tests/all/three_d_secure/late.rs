//! Customers who come late, or never.

use testkit::{Onward, Order, Setup, cards};

use super::BACK;
use crate::shared;

#[test]
fn who_does_not_come_in_time_is_declined_and_charged_nothing() {
    let server = Setup::new()
        .setting("limits.three_d_secure_lifetime", "4s")
        .start();
    let shop = server.shop();
    let detour = shop.challenged(&Order::card(cards::CHALLENGE).three_ds(BACK));
    let payment = shop.wait_for_status(&detour.id, "DECLINED");
    assert_eq!(payment.decline_code(), "THREE_D_SECURE");
    assert!(
        payment.titles().iter().any(|title| title == "Giving up"),
        "{:?}",
        payment.titles()
    );
    let page = shop.visit(&detour.url);
    assert_eq!(page.status, 200);
    assert!(page.text().contains("This is over"), "{}", page.text());
    // The decision at the page counts no more, and the customer learns so on the way back.
    let onward = shop.decide_and_return(&detour, "complete");
    onward.assert_parameters(&[
        ("id", &detour.id),
        ("3ds_status", "FAILED"),
        ("decline_code", "THREE_D_SECURE"),
    ]);
    shop.payment(&detour.id).assert_status("DECLINED");
    assert_eq!(shop.books().charges(), 0);
    shop.assert_books_equal_payments();
}

#[test]
fn a_return_that_is_late_charges_nothing() {
    let server = Setup::new()
        .setting("limits.three_d_secure_lifetime", "8s")
        .start();
    let shop = server.shop();
    let detour = shop.challenged(&Order::card(cards::CHALLENGE_THEN_DECLINED).three_ds(BACK));
    let other = shop.challenged(&Order::card(cards::CHALLENGE).three_ds(BACK));
    let back = shop.decide(&other, "complete");
    shop.wait_for_status(&detour.id, "DECLINED");
    // It was either completed before its time was over (on a look-up) or given up; the two never mix.
    let settled = testkit::until(testkit::PATIENCE, "the other payment settles", || {
        Some(shop.payment(&other.id)).filter(|payment| payment.status() != "NEEDS_3D_SECURE")
    });
    let expected = if settled.status() == "SUCCEEDED" {
        "COMPLETED"
    } else {
        "FAILED"
    };
    let onward = Onward::of(&shop.visit(&back));
    assert_eq!(
        onward.parameter("3ds_status"),
        Some(expected),
        "{} {}",
        onward.url,
        settled.0
    );
    shop.assert_books_equal_payments();
}

#[test]
fn who_passed_but_never_came_back_is_found_when_the_payment_is_read() {
    let shop = shared::shop();
    let detour = shop.challenged(&Order::card(cards::CHALLENGE).three_ds(BACK));
    let back = shop.decide(&detour, "complete");
    let payment = shop.payment(&detour.id);
    payment.assert_status("SUCCEEDED");
    assert_eq!(payment.text("/eci"), "05");
    Onward::of(&shop.visit(&back))
        .assert_parameters(&[("id", &detour.id), ("3ds_status", "COMPLETED")]);
    shop.assert_books_agree_on(&detour.id);
}

#[test]
fn who_failed_and_never_came_back_is_found_too() {
    let shop = shared::shop();
    let detour = shop.challenged(&Order::card(cards::CHALLENGE).three_ds(BACK));
    shop.decide(&detour, "fail");
    let payment = shop.payment(&detour.id);
    payment.assert_status("DECLINED");
    assert_eq!(payment.decline_code(), "THREE_D_SECURE");
    shop.assert_books_agree_on(&detour.id);
}

#[test]
fn nobody_needs_to_read_it_the_service_looks_by_itself() {
    let server = Setup::new()
        .config("[recovery]\nschedule = [\"500ms\", \"1s\", \"2s\", \"4s\"]\n")
        .start();
    let shop = server.shop();
    let detour = shop.challenged(&Order::card(cards::CHALLENGE).three_ds(BACK));
    shop.decide(&detour, "complete");
    // The list looks nothing up.
    let listed = testkit::until(testkit::PATIENCE, "the service finds out by itself", || {
        shop.every_payment()
            .into_iter()
            .find(|payment| payment.status() == "SUCCEEDED")
    });
    assert_eq!(listed.id(), detour.id);
    shop.assert_books_equal_payments();
}
