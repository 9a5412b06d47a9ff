//! Giving up in every status.

use serde_json::json;
use testkit::{KeyKind, Order, Setup, Shop, cards};

use crate::three_d_secure::BACK;

#[test]
fn a_challenge_is_given_up_at_the_processor_too() {
    let server = Setup::new().start();
    let shop = server.shop();
    let detour = shop.challenged(&Order::card(cards::CHALLENGE).three_ds(BACK));
    let payment = shop.abandon(&detour.id);
    payment.assert_status("DECLINED");
    assert_eq!(payment.decline_code(), "PAYMENT_CANCELLED");
    assert!(
        payment.titles().iter().any(|title| title == "Giving up"),
        "{:?}",
        payment.titles()
    );
    assert!(shop.visit(&detour.url).text().contains("This is over"));
    let onward = shop.decide_and_return(&detour, "complete");
    onward.assert_parameters(&[
        ("id", &detour.id),
        ("3ds_status", "FAILED"),
        ("decline_code", "PAYMENT_CANCELLED"),
    ]);
    shop.payment(&detour.id).assert_status("DECLINED");
    assert_eq!(shop.books().charges(), 0);
    shop.assert_books_equal_payments();
}

#[test]
fn an_alternative_method_is_cancelled() {
    let server = Setup::new().start();
    let shop = server.shop();
    let detour = shop.sent_to_method(&Order::method("WALLETC", BACK));
    shop.abandon(&detour.id).assert_status("CANCELLED");
    let onward = shop.decide_and_return(&detour, "complete");
    onward.assert_parameters(&[
        ("id", &detour.id),
        ("apm_status", "FAILED"),
        ("decline_code", "PAYMENT_CANCELLED"),
    ]);
    assert_eq!(shop.books().charges(), 0);
    shop.assert_books_equal_payments();
}

#[test]
fn a_review_that_the_processor_will_not_end_goes_on() {
    let server = Setup::new().start();
    let shop = server.shop();
    let held = shop.authorise(cards::HELD);
    held.assert_status("GATEWAY_HOLD");
    let refused = shop.try_abandon(&held.id());
    refused.assert_error("error.cancel.processor");
    assert_eq!(refused.extension("id"), held.id().as_str());
    assert!(
        refused
            .extension("reason")
            .as_str()
            .unwrap()
            .contains("reviews"),
        "{}",
        refused.json()
    );
    let settled = testkit::until(testkit::PATIENCE, "the review ends", || {
        Some(shop.payment(&held.id())).filter(|payment| payment.status() != "GATEWAY_HOLD")
    });
    assert!(
        matches!(settled.status(), "SUCCEEDED" | "DECLINED"),
        "{}",
        settled.0
    );
    shop.assert_books_equal_payments();
}

#[test]
fn what_waits_for_nobody_is_not_given_up() {
    let server = Setup::new()
        .config("[recovery]\nschedule = [\"1h\"]\n")
        .start();
    let shop = server.shop();
    let refunded = shop.authorise(cards::VISA).id();
    shop.refund(&refunded, 1000).assert_status("REFUNDED");
    let part = shop.authorise(cards::VISA).id();
    shop.refund(&part, 1).assert_status("PARTIAL_REFUNDED");
    let cancelled = shop.authorise_later(cards::VISA).id();
    shop.cancel(&cancelled).assert_status("CANCELLED");
    let twice = shop.challenged(&Order::card(cards::CHALLENGE)).id;
    shop.abandon(&twice);
    for (id, status) in [
        (shop.authorise(cards::VISA).id(), "SUCCEEDED"),
        (shop.authorise_later(cards::VISA).id(), "AUTHORISED"),
        (shop.authorise(cards::GENERAL_DECLINE).id(), "DECLINED"),
        (shop.authorise(cards::FAILED).id(), "FAILED"),
        (
            shop.authorise(cards::UNKNOWN_NOT_CHARGED).id(),
            "NO_ANSWER_FROM_PSP",
        ),
        (refunded, "REFUNDED"),
        (part, "PARTIAL_REFUNDED"),
        (cancelled, "CANCELLED"),
        (twice, "DECLINED"),
    ] {
        let refused = shop.try_abandon(&id);
        refused.assert_error("error.abandon.invalid-status");
        assert_eq!(refused.extension("status"), status, "{}", refused.json());
        assert_eq!(refused.extension("id"), id.as_str());
    }
    shop.assert_books_equal_payments();
}

#[test]
fn what_the_customer_has_done_already_is_not_charged_either() {
    let server = Setup::new().start();
    let shop = server.shop();
    let detour = shop.challenged(&Order::card(cards::CHALLENGE).three_ds(BACK));
    let back = shop.decide(&detour, "complete");
    shop.abandon(&detour.id).assert_status("DECLINED");
    shop.visit(&back);
    shop.payment(&detour.id).assert_status("DECLINED");
    shop.assert_books_equal_payments();
}

#[test]
fn anothers_payment_is_not_found() {
    let server = Setup::new().start();
    let (shop, other): (Shop, Shop) = (server.shop(), server.other_team());
    let detour = shop.challenged(&Order::card(cards::CHALLENGE));
    other
        .try_abandon(&detour.id)
        .assert_error("error.payment.not-found");
    shop.try_abandon("payments:0192a000-0000-7000-8000-000000000000")
        .assert_error("error.payment.not-found");
    shop.payment(&detour.id).assert_status("NEEDS_3D_SECURE");
}

#[test]
fn a_client_token_gives_up_its_own_payment_and_harms_none_that_waits_for_nobody() {
    let server = Setup::new().start();
    let shop = server.shop();
    let checkout = || shop.client(json!({"amount": 1000, "currency": "EUR"}));
    let browser = checkout();
    let detour = browser.challenged(&Order::card(cards::CHALLENGE).three_ds(BACK));

    checkout()
        .try_abandon(&detour.id)
        .assert_error("error.payment.not-found");
    server
        .shop_with(&server.create_key(KeyKind::Public))
        .try_abandon(&detour.id)
        .assert_error("api.key.forbidden");
    server
        .other_team()
        .try_abandon(&detour.id)
        .assert_error("error.payment.not-found");
    shop.payment(&detour.id).assert_status("NEEDS_3D_SECURE");

    let payment = browser.abandon(&detour.id);
    payment.assert_status("DECLINED");
    assert_eq!(payment.decline_code(), "PAYMENT_CANCELLED");
    // Again, since a page that is closed can't know: nothing happens, and the payment is returned.
    browser.abandon(&detour.id).assert_status("DECLINED");
    assert_eq!(shop.payment(&detour.id).titles(), payment.titles());

    // A review is the processor's; a browser can't end it.
    let other = checkout();
    let held = other.order(&Order::card(cards::HELD));
    held.assert_status("GATEWAY_HOLD");
    other.abandon(&held.id()).assert_status("GATEWAY_HOLD");
    let paid = checkout();
    let id = paid.order(&Order::card(cards::VISA)).id();
    paid.abandon(&id).assert_status("SUCCEEDED");
    assert!(
        !shop
            .payment(&id)
            .titles()
            .iter()
            .any(|title| title == "Giving up")
    );
    shop.assert_books_equal_payments();
}
